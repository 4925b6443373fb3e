"""What only the second engine has: roles, locks of rows, a server that goes away. The contract suite has the rest."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from adapters.ledger import (
    Directory,
    Eraser,
    MasterFile,
    MasterKey,
    SqlLedger,
    Tombstones,
    Vault,
    database_exists,
    migrate,
    open_store,
    schema_problems,
)
from adapters.ledger.appending import Appender
from adapters.ledger.batch import batch_of
from adapters.ledger.database import Database, driver_cursor
from adapters.ledger.group import Ticket
from adapters.system import SystemEntropy
from kernel.errors import ConfigurationError, LedgerConflictError, LedgerUnavailableError
from kernel.vocabulary import Role
from tests.ledger.building import LEDGER, NOW, OTHER, Author, prepare, sql_ledger
from tests.ledger.postgres_server import Server, running_server, server_programs

ROOT = Path(__file__).resolve().parents[2]
NULL_EVENT = "'{ledger}', {seq}, '{id}', '\\x00', decode(repeat('00', 32), 'hex'), NULL"


@pytest.fixture
def url(postgres_server: Server, tmp_path: Path) -> str:
    """Return the address of a migrated database, its keys in the test's folder."""
    return prepare(tmp_path, postgres_server.fresh_database())


@pytest.fixture
def store(url: str, tmp_path: Path) -> Iterator[Database]:
    """Return the open database of a ledger with three events."""
    store = open_store(url)
    author = Author()
    sql_ledger(tmp_path, store).append(LEDGER, 0, [author.opened(), author.captured(2), author.captured(3)])
    yield store
    store.close()


def _insert(seq: int) -> str:
    return f"INSERT INTO events VALUES ({NULL_EVENT.format(ledger=LEDGER, seq=seq, id='event_x')})"  # noqa: S608 - a refused statement of the test


def _content(store: Database) -> list[list[tuple[object, ...]]]:
    with store.reading() as connection:
        return [
            driver_cursor(connection).execute(f"TABLE {table} ORDER BY 1, 2").fetchall()
            for table in ("ledgers", "events", "blobs", "subjects", "checkpoints", "commands")
        ]


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("UPDATE events SET data = ''", "events are never changed or removed"),
        ("DELETE FROM events WHERE seq = 3", "events are never changed or removed"),
        ("TRUNCATE events CASCADE", "events are never changed or removed"),
        ("TRUNCATE checkpoints", "checkpoints are never changed or removed"),
        (_insert(3), "takes the place right after the last one"),
        (_insert(5), "takes the place right after the last one"),
        (_insert(4), "the head of the ledger moves before its events"),
        ("UPDATE ledgers SET head_seq = 1", "the head of a ledger only moves forward"),
        ("DELETE FROM ledgers", "ledgers are never changed or removed"),
        ("DELETE FROM blobs", "blobs are never changed or removed"),
        ("UPDATE blobs SET ciphertext = ''", "blobs are never changed or removed"),
        ("UPDATE checkpoints SET note = ''", "checkpoints are never changed or removed"),
        ("UPDATE subjects SET ledger_id = 'x'", "subjects are never changed or removed"),
    ],
)
def test_history_is_refused_every_change(store: Database, statement: str, sentence: str) -> None:
    """UPDATE, DELETE, TRUNCATE and any place but the next one are refused, even to the owner, and change nothing."""
    before = _content(store)
    with pytest.raises(LedgerUnavailableError, match=sentence), store.writing() as connection:
        driver_cursor(connection).execute(statement)
    assert _content(store) == before


def test_the_servers_role_owns_nothing(postgres_server: Server, tmp_path: Path) -> None:
    """Signed in as `odeu_server` the product appends and signs people in, and can neither empty nor alter a table."""
    address = postgres_server.fresh_database()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("CREATE ROLE odeu_server LOGIN")
    prepare(tmp_path, address)
    as_server = address.replace("owner@", "odeu_server@")
    migrate(as_server)
    store = open_store(as_server)
    assert schema_problems(store) == ()
    ledger = sql_ledger(tmp_path, store)
    ledger.append(LEDGER, 0, [Author().opened(), Author().captured(2)])
    ledger.append(LEDGER, 2, [Author().captured(3)])
    people = Directory(store, SystemEntropy())
    people.add_person("owner", "Owner", NOW)
    people.grant("owner", Role.OWNER, ledger_id=None)
    for statement in (
        "TRUNCATE events CASCADE",
        "DELETE FROM events",
        "UPDATE events SET data = ''",
        "ALTER TABLE events DISABLE TRIGGER ALL",
        "DROP TRIGGER events_no_delete ON events",
        "DROP TABLE checkpoints",
        "SET session_replication_role = replica",
    ):
        refused = pytest.raises(LedgerUnavailableError, match=r"permission denied|must be owner")
        with refused, store.writing() as connection:
            driver_cursor(connection).execute(statement)
    assert ledger.audit(LEDGER).problems == ()
    store.close()


