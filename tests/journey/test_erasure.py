"""A marker goes the whole way from capture to accepted meaning, is erased, and is nowhere any more."""

from pathlib import Path

import pytest

from app.bootstrap import NO_SEAMS, Seams, open_studio
from app.config.settings import Settings
from app.services.desk import Caller
from app.services.studio import Studio
from kernel.commands import AcceptDelta, EditDelta, EraseSource
from kernel.errors import LifecycleError
from kernel.events.envelope import words_of
from kernel.projections.kept import Kept
from kernel.vocabulary import NodeKind, Via
from tests.support.sandbox import install, sandbox_texts
from tests.support.walk import Walk

MARKER = "zebrafinch"


class House:
    """An open installation, and its one project."""

    def __init__(self, settings: Settings, *, seams: Seams = NO_SEAMS) -> None:
        self.settings = settings
        self.studio: Studio = open_studio(settings, seams=seams)
        self.project_id = self.studio.projects.find("owner", sandbox_texts().title)

    @property
    def me(self) -> Caller:
        """Return the owner on the command line."""
        return self.studio.access.caller(self.project_id, "owner", Via.CLI)

    def captured(self) -> tuple[str, str]:
        """Capture the marker; return the source and its proposal."""
        done = self.studio.placements.capture(self.project_id, self.me, f"Ask about the {MARKER} at the wall")
        assert done.delta_id is not None
        return done.source_id, done.delta_id

    def accepted(self, delta_id: str) -> str:
        """Accept the proposal in words of one's own; return the node."""
        seen = self.studio.reviews.shown(delta_id)[2]
        edit = EditDelta(delta_id, "Ask about the wall", None, NodeKind.TASK, seen)
        replacement = self.studio.reviews.edit(self.me, edit)
        state, _record, seen = self.studio.reviews.shown(replacement)
        done = self.studio.reviews.accept(self.me, AcceptDelta(replacement, 0, state.revision, seen))
        return done.node_ids[0]

    def texts(self) -> list[str]:
        """Return every text that can still be read from the ledger."""
        stored = self.studio.desk.ledger.read(self.project_id)
        words = (item for event in stored for item in words_of(event.event.body))
        return [item.text for item in words if item.text is not None]

    def tells(self) -> bool:
        """Tell whether the marker is known to the stored ledger, to memory, or to any file."""
        folder = self.settings.data_folder
        files = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
        return (
            any(MARKER in text for text in self.texts())
            or MARKER in repr(self.studio.desk.state(self.project_id))
            or any(MARKER.encode() in content for content in files)
        )


@pytest.fixture
def house(tmp_path: Path) -> House:
    """Return an installation whose project has an accepted outline."""
    settings = install(tmp_path / "data")
    Walk(open_studio(settings), sandbox_texts()).until("capture")
    return House(settings)


def test_a_marker_is_nowhere_after_it_is_erased(house: House) -> None:
    """Not in the database, its log, another file, or any process's memory; everything still verifies."""
    other = House(house.settings)
    source_id, delta_id = house.captured()
    node_id = house.accepted(delta_id)
    assert house.tells()
    assert other.tells()
    done = house.studio.erasures.erase(house.project_id, house.me, source_id)
    assert (done.source_ids, done.closed, done.is_folded) == ((source_id,), (), True)
    assert [node.id for node in done.left.nodes] == [node_id]
    assert not house.tells()
    assert not other.tells()
    for place in (house, other, House(house.settings)):
        assert place.studio.audits.verify(place.project_id, strict=True).problems == ()
        title = place.studio.desk.state(place.project_id).tables.nodes[node_id].title
        assert title.text == "Ask about the wall"


def test_an_erasure_that_was_interrupted_is_completed_by_a_start(house: House) -> None:
    """The event is durable first; whoever starts next destroys what it names."""
    source_id, _delta_id = house.captured()
    house.studio.desk.act(house.project_id, house.me, EraseSource(source_id))
    assert any(MARKER in text for text in house.texts())
    fresh = House(house.settings)
    fresh.studio.recover()
    assert not fresh.tells()
    assert not house.tells()
    assert fresh.studio.erasures.eraser.tombstones() != ()


def test_erasing_again_completes_and_says_so(house: House) -> None:
    """A second request finds nothing to erase, destroys what the first one left, and is refused by name."""
    source_id, _delta_id = house.captured()
    house.studio.desk.act(house.project_id, house.me, EraseSource(source_id))
    with pytest.raises(LifecycleError, match="already erased"):
        house.studio.erasures.erase(house.project_id, house.me, source_id)
    assert not house.tells()


def test_the_same_command_sent_twice_erases_once(house: House) -> None:
    """A repeated command answers with what was recorded, and writes nothing."""
    source_id, delta_id = house.captured()
    caller = house.studio.access.caller(house.project_id, "owner", Via.API, key="one")
    first = house.studio.erasures.erase(house.project_id, caller, source_id)
    head = house.studio.desk.ledger.head(house.project_id)
    assert house.studio.erasures.erase(house.project_id, caller, source_id) == first
    assert house.studio.desk.ledger.head(house.project_id) == head
    assert first.closed == (delta_id,)


def test_words_that_went_without_an_event_are_found(house: House) -> None:
    """Whoever deletes a key behind the ledger's back is noticed by a strict verification."""
    source_id, _delta_id = house.captured()
    house.studio.erasures.eraser.erase(house.project_id, (source_id,), house.studio.clock.now())
    problems = house.studio.audits.verify(house.project_id, strict=True).problems
    assert {problem.partition(") ")[2] for problem in problems} == {
        "lost its texts, though nobody erased them"
    }


def test_a_late_answer_brings_nothing_back(house: House) -> None:
    """Erased while the manager was asked: recovery leaves the exchange alone, and nothing is written under the key."""
    source_id, _delta_id = house.captured()
    house.studio.erasures.erase(house.project_id, house.me, source_id)
    head = house.studio.desk.ledger.head(house.project_id)
    house.studio.recover()
    assert house.studio.desk.ledger.head(house.project_id) == head


def test_a_process_that_only_learns_of_an_erasure_forgets_too(house: House) -> None:
    """What pages keep of earlier states goes as soon as a process reads that words were erased elsewhere."""
    kept: Kept[str] = Kept(4)
    source_id, _delta_id = house.captured()
    other = open_studio(house.settings)
    part = other.desk.state(house.project_id)
    house.studio.erasures.erase(house.project_id, house.me, source_id)
    kept.of((part,), lambda: MARKER)
    other.desk.state(house.project_id)
    assert kept.of((part,), lambda: "made anew") == "made anew"
