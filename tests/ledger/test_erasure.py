"""Erasing at rest: keys and ciphertext go, everything else opens as before, and no crash leaves neither key."""

from collections.abc import Callable
from pathlib import Path

import pytest

from adapters.keys.ring import KeyRing
from adapters.ledger import Eraser, MasterFile, MasterKey, SqlLedger, Store, Tombstones, Vault
from adapters.ledger.store import driver_cursor
from adapters.system import SystemEntropy
from kernel.errors import HistoryError, LedgerUnavailableError
from kernel.events.stored import Tombstone
from tests.ledger.building import LEDGER, NOW, Author, open_store, prepare

SECRET = "the wall is damp"
KEPT = "the boat is dry"


class Place:
    """One installation's database, opened as each process opens it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store: Store = open_store(folder)
        signer = KeyRing.open(str(folder / "keys"), lambda: NOW).checkpoint_signer("here")
        self.ledger = SqlLedger(self.store, Vault(self.master(), SystemEntropy()), signer)
        stones = Tombstones(folder / "erased")
        self.eraser = Eraser(self.store, self.master(), SystemEntropy(), stones)

    def master(self) -> MasterFile:
        """Return the master key's file."""
        return MasterFile(self.folder / "master.key")

    def texts(self) -> list[str | None]:
        """Return the text of every capture."""
        bodies = [item.event.body for item in self.ledger.read(LEDGER)]
        return [body.content.text for body in bodies if hasattr(body, "content")]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Return a ledger with two captures."""
    prepare(tmp_path)
    here, author = Place(tmp_path), Author()
    here.ledger.append(LEDGER, 0, [author.opened(), author.captured(2, SECRET), author.captured(3, KEPT)])
    return here


def source(seq: int) -> str:
    """Return the id of the capture at a place."""
    return str(Author().captured(seq).body.source_id)  # type: ignore[attr-defined]


def test_erasing_takes_the_words_of_one_capture_alone(place: Place) -> None:
    """The erased text opens no more, the other one does, and the audit finds nothing wrong."""
    before = place.ledger.audit(LEDGER)
    assert place.eraser.unfinished((source(2), source(3))) == (source(2), source(3))
    assert place.eraser.erase(LEDGER, [source(2)], NOW)
    assert place.texts() == [None, KEPT]
    assert place.ledger.audit(LEDGER) == before
    assert place.eraser.unfinished((source(2), source(3))) == (source(3),)
    assert place.eraser.tombstones() == (Tombstone(LEDGER, source(2), NOW),)


def test_another_open_process_goes_on(place: Place) -> None:
    """A process that opened before the erasure reads, writes and is read again under the new master key."""
    other = Place(place.folder)
    assert other.texts() == [SECRET, KEPT]
    place.eraser.erase(LEDGER, [source(2)], NOW)
    assert other.texts() == [None, KEPT]
    third = Place(place.folder)
    place.eraser.erase(LEDGER, [source(3)], NOW)
    third.ledger.append(LEDGER, 3, [Author().captured(4, "later words")])
    assert place.texts() == [None, None, "later words"]
    assert Place(place.folder).texts() == [None, None, "later words"]


def test_neither_ciphertext_nor_wrapped_key_is_left_in_any_file(place: Place) -> None:
    """The bytes that held the words are in no file of the folder, and the old master key in none either."""
    with place.store.reading() as connection:
        asked = "SELECT ciphertext FROM blobs WHERE key_id = ?"
        blob = driver_cursor(connection).execute(asked, (source(2),)).fetchone()[0]
        wrapped = driver_cursor(connection).execute("SELECT wrapped FROM blob_keys").fetchall()
    master = (place.folder / "master.key").read_bytes()
    needles = (blob[:48], *(row[0] for row in wrapped), master)
    assert any(needle in content for needle in needles for content in contents(place.folder))
    assert place.eraser.erase(LEDGER, [source(2)], NOW)
    assert not [needle for needle in needles for content in contents(place.folder) if needle in content]


def contents(folder: Path) -> list[bytes]:
    """Return the bytes of every file under a folder."""
    return [path.read_bytes() for path in folder.rglob("*") if path.is_file()]


def before_the_transaction(place: Place) -> None:
    """Leave a next key that nothing was wrapped under."""
    place.master().begin(SystemEntropy())


def after_the_transaction(place: Place) -> None:
    """Leave a next key that everything is wrapped under."""
    vault = Vault(place.master(), SystemEntropy())
    place.eraser._destroy([source(2)], vault, place.master().begin(SystemEntropy()))


@pytest.mark.parametrize("crash", [before_the_transaction, after_the_transaction])
def test_a_dead_process_leaves_a_database_that_opens(place: Place, crash: Callable[[Place], None]) -> None:
    """Whichever of the two keys is in force, reading and writing go on, and the next erasure settles it."""
    crash(place)
    fresh = Place(place.folder)
    known = fresh.texts()
    fresh.ledger.append(LEDGER, 3, [Author().captured(4, "later words")])
    assert place.texts() == [*known, "later words"]
    assert Place(place.folder).eraser.erase(LEDGER, [source(2)], NOW)
    assert not (place.folder / "master.key.next").exists()
    assert (place.texts(), Place(place.folder).texts()) == ([None, KEPT, "later words"],) * 2


@pytest.mark.parametrize("crash", [before_the_transaction, after_the_transaction])
def test_a_start_settles_what_a_dead_process_left(place: Place, crash: Callable[[Place], None]) -> None:
    """After settling there is one key, and it opens the database."""
    crash(place)
    known = place.texts()
    Place(place.folder).eraser.settle()
    assert not (place.folder / "master.key.next").exists()
    assert Place(place.folder).texts() == known


def test_blobs_are_emptied_only_without_their_key(place: Place) -> None:
    """The database itself refuses to change a blob whose key is there, or to change it into something else."""
    for statement in (
        "UPDATE blobs SET ciphertext = x''",
        "UPDATE blobs SET ciphertext = x'00'",
        "UPDATE blobs SET key_id = 'x'",
        "DELETE FROM blobs",
    ):
        with (
            pytest.raises(LedgerUnavailableError, match="blobs are never changed or removed"),
            place.store.writing() as connection,
        ):
            driver_cursor(connection).execute(statement)


def test_a_reader_of_an_older_moment_delays_only_the_cutting_of_the_log(place: Place) -> None:
    """The words are gone at once; the caller is told that older pages may still lie in the log."""
    with place.store.reading() as connection:
        driver_cursor(connection).execute("SELECT * FROM events").fetchone()
        assert not place.eraser.erase(LEDGER, [source(2)], NOW)
    assert place.texts() == [None, KEPT]
    assert place.eraser.erase(LEDGER, [source(2)], NOW)


def test_a_wrong_master_key_erases_nothing(place: Place) -> None:
    """A key that does not open the database is never built upon."""
    (place.folder / "master.key").write_bytes(b"w" * 32)
    with pytest.raises(HistoryError, match="does not open under this master key"):
        Place(place.folder).eraser.erase(LEDGER, [source(2)], NOW)
    assert MasterKey.load(place.folder / "master.key").key == b"w" * 32
