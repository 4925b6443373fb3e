"""What says where words fit, and what reads an outline."""

from collections.abc import Callable
from typing import Protocol

from kernel.values.placement import (
    ManagerFacts,
    OutlineItem,
    Place,
    PlaceableNode,
    PlacementAnswer,
    PlacementRequest,
    SentQuestion,
)
from kernel.vocabulary import Visibility

Call = Callable[[], str]
"""Gets the exact answer of a manager, whatever it is. Raises: ManagerUnavailableError when there is none."""

AnswerReader = Callable[[PlacementRequest, str], PlacementAnswer]
"""Reads the exact answer to a request, without any other knowledge. Raises: InvalidError that says what is wrong."""


class Shelf(Protocol):
    """A manager's searchable view of one worldstate, kept up to date, that answers "where does this fit".

    A caller holds a lock while it calls a shelf. What may take long is done by the `Call`, under no lock.
    """

    def put(self, node: PlaceableNode) -> None:
        """Add or replace one node."""
        ...

    def remove(self, node_id: str) -> None:
        """Forget one node."""
        ...

    def prepare(self, text: str, visibility: Visibility, selected_node_id: str | None) -> SentQuestion | None:
        """Return what would leave this machine, to be durable first; None when nothing does."""
        ...

    def begin(self, request: PlacementRequest) -> Call:
        """Read what the answer needs of the nodes, and return the call that gets it.

        Raises: ManagerUnavailableError when it cannot be asked at all.
        """
        ...

    def nearest(self, text: str, visibility: Visibility) -> Place | None:
        """Return the place whose words cover most of a text, found on this machine; its score is the share of them.

        Only this figure may be compared across projects. None when no word occurs, or when nothing is compared here.
        """
        ...


class Manager(Protocol):
    """Whoever answers where a text fits: who it is, and a view for each worldstate."""

    @property
    def facts(self) -> ManagerFacts:
        """Return who it is and where it works."""
        ...

    def __call__(self) -> Shelf:
        """Return an empty view of one worldstate."""
        ...


class OutlineReader(Protocol):
    """Reads a Markdown outline."""

    def __call__(self, text: str) -> tuple[OutlineItem, ...]:
        """Return its items. Raises: InvalidError with the line."""
        ...
