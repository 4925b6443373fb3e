"""What the local manager answers: reasons, doubts, relations, duplicates, questions, and texts nobody expects."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.manager.local import LocalManager, NodeIndex
from kernel.values.placement import PlaceableNode, PlacementAnswer
from kernel.vocabulary import NodeKind, RelationKind, Visibility
from tests.placement.labels import world_nodes
from tests.placement.measure import request, world_index

HOUSE = world_index("house")
IDS = {node.title: node.id for node in world_nodes("house")}


def _place(text: str, *, selected: str | None = None) -> PlacementAnswer:
    return LocalManager().place(request(text, selected=selected), HOUSE)


def _empty_project() -> NodeIndex:
    index = NodeIndex.empty()
    index.put(PlaceableNode("node_root", NodeKind.PROJECT, "Book club", "", None, Visibility.SHARED))
    return index


def test_a_place_says_which_words_point_there() -> None:
    """The reason names the matched words as written and the node they occur in."""
    place = _place("get a quieter extractor for the Kitchen").places[0]
    assert place.parent_id == IDS["Kitchen"]
    assert place.matched == ("Kitchen",)
    assert place.reason == "\u201cKitchen\u201d points to \u201cKitchen\u201d."


def test_a_slip_of_the_typist_is_read_and_said() -> None:
    """A misspelt word finds its place, and the answer says that it was read as another word."""
    answer = _place("new towel rail for the bathrom")
    assert answer.places[0].parent_id == IDS["Bathroom"]
    assert "\u201cbathrom\u201d was read as a slip for a word of the project." in answer.uncertainty


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Dinner menu", "the inner hull has a crack"),
        ("Inner hull", "dinner is at eight"),
        ("Room 12", "pay 12 people"),
    ],
)
def test_another_word_or_a_bare_number_points_nowhere(title: str, text: str) -> None:
    """A word is no slip for one with a letter more or less at its beginning, and a number is no word."""
    assert LocalManager().place(request(text), _with_area(title)).places == ()


def test_one_shared_word_is_no_good_fit_and_is_doubted() -> None:
    """Where one word alone meets a place that is called more than that, the place is weak and called a guess."""
    text = "the concert tickets for grandmother's birthday arrived yesterday"
    answer = LocalManager().place(request(text), _with_area("Concert hall ventilation"))
    assert answer.places[0].score <= 340
    assert "Only \u201cconcert\u201d points to this place, so it is a guess." in answer.uncertainty


def test_an_area_that_only_echoes_what_lies_in_it_is_no_rival() -> None:
    """Where every word points to one thing, the area around it is offered too and raises no doubt."""
    index = _with_area("Shopping")
    tins = PlaceableNode("node_tins", NodeKind.ARTIFACT, "Tins to buy", "", "node_area", Visibility.SHARED)
    index.put(tins)
    answer = LocalManager().place(request("choose the tins to buy"), index)
    assert [place.parent_id for place in answer.places] == ["node_tins", "node_area"]
    assert answer.places[1].score == round(0.8 * answer.places[0].score)
    assert answer.uncertainty == ()


def _with_area(title: str) -> NodeIndex:
    index = _empty_project()
    index.put(PlaceableNode("node_area", NodeKind.IDEA, title, "", "node_root", Visibility.SHARED))
    index.put(PlaceableNode("node_else", NodeKind.IDEA, "Members", "", "node_root", Visibility.SHARED))
    return index


def test_a_word_inside_another_word_points_nowhere() -> None:
    """Words are compared as words: `costume` is no cost, `doorbell` no door."""
    assert _place("a costume for the harvest").places == ()


def test_an_empty_project_takes_everything_at_its_root() -> None:
    """With only the root there is nothing to ask about."""
    answer = LocalManager().place(request("read a novel from Iceland in may"), _empty_project())
    assert [place.parent_id for place in answer.places] == ["node_root"]
    assert answer.question is None


def test_a_text_that_shares_no_word_is_asked_about() -> None:
    """When nothing fits and nothing useful is selected, the answer is a question that names the areas."""
    answer = _place("xyzzy plugh")
    assert answer.places == ()
    assert answer.question == (
        "No word of this text occurs in \u201cHouse renovation, Lindenstrasse 14\u201d. Does it belong to "
        "\u201cKitchen\u201d, \u201cBathroom\u201d, \u201cHeating and energy\u201d, \u201cRoof and attic\u201d or elsewhere?"
    )
    assert _place("xyzzy plugh", selected="node_000").question is not None


def test_a_text_that_shares_no_word_goes_where_the_person_was() -> None:
    """A selected area is taken when no word helps, and the answer says that only the selection speaks for it."""
    answer = _place("xyzzy plugh", selected=IDS["Bathroom"])
    reason = "No word of the text occurs in the project; \u201cBathroom\u201d was selected."
    assert [(place.parent_id, place.score, place.reason) for place in answer.places] == [
        (IDS["Bathroom"], 0, reason)
    ]
    assert reason in answer.uncertainty


@pytest.mark.parametrize(
    ("text", "kind", "target"),
    [
        (
            "order the tiles after the toilet has moved to the north wall",
            "depends_on",
            "Move the toilet to the north wall",
        ),
        ("plant the hedge once we fell the dead spruce", "depends_on", "Fell the dead spruce"),
        ("a gas hob instead of the induction hob", "conflicts_with", "Induction hob, no gas line"),
        (
            "this sketch implements the walk-in shower without a step",
            "implements",
            "Walk-in shower without a step",
        ),
    ],
)
def test_relations_that_the_text_names_are_suggested(text: str, kind: str, target: str) -> None:
    """A turn of phrase that states a relation, followed by a node's own words, is suggested with its reason."""
    answer = _place(text)
    assert [(relation.kind, relation.to_id) for relation in answer.relations] == [
        (RelationKind(kind), IDS[target])
    ]
    assert target in answer.relations[0].reason
    assert IDS[target] not in [place.parent_id for place in answer.places]


