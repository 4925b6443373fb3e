"""The writing half of a ledger in a database: a group of appends in one transaction, each all or nothing.

Per ledger the head moves from the expected sequence number, then come the events, the blob of each event's texts,
the ids they create and the commands that asked for them, and one signed checkpoint, last. A group is written a table
at a time. When the database refuses a row, what was written is undone and each append is written within a savepoint
of its own, so that the refusal meets only its owner. What a caller was told is on disk, and so is the signer's memory
of it. Owns the meaning of the rows; connections are the store's, the queue before it is `group`'s.
"""

import hmac
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from adapters.ledger.audit import CheckpointSigner, StoredHead
from adapters.ledger.database import Database, Rows, Writer
from adapters.ledger.group import Ticket
from adapters.ledger.growth import Growth, Plan, Step, growths, recorded_meanwhile, reused
from adapters.ledger.statements import Statements
from adapters.ledger.vault import MAC_KEY_NAME, Vault, blob_digest, material_mac
from kernel.errors import HistoryError, LedgerConflictError, LedgerUnavailableError, StudioError
from kernel.events.stored import CommandMaterial, RecordedCommand
from kernel.merkle import HASH_BYTES, Edge

_Row: TypeAlias = dict[str, object]

_EMPTY: Final = StoredHead(0, None, Edge(), Edge().root())


class _BegunMeanwhileError(Exception):
    """Another process began one of the ledgers since we looked."""


@dataclass(frozen=True, slots=True)
class Tables:
    """The rows within one reading transaction: a driver's cursor, the engine's SQL, and what opens the keys."""

    cursor: Any
    sql: Statements
    vault: Vault

    def one(self, statement: str, **values: object) -> Any:  # noqa: ANN401 - a row
        """Return the first row, or None."""
        return self.cursor.execute(statement, values).fetchone()


@dataclass(frozen=True, slots=True)
class _Transaction:
    """One writing transaction, the engine's SQL, and what seals the words."""

    writer: Writer
    sql: Statements
    vault: Vault
    integrity_errors: tuple[type[Exception], ...]


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
            with self._signer.beside_commit() as begin_sync, self._store.appending() as writer:
                begun = True
                kept = self._write_all(writer, group)
                begin_sync()
        except Exception as err:  # noqa: BLE001 - every owner of a ticket raises its own
            unknown = isinstance(err, StudioError) and err.reason_code == "commit_unknown"
            if len(group) > 1 and begun and not unknown:
                for ticket in group:
                    ticket.failure = None
                    self.write([ticket])
                return
            for ticket in group:
                ticket.failure = _for_one(err) if len(group) > 1 else err
            return
        for step in kept:
            step.ticket.appended = step.appended()

    def _write_all(self, writer: Writer, group: Sequence[Ticket]) -> list[Step]:
        """Write what fits and return its steps; the other tickets have their failure."""
        work = _Transaction(writer, self._store.statements, self._vault, self._store.integrity_errors)
        # Every process locks ledgers in the same order, so that none waits for another in a circle.
        tickets = sorted(group, key=lambda ticket: ticket.batch.ledger_id)
        heads = _locked_heads(work, sorted({ticket.batch.ledger_id for ticket in tickets}))
        tickets = [ticket for ticket in tickets if _is_new(work, ticket, heads)]
        steps = _steps_written(work, tickets, heads)
        notes = []
        for ledger_id, growth in growths(steps).items():
            # Last, so that nothing but the COMMIT can fail once a head is signed.
            notes.append(
                {"ledger_id": ledger_id, "size": growth.after.seq, "note": self._signed(ledger_id, growth)}
            )
        try:
            _put(work, [(work.sql.INSERT_CHECKPOINT, notes)])
        except self._store.integrity_errors as err:
            raise HistoryError(f"the database refused the checkpoint: {err}") from err
        return steps

    def _signed(self, ledger_id: str, growth: Growth) -> str:
        return self._signer.sign_checkpoint(
            ledger_id, growth.after.seq, growth.after.root, after=growth.base, proof=growth.proof()
        )


def _locked_heads(work: _Transaction, ledger_ids: Sequence[str]) -> dict[str, StoredHead]:
    """Return where these ledgers stand, and keep them there until the transaction ends."""
    rows = work.writer.ask([(work.sql.LOCK_LEDGER, {"ledger_id": ledger_id}) for ledger_id in ledger_ids])
    return {ledger_id: _head_in(row) for ledger_id, row in zip(ledger_ids, rows, strict=True)}


def _is_new(work: _Transaction, ticket: Ticket, heads: Mapping[str, StoredHead]) -> bool:
    """Tell whether nobody recorded the append's command before; the ticket has its failure otherwise."""
    command, ledger_id = ticket.command, ticket.batch.ledger_id
    if command is None:
        return True
    names = {"ledger_id": ledger_id, "actor_id": command.actor_id, "command_id": command.command_id}
    asked = [(work.sql.SELECT_COMMAND, names), (work.sql.SELECT_KEY, {"key_id": MAC_KEY_NAME})]
    row, wrapped = work.writer.ask(asked)
    try:
        if row is None:
            return True
        _require_same(command, ledger_id, row, _mac_key(work.vault, wrapped))
        ticket.failure = recorded_meanwhile(command.command_id, heads[ledger_id].seq)
    except StudioError as err:
        ticket.failure = err
    return False


