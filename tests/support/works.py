"""A piece of work told up to every way it can stand, over `Story`: for the projection and for the pages."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from kernel.commands import (
    AcceptDelta,
    BlockRun,
    CancelRun,
    FailExchange,
    FailRun,
    LoseRun,
    ProposeCorrection,
    ProposePromotion,
    RequestExchange,
)
from kernel.projections.threads import Thread, WorkStanding, thread_of
from kernel.vocabulary import Phase, PromotionOutcome, Role
from tests.support.story import HOST, OPERATOR, Story, delta_with_profile


@dataclass
class Work:
    """A story about one task, told up to some point."""

    story: Story
    task_id: str
    closure_id: str = ""
    reconciliation: str = ""

    def thread(self, role: Role = Role.OWNER) -> Thread:
        """Return the thread of the task as it stands."""
        found = thread_of(self.story.state, self.task_id, role, self.story.later(1))
        assert found is not None
        return found


def accept(story: Story, delta_id: str) -> None:
    """Accept a proposal as it is shown now."""
    story.after(AcceptDelta(delta_id, 0, story.state.revision, story.seen(delta_id)))


def captured() -> Work:
    """Tell of a task that is only proposed."""
    story = Story().opened()
    delta_id = delta_with_profile(story, story.captured("Work out the cost of three vans"))
    added = story.state.deltas[delta_id].body.operations[0]
    return Work(story, added.node_id)  # type: ignore[union-attr]


def adopted() -> Work:
    """Tell of an accepted task."""
    work = captured()
    (delta_id,) = work.story.state.open_deltas.keys()
    work.story.accepted(delta_id)
    return work


def said_done() -> Work:
    """Tell of a task completed by a person's word."""
    work = adopted()
    (event,) = work.story.after(ProposeCorrection(work.task_id, "It is done", phase=Phase.COMPLETED))
    delta_id = event.body.delta_id  # type: ignore[attr-defined]
    story = work.story
    accept(story, delta_id)
    return work


def briefed() -> Work:
    """Tell of a compiled brief."""
    work = adopted()
    work.story.briefed(work.task_id)
    return work


def brief_stale() -> Work:
    """Tell of a brief that was overtaken."""
    work = briefed()
    retitle(work)
    return work


def retitle(work: Work) -> None:
    """Change the words of the task, which overtakes whatever rests on them."""
    story = work.story
    (event,) = story.after(ProposeCorrection(work.task_id, "Better words", title="Cost of four vans"))
    delta_id = event.body.delta_id  # type: ignore[attr-defined]
    accept(story, delta_id)


def brief_id(work: Work) -> str:
    """Return the latest brief."""
    return str(work.story.state.briefs.keys()[-1])


def queued() -> Work:
    """Tell of an authorised run."""
    work = briefed()
    work.story.authorized(brief_id(work))
    return work


def run_id(work: Work) -> str:
    """Return the latest run."""
    return str(work.story.state.runs.keys()[-1])


def running() -> Work:
    """Tell of a claimed run."""
    work = queued()
    work.story.claimed(run_id(work))
    return work


def fence(work: Work) -> int:
    """Return the fence of the latest run."""
    fence = work.story.state.runs[run_id(work)].fence
    assert fence is not None
    return fence


def blocked() -> Work:
    """Tell of a run that asks."""
    work = running()
    work.story.after(BlockRun(run_id(work), fence(work), "Which currency?"), HOST)
    return work


def failed() -> Work:
    """Tell of a run that failed before it began."""
    work = queued()
    work.story.after(FailRun(run_id(work), None, "stale", "The branch moved"), HOST)
    return work


def lost() -> Work:
    """Tell of a run whose worker is gone."""
    work = running()
    work.story.after(LoseRun(run_id(work), fence(work), "The worker is gone"), HOST)
    return work


def cancelled() -> Work:
    """Tell of a run that a person withdrew."""
    work = queued()
    work.story.after(CancelRun(run_id(work), "Not today"))
    return work


def returned() -> Work:
    """Tell of a sealed candidate."""
    work = queued()
    work.closure_id = work.story.returned(run_id(work))
    return work


def asked() -> Work:
    """Tell of a validation that was asked for."""
    work = returned()
    work.story.after(RequestExchange("validation", work.closure_id, "{}"), HOST)
    return work


