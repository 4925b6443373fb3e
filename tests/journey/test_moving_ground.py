"""What lies outside the ledger moves while the path is walked: branch, harness, program, clock, people."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app.bootstrap import Seams, open_studio
from app.config.settings import Settings
from kernel.commands import RejectDelta
from kernel.errors import EvidenceError, RefusedError, StaleError, StudioError
from kernel.values.execution import Lease
from kernel.vocabulary import CheckResult, PromotionStatus, RunStatus
from tests.support.sandbox import TARGET, branch, git, install, repository, sandbox_texts
from tests.support.walk import Walk


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return an installation with the sandbox project."""
    return install(tmp_path / "data")


def walked(settings: Settings, name: str, **seams: Any) -> Walk:
    """Return a walk whose next act is this one."""
    studio = open_studio(settings, seams=Seams(**seams))
    walk = Walk(studio, sandbox_texts())
    walk.until(name)
    return walk


def move_branch(data: Path) -> str:
    """Let somebody else commit to the target branch with plain git; return their commit."""
    tree = git(data, "rev-parse", f"{TARGET}^{{tree}}")
    identity = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.invalid")
    commit = git(data, *identity, "commit-tree", tree, "-p", branch(data), "-m", "Their own work")
    git(data, "update-ref", TARGET, commit)
    return commit


def test_a_branch_that_moved_before_the_authorisation_asks_for_a_new_brief(settings: Settings) -> None:
    """Nothing is queued on a base that is gone."""
    walk = walked(settings, "authorize_run")
    move_branch(settings.data_folder)
    with pytest.raises(StaleError, match="compile a new brief"):
        walk.authorize_run()
    assert walk.runs() == []


def test_a_branch_that_moved_before_the_claim_ends_the_run_unstarted(settings: Settings) -> None:
    """The permission was for another base: the run fails without a claim, and says so."""
    walk = walked(settings, "work")
    moved = move_branch(settings.data_folder)
    walk.work()
    (run,) = walk.runs()
    assert (run.status, run.fence) == (RunStatus.FAILED, None)
    assert branch(settings.data_folder) == moved


@dataclass
class Overtaken:
    """Git, where somebody else commits to the branch just when a worker has returned."""

    repositories: Any
    data: Path
    moved: list[str]

    def __getattr__(self, name: str) -> Any:
        """Pass everything else on."""
        return getattr(self.repositories, name)

    def absorb(self, lease: Lease) -> Lease:
        """Let them commit, then go on."""
        self.moved.append(move_branch(self.data))
        absorbed: Lease = self.repositories.absorb(lease)
        return absorbed


def test_a_branch_that_moves_under_a_run_is_noticed_when_sealing(settings: Settings) -> None:
    """The work is not sealed on a base that the branch left; their commit stays."""
    moved: list[str] = []
    data = settings.data_folder
    walk = walked(settings, "work", repositories=lambda git: Overtaken(git, data, moved))
    walk.work()
    (run,) = walk.runs()
    assert (run.status, run.code) == (RunStatus.FAILED, "base_moved")
    assert branch(settings.data_folder) == moved[0]


@pytest.mark.parametrize("name", ["propose_promotion", "authorize_promotion", "execute"])
def test_a_branch_that_moved_before_the_promotion_makes_it_stale(settings: Settings, name: str) -> None:
    """The compare-and-swap finds another commit: stale, theirs stays, and the ledger keeps both facts."""
    walk = walked(settings, name)
    moved = move_branch(settings.data_folder)
    walk.until("execute")
    walk.execute()
    (record,) = walk.promotions()
    assert record.status is PromotionStatus.STALE
    assert branch(settings.data_folder) == moved
    assert walk.studio.audits.verify(walk.project_id, strict=True).problems == ()


def test_a_target_that_became_symbolic_is_not_followed(settings: Settings) -> None:
    """Promoting through a link would move another branch: nothing moves, and nobody claims to know the target."""
    walk = walked(settings, "execute")
    data = settings.data_folder
    git(data, "update-ref", "refs/heads/elsewhere", branch(data))
    git(data, "symbolic-ref", TARGET, "refs/heads/elsewhere")
    base = git(data, "rev-parse", "refs/heads/elsewhere")
    walk.execute()
    assert walk.promotions()[-1].status is PromotionStatus.OUTCOME_UNKNOWN
    assert git(data, "rev-parse", "refs/heads/elsewhere") == base
    git(data, "symbolic-ref", "--delete", TARGET)
    git(data, "update-ref", TARGET, base)
    walk.settle()
    assert walk.promotions()[-1].status is PromotionStatus.FAILED
    assert walk.to_the_end().status is PromotionStatus.PROMOTED


def test_a_candidate_whose_objects_are_gone_is_not_promoted(settings: Settings) -> None:
    """The fresh look before the point of no return finds that the sealed ref is gone."""
    walk = walked(settings, "execute")
    data = settings.data_folder
    (ref,) = git(data, "for-each-ref", "--format=%(refname)", "refs/odeu/candidates").splitlines()
    git(data, "update-ref", "-d", ref)
    with pytest.raises(StudioError, match="sealed candidate") as caught:
        walk.execute()
    assert caught.value.reason_code == "candidate_invalid"
    assert walk.promotions()[-1].status is PromotionStatus.AUTHORIZED


