"""The Git port, kept: everything the services may ask of a configured repository.

Owns nothing but the order in which the other modules of this package are asked, and the translation of what Git
and the disk raise. Repositories are opened for one call and closed after it; nothing is cached, so each answer is
about the repository as it is now.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pygit2

from adapters.git.creation import create_bare
from adapters.git.leases import BaseFiles, RunFolders
from adapters.git.objects import commit_tree, list_files, read_file
from adapters.git.patches import shown_patch
from adapters.git.places import inspect_place, open_place
from adapters.git.refs import read_target
from adapters.git.sealing import SealLimits, seal_folder
from adapters.git.verifying import candidate_problems
from kernel.errors import GitRefusedError
from kernel.values.execution import Lease, RefFacts, RepositoryPlace, SealOrder
from kernel.values.work import CandidateFacts

_DEFAULT_LIMITS = SealLimits()


class GitRepositories:
    """Configured bare repositories and the run folders made from them.

    `worktree_root` is where run folders live; it is made when first needed and belongs to this process alone.
    """

    def __init__(self, worktree_root: str, *, limits: SealLimits = _DEFAULT_LIMITS) -> None:
        self._folders = RunFolders(worktree_root)
        self._limits = limits

    def inspect(self, place: RepositoryPlace) -> tuple[str, ...]:
        """Return every reason not to use the repository, one sentence each; empty when it is sound.

        A target ref that is symbolic, a tag object or missing counts as a reason.
        """
        try:
            problems = inspect_place(place)
        except OSError as err:
            problems = (f"the repository {place.id!r} cannot be read: {err.strerror}",)
        if problems:
            return problems
        found = []
        for ref in place.target_refs:
            try:
                self.resolve(place, ref)
            except GitRefusedError as err:
                found.append(err.message)
        return tuple(found)

    def resolve(self, place: RepositoryPlace, ref: str) -> RefFacts:
        """Return what a branch holds: direct commit refs only, never peeled.

        Raises: GitRefusedError: `unsafe_ref`, `ref_missing`, `ref_symbolic`, `ref_not_commit`,
                `invalid_configuration`, `git_failed`.
        """
        with _opened(place) as repository:
            return read_target(repository, ref)

    def read_blob(self, place: RepositoryPlace, commit: str, path: str, *, max_bytes: int) -> bytes:
        """Return a file of a commit exactly as stored.

        Raises: GitRefusedError: `not_found`, `unsafe_path`, `unsupported_mode`, `too_large`, `wrong_object`,
                `invalid_configuration`, `git_failed`.
        """
        with _opened(place) as repository:
            return read_file(repository, commit, path, max_bytes)

    def tree_paths(self, place: RepositoryPlace, commit: str) -> tuple[str, ...]:
        """Return the paths of a commit's files, sorted by path bytes; at most 10,000 entries, 64 MiB of content.

        Raises: GitRefusedError: `too_many_files`, `too_large`, `unsafe_path`, `unsupported_mode`, `not_found`,
                `wrong_object`, `invalid_configuration`, `git_failed`.
        """
        with _opened(place) as repository:
            return tuple(file.path for file in list_files(repository, commit_tree(repository, commit)))

    def patch(self, place: RepositoryPlace, base: str, commit: str, *, max_bytes: int) -> str:
        """Return the change between two commits as text for people, cut and marked when longer than `max_bytes`.

        Raises: GitRefusedError: `not_found`, `wrong_object`, `invalid_configuration`, `git_failed`.
        """
        with _opened(place) as repository:
            for name in (base, commit):
                commit_tree(repository, name)
            return shown_patch(place.path, base, commit, max_bytes)

    def lease(self, run_id: str, place: RepositoryPlace, base_commit: str, *, uid: int | None) -> Lease:
        """Return a new plain folder holding the base tree's raw blobs, reachable by `uid` and root only.

        No attribute, filter or line-ending rule touches a byte. `uid` None means this process's own user.

        Raises: GitRefusedError: `workspace_busy`, `invalid_configuration`, `git_failed`, or as `tree_paths` says
                for a base tree with symbolic links, submodules, unsafe paths or too much in it.
        """
        with _opened(place) as repository:
            files = BaseFiles(repository, commit_tree(repository, base_commit))
            folder = self._folders.create(place, files, run_id=run_id, uid=uid)
        return Lease(run_id, place.id, base_commit, folder=str(folder), uid=uid)

    def recall(self, run_id: str, place: RepositoryPlace, base_commit: str, *, uid: int | None) -> Lease:
        """Return the lease a run has or had, without making or checking anything.

        For a process that starts after a crash and must seal or release what another one leased.

        Raises: GitRefusedError (`invalid_configuration`) for an id that is none.
        """
        return Lease(run_id, place.id, base_commit, folder=str(self._folders.leased(run_id)), uid=uid)

    def absorb(self, lease: Lease) -> Lease:
        """Take a run's folder back to where no other uid reaches it; `seal` does so itself.

        The caller has proved that no process of the run is left. Repeating is harmless.

        Raises: GitRefusedError: `invalid_configuration`, `unsupported_file`, `git_failed`.
        """
        return replace(lease, folder=str(self._folders.absorb(lease)))

    def seal(self, lease: Lease, order: SealOrder) -> CandidateFacts:
        """Return the candidate made from what the run left; repeating the same order adopts it.

        The caller has proved that no process of the run is left. Objects and ref are on disk, synced, on return.

        Raises: SealRefusedError; its code names the rule, see `sealing.seal_folder`.
        """
        return seal_folder(self._folders, lease, order, self._limits)

    def release(self, lease: Lease) -> None:
        """Remove everything of a run, following no link; repeating is harmless.

        Raises: GitRefusedError: `invalid_configuration`, `git_failed`.
        """
        self._folders.release(lease)

    def verify_candidate(
        self, place: RepositoryPlace, facts: CandidateFacts, *, expect_target_base: bool = True
    ) -> tuple[str, ...]:
        """Return every difference between a candidate's facts and the repository; empty when there is none.

        Recomputed from raw objects by another way than `seal` went. Pass `expect_target_base=False` where the
        target branch may have moved on, such as after the candidate was promoted.
        """
        return candidate_problems(place, facts, expect_target_base=expect_target_base)

    def create_bare(self, path: str, files: dict[str, bytes], message: str, at: str) -> str:
        """Create a bare repository whose branch `main` holds `files` in one deterministic commit; return it.

        Raises: GitRefusedError: `unsafe_path`, `invalid_configuration`, `git_failed`.
        """
        return create_bare(path, files, message, at)


@contextmanager
def _opened(place: RepositoryPlace) -> Iterator[pygit2.Repository]:
    """Yield the repository, and give what libgit2 and the disk raise the words of this product."""
    try:
        repository = open_place(place)
        try:
            yield repository
        finally:
            repository.free()
    except (pygit2.GitError, OSError) as err:
        raise GitRefusedError(f"the repository {place.id!r} failed: {err}", code="git_failed") from err
