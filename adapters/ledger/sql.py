"""The ledger in a database: append-only, compare-and-swap on the sequence, texts encrypted, heads signed.

One append is one transaction: it moves the head from the expected sequence number, writes the events, the blob
of each event's texts, the ids they create, the command that asked for them, and the signed checkpoint of the
new head. What a caller was told is on disk. Owns the meaning of the rows; the connections are the store's.
"""

import hmac
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

import pysqlite3
from sqlalchemy import Connection

from adapters.ledger import statements
from adapters.ledger.audit import Audit, CheckpointSigner, StoredHead, StoredRow
from adapters.ledger.batch import Batch, Entry, batch_of
from adapters.ledger.store import Store, driver_cursor
from adapters.ledger.vault import MAC_KEY_NAME, Vault, blob_digest, material_mac
from kernel.errors import CommandConflictError, HistoryError, LedgerConflictError, NotFoundError
from kernel.events.envelope import Event, decode_event
from kernel.events.stored import (
    Appended,
    AuditReport,
    CommandMaterial,
    Head,
    InclusionPath,
    RecordedCommand,
    StoredEvent,
)
from kernel.merkle import HASH_BYTES, Edge, LogHead, inclusion_proof, root_of
from kernel.values.words import Openings

_Row: TypeAlias = tuple[int, str, bytes, bytes, str | None, str | None, bytes | None, bytes | None]
"""seq, id, data, leaf hash, blob digest, key name, ciphertext, wrapped key."""

_Keys: TypeAlias = dict[tuple[str, bytes], bytes]
"""(name, wrapped key) -> data key."""

_EMPTY: Final = StoredHead(0, None, Edge(), Edge().root())


