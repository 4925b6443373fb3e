"""What stands in the way of a promotion or of a reconcile: locks, damage, a full or foreign place."""

import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.keys import KeyRing
from adapters.promotion import ATTEMPT_REFS, Promoter, PromoterWaits
from kernel.errors import ConfigurationError, JournalError
from tests.promotion.processes import killed_at, start, stopped_at, woken
from tests.promotion.scene import PROMOTION, SEALED_AT, TARGET, Scene, TickingClock, copied

NOBODY = 65534


def loose(scene: Scene, object_id: str) -> Path:
    """Return the file of a loose object."""
    return Path(scene.git_dir, "objects", object_id[:2], object_id[2:])


def damage(path: Path) -> None:
    """Overwrite an object with bytes that are none."""
    path.chmod(0o600)
    path.write_bytes(b"no object")


def token_lock(scene: Scene) -> Path:
    """Return the lock file that a Git killed in its transaction leaves on the attempt's ref."""
    return Path(scene.git_dir, ATTEMPT_REFS, PROMOTION + ".lock")


def impatient(scene: Scene) -> Promoter:
    """Return a promoter that waits for nobody."""
    keys = KeyRing.open(str(scene.root / "keys"), lambda: SEALED_AT)
    waits = PromoterWaits(promote_s=0.0, reconcile_s=0.0)
    return Promoter(str(scene.journal), keys.journal_signer(), lambda *_a, **_k: (), waits=waits)


def test_a_promotion_waits_for_its_repository_and_then_says_busy(scene: Scene) -> None:
    """While a stopped process holds the repository, nothing is written and the command can be repeated."""
    pid = stopped_at(scene, "before_intent")
    try:
        with pytest.raises(JournalError, match="another process holds the lock") as caught:
            impatient(scene).promote(scene.order, TickingClock())
        assert (caught.value.reason_code, scene.files()) == ("busy", [])
    finally:
        code = woken(pid)
    assert (code, scene.promote().code) == (0, "cas_updated")


def test_a_lock_dies_with_its_process(scene: Scene) -> None:
    """After a kill there is no lock to remove by hand."""
    killed_at(scene, "after_intent")
    assert impatient(scene).promote(scene.order, TickingClock()).code == "cas_updated"


def test_an_attempt_that_cannot_be_stopped_stays_unknown_until_it_can(scene: Scene) -> None:
    """A lock left on the token leaves the outcome open; with the lock gone a reconcile closes it."""
    killed_at(scene, "before_swap")
    token_lock(scene).touch()
    first = scene.reconcile()
    assert (first.outcome.value, first.code) == ("outcome_unknown", "status_recovery_conflict")
    assert first.detail.startswith("an earlier attempt could not be stopped")
    assert scene.reconcile() == first
    token_lock(scene).unlink()
    assert scene.reconcile().code == "update_ref_rejected"
    assert scene.files() == ["attempt", "intent", "status-01", "status-02"]


def test_a_creator_that_could_not_be_stopped_still_tells_the_truth(scene: Scene) -> None:
    """It wakes with its token in place, swaps, and its status follows the unknown one."""
    pid = stopped_at(scene, "before_swap")
    try:
        token_lock(scene).touch()
        assert scene.reconcile().outcome.value == "outcome_unknown"
        token_lock(scene).unlink()
    finally:
        code = woken(pid)
    state = scene.promoter().status(PROMOTION)
    assert state.receipt is not None
    assert (code, state.receipt.code, state.problems) == (0, "cas_updated", ())
    assert scene.target() == scene.candidate.commit


def test_a_damaged_candidate_is_not_promoted(scene: Scene) -> None:
    """A commit that no longer reads ends the attempt with the base in place."""
    damage(loose(scene, scene.candidate.commit))
    receipt = scene.promote()
    assert (receipt.code, receipt.observed_after) == (
        "candidate_verification_failed",
        scene.candidate.base_commit,
    )


def test_a_base_that_no_longer_reads_is_not_observed(scene: Scene) -> None:
    """A ref to an object that is damaged proves nothing, and nothing is swapped."""
    damage(loose(scene, scene.candidate.base_commit))
    receipt = impatient(scene).promote(scene.order, TickingClock())
    assert (receipt.code, receipt.observed_before) == ("target_ref_unobservable", None)


@pytest.mark.parametrize(
    ("name", "content"), [("info/grafts", b"x"), ("objects/info/alternates", b"/tmp\n"), ("shallow", b"")]
)
def test_a_repository_that_lies_about_history_is_refused_before_anything_is_written(
    scene: Scene, name: str, content: bytes
) -> None:
    """Grafts, borrowed objects and shallow histories are no place to promote in."""
    path = Path(scene.git_dir, name)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match="the repository 'sandbox'"):
        scene.promote()
    assert scene.files() == []


def test_a_repository_behind_a_link_is_refused(scene: Scene) -> None:
    """The configured path is the real one."""
    linked = scene.root / "linked.git"
    linked.symlink_to(scene.git_dir)
    place = replace(scene.order.repository, path=str(linked))
    with pytest.raises(ConfigurationError, match="through a symbolic link"):
        replace(scene, order=replace(scene.order, repository=place)).promote()


def test_a_candidate_of_another_place_is_refused(scene: Scene) -> None:
    """An order is not pieced together from two repositories."""
    elsewhere = scene.candidate.model_copy(update={"repository_id": "other"})
    with pytest.raises(ConfigurationError, match="sealed for another repository"):
        scene.promoter().promote(replace(scene.order, candidate=elsewhere), TickingClock())


def test_a_repository_that_is_gone_leaves_an_attempt_unknown(scene: Scene) -> None:
    """Reconciling needs no sound repository to say that nothing could be observed."""
    killed_at(scene, "before_swap")
    Path(scene.git_dir).rename(scene.root / "moved.git")
    receipt = scene.reconcile()
    assert (receipt.outcome.value, receipt.observed_after) == ("outcome_unknown", None)


@pytest.fixture
def read_only() -> Iterator[Path]:
    """Return a folder that an ordinary user reaches, which pytest's own folders are not when root runs it."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        yield Path(name)


def test_a_repository_that_cannot_be_written_fails_and_keeps_its_base(sealed: Scene, read_only: Path) -> None:
    """The base was observed and nothing was swapped: a definite answer, under the user that may not write."""
    scene = copied(sealed, read_only)
    read_only.chmod(0o755)
    scene.journal.mkdir(mode=0o700)
    said = scene.journal / "said"
    for path in sorted(Path(scene.git_dir).rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    Path(scene.git_dir).chmod(0o555)
    if os.geteuid() == 0:
        for path in (*(scene.root / "keys").rglob("*"), scene.root / "keys", scene.journal):
            os.chown(path, NOBODY, NOBODY)

    def act() -> None:
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        receipt = scene.promote()
        said.write_text(f"{receipt.code} {receipt.observed_after}", encoding="ascii")

    assert os.waitpid(start(act), 0)[1] == 0
    assert said.read_text(encoding="ascii") == f"update_ref_rejected {scene.candidate.base_commit}"
    assert scene.refs() == {TARGET: scene.candidate.base_commit}
    Path(scene.git_dir).chmod(0o755)
