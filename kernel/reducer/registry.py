"""The registry of evolvers: exactly one small function per event type."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from kernel.events.body import Body
from kernel.state import Origin, State

B = TypeVar("B", bound=Body)

EVOLVERS: Final[dict[type[Body], Callable[[State, Any, Origin], State]]] = {}
"""Body class -> the function that remembers it."""


def evolves(
    body_class: type[B],
) -> Callable[[Callable[[State, B, Origin], State]], Callable[[State, B, Origin], State]]:
    """Register the decorated function as the one that remembers `body_class`.

    Raises: AssertionError at import when the type already has one.
    """

    def register(function: Callable[[State, B, Origin], State]) -> Callable[[State, B, Origin], State]:
        assert body_class not in EVOLVERS, f"{body_class.TYPE} has two evolvers"
        EVOLVERS[body_class] = function
        return function

    return register
