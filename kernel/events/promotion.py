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
    """The promotion's new id."""
    attempt: int
    """1 for the first promotion of the closure."""
    delta_id: str
    """The accepted reconciliation."""
    integrated_revision: int
    """The revision that integrated the result."""
    closure_id: str
    """The closure behind it."""
    validation_id: str
    """The evidence it was integrated on."""
    candidate_id: str
    """The sealed candidate."""
    repository_id: str
    """The configured repository."""
    target_ref: str
    """The branch that would move."""
    base_commit: str
    """Where the branch must still be."""
    candidate_commit: str
    """Where it would move to."""


class PromotionAuthorized(Body):
    """A person asks the operator to go ahead: an audit record and a reservation of the head, not authority."""

    TYPE: ClassVar[str] = "promotion.authorized.v1"

    promotion_id: str
    """The promotion."""
    revision: int
    """The head that is reserved."""
    seen: str
    """Digest of what the person was shown."""
    reserved_until: str
    """Until then no proposal is accepted, unless the promotion ends earlier."""


class PromotionObserved(Body):
    """What became of the attempt, as observed raw and signed into the journal."""

    TYPE: ClassVar[str] = "promotion.observed.v1"

    promotion_id: str
    """The promotion."""
    exchange_id: str
    """The exchange that was the attempt."""
    outcome: PromotionOutcome
    """What became of it."""
    code: str
    """The machine's name for how."""
    detail: Words
    """How, in a sentence."""
    observed_before: str | None
    """The commit the branch held before, if it was observed."""
    observed_after: str | None
    """The commit the branch held afterwards, if it was observed."""
    status_digest: str
    """Digest of the journal's status record."""
    receipt: Envelope
    """The journal's signed status."""


class PromotionReconciled(Body):
    """An operator recorded what an unknown outcome turned out to be; the branch was only read."""

    TYPE: ClassVar[str] = "promotion.reconciled.v1"

    promotion_id: str
    """The promotion."""
    outcome: PromotionOutcome
    """What it turned out to be."""
    code: str
    """The machine's name for how."""
    detail: Words
    """How, in a sentence."""
    observed_after: str | None
    """The commit the branch holds, if it was observed."""
    status_digest: str
    """Digest of the journal's status record."""
    receipt: Envelope
    """The journal's signed status."""
