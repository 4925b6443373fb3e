"""Rules for proposals, decisions on them, and questions to the person."""

from kernel.errors import (
    AuthorityError,
    InvalidError,
    LifecycleError,
    NotFoundError,
    RefusedError,
    StaleError,
)
from kernel.events.delta import (
    ClarificationAnswered,
    ClarificationAsked,
    DeltaAccepted,
    DeltaDeferred,
    DeltaProposed,
    DeltaRejected,
    DeltaRemanded,
    DeltaSplit,
    DeltaSuperseded,
)
from kernel.events.envelope import Event
from kernel.ids import is_id
from kernel.reducer.operations import Acceptance, foresee, state_root
from kernel.rules.compensation import require_inverse
from kernel.rules.dispositions import open_delta
from kernel.rules.limits import (
    ALTERNATIVES_MAX,
    CORRECTIONS_MAX,
    PARTS_MAX,
    PARTS_MIN,
    REASON_BYTES_MAX,
    TITLE_CHARS_MAX,
)
from kernel.rules.operations import checked, touched
from kernel.rules.promotion import require_free_head
from kernel.rules.reconciliation import require_compiled, require_open_gates
from kernel.rules.registry import admits
from kernel.rules.seen import is_what_was_shown, shown_choice
from kernel.rules.source import applied
from kernel.rules.text import require_bytes, require_moment, require_title
from kernel.state import DeltaRecord, State
from kernel.values.records import NodeAdd, NodePatch, Operation, RelationAdd
from kernel.vocabulary import ActorKind, Disposition, Purpose, Visibility

_PROPOSERS = {
    Purpose.PLACEMENT: frozenset({ActorKind.HUMAN, ActorKind.MANAGER, ActorKind.AGENT}),
    Purpose.CORRECTION: frozenset({ActorKind.HUMAN}),
    Purpose.RECONCILIATION: frozenset({ActorKind.SYSTEM}),
    Purpose.COMPENSATION: frozenset({ActorKind.HUMAN}),
}


_COMPUTED = {
    Purpose.RECONCILIATION: "compiled from evidence",
    Purpose.COMPENSATION: "computed from a revision",
}
"""Purposes whose operations nobody words, and what makes them."""


@admits(DeltaProposed)
def delta_proposed(state: State, body: DeltaProposed, event: Event) -> None:
    """The proposal is about the head, from this proposer, lawful in every choice it offers."""
    if not is_id(body.delta_id, "delta") or body.delta_id in state.deltas:
        message = f"delta id {body.delta_id!r} is malformed or already used"
        raise InvalidError(message)
    if event.actor.kind not in _PROPOSERS[body.purpose]:
        message = f"a {body.purpose.value} is not proposed by {event.actor.kind.value}"
        raise AuthorityError(message)
    if body.base_revision != state.revision:
        message = f"the proposal is about revision {body.base_revision}, the head is {state.revision}"
        raise StaleError(message)
    _check_words(body)
    _check_references(state, body, event.actor.kind)
    by_evidence = body.purpose is Purpose.RECONCILIATION
    acceptance = Acceptance(state.revision + 1, event.actor.id, by_evidence)
    bundles = bundles_of(body)
    for operations in bundles:
        _check_cited(body, operations)
        checked(state.tables, operations, acceptance)
    if body.touches != touched(state.tables, *bundles):
        message = "the proposal does not list the records it touches as they are"
        raise InvalidError(message)
    _check_reconciliation(state, body)
    require_inverse(state, body)


def bundles_of(body: DeltaProposed) -> tuple[tuple[Operation, ...], ...]:
    """Return the operations of every choice the proposal offers, choice 0 first."""
    return (body.operations, *(item.operations for item in body.alternatives))


def _check_words(body: DeltaProposed) -> None:
    require_title(body.title, TITLE_CHARS_MAX, "proposal's title")
    if len(body.alternatives) > ALTERNATIVES_MAX or len(body.fits) > ALTERNATIVES_MAX + 1:
        message = f"a proposal has at most {ALTERNATIVES_MAX} alternatives, and one fit for each and itself"
        raise InvalidError(message)
    labels = (item.label for item in body.alternatives)
    said = (words for fit in body.fits for words in (fit.reason, *fit.matched))
    for words in (*labels, *said, *body.reasons, *body.uncertainty):
        require_bytes(words, REASON_BYTES_MAX, "proposal's reasoning")


