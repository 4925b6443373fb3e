"""What was signed last, per ledger, in a file outside the database.

A head is remembered at every append, so this must be cheap and still survive a power cut: a file has two slots of
one disk sector each, a write goes to the older one and is synced in place, and a torn write leaves the other slot.
Owns the file's form. Does not own what may follow a head (`checkpoints`).
"""

import hashlib
import os
from dataclasses import dataclass
from typing import Any, Final

from adapters.keys.private_folder import PrivateFolder
from kernel.canonical import canonical_bytes, decode_canonical
from kernel.errors import CanonicalError, ConfigurationError
from kernel.merkle import LogHead

SLOT_BYTES: Final = 512
"""One sector: what a disk writes as a whole."""

_CHECK_LENGTH: Final = 64


@dataclass(frozen=True, slots=True)
class SignedHeads:
    """The last head that was signed, and the one before it until the last is known to be committed."""

    signed: LogHead
    committed: LogHead | None


@dataclass(frozen=True, slots=True)
class _Slot:
    index: int
    generation: int
    heads: SignedHeads


class HeadMemory:
    """The two slots of one ledger in an open private folder, for as long as the caller holds the ledger's lock."""

    def __init__(self, folder: PrivateFolder, ledger_id: str) -> None:
        self._folder = folder
        self._name = f"{ledger_id}.head"
        self._ledger_id = ledger_id
        self._found: tuple[_Slot | None] | None = None

    def read(self) -> SignedHeads | None:
        """Return what is remembered, or None when this ledger was never signed.

        Raises: ConfigurationError when neither slot reads: forgetting must be a decision, never an accident.
        """
        newest = self._newest()
        return None if newest is None else newest.heads

    @property
    def generation(self) -> int:
        """Return the number of the write that is remembered; 0 when there was none."""
        newest = self._newest()
        return 0 if newest is None else newest.generation

    def write(self, heads: SignedHeads) -> None:
        """Remember these heads durably."""
        descriptor = self.write_unsynced(heads)
        if descriptor is not None:
            sync_and_close(descriptor)

    def write_unsynced(self, heads: SignedHeads) -> int | None:
        """Remember these heads so that they outlive this process, and return what the caller syncs and closes.

        None when they are durable already: the first write makes the file, whose name must be synced too.
        """
        newest = self._newest()
        generation = 1 if newest is None else newest.generation + 1
        content, index, descriptor = _spell(generation, heads), 0, None
        if newest is None:
            self._folder.create(self._name, content + b" " * SLOT_BYTES)
        else:
            index = 1 - newest.index
            descriptor = self._folder.overwrite_unsynced(self._name, content, offset=index * SLOT_BYTES)
        self._found = (_Slot(index, generation, heads),)
        return descriptor

    def _newest(self) -> _Slot | None:
        if self._found is None:
            self._found = (self._look(),)
        return self._found[0]

    def _look(self) -> _Slot | None:
        content = self._folder.read(self._name)
        if content is None:
            return None
        halves = (content[:SLOT_BYTES], content[SLOT_BYTES:])
        slots = [slot for index, half in enumerate(halves) if (slot := _slot(index, half)) is not None]
        if not slots:
            message = (
                f"the memory of signed heads of {self._ledger_id} is damaged; restore the file {self._name} "
                "of the keys, or put it aside to start anew from the ledger as it is"
            )
            raise ConfigurationError(message)
        return max(slots, key=lambda slot: slot.generation)

    def sync(self) -> None:
        """Make durable what another process wrote and may have been ended before it synced."""
        newest = self._newest()
        if newest is not None:
            content = _spell(newest.generation, newest.heads)
            self._folder.overwrite(self._name, content, offset=newest.index * SLOT_BYTES)


def sync_and_close(descriptor: int) -> None:
    """Sync what `write_unsynced` wrote.

    Raises: ConfigurationError when the disk fails.
    """
    try:
        os.fdatasync(descriptor)
    except OSError as err:
        message = f"the memory of signed heads cannot be synced: {os.strerror(err.errno or 0)}"
        raise ConfigurationError(message) from err
    finally:
        os.close(descriptor)


def _spell(generation: int, heads: SignedHeads) -> bytes:
    record = {
        "generation": generation,
        "signed": _record(heads.signed),
        "committed": None if heads.committed is None else _record(heads.committed),
    }
    data = canonical_bytes(record)
    return (hashlib.sha256(data).hexdigest().encode("ascii") + data).ljust(SLOT_BYTES)


def _slot(index: int, content: bytes) -> _Slot | None:
    """Return what a slot holds, or None when it was never written or only in part."""
    check, data = content[:_CHECK_LENGTH], content[_CHECK_LENGTH:].rstrip(b" ")
    if hashlib.sha256(data).hexdigest().encode("ascii") != check:
        return None
    try:
        record = decode_canonical(data)
        committed = record["committed"]
        heads = SignedHeads(_head(record["signed"]), None if committed is None else _head(committed))
        return _Slot(index, int(record["generation"]), heads)
    except (CanonicalError, KeyError, TypeError, ValueError):
        return None


def _record(head: LogHead) -> dict[str, str | int]:
    return {"size": head.size, "root": head.root.hex()}


def _head(record: dict[str, Any]) -> LogHead:
    return LogHead(int(record["size"]), bytes.fromhex(record["root"]))
