"""Events of moving a branch."""

from typing import ClassVar

from kernel.events.body import Body
from kernel.values.words import Words
from kernel.values.work import Envelope
from kernel.vocabulary import PromotionOutcome


class PromotionProposed(Body):
    """An integrated result is offered to the operator: exactly this commit for exactly that branch."""

    TYPE: ClassVar[str] = "promotion.proposed.v1"
    CREATES: ClassVar[tuple[str, ...]] = ("promotion_id",)

    promotion_id: str
    attempt: int
    delta_id: str
    """The accepted reconciliation."""
    integrated_revision: int
    closure_id: str
    validation_id: str
    candidate_id: str
    repository_id: str
    target_ref: str
    base_commit: str
    candidate_commit: str


class PromotionAuthorized(Body):
    """A person asks the operator to go ahead: an audit record and a reservation of the head, not authority."""

    TYPE: ClassVar[str] = "promotion.authorized.v1"

    promotion_id: str
    revision: int
    seen: str
    reserved_until: str
    """Until then no proposal is accepted, unless the promotion ends earlier."""


class PromotionObserved(Body):
    """What became of the attempt, as observed raw and signed into the journal."""

    TYPE: ClassVar[str] = "promotion.observed.v1"

    promotion_id: str
    exchange_id: str
    outcome: PromotionOutcome
    code: str
    detail: Words
    observed_before: str | None
    observed_after: str | None
    status_digest: str
    receipt: Envelope


class PromotionReconciled(Body):
    """An operator recorded what an unknown outcome turned out to be; the branch was only read."""

    TYPE: ClassVar[str] = "promotion.reconciled.v1"

    promotion_id: str
    outcome: PromotionOutcome
    code: str
    detail: Words
    observed_after: str | None
    status_digest: str
    receipt: Envelope
