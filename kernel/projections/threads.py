"""One thread per piece of work: where it stands among eight stages, who it waits for, and what is lawful now.

A thread has the id of its task. Its standing is read from the latest try alone: the latest brief and what came of
it. `acts` names what a person of the given role may do at this moment; a page offers exactly these, and whoever
carries one out asks again. The kernel's rules decide in the end: an act listed here can still be refused by them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, TypeAlias

from kernel.errors import LifecycleError
from kernel.projections.kept import Kept
from kernel.projections.trails import (
    Trail,
    adoption_of,
    briefs_of,
    proposed_tasks,
    reconciliations_of,
    trail_of,
    validations_of,
)
from kernel.rules.briefing import moved_context
from kernel.rules.delegation import runs_of
from kernel.rules.dispositions import OPEN
from kernel.rules.promotion import lapsed, promotions_of
from kernel.rules.reconciliation import Gate, gates, in_force, unmet
from kernel.state import DeltaRecord, Origin, PromotionRecord, RunRecord, State
from kernel.values.records import Node, NodeAdd
from kernel.vocabulary import Disposition, NodeKind, Phase, PromotionStatus, Role, RunStatus, Visibility

ACTING: Final = frozenset({Role.OWNER, Role.REVIEWER})
"""Roles that may act on work; a viewer may only look."""

Waits: TypeAlias = Literal["person", "host", "operator", "nobody"]


class WorkStanding(StrEnum):
    """How a thread stands. Nothing here is a success by itself but `promoted`."""

    CAPTURED = "captured"
    ADOPTED = "adopted"
    SAID_DONE = "said_done"
    """Adopted and completed by a person's word, without any brief."""
    BRIEFED = "briefed"
    BRIEF_STALE = "brief_stale"
    QUEUED = "queued"
    RUNNING = "running"
    BLOCKED = "blocked"
    FAILED = "failed"
    LOST = "lost"
    CANCELLED = "cancelled"
    RETURNED = "returned"
    VALIDATING = "validating"
    NOT_JUDGED = "not_judged"
    """A validation was asked for and ended without a result."""
    NOT_PROVEN = "not_proven"
    PROVEN = "proven"
    GATE_CLOSED = "gate_closed"
    """Proven, and a gate other than the evidence keeps it from being reconciled."""
    RECONCILED = "reconciled"
    OVERTAKEN = "overtaken"
    """A reconciliation waits whose gates are no longer all open."""
    INTEGRATED = "integrated"
    OUT_OF_FORCE = "out_of_force"
    """Integrated, and the task was changed since."""
    PROPOSED = "proposed"
    AUTHORIZED = "authorized"
    LAPSED = "lapsed"
    MOVING = "moving"
    PROMOTED = "promoted"
    STALE = "stale"
    NOT_PROMOTED = "not_promoted"
    UNKNOWN = "unknown"
    REJECTED = "rejected"
    """Only of an earlier reconciliation: a person said no."""


_STAGES: Final[tuple[tuple[int, tuple[WorkStanding, ...]], ...]] = (
    (1, (WorkStanding.CAPTURED,)),
    (2, (WorkStanding.ADOPTED, WorkStanding.SAID_DONE)),
    (3, (WorkStanding.BRIEFED, WorkStanding.BRIEF_STALE)),
    (4, (WorkStanding.QUEUED, WorkStanding.RUNNING, WorkStanding.BLOCKED, WorkStanding.FAILED, WorkStanding.LOST, WorkStanding.CANCELLED)),
    (5, (WorkStanding.RETURNED, WorkStanding.VALIDATING, WorkStanding.NOT_JUDGED)),
    (6, (WorkStanding.NOT_PROVEN, WorkStanding.PROVEN, WorkStanding.GATE_CLOSED, WorkStanding.REJECTED)),
    (7, (WorkStanding.RECONCILED, WorkStanding.OVERTAKEN, WorkStanding.INTEGRATED, WorkStanding.OUT_OF_FORCE)),
    (8, (WorkStanding.PROPOSED, WorkStanding.AUTHORIZED, WorkStanding.LAPSED, WorkStanding.MOVING, WorkStanding.PROMOTED)),
    (8, (WorkStanding.STALE, WorkStanding.NOT_PROMOTED, WorkStanding.UNKNOWN)),
)  # fmt: skip
STAGE_OF: Final[dict[WorkStanding, int]] = {standing: number for number, all_ in _STAGES for standing in all_}
"""The stage that is open, 1 to 8."""

