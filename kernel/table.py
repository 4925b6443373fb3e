"""The frozen containers of the state: the one map, with rows in key order, and a series in the order of adding.

A change shares structure with the table it came from, so keeping every past state costs what changed. The map
underneath iterates in hash order, which differs between processes; a table therefore offers order by key and
refuses plain iteration. Nothing else may import `immutables`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final, Generic, NoReturn, TypeVar, overload

from immutables import Map, MapMutation

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

    def these(self, keys: Iterable[str]) -> tuple[V, ...]:
        """Return the values under these keys, in their order.

        Raises: KeyError when there is none under one of them.
        """
        rows = self._map
        return tuple([rows[key] for key in keys])

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

    def newer_than(self, old: "Table[V]") -> tuple[str, ...]:
        """Return the keys, sorted, under which this table holds another object than `old`. O(n)."""
        return tuple(sorted(key for key, value in self._map.items() if old.get(key) is not value))

    def keys(self) -> tuple[str, ...]:
        """Return the keys, sorted. O(n log n)."""
        return tuple(sorted(self._map))

    def rows(self) -> tuple[V, ...]:
        """Return the values, sorted by key. O(n log n)."""
        return tuple(self._map[key] for key in self.keys())

    def items(self) -> tuple[tuple[str, V], ...]:
        """Return keys and values, sorted by key. O(n log n)."""
        return tuple((key, self._map[key]) for key in self.keys())

    def draft(self) -> "TableDraft[V]":
        """Return a table with the same rows that takes further ones in place; this one stays as it is."""
        return TableDraft(self._map.mutate())  # type: ignore[arg-type]


class TableDraft(Table[V]):
    """A table that one loop owns while it fills it: `put` and `without` change it in place and return it.

    A fifth of the cost of a table after each row. Whoever keeps one keeps a moving thing, so nobody does: `done`
    gives the frozen table and ends the draft.
    """

    __slots__ = ()
    _map: MapMutation[str, V]  # type: ignore[assignment]

    def put(self, key: str, value: V) -> "TableDraft[V]":
        """Let `key` hold `value`."""
        self._map[key] = value
        return self

    def update(self, items: Iterable[tuple[str, V]]) -> "TableDraft[V]":
        """Let all these keys hold these values, in the order given."""
        for key, value in items:
            self._map[key] = value
        return self

    def without(self, key: str) -> "TableDraft[V]":
        """Take `key` out; a key that is absent changes nothing."""
        self._map.pop(key, None)
        return self

    def done(self) -> Table[V]:
        """Return the table with these rows; the draft takes no more."""
        return Table(self._map.finish())


_PART: Final = 64


@dataclass(frozen=True, slots=True)
class Series(Sequence[str]):
    """Texts in the order they were added; equal when they are the same texts in the same order.

    Kept in parts of 64, so that adding one shares all full parts: a node with 10,000 children costs every past
    state a few hundred bytes, where a tuple would cost each of them a copy of all.
    """

    _full: tuple[tuple[str, ...], ...] = ()
    _rest: tuple[str, ...] = ()

    @classmethod
    def of(cls, items: Iterable[str]) -> "Series":
        """Return a series of these texts."""
        texts = tuple(items)
        end = len(texts) - len(texts) % _PART
        return cls(tuple(texts[start : start + _PART] for start in range(0, end, _PART)), texts[end:])

    def added(self, item: str) -> "Series":
        """Return the series with one more text at its end; this one stays as it is."""
        rest = (*self._rest, item)
        return Series(self._full, rest) if len(rest) < _PART else Series((*self._full, rest), ())

    def without(self, item: str) -> "Series":
        """Return the series without this text, wherever it stands. O(n)."""
        return Series.of(text for text in self if text != item)

    def beyond(self, old: "Series") -> tuple[str, ...]:
        """Return the texts that `old` does not have, in order, of two series without repetitions.

        What they share from the beginning is passed over.
        """
        theirs, rest = old._full, old._rest  # noqa: SLF001 - another value of this very class
        shared = 0
        while shared < min(len(theirs), len(self._full)) and self._full[shared] is theirs[shared]:
            shared += 1
        known = frozenset(chain(*theirs[shared:], rest))
        return tuple(text for text in chain(*self._full[shared:], self._rest) if text not in known)

    def __iter__(self) -> Iterator[str]:
        """Go through the texts, the first added first."""
        return chain(*self._full, self._rest)

    def __len__(self) -> int:
        """Return how many texts there are."""
        return _PART * len(self._full) + len(self._rest)

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...

    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        """Return one text by its place, or several as a tuple.

        Raises: IndexError when there is no such place.
        """
        if isinstance(index, slice):
            return tuple(self)[index]
        place = index + len(self) if index < 0 else index
        part, offset = divmod(place, _PART)
        if not 0 <= place < len(self):
            message = f"there is no text {index} among {len(self)}"
            raise IndexError(message)
        return self._rest[offset] if part == len(self._full) else self._full[part][offset]
