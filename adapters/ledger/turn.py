"""Whose turn it is to write, among the processes that share one database file.

SQLite's own busy handler sleeps longer the longer a writer has waited, so a process that has just written wins
again and others starve. Here a waiting writer asks more often the longer it has waited, and announces itself
by a shared lock on a small file beside the database; a writer that sees the announcement lets others go first.
The lock file holds nothing: when a process dies, the system withdraws its announcement.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_COURTESY_S: Final = 0.003
_PAUSE_LONGEST_S: Final = 0.008
_PAUSE_SHORTEST_S: Final = 0.001


class Turn:
    """The queue before the write lock of one database, for one thread at a time."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def close(self) -> None:
        """Give the lock file back."""
        os.close(self._descriptor)

    def take(self, attempt: Callable[[], bool], *, timeout_s: float) -> bool:
        """Call `attempt` until it succeeds; tell whether it did within `timeout_s` seconds."""
        if self._others_wait():
            time.sleep(_COURTESY_S)
        if attempt():
            return True
        deadline = time.monotonic() + timeout_s
        pause = _PAUSE_LONGEST_S
        with self._announced():
            while time.monotonic() < deadline:
                time.sleep(pause)
                if attempt():
                    return True
                pause = max(_PAUSE_SHORTEST_S, pause * 0.8)
        return False

    def _others_wait(self) -> bool:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        return False

    @contextmanager
    def _announced(self) -> Iterator[None]:
        # An exclusive lock is held for an instant only, by a writer that looks whether anyone waits.
        fcntl.flock(self._descriptor, fcntl.LOCK_SH)
        try:
            yield
        finally:
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)
