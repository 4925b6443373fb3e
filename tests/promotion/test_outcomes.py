"""The table of outcomes: what each situation of an attempt is recorded as, and that only a creator swaps."""

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.promotion import PROMOTED_REFS
from kernel.errors import ConfigurationError, JournalError
from kernel.receipts import statement_of, status_of
from kernel.values.execution import PromotionReceipt
from kernel.vocabulary import PromotionOutcome
from tests.promotion.scene import PROMOTION, TARGET, Scene, TickingClock, with_candidate

PROMOTED = PromotionOutcome.PROMOTED
STALE = PromotionOutcome.STALE
FAILED = PromotionOutcome.FAILED
UNKNOWN = PromotionOutcome.OUTCOME_UNKNOWN


class DiedError(Exception):
    """Stands for the end of a process inside a test's own process."""


def dies_at(point: str) -> Callable[[str], None]:
    """Return a step that ends the promotion at one point."""

    def step(name: str) -> None:
        if name == point:
            raise DiedError(name)

    return step


def does_at(point: str, act: Callable[[], object]) -> Callable[[str], None]:
    """Return a step that does something at one point, as another process would."""

    def step(name: str) -> None:
        if name == point:
            act()

    return step


def begin(scene: Scene) -> None:
    """Leave an attempt whose creator died right before the swap."""
    with pytest.raises(DiedError):
        scene.promote(dies_at("before_swap"))


def said(receipt: PromotionReceipt) -> tuple[PromotionOutcome, str, str | None, str | None]:
    """Return what a receipt states about the branch."""
    return receipt.outcome, receipt.code, receipt.observed_before, receipt.observed_after


def test_a_promotion_moves_the_branch_once_and_leaves_one_mark(scene: Scene) -> None:
    """The branch holds the candidate, the token is gone, the mark names the candidate, the chain verifies."""
    base, commit = scene.candidate.base_commit, scene.candidate.commit
    receipt = scene.promote()
    assert said(receipt) == (PROMOTED, "cas_updated", base, commit)
    assert scene.refs() == {TARGET: commit, PROMOTED_REFS + PROMOTION: commit}
    assert scene.files() == ["attempt", "intent", "status-01"]
    state = scene.promoter().status(PROMOTION)
    assert (state.state, state.receipt, state.problems) == ("completed", receipt, ())


def test_times_are_those_of_the_acts(scene: Scene) -> None:
    """The third reading of the clock is the sight before the swap, the fourth the one after it."""
    receipt = scene.promote()
    assert (receipt.attempted_at, receipt.observed_at) == (
        "2026-01-02T04:00:02.000000Z",
        "2026-01-02T04:00:04.000000Z",
    )


def test_the_receipt_is_a_summary_that_binds_the_authorised_prefix(scene: Scene) -> None:
    """The in-toto summary names the commit, the ledger prefix and the whole status, custody included."""
    receipt = scene.promote()
    statement = statement_of(receipt.receipt)
    assert statement["subject"][0]["digest"] == {
        "gitCommit": scene.candidate.commit,
        "gitTree": scene.candidate.tree,
    }
    assert statement["predicate"]["policy"]["digest"] == {"sha256": scene.order.authorized_root}
    record = status_of(receipt.receipt)
    assert (record.edge, record.operator_id, record.key_custody) == ("http", "owner", "shared_host")


def test_promoting_again_returns_the_recorded_receipt(scene: Scene) -> None:
    """A finished promotion is history: even with the branch moved back, nothing is swapped a second time."""
    first = scene.promote()
    scene.git("update-ref", TARGET, scene.candidate.base_commit)
    assert scene.promote() == first
    assert scene.target() == scene.candidate.base_commit


def test_a_candidate_whose_objects_differ_fails_without_a_swap(scene: Scene) -> None:
    """Facts that the repository does not bear out end the attempt before the branch is touched."""
    liar = with_candidate(scene, scene.candidate.model_copy(update={"tree": scene.candidate.base_tree}))
    base = scene.candidate.base_commit
    assert said(liar.promote()) == (FAILED, "candidate_verification_failed", base, base)
    assert scene.refs() == {TARGET: base}


def test_a_checked_out_target_fails_without_a_swap(scene: Scene) -> None:
    """A branch under somebody's working files is not moved."""
    scene.git("worktree", "add", "-q", str(scene.root / "tree"), "main")
    base = scene.candidate.base_commit
    assert said(scene.promote()) == (FAILED, "target_ref_checked_out", base, base)
    assert scene.target() == base


