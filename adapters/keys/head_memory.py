"""What was signed last, per ledger, in a file outside the database.

A head is remembered at every append, so this must be cheap and still survive a power cut: a file has two slots of
one disk sector each, a write goes to the older one in place, and a torn write leaves the other slot.
Owns the file's form. Does not own what may follow a head (`checkpoints`).
"""

import errno
import hashlib
import os
from dataclasses import dataclass, replace
from typing import Any, Final

from adapters.keys.private_folder import PrivateFolder
from kernel.canonical import decode_canonical
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
class Slot:
    """One written slot: of which ledger, which of the two, the how manieth write, and what it says."""

    ledger_id: str
    index: int
    generation: int
    heads: SignedHeads


class HeadMemory:
    """The two slots of one ledger in an open private folder, for as long as the caller holds the ledger's lock.

    The file stays open between uses. Whoever takes the lock asks whether it `is_in_place`, and `look_again` lets the
    next use see what other processes wrote.
    """

    def __init__(self, folder: PrivateFolder, ledger_id: str) -> None:
        self._folder = folder
        self._name = f"{ledger_id}.head"
        self.ledger_id = ledger_id
        self._descriptor: int | None = None
        self._facts: os.stat_result | None = None
        self._looked = False
        self._newest: Slot | None = None
        self._content = b""

    def is_in_place(self) -> bool:
        """Tell whether the name still stands for the open file; also while none is open."""
        return self._facts is None or self._folder.leads_to(self._name, self._facts)

    def look_again(self) -> None:
        """Trust nothing that was read before."""
        self._looked = False

    def read(self) -> SignedHeads | None:
        """Return what is remembered, or None when this ledger was never signed.

        Raises: ConfigurationError when neither slot reads: forgetting must be a decision, never an accident.
        """
        newest = self._look()
        return None if newest is None else newest.heads

    @property
    def generation(self) -> int:
        """Return the number of the write that is remembered; 0 when there was none."""
        newest = self._look()
        return 0 if newest is None else newest.generation

    def write(self, heads: SignedHeads) -> None:
        """Remember these heads durably."""
        if self.write_unsynced(heads) is not None:
            self.sync()

    def write_unsynced(self, heads: SignedHeads) -> bytes | None:
        """Remember these heads so that they outlive this process; return the bytes that are still to be synced.

        None when they are durable already: the first write makes the file, whose name must be synced too.
        """
        newest = self._look()
        generation = 1 if newest is None else newest.generation + 1
        content = _spell(self.ledger_id, generation, heads)
        if newest is None:
            self._folder.create(self._name, content + b" " * SLOT_BYTES)
            self.look_again()
            return None
        self._put(Slot(self.ledger_id, 1 - newest.index, generation, heads), content)
        return content

    def adopt(self, slot: Slot, content: bytes) -> None:
        """Take over what was remembered elsewhere, when it is newer and this ledger's memory was not put aside."""
        newest = self._look()
        if newest is None:
            return
        if slot.generation > newest.generation:
            self._put(replace(slot, index=1 - newest.index), content)
        self.sync()

    def _put(self, slot: Slot, content: bytes) -> None:
        try:
            if os.pwrite(self.descriptor, content, slot.index * SLOT_BYTES) != SLOT_BYTES:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
        except OSError as err:
            raise _failed("written", err) from err
        first, second = self._content[:SLOT_BYTES], self._content[SLOT_BYTES:]
        self._content = first + content if slot.index else content + second
        self._newest = slot

    def _look(self) -> Slot | None:
        if self._looked:
            return self._newest
        if self._descriptor is None:
            self._descriptor = self._folder.open_part(self._name)
            self._facts = None if self._descriptor is None else os.fstat(self._descriptor)
        if self._descriptor is None:
            self._newest, self._content = None, b""
        else:
            try:
                content = os.pread(self._descriptor, 2 * SLOT_BYTES, 0)
            except OSError as err:
                raise _failed("read", err) from err
            if content != self._content or self._newest is None:
                self._newest, self._content = self._read_slots(content), content
        self._looked = True
        return self._newest

    def _read_slots(self, content: bytes) -> Slot:
        halves = (content[:SLOT_BYTES], content[SLOT_BYTES:])
        slots = [slot for index, half in enumerate(halves) if (slot := read_slot(index, half)) is not None]
        if not slots:
            message = (
                f"the memory of signed heads of {self.ledger_id} is damaged; restore the file {self._name} "
                "of the keys, or put it aside to start anew from the ledger as it is"
            )
            raise ConfigurationError(message)
        return max(slots, key=lambda slot: slot.generation)

    def sync(self) -> None:
        """Make durable what this or another process wrote. Raises: ConfigurationError when the disk fails."""
        if self._look() is not None and self._descriptor is not None:
            sync_file(self._descriptor)

    @property
    def descriptor(self) -> int:
        """Return the descriptor of the open file, which has been read or written."""
        assert self._descriptor is not None
        return self._descriptor

    @property
    def identity(self) -> tuple[str, int]:
        """Return the ledger and the number of the open file, which is another one when it was put in place anew."""
        assert self._facts is not None
        return self.ledger_id, self._facts.st_ino

    def another_descriptor(self) -> int:
        """Return a descriptor of the file that outlives this one's; the caller closes it."""
        return os.dup(self.descriptor)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor, self._facts, self._content, self._looked = None, None, b"", False


def sync_file(descriptor: int) -> None:
    """Bring the bytes of an open memory to the disk.

    Raises: ConfigurationError when the disk fails.
    """
    try:
        os.fdatasync(descriptor)
    except OSError as err:
        raise _failed("synced", err) from err


def _failed(done: str, err: OSError) -> ConfigurationError:
    return ConfigurationError(f"the memory of signed heads cannot be {done}: {os.strerror(err.errno or 0)}")


def _spell(ledger_id: str, generation: int, heads: SignedHeads) -> bytes:
    # Canonical as it stands: the keys are in their order, and nothing in it needs an escape.
    committed = "null" if heads.committed is None else _record(heads.committed)
    data = (
        f'{{"committed":{committed},"generation":{generation},"ledger":"{ledger_id}",'
        f'"signed":{_record(heads.signed)}}}'
    ).encode("ascii")
    return (hashlib.sha256(data).hexdigest().encode("ascii") + data).ljust(SLOT_BYTES)


def read_slot(index: int, content: bytes) -> Slot | None:
    """Return what a slot holds, or None when it was never written or only in part."""
    check, data = content[:_CHECK_LENGTH], content[_CHECK_LENGTH:].rstrip(b" ")
    if hashlib.sha256(data).hexdigest().encode("ascii") != check:
        return None
    try:
        record = decode_canonical(data)
        committed = record["committed"]
        heads = SignedHeads(_head(record["signed"]), None if committed is None else _head(committed))
        return Slot(str(record.get("ledger", "")), index, int(record["generation"]), heads)
    except (CanonicalError, KeyError, TypeError, ValueError):
        return None


def _record(head: LogHead) -> str:
    return f'{{"root":"{head.root.hex()}","size":{head.size}}}'


def _head(record: dict[str, Any]) -> LogHead:
    return LogHead(int(record["size"]), bytes.fromhex(record["root"]))
