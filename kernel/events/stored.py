"""What a ledger takes and gives back: heads, stored events, recorded commands, proofs, audits.

Plain frozen dataclasses that travel between `app` and `adapters/ledger`; none of them stands in an event.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from kernel.events.envelope import Event
from kernel.values.words import Unseal


@dataclass(frozen=True, slots=True)
class Head:
    """Where a ledger stands: the last sequence number, the hex root over that many leaves, the revision."""

    seq: int
    """0 while the ledger is empty."""
    root: str
    revision: int | None
    """Number of the latest revision; None before the first."""


@dataclass(frozen=True, slots=True)
class Appended:
    """What one append made durable: events `first_seq` to `head_seq`, and the head that follows."""

    first_seq: int
    head_seq: int
    root: str
    revision: int | None


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event read back, its words opened where they are still known, and its leaf hash in the log."""

    event: Event
    leaf_hash: bytes


@dataclass(frozen=True, slots=True)
class EventAsWritten:
    """An event in its current version, and the canonical bytes it was once written as, perhaps of an earlier one.

    What brings a ledger from elsewhere appends these: the leaf in the log stays that of the bytes.
    """

    event: Event
    data: bytes


Written: TypeAlias = tuple[bytes, Unseal | None]
"""An event as it was written: its canonical bytes, and what opens its words; None when nothing does any more."""


@dataclass(frozen=True, slots=True)
class CommandMaterial:
    """Who asked for what under which id; `material` is what makes two requests the same."""

    actor_id: str
    command_id: str
    material: bytes


@dataclass(frozen=True, slots=True)
class RecordedCommand:
    """A command that was carried out: its first append wrote `count` events from `first_seq` on."""

    ledger_id: str
    command_id: str
    first_seq: int
    count: int


@dataclass(frozen=True, slots=True)
class InclusionPath:
    """The proof that one event is in the log of a signed head: hashes from the leaf to the root, hex, the lowest first."""

    ledger_id: str
    seq: int
    leaf_hash: str
    size: int
    root: str
    hashes: tuple[str, ...]
    checkpoint: str
    """The signed note over this size and root."""


@dataclass(frozen=True, slots=True)
class LastAppend:
    """The last two checkpoints of a ledger, and the RFC 9162 proof that the later one extends the earlier."""

    ledger_id: str
    note: str
    note_before: str
    proof: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class SealedTexts:
    """The texts of one event as they lie in the store, with the data key that opens them."""

    digest: str
    key_id: str
    key: bytes = field(repr=False)
    ciphertext: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class ExportedEvent:
    """One event on its way out: its canonical bytes and, while they are known, its texts."""

    data: bytes
    texts: SealedTexts | None


@dataclass(frozen=True, slots=True)
class ExportedLedger:
    """One moment of a ledger on its way out; `events` is read as it is gone through, once."""

    ledger_id: str
    size: int
    root: str
    revision: int | None
    events: Iterator[ExportedEvent]
    checkpoints: tuple[tuple[int, str], ...]
    """(size, signed note), by size."""


@dataclass(frozen=True, slots=True)
class Tombstone:
    """That the words of a capture were erased, kept outside the database, so that a restored copy is erased too."""

    ledger_id: str
    source_id: str
    at: str


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What re-reading a whole ledger found; without problems, it is the one that was written."""

    ledger_id: str
    size: int
    """Events that were read."""
    root: str
    """The hex root recomputed from them."""
    problems: tuple[str, ...]
    """One sentence each, in the order of the events."""
