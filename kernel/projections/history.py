"""What happened to one node: the revisions that changed it or its relations, newest first, and who said so."""

from dataclasses import dataclass

from kernel.state import Revision, State, revision_key
from kernel.table import Series
from kernel.values.records import Node


@dataclass(frozen=True, slots=True)
class Change:
    """One revision that touched the node."""

    revision: Revision
    before: Node | None
    """None in the revision that added it."""
    after: Node
    joined: tuple[str, ...]
    """Relations that this revision added to it."""
    parted: tuple[str, ...]
    """Relations that this revision retired."""


def history(state: State, node_id: str, *, most: int = 20) -> tuple[Change, ...]:
    """Return at most `most` changes of a node, newest first; empty when there is no such node."""
    return tuple(_change(state, node_id, number) for number in touched_in(state, node_id, most=most))


def touched_in(state: State, node_id: str, *, most: int = 20, before: int | None = None) -> tuple[int, ...]:
    """Return the numbers of at most `most` revisions below `before` that touched a node, newest first.

    Revisions share structure: a node's record is the same object as long as nothing changed it, so whole
    stretches are passed over by halving. O(changes * log revisions).
    """
    node = state.tables.nodes.get(node_id)
    highest = state.revision if before is None else min(state.revision, before - 1)
    if node is None or highest < node.created_in:
        return ()
    numbers: list[int] = []
    _changed(state, node_id, node.created_in, highest, found=numbers, most=most)
    if len(numbers) < most:
        numbers.append(node.created_in)
    return tuple(numbers)


def _changed(state: State, node_id: str, low: int, high: int, *, found: list[int], most: int) -> None:
    """Collect, newest first, the revisions in (low, high] that changed the node."""
    if low >= high or len(found) >= most or _same(state, node_id, low, high):
        return
    if high == low + 1:
        found.append(high)
        return
    middle = (low + high) // 2
    _changed(state, node_id, middle, high, found=found, most=most)
    _changed(state, node_id, low, middle, found=found, most=most)


def _same(state: State, node_id: str, low: int, high: int) -> bool:
    old, new = (state.revisions[revision_key(number)].tables for number in (low, high))
    return old.nodes.get(node_id) is new.nodes.get(node_id) and old.links.get(node_id) is new.links.get(
        node_id
    )


def _change(state: State, node_id: str, number: int) -> Change:
    revision = state.revisions[revision_key(number)]
    tables = revision.tables
    earlier = state.revisions.get(revision_key(number - 1))
    before = None if earlier is None else earlier.tables.nodes.get(node_id)
    old = (None if earlier is None else earlier.tables.links.get(node_id)) or Series()
    new = tables.links.get(node_id) or Series()
    return Change(
        revision=revision,
        before=before,
        after=tables.nodes[node_id],
        joined=new.beyond(old),
        parted=old.beyond(new),
    )
