"""What somebody asks of moving a branch."""

from dataclasses import dataclass

from kernel.values.execution import PromotionReceipt


@dataclass(frozen=True, slots=True)
class ProposePromotion:
    """Offer an integrated result to an operator."""

    delta_id: str


@dataclass(frozen=True, slots=True)
class AuthorizePromotion:
    """Ask the operator to go ahead and reserve the head."""

    promotion_id: str
    expected_revision: int
    seen: str
    reserved_until: str


@dataclass(frozen=True, slots=True)
class ObservePromotion:
    """Record the journal's receipt of an attempt."""

    promotion_id: str
    receipt: PromotionReceipt


@dataclass(frozen=True, slots=True)
class ReconcilePromotion:
    """Record what an unknown outcome turned out to be."""

    promotion_id: str
    receipt: PromotionReceipt
