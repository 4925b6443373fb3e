"""The three status families of a node, with what is never stored: a run under way, and support by evidence."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from kernel.projections.kept import Kept
from kernel.projections.shape import in_conflict, joined
from kernel.state import RunRecord, State, revision_key
from kernel.values.records import Node
from kernel.vocabulary import (
    Governance,
    NodeKind,
    Phase,
    Purpose,
    RelationKind,
    RunStatus,
    Verification,
)

UNDERWAY: Final = frozenset({RunStatus.QUEUED, RunStatus.CLAIMED, RunStatus.WORKING})
"""Statuses of a run that is not over."""
ENDED_BADLY: Final = frozenset({RunStatus.BLOCKED, RunStatus.FAILED, RunStatus.OUTCOME_UNKNOWN})
"""Statuses of a run that somebody has to look at."""


class Knowledge(StrEnum):
    """What is known about a node's truth. Derived, never stored."""

    DRAFT = "draft"
    SUPPORTED = "supported"


@dataclass(frozen=True, slots=True)
class Standing:
    """How one node stands."""

    knowledge: Knowledge | None
    """None for the root, which claims nothing."""
    governance: Governance
    phase: Phase
    verification: Verification
    run: RunRecord | None
    """The latest run of a task, whatever became of it."""

    @property
    def is_running(self) -> bool:
        """Whether a run is under way: the overlay on the work family."""
        return self.run is not None and self.run.status in UNDERWAY


_LATEST: Final = Kept[Mapping[str, RunRecord]](8)


def latest_runs(state: State) -> Mapping[str, RunRecord]:
    """Return the latest run of every task that ever had one, by node id. Kept; else O(runs)."""
    return _LATEST.of((state.runs, state.briefs), lambda: _latest_runs(state))


def _latest_runs(state: State) -> Mapping[str, RunRecord]:
    latest: dict[str, RunRecord] = {}
    for run in sorted(state.runs.rows(), key=lambda run: run.origin.seq):
        latest[state.briefs[run.body.brief_id].body.node_id] = run
    return latest


def standing(state: State, node: Node, runs: Mapping[str, RunRecord]) -> Standing:
    """Return how a node stands; `runs` is `latest_runs(state)`, made once for many nodes."""
    return Standing(
        knowledge=_knowledge(state, node),
        governance=node.governance,
        phase=node.phase,
        verification=node.verification,
        run=runs.get(node.id),
    )


def _knowledge(state: State, node: Node) -> Knowledge | None:
    if node.kind in {NodeKind.WORLD, NodeKind.PROJECT}:
        return None
    return Knowledge.SUPPORTED if is_supported(state, node) else Knowledge.DRAFT


def is_supported(state: State, node: Node) -> bool:
    """Tell whether an accepted reconciliation bound passing evidence to the node, and it still holds.

    A task has to be verified still: taking work up again takes its result out of force.
    """
    if node.kind is NodeKind.EVIDENCE:
        return comes_from_evidence(state, node)
    if node.kind is NodeKind.TASK and node.verification is not Verification.VERIFIED:
        return False
    evidence = [item for item in joined(state.tables, node.id) if item.kind is RelationKind.EVIDENCED_BY]
    return any(
        item.from_id == node.id and comes_from_evidence(state, state.tables.nodes[item.to_id])
        for item in evidence
    )


def comes_from_evidence(state: State, node: Node) -> bool:
    """Tell whether a node was added by an accepted reconciliation, not by somebody's word."""
    delta_id = state.revisions[revision_key(node.created_in)].delta_id
    return delta_id is not None and state.deltas[delta_id].body.purpose is Purpose.RECONCILIATION


def needs_care(state: State, node: Node, run: RunRecord | None) -> bool:
    """Tell whether somebody should look: work is blocked, in conflict, or its latest run ended badly."""
    open_work = node.phase in {Phase.PLANNED, Phase.BLOCKED}
    failed = open_work and run is not None and run.status in ENDED_BADLY
    return node.phase is Phase.BLOCKED or failed or in_conflict(state.tables, node.id)
