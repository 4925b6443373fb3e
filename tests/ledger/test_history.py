"""A replay is of the very ledger that was signed, and a text is shown only when the event it belongs to says so."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pysqlite3
import pytest

from adapters.ledger import MasterKey, SqlLedger, Vault
from adapters.ledger.history import PAGE
from adapters.ledger.vault import blob_digest
from adapters.system import SystemClock, SystemEntropy
from app.services.desk import Desk
from kernel.errors import HistoryError
from kernel.events.source import SourceCaptured
from kernel.merkle import leaf_hash
from kernel.reducer.replaying import replay
from kernel.state import State
from kernel.values.words import Opening
from tests.ledger.building import open_store, prepare, sql_ledger
from tests.support.story import Story
from tests.support.whole import whole_project
from tests.support.written import all_said

Database: TypeAlias = Any
"""A connection of the driver, which ships no types."""

COUNT = 3 * PAGE


def _story() -> Story:
    """Return a story that is longer than a few pages of texts."""
    story = Story().opened()
    while len(story.events) < COUNT:
        story.accepted(story.captured(f"Step {story.step}"))
    return story


def _kept(folder: Path, story: Story) -> SqlLedger:
    prepare(folder)
    ledger = sql_ledger(folder, open_store(folder))
    ledger.append(story.ledger, 0, story.events)
    return ledger


def _past_triggers(folder: Path) -> Database:
    db = pysqlite3.connect(str(folder / "odeu.db"), isolation_level=None)
    for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        db.execute(f"DROP TRIGGER {name}")
    return db


def _state(ledger: SqlLedger, story: Story) -> State:
    return Desk(ledger, SystemClock(), SystemEntropy()).state(story.ledger)


def test_a_ledger_that_was_replayed_says_what_was_told(tmp_path: Path) -> None:
    """Every record and every text of a whole project comes back, erased ones as erased, whichever is asked first."""
    for number, story in enumerate((whole_project(), _story())):
        ledger = _kept(tmp_path / str(number), story)
        assert all_said(_state(ledger, story)) == all_said(story.state)
        last = _state(ledger, story).sources.rows()[-1].body.content
        assert last.text == story.state.sources.rows()[-1].body.content.text


def _flip(db: Database) -> None:
    (data,) = db.execute("SELECT data FROM events WHERE seq = 70").fetchone()
    db.execute("UPDATE events SET data = ? WHERE seq = 70", (data[:-20] + b"?" + data[-19:],))


def _edit(db: Database) -> None:
    (data,) = db.execute("SELECT data FROM events WHERE seq = 2").fetchone()
    forged = data.replace(b'"via":"browser"', b'"via":"cli"')
    db.execute("UPDATE events SET data = ?, leaf_hash = ? WHERE seq = 2", (forged, leaf_hash(forged)))


def _remove_last(db: Database) -> None:
    db.execute("DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)")


def _remove(db: Database) -> None:
    db.execute("DELETE FROM events WHERE seq = 100")


def _exchange(db: Database) -> None:
    for old, new in ((70, 900), (71, 70), (900, 71)):
        db.execute("UPDATE events SET seq = ? WHERE seq = ?", (new, old))


def _repeat(db: Database) -> None:
    db.execute(
        "INSERT INTO events SELECT ledger_id, seq + 1, 'event_more', data, leaf_hash, blob_digest FROM events "
        "WHERE seq = (SELECT max(seq) FROM events)"
    )


@pytest.mark.parametrize("tamper", [_flip, _edit, _remove_last, _remove, _exchange, _repeat])
def test_a_history_that_is_not_the_signed_one_gives_no_state(
    tmp_path: Path, tamper: Callable[[Database], None]
) -> None:
    """An altered, edited, missing, moved or added event is found before anything of the replay is used."""
    story = _story()
    ledger = _kept(tmp_path, story)
    db = _past_triggers(tmp_path)
    tamper(db)
    db.close()
    with pytest.raises((HistoryError, KeyError)):
        _state(ledger, story)
    with pytest.raises(HistoryError):
        replay(ledger.history(story.ledger))


def test_an_edited_event_that_reads_well_is_refused_for_its_root(tmp_path: Path) -> None:
    """What only the tree can tell is said with the way to find out which event it is."""
    story = _story()
    ledger = _kept(tmp_path, story)
    db = _past_triggers(tmp_path)
    _edit(db)
    db.close()
    with pytest.raises(HistoryError, match="not those of the ledger's head; `odeu verify` says which"):
        _state(ledger, story)


def _blob_of(db: Database, seq: int) -> tuple[str, str, bytes, bytes]:
    row: tuple[str, str, bytes, bytes] = db.execute(
        "SELECT digest, key_id, ciphertext, wrapped FROM events JOIN blobs ON digest = blob_digest "
        "JOIN blob_keys ON blob_keys.id = key_id WHERE seq = ?",
        (seq,),
    ).fetchone()
    return row


def _put_blob(db: Database, seq: int, digest: str, blob: bytes) -> None:
    (old,) = db.execute("SELECT blob_digest FROM events WHERE seq = ?", (seq,)).fetchone()
    db.execute("UPDATE blobs SET digest = ?, ciphertext = ? WHERE digest = ?", (digest, blob, old))
    db.execute("UPDATE events SET blob_digest = ? WHERE seq = ?", (digest, seq))


def _damaged(db: Database, _folder: Path, _story: Story) -> None:
    digest, _, blob, _ = _blob_of(db, 2)
    _put_blob(db, 2, digest, bytes([blob[0] ^ 1]) + blob[1:])


def _damaged_with_digest(db: Database, _folder: Path, _story: Story) -> None:
    _, _, blob, _ = _blob_of(db, 2)
    altered = blob[:-1] + bytes([blob[-1] ^ 1])
    _put_blob(db, 2, blob_digest(altered), altered)


def _rewritten(db: Database, folder: Path, story: Story) -> None:
    """Put another text in, as somebody can who holds every key."""
    _, key_id, _, wrapped = _blob_of(db, 2)
    vault = Vault(MasterKey.load(folder / "master.key"), SystemEntropy())
    content = story.events[1].body.content  # type: ignore[attr-defined]
    openings = {content.commitment: Opening(content.opening.salt, "Other words")}
    blob = vault.seal(vault.unwrap(key_id, wrapped), openings, (story.ledger, story.events[1].id))
    _put_blob(db, 2, blob_digest(blob), blob)


@pytest.mark.parametrize(
    ("tamper", "problem"),
    [
        (_damaged, "is not the one that was written"),
        (_damaged_with_digest, "do not open"),
        (_rewritten, "event 2: a text does not open sha256:"),
    ],
)
def test_a_text_that_is_not_the_one_committed_to_is_never_shown(
    tmp_path: Path, tamper: Callable[[Database, Path, Story], None], problem: str
) -> None:
    """A blob that was damaged or rewritten is refused when somebody asks for its text; the others are shown."""
    story = _story()
    ledger = _kept(tmp_path, story)
    db = _past_triggers(tmp_path)
    tamper(db, tmp_path, story)
    db.close()
    sources = _state(ledger, story).sources
    first, second = [event.body for event in story.events if isinstance(event.body, SourceCaptured)][:2]
    with pytest.raises(HistoryError, match=problem):
        _ = sources[first.source_id].body.content.text
    assert sources[second.source_id].body.content.text == second.content.text


def test_a_text_whose_key_was_destroyed_meanwhile_is_erased(tmp_path: Path) -> None:
    """What nobody asked for before an erasure cannot be asked for after it, whatever this process had replayed."""
    story = _story()
    ledger = _kept(tmp_path, story)
    state = _state(ledger, story)
    source = next(event.body for event in story.events if isinstance(event.body, SourceCaptured))
    db = pysqlite3.connect(str(tmp_path / "odeu.db"), isolation_level=None)
    db.execute("DELETE FROM blob_keys WHERE id = ?", (source.source_id,))
    db.close()
    content = state.sources[source.source_id].body.content
    assert (content.text, content) == (None, source.content)
