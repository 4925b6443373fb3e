"""The writing half of a ledger in a database: a group of appends in one transaction, each all or nothing.

Per append: the head moves from the expected sequence number, then the events, the blob of each event's texts, the
ids they create and the command that asked for them; per ledger of the group one signed checkpoint, last. What a
caller was told is on disk, and so is the signer's memory of it. Owns the meaning of the rows; connections are the
store's, the queue before it is `group`'s.
"""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection

from adapters.ledger.audit import CheckpointSigner, StoredHead
from adapters.ledger.batch import Batch, Entry
from adapters.ledger.database import Database, driver_cursor
from adapters.ledger.group import Ticket
from adapters.ledger.statements import Statements
from adapters.ledger.vault import MAC_KEY_NAME, Vault, blob_digest, material_mac
from kernel.errors import (
    CommandConflictError,
    HistoryError,
    LedgerConflictError,
    LedgerUnavailableError,
    StudioError,
)
from kernel.events.stored import Appended, CommandMaterial, RecordedCommand
from kernel.merkle import HASH_BYTES, Edge, LogHead, extension_proof

_EMPTY: Final = StoredHead(0, None, Edge(), Edge().root())


@dataclass(frozen=True, slots=True)
class Tables:
    """The rows within one transaction: a driver's cursor, the engine's SQL, and what opens the keys."""

    cursor: Any
    sql: Statements
    vault: Vault

    def one(self, statement: str, **values: object) -> Any:  # noqa: ANN401 - a row
        """Return the first row, or None."""
        return self.cursor.execute(statement, values).fetchone()

    def put(self, statement: str, **values: object) -> int:
        """Write; return how many rows took it."""
        return int(self.cursor.execute(statement, values).rowcount)


@dataclass
class _Growth:
    """How one ledger grows within a group."""

    before: StoredHead
    after: StoredHead
    leaves: list[bytes]


class Appender:
    """Writes groups of appends; one thread at a time."""

    def __init__(self, store: Database, vault: Vault, signer: CheckpointSigner) -> None:
        self._store = store
        self._vault = vault
        self._signer = signer

    def write(self, group: Sequence[Ticket]) -> None:
        """Give every ticket its answer: durable, or why not.

        What goes wrong for all before the COMMIT is tried again one by one, so that it meets only its owner.
        """
        begun = False
        try:
            with self._signer.beside_commit(), self._store.writing() as connection:
                begun = True
                answers = self._write_all(connection, group)
        except Exception as err:  # noqa: BLE001 - every owner of a ticket raises its own
            unknown = isinstance(err, StudioError) and err.reason_code == "commit_unknown"
            if len(group) > 1 and begun and not unknown:
                for ticket in group:
                    self.write([ticket])
                return
            for ticket in group:
                ticket.failure = _for_one(err) if len(group) > 1 else err
            return
        for ticket, answer in answers:
            if isinstance(answer, Appended):
                ticket.appended = answer
            else:
                ticket.failure = answer

    def _write_all(
        self, connection: Connection, group: Sequence[Ticket]
    ) -> list[tuple[Ticket, Appended | Exception]]:
        tables = Tables(driver_cursor(connection), self._store.statements, self._vault)
        growths: dict[str, _Growth] = {}
        answers: list[tuple[Ticket, Appended | Exception]] = []
        # Every process locks ledgers in the same order, so that none waits for another in a circle.
        for ticket in sorted(group, key=lambda ticket: ticket.batch.ledger_id):
            if len(group) == 1:
                answers.append((ticket, self._write_one(tables, ticket, growths)))
            else:
                answers.append((ticket, self._write_within(tables, ticket, growths)))
        for ledger_id, growth in growths.items():
            # Last, so that nothing but the COMMIT can fail once a head is signed.
            self._write_checkpoint(tables, ledger_id, growth)
        return answers

    def _write_within(
        self, tables: Tables, ticket: Ticket, growths: dict[str, _Growth]
    ) -> Appended | Exception:
        """Write one append of several; what refuses it leaves the others as they are."""
        tables.cursor.execute("SAVEPOINT append")
        try:
            appended = self._write_one(tables, ticket, growths)
        except StudioError as err:
            tables.cursor.execute("ROLLBACK TO SAVEPOINT append")
            return err
        finally:
            # Not reached with a transaction that the engine has ended: its RELEASE raises, and all is undone.
            tables.cursor.execute("RELEASE SAVEPOINT append")
        return appended

    def _write_one(self, tables: Tables, ticket: Ticket, growths: dict[str, _Growth]) -> Appended:
        batch, command = ticket.batch, ticket.command
        before = stored_head(tables, batch.ledger_id, locked=True)
        if command is not None and recorded_command(tables, batch.ledger_id, command) is not None:
            raise LedgerConflictError(
                f"the command {command.command_id} was recorded meanwhile; look it up", head_seq=before.seq
            )
        if before.seq != batch.expected_seq:
            raise LedgerConflictError(
                f"the ledger {batch.ledger_id} stands at event {before.seq}, not at {batch.expected_seq}; load and "
                "decide again",
                head_seq=before.seq,
            )
        edge = batch.extend(before.edge)
        after = StoredHead(batch.head_seq, batch.revision(before.revision), edge, edge.root())
        try:
            _move_head(tables, batch.ledger_id, before, after)
            for entry in batch.entries:
                _write_event(tables, batch.ledger_id, entry)
            _write_command(tables, batch, command)
        except self._store.integrity_errors as err:
            raise HistoryError(f"the database refused these events: {err}") from err
        growth = growths.setdefault(batch.ledger_id, _Growth(before, after, []))
        growth.after = after
        growth.leaves.extend(entry.leaf_hash for entry in batch.entries)
        return Appended(batch.expected_seq + 1, after.seq, after.root.hex(), after.revision)

    def _write_checkpoint(self, tables: Tables, ledger_id: str, growth: _Growth) -> None:
        before, after = growth.before, growth.after
        note = self._signer.sign_checkpoint(
            ledger_id,
            after.seq,
            after.root,
            after=LogHead(before.seq, before.root),
            proof=extension_proof(before.edge, growth.leaves),
        )
        try:
            tables.put(tables.sql.INSERT_CHECKPOINT, ledger_id=ledger_id, size=after.seq, note=note)
        except self._store.integrity_errors as err:
            raise HistoryError(f"the database refused the checkpoint: {err}") from err


