"""The real clock, the real source of random bytes, and the lock of the one worker of a data folder."""

import fcntl
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

_WORK_ID: Final = re.compile(r"[a-z]+_[0-9a-z]{26}")


class SystemClock:
    """The host's honest wall clock."""

    def now(self) -> str:
        """Return this moment in UTC, exactly as the ledger spells it: `YYYY-MM-DDTHH:MM:SS.ffffffZ`."""
        return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class SystemEntropy:
    """The operating system's random bytes."""

    def bytes(self, count: int) -> bytes:
        """Return `count` random bytes fit for keys."""
        return os.urandom(count)


class FileWorkerLock:
    """A lock the kernel releases when its holder dies, and marks of begun work, in one private folder.

    Within one process only one thread holds it at a time; a second caller is told that it is taken.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._thread = threading.Lock()

    @contextmanager
    def holding(self) -> Iterator[bool]:
        """Give True while this caller holds the lock, False when somebody else has it."""
        if not self._thread.acquire(blocking=False):
            yield False
            return
        try:
            descriptor = os.open(self._folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                yield self._locked(descriptor)
            finally:
                os.close(descriptor)
        finally:
            self._thread.release()

    def _locked(self, descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def started(self) -> frozenset[str]:
        """Return the ids of work that was begun and not ended."""
        return frozenset(path.name for path in self._folder.iterdir() if _WORK_ID.fullmatch(path.name))

    def begin(self, work_id: str) -> None:
        """Remember durably that this work begins."""
        os.close(os.open(self._folder / work_id, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
        self._sync()

    def end(self, work_id: str) -> None:
        """Forget work that ended."""
        (self._folder / work_id).unlink(missing_ok=True)
        self._sync()

    def _sync(self) -> None:
        descriptor = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
