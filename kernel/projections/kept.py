"""Remembers what pure functions made of frozen values, so that a page does not make again what the last one made.

States are immutable and share structure, so the same part of two states is the same object: a result is kept by the
identity of the parts it was made from, together with these parts, and so can never be that of another value. It
changes no answer, only what an answer costs. Bounded: what was asked for longest ago is forgotten first.
"""

from collections.abc import Callable
from typing import Final, Generic, Protocol, TypeVar

V = TypeVar("V")


class _Forgetful(Protocol):
    """What keeps something made of people's words."""

    def forget(self) -> None:
        """Keep nothing."""
        ...


_EVERY: Final[list[_Forgetful]] = []


def forget_all() -> None:
    """Let every result go, with the values it was made from: what a person erased is to be in no memory."""
    for kept in _EVERY:
        kept.forget()


class Kept(Generic[V]):
    """The latest results of one pure function."""

    __slots__ = ("_most", "_results")

    def __init__(self, most: int) -> None:
        """Keep at most this many results."""
        self._most = most
        _EVERY.append(self)
        self._results: dict[tuple[int, ...], tuple[tuple[object, ...], V]] = {}

    def of(self, parts: tuple[object, ...], make: Callable[[], V]) -> V:
        """Return what was made from just these parts, or make it now.

        Two threads that ask at once may both make it: they make the same.
        """
        key = tuple(map(id, parts))
        found = self._results.pop(key, None)
        if found is None:
            found = (parts, make())
        self._results[key] = found
        while len(self._results) > self._most:
            self._results.pop(next(iter(tuple(self._results)), ()), None)
        return found[1]

    def forget(self) -> None:
        """Keep nothing."""
        self._results.clear()

    def latest(self) -> tuple[V, ...]:
        """Return what is kept, the latest asked for first."""
        return tuple(value for _, value in reversed(tuple(self._results.values())))


class Newest(Generic[V]):
    """The newest result of each name, from which the next one may be made; what was asked for longest ago goes first."""

    __slots__ = ("_most", "_results")

    def __init__(self, most: int) -> None:
        """Keep the results of at most this many names."""
        self._most = most
        _EVERY.append(self)
        self._results: dict[tuple[str, ...], V] = {}

    def of(self, name: tuple[str, ...], make: Callable[[V | None], V]) -> V:
        """Return what is made now from the name's last result, None when there is none, and keep it instead."""
        result = make(self._results.pop(name, None))
        self._results[name] = result
        while len(self._results) > self._most:
            self._results.pop(next(iter(tuple(self._results)), ()), None)
        return result

    def forget(self) -> None:
        """Keep nothing."""
        self._results.clear()