class SqlLedger:
    """Every ledger of an installation in one database; safe to use from several threads and processes."""

    def __init__(self, store: Store, vault: Vault, signer: CheckpointSigner) -> None:
        self._store = store
        self._vault = vault
        self._signer = signer

    def append(
        self,
        ledger_id: str,
        expected_seq: int,
        events: Sequence[Event],
        command: CommandMaterial | None = None,
    ) -> Appended:
        """Write these events right after `expected_seq`, all or none, durably before it returns.

        Raises: LedgerConflictError when the head is elsewhere, or when this command was recorded meanwhile;
                CommandConflictError when its id was used for something else; HistoryError when the events do
                not fit or an id is taken; LedgerUnavailableError when the database cannot be written.
        """
        batch = batch_of(ledger_id, expected_seq, events)
        with self._store.writing() as connection:
            cursor = driver_cursor(connection)
            before = self._head(cursor, ledger_id)
            self._refuse_recorded(cursor, batch, command, before)
            if before.seq != expected_seq:
                raise LedgerConflictError(
                    f"the ledger {ledger_id} stands at event {before.seq}, not at {expected_seq}; load and decide "
                    "again",
                    head_seq=before.seq,
                )
            after = _advanced(batch, before)
            try:
                self._write(cursor, batch, before, after)
                self._write_command(cursor, batch, command)
                # Last, so that nothing but the COMMIT can fail once a head is signed.
                self._write_checkpoint(cursor, batch, before, after)
            except pysqlite3.IntegrityError as err:
                raise HistoryError(f"the database refused these events: {err}") from err
        return Appended(expected_seq + 1, after.seq, after.root.hex(), after.revision)

    def _head(self, cursor: Any, ledger_id: str) -> StoredHead:  # noqa: ANN401 - a driver's cursor
        row = cursor.execute(statements.SELECT_LEDGER, {"ledger_id": ledger_id}).fetchone()
        if row is None:
            return _EMPTY
        hashes = tuple(row[2][start : start + HASH_BYTES] for start in range(0, len(row[2]), HASH_BYTES))
        return StoredHead(row[0], row[1], Edge(row[0], hashes), row[3])

    def _write(self, cursor: Any, batch: Batch, before: StoredHead, after: StoredHead) -> None:  # noqa: ANN401
        if before.seq == 0:
            cursor.execute(
                statements.OPEN_LEDGER,
                {
                    "id": batch.ledger_id,
                    "head_seq": 0,
                    "head_revision": None,
                    "edge": b"",
                    "root": before.root,
                },
            )
        cursor.execute(
            statements.ADVANCE_LEDGER,
            {
                "ledger_id": batch.ledger_id,
                "expected_seq": before.seq,
                "to_seq": after.seq,
                "to_revision": after.revision,
                "to_edge": b"".join(after.edge.hashes),
                "to_root": after.root,
            },
        )
        if cursor.rowcount != 1:
            raise LedgerConflictError("the head moved while it was locked", head_seq=before.seq)
        for entry in batch.entries:
            self._write_event(cursor, batch.ledger_id, entry)

    def _write_checkpoint(self, cursor: Any, batch: Batch, before: StoredHead, after: StoredHead) -> None:  # noqa: ANN401
        note = self._signer.sign_checkpoint(
            batch.ledger_id,
            after.seq,
            after.root,
            after=LogHead(before.seq, before.root),
            proof=batch.proof(before.edge),
        )
        cursor.execute(
            statements.INSERT_CHECKPOINT, {"ledger_id": batch.ledger_id, "size": after.seq, "note": note}
        )

    def _write_event(self, cursor: Any, ledger_id: str, entry: Entry) -> None:  # noqa: ANN401
        event, digest = entry.event, None
        if entry.openings:
            key = self._data_key(cursor, entry.data_key)
            blob = self._vault.seal(key, entry.openings, (ledger_id, event.id))
            digest = blob_digest(blob)
            cursor.execute(
                statements.INSERT_BLOB, {"digest": digest, "key_id": entry.data_key, "ciphertext": blob}
            )
        cursor.execute(
            statements.INSERT_EVENT,
            {
                "ledger_id": ledger_id,
                "seq": event.seq,
                "id": event.id,
                "data": entry.data,
                "leaf_hash": entry.leaf_hash,
                "blob_digest": digest,
            },
        )
        for subject in entry.subjects:
            cursor.execute(
                statements.INSERT_SUBJECT, {"id": subject, "ledger_id": ledger_id, "seq": event.seq}
            )

    def _data_key(self, cursor: Any, name: str) -> bytes:  # noqa: ANN401
        row = cursor.execute(statements.SELECT_KEY, {"key_id": name}).fetchone()
        if row is not None:
            return self._vault.unwrap(name, row[0])
        self._vault.settle(lambda: cursor.execute(statements.SELECT_KEYS).fetchone())
        key = self._vault.new_key()
        cursor.execute(statements.INSERT_KEY, {"id": name, "wrapped": self._vault.wrap(name, key)})
        return key

    def _write_command(self, cursor: Any, batch: Batch, command: CommandMaterial | None) -> None:  # noqa: ANN401
        if command is None:
            return
        key = self._data_key(cursor, MAC_KEY_NAME)
        names = (batch.ledger_id, command.actor_id, command.command_id)
        cursor.execute(
            statements.INSERT_COMMAND,
            {
                "ledger_id": batch.ledger_id,
                "actor_id": command.actor_id,
                "command_id": command.command_id,
                "material_mac": material_mac(key, names, command.material),
                "first_seq": batch.expected_seq + 1,
                "count": len(batch.entries),
            },
        )

    def _refuse_recorded(
        self,
        cursor: Any,  # noqa: ANN401
        batch: Batch,
        command: CommandMaterial | None,
        head: StoredHead,
    ) -> None:
        if command is not None and self._recorded(cursor, batch.ledger_id, command) is not None:
            raise LedgerConflictError(
                f"the command {command.command_id} was recorded meanwhile; look it up", head_seq=head.seq
            )

    def find_command(
        self, ledger_id: str, actor_id: str, command_id: str, material: bytes
    ) -> RecordedCommand | None:
        """Return what this actor's command recorded, or None when the id is unused by this actor.

        Raises: CommandConflictError when the id was used for other material.
        """
        with self._store.reading() as connection:
            command = CommandMaterial(actor_id, command_id, material)
            return self._recorded(driver_cursor(connection), ledger_id, command)

    def _recorded(self, cursor: Any, ledger_id: str, command: CommandMaterial) -> RecordedCommand | None:  # noqa: ANN401
        names = (ledger_id, command.actor_id, command.command_id)
        row = cursor.execute(
            statements.SELECT_COMMAND, dict(zip(("ledger_id", "actor_id", "command_id"), names, strict=True))
        ).fetchone()
        if row is None:
            return None
        wrapped = cursor.execute(statements.SELECT_KEY, {"key_id": MAC_KEY_NAME}).fetchone()
        if wrapped is None:
            raise HistoryError("the key of remembered commands is gone; restore the database from a backup")
        key = self._vault.unwrap(MAC_KEY_NAME, wrapped[0])
        if not hmac.compare_digest(row[0], material_mac(key, names, command.material)):
            raise CommandConflictError(
                f"the command {command.command_id} was already used for something else; send a fresh id"
            )
        return RecordedCommand(ledger_id, command.command_id, row[1], row[2])

    def head(self, ledger_id: str) -> Head:
        """Return where the ledger stands; an unknown ledger is empty."""
        with self._store.reading() as connection:
            stored = self._head(driver_cursor(connection), ledger_id)
        return Head(stored.seq, stored.root.hex(), stored.revision)

    def read(self, ledger_id: str, after_seq: int = 0, limit: int | None = None) -> list[StoredEvent]:
        """Return the events after `after_seq`, oldest first, at most `limit`, their words opened.

        Raises: HistoryError when an event, a blob or a key is not what was written.
        """
        asked = {"ledger_id": ledger_id, "after_seq": after_seq, "limit": _limit(limit), "offset": 0}
        with self._store.reading() as connection:
            rows: list[_Row] = driver_cursor(connection).execute(statements.SELECT_EVENTS, asked).fetchall()
        keys: _Keys = {}
        return [self._stored(ledger_id, row, keys) for row in rows]

    def page(self, ledger_id: str, before_seq: int | None, limit: int) -> list[StoredEvent]:
        """Return at most `limit` events before `before_seq` (None: up to the head), newest first.

        Raises: HistoryError when an event, a blob or a key is not what was written.
        """
        before = 2**62 if before_seq is None else before_seq
        asked = {"ledger_id": ledger_id, "before_seq": before, "limit": _limit(limit), "offset": 0}
        with self._store.reading() as connection:
            rows: list[_Row] = driver_cursor(connection).execute(statements.SELECT_PAGE, asked).fetchall()
        keys: _Keys = {}
        return [self._stored(ledger_id, row, keys) for row in rows]

    def _stored(self, ledger_id: str, row: _Row, keys: _Keys) -> StoredEvent:
        return StoredEvent(decode_event(row[2], self._unlock(ledger_id, row, keys)), row[3])

    def _unlock(self, ledger_id: str, row: _Row, keys: _Keys) -> Openings:
        """Return what opens the row's words; `keys` remembers the data keys that one read has unwrapped."""
        event_id, digest, key_name, blob, wrapped = row[1], *row[4:]
        if digest is None:
            return {}
        # A destroyed data key is lawful: its texts were erased, its blobs emptied, and their commitments remain.
        if wrapped is None and blob == b"":
            return {}
        if blob is None or key_name is None or blob_digest(blob) != digest:
            raise HistoryError(f"the blob of event {event_id} is not the one that was written")
        if wrapped is None:
            return {}
        # Only a key that opened under this very name and wrapping is found again.
        key = keys.get((key_name, wrapped))
        if key is None:
            key = keys[key_name, wrapped] = self._vault.unwrap(key_name, wrapped)
        return self._vault.open(key, blob, (ledger_id, event_id))

    def ledgers(self) -> list[str]:
        """Return the ids of every ledger, sorted."""
        with self._store.reading() as connection:
            return [row[0] for row in driver_cursor(connection).execute(statements.SELECT_LEDGER_IDS)]

    def ledger_of(self, subject_id: str) -> str | None:
        """Return the ledger whose event created this id, or None."""
        with self._store.reading() as connection:
            row = (
                driver_cursor(connection)
                .execute(statements.SELECT_SUBJECT, {"subject_id": subject_id})
                .fetchone()
            )
        return None if row is None else str(row[0])

    def changed(self) -> int:
        """Return a number that differs from the last one when anyone, in any process, has written since."""
        return self._store.version()

    def checkpoint(self, ledger_id: str) -> str:
        """Return the signed note of the ledger's head.

        Raises: NotFoundError when the ledger is empty.
        """
        with self._store.reading() as connection:
            cursor = driver_cursor(connection)
            row = cursor.execute(statements.SELECT_CHECKPOINT, {"ledger_id": ledger_id}).fetchone()
        if row is None:
            raise NotFoundError(f"there is no ledger {ledger_id}, so it has no checkpoint")
        return str(row[0])

    def path(self, ledger_id: str, seq: int) -> InclusionPath:
        """Return the proof that event `seq` is in the log of the current head. O(events).

        Raises: NotFoundError when there is no such event.
        """
        with self._store.reading() as connection:
            cursor = driver_cursor(connection).execute(statements.SELECT_LEAVES, {"ledger_id": ledger_id})
            leaves = [row[0] for row in cursor]
        return inclusion_path(ledger_id, seq, leaves)

    def audit(self, ledger_id: str) -> AuditReport:
        """Re-read the whole ledger, recompute everything, and say each thing that is not as it was written."""
        with self._store.reading() as connection:
            head = self._head(driver_cursor(connection), ledger_id)
            notes = driver_cursor(connection).execute(statements.SELECT_CHECKPOINTS, {"ledger_id": ledger_id})
            checkpoints = dict(notes.fetchall())
            rows = self._audit_rows(connection, ledger_id)
            return Audit(ledger_id, self._signer).report(head, rows, checkpoints)

    def _audit_rows(self, connection: Connection, ledger_id: str) -> Iterator[StoredRow]:
        # From below the first place on, so that a row that crept in under it is seen too.
        asked = {"ledger_id": ledger_id, "after_seq": -1, "limit": statements.NO_LIMIT, "offset": 0}
        for row in driver_cursor(connection).execute(statements.SELECT_EVENTS, asked):
            yield StoredRow(row[0], row[1], row[2], row[3], partial(self._unlock, ledger_id, row, {}))


def inclusion_path(ledger_id: str, seq: int, leaves: Sequence[bytes]) -> InclusionPath:
    """Return the proof for the event at `seq` (1-based) of the log with these leaf hashes.

    Raises: NotFoundError when there is no such event.
    """
    if not 1 <= seq <= len(leaves):
        raise NotFoundError(f"there is no event {seq} in the ledger {ledger_id}; it has {len(leaves)}")
    return InclusionPath(
        ledger_id=ledger_id,
        seq=seq,
        leaf_hash=leaves[seq - 1].hex(),
        size=len(leaves),
        root=root_of(leaves).hex(),
        hashes=tuple(step.hex() for step in inclusion_proof(leaves, seq - 1)),
    )


def _advanced(batch: Batch, before: StoredHead) -> StoredHead:
    edge = batch.extend(before.edge)
    return StoredHead(batch.head_seq, batch.revision(before.revision), edge, edge.root())


def _limit(limit: int | None) -> int:
    return statements.NO_LIMIT if limit is None else limit
