"""Placement by the local manager: right answers on the labelled set, and the time of one capture at 10,000 nodes.

The large project repeats the labelled worlds under made-up areas with words of their own, so that common words are
common and rare words rare. Times are processor time of one capture, the index kept, as the app keeps it.
"""

import random
import statistics
import time

from adapters.manager.local import LocalManager, NodeIndex
from kernel.errors import ConfigurationError
from kernel.values.placement import PlaceableNode
from kernel.vocabulary import NodeKind, Visibility
from tests.placement.labels import WORLDS, captures, world_nodes
from tests.placement.measure import Measure, by_meaning, measure, relating, request

NODES = 10_000
SEED = 20_261_130


def rows() -> list[tuple[str, str]]:
    """The rows of the bench table: what was measured, and the result."""
    held_out, tuned = measure(held_out=True), measure(held_out=False)
    index, build_ms = _large_index()
    times = sorted(_times(index))
    return [
        ("placement, held out: captures", str(held_out.total)),
        *_by_round(),
        ("placement, held out: location top-1 (goal 80 %)", f"{held_out.top_1} %"),
        ("placement, held out: location top-3 (goal 95 %)", f"{held_out.top_3} %"),
        ("placement, held out: kind (goal 85 %)", f"{held_out.kind} %"),
        ("placement, held out: kind or its alternative", f"{held_out.kind_or_alternative} %"),
        *_relations(),
        (
            f"placement, tuned on ({tuned.total}): top-1 / top-3 / kind",
            f"{tuned.top_1} / {tuned.top_3} / {tuned.kind} %",
        ),
        (f"placement at {NODES:,} nodes: p50 (limit 20 ms)", f"{statistics.median(times):.1f} ms"),
        (f"placement at {NODES:,} nodes: p95", f"{times[int(0.95 * len(times))]:.1f} ms"),
        (f"placement index: one put at {NODES:,} nodes", f"{build_ms / NODES:.2f} ms"),
    ]


def _by_round() -> list[tuple[str, str]]:
    """Each round of the held-out part by itself, and the whole with the sentence model where it is installed."""
    found = [
        (f"placement, held out, round {number} ({one.total}): top-1 / top-3 / kind", _figures(one))
        for number, one in ((number, measure(held_out=True, rounds=(number,))) for number in (1, 2))
    ]
    try:
        answering = by_meaning()
    except ConfigurationError:
        return [*found, ("placement, held out, with the sentence model", "not installed")]
    one = measure(held_out=True, answering=answering)
    return [*found, ("placement, held out, with the sentence model: the same", _figures(one))]


def _relations() -> list[tuple[str, str]]:
    """How many stated relations are found, and how many of those proposed are right."""
    parts = (("held out", relating(held_out=True)), ("tuned on", relating(held_out=False)))
    return [
        (f"relations, {name} ({one.stated} stated): precision / recall", f"{one.precision} / {one.recall} %")
        for name, one in parts
    ]


def _figures(one: Measure) -> str:
    return f"{one.top_1} / {one.top_3} / {one.kind} %"


def _large_index() -> tuple[NodeIndex, float]:
    """An index of `NODES` nodes and the milliseconds it took to build."""
    chance = random.Random(SEED)  # noqa: S311 - made-up words, no secret
    worlds = [node for world in WORLDS for node in world_nodes(world)]
    words = ["".join(chance.choices("bdfgklmnprst", k=3)) + chance.choice("aeiou") for _ in range(4_000)]
    nodes = [PlaceableNode("node_root", NodeKind.PROJECT, "Everything", "", None, Visibility.SHARED)]
    areas = ["node_root"]
    for number in range(NODES - 1):
        model = chance.choice(worlds)
        node = PlaceableNode(
            id=f"node_{number:05}",
            kind=NodeKind.IDEA if model.parent_id is None else model.kind,
            title=f"{model.title} {' '.join(chance.choices(words, k=2))}",
            description=f"{model.description} {' '.join(chance.choices(words, k=6))}",
            parent_id=chance.choice(areas[-400:]),
            visibility=Visibility.SHARED,
        )
        nodes.append(node)
        if node.kind is NodeKind.IDEA:
            areas.append(node.id)
    index = NodeIndex.empty()
    started = time.process_time()
    for node in nodes:
        index.put(node)
    return index, 1000 * (time.process_time() - started)


def _times(index: NodeIndex) -> list[float]:
    """Milliseconds of every labelled capture, each placed once after a warm-up."""
    manager = LocalManager()
    manager.place(request("warm up"), index)
    found: list[float] = []
    for capture in captures():
        started = time.process_time()
        manager.place(request(capture.text), index)
        found.append(1000 * (time.process_time() - started))
    return found


if __name__ == "__main__":
    for name, value in rows():
        print(f"{name:<60} {value}")