def _append_to(file: Path) -> None:
    file.write_text(file.read_text(encoding="utf-8") + "\n", encoding="utf-8")


def test_a_harness_changed_after_the_start_judges_nothing(settings: Settings) -> None:
    """Its digest is not the configured one: unavailable, not passed, and nothing can be reconciled."""
    walk = walked(settings, "judge")
    _append_to(settings.data_folder / "sandbox" / "harness" / "harness.json")
    walk.judge()
    (validation,) = walk.state.validations.rows()
    oracle = [check for check in validation.body.checks if check.requirement_id != "tins-changed"]
    assert {(check.result, check.reason) for check in oracle} == {
        (CheckResult.UNAVAILABLE, "harness_changed")
    }
    with pytest.raises(EvidenceError):
        walk.reconcile()


def test_a_harness_changed_before_the_promotion_stops_it(settings: Settings) -> None:
    """The candidate is judged once more before the point of no return, by the harness as it is configured."""
    walk = walked(settings, "execute")
    _append_to(settings.data_folder / "sandbox" / "harness" / "harness.json")
    with pytest.raises(EvidenceError, match="a fresh look"):
        walk.execute()
    assert walk.promotions()[-1].status is PromotionStatus.AUTHORIZED


@pytest.mark.parametrize("restarts", [False, True], ids=["same-server", "after-a-restart"])
def test_a_program_changed_after_the_authorisation_does_not_run(
    settings: Settings, *, restarts: bool
) -> None:
    """The permission names the program by its digest, so other bytes are another program."""
    walk = walked(settings, "work")
    _append_to(settings.data_folder / "sandbox" / "worker" / "worker.py")
    if restarts:
        walk = Walk(open_studio(settings), sandbox_texts())
    walk.work()
    (run,) = walk.runs()
    assert (run.status, run.code) == (RunStatus.FAILED, "runtime_changed")
    assert walk.state.candidates.keys() == ()


@dataclass
class SteppingClock:
    """A clock that its test moves."""

    by: timedelta = field(default_factory=timedelta)

    def now(self) -> str:
        """Return the host's moment, moved."""
        return (datetime.now(UTC) + self.by).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def test_a_clock_that_steps_back_is_flagged_and_not_hidden(settings: Settings) -> None:
    """The honest moment is recorded, the order stays, and the state says which event came with the step."""
    clock = SteppingClock()
    walk = walked(settings, "capture", clock=clock)
    before = walk.state
    assert before.clock_stepped_back is None
    clock.by = timedelta(hours=-2)
    walk.capture()
    after = walk.state
    assert after.clock_stepped_back is not None
    assert after.clock_stepped_back > before.seq
    assert after.at == before.at
    stored = walk.studio.desk.ledger.read(walk.project_id, before.seq)
    assert all(item.event.at < before.at for item in stored)
    assert walk.studio.audits.verify(walk.project_id, strict=True).problems == ()


def test_a_permission_that_lapsed_starts_nothing(settings: Settings) -> None:
    """An hour after the authorisation nobody expects the run to begin any more."""
    clock = SteppingClock()
    walk = walked(settings, "work", clock=clock)
    clock.by = timedelta(hours=1)
    walk.work()
    (run,) = walk.runs()
    assert (run.status, run.fence) == (RunStatus.FAILED, None)


def test_a_reservation_that_lapsed_frees_the_head_and_is_not_executed(settings: Settings) -> None:
    """Work on meaning goes on, and the operator who comes late is told to have it authorised again."""
    clock = SteppingClock()
    walk = walked(settings, "execute", clock=clock)
    clock.by = timedelta(hours=2)
    with pytest.raises(RefusedError):
        walk.execute()
    captured = walk.studio.placements.capture(walk.project_id, walk.owner, "Compare three shops.")
    assert captured.delta_id is not None
    walk.accept(captured.delta_id)
    assert branch(settings.data_folder) == walk.promotions()[-1].body.base_commit


def test_while_the_head_is_reserved_no_yes_moves_it(settings: Settings) -> None:
    """Words are kept and may be refused; a yes waits for the operator."""
    walk = walked(settings, "execute")
    captured = walk.studio.placements.capture(walk.project_id, walk.owner, "Compare three shops.")
    assert captured.delta_id is not None
    with pytest.raises(RefusedError) as caught:
        walk.accept(captured.delta_id)
    assert caught.value.reason_code == "head_reserved"
    _, _, seen = walk.studio.reviews.shown(captured.delta_id)
    walk.studio.reviews.reject(walk.owner, RejectDelta(captured.delta_id, "Not now", seen))
    assert walk.to_the_end().status is PromotionStatus.PROMOTED


def test_a_repository_that_is_gone_is_said_and_breaks_nothing(settings: Settings) -> None:
    """Without its repository a run fails by its reason; the ledger stays readable and whole."""
    walk = walked(settings, "work")
    place = repository(settings.data_folder)
    place.rename(place.with_name("elsewhere.git"))
    walk.work()
    (run,) = walk.runs()
    assert (run.status, run.fence) == (RunStatus.FAILED, None)
    studio = open_studio(settings)
    assert any("repositories.paint" in problem for problem in studio.registry.problems)
    assert studio.audits.verify(walk.project_id, strict=True).problems == ()
