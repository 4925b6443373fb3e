"""Syncs that run beside somebody else's: the memory of signed heads while the database commits.

A head is written to its file before the COMMIT, so a process that dies loses nothing of the order; only its sync,
which a failure of the power would need, runs at the same time as that of the COMMIT. Owns the waiting and the locks
held meanwhile. Does not own what is written (`head_memory`).
"""

import _thread
import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from adapters.keys.head_memory import sync_and_close
from kernel.errors import ConfigurationError, LedgerUnavailableError

_FAILED: Final = (
    "the memory of signed heads could not be synced; look the command up before trying again, and start this "
    "program anew once the disk is sound"
)


@dataclass
class Sync:
    """One sync that runs in a thread of its own, and the lock that is held until it is done."""

    descriptor: int
    held: contextlib.ExitStack
    failure: ConfigurationError | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._done = threading.Lock()
        self._done.acquire()
        # Not `Thread.start`, which waits until the thread runs: that wait would stand before the COMMIT.
        _thread.start_new_thread(self._run, ())

    def _run(self) -> None:
        try:
            sync_and_close(self.descriptor)
        except ConfigurationError as err:
            self.failure = err
        finally:
            self._done.release()

    def wait(self) -> ConfigurationError | None:
        """Wait until the bytes are on the disk; return why they are not when they cannot be."""
        self._done.acquire()
        return self.failure


class Beside(threading.local):
    """The syncs of the calling thread's block, or none while it has no block."""

    syncs: list[Sync] | None = None

    @contextlib.contextmanager
    def block(self, stop: Callable[[], None]) -> Iterator[None]:
        """Collect the syncs begun within the block; at its end wait for all, then let others write.

        `stop` is called when one failed, before any lock is given back.
        Raises: LedgerUnavailableError, code `commit_unknown`, when one failed: the COMMIT beside it may stand.
        """
        self.syncs = []
        try:
            yield
        finally:
            syncs, self.syncs = self.syncs, None
            failures = [failure for sync in syncs if (failure := sync.wait()) is not None]
            if failures:
                stop()
            for sync in syncs:
                sync.held.close()
            if failures:
                raise LedgerUnavailableError(_FAILED, code="commit_unknown") from failures[0]
