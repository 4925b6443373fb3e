"""An event that was flipped, edited, deleted, moved or inserted behind the triggers is found, on either engine.

A clumsy hand leaves hashes that do not fit. A careful one makes every stored hash anew, and then only what was signed
and is kept outside the database tells. Neither is ever read as the history.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pysqlite3
import pytest

from adapters.keys.ring import KeyRing
from adapters.ledger import Database, SqlLedger, open_store
from adapters.system import SystemClock, SystemEntropy
from app.services.desk import Desk
from kernel.canonical import canonical_bytes, decode_canonical
from kernel.errors import HistoryError
from kernel.merkle import LogHead, edge_of, leaf_hash
from tests.ledger.building import NOW, prepare, sql_ledger
from tests.ledger.postgres_server import Server
from tests.support.story import Story

TABLES = ("events", "ledgers", "checkpoints", "subjects", "commands")


@dataclass(frozen=True)
class Intruder:
    """Whoever reaches the tables past the triggers, on one engine."""

    connection: Any
    is_postgres: bool
    ledger_id: str

    def run(self, statement: str, *values: object) -> Any:
        """Run a statement with values where it has question marks."""
        if self.is_postgres:
            return self.connection.execute(statement.replace("?", "%s").encode(), values)
        return self.connection.execute(statement, values)

    def open_the_way(self) -> None:
        """Take the triggers away."""
        if self.is_postgres:
            for table in TABLES:
                self.connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER".encode())
            return
        for (name,) in self.run("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            self.run(f"DROP TRIGGER {name}")

    def entries(self) -> list[bytes]:
        """Return every event's bytes, in order."""
        asked = "SELECT data FROM events WHERE ledger_id = ? ORDER BY seq"
        return [bytes(row[0]) for row in self.run(asked, self.ledger_id).fetchall()]

    def put(self, seq: int, data: bytes, leaf: bytes | None = None) -> None:
        """Replace an event's bytes, with their leaf hash when it is given."""
        where = (self.ledger_id, seq)
        self.run("UPDATE events SET data = ? WHERE ledger_id = ? AND seq = ?", data, *where)
        if leaf is not None:
            self.run("UPDATE events SET leaf_hash = ? WHERE ledger_id = ? AND seq = ?", leaf, *where)

    def move(self, old: int, new: int) -> None:
        """Give an event another place."""
        self.run("UPDATE events SET seq = ? WHERE ledger_id = ? AND seq = ?", new, self.ledger_id, old)

    def hash_anew(self) -> None:
        """Make leaves, edge, root and size such as the stored bytes have."""
        leaves = [leaf_hash(data) for data in self.entries()]
        for seq, leaf in enumerate(leaves, 1):
            self.run(
                "UPDATE events SET leaf_hash = ? WHERE ledger_id = ? AND seq = ?", leaf, self.ledger_id, seq
            )
        edge = edge_of(leaves)
        head = (edge.size, b"".join(edge.hashes), edge.root(), self.ledger_id)
        self.run("UPDATE ledgers SET head_seq = ?, edge = ?, root = ? WHERE id = ?", *head)


@dataclass(frozen=True)
class Place:
    """A ledger of seven events that meant something, and the one who alters it."""

    ledger: SqlLedger
    story: Story
    folder: Path
    intruder: Intruder


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """Return a ledger on each engine, whose triggers are gone."""
    story = Story().opened()
    story.accepted(story.captured("Paint the hall"))
    story.captured("Buy a boat")
    is_postgres = request.param == "postgresql"
    url = prepare(
        tmp_path, request.getfixturevalue("postgres_server").fresh_database() if is_postgres else None
    )
    store: Database = open_store(url)
    ledger = sql_ledger(tmp_path, store)
    for event in story.events:
        ledger.append(story.ledger, event.seq - 1, [event])
    assert Desk(ledger, SystemClock(), SystemEntropy()).state(story.ledger) == story.state
    connection = (
        psycopg.connect(url, autocommit=True)
        if is_postgres
        else pysqlite3.connect(str(tmp_path / "odeu.db"), isolation_level=None)
    )
    intruder = Intruder(connection, is_postgres, story.ledger)
    intruder.open_the_way()
    yield Place(ledger, story, tmp_path, intruder)
    connection.close()
    store.close()


def _flipped(by: Intruder) -> None:
    data = bytearray(by.entries()[2])
    data[-20] ^= 1
    by.put(3, bytes(data))


def _edited(by: Intruder) -> None:
    raw = decode_canonical(by.entries()[2])
    by.put(3, canonical_bytes({**raw, "at": raw["at"].replace(".000000Z", ".000001Z")}))


