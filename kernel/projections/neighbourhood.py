"""What stands around one node: its relations, step by step, with what is suggested laid over.

Bounded: a wide neighbourhood is cut off in the order of its relations, and every node knows how many of its
neighbours are not shown.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from kernel.projections.kept import Kept
from kernel.projections.outline import Suggested, suggestions
from kernel.state import State
from kernel.values.records import Node, NodeAdd, Relation, RelationAdd
from kernel.vocabulary import RelationKind

NODES_MAX: Final = 40
"""How many nodes a neighbourhood has at most."""
STEPS_MAX: Final = 3


@dataclass(frozen=True, slots=True)
class Around:
    """What the reader wants to see."""

    centre: str
    steps: int = 1
    opened: frozenset[str] = frozenset()
    """Nodes whose neighbours are shown wherever they stand."""
    hidden: frozenset[RelationKind] = frozenset()
    """Relation kinds that are left out."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One node of the neighbourhood."""

    id: str
    node: Node | None
    suggested: Suggested | None
    layer: int
    """0 in the centre; one more for each step along a relation, one less for each against it."""
    distance: int
    """How many steps it is away."""
    unseen: int
    """How many of its neighbours are not shown."""

    @property
    def record(self) -> Node | NodeAdd:
        """What stands there, accepted or only suggested."""
        if self.suggested is not None:
            return self.suggested.add
        assert self.node is not None
        return self.node


@dataclass(frozen=True, slots=True)
class Tie:
    """One relation between two shown nodes."""

    kind: RelationKind
    from_id: str
    to_id: str
    is_suggested: bool = False


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The nodes around one, the nearest first, and how they hang together."""

    spots: tuple[Spot, ...]
    ties: tuple[Tie, ...]


@dataclass(slots=True)
class _Walk:
    """Goes from the centre outwards."""

    state: State
    around: Around
    waiting: Mapping[str, Suggested]
    proposed: Mapping[str, tuple[Tie, ...]]

    def neighbours(self, node_id: str) -> Iterator[tuple[str, Relation | Tie]]:
        """Yield each neighbour with what joins it: accepted ones first, in the order they were added."""
        tables, hidden = self.state.tables, self.around.hidden
        for relation in tables.relations.these(tables.links.get(node_id) or ()):
            if relation.kind not in hidden:
                yield relation.to_id if relation.from_id == node_id else relation.from_id, relation
        for tie in self.proposed.get(node_id, ()):
            if tie.kind not in hidden:
                yield _other(tie, node_id), tie


def _tie(joining: Relation | Tie) -> Tie:
    return joining if isinstance(joining, Tie) else Tie(joining.kind, joining.from_id, joining.to_id)


def spread(state: State, around: Around) -> int:
    """Return how many nodes `neighbourhood` would show, and nothing else of them."""
    if around.centre not in state.tables.nodes:
        return len(neighbourhood(state, around).spots)
    waiting = {item.add.node_id: item for item in suggestions(state)}
    return len(_reached(_Walk(state, around, waiting, _proposed(state, waiting)))[0])


def neighbourhood(state: State, around: Around) -> Neighbourhood:
    """Return what stands around a node; nothing when neither the worldstate nor a suggestion knows it."""
    waiting = {item.add.node_id: item for item in suggestions(state)}
    walk = _Walk(state, around, waiting, _proposed(state, waiting))
    if around.centre not in state.tables.nodes and around.centre not in waiting:
        return Neighbourhood((), ())
    layers, distances = _reached(walk)
    ties: dict[Tie, None] = {}
    spots = []
    for node_id, layer in layers.items():
        unseen: set[str] = set()
        for other, joining in walk.neighbours(node_id):
            if other in layers:
                ties.setdefault(_tie(joining))
            else:
                unseen.add(other)
        node, item = state.tables.nodes.get(node_id), waiting.get(node_id)
        spots.append(Spot(node_id, node, item, layer, distances[node_id], len(unseen)))
    return Neighbourhood(tuple(spots), tuple(ties))


def _reached(walk: _Walk) -> tuple[dict[str, int], dict[str, int]]:
    """Return layer and distance of every node that is shown, the nearest first."""
    around = walk.around
    layers, distances = {around.centre: 0}, {around.centre: 0}
    queue = deque([around.centre])
    while queue and len(layers) < NODES_MAX:
        here = queue.popleft()
        if distances[here] >= around.steps and here not in around.opened:
            continue
        for other, joining in walk.neighbours(here):
            if other in layers:
                continue
            layers[other] = layers[here] + (1 if joining.from_id == here else -1)
            distances[other] = distances[here] + 1
            queue.append(other)
            if len(layers) >= NODES_MAX:
                break
    return layers, distances


def _other(tie: Tie, node_id: str) -> str:
    return tie.to_id if tie.from_id == node_id else tie.from_id


_PROPOSED: Final = Kept[dict[str, tuple[Tie, ...]]](8)


def _proposed(state: State, waiting: Mapping[str, Suggested]) -> dict[str, tuple[Tie, ...]]:
    """Return the relations that waiting proposals would add, by each of their ends. Kept."""
    parts = (state.open_deltas, state.deltas, state.tables.nodes)
    return _PROPOSED.of(parts, lambda: _proposed_now(state, waiting))


def _proposed_now(state: State, waiting: Mapping[str, Suggested]) -> dict[str, tuple[Tie, ...]]:
    found: dict[str, tuple[Tie, ...]] = {}
    for delta_id in dict.fromkeys(item.delta_id for item in waiting.values()):
        for operation in state.deltas[delta_id].body.operations:
            if not isinstance(operation, RelationAdd):
                continue
            tie = Tie(operation.kind, operation.from_id, operation.to_id, is_suggested=True)
            ends = (tie.from_id, tie.to_id)
            if all(end in state.tables.nodes or end in waiting for end in ends):
                for end in ends:
                    found[end] = (*found.get(end, ()), tie)
    return found
