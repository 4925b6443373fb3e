"""The nodes under which a node may stand, with their titles ready to be looked through."""

from dataclasses import dataclass, field
from typing import Final

from kernel.projections.kept import Kept
from kernel.rules.graph import ENDPOINTS
from kernel.state import State
from kernel.values.records import Node
from kernel.vocabulary import RelationKind

_KINDS: Final = ENDPOINTS[RelationKind.BELONGS_TO][1]


@dataclass(frozen=True, slots=True)
class Holders:
    """All places of a worldstate, by id."""

    nodes: tuple[Node, ...]
    titles: tuple[str, ...]
    """The title of each, folded so that case does not matter; empty when its words were erased."""
    ids: frozenset[str] = field(default_factory=frozenset)

    def titled(self, query: str) -> list[Node]:
        """Return the places whose titles have every word of the query in them."""
        found = list(zip(self.nodes, self.titles, strict=True))
        for word in query.casefold().split():
            found = [pair for pair in found if word in pair[1]]
        return [node for node, _ in found]


_HOLDERS: Final = Kept[Holders](4)


def holders(state: State) -> Holders:
    """Return the places of a state's worldstate. Kept; else O(nodes)."""
    return _HOLDERS.of((state.tables.nodes,), lambda: _holders(state))


def _holders(state: State) -> Holders:
    rows = state.tables.nodes.rows()
    nodes = tuple(node for node in rows if node.kind in _KINDS and node.retired_in is None)
    titles = tuple((node.title.text or "").casefold() for node in nodes)
    return Holders(nodes, titles, frozenset(node.id for node in nodes))
