"""Which relations the local manager reads out of a text, and which it leaves alone."""

import pytest

from adapters.manager.local import LocalManager, NodeIndex
from kernel.values.placement import PlaceableNode, PlacementAnswer
from kernel.vocabulary import NodeKind, Visibility
from tests.placement.labels import world_nodes
from tests.placement.measure import request, world_index

HOUSE = world_index("house")
TITLES = {node.id: node.title for node in world_nodes("house")}
PERMIT = "Do we need a permit for the shed?"
WALL = "Remove the wall between kitchen and dining room"
QUIET = "No noisy work before 7 or after 20 o'clock"


def _answer(text: str, index: NodeIndex = HOUSE) -> PlacementAnswer:
    return LocalManager().place(request(text), index)


def _stated(text: str) -> list[tuple[str, str]]:
    """What a text states about the house: relation and title."""
    return [(relation.kind.value, TITLES[relation.to_id]) for relation in _answer(text).relations]


@pytest.mark.parametrize(
    ("text", "kind", "title"),
    [
        ("order the garden bench, depends on the permit question", "depends_on", PERMIT),
        ("a bench in the garden, blocked by the question of the permit", "depends_on", PERMIT),
        ("sanding at dawn goes against the rule on noisy work", "conflicts_with", QUIET),
        ("refines the decision for the heat pump: two units", "refines", "Air-to-water heat pump"),
        (
            "the new budget sheet serves the goal to move in by September",
            "implements",
            "Move in by September",
        ),
    ],
)
def test_a_word_for_the_kind_tells_which_node_is_meant(text: str, kind: str, title: str) -> None:
    """`the permit question` is the open question about the permit, though one word of it would name nothing."""
    assert _stated(text) == [(kind, title)]


@pytest.mark.parametrize(
    "text",
    [
        "order the garden bench, depends on the permit",
        "a switch for the pump, depends on the permit limit switch",
        "the permit question",
    ],
)
def test_one_word_names_nothing_by_itself(text: str) -> None:
    """Without a word for the kind, without a phrase, or where that word belongs to another noun, nothing is stated."""
    assert _stated(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "sanding in the yard does not conflict with no noisy work before 7",
        "check whether sanding conflicts with the rule on noisy work",
        "does sanding conflict with the rule on noisy work?",
        "we need to remove the wall between kitchen and dining room",
        "the house needs to keep the old clay tiles",
    ],
)
def test_what_is_denied_asked_or_another_use_of_the_word_is_not_stated(text: str) -> None:
    """A negation before the phrase, a question, `whether`, and `need to` state no relation."""
    assert _stated(text) == []


@pytest.mark.parametrize(
    "text", ["sweep up after the roof and attic", "a lamp instead of the roof and attic"]
)
def test_nothing_comes_after_or_instead_of_an_area(text: str) -> None:
    """An area is no step and no choice; a firm phrase may still name it."""
    assert _stated(text) == []
    assert _stated("the chimney sweep depends on the roof and attic") == [("depends_on", "Roof and attic")]


def test_until_waits_only_where_something_is_held_back() -> None:
    """`cannot ... until` waits for what follows; a span of time that ends with it does not."""
    assert _stated("we cannot order lamps until the wall between kitchen and dining room is removed") == [
        ("depends_on", WALL)
    ]
    assert _stated("we sleep upstairs until the wall between kitchen and dining room is removed") == []


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("no dust in the hall before the wall between kitchen and dining room is gone", ("depends_on", WALL)),
        ("never order a bench without the permit for the shed", ("depends_on", PERMIT)),
        ("sanding at dawn does not go with no noisy work before 7", ("conflicts_with", QUIET)),
        ("the compressor is too loud for the rule on noisy work", ("conflicts_with", QUIET)),
    ],
)
def test_a_negation_turns_some_phrases_round(text: str, stated: tuple[str, str]) -> None:
    """`no ... before` and `never ... without` wait for it; what does not go with it conflicts."""
    assert _stated(text) == [stated]


def test_evidence_implements_nothing() -> None:
    """A relation that the kernel would refuse for the kind of the new node is not proposed."""
    answer = _answer("photo: the beam as built implements the induction hob decision")
    assert NodeKind.EVIDENCE in {answer.kind, answer.alternative_kind}
    assert answer.relations == ()


def test_two_nodes_named_alike_are_told_and_none_is_chosen() -> None:
    """Where nothing tells which of two nodes is meant, the answer says so and proposes neither."""
    index = NodeIndex.empty()
    titles = ("Town fair", "Which stage cover?", "Who pays the stage cover?", "Drinks")
    kinds = (NodeKind.PROJECT, NodeKind.OPEN_QUESTION, NodeKind.OPEN_QUESTION, NodeKind.IDEA)
    for number, (title, kind) in enumerate(zip(titles, kinds, strict=True)):
        parent = "node_0" if number else None
        index.put(PlaceableNode(f"node_{number}", kind, title, "", parent, Visibility.SHARED))
    alike = _answer("drinks indoors, depends on the stage question", index)
    assert alike.relations == ()
    assert (
        "\u201cdepends on\u201d may speak of \u201cWhich stage cover?\u201d or of \u201cWho pays the stage cover?\u201d."
        in alike.uncertainty
    )
    told = _answer("drinks indoors, depends on who pays the stage cover", index)
    assert [relation.to_id for relation in told.relations] == ["node_2"]
