"""The list of a project's work in pages: which threads stand first, and only those of one page in full.

The order of `kernel.projections.threads.threads`, without the cost of telling each of thousands of threads.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from kernel.projections.changes import touched_between
from kernel.projections.kept import Kept
from kernel.projections.shape import shape_of
from kernel.projections.threads import Thread, glance, thread_of, waits_for
from kernel.projections.trails import briefs_of, proposed_tasks
from kernel.state import BriefRecord, State, revision_key
from kernel.table import Table
from kernel.values.records import Node
from kernel.vocabulary import NodeKind, Phase, PromotionStatus, Role

THREADS_MAX: Final = 50
"""How many threads one page has."""

_Head = tuple[bool, int, str]
"""Whether a thread waits for somebody else than a person, its latest event from the end, its task: sorts as listed."""


@dataclass(frozen=True, slots=True)
class WorkList:
    """A page of the list."""

    threads: tuple[Thread, ...]
    start: int
    total: int
    waiting: int
    """How many threads of the whole list wait for a person."""


def work_list(state: State, role: Role, at: str, *, start: int = 0) -> WorkList:
    """Return the threads from the `start`-th on. O(threads to sort after a change, those of the page in full)."""
    heads = _heads(state, at)
    first = min(start, max(len(heads) - 1, 0))
    found = (thread_of(state, task_id, role, at) for _, _, task_id in heads[first : first + THREADS_MAX])
    waiting = sum(not is_elsewhere for is_elsewhere, _, _ in heads)
    return WorkList(tuple(item for item in found if item is not None), first, len(heads), waiting)


_HEADS: Final = Kept[tuple[_Head, ...]](4)


@dataclass(frozen=True, slots=True)
class _Plain:
    """The heads of the tasks that nobody was briefed on, as of one revision."""

    revision: int
    nodes: Table[Node]
    briefs: Table[BriefRecord]
    heads: tuple[_Head, ...]


_UNBRIEFED: Final = Kept[_Plain](4)
_STEPS_MAX: Final = 400
"""Over how many revisions these heads are carried; over more they are found anew."""


def _heads(state: State, at: str) -> tuple[_Head, ...]:
    if any(record.status is PromotionStatus.AUTHORIZED for record in state.promotions.rows()):
        # A reservation lapses as time passes: what is true now may be untrue on the next page.
        return _heads_now(state, at)
    parts = (
        *(state.tables.nodes, state.tables.relations, state.deltas, state.exchanges, state.briefs),
        *(state.runs, state.closures, state.validations, state.promotions, state.sources),
    )
    return _HEADS.of(parts, lambda: _heads_now(state, at))


def _heads_now(state: State, at: str) -> tuple[_Head, ...]:
    parts = (state.tables.nodes, state.briefs)
    plain = _UNBRIEFED.of(parts, lambda: _carried(state) or _plain(state, shape_of(state).tasks)).heads
    nodes = state.tables.nodes
    briefed = dict.fromkeys(brief.body.node_id for brief in state.briefs.rows())
    told = (task_id for task_id in briefed if nodes[task_id].kind is NodeKind.TASK)
    return tuple(sorted((*plain, *(_head(state, item, at) for item in (*told, *proposed_tasks(state))))))


def _head(state: State, task_id: str, at: str) -> _Head:
    standing, since = glance(state, task_id, at)
    return waits_for(standing) != "person", -since.seq, task_id


def _carried(state: State) -> _Plain | None:
    """Return the heads, carried over from an earlier revision of this very history that is kept, or None."""
    for base in _UNBRIEFED.latest():
        if base.briefs is state.briefs and 0 <= state.revision - base.revision <= _STEPS_MAX:
            earlier = state.revisions.get(revision_key(base.revision))
            if earlier is not None and earlier.tables.nodes is base.nodes:
                touched, _ = touched_between(state, base.revision, state.revision)
                left = tuple(head for head in base.heads if head[2] not in touched)
                return _plain(state, touched & shape_of(state).tasks, left)
    return None


def _plain(state: State, task_ids: Iterable[str], known: tuple[_Head, ...] = ()) -> _Plain:
    """Return the heads of these tasks beside those that are known: the latest that happened to each is its yes."""
    nodes, found = state.tables.nodes, list(known)
    for task_id in task_ids:
        if not briefs_of(state, task_id):
            node = nodes[task_id]
            since = state.revisions[revision_key(node.created_in)].origin
            found.append((node.phase is Phase.COMPLETED, -since.seq, task_id))
    return _Plain(state.revision, nodes, state.briefs, tuple(sorted(found)))
