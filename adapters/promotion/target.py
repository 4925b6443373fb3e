"""The target branch of one promotion: observing it, and the one transaction that moves it.

Owns the three refs of a promotion: the target, the attempt's token, which must still be there for the swap to
succeed, and the mark of a swap that was made. Does not own who may swap, nor what an observation means
(`session`). Nothing here peels a ref or decides by Git's complaints alone.

Source: git-update-ref(1), "start", "prepare", "commit"; refs are updated in the order given.
"""

import os
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pygit2

from adapters.git.command import GitAnswer, GitBounds, git_output, run_git
from adapters.git.durability import sync_ref
from adapters.git.places import open_place
from adapters.git.refs import read_direct
from kernel.errors import GitRefusedError
from kernel.values.execution import PromotionOrder

ATTEMPT_REFS: Final = "refs/odeu/attempts/"
PROMOTED_REFS: Final = "refs/odeu/promoted/"

BUSY_TRIES: Final = 4
"""How often a transaction is offered to a repository whose ref locks are taken."""

BUSY_WAIT_S: Final = 0.1
"""Pause between two tries, beside the 0.3 seconds that Git itself waits for a lock."""

UNREADABLE: Final = (GitRefusedError, pygit2.GitError, OSError)
"""What reading a damaged repository may raise: none of it is an observation."""

_PATIENCE: Final = ("-c", "core.filesRefLockTimeout=300", "-c", "core.packedRefsTimeout=300")
_BOUNDS: Final = GitBounds(wall_s=30.0, output_bytes=64 * 1024)
_HEAD_FILES: Final = ("HEAD", "rebase-merge/head-name", "rebase-apply/head-name")
_HEAD_BYTES_MAX: Final = 4096


@dataclass(frozen=True, slots=True)
class Sighting:
    """What a ref was seen to hold itself, and when. `commit` is None when that could not be observed: see `why`."""

    at: str
    commit: str | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class SwapAnswer:
    """What Git said about a transaction: whether it reports it as done, and its complaint."""

    is_done: bool
    sentence: str


