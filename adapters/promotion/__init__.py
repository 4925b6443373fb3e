"""The gate that moves accepted work onto a branch: one swap, a signed journal, and honest outcomes."""

from adapters.promotion.promoter import Promoter, PromoterWaits
from adapters.promotion.target import ATTEMPT_REFS, PROMOTED_REFS

__all__ = ["ATTEMPT_REFS", "PROMOTED_REFS", "Promoter", "PromoterWaits"]
