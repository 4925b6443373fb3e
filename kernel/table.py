"""The frozen containers of the state: the one map, with rows in key order, and a series in the order of adding.

A change shares structure with the table it came from, so keeping every past state costs what changed. The map
underneath iterates in hash order, which differs between processes; a table therefore offers order by key and
refuses plain iteration. Nothing else may import `immutables`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain
from typing import Any, Final, Generic, NoReturn, TypeAlias, TypeVar, overload

from immutables import Map

V = TypeVar("V")


class _Mark(Enum):
    """What stands in the map of changes in place of a value."""

    GONE = "gone"
    """The ground has this row; the table does not."""
    UNCHANGED = "unchanged"
    """The answer of a look for a key that the map does not have."""


_GONE: Final = _Mark.GONE
_UNCHANGED: Final = _Mark.UNCHANGED
_Change: TypeAlias = V | _Mark


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Table(Generic[V]):
    """A frozen map from text keys to values; equal when the rows are equal.

    Rows that were there when a loop had filled it lie in a ground, a plain dict that nobody changes any more, and
    what changed since in a persistent map above it: filling costs a tenth of it, and every later table shares both.
    """

    _ground: dict[str, V] = field(default_factory=dict)
    _map: "Map[str, _Change[V]]" = field(default_factory=Map)
    _size: int = 0

    @classmethod
    def of(cls, items: Iterable[tuple[str, V]]) -> "Table[V]":
        """Return a table of these keys and values; a later one replaces an earlier one of the same key."""
        ground = dict(items)
        return Table(ground, Map(), len(ground))

    def get(self, key: str) -> V | None:
        """Return the value under `key`, or None."""
        found = self._map.get(key, _UNCHANGED)
        if found is _UNCHANGED:
            return self._ground.get(key)
        return None if found is _GONE else found

    def __getitem__(self, key: str) -> V:
        """Return the value under `key`.

        Raises: KeyError when there is none.
        """
        found = self._map.get(key, _UNCHANGED)
        if found is _UNCHANGED:
            return self._ground[key]
        if found is _GONE:
            raise KeyError(key)
        return found

    def these(self, keys: Iterable[str]) -> tuple[V, ...]:
        """Return the values under these keys, in their order.

        Raises: KeyError when there is none under one of them.
        """
        if self._map and self._ground:
            # A few are asked for: bringing all rows together would cost as much as a page.
            return tuple([self[key] for key in keys])
        rows = self._rows()
        return tuple([rows[key] for key in keys])

    def __contains__(self, key: object) -> bool:
        """Tell whether there is a value under `key`."""
        found = self._map.get(key, _UNCHANGED)  # type: ignore[call-overload]
        return key in self._ground if found is _UNCHANGED else found is not _GONE

    def __len__(self) -> int:
        """Return the number of rows."""
        return self._size

    def __iter__(self) -> NoReturn:
        """Refuse: hash order is no order.

        Raises: TypeError, always.
        """
        message = "a table has no order of its own: iterate keys(), rows() or items()"
        raise TypeError(message)

    def __eq__(self, other: object) -> bool:
        """Tell whether both have the same rows."""
        if not isinstance(other, Table):
            return NotImplemented
        if self._ground is other._ground and self._map == other._map:
            return True
        return len(self) == len(other) and self._all() == other._all()

    def __hash__(self) -> int:
        """Return a hash of the rows."""
        return hash(frozenset(self._all().items()))

    def __repr__(self) -> str:
        """Return the rows, by key."""
        return f"Table({dict(self.items())!r})"

    def put(self, key: str, value: V) -> "Table[V]":
        """Return a table in which `key` holds `value`; this one stays as it is."""
        size = self._size if key in self else self._size + 1
        return Table(self._ground, self._map.set(key, value), size)

    def update(self, items: Iterable[tuple[str, V]]) -> "Table[V]":
        """Return a table with all these keys put, in the order given; this one stays as it is."""
        return self.changed(dict(items).items())

    def without(self, key: str) -> "Table[V]":
        """Return a table without `key`; a key that is absent changes nothing."""
        return self.changed([(key, None)]) if key in self else self

    def changed(self, items: Iterable[tuple[str, V | None]]) -> "Table[V]":
        """Return a table in which each of these keys holds its value, and one with None is absent."""
        draft, size = self._map.mutate(), self._size
        for key, value in items:
            known = draft.get(key, _UNCHANGED)
            grounded = key in self._ground
            size += (value is not None) - (grounded if known is _UNCHANGED else known is not _GONE)
            if value is not None:
                draft[key] = value
            elif grounded:
                draft[key] = _GONE
            else:
                draft.pop(key, None)
        return Table(self._ground, draft.finish(), size)

    def newer_than(self, old: "Table[V]") -> tuple[str, ...]:
        """Return the keys, sorted, under which this table holds another object than `old`.

        O(n), or of what changed since the ground that both stand on.
        """
        keys: Iterable[str] = self._all()
        if self._ground is old._ground:  # noqa: SLF001 - another value of this very class
            keys = {key for key in chain(self._map, old._map) if key in self}  # noqa: SLF001 - the same
        return tuple(sorted(key for key in keys if old.get(key) is not self[key]))

    def keys(self) -> tuple[str, ...]:
        """Return the keys, sorted. O(n log n)."""
        return tuple(sorted(self._rows()))

    def rows(self) -> tuple[V, ...]:
        """Return the values, sorted by key. O(n log n)."""
        rows = self._rows()
        return tuple([rows[key] for key in sorted(rows)])

    def items(self) -> tuple[tuple[str, V], ...]:
        """Return keys and values, sorted by key. O(n log n)."""
        rows = self._rows()
        return tuple([(key, rows[key]) for key in sorted(rows)])

    def unsorted(self) -> Iterable[V]:
        """Return the values in whatever order, for what depends on none."""
        return self._rows().values()

    def _rows(self) -> "dict[str, V] | Map[str, V]":
        """Return all rows, in no order: what they lie in, where that is one thing."""
        if not self._map:
            return self._ground
        return self._all() if self._ground else self._map  # type: ignore[return-value]

    def _all(self) -> dict[str, V]:
        """Return all rows in one dict, in no order; it may be the ground itself."""
        if not self._map:
            return self._ground
        rows: dict[str, Any] = {**self._ground, **self._map}
        return {key: value for key, value in rows.items() if value is not _GONE}

    def draft(self) -> "TableDraft[V]":
        """Return a table with the same rows that takes further ones in place; this one stays as it is."""
        return TableDraft(dict(self._all()))


class TableDraft(Table[V]):
    """A table that one loop owns while it fills it: `put` and `without` change it in place and return it.

    A tenth of the cost of a table after each row. Whoever keeps one keeps a moving thing, so nobody does: `done`
    gives the frozen table and ends the draft.
    """

    __slots__ = ()

    def get(self, key: str) -> V | None:
        """Return the value under `key`, or None."""
        return self._ground.get(key)

    def __getitem__(self, key: str) -> V:
        """Return the value under `key`.

        Raises: KeyError when there is none.
        """
        return self._ground[key]

    def __contains__(self, key: object) -> bool:
        """Tell whether there is a value under `key`."""
        return key in self._ground

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._ground)

    def put(self, key: str, value: V) -> "TableDraft[V]":
        """Let `key` hold `value`."""
        self._ground[key] = value
        return self

    def update(self, items: Iterable[tuple[str, V]]) -> "TableDraft[V]":
        """Let all these keys hold these values, in the order given."""
        for key, value in items:
            self.put(key, value)
        return self

    def without(self, key: str) -> "TableDraft[V]":
        """Take `key` out; a key that is absent changes nothing."""
        self._ground.pop(key, None)
        return self

    def done(self) -> Table[V]:
        """Return the table with these rows; the draft takes no more."""
        ground = self._ground
        object.__delattr__(self, "_ground")
        return Table(ground, Map(), len(ground))


Undo: TypeAlias = tuple[int, str, V | None]
"""The number of a draft, a key, and what was under it before; None when nothing was."""


class UndoableDraft(TableDraft[V]):
    """A draft that writes down what every change replaced, so that the rows it had before can be told."""

    __slots__ = ("_log", "_number")
    _log: "list[Undo[V]]"
    _number: int

    @classmethod
    def logged(cls, table: Table[V], log: "list[Undo[V]]", number: int) -> "UndoableDraft[V]":
        """Return a draft of this table that writes into `log` under this number."""
        draft = cls(dict(table._all()))  # noqa: SLF001 - another value of this very class
        object.__setattr__(draft, "_log", log)
        object.__setattr__(draft, "_number", number)
        return draft

    def put(self, key: str, value: V) -> "UndoableDraft[V]":
        """Let `key` hold `value`."""
        rows = self._ground
        self._log.append((self._number, key, rows.get(key)))
        rows[key] = value
        return self

    def without(self, key: str) -> "UndoableDraft[V]":
        """Take `key` out; a key that is absent changes nothing."""
        rows = self._ground
        if key in rows:
            self._log.append((self._number, key, rows.pop(key)))
        return self


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
        full, rest = self._full, (*self._rest, item)
        if len(rest) == _PART:
            full, rest = (*full, rest), ()
        # Made as its constructor makes it, in half the time: a replay makes three of every node.
        series = _new(Series)
        _set_full(series, full)
        _set_rest(series, rest)
        return series

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


_new: Final = object.__new__
_set_full: Final = Series.__dict__["_full"].__set__
_set_rest: Final = Series.__dict__["_rest"].__set__
