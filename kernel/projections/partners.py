"""The nodes that a node could lawfully be joined to: places to move under, and ends of one kind of relation.

What is found is lawful now by kinds, circles, doubles and visibility; how deep a place lies is only checked when it
is proposed. A search costs O(nodes) for their titles; without one only the neighbourhood is looked at.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from heapq import nsmallest
from itertools import chain, islice
from typing import Final

from kernel.projections.kept import Kept
from kernel.rules.graph import ACYCLIC, ENDPOINTS, ancestors
from kernel.state import State, Tables
from kernel.values.records import Node
from kernel.vocabulary import NodeKind, RelationKind, Visibility

SHOWN_MAX: Final = 12
"""How many nodes one answer shows."""
_NEAR_MAX: Final = 200
"""How many neighbours are looked at without a query."""


@dataclass(frozen=True, slots=True)
class Partners:
    """What can be chosen: the first of what was found, and how many there are; None when nobody counted."""

    nodes: tuple[Node, ...]
    total: int | None


Verb = tuple[RelationKind, bool]
"""A kind of relation, and whether the node stands at its start."""


def verbs_for(kind: NodeKind) -> tuple[Verb, ...]:
    """Return the relations that a node of this kind may stand in, its place apart, those from it first."""
    found = []
    for relation, (starts, ends) in ENDPOINTS.items():
        if relation is RelationKind.BELONGS_TO:
            continue
        if kind in starts:
            found.append((relation, True))
        if kind in ends and relation is not RelationKind.CONFLICTS_WITH:
            found.append((relation, False))
    return tuple(sorted(found, key=lambda verb: not verb[1]))


PLACE: Final[Verb] = (RelationKind.BELONGS_TO, True)
"""What a move is about."""


def partners_for(state: State, node: Node, verb: Verb, query: str) -> Partners:
    """Return what a node may be joined to in this way: what a query finds by title, else what is near.

    For its place that is one level up first.
    """
    is_lawful = _lawful(state.tables, node, verb)
    words = query.casefold().split()
    if not words:
        near = (state.tables.nodes[item] for item in _near(state, node.id))
        return Partners(tuple(islice(filter(is_lawful, near), SHOWN_MAX)), None)
    matching = [item for item in _titled(state, words) if is_lawful(item[0])]
    whole = " ".join(words)
    best = nsmallest(
        SHOWN_MAX,
        matching,
        key=lambda item: (item[1] != whole, not item[1].startswith(whole), len(item[1])),
    )
    return Partners(tuple(item for item, _ in best), len(matching))


def partners_among(state: State, node: Node, verb: Verb, ids: Iterable[str]) -> Partners:
    """Return which of these nodes a node may be joined to in this way, in their order."""
    is_lawful = _lawful(state.tables, node, verb)
    nodes = (state.tables.nodes.get(item) for item in ids)
    found = [item for item in nodes if item is not None and is_lawful(item)]
    return Partners(tuple(found[:SHOWN_MAX]), len(found))


_Titled = tuple[tuple[Node, str], ...]
_TITLES: Final = Kept[_Titled](4)


def _titled(state: State, words: Iterable[str]) -> Iterator[tuple[Node, str]]:
    """Yield the active nodes whose titles have every word in them, with the title folded. The titles are kept."""
    rows = _TITLES.of((state.tables.nodes,), lambda: _titles(state.tables))
    wanted = tuple(words)
    return (item for item in rows if all(word in item[1] for word in wanted))


def _titles(tables: Tables) -> _Titled:
    rows = (node for node in tables.nodes.rows() if node.retired_in is None)
    return tuple((node, " ".join((node.title.text or "").casefold().split())) for node in rows)


def _near(state: State, node_id: str) -> Iterator[str]:
    """Yield the nodes around this one, each once: above its place, beside it, beside its place, the top, below it."""
    children = state.tables.children
    line = ancestors(state.tables, node_id)
    groups = (line[1:], *(children.get(item) or () for item in line[:2]), (state.root_id,))
    around = chain(*groups, children.get(state.root_id) or (), line[:1], children.get(node_id) or ())
    return iter(dict.fromkeys(islice(around, _NEAR_MAX)))


def _lawful(tables: Tables, node: Node, verb: Verb) -> Callable[[Node], bool]:
    """Return the test of whether the relation could be added now; what it needs is computed once."""
    kind, is_outgoing = verb
    allowed = ENDPOINTS[kind][1 if is_outgoing else 0]
    excluded = {node.id, *_joined(tables, node.id, verb)}
    if kind is RelationKind.BELONGS_TO:
        excluded.update(_below(tables, node.id))
    elif kind in ACYCLIC:
        excluded.update(_on_the_way(tables, node.id, kind, to_node=is_outgoing))
    needs_shared = kind is RelationKind.BELONGS_TO and node.visibility is Visibility.SHARED

    def is_lawful(other: Node) -> bool:
        if other.kind not in allowed or other.retired_in is not None or other.id in excluded:
            return False
        return not (needs_shared and other.visibility is Visibility.PRIVATE)

    return is_lawful


def _joined(tables: Tables, node_id: str, verb: Verb) -> Iterator[str]:
    """Yield what the node is joined to in this way already; a conflict is one and the same from either end."""
    kind, is_outgoing = verb
    both = kind is RelationKind.CONFLICTS_WITH
    for relation_id in tables.links.get(node_id) or ():
        relation = tables.relations[relation_id]
        if relation.kind is not kind:
            continue
        if relation.from_id == node_id and (is_outgoing or both):
            yield relation.to_id
        elif relation.to_id == node_id and (not is_outgoing or both):
            yield relation.from_id


def _below(tables: Tables, node_id: str) -> Iterator[str]:
    """Yield everything that belongs to a node. O(nodes below it)."""
    waiting = [node_id]
    while waiting:
        for child_id in tables.children.get(waiting.pop()) or ():
            yield child_id
            waiting.append(child_id)


def _on_the_way(tables: Tables, node_id: str, kind: RelationKind, *, to_node: bool) -> set[str]:
    """Return what reaches the node along one kind of relation or, not `to_node`, is reached from it."""
    waiting, seen = [node_id], set[str]()
    while waiting:
        for other_id in _joined(tables, waiting.pop(), (kind, not to_node)):
            if other_id not in seen:
                seen.add(other_id)
                waiting.append(other_id)
    return seen
