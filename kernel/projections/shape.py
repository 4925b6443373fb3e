"""The shape of a worldstate: how many nodes of which kind, what lies below each, what asks for care by itself.

Counting ten thousand nodes for every page would be most of its cost. A shape is kept by the tables it was taken of,
and that of another revision is carried over by what the revisions between them touched: it costs what changed. It
never differs from a shape that is taken anew.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from kernel.projections.changes import touched_between
from kernel.projections.kept import Kept
from kernel.rules.graph import ancestors
from kernel.state import State, Tables, revision_key
from kernel.values.records import Node, Relation
from kernel.vocabulary import NodeKind, Phase, RelationKind, Verification, Visibility

STEPS_MAX: Final = 400
"""Over how many revisions a shape is carried; over more it is taken anew."""
KEPT: Final = 8


@dataclass(frozen=True, slots=True)
class Shape:
    """What is true of the active nodes of one revision."""

    revision: int
    tables: Tables
    kinds: Mapping[NodeKind, int]
    """Kind -> how many active nodes are of it; a kind without any may be absent."""
    private: int
    completed: int
    """How many tasks are completed."""
    verified: int
    """How many of these are verified."""
    marked: frozenset[str]
    """Nodes that ask for care whatever their runs: blocked work, and what is in conflict."""
    tasks: frozenset[str]
    """Every active task."""
    below: dict[str, tuple[int, int]]
    """Node id -> what `inside` returns, for those that somebody asked about."""

    @property
    def total(self) -> int:
        """How many active nodes there are."""
        return sum(self.kinds.values())

    def inside(self, node_id: str) -> tuple[int, int]:
        """Return how many active nodes lie below a node, at any depth, and how many of those are private."""
        waiting = [node_id]
        while waiting:
            here = waiting[-1]
            children = () if here in self.below else self.tables.children.get(here) or ()
            unknown = [child for child in children if child not in self.below]
            if unknown:
                waiting.extend(unknown)
                continue
            waiting.pop()
            if here not in self.below:
                self.below[here] = self._sum(children)
        return self.below[node_id]

    def _sum(self, children: Iterable[str]) -> tuple[int, int]:
        nodes, number, private = self.tables.nodes, 0, 0
        for child in children:
            inner, hidden = self.below[child]
            number += 1 + inner
            private += hidden + (nodes[child].visibility is Visibility.PRIVATE)
        return number, private


_SHAPES: Final = Kept[Shape](KEPT)
_ORDERS: Final = Kept[tuple[str, ...]](KEPT)


def shape_of(state: State) -> Shape:
    """Return the shape of a state's worldstate. O(changes) after a state that was looked at lately, else O(nodes)."""
    tables = state.tables
    return _SHAPES.of((tables.nodes, tables.relations), lambda: _near(state) or taken(state))


def order_of(state: State) -> tuple[str, ...]:
    """Return every active node, parents before children, siblings in the order they were added. Kept; else O(nodes)."""
    return _ORDERS.of((state.tables.children,), lambda: _preorder(state))


def _preorder(state: State) -> tuple[str, ...]:
    children, found, waiting = state.tables.children, [], [state.root_id]
    while waiting:
        node_id = waiting.pop()
        found.append(node_id)
        inner = children.get(node_id)
        if inner:
            waiting.extend(reversed(tuple(inner)))
    return tuple(found)


_SORTED: Final = Kept[dict[NodeKind, tuple[str, ...]]](KEPT)


def of_kind(state: State, kind: NodeKind) -> tuple[str, ...]:
    """Return every active node of a kind, in the order of the tree. Kept; else O(nodes)."""
    parts = (state.tables.nodes, state.tables.children)
    return _SORTED.of(parts, lambda: _by_kind(state)).get(kind, ())


def _by_kind(state: State) -> dict[NodeKind, tuple[str, ...]]:
    found: dict[NodeKind, list[str]] = {}
    for node_id in order_of(state):
        found.setdefault(state.tables.nodes[node_id].kind, []).append(node_id)
    return {kind: tuple(ids) for kind, ids in found.items()}


@dataclass(slots=True)
class _Tally:
    """Numbers that nodes are added to and taken from."""

    kinds: Counter[NodeKind]
    private: int = 0
    completed: int = 0
    verified: int = 0

    def add(self, node: Node, sign: int) -> None:
        """Count an active node in, or out again with the sign -1."""
        self.kinds[node.kind] += sign
        if node.visibility is Visibility.PRIVATE:
            self.private += sign
        if node.kind is NodeKind.TASK and node.phase is Phase.COMPLETED:
            self.completed += sign
            if node.verification is Verification.VERIFIED:
                self.verified += sign


