"""Everything that waits for a person, oldest risk first: what touches a branch, then evidence, then meaning."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from kernel.projections.kept import Kept
from kernel.projections.placing import stalled_attempts
from kernel.rules.dispositions import is_queued
from kernel.rules.promotion import lapsed
from kernel.state import ClarificationRecord, DeltaRecord, Origin, PromotionRecord, State
from kernel.vocabulary import Disposition, PromotionStatus, Purpose, SourceKind

_TIED_WITHIN = 30
"""Two places fit equally when their scores, in thousandths, differ by no more than this."""


class Matter(StrEnum):
    """Which boundary a decision is about, the riskiest first."""

    ARTIFACTS = "artifacts"
    EVIDENCE = "evidence"
    MEANING = "meaning"


class Wait(StrEnum):
    """What sort of decision waits."""

    PLACEMENT = "placement"
    IMPORT = "import"
    CORRECTION = "correction"
    RECONCILIATION = "reconciliation"
    QUESTION = "question"
    UNPLACED = "unplaced"
    AUTHORIZATION = "authorization"
    OPERATOR = "operator"
    OUTCOME = "outcome"


@dataclass(frozen=True, slots=True)
class Waiting:
    """One thing that waits."""

    id: str
    """The proposal, the exchange or the promotion it is about."""
    wait: Wait
    matter: Matter
    title: str
    since: Origin
    source_id: str | None = None
    """The words it came from."""
    node_id: str | None = None
    """The task a promotion is about."""
    is_tied: bool = False
    """Two places fit equally."""


def inbox(state: State, at: str) -> tuple[Waiting, ...]:
    """Return what waits, by matter and then oldest first. `at` is this moment: reservations lapse, what was deferred returns.

    Shape: no duplicates, may be empty; O(open proposals + open questions + unplaced captures + promotions).
    """
    found = (*_proposals(state, at), *_questions(state), *_unplaced(state), *_promotions(state, at))
    order = tuple(Matter)
    return tuple(sorted(found, key=lambda item: (order.index(item.matter), item.since.seq, item.id)))


def waiting_number(state: State, at: str) -> int:
    """Return how many things `inbox` has at this moment, without a look at any of them."""
    always, deferred = _QUEUES.of((state.open_deltas, state.deltas), lambda: _queues(state))
    proposals = always + sum(is_queued(record, at) for record in deferred)
    questions = sum(1 for _ in open_questions(state))
    promotions = sum(_wait_of(record, at) is not None for record in state.promotions.rows())
    return proposals + questions + len(stalled_attempts(state)) + promotions


_WAIT_OF = {
    Purpose.PLACEMENT: Wait.PLACEMENT,
    Purpose.CORRECTION: Wait.CORRECTION,
    Purpose.COMPENSATION: Wait.CORRECTION,
    Purpose.RECONCILIATION: Wait.RECONCILIATION,
}


_QUEUES: Final = Kept[tuple[int, tuple[DeltaRecord, ...]]](16)
_OPEN: Final = Kept[tuple[tuple[DeltaRecord, Waiting], ...]](8)


def _queues(state: State) -> tuple[int, tuple[DeltaRecord, ...]]:
    """Return how many proposals wait whatever the moment is, and those that come back at theirs."""
    records = state.deltas.these(state.open_deltas.keys())
    deferred = tuple(record for record in records if record.disposition is Disposition.DEFERRED)
    return len(records) - len(deferred), deferred


def _proposals(state: State, at: str) -> Iterator[Waiting]:
    parts = (state.open_deltas, state.deltas, state.sources)
    for record, waiting in _OPEN.of(parts, lambda: tuple(_open_proposals(state))):
        if is_queued(record, at):
            yield waiting


def _open_proposals(state: State) -> Iterator[tuple[DeltaRecord, Waiting]]:
    for record in state.deltas.these(state.open_deltas.keys()):
        evidence = record.body.purpose is Purpose.RECONCILIATION
        yield (
            record,
            Waiting(
                id=record.body.delta_id,
                wait=wait_of(state, record),
                matter=Matter.EVIDENCE if evidence else Matter.MEANING,
                title=record.body.title.or_erased(),
                since=first_origin(state, record),
                source_id=next(iter(record.body.source_ids), None),
                is_tied=_is_tied(record),
            ),
        )


def wait_of(state: State, record: DeltaRecord) -> Wait:
    """Return what sort of decision a proposal asks for."""
    return Wait.IMPORT if is_import(state, record) else _WAIT_OF[record.body.purpose]


def is_import(state: State, record: DeltaRecord) -> bool:
    """Tell whether the proposal came from an imported outline."""
    sources = (state.sources.get(item) for item in record.body.source_ids)
    return any(source is not None and source.body.kind is SourceKind.IMPORT for source in sources)


def first_origin(state: State, record: DeltaRecord) -> Origin:
    """Return where the first version of a proposal came from: being edited or moved does not make it younger."""
    while record.body.supersedes is not None:
        record = state.deltas[record.body.supersedes]
    return record.origin


def _is_tied(record: DeltaRecord) -> bool:
    fits = record.body.fits
    return bool(record.body.alternatives) and len(fits) > 1 and fits[0].score - fits[1].score <= _TIED_WITHIN


def _questions(state: State) -> Iterator[Waiting]:
    for question in open_questions(state):
        yield Waiting(
            id=question.body.exchange_id,
            wait=Wait.QUESTION,
            matter=Matter.MEANING,
            title=question.body.question.or_erased(),
            since=question.origin,
            source_id=question.body.source_id,
        )


def open_questions(state: State) -> Iterator[ClarificationRecord]:
    """Yield the questions that nobody answered yet; one about erased words asks nothing more."""
    for exchange_id in state.asking.keys():  # noqa: SIM118 - a table has no order of its own
        question = state.clarifications[exchange_id]
        if question.answer_source_id is None and state.sources[question.body.source_id].erased is None:
            yield question


def _unplaced(state: State) -> Iterator[Waiting]:
    for record in stalled_attempts(state):
        source = state.sources[record.body.subject_id]
        yield Waiting(
            id=record.body.exchange_id,
            wait=Wait.UNPLACED,
            matter=Matter.MEANING,
            title=source.body.content.or_erased(),
            since=source.origin,
            source_id=source.body.source_id,
        )


def _promotions(state: State, at: str) -> Iterator[Waiting]:
    for record in state.promotions.rows():
        wait = _wait_of(record, at)
        if wait is None:
            continue
        task_id = task_of(state, record)
        yield Waiting(
            id=record.body.promotion_id,
            wait=wait,
            matter=Matter.ARTIFACTS,
            title=state.tables.nodes[task_id].title.or_erased(),
            since=record.origin,
            node_id=task_id,
        )


def _wait_of(record: PromotionRecord, at: str) -> Wait | None:
    if record.status is PromotionStatus.PROPOSED or lapsed(record, at):
        return Wait.AUTHORIZATION
    if record.status is PromotionStatus.AUTHORIZED:
        return Wait.OPERATOR
    unobserved = {PromotionStatus.REQUESTED, PromotionStatus.OUTCOME_UNKNOWN}
    return Wait.OUTCOME if record.status in unobserved else None


def task_of(state: State, record: PromotionRecord) -> str:
    """Return the task whose result a promotion would move into a branch."""
    closure_id = state.deltas[record.body.delta_id].body.closure_id
    assert closure_id is not None, "only a reconciliation is promoted"
    return state.briefs[state.closures[closure_id].body.brief_id].body.node_id