def _check_cited(body: DeltaProposed, operations: tuple[Operation, ...]) -> None:
    if body.purpose is Purpose.COMPENSATION:
        # What it brings back came from the sources it always came from; the inverse is recomputed elsewhere.
        return
    cited: set[str] = set()
    for operation in operations:
        if isinstance(operation, NodeAdd | RelationAdd):
            cited.update(operation.source_ids)
        elif isinstance(operation, NodePatch):
            cited.update(operation.add_source_ids)
    if not cited <= set(body.source_ids):
        message = "a proposal's operations cite only the sources it came from"
        raise InvalidError(message)


def _check_references(state: State, body: DeltaProposed, proposer: ActorKind) -> None:
    for source_id in body.source_ids:
        if source_id not in state.sources:
            message = f"source {source_id} does not exist"
            raise NotFoundError(message)
    if body.exchange_id is not None:
        _check_answer(state, body, body.exchange_id)
    elif proposer is ActorKind.MANAGER:
        message = "a manager proposes only from an answer that is durable"
        raise LifecycleError(message)
    for fit in body.fits:
        if fit.parent_id not in state.tables.nodes or not 0 <= fit.score <= 1000:  # noqa: PLR2004 - thousandths
            message = f"a fit is a node and 0 to 1000 thousandths, not {fit.parent_id!r:.80} and {fit.score}"
            raise InvalidError(message)
    if body.duplicate_of is not None and body.duplicate_of not in state.tables.nodes:
        message = f"node {body.duplicate_of} does not exist"
        raise NotFoundError(message)
    if body.supersedes is not None:
        _check_supersession(state, body)


def _check_answer(state: State, body: DeltaProposed, exchange_id: str) -> None:
    exchange = state.exchanges.get(exchange_id)
    if exchange is None or exchange.status != "answered" or exchange.body.source_id not in body.source_ids:
        message = f"exchange {exchange_id} holds no durable answer to propose from"
        raise LifecycleError(message)
    if body.supersedes is None and applied(state, exchange):
        message = f"the answer of exchange {exchange_id} was already applied"
        raise LifecycleError(message)


def _check_supersession(state: State, body: DeltaProposed) -> None:
    old = state.deltas.get(body.supersedes or "")
    named = old is not None and body.delta_id in old.replacement_ids
    if old is None or not named:
        message = f"this proposal does not replace {body.supersedes}"
        raise LifecycleError(message)
    if old.body.source_ids != body.source_ids or old.body.purpose is not body.purpose:
        message = "a replacement keeps the sources and the purpose of what it replaces"
        raise RefusedError(message)
    if old.why == "rebased" and _without_base(old.body) != _without_base(body):
        message = "a rebased proposal says exactly what it said before"
        raise InvalidError(message)


def _without_base(body: DeltaProposed) -> DeltaProposed:
    return body.model_copy(
        update={"delta_id": "", "base_revision": 0, "touches": (), "supersedes": None},
    )


def _check_reconciliation(state: State, body: DeltaProposed) -> None:
    pinned = body.closure_id is not None and body.validation_id is not None
    if pinned != (body.purpose is Purpose.RECONCILIATION):
        message = "a reconciliation, and only it, is pinned to a closure and a validation"
        raise InvalidError(message)
    if body.closure_id is None or body.validation_id is None:
        return
    if body.alternatives:
        message = "a reconciliation is compiled from evidence and has no alternatives"
        raise InvalidError(message)
    require_open_gates(state, body.closure_id, body.validation_id)
    require_compiled(state, body.closure_id, body.validation_id, body.operations)
    for record_id in state.followed_by.get(body.closure_id) or ():
        other = state.deltas.get(record_id)
        if other is None:
            continue
        if other.disposition in {Disposition.PENDING, Disposition.DEFERRED, Disposition.ACCEPTED}:
            message = f"the closure already has the reconciliation {other.body.delta_id}"
            raise LifecycleError(message)


