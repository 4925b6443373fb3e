"""What says where words fit, and what reads an outline."""

from typing import Protocol

from kernel.values.placement import OutlineItem, PlaceableNode, PlacementAnswer, PlacementRequest


class Shelf(Protocol):
    """A manager's searchable view of one worldstate, kept up to date, that answers "where does this fit"."""

    def put(self, node: PlaceableNode) -> None:
        """Add or replace one node."""
        ...

    def remove(self, node_id: str) -> None:
        """Forget one node."""
        ...

    def place(self, request: PlacementRequest) -> PlacementAnswer:
        """Answer. Raises: ManagerUnavailableError."""
        ...


class Manager(Protocol):
    """Whoever answers where a text fits: its name, and a view for each worldstate."""

    @property
    def name(self) -> str:
        """Return the name and version, such as `local/1`."""
        ...

    def __call__(self) -> Shelf:
        """Return an empty view of one worldstate."""
        ...


class OutlineReader(Protocol):
    """Reads a Markdown outline."""

    def __call__(self, text: str) -> tuple[OutlineItem, ...]:
        """Return its items. Raises: InvalidError with the line."""
        ...
