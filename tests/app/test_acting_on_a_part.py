"""Acts of people who are not owners: tried against what they see, then against the whole, and refused in their words."""

from pathlib import Path
from typing import Any

import pytest

from app import bootstrap
from app.bootstrap import Seams
from app.services.desk import Caller
from app.services.studio import Studio
from kernel.commands import AcceptDelta, CaptureSource, MoveDelta, ProposeCompensation
from kernel.errors import AuthorityError, LedgerConflictError, NotFoundError, RefusedError
from kernel.state import State, revision_key
from kernel.vocabulary import NodeKind, Role, SourceKind, Via, Visibility
from tests.app.house import PROFILE, House, open_house


class Losing:
    """A ledger at which somebody else was always first, once it is told so."""

    def __init__(self, ledger: Any) -> None:
        self._ledger = ledger
        self.loses = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    def append(self, *given: Any) -> Any:
        """Append, or lose."""
        if self.loses:
            message = "event 4711 was first"
            raise LedgerConflictError(message, head_seq=4711)
        return self._ledger.append(*given)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Return a house with a reviewer."""
    house = open_house(Path(tmp_path_factory.mktemp("house")))
    house.studio.access.add_person(house.me, "rita", "Rita", Role.REVIEWER)
    return house


def rita(house: House) -> Caller:
    """Return the reviewer."""
    return house.studio.access.caller(house.project_id, "rita", Via.API)


def seen(house: House) -> State:
    """Return what the reviewer sees."""
    return house.studio.desk.sights.state(house.project_id)


def hidden_node(house: House, under: str | None = None) -> str:
    """Grow a private node and return it."""
    studio, title = house.studio, f"Ask Jonas about the zebra colour {house.revision()}"
    done = studio.placements.capture(
        house.project_id, house.me, title, visibility=Visibility.PRIVATE, selected_node_id=under
    )
    delta_id = done.delta_id
    assert delta_id is not None
    if under is not None:
        delta_id = studio.reviews.move(house.me, MoveDelta(delta_id, under, house.seen(delta_id)))
    return house.accepted(delta_id)


def test_a_yes_is_about_the_revision_that_is_seen(house: House) -> None:
    """Private revisions in between do not make a reviewer's yes stale, and the whole history keeps its own numbers."""
    delta_id = house.captured("Ask Jonas about the colour of the hall")
    hidden_node(house)
    number = seen(house).revision
    assert number < house.revision()
    done = house.studio.reviews.accept(rita(house), AcceptDelta(delta_id, 0, number, house.seen(delta_id)))
    assert done.revision == house.revision()
    assert seen(house).revision == number + 1
    record = seen(house).deltas[delta_id]
    assert (record.revision, record.body.base_revision) == (number + 1, number)


def test_a_profile_that_is_named_is_selected_for_a_reviewer_too(house: House) -> None:
    """Compiling proposes and accepts the profile in the reviewer's name, about the head that they see."""
    task_id = house.accepted(house.captured("Paint the boat with the same tins as well, buying the fewest"))
    hidden_node(house)
    number = seen(house).revision
    house.studio.briefs.compile(house.project_id, rita(house), task_id, PROFILE)
    state = seen(house)
    (brief,) = [row.body for row in state.briefs.rows() if row.body.node_id == task_id]
    assert (state.revision, brief.base_revision) == (number + 1, number + 1)
    assert state.tables.nodes[task_id].profile_id == PROFILE


def test_only_owners_keep_words_private(house: House) -> None:
    """A reviewer is refused with the reason; words in view of a private node are private for an owner by themselves."""
    node_id = hidden_node(house)
    command = CaptureSource("My debts", SourceKind.TEXT, Visibility.PRIVATE, "local/1")
    with pytest.raises(AuthorityError, match="only an owner keeps words private"):
        house.studio.desk.act(house.project_id, rita(house), command)
    done = house.studio.placements.capture(
        house.project_id, house.me, "More of that", selected_node_id=node_id
    )
    state = house.studio.desk.state(house.project_id)
    assert state.sources[done.source_id].body.visibility is Visibility.PRIVATE
    assert done.source_id not in seen(house).sources


