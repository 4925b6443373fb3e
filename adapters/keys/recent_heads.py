"""What a process signed last, in one file, so that the heads of many ledgers become durable by one sync.

A group of appends signs a head for each of its ledgers. Each is written to that ledger's own memory, where every
process sees it, and the same bytes are written here, one disk sector each: syncing this one file makes the group
durable. When the file is full, the ledgers' own files are synced and it begins anew. Each process has a file of its
own and holds its lock for life; what an ended process left is folded into the memories by whoever opens them next,
which after a failure of the power brings them to where the last group left them. Owns the file; does not own what
may follow a head (`checkpoints`).
"""

import fcntl
import os
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from adapters.keys.head_memory import SLOT_BYTES, HeadMemory, Slot, read_slot, sync_file
from adapters.keys.private_folder import PrivateFolder
from kernel.errors import ConfigurationError

CELLS: Final = 1024
"""Heads that fit before the ledgers' own files must be synced."""

UNSYNCED_MAX: Final = 64
"""Ledgers whose own files may wait for a sync, each with a descriptor held for it."""

_PREFIX: Final = "recent-"


class RecentHeads:
    """The file of this process; safe to use from several threads."""

    def __init__(self, folder: PrivateFolder) -> None:
        self._descriptor = _claimed(folder)
        self._guard = threading.Lock()
        self._next = 0
        self._unsynced: dict[tuple[str, int], int] = {}

    def remember(self, written: Sequence[tuple[HeadMemory, bytes]]) -> int:
        """Write what a group wrote to its ledgers' memories, and return the descriptor that is to be synced.

        Raises: ConfigurationError when the file cannot be written, or a memory cannot be synced to make room.
        """
        cells = b"".join(content for _, content in written)
        with self._guard:
            if self._next + len(written) > CELLS or len(self._unsynced) >= UNSYNCED_MAX:
                self._settle()
            if os.pwrite(self._descriptor, cells, self._next * SLOT_BYTES) != len(cells):
                message = "the memory of signed heads cannot be written: the disk is full"
                raise ConfigurationError(message)
            self._next += len(written)
            for memory, _ in written:
                if memory.identity not in self._unsynced:
                    self._unsynced[memory.identity] = memory.another_descriptor()
        return self._descriptor

    def _settle(self) -> None:
        """Sync the ledgers' own files, so that what stands here may be overwritten."""
        for descriptor in self._unsynced.values():
            sync_file(descriptor)
        self._let_go()
        self._next = 0

    def _let_go(self) -> None:
        for descriptor in self._unsynced.values():
            os.close(descriptor)
        self._unsynced.clear()

    def close(self) -> None:
        """Let go of the files; the next process folds this one in."""
        self._let_go()
        os.close(self._descriptor)


def _claimed(folder: PrivateFolder) -> int:
    """Return a descriptor of a new file of full length, locked for as long as it is open."""
    while True:
        name = f"{_PREFIX}{os.getpid()}-{secrets.token_hex(8)}"
        # Full from the start: a write in place is synced without a change of the file's length.
        folder.create(name, b" " * (CELLS * SLOT_BYTES))
        descriptor = folder.open_part(name)
        if descriptor is None:
            continue
        if _locks(descriptor) and folder.leads_to(name, os.fstat(descriptor)):
            return descriptor
        # Somebody who folds took it for the file of an ended process.
        os.close(descriptor)


def _locks(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def fold_in(folder: PrivateFolder, adopt: Callable[[Slot, bytes], None]) -> None:
    """Bring what ended processes left into the memories of their ledgers, durably, and remove it.

    `adopt` takes over, under the ledger's lock, what is newer than its memory and syncs it in any case.
    """
    for name in folder.names():
        if not name.startswith(_PREFIX):
            continue
        descriptor = folder.open_part(name)
        if descriptor is None:
            continue
        try:
            if _locks(descriptor) and folder.leads_to(name, os.fstat(descriptor)):
                for slot, content in _newest(descriptor):
                    adopt(slot, content)
                folder.remove(name)
        finally:
            os.close(descriptor)


def _newest(descriptor: int) -> Iterator[tuple[Slot, bytes]]:
    content = os.pread(descriptor, CELLS * SLOT_BYTES, 0)
    found: dict[str, tuple[Slot, bytes]] = {}
    for start in range(0, len(content), SLOT_BYTES):
        cell = content[start : start + SLOT_BYTES]
        slot = read_slot(0, cell)
        if slot is not None and (
            slot.ledger_id not in found or found[slot.ledger_id][0].generation < slot.generation
        ):
            found[slot.ledger_id] = (slot, cell)
    yield from found.values()
