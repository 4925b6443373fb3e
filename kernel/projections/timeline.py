"""How the worldstate came to be: revisions newest first, where each came from, and the work that followed it."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from kernel.projections.changes import DESCENT, NodeChange, changes_in
from kernel.projections.history import touched_in
from kernel.projections.sieve import LOOKED_MAX, Sieve, sifted
from kernel.state import (
    BriefRecord,
    ClosureRecord,
    DeltaRecord,
    Origin,
    PromotionRecord,
    Revision,
    RunRecord,
    State,
    ValidationRecord,
    revision_key,
)
from kernel.values.records import Node, Relation
from kernel.vocabulary import NodeKind, RunStatus

ENTRIES_MAX: Final = 20
"""How many revisions one answer has."""
WORK_MAX: Final = 24
"""How many work events stand under one revision, the newest of them."""
EARLIER_MAX: Final = 8
"""How far back the replaced proposals of one revision are told."""
STORY_MAX: Final = 12
"""How many ancestors the story of one node tells."""

Happened: TypeAlias = Literal[
    "briefed", "authorized", "ended", "returned", "validated", "offered", "released", "promoted"
]
WorkRecord: TypeAlias = BriefRecord | RunRecord | ClosureRecord | ValidationRecord | PromotionRecord


@dataclass(frozen=True, slots=True)
class WorkEvent:
    """One thing that happened in the work on a task."""

    what: Happened
    node_id: str
    record: WorkRecord
    origin: Origin


@dataclass(frozen=True, slots=True)
class Descent:
    """One node that came out of another: it refines it, replaces it, or came from it."""

    relation: Relation
    node: Node
    of: Node


@dataclass(frozen=True, slots=True)
class Entry:
    """One revision."""

    revision: Revision
    record: DeltaRecord | None
    """The proposal that was accepted; None for the opening."""
    changes: tuple[NodeChange, ...]
    descents: tuple[Descent, ...]
    """What this revision drew out of something else."""
    earlier: tuple[DeltaRecord, ...]
    """Proposals that this one took the place of, the latest first: edited, moved, split or rebased."""
    work: tuple[WorkEvent, ...]
    """What happened after it and before the next revision, newest first."""
    work_more: int = 0
    """How many older work events do not fit."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """A page of revisions, newest first."""

    entries: tuple[Entry, ...]
    before: int | None
    """Where the next page begins: revisions below this number; None at the end."""


def timeline(
    state: State, *, node_id: str = "", before: int | None = None, sieve: Sieve | None = None
) -> Timeline:
    """Return a page of revisions, of all or of those that touched one node, as far as a sieve lets them through.

    O(entries * log revisions + work records).
    """
    if sieve is not None and not sieve.is_open:
        shown, following = _sifted(state, node_id, before, sieve)
        work = _work_by_revision(state, shown, node_id) if shown else {}
        return Timeline(tuple(_entry(state, number, work[number]) for number in shown), following)
    if node_id:
        numbers = touched_in(state, node_id, most=ENTRIES_MAX + 1, before=before)
    else:
        highest = state.revision if before is None else min(state.revision, before - 1)
        numbers = tuple(range(highest, max(highest - ENTRIES_MAX - 1, -1), -1))
    shown = tuple(number for number in numbers[:ENTRIES_MAX] if revision_key(number) in state.revisions)
    if not shown:
        return Timeline((), None)
    work = _work_by_revision(state, shown, node_id)
    entries = tuple(_entry(state, number, work[number]) for number in shown)
    return Timeline(entries, shown[-1] if len(numbers) > ENTRIES_MAX else None)


def _sifted(
    state: State, node_id: str, before: int | None, sieve: Sieve
) -> tuple[tuple[int, ...], int | None]:
    highest = state.revision if before is None else min(state.revision, before - 1)
    numbers: Sequence[int] = range(highest, -1, -1)
    if node_id:
        numbers = touched_in(state, node_id, most=LOOKED_MAX + 1, before=before)
    return sifted(state, numbers, sieve, most=ENTRIES_MAX)


def _entry(state: State, number: int, work: list[WorkEvent]) -> Entry:
    revision = state.revisions[revision_key(number)]
    record = None if revision.delta_id is None else state.deltas[revision.delta_id]
    changes = changes_in(state, revision)
    work.sort(key=lambda item: item.origin.seq, reverse=True)
    return Entry(
        revision=revision,
        record=record,
        changes=changes,
        descents=tuple(_descents(revision, changes)),
        earlier=() if record is None else tuple(_earlier(state, record)),
        work=tuple(work[:WORK_MAX]),
        work_more=max(0, len(work) - WORK_MAX),
    )


def _descents(revision: Revision, changes: tuple[NodeChange, ...]) -> Iterator[Descent]:
    nodes = revision.tables.nodes
    for change in changes:
        for relation in change.joined:
            if relation.kind in DESCENT and nodes[relation.to_id].kind is not NodeKind.EVIDENCE:
                yield Descent(relation, change.after, nodes[relation.to_id])


def _earlier(state: State, record: DeltaRecord) -> Iterator[DeltaRecord]:
    for _ in range(EARLIER_MAX):
        replaced = None if record.body.supersedes is None else state.deltas.get(record.body.supersedes)
        if replaced is None:
            return
        yield replaced
        record = replaced


def _work_by_revision(state: State, numbers: tuple[int, ...], node_id: str) -> dict[int, list[WorkEvent]]:
    """Return the work events under each of these revisions; they fall between it and the one after it."""
    rising = numbers[::-1]
    begins = [state.revisions[revision_key(number)].origin.seq for number in rising]
    following = [state.revisions.get(revision_key(number + 1)) for number in rising]
    ends = [state.seq + 1 if item is None else item.origin.seq for item in following]
    found: dict[int, list[WorkEvent]] = {number: [] for number in numbers}
    for event in _work(state):
        if node_id and event.node_id != node_id:
            continue
        place = bisect_left(begins, event.origin.seq) - 1
        if place >= 0 and event.origin.seq < ends[place]:
            found[rising[place]].append(event)
    return found


def _work(state: State) -> Iterator[WorkEvent]:
    for brief in state.briefs.rows():
        yield WorkEvent("briefed", brief.body.node_id, brief, brief.origin)
    for run in state.runs.rows():
        node_id = state.briefs[run.body.brief_id].body.node_id
        yield WorkEvent("authorized", node_id, run, run.origin)
        if run.ended is not None and run.status is not RunStatus.RETURNED:
            yield WorkEvent("ended", node_id, run, run.ended)
    for closure in state.closures.rows():
        yield WorkEvent("returned", _node_of(state, closure), closure, closure.origin)
    for check in state.validations.rows():
        node_id = state.briefs[check.body.brief_id].body.node_id
        yield WorkEvent("validated", node_id, check, check.origin)
    for promotion in state.promotions.rows():
        node_id = _node_of(state, state.closures[promotion.body.closure_id])
        yield WorkEvent("offered", node_id, promotion, promotion.origin)
        if promotion.authorized is not None:
            yield WorkEvent("released", node_id, promotion, promotion.authorized)
        if promotion.ended is not None:
            yield WorkEvent("promoted", node_id, promotion, promotion.ended)


def _node_of(state: State, closure: ClosureRecord) -> str:
    return state.briefs[closure.body.brief_id].body.node_id


def story(state: State, node_id: str) -> tuple[Descent, ...]:
    """Return what a node came out of, step by step back, nearest first; each ancestor once."""
    tables = state.tables
    seen, waiting = {node_id}, [node_id]
    found: list[Descent] = []
    while waiting and len(found) < STORY_MAX:
        here = waiting.pop(0)
        for relation_id in tables.links.get(here) or ():
            relation = tables.relations[relation_id]
            if relation.from_id != here or relation.kind not in DESCENT or relation.to_id in seen:
                continue
            seen.add(relation.to_id)
            waiting.append(relation.to_id)
            found.append(Descent(relation, tables.nodes[here], tables.nodes[relation.to_id]))
    return tuple(found[:STORY_MAX])