_WAITS_ELSEWHERE: Final[dict[WorkStanding, Waits]] = {
    WorkStanding.SAID_DONE: "nobody",
    WorkStanding.QUEUED: "host",
    WorkStanding.RUNNING: "host",
    WorkStanding.VALIDATING: "host",
    WorkStanding.AUTHORIZED: "operator",
    WorkStanding.MOVING: "operator",
    WorkStanding.UNKNOWN: "operator",
    WorkStanding.PROMOTED: "nobody",
}


class WorkAct(StrEnum):
    """What a person may do to a thread."""

    COMPILE = "compile"
    AUTHORIZE = "authorize"
    CANCEL = "cancel"
    VALIDATE = "validate"
    RECONCILE = "reconcile"
    INTEGRATE = "integrate"
    REJECT = "reject"
    PROPOSE = "propose"
    AUTHORIZE_PROMOTION = "authorize_promotion"


_ACTS: Final[dict[WorkStanding, frozenset[WorkAct]]] = {
    WorkStanding.ADOPTED: frozenset({WorkAct.COMPILE}),
    WorkStanding.SAID_DONE: frozenset({WorkAct.COMPILE}),
    WorkStanding.BRIEFED: frozenset({WorkAct.AUTHORIZE, WorkAct.COMPILE}),
    WorkStanding.BRIEF_STALE: frozenset({WorkAct.COMPILE}),
    WorkStanding.QUEUED: frozenset({WorkAct.CANCEL}),
    WorkStanding.BLOCKED: frozenset({WorkAct.AUTHORIZE, WorkAct.COMPILE}),
    WorkStanding.FAILED: frozenset({WorkAct.AUTHORIZE, WorkAct.COMPILE}),
    WorkStanding.LOST: frozenset({WorkAct.AUTHORIZE, WorkAct.COMPILE}),
    WorkStanding.CANCELLED: frozenset({WorkAct.AUTHORIZE, WorkAct.COMPILE}),
    WorkStanding.RETURNED: frozenset({WorkAct.VALIDATE}),
    WorkStanding.NOT_JUDGED: frozenset({WorkAct.VALIDATE, WorkAct.COMPILE}),
    WorkStanding.NOT_PROVEN: frozenset({WorkAct.VALIDATE, WorkAct.COMPILE}),
    WorkStanding.PROVEN: frozenset({WorkAct.RECONCILE, WorkAct.VALIDATE}),
    WorkStanding.GATE_CLOSED: frozenset({WorkAct.VALIDATE, WorkAct.COMPILE}),
    WorkStanding.RECONCILED: frozenset({WorkAct.INTEGRATE, WorkAct.REJECT}),
    WorkStanding.OVERTAKEN: frozenset({WorkAct.REJECT, WorkAct.COMPILE}),
    WorkStanding.INTEGRATED: frozenset({WorkAct.PROPOSE, WorkAct.COMPILE}),
    WorkStanding.OUT_OF_FORCE: frozenset({WorkAct.COMPILE}),
    WorkStanding.PROPOSED: frozenset({WorkAct.AUTHORIZE_PROMOTION}),
    WorkStanding.LAPSED: frozenset({WorkAct.AUTHORIZE_PROMOTION}),
    WorkStanding.PROMOTED: frozenset({WorkAct.COMPILE}),
    WorkStanding.STALE: frozenset({WorkAct.PROPOSE, WorkAct.COMPILE}),
    WorkStanding.NOT_PROMOTED: frozenset({WorkAct.PROPOSE, WorkAct.COMPILE}),
}
"""Acts that lead on from a standing, before role, privacy, reservation and change are looked at."""

_RUN: Final[dict[RunStatus, WorkStanding]] = {
    RunStatus.QUEUED: WorkStanding.QUEUED,
    RunStatus.CLAIMED: WorkStanding.RUNNING,
    RunStatus.WORKING: WorkStanding.RUNNING,
    RunStatus.BLOCKED: WorkStanding.BLOCKED,
    RunStatus.RETURNED: WorkStanding.RETURNED,
    RunStatus.FAILED: WorkStanding.FAILED,
    RunStatus.CANCELLED: WorkStanding.CANCELLED,
    RunStatus.OUTCOME_UNKNOWN: WorkStanding.LOST,
}
_PROMOTION: Final[dict[PromotionStatus, WorkStanding]] = {
    PromotionStatus.PROPOSED: WorkStanding.PROPOSED,
    PromotionStatus.AUTHORIZED: WorkStanding.AUTHORIZED,
    PromotionStatus.REQUESTED: WorkStanding.MOVING,
    PromotionStatus.PROMOTED: WorkStanding.PROMOTED,
    PromotionStatus.STALE: WorkStanding.STALE,
    PromotionStatus.FAILED: WorkStanding.NOT_PROMOTED,
    PromotionStatus.OUTCOME_UNKNOWN: WorkStanding.UNKNOWN,
}


