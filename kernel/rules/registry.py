"""The registry of admission rules: exactly one per event type."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from kernel.events.body import Body
from kernel.events.envelope import Event
from kernel.state import State

B = TypeVar("B", bound=Body)

RULES: Final[dict[type[Body], Callable[[State, Any, Event], None]]] = {}
"""Body class -> the rule that admits it or refuses by name."""


def admits(
    body_class: type[B],
) -> Callable[[Callable[[State, B, Event], None]], Callable[[State, B, Event], None]]:
    """Register the decorated function as the rule for `body_class`.

    Raises: AssertionError at import when the type already has one.
    """

    def register(function: Callable[[State, B, Event], None]) -> Callable[[State, B, Event], None]:
        assert body_class not in RULES, f"{body_class.TYPE} has two rules"
        RULES[body_class] = function
        return function

    return register
