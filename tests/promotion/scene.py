"""A real repository with a sealed candidate, real keys and a real journal: what every promotion test stands on."""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from adapters.git.repositories import GitRepositories
from adapters.keys import KeyRing
from adapters.promotion import Promoter, PromoterWaits
from kernel.values.execution import PromotionOrder, PromotionReceipt, RepositoryPlace, SealOrder
from kernel.values.work import CandidateFacts

TARGET: Final = "refs/heads/main"
PROMOTION: Final = "promotion_01k0000000000000000000000a"
CANDIDATE: Final = "candidate_01k0000000000000000000000a"
RUN: Final = "run_01k0000000000000000000000a"
SEALED_AT: Final = "2026-01-02T03:04:05.000000Z"
QUICK: Final = PromoterWaits(promote_s=20.0, reconcile_s=0.2)


class TickingClock:
    """Tells a later second each time it is asked, so that a test can see which time was taken when."""

    def __init__(self, second: int = 0) -> None:
        self._second = second

    def __call__(self) -> str:
        """Return the next second of one fixed hour."""
        self._second += 1
        return f"2026-01-02T04:{self._second // 60:02d}:{self._second % 60:02d}.000000Z"


@dataclass(frozen=True)
class Scene:
    """Folders, a candidate and the order to promote it."""

    root: Path
    order: PromotionOrder
    candidate: CandidateFacts

    @property
    def git_dir(self) -> str:
        """Return the path of the bare repository."""
        return self.order.repository.path

    @property
    def journal(self) -> Path:
        """Return the folder of the promotion journal."""
        return self.root / "journal"

    def promoter(self, step: Callable[[str], None] = lambda _name: None) -> Promoter:
        """Return a promoter as another process of this host would build it."""
        keys = KeyRing.open(str(self.root / "keys"), lambda: SEALED_AT)
        verify = GitRepositories(str(self.root / "runs")).verify_candidate
        return Promoter(str(self.journal), keys.journal_signer(), verify, waits=QUICK, step=step)

    def promote(self, step: Callable[[str], None] = lambda _name: None) -> PromotionReceipt:
        """Promote the order with a ticking clock."""
        return self.promoter(step).promote(self.order, TickingClock())

    def reconcile(self) -> PromotionReceipt:
        """Reconcile the order, half an hour later."""
        return self.promoter().reconcile(self.order, TickingClock(1800))

    def git(self, *arguments: str) -> str:
        """Run a plain Git command on the repository, as somebody else on this host would."""
        command = ["git", f"--git-dir={self.git_dir}", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def target(self) -> str:
        """Return what the target holds."""
        return self.git("rev-parse", TARGET)

    def refs(self) -> dict[str, str]:
        """Return the promotion's own refs and the target, by name."""
        lines = self.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        pairs = dict(line.split(" ") for line in lines)
        return {name: oid for name, oid in pairs.items() if not name.startswith("refs/odeu/candidates/")}

    def commit_elsewhere(self) -> str:
        """Return a commit that is neither the base nor the candidate."""
        tree = self.candidate.base_tree
        environment = {**os.environ, **_IDENTITY}
        command = ["git", f"--git-dir={self.git_dir}", "commit-tree", tree, "-m", "another"]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
        return done.stdout.strip()

    def files(self) -> list[str]:
        """Return the names of the journal's records, without the promotion's id."""
        names = sorted(path.name for path in self.journal.glob("promotion_*"))
        return [name.removeprefix(PROMOTION + ".").removesuffix(".json") for name in names]


_IDENTITY: Final = {
    "GIT_AUTHOR_NAME": "Somebody",
    "GIT_AUTHOR_EMAIL": "somebody@example.invalid",
    "GIT_COMMITTER_NAME": "Somebody",
    "GIT_COMMITTER_EMAIL": "somebody@example.invalid",
}


def build_scene(root: Path) -> Scene:
    """Make the repository, seal a candidate in it and write the order that promotes it."""
    root.chmod(0o755)
    repositories = GitRepositories(str(root / "runs"))
    path = str(root / "repository.git")
    base = repositories.create_bare(path, {"answer.txt": b"41\n"}, "Begin", SEALED_AT)
    place = RepositoryPlace("sandbox", path, (TARGET,))
    lease = repositories.lease(RUN, place, base, uid=None)
    Path(lease.folder, "answer.txt").write_bytes(b"42\n")
    candidate = repositories.seal(lease, _seal_order(place, base))
    repositories.release(lease)
    KeyRing.open(str(root / "keys"), lambda: SEALED_AT)
    return Scene(root, _order(place, candidate), candidate)


def copied(scene: Scene, root: Path) -> Scene:
    """Return the same scene in another folder: same commits, same keys, same records."""
    shutil.copytree(scene.root, root, dirs_exist_ok=True, symlinks=True)
    place = replace(scene.order.repository, path=str(root / "repository.git"))
    return Scene(root, replace(scene.order, repository=place), scene.candidate)


def _seal_order(place: RepositoryPlace, base: str) -> SealOrder:
    return SealOrder(
        candidate_id=CANDIDATE,
        run_id=RUN,
        brief_id="brief_01k0000000000000000000000a",
        repository=place,
        target_ref=TARGET,
        base_commit=base,
        sealed_at=SEALED_AT,
        allowed_paths=("answer.txt",),
    )


def _order(place: RepositoryPlace, candidate: CandidateFacts) -> PromotionOrder:
    return PromotionOrder(
        promotion_id=PROMOTION,
        ledger_id="project_01k0000000000000000000000a",
        authorized_size=17,
        authorized_root="ab" * 32,
        revision=4,
        operator_id="owner",
        edge="http",
        repository=place,
        target_ref=TARGET,
        candidate=candidate,
    )


def with_candidate(scene: Scene, candidate: CandidateFacts) -> Scene:
    """Return the scene whose order carries another statement of the candidate."""
    return replace(scene, order=replace(scene.order, candidate=candidate), candidate=candidate)
