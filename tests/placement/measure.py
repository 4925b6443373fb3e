"""Measures the local manager on the labelled captures; the tests and the bench print and hold the same numbers."""

from dataclasses import dataclass

from adapters.manager.local import NAME, LocalManager, NodeIndex
from kernel.values.placement import PlacementAnswer, PlacementRequest
from kernel.vocabulary import Visibility
from tests.placement.labels import WORLDS, captures, world_nodes


@dataclass(frozen=True, slots=True)
class Measure:
    """How many of `total` captures were placed and read as a person would, in per cent."""

    total: int
    top_1: float
    top_3: float
    kind: float
    kind_or_alternative: float


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


def measure(*, held_out: bool, rounds: tuple[int, ...] = (1, 2)) -> Measure:
    """Place every capture of one part of the set and compare with its labels."""
    indexes = {world: world_index(world) for world in WORLDS}
    chosen = [capture for capture in captures() if capture.held_out is held_out and capture.round in rounds]
    manager = LocalManager()
    answers = [(capture, manager.place(request(capture.text), indexes[capture.world])) for capture in chosen]
    total = len(chosen)

    def share(hits: int) -> float:
        return round(100 * hits / total, 1)

    return Measure(
        total=total,
        top_1=share(sum(_hits(answer, capture.parents, first=1) for capture, answer in answers)),
        top_3=share(sum(_hits(answer, capture.parents, first=3) for capture, answer in answers)),
        kind=share(sum(answer.kind is capture.kind for capture, answer in answers)),
        kind_or_alternative=share(
            sum(capture.kind in {answer.kind, answer.alternative_kind} for capture, answer in answers)
        ),
    )


def _hits(answer: PlacementAnswer, parents: tuple[str, ...], *, first: int) -> bool:
    """Whether a right parent is among the first places."""
    return any(place.parent_id in parents for place in answer.places[:first])
