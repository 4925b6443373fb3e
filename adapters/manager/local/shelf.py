"""One project's nodes and the local manager that places texts among them: what the product's port asks for."""

from collections.abc import Callable
from typing import Final

from adapters.manager.local.answer import places
from adapters.manager.local.index import NodeIndex
from adapters.manager.local.manager import NAME, LocalManager
from adapters.manager.local.query import terms
from adapters.manager.local.ranking import homes, own_scores
from adapters.manager.local.words import tokens
from kernel.canonical import canonical_bytes
from kernel.values.placement import ManagerFacts, Place, PlaceableNode, PlacementRequest, SentQuestion
from kernel.vocabulary import Visibility

FACTS: Final = ManagerFacts(name=NAME, mode="local")


class LocalShelf:
    """A searchable view of one worldstate, kept up to date node by node, that answers where a text fits."""

    facts = FACTS

    def __init__(self) -> None:
        self._index = NodeIndex.empty()
        self._manager = LocalManager()

    def put(self, node: PlaceableNode) -> None:
        """Add or replace one node."""
        self._index.put(node)

    def remove(self, node_id: str) -> None:
        """Forget one node."""
        self._index.remove(node_id)

    def prepare(
        self, _text: str, _visibility: Visibility, _selected_node_id: str | None
    ) -> SentQuestion | None:
        """Return None: nothing leaves this machine."""
        return None

    def begin(self, request: PlacementRequest) -> Callable[[], str]:
        """Answer where the text fits, at once."""
        answer = self._manager.place(request, self._index)
        exact = canonical_bytes(answer.model_dump(mode="json")).decode()
        return lambda: exact

    def nearest(self, text: str, visibility: Visibility) -> Place | None:
        """Return the best place by the words alone."""
        return nearest_place(self._index, text, visibility)


def nearest_place(index: NodeIndex, text: str, visibility: Visibility) -> Place | None:
    """Return the best place for a text among the nodes it may be compared with, or None when no word occurs."""
    view = index.view(visibility)
    query = terms(view, tokens(text))
    ranked = homes(view, own_scores(view, query), query, selected=None, apart=frozenset())
    found = places(ranked, query)
    return found[0] if found else None
