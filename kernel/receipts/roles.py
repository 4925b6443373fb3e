"""Which key signs the receipt that an event carries, as data."""

from collections.abc import Mapping
from typing import Final

from kernel.values.work import Envelope
from kernel.vocabulary import KeyRole

SIGNED_BY: Final[Mapping[str, KeyRole]] = {
    "run.authorized.v1": KeyRole.RUN_AUTHORITY,
    "candidate.sealed.v1": KeyRole.SEALER,
    "validation.recorded.v1": KeyRole.VALIDATOR,
    "promotion.observed.v1": KeyRole.PROMOTION_JOURNAL,
    "promotion.reconciled.v1": KeyRole.PROMOTION_JOURNAL,
}
"""Wire name -> the role whose key signs the event's receipt or capability."""


def receipt_of(event_type: str, body: object) -> tuple[KeyRole, Envelope] | None:
    """Return the role and the envelope of an event's receipt, or None when it carries none."""
    role = SIGNED_BY.get(event_type)
    envelope = getattr(body, "receipt", None) or getattr(body, "capability", None)
    return None if role is None or envelope is None else (role, envelope)
