"""The list of a project's work in pages: which threads stand first, and only those of one page in full.

The order of `kernel.projections.threads.threads`, without the cost of telling each of thousands of threads.
"""

from dataclasses import dataclass
from typing import Final

from kernel.projections.kept import Kept
from kernel.projections.shape import shape_of
from kernel.projections.threads import Thread, glance, thread_of, waits_for
from kernel.projections.trails import briefs_of, proposed_tasks
from kernel.state import State, revision_key
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
_UNBRIEFED: Final = Kept[tuple[_Head, ...]](4)


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
    plain = _UNBRIEFED.of((state.tables.nodes, state.briefs), lambda: _unbriefed(state))
    nodes = state.tables.nodes
    briefed = dict.fromkeys(brief.body.node_id for brief in state.briefs.rows())
    told = (task_id for task_id in briefed if nodes[task_id].kind is NodeKind.TASK)
    return tuple(sorted((*plain, *(_head(state, item, at) for item in (*told, *proposed_tasks(state))))))


def _head(state: State, task_id: str, at: str) -> _Head:
    standing, since = glance(state, task_id, at)
    return waits_for(standing) != "person", -since.seq, task_id


def _unbriefed(state: State) -> tuple[_Head, ...]:
    """Return the heads of accepted tasks without a brief: the latest thing that happened to them is that yes."""
    nodes, found = state.tables.nodes, []
    for task_id in shape_of(state).tasks:
        if not briefs_of(state, task_id):
            node = nodes[task_id]
            since = state.revisions[revision_key(node.created_in)].origin
            found.append((node.phase is Phase.COMPLETED, -since.seq, task_id))
    return tuple(sorted(found))
