"""Syncs that run beside somebody else's: the memory of signed heads while the database commits.

A head is written to its file before the COMMIT, so a process that dies loses nothing of the order; only its sync,
which a failure of the power would need, runs at the same time as that of the COMMIT. A block has one sync, however
many heads it signed. Owns the waiting and the locks held meanwhile. Does not own what is written (`head_memory`).
"""

import _thread
import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from typing import Final

from adapters.keys.head_memory import sync_file
from adapters.keys.held_heads import OpenHeads, Seat
from kernel.errors import ConfigurationError, LedgerUnavailableError

_FAILED: Final = (
    "the memory of signed heads could not be synced; look the command up before trying again, and start this "
    "program anew once the disk is sound"
)


class _Syncer:
    """A thread that syncs one file after another; starting a thread for each costs as much as the sync."""

    def __init__(self) -> None:
        self.process = os.getpid()
        # Not a lock: whoever wakes a thread by one keeps the interpreter, and the sync would wait for it.
        self._asked = os.eventfd(0, os.EFD_CLOEXEC)
        self._done = threading.Lock()
        self._done.acquire()
        self._descriptor = -1
        self._failure: ConfigurationError | None = None
        # Not `Thread.start`, which waits until the thread runs; and nobody waits for it at the end of the process.
        _thread.start_new_thread(self._run, ())

    def _run(self) -> None:
        while True:
            os.eventfd_read(self._asked)
            self._failure = None
            try:
                sync_file(self._descriptor)
            except ConfigurationError as err:
                self._failure = err
            finally:
                self._done.release()

    def begin(self, descriptor: int) -> None:
        """Let this file be synced."""
        self._descriptor = descriptor
        os.eventfd_write(self._asked, 1)

    def wait(self) -> ConfigurationError | None:
        """Wait until the bytes are on the disk; return why they are not when they cannot be."""
        self._done.acquire()
        return self._failure


class _Idle:
    """Threads that wait for work, of this process."""

    def __init__(self) -> None:
        self._waiting: list[_Syncer] = []

    def take(self) -> _Syncer:
        """Return one that does nothing, started when there is none."""
        while True:
            try:
                syncer = self._waiting.pop()
            except IndexError:
                return _Syncer()
            # A fork leaves the threads behind.
            if syncer.process == os.getpid():
                return syncer

    def give_back(self, syncer: _Syncer) -> None:
        """Keep it for the next block."""
        self._waiting.append(syncer)


_IDLE: Final = _Idle()


class Block:
    """What one block signed: the ledgers it holds, and what of them is still to be synced."""

    def __init__(self, heads: OpenHeads) -> None:
        self.heads = heads
        self._seats: list[Seat] = []
        self._written: list[tuple[Seat, bytes]] = []
        self._syncer: _Syncer | None = None

    def hold(self, seat: Seat, content: bytes) -> None:
        """Take over a ledger's seat, to whose memory these bytes were written."""
        self._seats.append(seat)
        self._written.append((seat, content))

    def begin(self) -> None:
        """Begin to sync what was signed since; call it when no more heads follow, right before the COMMIT.

        Raises: ConfigurationError when the disk is full or fails.
        """
        if not self._written or self._syncer is not None:
            return
        if len(self._written) == 1:
            descriptor = self._written[0][0].memory.descriptor
        else:
            written = [(seat.memory, content) for seat, content in self._written]
            descriptor = self.heads.recent().remember(written)
        self._written = []
        self._syncer = _IDLE.take()
        self._syncer.begin(descriptor)

    def end(self, stop: Callable[[], None]) -> None:
        """Wait for the sync, sync what nobody began to, and let others write.

        Raises: LedgerUnavailableError, code `commit_unknown`.
        """
        failure = None
        try:
            if self._syncer is not None:
                failure = self._syncer.wait()
                _IDLE.give_back(self._syncer)
            for seat, _ in self._written:
                seat.memory.sync()
        except ConfigurationError as err:
            failure = err
        finally:
            if failure is not None:
                stop()
            for seat in self._seats:
                seat.release()
        if failure is not None:
            raise LedgerUnavailableError(_FAILED, code="commit_unknown") from failure


class Beside(threading.local):
    """The block of the calling thread, or none."""

    block: Block | None = None

    @contextlib.contextmanager
    def blocked(self, heads: OpenHeads, stop: Callable[[], None]) -> Iterator[Callable[[], None]]:
        """Collect what is signed within the block; at its end all of it is on the disk, and others may write.

        Yields what begins the sync of the block.
        `stop` is called when a sync failed, before any lock is given back.
        Raises: LedgerUnavailableError, code `commit_unknown`, when one failed: the COMMIT beside it may stand.
        """
        block = self.block = Block(heads)
        try:
            yield block.begin
        finally:
            self.block = None
            block.end(stop)
