"""The ledger in a database: append-only, compare-and-swap on the sequence, texts encrypted, heads signed.

Owns what is read and proved; `appending` writes, `group` brings concurrent appends into one transaction, and the
connections are the store's, whichever engine it opens.
"""

from collections.abc import Generator, Iterator, Sequence
from functools import partial

from sqlalchemy import Connection

from adapters.ledger.appending import Appender, Tables, recorded_command, stored_head
from adapters.ledger.audit import Audit, CheckpointSigner, StoredRow
from adapters.ledger.batch import batch_of
from adapters.ledger.database import Database, driver_cursor
from adapters.ledger.derived import DerivedRows
from adapters.ledger.group import CommitQueue, Ticket
from adapters.ledger.history import PAGE as TEXTS
from adapters.ledger.history import Row, TextPage, Unlocking, written_pages
from adapters.ledger.statements import SEQ_MAX
from adapters.ledger.tiles import Tiles, inclusion_path, require_tile
from adapters.ledger.vault import Vault, parsed_openings
from kernel.errors import HistoryError, NotFoundError
from kernel.events.envelope import Event
from kernel.events.stored import (
    Appended,
    AuditReport,
    CommandMaterial,
    EventAsWritten,
    Head,
    InclusionPath,
    LastAppend,
    RecordedCommand,
    StoredEvent,
    Written,
)
from kernel.merkle import LogHead
from kernel.upcast import STEPS, Steps, decode_event
from kernel.values.words import Openings


