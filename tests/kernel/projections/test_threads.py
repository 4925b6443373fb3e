"""A thread says truthfully where its work stands, who it waits for and what is lawful, in every state."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from kernel.commands import (
    AcceptDelta,
    BlockRun,
    CancelRun,
    FailExchange,
    FailRun,
    LoseRun,
    ProposeCorrection,
    ProposePromotion,
    RejectDelta,
    RequestExchange,
)
from kernel.errors import LifecycleError
from kernel.projections.threads import (
    STAGE_OF,
    WorkStanding,
    Thread,
    WorkAct,
    require_act,
    thread_of,
    threads,
)
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


def _accept(story: Story, delta_id: str) -> None:
    story.after(AcceptDelta(delta_id, 0, story.state.revision, story.seen(delta_id)))


def _captured() -> Work:
    story = Story().opened()
    delta_id = delta_with_profile(story, story.captured("Work out the cost of three vans"))
    added = story.state.deltas[delta_id].body.operations[0]
    return Work(story, added.node_id)  # type: ignore[union-attr]


def _adopted() -> Work:
    work = _captured()
    (delta_id,) = work.story.state.open_deltas.keys()
    work.story.accepted(delta_id)
    return work


def _said_done() -> Work:
    work = _adopted()
    (event,) = work.story.after(ProposeCorrection(work.task_id, "It is done", phase=Phase.COMPLETED))
    delta_id = event.body.delta_id  # type: ignore[attr-defined]
    story = work.story
    _accept(story, delta_id)
    return work


def _briefed() -> Work:
    work = _adopted()
    work.story.briefed(work.task_id)
    return work


def _brief_stale() -> Work:
    work = _briefed()
    _retitle(work)
    return work


def _retitle(work: Work) -> None:
    story = work.story
    (event,) = story.after(ProposeCorrection(work.task_id, "Better words", title="Cost of four vans"))
    delta_id = event.body.delta_id  # type: ignore[attr-defined]
    _accept(story, delta_id)


def _brief_id(work: Work) -> str:
    return str(work.story.state.briefs.keys()[-1])


def _queued() -> Work:
    work = _briefed()
    work.story.authorized(_brief_id(work))
    return work


def _run_id(work: Work) -> str:
    return str(work.story.state.runs.keys()[-1])


def _running() -> Work:
    work = _queued()
    work.story.claimed(_run_id(work))
    return work


def _fence(work: Work) -> int:
    fence = work.story.state.runs[_run_id(work)].fence
    assert fence is not None
    return fence


def _blocked() -> Work:
    work = _running()
    work.story.after(BlockRun(_run_id(work), _fence(work), "Which currency?"), HOST)
    return work


def _failed() -> Work:
    work = _queued()
    work.story.after(FailRun(_run_id(work), None, "stale", "The branch moved"), HOST)
    return work


def _lost() -> Work:
    work = _running()
    work.story.after(LoseRun(_run_id(work), _fence(work), "The worker is gone"), HOST)
    return work


def _cancelled() -> Work:
    work = _queued()
    work.story.after(CancelRun(_run_id(work), "Not today"))
    return work


def _returned() -> Work:
    work = _queued()
    work.closure_id = work.story.returned(_run_id(work))
    return work


def _asked() -> Work:
    work = _returned()
    work.story.after(RequestExchange("validation", work.closure_id, "{}"), HOST)
    return work


def _not_judged() -> Work:
    work = _asked()
    exchange_id = next(
        record.body.exchange_id
        for record in work.story.state.exchanges.rows()
        if record.status == "requested"
    )
    work.story.after(FailExchange(exchange_id, "sandbox_unavailable", "No sandbox here"), HOST)
    return work


def _not_proven() -> Work:
    work = _returned()
    work.story.validated(work.closure_id, passed=1)
    return work


def _proven() -> Work:
    work = _returned()
    work.story.validated(work.closure_id)
    return work


def _gate_closed() -> Work:
    work = _proven()
    _retitle(work)
    return work


def _reconciled() -> Work:
    work = _proven()
    (validation_id,) = work.story.state.validations.keys()
    work.reconciliation = work.story.reconciled(work.closure_id, validation_id)
    return work


def _overtaken() -> Work:
    work = _reconciled()
    _retitle(work)
    return work


def _integrated() -> Work:
    work = _reconciled()
    story = work.story
    _accept(story, work.reconciliation)
    return work


def _out_of_force() -> Work:
    work = _integrated()
    story = work.story
    (event,) = story.after(ProposeCorrection(work.task_id, "Not done after all", phase=Phase.PLANNED))
    delta_id = event.body.delta_id  # type: ignore[attr-defined]
    _accept(story, delta_id)
    return work


def _proposed() -> Work:
    work = _integrated()
    work.story.after(ProposePromotion(work.reconciliation))
    return work


def _authorized() -> Work:
    work = _integrated()
    work.story.promotable(work.reconciliation)
    return work


def _lapsed() -> Work:
    work = _authorized()
    work.story.step += 3600
    return work


def _moving() -> Work:
    work = _authorized()
    (promotion_id,) = work.story.state.promotions.keys()
    work.story.after(RequestExchange("promotion", promotion_id, "{}"), OPERATOR)
    return work


def _ended(outcome: PromotionOutcome) -> Work:
    work = _authorized()
    (promotion_id,) = work.story.state.promotions.keys()
    work.story.promoted(promotion_id, outcome)
    return work


C, A, V = WorkAct.COMPILE, WorkAct.AUTHORIZE, WorkAct.VALIDATE
CASES: dict[WorkStanding, tuple[Callable[[], Work], str, set[WorkAct], list[int]]] = {
    WorkStanding.CAPTURED: (_captured, "person", set(), []),
    WorkStanding.ADOPTED: (_adopted, "person", {C}, [1]),
    WorkStanding.SAID_DONE: (_said_done, "nobody", {C}, [1]),
    WorkStanding.BRIEFED: (_briefed, "person", {A, C}, [1, 2]),
    WorkStanding.BRIEF_STALE: (_brief_stale, "person", {C}, [1, 2]),
    WorkStanding.QUEUED: (_queued, "host", {WorkAct.CANCEL}, [1, 2, 3]),
    WorkStanding.RUNNING: (_running, "host", set(), [1, 2, 3]),
    WorkStanding.BLOCKED: (_blocked, "person", {A, C}, [1, 2, 3]),
    WorkStanding.FAILED: (_failed, "person", {A, C}, [1, 2, 3]),
    WorkStanding.LOST: (_lost, "person", {A, C}, [1, 2, 3]),
    WorkStanding.CANCELLED: (_cancelled, "person", {A, C}, [1, 2, 3]),
    WorkStanding.RETURNED: (_returned, "person", {V}, [1, 2, 3, 4]),
    WorkStanding.VALIDATING: (_asked, "host", set(), [1, 2, 3, 4]),
    WorkStanding.NOT_JUDGED: (_not_judged, "person", {V, C}, [1, 2, 3, 4]),
    WorkStanding.NOT_PROVEN: (_not_proven, "person", {V, C}, [1, 2, 3, 4, 5]),
    WorkStanding.PROVEN: (_proven, "person", {V, WorkAct.RECONCILE}, [1, 2, 3, 4, 5]),
    WorkStanding.GATE_CLOSED: (_gate_closed, "person", {V, C}, [1, 2, 3, 4, 5]),
    WorkStanding.RECONCILED: (_reconciled, "person", {WorkAct.INTEGRATE, WorkAct.REJECT}, [1, 2, 3, 4, 5, 6]),
    WorkStanding.OVERTAKEN: (_overtaken, "person", {WorkAct.REJECT, C}, [1, 2, 3, 4, 5, 6]),
    WorkStanding.INTEGRATED: (_integrated, "person", {WorkAct.PROPOSE, C}, [1, 2, 3, 4, 5, 6]),
    WorkStanding.OUT_OF_FORCE: (_out_of_force, "person", {C}, [1, 2, 3, 4, 5, 6]),
    WorkStanding.PROPOSED: (_proposed, "person", {WorkAct.AUTHORIZE_PROMOTION}, [1, 2, 3, 4, 5, 6, 7]),
    WorkStanding.AUTHORIZED: (_authorized, "operator", set(), [1, 2, 3, 4, 5, 6, 7]),
    WorkStanding.LAPSED: (_lapsed, "person", {WorkAct.AUTHORIZE_PROMOTION}, [1, 2, 3, 4, 5, 6, 7]),
    WorkStanding.MOVING: (_moving, "operator", set(), [1, 2, 3, 4, 5, 6, 7]),
    WorkStanding.PROMOTED: (lambda: _ended(PromotionOutcome.PROMOTED), "nobody", {C}, [1, 2, 3, 4, 5, 6, 7]),
    WorkStanding.STALE: (
        lambda: _ended(PromotionOutcome.STALE),
        "person",
        {WorkAct.PROPOSE, C},
        [1, 2, 3, 4, 5, 6, 7],
    ),
    WorkStanding.NOT_PROMOTED: (
        lambda: _ended(PromotionOutcome.FAILED),
        "person",
        {WorkAct.PROPOSE, C},
        [1, 2, 3, 4, 5, 6, 7],
    ),
    WorkStanding.UNKNOWN: (
        lambda: _ended(PromotionOutcome.OUTCOME_UNKNOWN),
        "operator",
        set(),
        [1, 2, 3, 4, 5, 6, 7],
    ),
}


def test_every_standing_has_a_stage_and_a_story() -> None:
    """No way of standing is without its stage, and each but an earlier rejection is told below."""
    assert (set(STAGE_OF), set(CASES)) == (set(WorkStanding), set(WorkStanding) - {WorkStanding.REJECTED})


@pytest.mark.parametrize("standing", CASES, ids=lambda item: item.value)
def test_a_thread_says_where_it_stands(standing: WorkStanding) -> None:
    """WorkStanding, who is waited for, the lawful acts and the receipts of passed stages follow from the ledger."""
    tell, waits, acts, passed = CASES[standing]
    thread = tell().thread()
    assert (
        thread.standing,
        thread.waits_for,
        set(thread.acts),
        [item.stage for item in thread.receipts],
    ) == (
        standing,
        waits,
        acts,
        passed,
    )


@pytest.mark.parametrize("standing", CASES, ids=lambda item: item.value)
def test_a_viewer_is_offered_no_act(standing: WorkStanding) -> None:
    """Whoever may only look sees the same standing and nothing to press."""
    thread = CASES[standing][0]().thread(Role.VIEWER)
    assert (thread.standing, thread.acts) == (standing, frozenset())


def test_the_latest_brief_counts_and_the_earlier_try_is_listed() -> None:
    """A failed try stays in sight when the task is briefed again."""
    work = _not_proven()
    first = _brief_id(work)
    work.story.briefed(work.task_id)
    thread = work.thread()
    assert (thread.standing, [(item.record_id, item.standing) for item in thread.earlier]) == (
        WorkStanding.BRIEFED,
        [(first, WorkStanding.NOT_PROVEN)],
    )


def test_earlier_runs_validations_and_promotions_are_listed_newest_first() -> None:
    """Everything the current records replaced is there, with how far it came."""
    work = _cancelled()
    cancelled = _run_id(work)
    work.closure_id = work.story.returned(work.story.authorized(_brief_id(work)))
    first = work.story.validated(work.closure_id, passed=2)
    second = work.story.validated(work.closure_id)
    rejected = work.story.reconciled(work.closure_id, second)
    work.story.after(RejectDelta(rejected, "Not yet", work.story.seen(rejected)))
    listed = [(item.kind, item.record_id, item.standing) for item in work.thread().earlier]
    assert (work.thread().standing, listed) == (
        WorkStanding.PROVEN,
        [
            ("reconciliation", rejected, WorkStanding.REJECTED),
            ("validation", first, WorkStanding.NOT_PROVEN),
            ("run", cancelled, WorkStanding.CANCELLED),
        ],
    )


def test_a_second_attempt_to_promote_keeps_the_first_in_sight() -> None:
    """A stale promotion is listed once another one is proposed."""
    work = _ended(PromotionOutcome.STALE)
    (first,) = work.story.state.promotions.keys()
    work.story.after(ProposePromotion(work.reconciliation))
    listed = [(item.kind, item.record_id, item.standing) for item in work.thread().earlier]
    assert (work.thread().standing, listed) == (
        WorkStanding.PROPOSED,
        [("promotion", first, WorkStanding.STALE)],
    )


def test_a_private_task_is_shown_and_cannot_be_briefed() -> None:
    """Private work stays on this machine, so no brief of it is offered."""
    story = Story().opened()
    task_id = story.accepted(story.captured("Talk to the bank", private=True))
    thread = Work(story, task_id).thread()
    assert (thread.standing, thread.is_private, thread.acts) == (WorkStanding.ADOPTED, True, frozenset())


def test_another_promotion_that_holds_the_head_keeps_a_result_from_being_integrated() -> None:
    """While one move is authorised no other result can be accepted, and the thread names the holder."""
    story = Story().opened()
    first_task, first = story.integrated()
    second_task = story.accepted(delta_with_profile(story, story.captured("Work out the cost of boats")))
    closure_id = story.returned(story.authorized(story.briefed(second_task)))
    story.reconciled(closure_id, story.validated(closure_id))
    promotion_id = story.promotable(first)
    waiting, holding = Work(story, second_task).thread(), Work(story, first_task).thread()
    assert waiting.reserved_by is not None
    assert (waiting.acts, waiting.reserved_by.body.promotion_id, holding.reserved_by) == (
        frozenset({WorkAct.REJECT}),
        promotion_id,
        None,
    )


def test_threads_that_wait_for_a_person_come_first() -> None:
    """The list is in the order of who has to act, then of the latest event."""
    story = Story().opened()
    first = story.accepted(delta_with_profile(story, story.captured("Work out the cost of three vans")))
    second = story.accepted(story.captured("Buy boxes"))
    story.authorized(story.briefed(first))
    listed = threads(story.state, Role.OWNER, story.later(1))
    assert [(item.task_id, item.title, item.waits_for) for item in listed] == [
        (second, "Buy boxes", "person"),
        (first, "Work out the cost of three vans", "host"),
    ]


def test_no_thread_of_what_is_no_task() -> None:
    """A goal has no thread, and neither has an id nobody knows."""
    story = Story().opened()
    at = story.later(1)
    found = (
        thread_of(story.state, story.state.root_id, Role.OWNER, at),
        thread_of(story.state, "node_x", Role.OWNER, at),
    )
    assert found == (None, None)


def test_an_act_that_is_not_offered_is_refused_by_name() -> None:
    """A handler that asks again refuses what a stale page still offered."""
    with pytest.raises(LifecycleError) as refused:
        require_act(_running().thread(), WorkAct.CANCEL)
    assert refused.value.reason_code == "act_not_offered"