def test_eight_processes_write_one_ledger(url: str, tmp_path: Path) -> None:
    """What eight writers were told is what is stored: gapless, each in its place, and the tree verifies."""
    command = [sys.executable, "-m", "tests.ledger.worker", str(tmp_path)]
    environment = {**os.environ, "DATABASE_UNDER_TEST": url}
    workers = [
        subprocess.Popen(
            [*command, f"w{number}", "10", "1"], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
        )
        for number in range(8)
    ]
    lines = [line.split() for worker in workers for line in worker.communicate(timeout=120)[0].splitlines()]
    told = sorted((int(line[1]), f"{line[0]} wrote {line[1]}") for line in lines if len(line) == 2)
    assert [worker.returncode for worker in workers] == [0] * 8
    assert Counter(text.split()[0] for _, text in told) == {f"w{number}": 10 for number in range(8)}
    store = open_store(url)
    ledger = sql_ledger(tmp_path, store)
    stored = [(item.event.seq, item.event.body.content.text) for item in ledger.read(LEDGER)]  # type: ignore[attr-defined]
    assert stored == told
    assert [seq for seq, _ in stored] == list(range(1, 81))
    assert ledger.audit(LEDGER).problems == ()
    store.close()


def test_processes_begin_the_same_ledger_once(url: str, tmp_path: Path) -> None:
    """Of several that write the first event at once, one wins and the others learn the head."""
    stores = [open_store(url) for _ in range(4)]
    answers: list[object] = []

    def begin(number: int) -> None:
        ledger = sql_ledger(tmp_path, stores[number])
        try:
            answers.append(ledger.append(LEDGER, 0, [Author(name=str(number)).captured(1)]).head_seq)
        except LedgerConflictError as conflict:
            answers.append(("conflict", conflict.head_seq))

    threads = [threading.Thread(target=begin, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Counter(map(str, answers)) == {"1": 1, "('conflict', 1)": 3}
    assert sql_ledger(tmp_path, stores[0]).audit(LEDGER).problems == ()
    for store in stores:
        store.close()


def test_another_process_is_noticed(url: str, store: Database, tmp_path: Path) -> None:
    """The counter moves with what another connection wrote, and only then."""
    other = open_store(url)
    before = other.version()
    assert other.version() == before
    sql_ledger(tmp_path, store).append(OTHER, 0, [Author(OTHER).captured(1)])
    assert other.version() != before
    other.close()


def test_readers_cannot_write_and_keep_their_snapshot(store: Database, tmp_path: Path) -> None:
    """A reading block sees one moment, and the server refuses it every write."""
    ledger, count = sql_ledger(tmp_path, store), "SELECT count(*) FROM events"
    with store.reading() as connection:
        assert driver_cursor(connection).execute(count).fetchone() == (3,)
        ledger.append(LEDGER, 3, [Author().captured(4)])
        assert driver_cursor(connection).execute(count).fetchone() == (3,)
    with pytest.raises(LedgerUnavailableError, match="read-only"), store.reading() as connection:
        driver_cursor(connection).execute("DELETE FROM people")


def test_erasure_destroys_the_key_and_empties_the_blobs(url: str, tmp_path: Path) -> None:
    """What a capture said is unreadable afterwards; every proof stays valid and other words stay readable."""
    store, master = open_store(url), MasterFile(tmp_path / "master.key")
    vault = Vault(master, SystemEntropy())
    signer = sql_ledger(tmp_path, store)._signer
    ledger = SqlLedger(store, vault, signer)
    author = Author()
    ledger.append(LEDGER, 0, [author.captured(1), author.captured(2)])
    eraser = Eraser(store, master, SystemEntropy(), Tombstones(tmp_path / "erased"))
    source = author.captured(1).body.source_id  # type: ignore[attr-defined]
    eraser.erase(LEDGER, [source], NOW)
    assert eraser.unfinished([source]) == ()
    assert [item.event.body.content.text for item in ledger.read(LEDGER)] == [None, "some words"]  # type: ignore[attr-defined]
    assert ledger.audit(LEDGER).problems == ()
    assert ledger.append(LEDGER, 2, [author.captured(3)]).head_seq == 3
    store.close()


def test_a_server_that_crashes_loses_nothing_acknowledged(tmp_path: Path) -> None:
    """After the server dies and comes back, the same store goes on: what was told is there."""
    programs = server_programs()
    if programs is None:
        pytest.skip("needs PostgreSQL: the package postgresql is not installed")
    with (
        tempfile.TemporaryDirectory(prefix="odeu-pg-") as folder,
        running_server(Path(folder), programs) as server,
    ):
        address = prepare(tmp_path, server.fresh_database())
        store = open_store(address)
        ledger = sql_ledger(tmp_path, store)
        assert ledger.append(LEDGER, 0, [Author().captured(1)]).head_seq == 1
        server.stop(signal.SIGQUIT)
        with pytest.raises(LedgerUnavailableError):
            ledger.append(LEDGER, 1, [Author().captured(2)])
        server.start()
        assert ledger.append(LEDGER, 1, [Author().captured(2)]).head_seq == 2
        assert ledger.audit(LEDGER).problems == ()
        store.close()


def test_a_database_is_known_by_its_schema(postgres_server: Server, tmp_path: Path) -> None:
    """An empty database holds no installation; a migrated one does, and migrating again changes nothing."""
    address = postgres_server.fresh_database()
    assert not database_exists(address)
    prepare(tmp_path, address)
    assert database_exists(address)
    migrate(address)
    store = open_store(address)
    assert schema_problems(store) == ()
    store.close()


def test_an_address_that_cannot_serve_is_refused(tmp_path: Path) -> None:
    """An address that names no engine, or a server that is not there, is refused with a sentence."""
    with pytest.raises(ConfigurationError, match="expected sqlite"):
        open_store("no address")
    with pytest.raises(LedgerUnavailableError):
        open_store(f"postgresql://owner@/odeu?host={tmp_path}")


def test_the_master_key_is_no_part_of_the_database(store: Database, tmp_path: Path) -> None:
    """Neither the words nor the key that opens them lie in the server."""
    key = MasterKey.load(tmp_path / "master.key").key
    for rows in _content(store):
        for row in rows:
            for value in row:
                if isinstance(value, bytes):
                    assert key not in value
                    assert b"some words" not in value


def test_erasure_takes_older_rows_out_where_the_role_owns_them(url: str, tmp_path: Path) -> None:
    """The owner's erasure leaves no dead row behind; it does not wait for a log that the server keeps."""
    store, master = open_store(url), MasterFile(tmp_path / "master.key")
    ledger = SqlLedger(store, Vault(master, SystemEntropy()), sql_ledger(tmp_path, store)._signer)
    author = Author()
    ledger.append(LEDGER, 0, [author.captured(1), author.captured(2)])
    eraser = Eraser(store, master, SystemEntropy(), Tombstones(tmp_path / "erased"))
    source = author.captured(1).body.source_id  # type: ignore[attr-defined]
    assert not eraser.erase(LEDGER, [source], NOW)
    dead = "SELECT dead_tuple_count FROM pgstattuple(%s)"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS pgstattuple")
        for table in ("blobs", "blob_keys"):
            assert connection.execute(dead, [table]).fetchone() == (0,)
    store.close()


def test_a_group_answers_each_append_for_itself(store: Database, tmp_path: Path) -> None:
    """One that is refused by its head, or by a row that another has, leaves the others of its group alone."""
    ledger = sql_ledger(tmp_path, store)
    author, other = Author(), Author(OTHER)
    batches = [
        (LEDGER, 3, author.captured(4)),
        (OTHER, 0, other.captured(1)),
        (LEDGER, 3, Author(name="late").captured(4)),
        (OTHER, 1, Author(OTHER, "taken").event(2, author.captured(2).body)),
        (LEDGER, 4, author.captured(5)),
    ]
    group = [Ticket(batch_of(name, seq, [event]), None) for name, seq, event in batches]
    Appender(store, ledger._vault, ledger._signer).write(group)
    assert [ticket.appended.head_seq if ticket.appended else None for ticket in group] == [
        4,
        1,
        None,
        None,
        5,
    ]
    assert [type(ticket.failure).__name__ for ticket in group if ticket.failure] == [
        "LedgerConflictError",
        "HistoryError",
    ]
    assert {name: ledger.head(name).seq for name in ledger.ledgers()} == {LEDGER: 5, OTHER: 1}
    assert [ledger.audit(name).problems for name in (LEDGER, OTHER)] == [(), ()]
