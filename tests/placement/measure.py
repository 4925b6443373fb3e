"""Measures the local manager on the labelled captures; the tests and the bench print and hold the same numbers."""

from collections.abc import Callable
from dataclasses import dataclass

from adapters.manager.local import NAME, LocalManager, NodeIndex
from adapters.manager.meaning import MeaningManager, load_encoder
from kernel.values.placement import PlacementAnswer, PlacementRequest
from kernel.vocabulary import Visibility
from tests.placement.labels import WORLDS, captures, statings, world_nodes


@dataclass(frozen=True, slots=True)
class Measure:
    """How many of `total` captures were placed and read as a person would, in per cent."""

    total: int
    top_1: float
    top_3: float
    kind: float
    kind_or_alternative: float


@dataclass(frozen=True, slots=True)
class Relating:
    """How many relations were proposed, how many were right, and how many the texts state."""

    proposed: int
    right: int
    stated: int

    @property
    def precision(self) -> float:
        """What share of the proposed relations is right, in per cent."""
        return round(100 * self.right / self.proposed, 1) if self.proposed else 100.0

    @property
    def recall(self) -> float:
        """What share of the stated relations was proposed, in per cent."""
        return round(100 * self.right / self.stated, 1)


def request(
    text: str, *, selected: str | None = None, visibility: Visibility = Visibility.SHARED
) -> PlacementRequest:
    """A placement request for a text; everything but the text is of no weight here."""
    return PlacementRequest(
        exchange_id="exchange_1",
        source_id="source_1",
        base_revision=1,
        manager=NAME,
        text=text,
        visibility=visibility,
        selected_node_id=selected,
    )


def world_index(world: str) -> NodeIndex:
    """The index of one world."""
    index = NodeIndex.empty()
    for node in world_nodes(world):
        index.put(node)
    return index


Answering = Callable[[str, str], PlacementAnswer]
"""Answers where a text fits in a world; (world, text)."""


def by_words() -> Answering:
    """The local manager as it is by default."""
    indexes = {world: world_index(world) for world in WORLDS}
    manager = LocalManager()
    return lambda world, text: manager.place(request(text), indexes[world])


def by_meaning() -> Answering:
    """The local manager with the sentence model. Raises: ConfigurationError where it is not installed."""
    manager = MeaningManager(load_encoder())
    shelves = {world: manager() for world in WORLDS}
    for world, shelf in shelves.items():
        for node in world_nodes(world):
            shelf.put(node)
    return lambda world, text: PlacementAnswer.model_validate_json(shelves[world].begin(request(text))())


def measure(
    *, held_out: bool, rounds: tuple[int, ...] = (1, 2), answering: Answering | None = None
) -> Measure:
    """Place every capture of one part of the set and compare with its labels."""
    answer_to = answering or by_words()
    chosen = [capture for capture in captures() if capture.held_out is held_out and capture.round in rounds]
    answers = [(capture, answer_to(capture.world, capture.text)) for capture in chosen]
    total = len(chosen)

    def share(hits: int) -> float:
        return round(100 * hits / total, 1)

    return Measure(
        total=total,
        top_1=share(sum(_hits(answer, capture.parents, first=1) for capture, answer in answers)),
        top_3=share(sum(_hits(answer, capture.parents, first=3) for capture, answer in answers)),
        kind=share(sum(answer.kind in capture.kinds for capture, answer in answers)),
        kind_or_alternative=share(
            sum(
                not capture.kinds.isdisjoint({answer.kind, answer.alternative_kind})
                for capture, answer in answers
            )
        ),
    )


def relating(*, held_out: bool, rounds: tuple[int, ...] = (1, 2, 3)) -> Relating:
    """Place every saying of the set of relations in one part, and compare what was proposed with its label."""
    answer_to = by_words()
    chosen = [item for item in statings() if item.held_out is held_out and item.round in rounds]
    proposed = right = 0
    for stating in chosen:
        relations = answer_to(stating.world, stating.text).relations
        proposed += len(relations)
        right += any(
            relation.kind is stating.kind and relation.to_id in stating.targets for relation in relations
        )
    return Relating(proposed, right, sum(stating.kind is not None for stating in chosen))


def _hits(answer: PlacementAnswer, parents: frozenset[str], *, first: int) -> bool:
    """Whether a right parent is among the first places."""
    return any(place.parent_id in parents for place in answer.places[:first])