@admits(DeltaDeferred)
def delta_deferred(state: State, body: DeltaDeferred, event: Event) -> None:
    """A proposal that can be decided on may be decided on later; the moment, if there is one, is still to come."""
    open_delta(state, body.delta_id, Disposition.DEFERRED)
    require_bytes(body.reason, REASON_BYTES_MAX, "reason")
    if body.until is None:
        return
    require_moment(body.until, "moment to ask again")
    if body.until <= event.at:
        day = f"{body.until[:10]} {body.until[11:16]} UTC"
        message = f"a proposal is deferred to a moment still to come; {day} has passed"
        raise InvalidError(message)


@admits(DeltaRemanded)
def delta_remanded(state: State, body: DeltaRemanded, _event: Event) -> None:
    """A proposal that people can reword is sent back, with a reason and with what has to be put right."""
    record = open_delta(state, body.delta_id, Disposition.REMANDED)
    if record.body.purpose is Purpose.RECONCILIATION:
        message = "a reconciliation is compiled from evidence; reject it and let the work be done again"
        raise RefusedError(message)
    if not 0 < len(body.corrections) <= CORRECTIONS_MAX:
        message = (
            f"a remand requires 1 to {CORRECTIONS_MAX} corrections, this one has {len(body.corrections)}"
        )
        raise InvalidError(message)
    for words in (body.reason, *body.corrections):
        require_bytes(words, REASON_BYTES_MAX, "reason or correction")
        if words.text is not None and not words.text.strip():
            message = "the reason and every correction of a remand say something"
            raise InvalidError(message)


@admits(DeltaRejected)
def delta_rejected(state: State, body: DeltaRejected, _event: Event) -> None:
    """Only an open proposal can be rejected."""
    open_delta(state, body.delta_id, Disposition.REJECTED)
    require_bytes(body.reason, REASON_BYTES_MAX, "reason")


def _check_new(state: State, delta_ids: tuple[str, ...]) -> None:
    for delta_id in delta_ids:
        if delta_id in state.deltas or not is_id(delta_id, "delta"):
            message = f"the replacement {delta_id!r} is malformed or already exists"
            raise InvalidError(message)


@admits(DeltaSplit)
def delta_split(state: State, body: DeltaSplit, _event: Event) -> None:
    """Only an open placement can be split, into a few proposals that do not exist yet."""
    record = open_delta(state, body.delta_id, Disposition.SUPERSEDED)
    if record.body.purpose is not Purpose.PLACEMENT:
        message = f"only a placement can be split, not a {record.body.purpose.value}"
        raise RefusedError(message)
    count = len(set(body.replacement_ids))
    if count != len(body.replacement_ids) or not PARTS_MIN <= count <= PARTS_MAX:
        message = f"a placement is split into {PARTS_MIN} to {PARTS_MAX} different proposals"
        raise InvalidError(message)
    _check_new(state, body.replacement_ids)


@admits(DeltaSuperseded)
def delta_superseded(state: State, body: DeltaSuperseded, _event: Event) -> None:
    """Only an open proposal can be replaced, by one that does not exist yet."""
    record = open_delta(state, body.delta_id, Disposition.SUPERSEDED)
    _check_new(state, (body.replacement_id,))
    if record.disposition is Disposition.REMANDED and body.why == "rebased":
        message = "a remanded proposal is replaced by a corrected one, not by the same one again"
        raise LifecycleError(message)
    if body.why not in {"edited", "moved", "rebased"}:
        message = f"a proposal is replaced because it was edited, moved or rebased, not {body.why!r}"
        raise InvalidError(message)
    if record.body.purpose in _COMPUTED and body.why != "rebased":
        message = (
            f"a {record.body.purpose.value} is {_COMPUTED[record.body.purpose]} and cannot be edited or moved"
        )
        raise RefusedError(message)


