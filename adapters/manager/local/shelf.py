"""One project's nodes and the local manager that places texts among them: what the product's port asks for."""

from collections.abc import Callable
from typing import Final

from adapters.manager.local.coverage import nearest_place
from adapters.manager.local.index import NodeIndex
from adapters.manager.local.manager import NAME, LocalManager
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
        """Return the place whose words cover most of a text."""
        return nearest_place(self._index, text, visibility)