def test_a_shared_question_takes_no_private_answer(house: House) -> None:
    """Others wait for the answer too, and would wait for ever."""
    asked = house.studio.placements.capture(house.project_id, house.me, "qqqq wwww")
    with pytest.raises(RefusedError, match="others wait for the answer"):
        house.studio.placements.capture(
            house.project_id,
            house.me,
            "It is my secret",
            visibility=Visibility.PRIVATE,
            answers=asked.exchange_id,
        )


def test_what_is_hidden_is_refused_as_what_is_not_there(house: House) -> None:
    """A place that nobody else sees gets the words for a place that never was."""
    delta_id, node_id = house.captured("Paint the door of the hall"), hidden_node(house)
    with pytest.raises(NotFoundError, match=f"node {node_id} does not exist"):
        house.studio.reviews.move(rita(house), MoveDelta(delta_id, node_id, house.seen(delta_id)))
    with pytest.raises(RefusedError, match=f"node {node_id} does not exist"):
        house.studio.briefs.compile(house.project_id, rita(house), node_id)


def test_what_only_the_whole_refuses_is_refused_in_one_sentence(house: House) -> None:
    """Taking back a node with something private under it would move that too, so an owner has to do it."""
    goal = house.accepted(house.captured("Renovate the whole upper floor"))
    hidden_node(house, under=goal)
    state = seen(house)
    number = next(
        row.number for row in reversed(state.revisions.rows()) if goal not in _before(state, row.number)
    )
    command = ProposeCompensation(number, state.revisions[revision_key(number)].state_root)
    before = house.heads()
    with pytest.raises(RefusedError) as refused:
        house.studio.reviews.compensate(house.project_id, rita(house), command)
    said = "this would also touch what only an owner of the project sees; ask an owner to do it"
    assert (refused.value.message, refused.value.reason_code) == (said, "not_visible")
    assert house.heads() == before


def _before(state: State, number: int) -> tuple[str, ...]:
    return state.revisions[revision_key(number - 1)].tables.nodes.keys() if number else ()


def test_shared_words_are_placed_among_shared_nodes(house: House) -> None:
    """Neither places nor doubles of an owner's shared capture name a private node, however well it fits."""
    words = "Feed the purple zebra of the neighbours"
    done = house.studio.placements.capture(house.project_id, house.me, words, visibility=Visibility.PRIVATE)
    assert done.delta_id is not None
    node_id = house.accepted(done.delta_id)
    again = house.studio.placements.capture(house.project_id, rita(house), words)
    state = house.studio.desk.state(house.project_id)
    record = state.deltas.get(again.delta_id or "")
    named = () if record is None else (record.body.duplicate_of, *(fit.parent_id for fit in record.body.fits))
    assert node_id not in named
    assert state.tables.nodes[node_id].kind is not NodeKind.PROJECT


def test_a_lost_race_tells_the_head_that_is_seen(house: House) -> None:
    """Whoever keeps losing the race is told nothing of how many events there are."""
    losing: list[Losing] = []

    def wrapped(ledger: Any) -> Any:
        losing.append(Losing(ledger))
        return losing[-1]

    studio: Studio = bootstrap.open_studio(house.studio.settings, seams=Seams(ledger=wrapped))
    studio.desk.state(house.project_id)
    losing[0].loses = True
    command = CaptureSource("Too late", SourceKind.TEXT, Visibility.SHARED, "local/1")
    told = {}
    for caller in (house.me, rita(house)):
        with pytest.raises(LedgerConflictError) as lost:
            studio.desk.act(house.project_id, caller, command)
        told[caller.actor.id] = (lost.value.head_seq, "4711" in lost.value.message)
    assert told == {"owner": (4711, True), "rita": (seen(house).seq, False)}
