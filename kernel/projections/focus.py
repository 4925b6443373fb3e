"""One node in the middle: where it sits, how it stands, what it hangs together with, and what would change it."""

from dataclasses import dataclass
from typing import Final

from kernel.errors import NotFoundError
from kernel.projections.kept import Kept
from kernel.projections.outline import Suggested, suggestions
from kernel.projections.shape import joined
from kernel.projections.standing import Standing, latest_runs, standing
from kernel.rules.graph import ancestors
from kernel.state import DeltaRecord, SourceRecord, State
from kernel.values.records import Node, Relation
from kernel.vocabulary import Disposition


@dataclass(frozen=True, slots=True)
class Joined:
    """One relation read from the node's side."""

    relation: Relation
    is_outgoing: bool
    other: Node


@dataclass(frozen=True, slots=True)
class Focus:
    """Everything around one node."""

    node: Node
    path: tuple[Node, ...]
    """From the root down to its parent."""
    standing: Standing
    joined: tuple[Joined, ...]
    """Its relations but for what belongs to it, in the order they were added."""
    sources: tuple[SourceRecord, ...]
    """The words it came from."""
    proposals: tuple[DeltaRecord, ...]
    """Waiting proposals that touch it, oldest first."""


def focus(state: State, node_id: str) -> Focus:
    """Return one accepted node with everything around it.

    Raises: NotFoundError.
    """
    node = state.tables.nodes.get(node_id)
    if node is None:
        message = f"there is no node {node_id}"
        raise NotFoundError(message)
    line = tuple(reversed(ancestors(state.tables, node_id)))
    return Focus(
        node=node,
        path=tuple(state.tables.nodes[item] for item in line),
        standing=standing(state, node, latest_runs(state)),
        joined=_joined(state, node_id),
        sources=tuple(state.sources[item] for item in node.source_ids if item in state.sources),
        proposals=touching(state, node_id),
    )


def _joined(state: State, node_id: str) -> tuple[Joined, ...]:
    found = []
    for relation in joined(state.tables, node_id):
        outgoing = relation.from_id == node_id
        other = state.tables.nodes[relation.to_id if outgoing else relation.from_id]
        found.append(Joined(relation, outgoing, other))
    return tuple(found)


_TOUCHED: Final = Kept[dict[str, tuple[DeltaRecord, ...]]](8)


def touching(state: State, node_id: str) -> tuple[DeltaRecord, ...]:
    """Return the waiting proposals that would change the node or point at it, oldest first. Kept."""
    return _TOUCHED.of((state.open_deltas, state.deltas), lambda: _touched(state)).get(node_id, ())


def _touched(state: State) -> dict[str, tuple[DeltaRecord, ...]]:
    found: dict[str, tuple[DeltaRecord, ...]] = {}
    for delta_id in sorted(state.open_deltas.keys(), key=lambda item: state.open_deltas[item]):
        record = state.deltas[delta_id]
        if record.disposition is Disposition.PENDING:
            for touched in dict.fromkeys(touch.id for touch in record.body.touches):
                found[touched] = (*found.get(touched, ()), record)
    return found


def suggested(state: State, node_id: str) -> Suggested | None:
    """Return the waiting suggestion that would add this node; None when there is none."""
    return next((item for item in suggestions(state) if item.add.node_id == node_id), None)
