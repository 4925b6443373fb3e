"""Threads, full disks, failing disks and databases put back: what was acknowledged stays true."""

import resource
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from adapters.ledger import SqlLedger
from adapters.ledger.store import driver_cursor
from kernel.errors import HistoryError, LedgerConflictError, LedgerUnavailableError
from tests.ledger.building import LEDGER, Author, open_store, prepare, sql_ledger


def test_threads_share_one_ledger(tmp_path: Path) -> None:
    """Six threads append while two read: every append is stored once, every reader sees a whole beginning."""
    prepare(tmp_path)
    store = open_store(tmp_path)
    ledger = sql_ledger(tmp_path, store)
    done, lengths = threading.Event(), list[int]()

    def read() -> None:
        while not done.is_set():
            seqs = [item.event.seq for item in ledger.read(LEDGER)]
            assert seqs == list(range(1, len(seqs) + 1))
            lengths.append(len(seqs))

    writers = [threading.Thread(target=_append_ten, args=(ledger, f"t{number}")) for number in range(6)]
    readers = [threading.Thread(target=read) for _ in range(2)]
    for thread in (*readers, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    for thread in readers:
        thread.join()
    assert ledger.head(LEDGER).seq == 60
    assert ledger.audit(LEDGER).problems == ()
    assert lengths
    store.close()


def _append_ten(ledger: SqlLedger, name: str) -> None:
    count, seq = 0, 0
    while count < 10:
        try:
            seq = ledger.append(LEDGER, seq, [Author(name=f"{name} {count}").captured(seq + 1)]).head_seq
        except LedgerConflictError as conflict:
            seq = conflict.head_seq
        else:
            count += 1


def test_a_full_disk_stops_one_append_and_not_the_next(tmp_path: Path) -> None:
    """When the database cannot grow nothing is written; once there is room the ledger goes on."""
    prepare(tmp_path)
    store = open_store(tmp_path)
    ledger = sql_ledger(tmp_path, store)
    ledger.append(LEDGER, 0, [Author().captured(1)])
    with store.writing() as connection:
        pages = driver_cursor(connection).execute("PRAGMA page_count").fetchone()[0]
        driver_cursor(connection).execute(f"PRAGMA max_page_count = {pages}")
    large = Author().captured(2, "x" * 100_000)
    with pytest.raises(LedgerUnavailableError, match="database or disk is full"):
        ledger.append(LEDGER, 1, [large])
    assert ledger.head(LEDGER).seq == 1
    with store.writing() as connection:
        driver_cursor(connection).execute("PRAGMA max_page_count = 1000000")
    assert ledger.append(LEDGER, 1, [large]).head_seq == 2
    assert ledger.audit(LEDGER).problems == ()
    store.close()


@contextmanager
def _no_file_grows_beyond(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_failing_disk_stops_the_writer(tmp_path: Path) -> None:
    """After an I/O error this process writes no more; opened afresh, the ledger is whole and goes on."""
    prepare(tmp_path)
    store = open_store(tmp_path)
    ledger = sql_ledger(tmp_path, store)
    ledger.append(LEDGER, 0, [Author().captured(1)])
    wal = (tmp_path / "odeu.db-wal").stat().st_size
    with _no_file_grows_beyond(wal), pytest.raises(LedgerUnavailableError):
        ledger.append(LEDGER, 1, [Author().captured(2, "x" * 100_000)])
    with pytest.raises(LedgerUnavailableError, match="writing stopped after a failure of the disk"):
        ledger.append(LEDGER, 1, [Author(name="next").captured(2)])
    assert [item.event.seq for item in ledger.read(LEDGER)] == [1]
    store.close()
    store = open_store(tmp_path)
    ledger = sql_ledger(tmp_path, store)
    assert ledger.append(LEDGER, 1, [Author(name="next").captured(2)]).head_seq == 2
    assert ledger.audit(LEDGER).problems == ()
    store.close()


def test_a_database_put_back_is_not_written_on(tmp_path: Path) -> None:
    """An older copy cannot grow into another history: the signer remembers what it signed."""
    prepare(tmp_path)
    store = open_store(tmp_path)
    sql_ledger(tmp_path, store).append(LEDGER, 0, [Author().captured(1)])
    store.close()
    shutil.copy(tmp_path / "odeu.db", tmp_path / "copy.db")
    store = open_store(tmp_path)
    for seq in (2, 3):
        sql_ledger(tmp_path, store).append(LEDGER, seq - 1, [Author().captured(seq)])
    store.close()
    shutil.copy(tmp_path / "copy.db", tmp_path / "odeu.db")
    store = open_store(tmp_path)
    ledger = sql_ledger(tmp_path, store)
    with pytest.raises(HistoryError) as refusal:
        ledger.append(LEDGER, 1, [Author(name="other").captured(2)])
    assert refusal.value.reason_code == "checkpoint_not_extension"
    assert ledger.head(LEDGER).seq == 1
    store.close()