@dataclass(frozen=True, slots=True)
class Receipt:
    """A stage that was passed: by whom, when, and as which record."""

    stage: int
    origin: Origin
    record_id: str


@dataclass(frozen=True, slots=True)
class Earlier:
    """A record that a later one of the same task replaced."""

    kind: Literal["brief", "run", "validation", "reconciliation", "promotion"]
    record_id: str
    origin: Origin
    standing: WorkStanding
    """How far it came."""


@dataclass(frozen=True, slots=True)
class Thread:
    """One piece of work."""

    task_id: str
    node: Node | None
    """None while the task is only proposed."""
    proposal: DeltaRecord | None
    """What proposed the task: the waiting proposal, or the accepted one."""
    standing: WorkStanding
    trail: Trail
    receipts: tuple[Receipt, ...]
    earlier: tuple[Earlier, ...]
    """Newest first."""
    acts: frozenset[WorkAct]
    reserved_by: PromotionRecord | None
    """Another promotion that holds the head, so that nothing of meaning can be accepted now."""
    since: Origin
    """The latest thing that happened to it."""

    @property
    def stage(self) -> int:
        """The open stage, 1 to 8."""
        return STAGE_OF[self.standing]

    @property
    def waits_for(self) -> Waits:
        """Who has to do the next thing."""
        return waits_for(self.standing)

    @property
    def title(self) -> str:
        """The task's words."""
        if self.node is not None:
            return self.node.title.or_erased()
        assert self.proposal is not None
        added = (item for item in self.proposal.body.operations if isinstance(item, NodeAdd))
        return next(item.title.or_erased() for item in added if item.node_id == self.task_id)

    @property
    def is_private(self) -> bool:
        """True when the task stays on this machine and therefore cannot be briefed."""
        return self.node is not None and self.node.visibility is Visibility.PRIVATE


def threads(state: State, role: Role, at: str) -> tuple[Thread, ...]:
    """Return every thread of a project: those that wait for a person first, then the latest moved first.

    O(nodes). `at` is this moment: it decides whether a reservation of the head still holds.
    """
    rows = state.tables.nodes.rows()
    active = (node.id for node in rows if node.kind is NodeKind.TASK and _counts(state, node))
    found = [_thread(state, task_id, role, at) for task_id in (*active, *proposed_tasks(state))]
    return tuple(sorted(found, key=lambda item: (item.waits_for != "person", -item.since.seq, item.task_id)))


def waits_for(standing: WorkStanding) -> Waits:
    """Return who has to do the next thing to a thread that stands like this."""
    return _WAITS_ELSEWHERE.get(standing, "person")


def _counts(state: State, node: Node) -> bool:
    return node.retired_in is None or bool(briefs_of(state, node.id))


def thread_of(state: State, task_id: str, role: Role, at: str) -> Thread | None:
    """Return the thread of one task; None when there is no such task, accepted or proposed."""
    node = state.tables.nodes.get(task_id)
    known = node is not None and node.kind is NodeKind.TASK
    if not known and task_id not in proposed_tasks(state):
        return None
    return _thread(state, task_id, role, at)


def glance(state: State, task_id: str, at: str) -> tuple[WorkStanding, Origin]:
    """Return how a thread stands and the latest thing that happened to it, and nothing else of it."""
    briefs = briefs_of(state, task_id)
    trail = trail_of(state, briefs[-1] if briefs else None)
    standing = _standing(state, state.tables.nodes.get(task_id), trail, at)
    return standing, _since(state, task_id, trail, _proposal_of(state, task_id))


def _standing(state: State, node: Node | None, trail: Trail, at: str) -> WorkStanding:
    return _first_standing(node) if trail.brief is None else standing_of(state, trail, at)


def _thread(state: State, task_id: str, role: Role, at: str) -> Thread:
    node = state.tables.nodes.get(task_id)
    briefs = briefs_of(state, task_id)
    trail = trail_of(state, briefs[-1] if briefs else None)
    proposal = _proposal_of(state, task_id)
    standing = _standing(state, node, trail, at)
    holder = _holder(state, at, trail.promotion)
    receipts = tuple(
        item for item in _receipts(state, task_id, trail, proposal) if item.stage < STAGE_OF[standing]
    )
    return Thread(
        task_id=task_id,
        node=node,
        proposal=proposal,
        standing=standing,
        trail=trail,
        receipts=receipts,
        earlier=_earlier(state, task_id, trail, at),
        acts=_lawful(state, node, trail, standing, holder=holder) if role in ACTING else frozenset(),
        reserved_by=holder,
        since=_since(state, task_id, trail, proposal),
    )  # fmt: skip


