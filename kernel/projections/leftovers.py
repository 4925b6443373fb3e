"""What came from captured words and outlives them: accepted nodes, briefs, and commits.

Erasing a capture takes only what stands under its data key. A person who erases must be told the rest, since
nothing else is erased silently.
"""

from collections.abc import Collection
from dataclasses import dataclass

from kernel.projections.trails import briefs_of
from kernel.state import State
from kernel.values.records import Node


@dataclass(frozen=True, slots=True)
class LeftCommit:
    """A commit that work on those nodes sealed; `target_ref` when it was offered to a branch."""

    commit: str
    target_ref: str | None


@dataclass(frozen=True, slots=True)
class Leftovers:
    """What came from captures, in the order of ids; each keeps what a person accepted or a worker made."""

    nodes: tuple[Node, ...]
    brief_ids: tuple[str, ...]
    commits: tuple[LeftCommit, ...]


def leftovers(state: State, source_ids: Collection[str]) -> Leftovers:
    """Return what came from these captures and is not erased with them. O(nodes)."""
    asked = frozenset(source_ids)
    rows = state.tables.nodes.rows()
    nodes = tuple(node for node in rows if node.source_ids and not asked.isdisjoint(node.source_ids))
    briefs = {brief.body.brief_id for node in nodes for brief in briefs_of(state, node.id)}
    runs = {run.body.run_id for run in state.runs.rows() if run.body.brief_id in briefs}
    targets = {item.body.candidate_commit: item.body.target_ref for item in state.promotions.rows()}
    sealed = (item.body for item in state.candidates.rows() if item.body.run_id in runs)
    commits = tuple(LeftCommit(body.candidate.commit, targets.get(body.candidate.commit)) for body in sealed)
    return Leftovers(nodes, tuple(sorted(briefs)), commits)
