"""A pool of unprivileged user ids, each held by one execution on this machine at a time.

As root every confined execution gets a user id of its own, so that the kernel's per-user limits count it
alone and nothing it leaves can meet the next one. A lease is an flock on one file of a private folder, so a
crash frees it. As an ordinary user there is nothing to lease. This module owns no process of its own.
"""

import fcntl
import os
import pwd
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from adapters.sandbox import processes
from kernel.errors import SandboxUnavailableError

DEFAULT_FOLDER: Final = "/run/odeu-uids"
FIRST_UID: Final = 61_000
UID_COUNT: Final = 1_000


@dataclass(frozen=True, slots=True)
class HeldUid:
    """A user id held by the holder of this value; None as an ordinary user, who has no other."""

    uid: int | None


class UidPool:
    """User ids 61000 to 61999, lent one at a time under locks the whole machine sees."""

    def __init__(
        self, folder: str = DEFAULT_FOLDER, *, first: int = FIRST_UID, count: int = UID_COUNT
    ) -> None:
        self._folder = folder
        self._uids = range(first, first + count)

    def __contains__(self, uid: int) -> bool:
        """Say whether the pool may lend this user id at all: in range and no person's."""
        return uid in self._uids and not _belongs_to_a_person(uid)

    @contextmanager
    def take(self) -> Iterator[HeldUid]:
        """Hold a clean user id for the length of the block; its processes are ended before and after.

        Raises: SandboxUnavailableError when none is free or the lock folder is not private.
        """
        if os.geteuid() != 0:
            yield HeldUid(None)
            return
        uid, lock = self._lock_one()
        try:
            yield HeldUid(uid)
        finally:
            processes.end_all_of(uid)
            os.close(lock)

    def _lock_one(self) -> tuple[int, int]:
        """Return a free user id and its lock, starting anywhere: neighbours in time then differ."""
        folder = self._private_folder()
        try:
            start = secrets.randbelow(len(self._uids))
            for step in range(len(self._uids)):
                uid = self._uids[(start + step) % len(self._uids)]
                lock = None if _belongs_to_a_person(uid) else _try_lock(folder, f"{uid}.lock")
                if lock is None:
                    continue
                if processes.end_all_of(uid) == 0:
                    return uid, lock
                os.close(lock)
        finally:
            os.close(folder)
        raise SandboxUnavailableError(
            "No unprivileged user id is free to run confined code; try again later."
        )

    def _private_folder(self) -> int:
        """Open the lock folder, made 0700 when absent; one that others could write is refused."""
        try:
            Path(self._folder).mkdir(mode=0o700)
        except FileExistsError:
            pass
        except OSError as error:
            raise SandboxUnavailableError(f"The folder for user id locks cannot be made: {error}.") from error
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            folder = os.open(self._folder, flags)
        except OSError as error:
            raise SandboxUnavailableError(f"The folder for user id locks is unsafe: {error}.") from error
        facts = os.fstat(folder)
        if facts.st_uid != os.geteuid() or stat.S_IMODE(facts.st_mode) & 0o077:
            os.close(folder)
            raise SandboxUnavailableError(
                f"The folder for user id locks, {self._folder}, must be owned by this user with mode 0700."
            )
        return folder


def _try_lock(folder: int, name: str) -> int | None:
    """Lock one file of the folder and return its descriptor; None when another holder has it."""
    descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def _belongs_to_a_person(uid: int) -> bool:
    """Say whether the machine's user database names this id."""
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True