def _first_standing(node: Node | None) -> WorkStanding:
    if node is None:
        return WorkStanding.CAPTURED
    return WorkStanding.SAID_DONE if node.phase is Phase.COMPLETED else WorkStanding.ADOPTED


def _proposal_of(state: State, task_id: str) -> DeltaRecord | None:
    adoption = adoption_of(state, task_id)
    if adoption is not None:
        return None if adoption.delta_id is None else state.deltas.get(adoption.delta_id)
    return proposed_tasks(state).get(task_id)


def standing_of(state: State, trail: Trail, at: str) -> WorkStanding:
    """Return how a try that has a brief stands."""
    assert trail.brief is not None
    if trail.promotion is not None:
        return WorkStanding.LAPSED if lapsed(trail.promotion, at) else _PROMOTION[trail.promotion.status]
    if trail.reconciliation is not None and trail.reconciliation.disposition is not Disposition.REJECTED:
        return _reconciled(state, trail, trail.reconciliation)
    if trail.asked is not None and trail.asked_in_vain:
        return (
            WorkStanding.VALIDATING
            if trail.asked.status in {"requested", "answered"}
            else WorkStanding.NOT_JUDGED
        )
    if trail.closure is not None and trail.validation is not None:
        if unmet(state, trail.closure, trail.validation.body):
            return WorkStanding.NOT_PROVEN
        return WorkStanding.PROVEN if all_open(gates_of(state, trail)) else WorkStanding.GATE_CLOSED
    if trail.run is not None:
        return _RUN[trail.run.status]
    moved = moved_context(state.tables, trail.brief.body.shared)
    return WorkStanding.BRIEF_STALE if moved else WorkStanding.BRIEFED


def _reconciled(state: State, trail: Trail, record: DeltaRecord) -> WorkStanding:
    if record.disposition in OPEN:
        return WorkStanding.RECONCILED if all_open(gates_of(state, trail)) else WorkStanding.OVERTAKEN
    assert trail.closure is not None
    return (
        WorkStanding.INTEGRATED
        if in_force(state, trail.closure.body.closure_id)
        else WorkStanding.OUT_OF_FORCE
    )


def gates_of(state: State, trail: Trail) -> tuple[Gate, ...]:
    """Return the gates of the try as they stand now; none while there is no validation.

    An open reconciliation is held to the validation it is pinned to, not to a later one.
    """
    pinned = None if trail.reconciliation is None else trail.reconciliation.body.validation_id
    if trail.reconciliation is None or trail.reconciliation.disposition is Disposition.REJECTED:
        pinned = None if trail.validation is None else trail.validation.body.validation_id
    if trail.closure is None or pinned is None:
        return ()
    return gates(state, trail.closure.body.closure_id, pinned)


def all_open(listed: tuple[Gate, ...]) -> bool:
    """Tell whether every gate of the list passed."""
    return all(gate.standing == "passed" for gate in listed)


_HOLDERS: Final = Kept[tuple[PromotionRecord, ...]](8)


def _holder(state: State, at: str, own: PromotionRecord | None) -> PromotionRecord | None:
    """Return the promotion that reserves the head, unless it is the thread's own."""
    for record in _HOLDERS.of((state.promotions,), lambda: _holders(state)):
        if own is not None and record.body.promotion_id == own.body.promotion_id:
            continue
        if record.status is PromotionStatus.REQUESTED or not lapsed(record, at):
            return record
    return None


def _holders(state: State) -> tuple[PromotionRecord, ...]:
    """Return the promotions that may reserve the head, in the order of their ids. O(promotions)."""
    holding = {PromotionStatus.AUTHORIZED, PromotionStatus.REQUESTED}
    return tuple(record for record in state.promotions.rows() if record.status in holding)


def _lawful(
    state: State, node: Node | None, trail: Trail, standing: WorkStanding, *, holder: PromotionRecord | None
) -> frozenset[WorkAct]:
    acts = _ACTS.get(standing, frozenset())
    if node is None or node.retired_in is not None or node.visibility is Visibility.PRIVATE:
        acts -= {WorkAct.COMPILE, WorkAct.AUTHORIZE}
    if trail.brief is not None and moved_context(state.tables, trail.brief.body.shared):
        acts -= {WorkAct.AUTHORIZE}
    if trail.closure is not None and not in_force(state, trail.closure.body.closure_id):
        acts -= {WorkAct.PROPOSE, WorkAct.AUTHORIZE_PROMOTION}
    if holder is not None:
        acts -= {WorkAct.INTEGRATE, WorkAct.AUTHORIZE_PROMOTION}
    return acts


