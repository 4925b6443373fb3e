"""What the local manager makes of an answer: it sets the place, and neither the kind nor a word of the node."""

import pytest

from adapters.manager.local import LocalManager, NodeIndex
from kernel.values.placement import PlaceableNode, PlacementAnswer
from kernel.vocabulary import NodeKind, Visibility
from tests.placement.measure import request

ROOT, BAND, ROOM, HALL = "node_root", "node_band", "node_room", "node_hall"
TEXT = "Lyse cells before noon"


def _party() -> NodeIndex:
    index = NodeIndex.empty()
    for node_id, kind, title, parent_id in (
        (ROOT, NodeKind.PROJECT, "The summer party", None),
        (BAND, NodeKind.DECISION, "We decided to hire the band", ROOT),
        (ROOM, NodeKind.GOAL, "Rooms", ROOT),
        (HALL, NodeKind.TASK, "Decorate the hall", ROOM),
    ):
        index.put(PlaceableNode(node_id, kind, title, "", parent_id, Visibility.SHARED))
    return index


def _answered(*answers: str, selected: str | None = None) -> PlacementAnswer:
    asked = request(TEXT, selected=selected).model_copy(update={"answers": answers})
    return LocalManager().place(asked, _party())


@pytest.mark.parametrize("selected", [None, BAND])
def test_an_answer_that_names_a_node_sets_the_place_and_nothing_else(selected: str | None) -> None:
    """The kind, the title and the description are those of the captured words alone."""
    alone = LocalManager().place(request(TEXT), _party())
    answer = _answered("We decided to hire the band", selected=selected)
    assert (answer.kind, answer.title, answer.description) == (alone.kind, alone.title, alone.description)
    assert (answer.places[0].parent_id, answer.places[0].reason, answer.uncertainty) == (
        BAND,
        "\u201cWe decided to hire the band\u201d was the answer to where it belongs.",
        alone.uncertainty,
    )


def test_an_answer_in_ones_own_words_helps_the_search_only() -> None:
    """Its words find the place as the words of the text would, and become no part of the node."""
    answer = _answered("something with the hall, we must decide")
    alone = LocalManager().place(request(TEXT), _party())
    assert answer.places[0].parent_id == ROOM
    assert (answer.kind, answer.title, answer.description) == (alone.kind, alone.title, alone.description)


@pytest.mark.parametrize(
    "said",
    [
        "directly under the project",
        "The summer party",
        "the project itself",
        "in the summer party",
        "Top level",
    ],
)
def test_directly_under_the_project_is_understood(said: str) -> None:
    """The project's title, or words for it, place a text at the root, and nothing is uncertain about that."""
    answer = _answered(said)
    assert [place.parent_id for place in answer.places][:1] == [ROOT]
    assert answer.uncertainty == LocalManager().place(request(TEXT), _party()).uncertainty


def test_nobody_is_asked_twice() -> None:
    """An answer that fits nowhere too leads to the project, and the answer says that this is a guess."""
    answer = _answered("xyzzy")
    assert (answer.question, [place.parent_id for place in answer.places]) == (None, [ROOT])
    assert answer.uncertainty[0] == (
        "No word of the text or of the answer \u201cxyzzy\u201d occurs in the project, so the place, directly under "
        "\u201cThe summer party\u201d, is a guess."
    )
