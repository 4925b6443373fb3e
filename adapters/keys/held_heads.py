"""The folder of signed heads, kept open between appends: each ledger's lock and memory, and what was signed lately.

Reaching a file without following a link, and opening it and its lock, costs more than what is done with it at every
append; so all stay open, and each use asks whether the names still lead to them. Owns the locks. Does not own what
a memory says (`head_memory`) nor what may follow it (`checkpoints`).
"""

import contextlib
import fcntl
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from adapters.keys.head_memory import HeadMemory, Slot
from adapters.keys.private_folder import PrivateFolder
from adapters.keys.recent_heads import RecentHeads, fold_in
from kernel.errors import ConfigurationError

HEADS: Final = "heads"
"""Name of the folder within that of the keys."""

SEATS_MAX: Final = 64
"""Ledgers whose files stay open; beyond it those that nobody uses are closed."""

_LOCK_WAIT_S: Final = 10.0


class Seat:
    """One ledger's lock and memory. Whoever took the seat is the only one, in any process, to use the memory."""

    def __init__(self, folder: PrivateFolder, ledger_id: str) -> None:
        self._folder = folder
        self._name = f"{ledger_id}.lock"
        self._busy = threading.Lock()
        self._descriptor: int | None = None
        self.memory = HeadMemory(folder, ledger_id)

    def take(self) -> None:
        """Wait for the ledger's lock.

        Raises: ConfigurationError, code `busy`, when somebody else holds it for too long.
        """
        if not self._busy.acquire(timeout=_LOCK_WAIT_S):
            message = f"another thread holds the lock {self._name!r}; try again when it is done"
            raise ConfigurationError(message, code="busy")
        try:
            if not self.memory.is_in_place():
                # Put aside, or another copy: its lock may be another file too.
                self.memory.close()
                self._close_lock()
            if self._descriptor is None:
                self._descriptor = self._folder.open_lock(self._name)
            self._folder.wait_for(self._descriptor, self._name, wait_s=_LOCK_WAIT_S)
        except BaseException:
            self._busy.release()
            raise
        self.memory.look_again()

    def release(self) -> None:
        """Let others write; any thread may call it."""
        if self._descriptor is not None:
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        self._busy.release()

    def closes(self) -> bool:
        """Close the files unless somebody uses them; tell whether they are closed."""
        if not self._busy.acquire(blocking=False):
            return False
        self.memory.close()
        self._close_lock()
        self._busy.release()
        return True

    def _close_lock(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = None


class OpenHeads:
    """What is open of one folder, in one process; good for one block, then `HeldHeads.open` is asked anew."""

    def __init__(self, folder: PrivateFolder) -> None:
        self.folder = folder
        self.process = os.getpid()
        self.guard = threading.Lock()
        self.seats: dict[str, Seat] = {}
        self._recent: RecentHeads | None = None

    def take(self, ledger_id: str) -> Seat:
        """Return a ledger's seat, its lock held; the caller gives it back."""
        with self.guard:
            seat = self.seats.get(ledger_id)
            if seat is None:
                if len(self.seats) >= SEATS_MAX:
                    self.seats = {name: held for name, held in self.seats.items() if not held.closes()}
                seat = self.seats[ledger_id] = Seat(self.folder, ledger_id)
        seat.take()
        return seat

    def recent(self) -> RecentHeads:
        """Return this process's file of what was signed lately."""
        with self.guard:
            if self._recent is None:
                self._recent = RecentHeads(self.folder)
            return self._recent

    def __del__(self) -> None:
        # Nobody uses it any more: a process forked, or another folder stands in its place.
        for seat in self.seats.values():
            seat.closes()
        if self._recent is not None:
            self._recent.close()
        self.folder.close()


class HeldHeads:
    """The heads of one folder of keys; safe to use from several threads, and after a fork."""

    def __init__(self, keys: str) -> None:
        self._keys = keys
        self._path = Path(keys, HEADS)
        self._guard = threading.Lock()
        self._opened: OpenHeads | None = None

    @contextlib.contextmanager
    def taken(self, ledger_id: str) -> Iterator[HeadMemory]:
        """Yield the memory of a ledger under its lock."""
        seat = self.open().take(ledger_id)
        try:
            yield seat.memory
        finally:
            seat.release()

    def ledgers(self) -> tuple[str, ...]:
        """Return the ids of the ledgers that have a memory, sorted."""
        names = self.open().folder.names()
        return tuple(name.removesuffix(".head") for name in names if name.endswith(".head"))

    def open(self) -> OpenHeads:
        """Return the open folder, opened anew after a fork and when another one stands in its place."""
        opened = self._opened
        if opened is not None and opened.process == os.getpid() and opened.folder.is_at(self._path):
            return opened
        if opened is not None and opened.process != os.getpid():
            # Whoever held it in the process that forked holds it for ever in this one.
            self._guard = threading.Lock()
        with self._guard:
            if self._opened is not opened and self._opened is not None:
                return self._opened
            with PrivateFolder.open(self._keys) as keys:
                opened = OpenHeads(keys.inside(HEADS))
            fold_in(opened.folder, lambda slot, content: _adopt(opened.folder, slot, content))
            self._opened = opened
        return opened


def _adopt(folder: PrivateFolder, slot: Slot, content: bytes) -> None:
    seat = Seat(folder, slot.ledger_id)
    seat.take()
    try:
        seat.memory.adopt(slot, content)
    finally:
        seat.release()
        seat.closes()