def test_a_target_checked_out_late_fails_without_a_swap(scene: Scene) -> None:
    """The check is repeated by the creator right before the swap."""
    add = ("worktree", "add", "-q", str(scene.root / "tree"), "main")
    receipt = scene.promote(does_at("after_attempt", lambda: scene.git(*add)))
    base = scene.candidate.base_commit
    assert said(receipt) == (FAILED, "target_ref_checked_out", base, base)


def test_a_stale_target_is_left_alone(scene: Scene) -> None:
    """A branch that moved to a third commit stays there."""
    other = scene.commit_elsewhere()
    scene.git("update-ref", TARGET, other)
    assert said(scene.promote()) == (STALE, "target_ref_mismatch", other, other)
    assert scene.refs() == {TARGET: other}


def test_a_target_that_moves_right_before_the_swap_is_stale(scene: Scene) -> None:
    """The compare-and-swap itself refuses, and what is then observed decides."""
    other = scene.commit_elsewhere()
    receipt = scene.promote(does_at("before_swap", lambda: scene.git("update-ref", TARGET, other)))
    assert said(receipt) == (STALE, "target_ref_mismatch", scene.candidate.base_commit, other)
    assert scene.refs() == {TARGET: other}


def test_a_branch_that_already_holds_the_candidate_needs_no_swap(scene: Scene) -> None:
    """Observing the candidate is enough to say promoted, and says that nothing was moved."""
    commit = scene.candidate.commit
    scene.git("update-ref", TARGET, commit)
    assert said(scene.promote()) == (PROMOTED, "already_promoted", commit, commit)
    assert scene.refs() == {TARGET: commit}


def test_a_swap_that_somebody_else_made_is_not_claimed(scene: Scene) -> None:
    """When another hand moves the branch to the candidate first, the code says so."""
    commit = scene.candidate.commit
    receipt = scene.promote(does_at("before_swap", lambda: scene.git("update-ref", TARGET, commit)))
    assert said(receipt) == (PROMOTED, "already_promoted", scene.candidate.base_commit, commit)


@pytest.mark.parametrize("kind", ["symbolic", "tag", "missing"])
def test_a_target_that_is_no_direct_commit_is_unobservable(scene: Scene, kind: str) -> None:
    """A symbolic ref or an annotated tag that leads to the base is never taken for it."""
    base = scene.candidate.base_commit
    scene.git("update-ref", "-d", TARGET)
    if kind == "symbolic":
        scene.git("update-ref", "refs/heads/other", base)
        scene.git("symbolic-ref", TARGET, "refs/heads/other")
    if kind == "tag":
        scene.git("-c", "user.name=S", "-c", "user.email=s@e.invalid", "tag", "-a", "-m", "t", "v1", base)
        tag = scene.git("rev-parse", "refs/tags/v1")
        Path(scene.git_dir, TARGET).write_text(tag + "\n", encoding="ascii")
    assert said(scene.promote()) == (UNKNOWN, "target_ref_unobservable", None, None)


def test_a_target_that_becomes_symbolic_is_not_observed_through(scene: Scene) -> None:
    """After the swap only a direct ref counts, even when the symbolic one leads to the candidate."""

    def replace_target() -> None:
        scene.git("update-ref", "refs/heads/other", scene.candidate.commit)
        scene.git("symbolic-ref", TARGET, "refs/heads/other")

    receipt = scene.promote(does_at("after_swap", replace_target))
    assert said(receipt) == (UNKNOWN, "target_ref_unobservable", scene.candidate.base_commit, None)


def test_a_swap_that_git_refuses_leaves_the_base_and_says_so(scene: Scene) -> None:
    """A mark that cannot be made undoes the whole transaction: the branch does not move."""
    blocker = Path(scene.git_dir, PROMOTED_REFS, PROMOTION + ".lock")
    blocker.parent.mkdir(parents=True)
    blocker.touch()
    base = scene.candidate.base_commit
    assert said(scene.promote()) == (FAILED, "update_ref_rejected", base, base)
    assert scene.target() == base


def test_a_busy_lock_is_waited_for(scene: Scene) -> None:
    """A lock that goes away within the bound is no reason to fail, and never a stale ref."""
    lock = Path(scene.git_dir, TARGET + ".lock")
    remover = "import os,sys,time; time.sleep(0.6); os.unlink(sys.argv[1])"
    lock.touch()
    with subprocess.Popen(["python3", "-c", remover, str(lock)]):
        receipt = scene.promote()
    assert receipt.code == "cas_updated"