def not_judged() -> Work:
    """Tell of a validation that ended without a result."""
    work = asked()
    exchange_id = next(
        record.body.exchange_id
        for record in work.story.state.exchanges.rows()
        if record.status == "requested"
    )
    work.story.after(FailExchange(exchange_id, "sandbox_unavailable", "No sandbox here"), HOST)
    return work


def not_proven() -> Work:
    """Tell of a validation that failed."""
    work = returned()
    work.story.validated(work.closure_id, passed=1)
    return work


def proven() -> Work:
    """Tell of a validation that passed."""
    work = returned()
    work.story.validated(work.closure_id)
    return work


def gate_closed() -> Work:
    """Tell of a proven result whose task changed before it was reconciled."""
    work = proven()
    retitle(work)
    return work


def reconciled() -> Work:
    """Tell of a reconciliation that waits."""
    work = proven()
    (validation_id,) = work.story.state.validations.keys()
    work.reconciliation = work.story.reconciled(work.closure_id, validation_id)
    return work


def overtaken() -> Work:
    """Tell of a reconciliation whose task changed."""
    work = reconciled()
    retitle(work)
    return work


def integrated() -> Work:
    """Tell of an integrated result."""
    work = reconciled()
    story = work.story
    accept(story, work.reconciliation)
    return work


def out_of_force() -> Work:
    """Tell of an integrated result whose task changed since."""
    work = integrated()
    story = work.story
    (event,) = story.after(ProposeCorrection(work.task_id, "Not done after all", phase=Phase.PLANNED))
    delta_id = event.body.delta_id  # type: ignore[attr-defined]
    accept(story, delta_id)
    return work


def proposed() -> Work:
    """Tell of a proposed promotion."""
    work = integrated()
    work.story.after(ProposePromotion(work.reconciliation))
    return work


def authorized() -> Work:
    """Tell of an authorised promotion."""
    work = integrated()
    work.story.promotable(work.reconciliation)
    return work


def lapsed() -> Work:
    """Tell of an authorisation that no operator used in time."""
    work = authorized()
    work.story.step += 3600
    return work


def moving() -> Work:
    """Tell of a promotion an operator asked for."""
    work = authorized()
    (promotion_id,) = work.story.state.promotions.keys()
    work.story.after(RequestExchange("promotion", promotion_id, "{}"), OPERATOR)
    return work


def ended(outcome: PromotionOutcome) -> Work:
    """Tell of a promotion with this outcome."""
    work = authorized()
    (promotion_id,) = work.story.state.promotions.keys()
    work.story.promoted(promotion_id, outcome)
    return work


TELLERS: Final[dict[WorkStanding, Callable[[], Work]]] = {
    WorkStanding.CAPTURED: captured,
    WorkStanding.ADOPTED: adopted,
    WorkStanding.SAID_DONE: said_done,
    WorkStanding.BRIEFED: briefed,
    WorkStanding.BRIEF_STALE: brief_stale,
    WorkStanding.QUEUED: queued,
    WorkStanding.RUNNING: running,
    WorkStanding.BLOCKED: blocked,
    WorkStanding.FAILED: failed,
    WorkStanding.LOST: lost,
    WorkStanding.CANCELLED: cancelled,
    WorkStanding.RETURNED: returned,
    WorkStanding.VALIDATING: asked,
    WorkStanding.NOT_JUDGED: not_judged,
    WorkStanding.NOT_PROVEN: not_proven,
    WorkStanding.PROVEN: proven,
    WorkStanding.GATE_CLOSED: gate_closed,
    WorkStanding.RECONCILED: reconciled,
    WorkStanding.OVERTAKEN: overtaken,
    WorkStanding.INTEGRATED: integrated,
    WorkStanding.OUT_OF_FORCE: out_of_force,
    WorkStanding.PROPOSED: proposed,
    WorkStanding.AUTHORIZED: authorized,
    WorkStanding.LAPSED: lapsed,
    WorkStanding.MOVING: moving,
    WorkStanding.PROMOTED: lambda: ended(PromotionOutcome.PROMOTED),
    WorkStanding.STALE: lambda: ended(PromotionOutcome.STALE),
    WorkStanding.NOT_PROMOTED: lambda: ended(PromotionOutcome.FAILED),
    WorkStanding.UNKNOWN: lambda: ended(PromotionOutcome.OUTCOME_UNKNOWN),
}
"""How a story is told up to every standing."""
