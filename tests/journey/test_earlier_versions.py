"""A ledger of an earlier version: read in place, proved by the bytes of then, exported and imported as it was written.

The version is made up, since no event has had a second one yet: `project.archived.v0` called the reason `why`. Its
step is registered through the seam of the product, and nowhere else.
"""

from pathlib import Path
from typing import Any, Final

import pytest

from adapters.bundles import BundleHead, BundleKey, events_of, examine, write_bundle
from adapters.keys.ring import KeyRing
from adapters.ledger import MasterKey, MemoryLedger, SqlLedger, Store, Vault
from adapters.ledger.exporting import Exporter
from adapters.system import SystemClock, SystemEntropy
from app.bootstrap import open_studio
from app.bootstrap.parts import Seams
from app.services.desk import Caller, Desk
from kernel.canonical import canonical_bytes, decode_canonical
from kernel.commands import ArchiveProject, RestoreProject
from kernel.errors import StudioError, UnknownEventError
from kernel.events.envelope import Event, event_bytes
from kernel.events.stored import EventAsWritten, Head
from kernel.merkle import leaf_hash, root_of
from kernel.reducer.replaying import replay
from kernel.upcast import Steps
from kernel.vocabulary import Via
from tests.ledger.building import NOW, open_store, prepare
from tests.support.sandbox import install
from tests.support.story import OWNER, Story

OLD: Final = "project.archived.v0"


def _renamed(raw: dict[str, Any]) -> dict[str, Any]:
    """Say again in today's words what the old version said."""
    return {**raw, "type": "project.archived.v1", "body": {"reason": raw["body"]["why"]}}


STEPS: Final[Steps] = {OLD: _renamed}


def _told() -> Story:
    """Return a story in which a project is put away and taken up again."""
    story = Story().opened()
    story.accepted(story.captured("Paint the hall"))
    story.after(ArchiveProject("Winter"))
    story.after(RestoreProject("Spring"))
    story.captured("Buy a boat")
    return story


def _as_then(event: Event) -> EventAsWritten:
    """Return an event as the earlier version would have written it."""
    raw = decode_canonical(event_bytes(event))
    if raw["type"] == "project.archived.v1":
        raw = {**raw, "type": OLD, "body": {"why": raw["body"]["reason"]}}
    return EventAsWritten(event, canonical_bytes(raw))


STORY: Final = _told()
THEN: Final = [_as_then(event) for event in STORY.events]
ROOT: Final = root_of([leaf_hash(item.data) for item in THEN])


def sql_ledger(folder: Path, store: Store, steps: Steps) -> SqlLedger:
    """Return the ledger of a prepared folder that reads by these steps."""
    vault = Vault(MasterKey.load(folder / "master.key"), SystemEntropy())
    signer = KeyRing.open(str(folder / "keys"), lambda: NOW).checkpoint_signer("here")
    return SqlLedger(store, vault, signer, steps=steps)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return a database with the old ledger in it."""
    prepare(tmp_path)
    store = open_store(tmp_path)
    sql_ledger(tmp_path, store, STEPS).append(STORY.ledger, 0, THEN)
    return store


def test_an_old_ledger_is_read_in_place(store: Store, tmp_path: Path) -> None:
    """Events read as today's, prove as they were written, replay to the same state, and lead on to new ones."""
    assert {OLD} <= {decode_canonical(item.data)["type"] for item in THEN}
    ledger = sql_ledger(tmp_path, store, STEPS)
    assert [item.event for item in ledger.read(STORY.ledger)] == STORY.events
    assert ledger.entries(STORY.ledger) == [item.data for item in THEN]
    assert ledger.head(STORY.ledger) == Head(len(THEN), ROOT.hex(), STORY.state.revision)
    assert ledger.audit(STORY.ledger).problems == ()
    assert replay(ledger.history(STORY.ledger), STEPS) == STORY.state
    desk = Desk(ledger, SystemClock(), SystemEntropy(), steps=STEPS)
    assert desk.state(STORY.ledger) == STORY.state
    done = desk.act(STORY.ledger, Caller(OWNER, Via.CLI), ArchiveProject("Again"))
    assert decode_canonical(ledger.entries(STORY.ledger, len(THEN))[0])["type"] == "project.archived.v1"
    fresh = Desk(ledger, SystemClock(), SystemEntropy(), steps=STEPS)
    assert fresh.state(STORY.ledger) == done.state


def test_without_the_step_the_version_is_named(store: Store, tmp_path: Path) -> None:
    """A product that lost a step reads nothing wrongly: it says which event it does not know."""
    ledger = sql_ledger(tmp_path, store, {})
    with pytest.raises(UnknownEventError, match=OLD):
        ledger.read(STORY.ledger)
    with pytest.raises(StudioError, match=OLD):
        Desk(ledger, SystemClock(), SystemEntropy()).state(STORY.ledger)
    assert any(OLD in problem for problem in ledger.audit(STORY.ledger).problems)


def test_bytes_that_say_another_event_are_refused(tmp_path: Path) -> None:
    """What was written must read back as the event it is said to be, in memory as in a database."""
    ledger = MemoryLedger(
        KeyRing.open(str(tmp_path / "keys"), lambda: NOW).checkpoint_signer("here"), steps=STEPS
    )
    ledger.append(STORY.ledger, 0, THEN)
    assert ledger.entries(STORY.ledger) == [item.data for item in THEN]
    other = EventAsWritten(STORY.events[1], THEN[0].data)
    with pytest.raises(StudioError, match="does not read back as itself"):
        MemoryLedger(ledger._signer).append(STORY.ledger, 0, [THEN[0], other])


def bundled(store: Store, folder: Path) -> Path:
    """Export the old ledger; return the bundle."""
    keys = KeyRing.open(str(folder / "keys"), lambda: NOW).public_keys()
    listed = [BundleKey(key.key_id, key.role.value, key.public_key, key.created_at) for key in keys]
    path = folder / "bundle.jsonl"
    vault = Vault(MasterKey.load(folder / "master.key"), SystemEntropy())
    with Exporter(store, vault).opened(STORY.ledger) as found:
        head = BundleHead("here", STORY.ledger, found.size, found.root, found.revision or 0)
        write_bundle(path, head, listed, events=found.events, checkpoints=found.checkpoints)
    return path


def test_an_old_ledger_travels_as_it_was_written(store: Store, tmp_path: Path) -> None:
    """A bundle verifies by the steps, and an import keeps every byte, so that root and proofs are those of home."""
    path = bundled(store, tmp_path)
    found = examine(path, STEPS)
    assert (found.problems, found.state) == ([], STORY.state)
    assert [item.data for item in events_of(path, found)] == [item.data for item in THEN]
    assert any(OLD in problem for problem in examine(path).problems)
    settings, seams = install(tmp_path / "abroad"), Seams(steps=STEPS)
    studio = open_studio(settings, seams=seams)
    me = studio.access.caller(studio.world_id, "owner", Via.CLI)
    assert studio.importing.take(me, path).added == len(THEN)
    for place in (studio, open_studio(settings, seams=seams)):
        assert place.desk.state(STORY.ledger) == STORY.state
        assert place.desk.ledger.head(STORY.ledger).root == ROOT.hex()
        assert place.audits.verify(STORY.ledger, strict=True).problems == ()