def test_a_lock_that_stays_is_a_rejection_and_not_stale(scene: Scene) -> None:
    """After a bounded wait the observation decides: the base is still there."""
    Path(scene.git_dir, TARGET + ".lock").touch()
    base = scene.candidate.base_commit
    receipt = scene.promote()
    assert said(receipt) == (FAILED, "update_ref_rejected", base, base)
    assert "File exists" in receipt.detail


def test_an_adopter_that_sees_the_candidate_says_promoted(scene: Scene) -> None:
    """A creator that died after its swap left the truth in the branch."""
    with pytest.raises(DiedError):
        scene.promote(dies_at("after_swap"))
    assert said(scene.promote()) == (PROMOTED, "already_promoted", None, scene.candidate.commit)


def test_an_adopter_that_sees_the_base_never_swaps(scene: Scene) -> None:
    """Whether the dead creator would still have swapped is not known, so the outcome is unknown."""
    begin(scene)
    base = scene.candidate.base_commit
    assert said(scene.promote()) == (UNKNOWN, "status_recovery_conflict", None, base)
    assert scene.refs() == {TARGET: base}


def test_an_adopter_that_sees_a_third_commit_says_stale(scene: Scene) -> None:
    """Somebody moved the branch after the creator died."""
    begin(scene)
    other = scene.commit_elsewhere()
    scene.git("update-ref", TARGET, other)
    assert said(scene.promote()) == (STALE, "target_ref_mismatch", None, other)


def test_an_adopter_that_cannot_observe_says_unknown(scene: Scene) -> None:
    """A missing branch is not evidence of anything."""
    begin(scene)
    scene.git("update-ref", "-d", TARGET)
    assert said(scene.promote()) == (UNKNOWN, "status_recovery_conflict", None, None)


def test_an_adopter_with_bad_objects_says_unknown(scene: Scene) -> None:
    """A candidate that lost its ref proves nothing about the attempt."""
    begin(scene)
    scene.git("update-ref", "-d", scene.candidate.ref)
    base = scene.candidate.base_commit
    assert said(scene.promote()) == (UNKNOWN, "status_recovery_conflict", None, base)


def test_an_adopter_with_a_checked_out_target_says_unknown(scene: Scene) -> None:
    """The attempt of somebody else is not failed by a later checkout."""
    begin(scene)
    scene.git("worktree", "add", "-q", str(scene.root / "tree"), "main")
    base = scene.candidate.base_commit
    assert said(scene.promote()) == (UNKNOWN, "status_recovery_conflict", None, base)


def test_a_swap_that_was_moved_on_is_not_called_stale(scene: Scene) -> None:
    """With the mark in place a third commit does not mean that the swap was not made."""
    with pytest.raises(DiedError):
        scene.promote(dies_at("after_swap"))
    other = scene.commit_elsewhere()
    scene.git("update-ref", TARGET, other)
    receipt = scene.promote()
    assert said(receipt) == (UNKNOWN, "status_recovery_conflict", None, other)
    assert receipt.detail.startswith("the swap was made")


def test_an_order_bound_otherwise_is_refused(scene: Scene) -> None:
    """The same promotion under another authorisation is not continued."""
    begin(scene)
    other = replace(scene, order=replace(scene.order, authorized_size=18))
    with pytest.raises(JournalError, match="begun for another candidate"):
        other.promote()


def test_an_order_for_another_branch_is_refused_before_anything_is_written(scene: Scene) -> None:
    """Only a configured target may be named."""
    other = replace(scene.order, target_ref="refs/heads/release")
    with pytest.raises(ConfigurationError, match="no configured target"):
        scene.promoter().promote(other, TickingClock())
    assert not scene.journal.exists()


def test_hostile_hooks_and_settings_do_not_run(scene: Scene) -> None:
    """A hook in the repository never sees the promotion, whatever the repository's configuration says."""
    witness = scene.root / "witness"
    hooks = Path(scene.git_dir, "hooks")
    hooks.mkdir(exist_ok=True)
    for name in ("reference-transaction", "update", "post-update", "pre-receive", "post-receive"):
        hook = hooks / name
        hook.write_text(f"#!/bin/sh\necho {name} >> {witness}\nexit 1\n", encoding="ascii")
        hook.chmod(0o755)
    scene.git("config", "core.fsmonitor", str(hooks / "update"))
    scene.git("config", "core.hooksPath", str(hooks))
    assert scene.promote().code == "cas_updated"
    assert not witness.exists()