def test_before_names_no_relation_of_the_new_node() -> None:
    """`before X` makes X depend on the new node, which the answer cannot say, so it says nothing."""
    assert _place("pull the cables before we fell the dead spruce").relations == ()


@pytest.mark.parametrize(
    "text", ["Waterproof the shower corner", "waterproof the shower corner.", "The shower corner: waterproof"]
)
def test_a_text_that_is_already_there_is_called_a_duplicate(text: str) -> None:
    """The same words again point at the node that has them, whatever their order and case."""
    answer = _place(text)
    assert answer.duplicate_of == IDS["Waterproof the shower corner"]
    assert answer.places[0].parent_id == IDS["Bathroom"]


@pytest.mark.parametrize("text", ["Kitchen", "The kitchen.", "roof and attic"])
@pytest.mark.parametrize("selected", [None, "Bathroom"])
def test_the_title_of_an_area_is_a_duplicate_and_stands_where_the_area_does(
    text: str, selected: str | None
) -> None:
    """A text that is an area's title names that area, goes beside it, and no selection moves it."""
    answer = _place(text, selected=IDS.get(selected or ""))
    title = "Kitchen" if "itchen" in text else "Roof and attic"
    assert (answer.duplicate_of, answer.question) == (IDS[title], None)
    assert answer.places[0].parent_id == "node_000"
    assert answer.places[0].reason == (
        f"\u201c{title}\u201d says the same and stands in \u201cHouse renovation, Lindenstrasse 14\u201d."
    )
    assert not [doubt for doubt in answer.uncertainty if "No word" in doubt]


@pytest.mark.parametrize(
    "text", ["Bank confirmed the loan at 3.6 percent", "Do not waterproof the shower corner"]
)
def test_another_amount_or_a_negation_is_no_duplicate(text: str) -> None:
    """Two texts that differ in a number or a negation do not say the same."""
    assert _place(text).duplicate_of is None


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("so, order the worktop by friday.", "Order the worktop by friday"),
        ("No gas. The neighbours had a leak.", "No gas"),
        ("-5 degrees in the attic", "-5 degrees in the attic"),
        ("Dr. Vogt calls back. Wait for her.", "Dr. Vogt calls back"),
        ("# Roof\nlook at the ridge", "Roof"),
        ("\u202eturned\u202c round", "Turned round"),
    ],
)
def test_the_title_is_the_first_sentence_in_the_texts_own_words(text: str, title: str) -> None:
    """Fillers, marks and direction controls go; signs, negations and abbreviations stay."""
    assert _place(text).title == title


def test_a_long_sentence_keeps_its_negation_amount_and_date_in_the_title() -> None:
    """What turns the meaning round or pins it down is carried over the cut; the description has everything."""
    text = (
        "We keep the old clay tiles on the whole of the garden side and the gable, but not on the north side, "
        "until 3 May 2027 at the latest"
    )
    answer = _place(text)
    assert len(answer.title) <= 80
    assert answer.title.startswith("We keep the old clay tiles")
    assert all(word in answer.title for word in ("not", "3 May 2027"))
    assert answer.description == text


def test_a_text_larger_than_a_description_is_cut_to_what_the_kernel_takes() -> None:
    """The source has every word; the description of the node stops at the kernel's limit."""
    answer = _place("kitchen " * 100_000)
    assert answer.description is not None
    assert len(answer.description.encode()) <= 64 * 1024
    assert "Only the first 8,000 characters were read to find the place and the kind." in answer.uncertainty


@settings(max_examples=150, deadline=None)
@given(text=st.text(min_size=1, max_size=400).filter(lambda text: bool(text.strip())))
def test_any_text_gets_an_answer_with_a_place_or_a_question(text: str) -> None:
    """No text is too strange: it is placed or asked about, with a title that fits, twice the same."""
    answer = _place(text)
    assert (answer.question is None) == bool(answer.places)
    assert 0 < len(answer.title) <= 80
    assert len(answer.places) <= 4
    assert answer == _place(text)


@pytest.mark.parametrize(
    "text",
    [
        "\u6211\u4eec\u9700\u8981\u65b0\u53a8\u623f",
        "\U0001f389\U0001f389",
        "<script>alert(1)</script>",
        "\u0645\u0637\u0628\u062e",
    ],
)
def test_other_scripts_emoji_and_markup_are_plain_text(text: str) -> None:
    """Text the rules cannot read is asked about, and stays as written."""
    answer = _place(text)
    assert (answer.title, answer.places) == (text, ())
    assert answer.question is not None


def test_the_answer_does_not_depend_on_the_hash_seed() -> None:
    """Three processes with three hash seeds give one answer."""
    program = (
        "from tests.placement.measure import *\n"
        "i = world_index('house')\n"
        "print(LocalManager().place(request('coud we heat the bathrom floor and the kichen'), i).model_dump_json())"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("0", "1", "4711")
    }
    assert len(answers) == 1
