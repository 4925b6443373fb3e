"""What the Git tests build: a small real repository, a leased folder, an order to seal it."""

import os
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from adapters.git.repositories import GitRepositories
from kernel.errors import SealRefusedError
from kernel.values.execution import Lease, RepositoryPlace, SealOrder
from kernel.values.work import CandidateFacts

AT = "2026-11-30T12:00:00.000000Z"
SEALED_AT = "2026-11-30T12:30:15.250000Z"
MAIN = "refs/heads/main"
CANDIDATE = "candidate_01kbexample0000000000000000"
RUN = "run_01kbexample0000000000000000"

BASE_FILES = {
    "README.md": b"# A base\n",
    "src/tool.py": b"print('one')\r\n",
    "src/gone.py": b"pass\n",
    "docs/note.txt": b"kept\n",
}


@dataclass(frozen=True)
class Bench:
    """One repository, one worktree root and the adapter over both."""

    root: Path
    place: RepositoryPlace
    base: str
    git: GitRepositories

    def lease(self, run_id: str = RUN) -> Lease:
        """Lease the base to this process's own user."""
        return self.git.lease(run_id, self.place, self.base, uid=None)

    def order(self, *allowed_paths: str, secrets: tuple[bytes, ...] = ()) -> SealOrder:
        """Order the candidate of the run, by default free to change `src/`."""
        return SealOrder(
            candidate_id=CANDIDATE,
            run_id=RUN,
            brief_id="brief_01kbexample0000000000000000",
            repository=self.place,
            target_ref=MAIN,
            base_commit=self.base,
            sealed_at=SEALED_AT,
            allowed_paths=allowed_paths or ("src/",),
            secrets=secrets,
        )

    def sealed(self, content: bytes = b"print('two')\n") -> CandidateFacts:
        """Seal a run that rewrote `src/tool.py`."""
        lease = self.lease()
        Path(lease.folder, "src/tool.py").write_bytes(content)
        return self.git.seal(lease, self.order())

    def refusal(self, lease: Lease, order: SealOrder) -> tuple[str, str]:
        """Seal, expecting a refusal; return its code and sentence. No candidate may be left behind."""
        try:
            self.git.seal(lease, order)
        except SealRefusedError as err:
            assert self.refs() == [f"commit {MAIN}"]
            return err.reason_code, err.message
        raise AssertionError("the seal was not refused")

    def refs(self) -> list[str]:
        """Return the type and name of every ref, as plain git sees them."""
        return plain_git(self.place.path, "for-each-ref", "--format=%(objecttype) %(refname)").splitlines()


def make_bench(root: Path, files: dict[str, bytes] | None = None) -> Bench:
    """Make the repository and the adapter under `root`."""
    path = root / "repository.git"
    git = GitRepositories(str(root / "runs"))
    base = git.create_bare(str(path), BASE_FILES if files is None else files, "Start", AT)
    place = RepositoryPlace(id="sample", path=str(path), target_refs=(MAIN,))
    return Bench(root, place, base, git)


def retargeted(bench: Bench, ref: str) -> Bench:
    """Return the bench with another branch as the only target."""
    return replace(bench, place=replace(bench.place, target_refs=(ref,)))


def plain_git(git_dir: str, *arguments: str, stdin: bytes = b"") -> str:
    """Run git as anyone would, but without this machine's configuration; return its output."""
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    identity = ("-c", "user.name=Anyone", "-c", "user.email=anyone@odeu.invalid", "-c", "safe.directory=*")
    done = subprocess.run(
        ["git", f"--git-dir={git_dir}", *identity, *arguments],
        input=stdin,
        capture_output=True,
        env=environment,
        check=True,
    )
    return done.stdout.decode().rstrip("\n")


def tree_with(git_dir: str, mode: str, name: str, target: str) -> str:
    """Store a commit whose tree has one entry of any mode; return the commit."""
    kind = "commit" if mode == "160000" else "blob"
    tree = plain_git(git_dir, "mktree", "--missing", stdin=f"{mode} {kind} {target}\t{name}\n".encode())
    return plain_git(git_dir, "commit-tree", tree, "-m", "odd")


def store_blob(git_dir: str, content: bytes) -> str:
    """Store bytes raw; return the blob."""
    return plain_git(git_dir, "hash-object", "-w", "--no-filters", "--stdin", stdin=content)
