"""A comparison as a tree: every node that differs, under the nodes it stands or stood in."""

from dataclasses import dataclass
from typing import Final

from kernel.projections.changes import Comparison, NodeChange
from kernel.projections.kept import Kept
from kernel.values.records import Node


@dataclass(frozen=True, slots=True)
class Branch:
    """One node of the tree."""

    node: Node
    """As it is in the later revision."""
    depth: int
    """0 for a node without a place."""
    change: NodeChange | None
    """None for a node that is shown only because something differs below it."""


_BRANCHES: Final = Kept[tuple[Branch, ...]](8)


def branches(found: Comparison) -> tuple[Branch, ...]:
    """Return the changed nodes with what lies above them, parents before children, in the order of the tree. Kept."""
    return _BRANCHES.of((found,), lambda: _branches(found))


def _branches(found: Comparison) -> tuple[Branch, ...]:
    changes = {item.after.id: item for item in found.changes}
    under, roots = _hung(found, changes)
    order = _order(found, under)
    waiting = [(node_id, 0) for node_id in reversed(roots)]
    told = []
    while waiting:
        node_id, depth = waiting.pop()
        told.append(Branch(found.later.tables.nodes[node_id], depth, changes.get(node_id)))
        children = sorted(under.get(node_id, ()), key=lambda child: order.get(child, len(order)))
        waiting.extend((child, depth + 1) for child in reversed(children))
    return tuple(told)


def _hung(found: Comparison, changes: dict[str, NodeChange]) -> tuple[dict[str, list[str]], list[str]]:
    """Return which shown nodes hang under which, and those that hang under none."""
    parent = found.later.tables.parent
    under: dict[str, list[str]] = {}
    roots: list[str] = []
    placed: set[str] = set()
    for changed in changes:
        node_id: str = changed
        while node_id not in placed:
            placed.add(node_id)
            change = changes.get(node_id)
            above = parent.get(node_id) or (None if change is None else change.was_under)
            if above is None:
                roots.append(node_id)
                break
            under.setdefault(above, []).append(node_id)
            node_id = above
    return under, roots


def _order(found: Comparison, under: dict[str, list[str]]) -> dict[str, int]:
    """Return where each shown node stands among its siblings; what is gone stands last."""
    children = found.later.tables.children
    return {
        child: place for node_id in under for place, child in enumerate(children.get(node_id) or (), start=0)
    }
