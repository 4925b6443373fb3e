"""Processes that share a PostgreSQL database tell each other that they wrote, and look for themselves now and then."""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from adapters.ledger.notices import CHANNEL, PAUSE_S, SILENCE_S, Telling
from adapters.ledger.postgres import PostgresStore
from kernel.errors import LedgerUnavailableError
from tests.ledger.building import LEDGER, Author, prepare, sql_ledger
from tests.ledger.postgres_server import Server

ROOT = Path(__file__).resolve().parents[2]
LISTENERS = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query = 'LISTEN %s'"


@pytest.fixture
def url(postgres_server: Server, tmp_path: Path) -> str:
    """Return the address of a migrated database, its keys in the test's folder."""
    return prepare(tmp_path, postgres_server.fresh_database())


@pytest.fixture
def stores(url: str) -> Iterator[tuple[PostgresStore, PostgresStore]]:
    """Return the database opened twice: one that writes and one that already listens."""
    writer, listener = PostgresStore(url), PostgresStore(url)
    _settle(listener)
    yield writer, listener
    writer.close()
    listener.close()


def _settle(store: PostgresStore) -> int:
    """Wait until the store hears, and has nothing left to hear; return its version."""
    until, version = time.monotonic() + 10, -1
    while time.monotonic() < until:
        before, version = version, store.wait(version, 0.2)
        if store._listening.hears and before == version:
            return version
    raise AssertionError


def _listeners(url: str) -> list[int]:
    with psycopg.connect(url) as connection:
        return [row[0] for row in connection.execute(LISTENERS.replace("%s", CHANNEL).encode()).fetchall()]


def test_a_write_is_heard_at_once(stores: tuple[PostgresStore, PostgresStore], tmp_path: Path) -> None:
    """Whoever waits is woken by the other's commit, long before anybody would have looked."""
    writer, listener = stores
    ledger, author, version = sql_ledger(tmp_path, writer), Author(), _settle(listener)
    timer = threading.Timer(0.3, lambda: ledger.append(LEDGER, 0, [author.captured(1)]))
    timer.start()
    began = time.monotonic()
    assert listener.wait(version, 60) != version
    assert 0.3 <= time.monotonic() - began < SILENCE_S
    timer.join()


class CountingStore(PostgresStore):
    """A store that counts how often its database is asked for the version."""

    asked = 0

    def version(self) -> int:
        """Return the version."""
        self.asked += 1
        return super().version()


def test_the_database_is_left_alone_while_nothing_happens(url: str) -> None:
    """A store that hears does not ask the database with each wait; a wait takes as long as it was given."""
    listener = CountingStore(url)
    version = _settle(listener)
    listener._asked_at, asked = time.monotonic(), listener.asked
    began = time.monotonic()
    assert [listener.wait(version, 0.1) for _ in range(5)] == [version] * 5
    assert (listener.asked - asked, time.monotonic() - began >= 0.5) == (0, True)
    listener.close()


def test_what_nobody_told_is_found(stores: tuple[PostgresStore, PostgresStore], url: str) -> None:
    """A process that died between its commit and its notice is found by looking, within a few seconds."""
    _writer, listener = stores
    version = _settle(listener)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("INSERT INTO ledgers VALUES ('project_x', 5, NULL, '', '')")
    began = time.monotonic()
    while listener.wait(version, 0.25) == version:
        assert time.monotonic() - began < 3 * SILENCE_S


def test_a_lost_connection_comes_back(
    stores: tuple[PostgresStore, PostgresStore], url: str, tmp_path: Path
) -> None:
    """A listener whose session the server ended listens again, and what was told meanwhile is not missed."""
    writer, listener = stores
    version = _settle(listener)
    (pid,) = _listeners(url)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(%s)", [pid])
    sql_ledger(tmp_path, writer).append(LEDGER, 0, [Author().captured(1)])
    until = time.monotonic() + 10
    while listener.wait(version, 0.25) == version:
        assert time.monotonic() < until
    _settle(listener)
    assert [found != pid for found in _listeners(url)] == [True]


def test_a_burst_is_told_in_a_few_words_and_its_end_is_never_left_out() -> None:
    """Within a pause one notice is sent and one follows it; a server that refuses does not matter."""
    sent: list[float] = []
    telling = Telling(lambda _statements: sent.append(time.monotonic()))
    for _ in range(50):
        telling.told()
    assert len(sent) == 1
    time.sleep(4 * PAUSE_S)
    assert len(sent) == 2
    telling.told()
    telling.told()
    telling.end()
    assert len(sent) == 4

    def refused(_statements: str) -> None:
        raise LedgerUnavailableError("gone")

    Telling(refused).told()


def test_a_program_that_ends_has_told(
    stores: tuple[PostgresStore, PostgresStore], url: str, tmp_path: Path
) -> None:
    """A command that writes twice and ends at once leaves no write untold."""
    _writer, listener = stores
    version = _settle(listener)
    program = (
        "import sys; from pathlib import Path; from adapters.ledger import open_store;"
        "from tests.ledger.building import LEDGER, Author, sql_ledger;"
        "ledger = sql_ledger(Path(sys.argv[1]), open_store(sys.argv[2]));"
        "[ledger.append(LEDGER, seq - 1, [Author().captured(seq)]) for seq in (1, 2)]"
    )
    command = [sys.executable, "-W", "ignore", "-c", program, str(tmp_path), url]
    subprocess.run(command, cwd=ROOT, check=True, timeout=60)
    listener._asked_at = time.monotonic() + 60
    assert listener.wait(version, 5) == 2


def test_a_closed_store_listens_no_more(url: str) -> None:
    """Closing ends the session at the server and wakes whoever waits."""
    listener = PostgresStore(url)
    _settle(listener)
    assert len(_listeners(url)) == 1
    listener.close()
    until = time.monotonic() + 5
    while _listeners(url) and time.monotonic() < until:
        time.sleep(0.05)
    assert _listeners(url) == []
