"""The SQL of the hot paths, generated once from the Core tables and run on the driver's own cursor.

Values travel by name. Core's execution layer costs more than the statement itself on append and replay; its
text does not.
"""

from typing import Final

from sqlalchemy import Select, Table, and_, bindparam, delete, func, insert, select, update
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.sql.expression import ClauseElement

from adapters.ledger.schema import blob_keys, blobs, checkpoints, commands, events, ledgers, subjects

_DIALECT: Final = sqlite.dialect(paramstyle="named")


def _text(statement: ClauseElement) -> str:
    return str(statement.compile(dialect=_DIALECT))


def _insert(table: Table) -> str:
    return _text(insert(table))


INSERT_EVENT: Final = _insert(events)
INSERT_BLOB: Final = _insert(blobs)
INSERT_KEY: Final = _insert(blob_keys)
INSERT_SUBJECT: Final = _insert(subjects)
INSERT_COMMAND: Final = _insert(commands)
INSERT_CHECKPOINT: Final = _insert(checkpoints)

OPEN_LEDGER: Final = _text(sqlite_insert(ledgers).on_conflict_do_nothing())

SELECT_LEDGER: Final = _text(
    select(ledgers.c.head_seq, ledgers.c.head_revision, ledgers.c.edge, ledgers.c.root).where(
        ledgers.c.id == bindparam("ledger_id")
    )
)

ADVANCE_LEDGER: Final = _text(
    update(ledgers)
    .where(and_(ledgers.c.id == bindparam("ledger_id"), ledgers.c.head_seq == bindparam("expected_seq")))
    .values(
        head_seq=bindparam("to_seq"),
        head_revision=bindparam("to_revision"),
        edge=bindparam("to_edge"),
        root=bindparam("to_root"),
    )
)

SELECT_LEDGER_IDS: Final = _text(select(ledgers.c.id).order_by(ledgers.c.id))

SELECT_KEY: Final = _text(select(blob_keys.c.wrapped).where(blob_keys.c.id == bindparam("key_id")))

SELECT_KEYS: Final = _text(select(blob_keys.c.id, blob_keys.c.wrapped))
"""Every wrapped data key; any one of them shows which master key is in force."""

UPDATE_KEY: Final = _text(
    update(blob_keys).where(blob_keys.c.id == bindparam("key_id")).values(wrapped=bindparam("to_wrapped"))
)

DELETE_KEY: Final = _text(delete(blob_keys).where(blob_keys.c.id == bindparam("key_id")))

EMPTY_BLOBS: Final = _text(
    update(blobs).where(blobs.c.key_id == bindparam("of_key")).values(ciphertext=bindparam("nothing"))
)

SELECT_FULL_BLOB: Final = _text(
    select(blobs.c.digest).where(
        and_(blobs.c.key_id == bindparam("of_key"), func.length(blobs.c.ciphertext) > bindparam("more_than"))
    )
)

SELECT_COMMAND: Final = _text(
    select(commands.c.material_mac, commands.c.first_seq, commands.c.count).where(
        and_(
            commands.c.ledger_id == bindparam("ledger_id"),
            commands.c.actor_id == bindparam("actor_id"),
            commands.c.command_id == bindparam("command_id"),
        )
    )
)

SELECT_SUBJECT: Final = _text(select(subjects.c.ledger_id).where(subjects.c.id == bindparam("subject_id")))

SELECT_LEAVES: Final = _text(
    select(events.c.leaf_hash).where(events.c.ledger_id == bindparam("ledger_id")).order_by(events.c.seq)
)

SELECT_CHECKPOINT: Final = _text(
    select(checkpoints.c.note)
    .where(checkpoints.c.ledger_id == bindparam("ledger_id"))
    .order_by(checkpoints.c.size.desc())
)
"""The latest checkpoint comes first; one row is fetched."""

SELECT_CHECKPOINTS: Final = _text(
    select(checkpoints.c.size, checkpoints.c.note)
    .where(checkpoints.c.ledger_id == bindparam("ledger_id"))
    .order_by(checkpoints.c.size)
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


SELECT_EVENTS: Final = _text(_rows().where(events.c.seq > bindparam("after_seq")).order_by(events.c.seq))
"""Events after a sequence number, oldest first, with the blob of their texts and its wrapped key."""

SELECT_PAGE: Final = _text(
    _rows().where(events.c.seq < bindparam("before_seq")).order_by(events.c.seq.desc())
)
"""The same, events before a sequence number, newest first."""

NO_LIMIT: Final = -1
"""What SQLite reads as "all of them"."""
