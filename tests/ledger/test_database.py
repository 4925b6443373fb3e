"""What the database itself refuses, and how it is opened."""

import stat
from collections.abc import Iterator
from pathlib import Path

import pysqlite3
import pytest

from adapters.ledger import SqlLedger, Store
from adapters.ledger.store import driver_cursor, require_runtime
from kernel.errors import ConfigurationError, LedgerUnavailableError
from tests.ledger.building import LEDGER, Author, open_store, prepare, sql_ledger


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Return the open database of a ledger with three events."""
    prepare(tmp_path)
    store = open_store(tmp_path)
    author = Author()
    sql_ledger(tmp_path, store).append(LEDGER, 0, [author.opened(), author.captured(2), author.captured(3)])
    yield store
    store.close()


FOURTH = "'{ledger}', {seq}, '{id}', x'00', zeroblob(32), NULL"


def _insert(verb: str, seq: int, event_id: str) -> str:
    return f"{verb} INTO events VALUES ({FOURTH.format(ledger=LEDGER, seq=seq, id=event_id)})"


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("UPDATE events SET data = x'00'", "events are never changed or removed"),
        ("UPDATE OR REPLACE events SET seq = 2 WHERE seq = 3", "events are never changed or removed"),
        ("DELETE FROM events", "events are never changed or removed"),
        ("DELETE FROM events WHERE seq = 3", "events are never changed or removed"),
        (_insert("REPLACE", 3, "event_x"), "takes the place right after the last one"),
        (_insert("INSERT OR REPLACE", 1, "event_x"), "takes the place right after the last one"),
        (_insert("INSERT", 5, "event_x"), "takes the place right after the last one"),
        (_insert("INSERT", 0, "event_x"), "takes the place right after the last one"),
        (_insert("INSERT", 4, "event_x"), "the head of the ledger moves before its events"),
        ("UPDATE ledgers SET head_seq = 1", "the head of a ledger only moves forward"),
        ("UPDATE ledgers SET root = zeroblob(32)", "the head of a ledger only moves forward"),
        ("DELETE FROM ledgers", "ledgers are never changed or removed"),
        ("DELETE FROM blobs", "blobs are never changed or removed"),
        ("UPDATE blobs SET ciphertext = x'00'", "blobs are never changed or removed"),
        ("DELETE FROM commands", ""),
        ("UPDATE checkpoints SET note = ''", "checkpoints are never changed or removed"),
        ("REPLACE INTO checkpoints SELECT ledger_id, size, '' FROM checkpoints", "checkpoints are never"),
        ("UPDATE subjects SET ledger_id = 'x'", "subjects are never changed or removed"),
    ],
)
def test_history_is_refused_every_change(store: Store, statement: str, sentence: str) -> None:
    """UPDATE, DELETE, REPLACE and any place but the next one are refused, whoever asks, and change nothing."""
    before = _content(store)
    if sentence:
        with pytest.raises(LedgerUnavailableError, match=sentence), store.writing() as connection:
            driver_cursor(connection).execute(statement)
    else:
        with store.writing() as connection:
            assert driver_cursor(connection).execute(statement).rowcount == 0
    assert _content(store) == before


def test_an_event_cannot_replace_another_under_its_id(store: Store) -> None:
    """Even with the head moved, REPLACE cannot take the id of an event that is there."""
    before = _content(store)
    taken = Author().captured(2).id
    statements = ("UPDATE ledgers SET head_seq = 4", _insert("REPLACE", 4, taken))
    with pytest.raises(LedgerUnavailableError, match="already written"), store.writing() as connection:
        [driver_cursor(connection).execute(statement) for statement in statements]
    assert _content(store) == before


def _content(store: Store) -> list[list[tuple[object, ...]]]:
    with store.reading() as connection:
        return [
            driver_cursor(connection).execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608 - our names
            for table in ("ledgers", "events", "blobs", "subjects", "checkpoints", "commands")
        ]


def test_readers_cannot_write(store: Store) -> None:
    """A reading connection is read-only in the file system's sense."""
    with pytest.raises(LedgerUnavailableError, match="readonly"), store.reading() as connection:
        driver_cursor(connection).execute("DELETE FROM people")


def test_a_reader_keeps_its_snapshot(store: Store, tmp_path: Path) -> None:
    """What a block reads is one moment, whatever is committed meanwhile."""
    ledger = sql_ledger(tmp_path, store)
    with store.reading() as connection:
        count = "SELECT count(*) FROM events"
        assert driver_cursor(connection).execute(count).fetchone() == (3,)
        ledger.append(LEDGER, 3, [Author().captured(4)])
        assert driver_cursor(connection).execute(count).fetchone() == (3,)
    assert ledger.head(LEDGER).seq == 4


def test_every_write_is_synchronous_and_checked(store: Store) -> None:
    """The writing connection has the settings that durability and the triggers rest on."""
    with store.writing() as connection:
        names = ("journal_mode", "synchronous", "foreign_keys", "recursive_triggers")
        found = {name: driver_cursor(connection).execute(f"PRAGMA {name}").fetchone()[0] for name in names}
    assert found == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "recursive_triggers": 1}


def test_the_files_are_private(store: Store, tmp_path: Path) -> None:
    """Database, log and queue are readable by this user alone."""
    assert store.version() == store.version()
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.glob("odeu.db*")}
    names = ("odeu.db", "odeu.db-shm", "odeu.db-wal", "odeu.db.turn")
    assert modes == dict.fromkeys(names, 0o600)


def test_another_process_that_writes_too_long_is_not_waited_for(tmp_path: Path) -> None:
    """Waiting for the write lock is bounded, and says so."""
    url = prepare(tmp_path)
    holder, waiter = open_store(tmp_path), Store(url, write_timeout_s=0.05)
    with (
        holder.writing(),
        pytest.raises(LedgerUnavailableError, match="another process has been writing for too long"),
        waiter.writing(),
    ):
        pass
    with waiter.writing():
        pass
    holder.close()
    waiter.close()


def test_a_write_in_another_process_is_noticed(store: Store, tmp_path: Path) -> None:
    """The version moves when anyone else commits."""
    other = open_store(tmp_path)
    before = store.version()
    sql_ledger(tmp_path, other).append(LEDGER, 3, [Author().captured(4)])
    assert store.version() != before
    other.close()


def test_an_old_runtime_is_refused() -> None:
    """SQLite with the WAL fault does not get to hold a ledger."""
    require_runtime((3, 51, 3))
    require_runtime(pysqlite3.sqlite_version_info)
    with pytest.raises(ConfigurationError, match=r"SQLite 3\.51\.2 can lose writes"):
        require_runtime((3, 51, 2))


@pytest.mark.parametrize("url", ["postgresql://x/y", "sqlite://", "sqlite:///:memory:", "no address"])
def test_other_addresses_are_refused(url: str) -> None:
    """Only a file of SQLite holds a ledger in this version."""
    with pytest.raises(ConfigurationError, match="sqlite:///path"):
        Store(url)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A database that cannot be opened is a sentence, not a stack of driver errors."""
    with pytest.raises(LedgerUnavailableError, match="cannot be opened: No such file or directory"):
        Store(f"sqlite:///{tmp_path}/absent/odeu.db")


def test_a_database_without_tables_is_a_sentence(tmp_path: Path) -> None:
    """Reading a database that was never migrated says what is missing."""
    prepare(tmp_path)
    store = Store(f"sqlite:///{tmp_path}/other.db")
    ledger: SqlLedger = sql_ledger(tmp_path, store)
    with pytest.raises(LedgerUnavailableError, match="no such table: ledgers"):
        ledger.head(LEDGER)
    store.close()
