"""The one frozen map of the state: lookup, `put`, and rows in key order.

A change shares structure with the table it came from, so keeping every past state costs what changed. The map
underneath iterates in hash order, which differs between processes; a table therefore offers order by key and
refuses plain iteration. Nothing else may import `immutables`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Generic, NoReturn, TypeVar

from immutables import Map

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Table(Generic[V]):
    """A frozen map from text keys to values; equal when the rows are equal."""

    _map: Map[str, V] = field(default_factory=Map)

    @classmethod
    def of(cls, items: Iterable[tuple[str, V]]) -> "Table[V]":
        """Return a table of these keys and values; a later one replaces an earlier one of the same key."""
        return cls().update(items)

    def get(self, key: str) -> V | None:
        """Return the value under `key`, or None."""
        return self._map.get(key)

    def __getitem__(self, key: str) -> V:
        """Return the value under `key`.

        Raises: KeyError when there is none.
        """
        return self._map[key]

    def __contains__(self, key: object) -> bool:
        """Tell whether there is a value under `key`."""
        return key in self._map

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._map)

    def __iter__(self) -> NoReturn:
        """Refuse: hash order is no order.

        Raises: TypeError, always.
        """
        message = "a table has no order of its own: iterate keys(), rows() or items()"
        raise TypeError(message)

    def put(self, key: str, value: V) -> "Table[V]":
        """Return a table in which `key` holds `value`; this one stays as it is."""
        return Table(self._map.set(key, value))

    def update(self, items: Iterable[tuple[str, V]]) -> "Table[V]":
        """Return a table with all these keys put, in the order given; this one stays as it is."""
        draft = self._map.mutate()
        for key, value in items:
            draft[key] = value
        return Table(draft.finish())

    def without(self, key: str) -> "Table[V]":
        """Return a table without `key`; a key that is absent changes nothing."""
        return Table(self._map.delete(key)) if key in self._map else self

    def keys(self) -> tuple[str, ...]:
        """Return the keys, sorted. O(n log n)."""
        return tuple(sorted(self._map))

    def rows(self) -> tuple[V, ...]:
        """Return the values, sorted by key. O(n log n)."""
        return tuple(self._map[key] for key in self.keys())

    def items(self) -> tuple[tuple[str, V], ...]:
        """Return keys and values, sorted by key. O(n log n)."""
        return tuple((key, self._map[key]) for key in self.keys())
