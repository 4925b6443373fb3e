"""Events of proposed and accepted meaning, and of questions back to the person."""

from typing import Any, ClassVar

from pydantic import SerializerFunctionWrapHandler, model_serializer

from kernel.events.body import Body, PartlyRead
from kernel.values.recorded import Recorded
from kernel.values.records import Operation, Touch
from kernel.values.words import Words
from kernel.vocabulary import Purpose


class Fit(Recorded):
    """How well one place fits: the parent, a score in thousandths and the reason in words."""

    parent_id: str
    """The place."""
    score: int
    """0 to 1000."""
    reason: Words
    """Why, in a sentence a person can check."""
    matched: tuple[Words, ...] = ()
    """The words of the source that point there."""


class Alternative(Recorded):
    """Another lawful way to take the same proposal, chosen with one act."""

    label: Words
    """What it would be, in a line."""
    operations: tuple[Operation, ...]
    """What it would change, in order."""


class DeltaProposed(PartlyRead):
    """A change of meaning waits for a person. It changes nothing until it is accepted."""

    TYPE: ClassVar[str] = "delta.proposed.v1"
    CREATES: ClassVar[tuple[str, ...]] = ("delta_id",)
    KEYED_BY: ClassVar = "source_ids"
    AT_ONCE: ClassVar = ("delta_id", "purpose", "source_ids", "exchange_id", "closure_id")

    delta_id: str
    """The proposal's new id."""
    purpose: Purpose
    """Why it exists."""
    base_revision: int
    """The revision it was made for."""
    source_ids: tuple[str, ...]
    """The captures it came from; empty for a correction or a reconciliation."""
    exchange_id: str | None = None
    """The exchange whose answer this is, for a placement."""
    title: Words
    """What the proposal is about, in a line."""
    operations: tuple[Operation, ...]
    """What it would change, in order."""
    alternatives: tuple[Alternative, ...] = ()
    """At most three; choice 0 is `operations`, choice n the n-th of these."""
    fits: tuple[Fit, ...] = ()
    """How well each offered place fits, the best first."""
    reasons: tuple[Words, ...] = ()
    """Why it is proposed, one sentence each."""
    uncertainty: tuple[Words, ...] = ()
    """What is not certain, one sentence each."""
    touches: tuple[Touch, ...]
    """Every record the proposal or an alternative changes or points at, sorted by kind and id."""
    duplicate_of: str | None = None
    """An existing node that may already say this."""
    supersedes: str | None = None
    """The delta this one replaces."""
    closure_id: str | None = None
    """Reconciliation only: the closure and validation it is compiled from."""
    validation_id: str | None = None
    """Reconciliation only: the validation it is compiled from."""
    compensates: int | None = None
    """Compensation only: the number of the revision it takes back. Where absent, the bytes do not name it."""

    @model_serializer(mode="wrap")
    def _without_absent(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out what only a compensation says, so that every other proposal keeps the bytes it always had."""
        written: dict[str, Any] = write(self)
        if self.compensates is None:
            written.pop("compensates", None)
        return written


class DeltaDeferred(Body):
    """A person put the decision off; the proposal stays open and leaves the queue until its moment, if it has one."""

    TYPE: ClassVar[str] = "delta.deferred.v1"

    delta_id: str
    """The proposal."""
    until: str | None = None
    """The moment at which it asks again; none when it waits until somebody looks for it."""
    reason: Words | None = None
    """Why later, if the person said."""


class DeltaRemanded(Body):
    """A person sent a proposal back: it is not accepted as it is, only replaced by one that was corrected."""

    TYPE: ClassVar[str] = "delta.remanded.v1"

    delta_id: str
    """The proposal."""
    reason: Words
    """Why it cannot be accepted as it is."""
    corrections: tuple[Words, ...]
    """What a replacement has to put right, 1 to 16 of them."""


class DeltaRejected(Body):
    """A person said no; the proposal is closed."""

    TYPE: ClassVar[str] = "delta.rejected.v1"

    delta_id: str
    """The proposal."""
    reason: Words | None = None
    """Why not, if the person said."""


class DeltaSuperseded(Body):
    """A proposal was replaced by another one that keeps its sources."""

    TYPE: ClassVar[str] = "delta.superseded.v1"

    delta_id: str
    """The proposal that was replaced."""
    replacement_id: str
    """The proposal that takes its place in the same append."""
    why: str
    """`edited`, `moved` or `rebased`."""


class DeltaSplit(Body):
    """A placement was replaced by several smaller ones that keep its sources; they follow in the same append."""

    TYPE: ClassVar[str] = "delta.split.v1"

    delta_id: str
    """The proposal that was replaced."""
    replacement_ids: tuple[str, ...]
    """The 2 to 8 proposals that take its place, in their order."""


class DeltaAccepted(Body):
    """A person said yes to exactly this: one new revision. The only event that changes the worldstate."""

    TYPE: ClassVar[str] = "delta.accepted.v1"

    delta_id: str
    """The proposal."""
    choice: int
    """0 as proposed, n for the n-th alternative."""
    seen: str
    """Digest of what the person was shown."""
    base_revision: int
    """The head the person saw."""
    revision: int
    """Number of the revision this makes."""
    operations: tuple[Operation, ...]
    """Exactly what was accepted, under a key of its own; replay reads this."""
    state_root: str
    """Root of the state trie after the operations."""


class ClarificationAsked(Body):
    """Nothing fits well enough to propose; a question waits for the person."""

    TYPE: ClassVar[str] = "clarification.asked.v1"
    KEYED_BY: ClassVar = "source_id"

    exchange_id: str
    """The placement whose answer is this question."""
    source_id: str
    """The capture it is about."""
    question: Words
    """What the manager asks."""


class ClarificationAnswered(Body):
    """The person answered in words of their own, captured as a source that continues the same thread."""

    TYPE: ClassVar[str] = "clarification.answered.v1"

    exchange_id: str
    """The question."""
    answer_source_id: str
    """The capture that answers it."""