def _receipts(state: State, task_id: str, trail: Trail, proposal: DeltaRecord | None) -> Iterator[Receipt]:
    captured = _captured(state, proposal)
    if captured is not None:
        yield Receipt(1, *captured)
    adoption = adoption_of(state, task_id)
    if adoption is not None:
        yield Receipt(2, adoption.origin, task_id)
    if trail.brief is not None:
        yield Receipt(3, trail.brief.origin, trail.brief.body.brief_id)
    if trail.run is not None:
        yield Receipt(4, trail.run.origin, trail.run.body.run_id)
    if trail.closure is not None:
        yield Receipt(5, trail.closure.origin, trail.closure.body.closure_id)
    if trail.validation is not None:
        yield Receipt(6, trail.validation.origin, trail.validation.body.validation_id)
    if trail.reconciliation is not None and trail.reconciliation.decided is not None:
        yield Receipt(7, trail.reconciliation.decided, trail.reconciliation.body.delta_id)


def _captured(state: State, proposal: DeltaRecord | None) -> tuple[Origin, str] | None:
    """Return the capture a task came from, or its proposal when it came from no words."""
    if proposal is None:
        return None
    for source_id in proposal.body.source_ids:
        source = state.sources.get(source_id)
        if source is not None:
            return source.origin, source_id
    return proposal.origin, proposal.body.delta_id


def _since(state: State, task_id: str, trail: Trail, proposal: DeltaRecord | None) -> Origin:
    run, promotion = trail.run, trail.promotion
    moments = [item.origin for item in _receipts(state, task_id, trail, proposal)]
    if run is not None:
        moments.extend(item for item in (run.claimed, run.ended) if item is not None)
        moments.extend(line.origin for line in run.progress[-1:])
    if trail.asked is not None:
        moments.append(trail.asked.ended or trail.asked.origin)
    if trail.reconciliation is not None:
        moments.append(trail.reconciliation.origin)
    if promotion is not None:
        steps = (promotion.authorized, promotion.requested, promotion.ended)
        moments.extend((promotion.origin, *(item for item in steps if item is not None)))
    return max(moments, key=lambda item: item.seq)


def _earlier(state: State, task_id: str, trail: Trail, at: str) -> tuple[Earlier, ...]:
    found: list[Earlier] = []
    for brief in briefs_of(state, task_id)[:-1]:
        standing = standing_of(state, trail_of(state, brief), at)
        found.append(Earlier("brief", brief.body.brief_id, brief.origin, standing))
    if trail.brief is not None:
        found.extend(_earlier_run(run) for run in runs_of(state, trail.brief.body.brief_id)[:-1])
    if trail.closure is not None:
        found.extend(_earlier_results(state, trail, at))
    return tuple(sorted(found, key=lambda item: -item.origin.seq))


def _earlier_run(run: RunRecord) -> Earlier:
    return Earlier("run", run.body.run_id, run.origin, _RUN[run.status])


def _earlier_results(state: State, trail: Trail, at: str) -> Iterator[Earlier]:
    assert trail.closure is not None
    closure_id = trail.closure.body.closure_id
    for validation in validations_of(state, closure_id)[:-1]:
        missing = unmet(state, trail.closure, validation.body)
        standing = WorkStanding.NOT_PROVEN if missing else WorkStanding.PROVEN
        yield Earlier("validation", validation.body.validation_id, validation.origin, standing)
    for record in reconciliations_of(state, closure_id):
        if record.disposition is Disposition.REJECTED:
            yield Earlier("reconciliation", record.body.delta_id, record.origin, WorkStanding.REJECTED)
    for promotion in promotions_of(state, closure_id)[:-1]:
        standing = WorkStanding.LAPSED if lapsed(promotion, at) else _PROMOTION[promotion.status]
        yield Earlier("promotion", promotion.body.promotion_id, promotion.origin, standing)


def require_act(thread: Thread, act: WorkAct) -> None:
    """Refuse an act that the thread does not offer now.

    Raises: LifecycleError.
    """
    if act not in thread.acts:
        word = act.value.replace("_", " ")
        message = (
            f"the work has moved on or waits for something else, so `{word}` is not possible now; look again"
        )
        raise LifecycleError(message, code="act_not_offered")