def _steps_written(
    work: _Transaction, tickets: Sequence[Ticket], heads: Mapping[str, StoredHead]
) -> list[Step]:
    """Write what fits and return its steps; a refusal of one of several is its ticket's failure."""
    if len(tickets) == 1:
        # Alone: what refuses it undoes the transaction.
        step = Plan(heads).step(tickets[0])
        _write_one(work, step)
        return [step]
    steps = _write_together(work, tickets, heads)
    return _write_each(work, tickets, heads) if steps is None else steps


def _write_together(
    work: _Transaction, tickets: Sequence[Ticket], heads: Mapping[str, StoredHead]
) -> list[Step] | None:
    """Write all that fit at once; None, with nothing written, when the database took a row amiss."""
    plan = Plan(heads)
    for ticket in tickets:
        try:
            plan.keep(plan.step(ticket))
        except StudioError as err:
            ticket.failure = err
    if not plan.steps:
        return []
    work.writer.run("SAVEPOINT appends")
    refused: tuple[type[Exception], ...] = (_BegunMeanwhileError, *work.integrity_errors)
    try:
        _write_steps(work, plan.steps)
    except refused:
        work.writer.run("ROLLBACK TO SAVEPOINT appends")
        for ticket in tickets:
            ticket.failure = None
        return None
    finally:
        # Not reached with a transaction that the engine has ended: its RELEASE raises, and all is undone.
        work.writer.run("RELEASE SAVEPOINT appends")
    return plan.steps


def _write_each(work: _Transaction, tickets: Sequence[Ticket], heads: Mapping[str, StoredHead]) -> list[Step]:
    """Write one append after the other; what refuses it leaves the others as they are."""
    plan = Plan(heads)
    for ticket in tickets:
        work.writer.run("SAVEPOINT append")
        try:
            step = plan.step(ticket)
            _write_one(work, step)
            plan.keep(step)
        except StudioError as err:
            work.writer.run("ROLLBACK TO SAVEPOINT append")
            ticket.failure = err
        finally:
            # Not reached with a transaction that the engine has ended: its RELEASE raises, and all is undone.
            work.writer.run("RELEASE SAVEPOINT append")
    return plan.steps


def _write_one(work: _Transaction, step: Step) -> None:
    try:
        _write_steps(work, [step])
    except _BegunMeanwhileError:
        (row,) = work.writer.ask([(work.sql.SELECT_LEDGER, {"ledger_id": step.ledger_id})])
        message = f"the ledger {step.ledger_id} was begun meanwhile; load and decide again"
        raise LedgerConflictError(message, head_seq=_head_in(row).seq) from None
    except work.integrity_errors as err:
        raise HistoryError(f"the database refused these events: {err}") from err


def _write_steps(work: _Transaction, steps: Sequence[Step]) -> None:
    """Write the rows of these steps, a table at a time. Raises: _BegunMeanwhileError, and what a constraint raises."""
    _move_heads(work, growths(steps))
    entries = [(step.ledger_id, entry) for step in steps for entry in step.ticket.batch.entries]
    keys = _data_keys(work, steps)
    blobs, rows, subjects = list[_Row](), list[_Row](), list[_Row]()
    for ledger_id, entry in entries:
        event, digest = entry.event, None
        if entry.openings:
            blob = work.vault.seal(keys[entry.data_key], entry.openings, (ledger_id, event.id))
            digest = blob_digest(blob)
            blobs.append({"digest": digest, "key_id": entry.data_key, "ciphertext": blob})
        rows.append(
            {
                "ledger_id": ledger_id,
                "seq": event.seq,
                "id": event.id,
                "data": entry.data,
                "leaf_hash": entry.leaf_hash,
                "blob_digest": digest,
            }
        )
        subjects.extend({"id": name, "ledger_id": ledger_id, "seq": event.seq} for name in entry.subjects)
    commands = [row for step in steps for row in _command_rows(step, keys)]
    sql = work.sql
    _put(
        work,
        [
            (sql.INSERT_BLOB, blobs),
            (sql.INSERT_EVENT, rows),
            (sql.INSERT_SUBJECT, subjects),
            (sql.INSERT_COMMAND, commands),
        ],
    )


def _put(work: _Transaction, batches: Iterable[Rows]) -> list[int]:
    """Write these rows; return how many each statement wrote."""
    return work.writer.put([batch for batch in batches if batch[1]])


def _move_heads(work: _Transaction, grown: Mapping[str, Growth]) -> None:
    opened = [
        {
            "id": ledger_id,
            "head_seq": 0,
            "head_revision": None,
            "edge": b"",
            "root": growth.before.root,
        }
        for ledger_id, growth in grown.items()
        if growth.before.seq == 0
    ]
    moved = [
        {
            "ledger_id": ledger_id,
            "expected_seq": growth.before.seq,
            "to_seq": growth.after.seq,
            "to_revision": growth.after.revision,
            "to_edge": b"".join(growth.after.edge.hashes),
            "to_root": growth.after.root,
        }
        for ledger_id, growth in grown.items()
    ]
    if _put(work, [(work.sql.OPEN_LEDGER, opened), (work.sql.ADVANCE_LEDGER, moved)])[-1] != len(moved):
        raise _BegunMeanwhileError


