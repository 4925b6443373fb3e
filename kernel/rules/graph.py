"""The shape a worldstate's graph must keep: which kinds may be joined, and which relations stay acyclic."""

from typing import Final

from kernel.errors import RefusedError
from kernel.rules.limits import DEPTH_MAX
from kernel.state import Tables
from kernel.values.records import Node, RelationAdd
from kernel.vocabulary import NodeKind, RelationKind, Visibility

_ALL: Final = frozenset(NodeKind)
_CONTENT: Final = _ALL - {NodeKind.WORLD, NodeKind.PROJECT}
_HOLDERS: Final = _ALL - {NodeKind.EVIDENCE, NodeKind.AGENT_RUN}
_AIMS: Final = frozenset(
    {NodeKind.GOAL, NodeKind.IDEA, NodeKind.DECISION, NodeKind.TASK, NodeKind.CONSTRAINT}
)

ENDPOINTS: Final[dict[RelationKind, tuple[frozenset[NodeKind], frozenset[NodeKind]]]] = {
    RelationKind.BELONGS_TO: (_CONTENT, _HOLDERS),
    RelationKind.REFINES: (_CONTENT, _CONTENT),
    RelationKind.DEPENDS_ON: (_CONTENT, _CONTENT),
    RelationKind.CONFLICTS_WITH: (_CONTENT, _CONTENT),
    RelationKind.SUPERSEDES: (_CONTENT, _CONTENT),
    RelationKind.IMPLEMENTS: (_AIMS | {NodeKind.ARTIFACT}, _AIMS | {NodeKind.ARTIFACT}),
    RelationKind.EVIDENCED_BY: (_CONTENT - {NodeKind.EVIDENCE}, frozenset({NodeKind.EVIDENCE})),
    RelationKind.ORIGINATED_FROM: (_CONTENT, _ALL),
}
"""Relation kind -> (kinds it may start from, kinds it may lead to)."""

ACYCLIC: Final = frozenset(
    {RelationKind.BELONGS_TO, RelationKind.DEPENDS_ON, RelationKind.SUPERSEDES, RelationKind.REFINES}
)
"""Relations along which no node may reach itself."""


def active_node(tables: Tables, node_id: str) -> Node:
    """Return the active node, or refuse.

    Raises: RefusedError when it does not exist or is retired.
    """
    node = tables.nodes.get(node_id)
    if node is None:
        message = f"node {node_id} does not exist"
        raise RefusedError(message, code="reference_missing")
    if node.retired_in is not None:
        message = f"node {node_id} was retired in revision {node.retired_in}"
        raise RefusedError(message, code="record_retired")
    return node


def check_relation(tables: Tables, added: RelationAdd) -> None:
    """Refuse a relation whose ends do not fit, that doubles another, or that closes a circle.

    Raises: RefusedError.
    """
    start, end = active_node(tables, added.from_id), active_node(tables, added.to_id)
    if added.from_id == added.to_id:
        message = f"a node cannot {added.kind.value.replace('_', ' ')} itself"
        raise RefusedError(message, code="self_loop")
    starts, ends = ENDPOINTS[added.kind]
    if start.kind not in starts or end.kind not in ends:
        message = f"{start.kind.value} cannot stand in {added.kind.value} to {end.kind.value}"
        raise RefusedError(message, code="endpoint_mismatch")
    if _exists(tables, added):
        message = f"this {added.kind.value} relation already exists"
        raise RefusedError(message, code="duplicate_relation")
    if added.kind is RelationKind.BELONGS_TO:
        _check_belonging(tables, start, end)
    elif added.kind in ACYCLIC and _reaches(tables, added.kind, added.to_id, added.from_id):
        message = f"this {added.kind.value} relation would close a circle"
        raise RefusedError(message, code="cycle")


def _exists(tables: Tables, added: RelationAdd) -> bool:
    """Tell whether the same is said already; a conflict is one and the same read from either end."""
    same = {(added.from_id, added.to_id)}
    if added.kind is RelationKind.CONFLICTS_WITH:
        same.add((added.to_id, added.from_id))
    relations = (tables.relations[item] for item in tables.links.get(added.from_id) or ())
    return any(
        relation.kind is added.kind and (relation.from_id, relation.to_id) in same for relation in relations
    )


def _check_belonging(tables: Tables, child: Node, parent: Node) -> None:
    if child.id in tables.parent:
        message = f"node {child.id} already belongs to {tables.parent[child.id]}"
        raise RefusedError(message, code="second_parent")
    if parent.visibility is Visibility.PRIVATE and child.visibility is Visibility.SHARED:
        message = "a shared node cannot stand under a private one; make it private or place it elsewhere"
        raise RefusedError(message, code="visibility_mismatch")
    line = ancestors(tables, parent.id)
    if child.id in line or child.id == parent.id:
        message = "this belongs_to relation would close a circle"
        raise RefusedError(message, code="cycle")
    if len(line) + 1 + _height(tables, child.id) > DEPTH_MAX:
        message = f"this place lies deeper than {DEPTH_MAX} levels"
        raise RefusedError(message, code="too_deep")


def _height(tables: Tables, node_id: str) -> int:
    """Return how many levels the node and what belongs to it span. O(nodes below it)."""
    levels = 0
    level: tuple[str, ...] = (node_id,)
    while level:
        levels += 1
        level = tuple(child for parent in level for child in tables.children.get(parent) or ())
    return levels


def ancestors(tables: Tables, node_id: str) -> tuple[str, ...]:
    """Return the ids above a node, nearest first, ending with the root."""
    line: list[str] = []
    current = tables.parent.get(node_id)
    while current is not None and current not in line:
        line.append(current)
        current = tables.parent.get(current)
    return tuple(line)


def _reaches(tables: Tables, kind: RelationKind, start_id: str, goal_id: str) -> bool:
    waiting, seen = [start_id], {start_id}
    while waiting:
        current = waiting.pop()
        if current == goal_id:
            return True
        for relation_id in tables.links.get(current) or ():
            relation = tables.relations[relation_id]
            if relation.kind is kind and relation.from_id == current and relation.to_id not in seen:
                seen.add(relation.to_id)
                waiting.append(relation.to_id)
    return False
