"""Whoever reaches the file past the triggers is found out by the audit."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pysqlite3
import pytest

from adapters.ledger import SqlLedger
from kernel.errors import HistoryError
from kernel.events.envelope import event_bytes
from kernel.merkle import Edge, leaf_hash
from tests.ledger.building import LEDGER, OTHER, Author, open_store, prepare, sql_ledger

Database: TypeAlias = Any
"""A connection of the driver, which ships no types."""


def _flip(data: bytes, place: int = -20) -> bytes:
    altered = bytearray(data)
    altered[place] ^= 1
    return bytes(altered)


def _alter_bytes(db: Database) -> None:
    (data,) = db.execute("SELECT data FROM events WHERE ledger_id = ? AND seq = 3", (LEDGER,)).fetchone()
    db.execute("UPDATE events SET data = ? WHERE ledger_id = ? AND seq = 3", (_flip(data), LEDGER))


def _alter_with_leaf(db: Database) -> None:
    (data,) = db.execute("SELECT data FROM events WHERE ledger_id = ? AND seq = 3", (LEDGER,)).fetchone()
    forged = data.replace(b'"via":"cli"', b'"via":"api"')
    row = (forged, leaf_hash(forged), LEDGER)
    db.execute("UPDATE events SET data = ?, leaf_hash = ? WHERE ledger_id = ? AND seq = 3", row)


def _alter_leaf(db: Database) -> None:
    db.execute("UPDATE events SET leaf_hash = zeroblob(32) WHERE ledger_id = ? AND seq = 2", (LEDGER,))


def _delete(db: Database) -> None:
    db.execute("DELETE FROM events WHERE ledger_id = ? AND seq = 3", (LEDGER,))


def _delete_last(db: Database) -> None:
    db.execute("DELETE FROM events WHERE ledger_id = ? AND seq = 5", (LEDGER,))


def _swap(db: Database) -> None:
    for old, new in ((2, 900), (3, 2), (900, 3)):
        db.execute("UPDATE events SET seq = ? WHERE ledger_id = ? AND seq = ?", (new, LEDGER, old))


def _alter_blob(db: Database) -> None:
    blob = "SELECT blob_digest FROM events WHERE ledger_id = ? AND seq = 2"
    (digest,) = db.execute(blob, (LEDGER,)).fetchone()
    (text,) = db.execute("SELECT ciphertext FROM blobs WHERE digest = ?", (digest,)).fetchone()
    db.execute("UPDATE blobs SET ciphertext = ? WHERE digest = ?", (_flip(text), digest))


def _swap_blobs(db: Database) -> None:
    blob = "SELECT blob_digest FROM events WHERE ledger_id = ? AND seq = ?"
    (second,), (third,) = (db.execute(blob, (LEDGER, seq)).fetchone() for seq in (2, 3))
    for digest, seq in ((third, 2), (second, 3)):
        db.execute("UPDATE events SET blob_digest = ? WHERE ledger_id = ? AND seq = ?", (digest, LEDGER, seq))


def _alter_key(db: Database) -> None:
    db.execute("UPDATE blob_keys SET wrapped = zeroblob(60)")


def _alter_root(db: Database) -> None:
    db.execute("UPDATE ledgers SET root = zeroblob(32) WHERE id = ?", (LEDGER,))


def _alter_edge(db: Database) -> None:
    db.execute("UPDATE ledgers SET edge = zeroblob(64) WHERE id = ?", (LEDGER,))


def _alter_revision(db: Database) -> None:
    db.execute("UPDATE ledgers SET head_revision = 7 WHERE id = ?", (LEDGER,))


def _drop_checkpoint(db: Database) -> None:
    db.execute("DELETE FROM checkpoints WHERE ledger_id = ? AND size = 5", (LEDGER,))


def _borrow_checkpoint(db: Database) -> None:
    (note,) = db.execute("SELECT note FROM checkpoints WHERE ledger_id = ?", (OTHER,)).fetchone()
    db.execute("UPDATE checkpoints SET note = ? WHERE ledger_id = ? AND size = 1", (note, LEDGER))


def _repeat_checkpoint(db: Database) -> None:
    (note,) = db.execute(
        "SELECT note FROM checkpoints WHERE ledger_id = ? AND size = 1", (LEDGER,)
    ).fetchone()
    db.execute("UPDATE checkpoints SET note = ? WHERE ledger_id = ? AND size = 5", (note, LEDGER))


ROOT_MOVED = r"the root of the stored events is [0-9a-f]{64}, the ledger says [0-9a-f]{64}"
EDGE_MOVED = "the stored edge of the tree is not the one of the stored events"


@pytest.mark.parametrize(
    ("tamper", "problems"),
    [
        (_alter_bytes, ["event 3 was altered", "event 3 cannot be read", EDGE_MOVED, ROOT_MOVED, "another"]),
        (_alter_with_leaf, [EDGE_MOVED, ROOT_MOVED, "the checkpoint for 5 events was signed over another"]),
        (_alter_leaf, ["event 2 was altered: its bytes do not have its leaf hash"]),
        (
            _delete,
            ["event 3 is missing: the next one stored is 4", "event 4 is missing", "has 5 events, 4 are"],
        ),
        (_delete_last, ["the ledger says it has 5 events, 4 are stored", EDGE_MOVED, ROOT_MOVED, "revision"]),
        (_swap, ["event 2 says that it is event 3", "event 3 says that it is event 2", EDGE_MOVED]),
        (_alter_blob, [r"event 2: the blob of event event_\w+ is not the one that was written"]),
        (_swap_blobs, ["event 2: the texts of event", "event 3: the texts of event"]),
        (
            _alter_key,
            [r"event 1: the data key of event_\w+ does not open", "event 2: the data key of source_"],
        ),
        (_alter_root, [ROOT_MOVED]),
        (_alter_edge, [EDGE_MOVED]),
        (_alter_revision, ["the ledger says its latest revision is 7, its events say 1"]),
        (_drop_checkpoint, ["the head at event 5 has no checkpoint"]),
        (_borrow_checkpoint, ["the checkpoint for 1 events does not verify"]),
        (_repeat_checkpoint, ["the checkpoint for 5 events was signed over another history"]),
    ],
)
def test_tampering_is_found(tmp_path: Path, tamper: Callable[[Database], None], problems: list[str]) -> None:
    """Each kind of tampering is reported in a sentence; the untouched ledger beside it stays clean."""
    ledger = _ledger(tmp_path)
    db = pysqlite3.connect(str(tmp_path / "odeu.db"), isolation_level=None)
    for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        db.execute(f"DROP TRIGGER {name}")
    tamper(db)
    db.close()
    found = "\n".join(ledger.audit(LEDGER).problems)
    for problem in problems:
        assert re.search(problem, found), found
    if tamper is not _alter_key:
        assert ledger.audit(OTHER).problems == ()


def test_an_altered_event_is_not_read(tmp_path: Path) -> None:
    """Reading refuses what the audit would report about a text."""
    ledger = _ledger(tmp_path)
    db = pysqlite3.connect(str(tmp_path / "odeu.db"), isolation_level=None)
    db.execute("DROP TRIGGER blobs_no_update")
    _alter_blob(db)
    db.close()
    with pytest.raises(HistoryError, match="is not the one that was written"):
        ledger.read(LEDGER)


def test_a_destroyed_key_leaves_the_proofs(tmp_path: Path) -> None:
    """Without its data key a text is gone, and structure, digests and the audit stay whole."""
    ledger = _ledger(tmp_path)
    before = ledger.audit(LEDGER)
    db = pysqlite3.connect(str(tmp_path / "odeu.db"), isolation_level=None)
    db.execute("DELETE FROM blob_keys WHERE id LIKE 'source_%'")
    db.close()
    stored = [item.event for item in ledger.read(LEDGER)]
    assert [getattr(event.body, "content", None) is None for event in stored] == [
        True,
        False,
        False,
        False,
        True,
    ]
    assert {event.body.content.text for event in stored[1:4]} == {None}  # type: ignore[attr-defined]
    assert [event_bytes(event) for event in stored] == [event_bytes(event) for event in _events()]
    assert ledger.audit(LEDGER) == before
    assert before.problems == ()
    edge = Edge()
    for event in _events():
        edge = edge.append(leaf_hash(event_bytes(event)))
    assert before.root == edge.root().hex()


def test_no_text_lies_in_the_clear(tmp_path: Path) -> None:
    """Neither words nor the material of a command can be found in the files of the database."""
    _ledger(tmp_path)
    content = b"".join(path.read_bytes() for path in tmp_path.glob("odeu.db*"))
    assert b"some words" not in content
    assert b"A ledger" not in content
    assert Author().captured(2).id.encode() in content


def _events() -> list[Any]:
    author = Author()
    return [author.opened(), *(author.captured(seq) for seq in (2, 3, 4)), author.accepted(5, 1)]


def _ledger(folder: Path) -> SqlLedger:
    prepare(folder)
    ledger = sql_ledger(folder, open_store(folder))
    events = _events()
    ledger.append(LEDGER, 0, events[:1])
    ledger.append(LEDGER, 1, events[1:])
    ledger.append(OTHER, 0, [Author(OTHER).opened()])
    return ledger
