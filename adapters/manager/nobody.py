"""What stands where the configured manager cannot be used: it answers nothing, and nobody answers in its place."""

from collections.abc import Callable

from kernel.errors import ManagerUnavailableError
from kernel.values.placement import ManagerFacts, Place, PlaceableNode, PlacementRequest, SentQuestion
from kernel.vocabulary import Visibility


class NobodyManager:
    """A manager that is named and cannot be asked; its facts say why."""

    def __init__(self, facts: ManagerFacts) -> None:
        self.facts = facts

    def __call__(self) -> "NobodyManager":
        """Return the view of one worldstate: this one, which keeps nothing."""
        return self

    def put(self, node: PlaceableNode) -> None:
        """Take no notice."""

    def remove(self, node_id: str) -> None:
        """Take no notice."""

    def prepare(
        self, _text: str, _visibility: Visibility, _selected_node_id: str | None
    ) -> SentQuestion | None:
        """Return None: nothing leaves this machine."""
        return None

    def begin(self, _request: PlacementRequest) -> Callable[[], str]:
        """Refuse, and say why.

        Raises: ManagerUnavailableError.
        """
        message = f"nobody was asked: {self.facts.problem}. Settings and `odeu doctor` say what to correct"
        raise ManagerUnavailableError(message, code="manager_not_usable")

    def nearest(self, _text: str, _visibility: Visibility) -> Place | None:
        """Return None: nothing is compared."""
        return None
