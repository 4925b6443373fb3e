"""A thread says truthfully where its work stands, who it waits for and what is lawful, in every state."""

import pytest

from kernel.commands import ProposePromotion, RejectDelta
from kernel.errors import LifecycleError
from kernel.projections.threads import (
    STAGE_OF,
    WorkAct,
    WorkStanding,
    require_act,
    thread_of,
    threads,
)
from kernel.vocabulary import PromotionOutcome, Role
from tests.support.story import Story, delta_with_profile
from tests.support.works import TELLERS, Work, brief_id, cancelled, ended, not_proven, run_id, running

C, A, V = WorkAct.COMPILE, WorkAct.AUTHORIZE, WorkAct.VALIDATE
CASES: dict[WorkStanding, tuple[str, set[WorkAct], list[int]]] = {
    WorkStanding.CAPTURED: ("person", set(), []),
    WorkStanding.ADOPTED: ("person", {C}, [1]),
    WorkStanding.SAID_DONE: ("nobody", {C}, [1]),
    WorkStanding.BRIEFED: ("person", {A, C}, [1, 2]),
    WorkStanding.BRIEF_STALE: ("person", {C}, [1, 2]),
    WorkStanding.QUEUED: ("host", {WorkAct.CANCEL}, [1, 2, 3]),
    WorkStanding.RUNNING: ("host", set(), [1, 2, 3]),
    WorkStanding.BLOCKED: ("person", {A, C}, [1, 2, 3]),
    WorkStanding.FAILED: ("person", {A, C}, [1, 2, 3]),
    WorkStanding.LOST: ("person", {A, C}, [1, 2, 3]),
    WorkStanding.CANCELLED: ("person", {A, C}, [1, 2, 3]),
    WorkStanding.RETURNED: ("person", {V}, [1, 2, 3, 4]),
    WorkStanding.VALIDATING: ("host", set(), [1, 2, 3, 4]),
    WorkStanding.NOT_JUDGED: ("person", {V, C}, [1, 2, 3, 4]),
    WorkStanding.NOT_PROVEN: ("person", {V, C}, [1, 2, 3, 4, 5]),
    WorkStanding.PROVEN: ("person", {V, WorkAct.RECONCILE}, [1, 2, 3, 4, 5]),
    WorkStanding.GATE_CLOSED: ("person", {V, C}, [1, 2, 3, 4, 5]),
    WorkStanding.RECONCILED: ("person", {WorkAct.INTEGRATE, WorkAct.REJECT}, [1, 2, 3, 4, 5, 6]),
    WorkStanding.OVERTAKEN: ("person", {WorkAct.REJECT, C}, [1, 2, 3, 4, 5, 6]),
    WorkStanding.INTEGRATED: ("person", {WorkAct.PROPOSE, C}, [1, 2, 3, 4, 5, 6]),
    WorkStanding.OUT_OF_FORCE: ("person", {C}, [1, 2, 3, 4, 5, 6]),
    WorkStanding.PROPOSED: ("person", {WorkAct.AUTHORIZE_PROMOTION}, [1, 2, 3, 4, 5, 6, 7]),
    WorkStanding.AUTHORIZED: ("operator", set(), [1, 2, 3, 4, 5, 6, 7]),
    WorkStanding.LAPSED: ("person", {WorkAct.AUTHORIZE_PROMOTION}, [1, 2, 3, 4, 5, 6, 7]),
    WorkStanding.MOVING: ("operator", set(), [1, 2, 3, 4, 5, 6, 7]),
    WorkStanding.PROMOTED: ("nobody", {C}, [1, 2, 3, 4, 5, 6, 7]),
    WorkStanding.STALE: (
        "person",
        {WorkAct.PROPOSE, C},
        [1, 2, 3, 4, 5, 6, 7],
    ),
    WorkStanding.NOT_PROMOTED: (
        "person",
        {WorkAct.PROPOSE, C},
        [1, 2, 3, 4, 5, 6, 7],
    ),
    WorkStanding.UNKNOWN: (
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
    waits, acts, passed = CASES[standing]
    thread = TELLERS[standing]().thread()
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
    thread = TELLERS[standing]().thread(Role.VIEWER)
    assert (thread.standing, thread.acts) == (standing, frozenset())


def test_the_latest_brief_counts_and_the_earlier_try_is_listed() -> None:
    """A failed try stays in sight when the task is briefed again."""
    work = not_proven()
    first = brief_id(work)
    work.story.briefed(work.task_id)
    thread = work.thread()
    assert (thread.standing, [(item.record_id, item.standing) for item in thread.earlier]) == (
        WorkStanding.BRIEFED,
        [(first, WorkStanding.NOT_PROVEN)],
    )


def test_earlier_runs_validations_and_promotions_are_listed_newest_first() -> None:
    """Everything the current records replaced is there, with how far it came."""
    work = cancelled()
    withdrawn = run_id(work)
    work.closure_id = work.story.returned(work.story.authorized(brief_id(work)))
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
            ("run", withdrawn, WorkStanding.CANCELLED),
        ],
    )


def test_a_second_attempt_to_promote_keeps_the_first_in_sight() -> None:
    """A stale promotion is listed once another one is proposed."""
    work = ended(PromotionOutcome.STALE)
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
        require_act(running().thread(), WorkAct.CANCEL)
    assert refused.value.reason_code == "act_not_offered"