@admits(DeltaAccepted)
def delta_accepted(state: State, body: DeltaAccepted, event: Event) -> None:
    """The yes is about the head, about what was shown, and its result is what the operations make."""
    record = open_delta(state, body.delta_id, Disposition.ACCEPTED)
    require_free_head(state, event.at)
    if body.base_revision != state.revision:
        message = (
            f"the yes is about revision {body.base_revision}, the head is {state.revision}; look at it again"
        )
        raise StaleError(message)
    if record.body.base_revision != state.revision:
        message = (
            f"the proposal is about revision {record.body.base_revision}, the head is {state.revision}; "
            "look at it again"
        )
        raise StaleError(message)
    if body.revision != state.revision + 1:
        message = f"the next revision is {state.revision + 1}, not {body.revision}"
        raise InvalidError(message)
    _require_shown(state, record, body)
    if body.operations != chosen(record, body.choice):
        message = "what would be accepted is not the choice that was shown"
        raise InvalidError(message)
    if record.body.closure_id is not None and record.body.validation_id is not None:
        require_open_gates(state, record.body.closure_id, record.body.validation_id)
        require_compiled(state, record.body.closure_id, record.body.validation_id, body.operations)
    by_evidence = record.body.purpose is Purpose.RECONCILIATION
    acceptance = Acceptance(body.revision, event.actor.id, by_evidence)
    checked(state.tables, body.operations, acceptance)
    if state_root(foresee(state.tables, body.operations, acceptance)) != body.state_root:
        message = "the recorded state root is not what the operations make"
        raise InvalidError(message)


def _require_shown(state: State, record: DeltaRecord, body: DeltaAccepted) -> None:
    if is_what_was_shown(state, record, body.choice, body.seen):
        return
    shown = shown_choice(state, record, body.seen)
    if shown is None:
        message = "what was shown is not what this proposal is now; look at it again"
        raise StaleError(message)
    message = (
        f"what was shown is {_named(shown)} and the yes is about {_named(body.choice)}; "
        "look at the one you mean and say yes to that"
    )
    raise StaleError(message, code="other_choice")


def _named(choice: int) -> str:
    return f"alternative {choice}" if choice else "the proposal itself"


def chosen(record: DeltaRecord, choice: int) -> tuple[Operation, ...]:
    """Return the operations of one choice: 0 as proposed, n the n-th alternative.

    Raises: InvalidError for a choice the proposal does not offer.
    """
    if choice == 0:
        return record.body.operations
    if not 0 < choice <= len(record.body.alternatives):
        message = f"proposal {record.body.delta_id} offers {len(record.body.alternatives)} alternatives"
        raise InvalidError(message)
    return record.body.alternatives[choice - 1].operations


@admits(ClarificationAsked)
def clarification_asked(state: State, body: ClarificationAsked, _event: Event) -> None:
    """A question comes from a durable placement answer, once."""
    exchange = state.exchanges.get(body.exchange_id)
    if exchange is None or exchange.status != "answered" or exchange.body.source_id != body.source_id:
        message = f"exchange {body.exchange_id} holds no durable answer to ask from"
        raise LifecycleError(message)
    if applied(state, exchange):
        message = f"the answer of exchange {body.exchange_id} was already applied"
        raise LifecycleError(message)
    require_bytes(body.question, REASON_BYTES_MAX, "question")


@admits(ClarificationAnswered)
def clarification_answered(state: State, body: ClarificationAnswered, _event: Event) -> None:
    """An open question is answered by a captured source, as widely as it was asked."""
    record = state.clarifications.get(body.exchange_id)
    if record is None:
        message = f"there is no question {body.exchange_id}"
        raise NotFoundError(message)
    if record.answer_source_id is not None:
        message = "this question was already answered"
        raise LifecycleError(message)
    if body.answer_source_id not in state.sources:
        message = f"the answer {body.answer_source_id} is not a captured source"
        raise NotFoundError(message)
    asked, answer = state.sources[record.body.source_id].body, state.sources[body.answer_source_id].body
    if asked.visibility is Visibility.PRIVATE and answer.visibility is not Visibility.PRIVATE:
        message = "the answer to a private question is private too: it continues the same thread"
        raise RefusedError(message, code="visibility_mismatch")
    if answer.visibility is Visibility.PRIVATE and asked.visibility is not Visibility.PRIVATE:
        message = "others wait for the answer to this question too: answer it shared, or keep it as words of its own"
        raise RefusedError(message, code="private_answer")