class PromotionTarget:
    """The refs of one promotion in their repository."""

    def __init__(self, order: PromotionOrder, now: Callable[[], str]) -> None:
        self._now = now
        self._place = order.repository
        self._git_dir = order.repository.path
        self._target_ref = order.target_ref
        self._candidate = order.candidate
        self._token_ref = ATTEMPT_REFS + order.promotion_id
        self._mark_ref = PROMOTED_REFS + order.promotion_id
        self._promotion_id = order.promotion_id

    def sight(self) -> Sighting:
        """Return what the target holds now: a direct ref to a commit, or nothing that counts."""
        try:
            commit = read_direct(open_place(self._place), self._target_ref).commit
        except UNREADABLE as err:
            return Sighting(self._now(), None, str(err))
        return Sighting(self._now(), commit)

    def trace_of_swap(self) -> str | None:
        """Return why the swap may have been made: its mark is there or cannot be read. None: it never was."""
        try:
            if not self._exists(self._mark_ref):
                return None
        except GitRefusedError as err:
            return f"whether the swap was made cannot be read: {err.message}"
        return "the swap was made"

    def checked_out_in(self) -> str | None:
        """Return why the branch counts as checked out in a linked worktree, or None when it is in none.

        Moving a branch under somebody's working files would show their tree as changed. What cannot be read
        counts as checked out.
        """
        folder = Path(self._git_dir, "worktrees")
        try:
            worktrees = sorted(folder.iterdir())
        except FileNotFoundError:
            return None
        except OSError as err:
            return f"the linked worktrees cannot be listed: {err.strerror}"
        for worktree in worktrees:
            if problem := _head_problem(worktree, self._target_ref):
                return f"the linked worktree {worktree.name[:80]!r} {problem}"
        return None

    def create_token(self) -> str:
        """Make the attempt's ref hold a blob of its own and return that blob's id.

        A token that an interrupted creator left behind is overwritten, so its late transaction fails.

        Raises: GitRefusedError when the repository cannot be written.
        """
        content = f"odeu promotion attempt\n{self._promotion_id}\n{secrets.token_hex(32)}\n".encode()
        blob = git_output(
            self._git_dir, "hash-object", "-w", "-t", "blob", "--stdin", stdin=content, bounds=_BOUNDS
        )
        token = blob.decode("ascii").strip()
        answer = self._transact(f"option no-deref\nupdate {self._token_ref} {token}\n")
        if not answer.is_done:
            message = f"the attempt's ref could not be created: {answer.sentence}"
            raise GitRefusedError(message, code="git_failed")
        self._sync(self._token_ref)
        return token

    def revoke_token(self) -> str | None:
        """Delete the attempt's ref, after which no swap of it can succeed; return why that failed, or None."""
        try:
            if not self._exists(self._token_ref):
                return None
            answer = self._transact(f"option no-deref\ndelete {self._token_ref}\n")
            if not answer.is_done:
                return answer.sentence
            self._sync(self._token_ref)
        except GitRefusedError as err:
            return err.message
        return None

    def swap(self, token: str) -> SwapAnswer:
        """Offer the transaction: mark, target from base to candidate, token away; all of it or nothing.

        The mark comes first: if the machine stops while refs are renamed, a moved target without a mark cannot
        be, so a missing mark proves that the target was not moved. A busy lock is tried again a few times; any
        other refusal is final.
        """
        candidate = self._candidate
        zero = "0" * len(candidate.commit)
        changes = (
            f"option no-deref\nupdate {self._mark_ref} {candidate.commit} {zero}\n"
            f"option no-deref\nupdate {self._target_ref} {candidate.commit} {candidate.base_commit}\n"
            f"option no-deref\ndelete {self._token_ref} {token}\n"
        )
        try:
            return self._transact(changes)
        except GitRefusedError as err:
            return SwapAnswer(is_done=False, sentence=err.message)

    def sync(self) -> None:
        """Make the swapped refs, and the folders that name them, survive a power cut."""
        for ref in (self._mark_ref, self._target_ref, self._token_ref):
            self._sync(ref)

    def _sync(self, ref: str) -> None:
        try:
            sync_ref(self._git_dir, ref)
        except OSError as err:
            message = f"the ref {ref!r} could not be made durable: {err.strerror}"
            raise GitRefusedError(message, code="git_failed") from err

    def _exists(self, ref: str) -> bool:
        """Tell whether a ref of ours is there, whatever it holds; a dangling one counts through its file."""
        listed = git_output(self._git_dir, "for-each-ref", "--format=%(refname)", ref, bounds=_BOUNDS)
        return ref in listed.decode("utf-8", "replace").split() or os.path.lexists(Path(self._git_dir, ref))

    def _transact(self, changes: str) -> SwapAnswer:
        commands = f"start\n{changes}prepare\ncommit\n".encode()
        for left in reversed(range(BUSY_TRIES)):
            answer = run_git(
                self._git_dir, *_PATIENCE, "update-ref", "--stdin", stdin=commands, bounds=_BOUNDS
            )
            if answer.code == 0 and b"commit: ok" in answer.stdout:
                return SwapAnswer(is_done=True, sentence="")
            if not _is_busy(answer) or not left:
                return SwapAnswer(is_done=False, sentence=answer.sentence())
            time.sleep(BUSY_WAIT_S)
        raise AssertionError("the last try returns")


def _is_busy(answer: GitAnswer) -> bool:
    """Tell whether a lock was taken before anything was changed: only then may the same be offered again."""
    return (
        b"prepare: ok" not in answer.stdout
        and b"Unable to create" in answer.stderr
        and b"File exists" in answer.stderr
    )


def _head_problem(worktree: Path, target_ref: str) -> str | None:
    for name in _HEAD_FILES:
        path = worktree / name
        try:
            if path.is_symlink():
                return "has a HEAD that is a symbolic link"
            with path.open("rb") as head:
                content = head.read(_HEAD_BYTES_MAX).decode("utf-8", "replace").strip()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as err:
            return f"cannot be read: {err.strerror}"
        if content.removeprefix("ref:").strip() == target_ref:
            return f"has {target_ref} checked out"
    return None
