"""The neighbourhood of a proposal before and after a yes: what stays around the place, and what is new there."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from kernel.reducer.operations import Acceptance, apply
from kernel.rules.operations import is_belonging
from kernel.state import Tables
from kernel.values.records import (
    Node,
    NodeAdd,
    NodeClear,
    NodePatch,
    NodeRetire,
    Operation,
    Relation,
    RelationAdd,
    RelationRetire,
)
from kernel.vocabulary import RelationKind

SIBLINGS_MAX: Final = 4
"""How many unchanged neighbours stand around a place; the newest, since what is added comes last."""
LINES_MAX: Final = 14
"""How many lines one side has at most."""
DEPTH_MAX: Final = 3
ADDED_MAX: Final = 40
"""How many added nodes are applied at most to draw both sides."""

Mark = Literal["", "added", "changed", "retired"]


@dataclass(frozen=True, slots=True)
class Line:
    """One node on one side."""

    node: Node
    depth: int
    mark: Mark = ""
    hidden: int = 0
    """How many nodes right below it are left out."""
    was: Node | None = None
    """The node before, when it is changed."""
    joins: tuple[Relation, ...] = ()
    """Relations beside its place that the proposal adds to it."""
    parts: tuple[Relation, ...] = ()
    """Relations from it beside its place that the proposal ends."""
    left: Node | None = None
    """Where it stood before, when it moves."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Both sides, with how many lines did not fit."""

    before: tuple[Line, ...]
    after: tuple[Line, ...]
    before_more: int = 0
    after_more: int = 0


@dataclass(frozen=True, slots=True)
class _Sides:
    """What both sides are drawn from."""

    old: Tables
    new: Tables
    marks: dict[str, Mark]
    joins: dict[str, tuple[Relation, ...]]
    parts: dict[str, tuple[Relation, ...]]


def difference(old: Tables, revision: int, operations: tuple[Operation, ...]) -> Difference:
    """Return the two sides of these operations over the tables of one revision.

    Raises: KeyError when they name a record that is not there.
    """
    shown, left_out = _beginning(operations)
    new = apply(old, shown, Acceptance(revision + 1, ""))
    sides = _Sides(old, new, _marks(shown, old, new), _joins(shown, new), _parts(shown, old))
    before = [line for anchor in _anchors(sides) for line in _lines(sides, anchor, is_after=False)]
    after = [line for anchor in _anchors(sides) for line in _lines(sides, anchor, is_after=True)]
    return Difference(
        before=tuple(before[:LINES_MAX]),
        after=tuple(after[:LINES_MAX]),
        before_more=max(0, len(before) - LINES_MAX),
        after_more=max(0, len(after) - LINES_MAX) + left_out,
    )


def _beginning(operations: tuple[Operation, ...]) -> tuple[tuple[Operation, ...], int]:
    """Return the operations that can be seen, and how many additions are left out.

    Of a long import only its first nodes fit on the page; applying the rest would cost seconds and show nothing.
    """
    added = [item.node_id for item in operations if isinstance(item, NodeAdd)]
    if len(added) <= ADDED_MAX:
        return operations, 0
    later = frozenset(added[ADDED_MAX:])
    kept = tuple(item for item in operations if not later.intersection(_names(item)))
    return kept, len(later)


def _names(operation: Operation) -> tuple[str, ...]:
    if isinstance(operation, RelationAdd):
        return operation.from_id, operation.to_id
    return () if isinstance(operation, RelationRetire) else (operation.node_id,)


def _marks(operations: tuple[Operation, ...], old: Tables, new: Tables) -> dict[str, Mark]:
    marks: dict[str, Mark] = {}
    for operation in operations:
        if isinstance(operation, NodeAdd):
            marks[operation.node_id] = "added"
        elif isinstance(operation, NodeRetire):
            marks[operation.node_id] = "retired"
        elif isinstance(operation, NodePatch | NodeClear):
            marks.setdefault(operation.node_id, "changed")
        elif isinstance(operation, RelationRetire):
            node_id = old.relations[operation.relation_id].from_id
            if new.nodes[node_id].retired_in is None:
                marks.setdefault(node_id, "changed")
        elif not is_belonging(operation) and operation.from_id in old.nodes:
            marks.setdefault(operation.from_id, "changed")
    return marks