class SqlLedger:
    """Every ledger of an installation in one database; safe to use from several threads and processes."""

    def __init__(
        self, store: Database, vault: Vault, signer: CheckpointSigner, *, steps: Steps = STEPS
    ) -> None:
        self._store = store
        self._steps = steps
        self._sql = store.statements
        self._vault = vault
        self._signer = signer
        self._queue = CommitQueue(Appender(store, vault, signer).write)
        self._tiles = Tiles(self._leaves)

    def _tables(self, connection: Connection) -> Tables:
        return Tables(driver_cursor(connection), self._sql, self._vault)

    def append(
        self,
        ledger_id: str,
        expected_seq: int,
        events: Sequence[Event | EventAsWritten],
        command: CommandMaterial | None = None,
    ) -> Appended:
        """Write these events right after `expected_seq`, all or none, durably before it returns.

        Raises: LedgerConflictError when the head is elsewhere, or when this command was recorded meanwhile;
                CommandConflictError when its id was used for something else; HistoryError when the events do
                not fit or an id is taken; LedgerUnavailableError when the database cannot be written.
        """
        ticket = Ticket(batch_of(ledger_id, expected_seq, events, self._steps), command)
        return self._queue.submit(ticket)

    def find_command(
        self, ledger_id: str, actor_id: str, command_id: str, material: bytes
    ) -> RecordedCommand | None:
        """Return what this actor's command recorded, or None when the id is unused by this actor.

        Raises: CommandConflictError when the id was used for other material.
        """
        with self._store.reading() as connection:
            command = CommandMaterial(actor_id, command_id, material)
            return recorded_command(self._tables(connection), ledger_id, command)

    def head(self, ledger_id: str) -> Head:
        """Return where the ledger stands; an unknown ledger is empty."""
        with self._store.reading() as connection:
            stored = stored_head(self._tables(connection), ledger_id)
        return Head(stored.seq, stored.root.hex(), stored.revision)

    def read(self, ledger_id: str, after_seq: int = 0, limit: int | None = None) -> list[StoredEvent]:
        """Return the events after `after_seq`, oldest first, at most `limit`, their words opened.

        Raises: HistoryError when an event, a blob or a key is not what was written.
        """
        unlocking = Unlocking(self._vault, ledger_id)
        return [self._stored(row, unlocking) for row in self._rows(ledger_id, after_seq, self._limit(limit))]

    def _rows(self, ledger_id: str, after_seq: int, limit: int | None) -> list[Row]:
        asked = {"ledger_id": ledger_id, "after_seq": after_seq, "limit": limit, "offset": 0}
        with self._store.reading() as connection:
            rows: list[Row] = driver_cursor(connection).execute(self._sql.SELECT_EVENTS, asked).fetchall()
        return rows

    def entries(self, ledger_id: str, after_seq: int = 0, limit: int | None = None) -> list[bytes]:
        """Return the canonical bytes of the events after `after_seq` as they were written, at most `limit`."""
        asked = {"ledger_id": ledger_id, "after_seq": after_seq, "limit": self._limit(limit), "offset": 0}
        with self._store.reading() as connection:
            return [row[0] for row in driver_cursor(connection).execute(self._sql.SELECT_ENTRIES, asked)]

    def page(self, ledger_id: str, before_seq: int | None, limit: int) -> list[StoredEvent]:
        """Return at most `limit` events before `before_seq` (None: up to the head), newest first.

        Raises: HistoryError when an event, a blob or a key is not what was written.
        """
        # Above every event there can be, and within what each engine takes for a number of this column.
        before = SEQ_MAX if before_seq is None else min(before_seq, SEQ_MAX)
        asked = {"ledger_id": ledger_id, "before_seq": before, "limit": self._limit(limit), "offset": 0}
        with self._store.reading() as connection:
            rows: list[Row] = driver_cursor(connection).execute(self._sql.SELECT_PAGE, asked).fetchall()
        unlocking = Unlocking(self._vault, ledger_id)
        return [self._stored(row, unlocking) for row in rows]

    def picked(self, ledger_id: str, seqs: Sequence[int]) -> list[StoredEvent]:
        """Return the events of exactly these sequence numbers, in the order given; one that is not there is left out.

        Raises: HistoryError when an event, a blob or a key is not what was written.
        """
        rows: list[Row] = []
        with self._store.reading() as connection:
            cursor = driver_cursor(connection)
            for seq in seqs:
                asked = {"ledger_id": ledger_id, "before_seq": seq + 1, "limit": 1, "offset": 0}
                rows += [row for row in cursor.execute(self._sql.SELECT_PAGE, asked) if row[0] == seq]
        unlocking = Unlocking(self._vault, ledger_id)
        return [self._stored(row, unlocking) for row in rows]

    def history(self, ledger_id: str) -> Generator[Sequence[Written], None, None]:
        """Yield the whole ledger as it was written, oldest first, in one snapshot, proved by the root of its head.

        Raises: HistoryError, at the latest after the last page: use nothing of it before the end was reached.
        """
        asked = {"ledger_id": ledger_id, "after_seq": -1, "limit": self._sql.NO_LIMIT, "offset": 0}
        with self._store.reading() as connection:
            head = stored_head(self._tables(connection), ledger_id)
            rows = driver_cursor(connection).execute(self._sql.SELECT_ENTRIES, asked)
            yield from written_pages(rows, LogHead(head.seq, head.root), partial(self._texts, ledger_id))

    def _texts(self, ledger_id: str, after_seq: int) -> TextPage:
        return TextPage(partial(self._rows, ledger_id, after_seq, TEXTS), Unlocking(self._vault, ledger_id))

    def ledgers(self) -> list[str]:
        """Return the ids of every ledger, sorted."""
        with self._store.reading() as connection:
            return [row[0] for row in driver_cursor(connection).execute(self._sql.SELECT_LEDGER_IDS)]

    def ledger_of(self, subject_id: str) -> str | None:
        """Return the ledger whose event created this id, or None."""
        with self._store.reading() as connection:
            row = (
                driver_cursor(connection)
                .execute(self._sql.SELECT_SUBJECT, {"subject_id": subject_id})
                .fetchone()
            )
        return None if row is None else str(row[0])

    def changed(self) -> int:
        """Return a number that differs from the last one when anyone, in any process, has written since."""
        return self._store.version()

    def wait(self, version: int, timeout_s: float) -> int:
        """Return what `changed` says once it is another than `version`, or after at most so many seconds."""
        return self._store.wait(version, timeout_s)

    def checkpoint(self, ledger_id: str) -> str:
        """Return the signed note of the ledger's head.

        Raises: NotFoundError when the ledger is empty.
        """
        with self._store.reading() as connection:
            cursor = driver_cursor(connection)
            row = cursor.execute(self._sql.SELECT_CHECKPOINT, {"ledger_id": ledger_id}).fetchone()
        if row is None:
            raise NotFoundError(f"there is no ledger {ledger_id}, so it has no checkpoint")
        return str(row[0])

    def path(self, ledger_id: str, seq: int) -> InclusionPath:
        """Return the proof that event `seq` is in the log of the current head, with the head's signed note.

        Raises: NotFoundError when there is no such event.
        """
        with self._store.reading() as connection:
            size = stored_head(self._tables(connection), ledger_id).seq
            asked = {"ledger_id": ledger_id}
            note = driver_cursor(connection).execute(self._sql.SELECT_CHECKPOINT, asked).fetchone()
        return inclusion_path(self._tiles, ledger_id, seq, size=size, checkpoint=note[0] if note else "")

    def root(self, ledger_id: str, size: int) -> bytes:
        """Return the root of the log of the first `size` events. Raises: HistoryError when it has fewer."""
        return self._tiles.root(ledger_id, size)

    def consistency(self, ledger_id: str, first: int, size: int) -> tuple[bytes, ...]:
        """Return the proof that the log of `first` events begins the one of `size`. Raises: HistoryError."""
        return self._tiles.consistency(ledger_id, first, size)

    def tile(self, ledger_id: str, level: int, index: int, *, width: int) -> tuple[bytes, ...]:
        """Return the first `width` hashes of a tile of the log. Raises: NotFoundError when it is not that long."""
        require_tile(level, index, width, size=self.head(ledger_id).seq)
        return self._tiles.tile(ledger_id, level, index, width=width)

    def _leaves(self, ledger_id: str, after: int, count: int) -> list[bytes]:
        asked = {"ledger_id": ledger_id, "after_seq": after, "limit": count, "offset": 0}
        with self._store.reading() as connection:
            return [row[0] for row in driver_cursor(connection).execute(self._sql.SELECT_LEAVES, asked)]

    def audit(self, ledger_id: str, *, remembers_all: bool = False) -> AuditReport:
        """Re-read the whole ledger, recompute everything, and say each thing that is not as it was written.

        With `remembers_all`, an event whose command is not remembered is one of them.
        """
        asked, audit = {"ledger_id": ledger_id}, Audit(ledger_id, self._signer, self._steps)
        with self._store.reading() as connection:
            head = stored_head(self._tables(connection), ledger_id)
            notes = driver_cursor(connection).execute(self._sql.SELECT_CHECKPOINTS, asked)
            report = audit.report(head, self._audit_rows(connection, ledger_id), dict(notes.fetchall()))
            subjects = driver_cursor(connection).execute(self._sql.SELECT_SUBJECTS, asked).fetchall()
            commands = driver_cursor(connection).execute(self._sql.SELECT_COMMANDS, asked).fetchall()
        return audit.compare(report, DerivedRows(subjects, commands), remembers_all=remembers_all)

    def _audit_rows(self, connection: Connection, ledger_id: str) -> Iterator[StoredRow]:
        # From below the first place on, so that a row that crept in under it is seen too.
        asked = {"ledger_id": ledger_id, "after_seq": -1, "limit": self._sql.NO_LIMIT, "offset": 0}
        for row in driver_cursor(connection).execute(self._sql.SELECT_EVENTS, asked):
            yield StoredRow(
                row[0], row[1], row[2], row[3], partial(_openings, row, Unlocking(self._vault, ledger_id))
            )

    def follow(self, ledger_id: str) -> bool:
        """Bring the signer's memory on by the one append whose sync a failure of the power took, if it was that.

        A ledger whose own notes do not fit is left as it is: whoever asks refuses it for the reason it had.
        """
        try:
            last = self.last_append(ledger_id)
            return last is not None and self._signer.follow(last)
        except HistoryError:
            return False

    def last_append(self, ledger_id: str) -> LastAppend | None:
        """Return the last two checkpoints and the proof between them; None while there are not two.

        Raises: HistoryError when a note does not verify, or the events are not those of the notes.
        """
        asked = {"ledger_id": ledger_id}
        with self._store.reading() as connection:
            notes = driver_cursor(connection).execute(self._sql.SELECT_CHECKPOINT, asked).fetchmany(2)
            size = stored_head(self._tables(connection), ledger_id).seq
        if len(notes) != 2:  # noqa: PLR2004 - the last one and the one before
            return None
        last, before = str(notes[0][0]), str(notes[1][0])
        head = self._signer.verify_note(ledger_id, last)
        # Tiles of its own: what a process remembers of full ones must not speak for the database of today.
        tiles = Tiles(self._leaves)
        if (head.size, head.root) != (size, tiles.root(ledger_id, size)):
            raise HistoryError(f"the last checkpoint of {ledger_id} is not of its events")
        earlier = self._signer.verify_note(ledger_id, before)
        return LastAppend(ledger_id, last, before, tiles.consistency(ledger_id, earlier.size, size))

    def _stored(self, row: Row, unlocking: Unlocking) -> StoredEvent:
        return StoredEvent(decode_event(row[2], _openings(row, unlocking), self._steps), row[3])

    def _limit(self, limit: int | None) -> int | None:
        return self._sql.NO_LIMIT if limit is None else limit


def _openings(row: Row, unlocking: Unlocking) -> Openings:
    texts = unlocking.texts(row)
    return {} if texts is None else parsed_openings(texts)