def _data_keys(work: _Transaction, steps: Sequence[Step]) -> dict[str, bytes]:
    """Return the data keys of the words and commands of these steps, made where there are none."""
    old, new = set[str](), list[str]()
    for step in steps:
        if step.ticket.command is not None:
            old.add(MAC_KEY_NAME)
        for entry in step.ticket.batch.entries:
            if entry.openings and entry.data_key in {entry.event.id, *entry.subjects}:
                # Named after what this event creates, so nobody made it before.
                new.append(entry.data_key)
            elif entry.openings:
                old.add(entry.data_key)
    names = sorted(old.difference(new))
    found = _stored_keys(work, names)
    new.extend(name for name in names if name not in found)
    if not new:
        return found
    work.vault.settle(lambda: work.writer.ask([(work.sql.SELECT_KEYS, {})])[0])
    made = {name: work.vault.new_key() for name in new}
    rows = [{"id": name, "wrapped": work.vault.wrap(name, key)} for name, key in made.items()]
    if _put(work, [(work.sql.INSERT_KEY, rows)]) != [len(rows)]:
        # Another process made one since we looked.
        made = _stored_keys(work, list(made))
    return {**found, **made}


def _stored_keys(work: _Transaction, names: Sequence[str]) -> dict[str, bytes]:
    rows = work.writer.ask([(work.sql.SELECT_KEY, {"key_id": name}) for name in names])
    return {
        name: work.vault.unwrap(name, row[0])
        for name, row in zip(names, rows, strict=True)
        if row is not None
    }


def _command_rows(step: Step, keys: Mapping[str, bytes]) -> list[_Row]:
    batch, command = step.ticket.batch, step.ticket.command
    if command is None:
        # What came from elsewhere was carried out there; no code is that of any material.
        return [
            {
                "ledger_id": step.ledger_id,
                "actor_id": actor_id,
                "command_id": command_id,
                "material_mac": b"",
                "first_seq": first_seq,
                "count": count,
            }
            for actor_id, command_id, first_seq, count in batch.brought
        ]
    names = (step.ledger_id, command.actor_id, command.command_id)
    return [
        {
            "ledger_id": step.ledger_id,
            "actor_id": command.actor_id,
            "command_id": command.command_id,
            "material_mac": material_mac(keys[MAC_KEY_NAME], names, command.material),
            "first_seq": batch.expected_seq + 1,
            "count": len(batch.entries),
        }
    ]


def stored_head(tables: Tables, ledger_id: str) -> StoredHead:
    """Return where a ledger stands."""
    return _head_in(tables.one(tables.sql.SELECT_LEDGER, ledger_id=ledger_id))


def _head_in(row: Any) -> StoredHead:  # noqa: ANN401 - a row, or None
    if row is None:
        return _EMPTY
    hashes = tuple(row[2][start : start + HASH_BYTES] for start in range(0, len(row[2]), HASH_BYTES))
    return StoredHead(row[0], row[1], Edge(row[0], hashes), row[3])


def recorded_command(tables: Tables, ledger_id: str, command: CommandMaterial) -> RecordedCommand | None:
    """Return what this command recorded, or None.

    Raises: CommandConflictError when its id was used for other material.
    """
    names = {"ledger_id": ledger_id, "actor_id": command.actor_id, "command_id": command.command_id}
    row = tables.one(tables.sql.SELECT_COMMAND, **names)
    if row is None:
        return None
    wrapped = tables.one(tables.sql.SELECT_KEY, key_id=MAC_KEY_NAME)
    _require_same(command, ledger_id, row, _mac_key(tables.vault, wrapped))
    return RecordedCommand(ledger_id, command.command_id, row[1], row[2])


def _mac_key(vault: Vault, wrapped: Any) -> bytes:  # noqa: ANN401 - a row, or None
    if wrapped is None:
        raise HistoryError("the key of remembered commands is gone; restore the database from a backup")
    return vault.unwrap(MAC_KEY_NAME, wrapped[0])


def _require_same(command: CommandMaterial, ledger_id: str, row: Any, key: bytes) -> None:  # noqa: ANN401 - a row
    """Refuse a command whose id was used for other material."""
    names = (ledger_id, command.actor_id, command.command_id)
    if not hmac.compare_digest(row[0], material_mac(key, names, command.material)):
        raise reused(command.command_id)


def _for_one(err: Exception) -> Exception:
    """Return the failure of a group as a fresh error for one of its owners, who raises it in a thread of its own."""
    message = err.message if isinstance(err, StudioError) else str(err)
    code = err.reason_code if isinstance(err, StudioError) else None
    own = LedgerUnavailableError(message, code=code)
    own.__cause__ = err.__cause__ or err
    return own