def _joins(operations: tuple[Operation, ...], new: Tables) -> dict[str, tuple[Relation, ...]]:
    joins: dict[str, tuple[Relation, ...]] = {}
    for operation in operations:
        if isinstance(operation, RelationAdd) and not is_belonging(operation):
            relation = new.relations[operation.relation_id]
            if relation.kind is not RelationKind.EVIDENCED_BY:
                joins[operation.from_id] = (*joins.get(operation.from_id, ()), relation)
    return joins


def _parts(operations: tuple[Operation, ...], old: Tables) -> dict[str, tuple[Relation, ...]]:
    parts: dict[str, tuple[Relation, ...]] = {}
    for operation in operations:
        relation = old.relations.get(operation.relation_id) if isinstance(operation, RelationRetire) else None
        if relation is not None and relation.kind is not RelationKind.BELONGS_TO:
            parts[relation.from_id] = (*parts.get(relation.from_id, ()), relation)
    return parts


def _anchors(sides: _Sides) -> tuple[str, ...]:
    """Return the nodes under which something changes, without those that lie below another one."""
    found: dict[str, None] = {}
    for node_id in sides.marks:
        # What moves is shown where it stood and where it would stand.
        places = (sides.old.parent.get(node_id), sides.new.parent.get(node_id))
        found.update(dict.fromkeys(place for place in places if place) or {node_id: None})
    inner = {item for item in found if _has_marked_line(sides, item)}
    return tuple(item for item in found if item not in inner) or tuple(found)[:1]


def _has_marked_line(sides: _Sides, node_id: str) -> bool:
    """Tell whether the place is itself new, or changed or retired under a place that is shown anyway."""
    mark = sides.marks.get(node_id)
    if mark == "added":
        return True
    parent = (sides.old if mark == "retired" else sides.new).parent.get(node_id)
    return mark in {"changed", "retired"} and parent is not None


def _lines(sides: _Sides, anchor: str, *, is_after: bool) -> Iterator[Line]:
    tables = sides.new if is_after else sides.old
    shown, hidden = _neighbours(sides, tables, anchor)
    yield _line(sides, anchor, 0, is_after=is_after, hidden=hidden)
    for child in shown:
        yield from _below(sides, child, 1, is_after=is_after)


def _below(sides: _Sides, node_id: str, depth: int, *, is_after: bool) -> Iterator[Line]:
    tables = sides.new if is_after else sides.old
    marked = [item for item in tables.children.get(node_id) or () if item in sides.marks]
    deeper = marked if depth < DEPTH_MAX else []
    yield _line(sides, node_id, depth, is_after=is_after, hidden=len(marked) - len(deeper))
    for child in deeper:
        yield from _below(sides, child, depth + 1, is_after=is_after)


def _neighbours(sides: _Sides, tables: Tables, anchor: str) -> tuple[list[str], int]:
    """Return the children to show, in their order, and how many are left out."""
    children = tables.children.get(anchor) or ()
    plain = [item for item in children if item not in sides.marks]
    kept = set(plain[-SIBLINGS_MAX:])
    shown = [item for item in children if item in kept or item in sides.marks]
    return shown, len(children) - len(shown)


def _line(sides: _Sides, node_id: str, depth: int, *, is_after: bool, hidden: int) -> Line:
    if not is_after:
        return Line(sides.old.nodes[node_id], depth, hidden=hidden)
    mark, stood = sides.marks.get(node_id, ""), sides.old.parent.get(node_id)
    moves = mark == "changed" and stood is not None and sides.new.parent.get(node_id) != stood
    return Line(
        node=sides.new.nodes[node_id],
        depth=depth,
        mark=mark,
        hidden=hidden,
        was=sides.old.nodes.get(node_id) if mark == "changed" else None,
        joins=sides.joins.get(node_id, ()),
        parts=sides.parts.get(node_id, ()),
        left=sides.old.nodes[stood] if moves and stood is not None else None,
    )
