"""One project's nodes and the local manager that places texts among them: what the product's port asks for."""

from adapters.manager.local.index import NodeIndex
from adapters.manager.local.manager import NAME, LocalManager
from kernel.values.placement import PlaceableNode, PlacementAnswer, PlacementRequest


class LocalShelf:
    """A searchable view of one worldstate, kept up to date node by node, that answers where a text fits."""

    name = NAME

    def __init__(self) -> None:
        self._index = NodeIndex.empty()
        self._manager = LocalManager()

    def put(self, node: PlaceableNode) -> None:
        """Add or replace one node."""
        self._index.put(node)

    def remove(self, node_id: str) -> None:
        """Forget one node."""
        self._index.remove(node_id)

    def place(self, request: PlacementRequest) -> PlacementAnswer:
        """Answer where the text fits."""
        return self._manager.place(request, self._index)
