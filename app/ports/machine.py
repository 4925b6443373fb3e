"""The clock, fresh bytes, and where the nodes of a map stand."""

from collections.abc import Sequence
from typing import Protocol


class Clock(Protocol):
    """The host's wall clock."""

    def now(self) -> str:
        """Return this moment in the ledger's exact spelling."""
        ...


class Entropy(Protocol):
    """Fresh random bytes."""

    def bytes(self, count: int) -> bytes:
        """Return `count` random bytes."""
        ...


class GraphLayout(Protocol):
    """Places for the nodes of a drawing; nothing of it is kept as meaning."""

    def rows(self, layers: Sequence[int], lines: Sequence[tuple[int, int]]) -> tuple[float, ...]:
        """Return a row for every node of a layered graph, the smallest 0, with few crossings of lines."""
        ...
