"""The SQL of the hot paths, generated once per engine from the Core tables and run on the driver's own cursor.

Values travel by name. Core's execution layer costs more than the statement itself on append and replay; its
text does not.
"""

from typing import Final

from sqlalchemy import Dialect, Select, Table, and_, bindparam, delete, func, insert, select, update
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.postgresql import psycopg
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.sql.expression import ClauseElement

from adapters.ledger.schema import blob_keys, blobs, checkpoints, commands, events, ledgers, subjects

SEQ_MAX: Final = 2**31 - 1
"""No ledger grows beyond this many events."""


class Statements:
    """The text of every statement for one engine."""

    def __init__(self, dialect: Dialect, *, no_limit: int | None) -> None:
        self._dialect = dialect
        self.NO_LIMIT = no_limit
        """What this engine reads as "all of them"."""
        self._name_writes()
        self._name_keys_and_blobs()
        self._name_reads()
        self._name_proofs()

    def _text(self, statement: ClauseElement) -> str:
        return str(statement.compile(dialect=self._dialect))

    def _kept(self, table: Table) -> str:
        """Return an INSERT that leaves a row that is there as it is."""
        if self._dialect.name == "postgresql":
            return self._text(postgresql_insert(table).on_conflict_do_nothing())
        return self._text(sqlite_insert(table).on_conflict_do_nothing())

    def _name_writes(self) -> None:
        self.INSERT_EVENT = self._text(insert(events))
        self.INSERT_BLOB = self._text(insert(blobs))
        self.INSERT_SUBJECT = self._text(insert(subjects))
        self.INSERT_COMMAND = self._text(insert(commands))
        self.INSERT_CHECKPOINT = self._text(insert(checkpoints))
        self.ADVANCE_LEDGER = self._text(
            update(ledgers)
            .where(
                and_(ledgers.c.id == bindparam("ledger_id"), ledgers.c.head_seq == bindparam("expected_seq"))
            )
            .values(
                head_seq=bindparam("to_seq"),
                head_revision=bindparam("to_revision"),
                edge=bindparam("to_edge"),
                root=bindparam("to_root"),
            )
        )
        self.OPEN_LEDGER = self._kept(ledgers)
        self.INSERT_KEY = self._kept(blob_keys)
        # SQLite's writers hold the whole database; PostgreSQL's hold the ledgers they append to.
        self.LOCK_LEDGER = self._text(_ledger().with_for_update())

    def _name_keys_and_blobs(self) -> None:
        self.SELECT_KEY = self._text(select(blob_keys.c.wrapped).where(blob_keys.c.id == bindparam("key_id")))
        self.SELECT_KEYS = self._text(select(blob_keys.c.id, blob_keys.c.wrapped))
        """Every wrapped data key; any one of them shows which master key is in force."""
        self.UPDATE_KEY = self._text(
            update(blob_keys)
            .where(blob_keys.c.id == bindparam("key_id"))
            .values(wrapped=bindparam("to_wrapped"))
        )
        self.DELETE_KEY = self._text(delete(blob_keys).where(blob_keys.c.id == bindparam("key_id")))
        self.EMPTY_BLOBS = self._text(
            update(blobs).where(blobs.c.key_id == bindparam("of_key")).values(ciphertext=bindparam("nothing"))
        )
        self.SELECT_FULL_BLOB = self._text(
            select(blobs.c.digest).where(
                and_(
                    blobs.c.key_id == bindparam("of_key"),
                    func.length(blobs.c.ciphertext) > bindparam("more_than"),
                )
            )
        )

    def _name_reads(self) -> None:
        self.SELECT_LEDGER_IDS = self._text(select(ledgers.c.id).order_by(ledgers.c.id))
        self.SELECT_COMMAND = self._text(
            select(commands.c.material_mac, commands.c.first_seq, commands.c.count).where(
                and_(
                    commands.c.ledger_id == bindparam("ledger_id"),
                    commands.c.actor_id == bindparam("actor_id"),
                    commands.c.command_id == bindparam("command_id"),
                )
            )
        )
        self.SELECT_SUBJECT = self._text(
            select(subjects.c.ledger_id).where(subjects.c.id == bindparam("subject_id"))
        )
        self.SELECT_SUBJECTS = self._text(
            select(subjects.c.id, subjects.c.seq).where(subjects.c.ledger_id == bindparam("ledger_id"))
        )
        self.SELECT_COMMANDS = self._text(
            select(commands.c.actor_id, commands.c.command_id, commands.c.first_seq, commands.c.count).where(
                commands.c.ledger_id == bindparam("ledger_id")
            )
        )
        self.SELECT_EVENTS = self._text(
            _rows().where(events.c.seq > bindparam("after_seq")).order_by(events.c.seq)
        )
        """Events after a sequence number, oldest first, with the blob of their texts and its wrapped key."""
        self.SELECT_PAGE = self._text(
            _rows().where(events.c.seq < bindparam("before_seq")).order_by(events.c.seq.desc())
        )
        """The same, events before a sequence number, newest first."""
        self.SELECT_LEDGER = self._text(_ledger())
        self.SUM_HEADS = self._text(select(func.sum(ledgers.c.head_seq)))

    def _name_proofs(self) -> None:
        self.SELECT_LEAVES = self._text(
            select(events.c.leaf_hash)
            .where(and_(events.c.ledger_id == bindparam("ledger_id"), events.c.seq > bindparam("after_seq")))
            .order_by(events.c.seq)
            .limit(bindparam("limit"))
            .offset(bindparam("offset"))
        )
        self.SELECT_ENTRIES = self._text(
            select(events.c.data)
            .where(and_(events.c.ledger_id == bindparam("ledger_id"), events.c.seq > bindparam("after_seq")))
            .order_by(events.c.seq)
            .limit(bindparam("limit"))
            .offset(bindparam("offset"))
        )
        """The canonical bytes of events after a sequence number, as they were written."""
        self.SELECT_CHECKPOINT = self._text(
            select(checkpoints.c.note)
            .where(checkpoints.c.ledger_id == bindparam("ledger_id"))
            .order_by(checkpoints.c.size.desc())
        )
        """The latest checkpoint comes first; one row is fetched."""
        self.SELECT_CHECKPOINTS = self._text(
            select(checkpoints.c.size, checkpoints.c.note)
            .where(checkpoints.c.ledger_id == bindparam("ledger_id"))
            .order_by(checkpoints.c.size)
        )


def _ledger() -> Select[tuple[int, int, bytes, bytes]]:
    return select(ledgers.c.head_seq, ledgers.c.head_revision, ledgers.c.edge, ledgers.c.root).where(
        ledgers.c.id == bindparam("ledger_id")
    )


def _rows() -> Select[tuple[int, str, bytes, bytes, str, str, bytes, bytes]]:
    stored = events.outerjoin(blobs, events.c.blob_digest == blobs.c.digest).outerjoin(
        blob_keys, blobs.c.key_id == blob_keys.c.id
    )
    return (
        select(
            events.c.seq,
            events.c.id,
            events.c.data,
            events.c.leaf_hash,
            events.c.blob_digest,
            blobs.c.key_id,
            blobs.c.ciphertext,
            blob_keys.c.wrapped,
        )
        .select_from(stored)
        .where(events.c.ledger_id == bindparam("ledger_id"))
        .limit(bindparam("limit"))
        .offset(bindparam("offset"))
    )


SQLITE: Final = Statements(sqlite.dialect(paramstyle="named"), no_limit=-1)
"""For the embedded engine."""

POSTGRESQL: Final = Statements(psycopg.dialect(), no_limit=None)  # type: ignore[no-untyped-call]
"""For the engine of several machines."""
