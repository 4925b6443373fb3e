"""Which steps of a change somebody may see who is no owner, and which records they may know of.

A node is visible when it is shared and stands under a visible one; a relation when both its ends are. What was
visible and becomes private is retired from sight together with all that hangs under it: what was shown stays in
the past, and nothing that happens to it later is told.
"""

from collections.abc import Iterator
from operator import is_
from typing import Final

from kernel.state import State
from kernel.values.records import (
    NodeAdd,
    NodeClear,
    NodePatch,
    NodeRetire,
    Operation,
    RelationAdd,
    RelationRetire,
)
from kernel.vocabulary import RelationKind, Visibility

_TABLE_OF: Final = {
    "source": "sources",
    "exchange": "exchanges",
    "delta": "deltas",
    "brief": "briefs",
    "run": "runs",
    "candidate": "candidates",
    "closure": "closures",
    "validation": "validations",
    "promotion": "promotions",
}
"""Kind of an id -> the part of the state that holds its record."""

_MEANING: Final = ("title", "description", "phase", "verification", "profile_id", "artifact_path")
"""Fields of a patch that say something of the node itself."""


def knows(state: State, record_id: str) -> bool:
    """Tell whether a state holds a record of this id: a node, the ledger itself, or anything that happened in it."""
    kind = record_id.partition("_")[0]
    if kind == "node":
        return record_id in state.tables.nodes
    if kind == "project":
        return record_id == state.ledger
    return kind in _TABLE_OF and record_id in getattr(state, _TABLE_OF[kind])


def visible(state: State, operations: tuple[Operation, ...]) -> tuple[Operation, ...]:
    """Return the steps that may be seen by those who see `state`, in order; untouched ones stay the same objects."""
    sorting = _Sorting(state, operations)
    return tuple(item for operation in operations for item in sorting.of(operation))


def is_clear(state: State, operations: tuple[Operation, ...]) -> bool:
    """Tell whether a change may be seen as it is, every step of it."""
    return are_same(visible(state, operations), operations)


def are_same(seen: tuple[Operation, ...], operations: tuple[Operation, ...]) -> bool:
    """Tell whether what is seen of a change is all of it, untouched."""
    return len(seen) == len(operations) and all(map(is_, seen, operations))


class _Sorting:
    """One change being gone through: what it has added and what it has taken out of sight by now."""

    def __init__(self, state: State, operations: tuple[Operation, ...]) -> None:
        self.sources = state.sources
        self.tables = state.tables
        self.places = {
            item.from_id: item.to_id
            for item in operations
            if isinstance(item, RelationAdd) and item.kind is RelationKind.BELONGS_TO
        }
        self.added: set[str] = set()
        self.gone: set[str] = set()

    def of(self, operation: Operation) -> Iterator[Operation]:
        """Yield what is seen of one step: nothing, the step itself, or what stands for it."""
        if isinstance(operation, NodeAdd):
            yield from self._node_added(operation)
        elif isinstance(operation, NodePatch):
            yield from self._patched(operation)
        elif isinstance(operation, NodeClear | NodeRetire):
            if self._has_node(operation.node_id):
                yield operation
        elif isinstance(operation, RelationAdd):
            yield from self._relation_added(operation)
        elif self._has_relation(operation.relation_id):
            self.gone.add(operation.relation_id)
            yield operation

    def _has_node(self, node_id: str) -> bool:
        node = self.tables.nodes.get(node_id)
        return node_id in self.added or (
            node is not None and node.retired_in is None and node_id not in self.gone
        )

    def _has_relation(self, relation_id: str) -> bool:
        relation = self.tables.relations.get(relation_id)
        return relation_id in self.added or (
            relation is not None and relation.retired_in is None and relation_id not in self.gone
        )

    def _shown(self, source_ids: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(item for item in source_ids if item in self.sources)

    def _node_added(self, step: NodeAdd) -> Iterator[Operation]:
        place = self.places.get(step.node_id)
        if step.visibility is Visibility.PRIVATE or (place is not None and not self._has_node(place)):
            return
        self.added.add(step.node_id)
        cited = self._shown(step.source_ids)
        yield step if cited == step.source_ids else step.model_copy(update={"source_ids": cited})

    def _patched(self, step: NodePatch) -> Iterator[Operation]:
        if not self._has_node(step.node_id):
            return
        if step.visibility is Visibility.PRIVATE:
            yield from self._withdrawn(step.node_id)
            return
        cited = self._shown(step.add_source_ids)
        if cited == step.add_source_ids:
            yield step
        elif cited or any(getattr(step, name) is not None for name in _MEANING):
            yield step.model_copy(update={"add_source_ids": cited})

    def _relation_added(self, step: RelationAdd) -> Iterator[Operation]:
        if self._has_node(step.from_id) and self._has_node(step.to_id):
            self.added.add(step.relation_id)
            cited = self._shown(step.source_ids)
            yield step if cited == step.source_ids else step.model_copy(update={"source_ids": cited})
        elif step.kind is RelationKind.BELONGS_TO and self._has_node(step.from_id):
            yield from self._withdrawn(step.from_id)

    def _withdrawn(self, node_id: str) -> Iterator[Operation]:
        """Yield what takes a node out of sight, with everything under it, the deepest first."""
        waiting, found = [node_id], []
        while waiting:
            found.append(waiting.pop())
            waiting.extend(self.tables.children.get(found[-1]) or ())
        for item in reversed(found):
            for relation_id in tuple(self.tables.links.get(item) or ()):
                if self._has_relation(relation_id):
                    self.gone.add(relation_id)
                    yield RelationRetire(relation_id=relation_id)
            if self._has_node(item):
                self.gone.add(item)
                yield NodeRetire(node_id=item)
