"""Processes that die, race or wake late: the branch moves at most once, and the journal tells the truth."""

import os
from pathlib import Path

import pytest

from adapters.promotion import ATTEMPT_REFS, PROMOTED_REFS
from tests.promotion.processes import killed_at, start, stopped_at, woken
from tests.promotion.scene import PROMOTION, TARGET, Scene

BEFORE_CLAIM = ["before_intent", "after_intent", "after_token"]
BEFORE_SWAP = ["after_attempt", "before_swap"]


@pytest.fixture
def watched(scene: Scene) -> Scene:
    """Return the scene with a log of every move of the branch."""
    scene.git("config", "core.logAllRefUpdates", "always")
    return scene


def moves(scene: Scene) -> int:
    """Return how often the branch was moved since the log began."""
    log = Path(scene.git_dir, "logs", TARGET)
    return len(log.read_text(encoding="utf-8").splitlines()) if log.exists() else 0


@pytest.mark.parametrize(
    ("point", "state"),
    [
        ("before_intent", "absent"),
        ("after_intent", "intent_only"),
        ("after_token", "intent_only"),
        ("after_attempt", "attempt_only"),
        ("before_swap", "attempt_only"),
        ("after_swap", "attempt_only"),
        ("after_status", "completed"),
    ],
)
def test_the_journal_tells_how_far_a_killed_process_came(watched: Scene, point: str, state: str) -> None:
    """Whatever was written before the kill verifies, and nothing more is claimed."""
    killed_at(watched, point)
    found = watched.promoter().status(PROMOTION)
    assert (found.state, found.problems) == (state, ())
    assert (found.receipt is not None) == (state == "completed")


@pytest.mark.parametrize("point", BEFORE_CLAIM)
def test_a_command_killed_before_its_claim_can_be_repeated(watched: Scene, point: str) -> None:
    """While only the intent exists nobody can have swapped, so the next process does, once."""
    killed_at(watched, point)
    assert watched.promote().code == "cas_updated"
    assert moves(watched) == 1
    assert watched.refs() == {
        TARGET: watched.candidate.commit,
        PROMOTED_REFS + PROMOTION: watched.candidate.commit,
    }


@pytest.mark.parametrize("point", BEFORE_SWAP)
def test_a_claim_whose_process_was_killed_is_never_taken_over(watched: Scene, point: str) -> None:
    """The next process observes only, and reconciling then proves that the branch was not moved."""
    killed_at(watched, point)
    assert (watched.promote().code, moves(watched)) == ("status_recovery_conflict", 0)
    closed = watched.reconcile()
    assert (closed.outcome.value, closed.code, moves(watched)) == ("failed", "update_ref_rejected", 0)
    assert watched.files() == ["attempt", "intent", "status-01", "status-02"]
    assert watched.promote() == watched.reconcile() == closed


def test_a_swap_whose_process_was_killed_is_observed_and_not_repeated(watched: Scene) -> None:
    """The branch and the mark are the evidence; the status is written by whoever looks next."""
    killed_at(watched, "after_swap")
    receipt = watched.promote()
    assert (receipt.outcome.value, receipt.code, moves(watched)) == ("promoted", "already_promoted", 1)
    assert watched.reconcile() == receipt


def test_a_status_written_before_the_kill_is_the_answer(watched: Scene) -> None:
    """The process died after its last write: the receipt stands."""
    killed_at(watched, "after_status")
    assert (watched.promote().code, moves(watched)) == ("cas_updated", 1)


@pytest.mark.parametrize("point", [*BEFORE_CLAIM, *BEFORE_SWAP])
def test_reconciling_closes_whatever_was_not_swapped(watched: Scene, point: str) -> None:
    """After a reconcile no later command moves the branch, also when nothing had been claimed."""
    killed_at(watched, point)
    closed = watched.reconcile()
    assert (closed.outcome.value, closed.code) == ("failed", "update_ref_rejected")
    assert watched.promote() == closed
    assert (moves(watched), watched.refs()) == (0, {TARGET: watched.candidate.base_commit})


def test_reconciling_a_made_swap_says_promoted(watched: Scene) -> None:
    """The observation is dated by the moment it was made, long after the attempt."""
    killed_at(watched, "after_swap")
    receipt = watched.reconcile()
    assert (receipt.code, receipt.attempted_at, receipt.observed_at) == (
        "already_promoted",
        "2026-01-02T04:00:02.000000Z",
        "2026-01-02T04:30:01.000000Z",
    )


def test_reconciling_an_unclaimed_promotion_of_a_bad_candidate_says_failed(watched: Scene) -> None:
    """Nobody can have swapped, so a lost candidate makes nothing unknown."""
    killed_at(watched, "after_intent")
    watched.git("update-ref", "-d", watched.candidate.ref)
    closed = watched.reconcile()
    assert (closed.outcome.value, closed.code) == ("failed", "candidate_verification_failed")


@pytest.mark.parametrize("point", ["after_intent", "after_token", *BEFORE_SWAP])
def test_a_creator_that_wakes_after_a_reconcile_cannot_move_the_branch(watched: Scene, point: str) -> None:
    """It was stopped holding the lock; reconciling goes on without it and takes its token away."""
    pid = stopped_at(watched, point)
    try:
        closed = watched.reconcile()
    finally:
        code = woken(pid)
    assert (closed.code, code) == ("update_ref_rejected", 0)
    assert moves(watched) == 0
    assert watched.refs() == {TARGET: watched.candidate.base_commit}
    assert watched.promoter().status(PROMOTION).receipt == closed


def test_a_creator_stopped_after_its_swap_is_observed_as_promoted(watched: Scene) -> None:
    """The reconciler writes the status; the creator finds it and adds nothing."""
    pid = stopped_at(watched, "after_swap")
    try:
        closed = watched.reconcile()
    finally:
        code = woken(pid)
    assert (closed.code, code, moves(watched)) == ("already_promoted", 0, 1)
    assert watched.files() == ["attempt", "intent", "status-01"]


def test_two_processes_race_and_one_swaps(watched: Scene) -> None:
    """Both end well, the branch moved once, and one chain of records is left."""
    pids = [start(watched.promote) for _ in range(2)]
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
    assert (codes, moves(watched)) == ([0, 0], 1)
    state = watched.promoter().status(PROMOTION)
    assert state.receipt is not None
    assert (state.receipt.code, state.problems) == ("cas_updated", ())
    assert watched.files() == ["attempt", "intent", "status-01"]


def test_promoting_and_reconciling_race_to_one_truth(watched: Scene) -> None:
    """Whichever comes first, the status agrees with the branch and no token is left."""
    pids = [start(watched.promote), start(watched.reconcile)]
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
    receipt = watched.promoter().status(PROMOTION).receipt
    assert codes == [0, 0]
    assert receipt is not None
    assert (receipt.outcome.value == "promoted") == (watched.target() == watched.candidate.commit)
    assert ATTEMPT_REFS + PROMOTION not in watched.refs()