def taken(state: State) -> Shape:
    """Return the shape, taken anew. O(nodes + relations)."""
    tables, tally = state.tables, _Tally(Counter())
    marked, tasks = set(), set()
    for node in tables.nodes.rows():
        if node.retired_in is None:
            tally.add(node, 1)
            if node.kind is NodeKind.TASK:
                tasks.add(node.id)
            if node.phase is Phase.BLOCKED:
                marked.add(node.id)
    for relation in tables.relations.rows():
        if relation.kind is RelationKind.CONFLICTS_WITH and relation.retired_in is None:
            marked.update((relation.from_id, relation.to_id))
    return _shape(state, tally, (frozenset(marked), frozenset(tasks)), {})


def _shape(
    state: State,
    tally: _Tally,
    found: tuple[frozenset[str], frozenset[str]],
    below: dict[str, tuple[int, int]],
) -> Shape:
    marked, tasks = found
    return Shape(
        revision=state.revision,
        tables=state.tables,
        kinds=+tally.kinds,
        private=tally.private,
        completed=tally.completed,
        verified=tally.verified,
        marked=marked,
        tasks=tasks,
        below=below,
    )


def _near(state: State) -> Shape | None:
    """Return the shape carried over from the nearest revision of this very history that is kept, or None."""
    near = [base for base in _SHAPES.latest() if _is_of(base, state)]
    if not near:
        return None
    return _carried(min(near, key=lambda base: abs(base.revision - state.revision)), state)


def _is_of(base: Shape, state: State) -> bool:
    if abs(base.revision - state.revision) > STEPS_MAX:
        return False
    revision = state.revisions.get(revision_key(base.revision))
    return (
        revision is not None
        and revision.tables.nodes is base.tables.nodes
        and revision.tables.relations is base.tables.relations
    )


def _carried(base: Shape, state: State) -> Shape:
    old, new = base.tables, state.tables
    touched = _touched(base, state)
    tally = _Tally(Counter(base.kinds), base.private, base.completed, base.verified)
    marked, tasks, below = set(base.marked), set(base.tasks), dict(base.below)
    for node_id in touched:
        for node, sign in ((old.nodes.get(node_id), -1), (new.nodes.get(node_id), 1)):
            if node is not None and node.retired_in is None:
                tally.add(node, sign)
        marked.discard(node_id)
        tasks.discard(node_id)
        if _is_marked(new, node_id):
            marked.add(node_id)
        if _is_task(new, node_id):
            tasks.add(node_id)
        for tables in (old, new):
            if node_id in tables.nodes:
                for above in (node_id, *ancestors(tables, node_id)):
                    below.pop(above, None)
    return _shape(state, tally, (frozenset(marked), frozenset(tasks)), below)


def _touched(base: Shape, state: State) -> set[str]:
    nodes, relations = touched_between(state, *sorted((base.revision, state.revision)))
    for relation_id in relations:
        for tables in (base.tables, state.tables):
            relation = tables.relations.get(relation_id)
            if relation is not None:
                nodes |= {relation.from_id, relation.to_id}
    return nodes


def _is_marked(tables: Tables, node_id: str) -> bool:
    node = tables.nodes.get(node_id)
    if node is None or node.retired_in is not None:
        return False
    return node.phase is Phase.BLOCKED or in_conflict(tables, node_id)


def _is_task(tables: Tables, node_id: str) -> bool:
    node = tables.nodes.get(node_id)
    return node is not None and node.retired_in is None and node.kind is NodeKind.TASK


def in_conflict(tables: Tables, node_id: str) -> bool:
    """Tell whether a node is in conflict with another one."""
    return any(relation.kind is RelationKind.CONFLICTS_WITH for relation in joined(tables, node_id))


WIDE: Final = 64
"""From how many relations on those of a node are kept once they were gone through."""
_JOINED: Final = Kept[tuple[Relation, ...]](16)


def joined(tables: Tables, node_id: str) -> tuple[Relation, ...]:
    """Return the active relations of a node but for what belongs to it, in the order they were added."""
    links = tables.links.get(node_id)
    if links is None or len(links) < WIDE:
        return _joined(tables, node_id)
    return _JOINED.of((links, tables.relations), lambda: _joined(tables, node_id))


def _joined(tables: Tables, node_id: str) -> tuple[Relation, ...]:
    relations = tables.relations.these(tables.links.get(node_id) or ())
    belongs = RelationKind.BELONGS_TO
    return tuple([item for item in relations if item.kind is not belongs or item.from_id == node_id])