def stored_head(tables: Tables, ledger_id: str, *, locked: bool = False) -> StoredHead:
    """Return where a ledger stands; `locked` keeps it there until the transaction ends."""
    row = tables.one(tables.sql.LOCK_LEDGER if locked else tables.sql.SELECT_LEDGER, ledger_id=ledger_id)
    if row is None:
        return _EMPTY
    hashes = tuple(row[2][start : start + HASH_BYTES] for start in range(0, len(row[2]), HASH_BYTES))
    return StoredHead(row[0], row[1], Edge(row[0], hashes), row[3])


def recorded_command(tables: Tables, ledger_id: str, command: CommandMaterial) -> RecordedCommand | None:
    """Return what this command recorded, or None.

    Raises: CommandConflictError when its id was used for other material.
    """
    names = (ledger_id, command.actor_id, command.command_id)
    row = tables.one(
        tables.sql.SELECT_COMMAND, ledger_id=ledger_id, actor_id=names[1], command_id=command.command_id
    )
    if row is None:
        return None
    wrapped = tables.one(tables.sql.SELECT_KEY, key_id=MAC_KEY_NAME)
    if wrapped is None:
        raise HistoryError("the key of remembered commands is gone; restore the database from a backup")
    key = tables.vault.unwrap(MAC_KEY_NAME, wrapped[0])
    if not hmac.compare_digest(row[0], material_mac(key, names, command.material)):
        raise CommandConflictError(
            f"the command {command.command_id} was already used for something else; send a fresh id"
        )
    return RecordedCommand(ledger_id, command.command_id, row[1], row[2])


def _move_head(tables: Tables, ledger_id: str, before: StoredHead, after: StoredHead) -> None:
    sql = tables.sql
    if before.seq == 0:
        tables.put(sql.OPEN_LEDGER, id=ledger_id, head_seq=0, head_revision=None, edge=b"", root=before.root)
    moved = tables.put(
        sql.ADVANCE_LEDGER,
        ledger_id=ledger_id,
        expected_seq=before.seq,
        to_seq=after.seq,
        to_revision=after.revision,
        to_edge=b"".join(after.edge.hashes),
        to_root=after.root,
    )
    if moved != 1:
        # Two processes began the same ledger: the other one was first.
        head = tables.one(sql.SELECT_LEDGER, ledger_id=ledger_id)
        raise LedgerConflictError(
            f"the ledger {ledger_id} was begun meanwhile; load and decide again", head_seq=head[0]
        )


def _write_event(tables: Tables, ledger_id: str, entry: Entry) -> None:
    event, digest = entry.event, None
    if entry.openings:
        key = _data_key(tables, entry.data_key)
        blob = tables.vault.seal(key, entry.openings, (ledger_id, event.id))
        digest = blob_digest(blob)
        tables.put(tables.sql.INSERT_BLOB, digest=digest, key_id=entry.data_key, ciphertext=blob)
    tables.put(
        tables.sql.INSERT_EVENT,
        ledger_id=ledger_id,
        seq=event.seq,
        id=event.id,
        data=entry.data,
        leaf_hash=entry.leaf_hash,
        blob_digest=digest,
    )
    for subject in entry.subjects:
        tables.put(tables.sql.INSERT_SUBJECT, id=subject, ledger_id=ledger_id, seq=event.seq)


def _data_key(tables: Tables, name: str) -> bytes:
    row = tables.one(tables.sql.SELECT_KEY, key_id=name)
    if row is None:
        tables.vault.settle(lambda: tables.one(tables.sql.SELECT_KEYS))
        key = tables.vault.new_key()
        if tables.put(tables.sql.INSERT_KEY, id=name, wrapped=tables.vault.wrap(name, key)) == 1:
            return key
        # Another process made it since we looked.
        row = tables.one(tables.sql.SELECT_KEY, key_id=name)
    return tables.vault.unwrap(name, row[0])


def _write_command(tables: Tables, batch: Batch, command: CommandMaterial | None) -> None:
    if command is None:
        return
    key = _data_key(tables, MAC_KEY_NAME)
    names = (batch.ledger_id, command.actor_id, command.command_id)
    tables.put(
        tables.sql.INSERT_COMMAND,
        ledger_id=batch.ledger_id,
        actor_id=command.actor_id,
        command_id=command.command_id,
        material_mac=material_mac(key, names, command.material),
        first_seq=batch.expected_seq + 1,
        count=len(batch.entries),
    )


def _for_one(err: Exception) -> Exception:
    """Return the failure of a group as a fresh error for one of its owners, who raises it in a thread of its own."""
    message = err.message if isinstance(err, StudioError) else str(err)
    code = err.reason_code if isinstance(err, StudioError) else None
    own = LedgerUnavailableError(message, code=code)
    own.__cause__ = err.__cause__ or err
    return own
