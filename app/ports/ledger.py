"""The store of ledgers, what destroys words in it, and what carries it out of an installation and in."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from kernel.events.envelope import Event
from kernel.events.stored import (
    Appended,
    AuditReport,
    CommandMaterial,
    EventAsWritten,
    Head,
    InclusionPath,
    RecordedCommand,
    StoredEvent,
    Tombstone,
    Written,
)
from kernel.provenance.read_bundle import ReadBundle


class Ledger(Protocol):
    """The append-only store of every ledger of the installation."""

    def append(
        self,
        ledger_id: str,
        expected_seq: int,
        events: Sequence[Event | EventAsWritten],
        command: CommandMaterial | None = None,
    ) -> Appended:
        """Write the events after `expected_seq`, all or none, durably; as they were written, when that is given.

        Raises: LedgerConflictError.
        """
        ...

    def find_command(
        self, ledger_id: str, actor_id: str, command_id: str, material: bytes
    ) -> RecordedCommand | None:
        """Return what the command recorded, or None. Raises: CommandConflictError."""
        ...

    def head(self, ledger_id: str) -> Head:
        """Return where the ledger stands; an unknown one is empty."""
        ...

    def read(self, ledger_id: str, after_seq: int = 0, limit: int | None = None) -> list[StoredEvent]:
        """Return the events after `after_seq`, in order."""
        ...

    def history(self, ledger_id: str) -> Generator[Sequence[Written], None, None]:
        """Yield the whole ledger as it was written, in order, proved by the head's root once the last page was taken.

        Raises: HistoryError, at the latest after the last page: use nothing of it before.
        """
        ...

    def entries(self, ledger_id: str, after_seq: int = 0, limit: int | None = None) -> list[bytes]:
        """Return the canonical bytes of the events after `after_seq` as they were written, in order."""
        ...

    def page(self, ledger_id: str, before_seq: int | None, limit: int) -> list[StoredEvent]:
        """Return at most `limit` events before a sequence number (None: from the head), newest first."""
        ...

    def picked(self, ledger_id: str, seqs: Sequence[int]) -> list[StoredEvent]:
        """Return the events of exactly these sequence numbers, in the order given; one that is not there is left out."""
        ...

    def ledgers(self) -> list[str]:
        """Return every ledger's id."""
        ...

    def ledger_of(self, subject_id: str) -> str | None:
        """Return the ledger in which this id came into being."""
        ...

    def changed(self) -> int:
        """Return a number that differs when anybody wrote since."""
        ...

    def wait(self, version: int, timeout_s: float) -> int:
        """Return what `changed` says once it is another than `version`, or after so many seconds as far as is known.

        Soon after another process wrote, and at the latest a few seconds after.
        """
        ...

    def checkpoint(self, ledger_id: str) -> str:
        """Return the latest signed note."""
        ...

    def path(self, ledger_id: str, seq: int) -> InclusionPath:
        """Return the inclusion proof of one event against the head, with the head's signed note."""
        ...

    def root(self, ledger_id: str, size: int) -> bytes:
        """Return the root of the log of the first `size` events. Raises: HistoryError when it has fewer."""
        ...

    def consistency(self, ledger_id: str, first: int, size: int) -> tuple[bytes, ...]:
        """Return the proof that the log of `first` events begins the one of `size`. Raises: HistoryError."""
        ...

    def tile(self, ledger_id: str, level: int, index: int, *, width: int) -> tuple[bytes, ...]:
        """Return the first `width` of the 256 hashes of a tile. Raises: NotFoundError when the log is not that long."""
        ...

    def audit(self, ledger_id: str, *, remembers_all: bool = False) -> AuditReport:
        """Re-read everything and report what does not fit; with `remembers_all` a forgotten command is that too."""
        ...


class Eraser(Protocol):
    """Destroys the data keys of captures, and remembers that it did outside the database."""

    def erase(self, ledger_id: str, source_ids: Sequence[str], at: str) -> bool:
        """Make the words unreadable for good; tell whether no remains lie in the database's log either."""
        ...

    def unfinished(self, source_ids: Sequence[str]) -> tuple[str, ...]:
        """Return those whose data key or ciphertext is still there."""
        ...

    def tombstones(self) -> tuple[Tombstone, ...]:
        """Return what was ever erased here. Raises: ConfigurationError."""
        ...

    def settle(self) -> None:
        """Finish a change of the master key that a dead process left."""
        ...


@dataclass(frozen=True, slots=True)
class WrittenBundle:
    """What a bundle that was written holds."""

    sha256: str
    """The digest of the file."""
    size: int
    """How many events are in it."""


class BundleWriter(Protocol):
    """Writes one ledger as a bundle that can be verified without this product."""

    def __call__(self, ledger_id: str, target: Path, trust: Path | None) -> WrittenBundle:
        """Write the file, and a trust file beside it when named; return what is in it. Raises: InvalidError."""
        ...


class BundleReader(Protocol):
    """Reads a bundle and tests all of it."""

    def __call__(self, source: Path, trust: Path | None) -> ReadBundle:
        """Return what it says; what fails, also against the trust file, is among the problems."""
        ...


class BackupWriter(Protocol):
    """Writes the installation's database and keys of one moment."""

    def __call__(self, target: Path, *, with_master_key: bool) -> tuple[str, ...]:
        """Write the file and return the names of what is in it. Raises: InvalidError."""
        ...