def _deleted(by: Intruder) -> None:
    last = len(by.entries())
    by.run("DELETE FROM events WHERE ledger_id = ? AND seq = 3", by.ledger_id)
    for seq in range(4, last + 1):
        by.move(seq, seq - 1)
    _renumbered(by)


def _cut(by: Intruder) -> None:
    # The last append alone may be one whose COMMIT was lost; what was told to somebody goes deeper.
    by.run("DELETE FROM events WHERE ledger_id = ? AND seq >= ?", by.ledger_id, len(by.entries()) - 1)


def _reordered(by: Intruder) -> None:
    for old, new in ((3, 900), (4, 3), (900, 4)):
        by.move(old, new)
    _renumbered(by)


def _inserted(by: Intruder) -> None:
    last = len(by.entries())
    for seq in range(last, 3, -1):
        by.move(seq, seq + 1)
    raw = decode_canonical(by.entries()[2])
    forged = canonical_bytes({**raw, "id": "event_" + "0" * 26})
    row = (by.ledger_id, 4, "event_" + "0" * 26, forged, leaf_hash(forged), None)
    by.run(
        "INSERT INTO events (ledger_id, seq, id, data, leaf_hash, blob_digest) VALUES (?, ?, ?, ?, ?, ?)",
        *row,
    )
    _renumbered(by)


def _appended(by: Intruder) -> None:
    last = len(by.entries())
    raw = decode_canonical(by.entries()[2])
    forged = canonical_bytes({**raw, "id": "event_" + "0" * 26, "seq": last + 1})
    row = (by.ledger_id, last + 1, "event_" + "0" * 26, forged, leaf_hash(forged), None)
    by.run(
        "INSERT INTO events (ledger_id, seq, id, data, leaf_hash, blob_digest) VALUES (?, ?, ?, ?, ?, ?)",
        *row,
    )


def _renumbered(by: Intruder) -> None:
    """Let every event say the place it has now."""
    for seq, data in enumerate(by.entries(), 1):
        by.put(seq, canonical_bytes({**decode_canonical(data), "seq": seq}))


CLUMSY = (_flipped, _edited, _deleted, _cut, _reordered, _inserted, _appended)


@pytest.mark.parametrize("tamper", CLUMSY, ids=lambda tamper: tamper.__name__.strip("_"))
def test_a_clumsy_hand_is_found(place: Place, tamper: Callable[[Intruder], None]) -> None:
    """The audit says what does not fit, and a process that starts refuses to read it as the history."""
    tamper(place.intruder)
    assert place.ledger.audit(place.story.ledger).problems != ()
    with pytest.raises(HistoryError):
        Desk(place.ledger, SystemClock(), SystemEntropy()).state(place.story.ledger)


@pytest.mark.parametrize("tamper", CLUMSY[1:], ids=lambda tamper: tamper.__name__.strip("_"))
def test_a_careful_hand_is_found_by_what_was_signed(place: Place, tamper: Callable[[Intruder], None]) -> None:
    """With every stored hash made anew, signed notes contradict it, and so does the memory beside the keys at a start."""
    tamper(place.intruder)
    place.intruder.hash_anew()
    problems = "\n".join(place.ledger.audit(place.story.ledger).problems)
    assert "checkpoint" in problems
    head = place.ledger.head(place.story.ledger)
    signer = KeyRing.open(str(place.folder / "keys"), lambda: NOW).checkpoint_signer("here")
    assert signer.head_problems(place.story.ledger, LogHead(head.seq, bytes.fromhex(head.root))) != ()
    assert not place.ledger.follow(place.story.ledger)


def test_yesterdays_database_beside_todays_keys_is_found(postgres_server: Server, tmp_path: Path) -> None:
    """A server's database put back to an earlier moment is behind what the keys remember, and is not written on."""
    url = prepare(tmp_path, postgres_server.fresh_database())
    story = Story().opened()
    store = open_store(url)
    sql_ledger(tmp_path, store).append(story.ledger, 0, story.events)
    store.close()
    yesterday = postgres_server.copy_of(url)
    store = open_store(url)
    story.captured("Paint the hall")
    for event in story.events[1:]:
        sql_ledger(tmp_path, store).append(story.ledger, event.seq - 1, [event])
    store.close()
    store = open_store(yesterday)
    ledger = sql_ledger(tmp_path, store)
    signer = KeyRing.open(str(tmp_path / "keys"), lambda: NOW).checkpoint_signer("here")
    head = ledger.head(story.ledger)
    problems = signer.head_problems(story.ledger, LogHead(head.seq, bytes.fromhex(head.root)))
    assert (head.seq, len(problems), ledger.follow(story.ledger)) == (1, 1, False)
    with pytest.raises(HistoryError):
        ledger.append(story.ledger, 1, story.events[1:2])
    store.close()
