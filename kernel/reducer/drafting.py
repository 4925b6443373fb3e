"""The canonical tables while a replay fills them, and those of every revision it went through.

A live acceptance makes new tables that share with the old ones, so that every revision keeps its own. A replay would
pay for that at each of ten thousand revisions, of which somebody may ask for one. It changes its tables in place,
writes down what every change replaced, and what a past revision held is worked out from its end when somebody asks:
the very records that were there then, so that whoever compares by identity compares as before.
"""

from bisect import bisect_left, insort
from functools import partial
from typing import Any, Final

from kernel.reducer.operations import records_of
from kernel.state import Parts, Tables
from kernel.table import Table, Undo, UndoableDraft
from kernel.trie import Trie

_STRIDE: Final = 1024
"""How many changes are undone at once before a place between is worked out for those who ask next."""


class PastTables:
    """What the tables were at every place of one replay: after so many changes."""

    def __init__(self, changes: list[Undo[Any]]) -> None:
        self._changes = changes
        self._known: dict[int, Parts] = {}
        self._places: list[int] = []

    def end(self, parts: Parts) -> None:
        """Let these be the parts after the last change."""
        self._keep(len(self._changes), parts)

    def parts(self, place: int) -> Parts:
        """Return the parts after so many changes.

        O(changes until the next place that is known), which is at most as many as there were in all.
        """
        while place not in self._known:
            later = self._places[bisect_left(self._places, place)]
            # Half of a long way becomes known too: who asks for one place goes on to those around it.
            back = place if later - place <= _STRIDE else (place + later) // 2
            self._keep(back, self._undone(self._known[later], self._changes[back:later]))
        return self._known[place]

    def _keep(self, place: int, parts: Parts) -> None:
        # Two threads may work out the same; the first one's stays, so that there is one of each.
        if self._known.setdefault(place, parts) is parts:
            insort(self._places, place)

    def _undone(self, parts: Parts, changes: list[Undo[Any]]) -> Parts:
        """Return the parts before these changes."""
        before: tuple[dict[str, Any], ...] = ({}, {}, {}, {}, {})
        for number, key, value in reversed(changes):
            before[number][key] = value
        nodes, relations, trie, links, parent, children = parts
        tables: list[Table[Any]] = [nodes, relations, links, parent, children]
        for number, rows in enumerate(before):
            if rows:
                tables[number] = tables[number].changed(rows.items())
        if before[0] or before[1]:
            trie = Trie.of(partial(records_of, tables[0], tables[1]))
        return (tables[0], tables[1], trie, tables[2], tables[3], tables[4])


class TablesDraft(Tables):
    """Canonical tables that one replay owns while it fills them: `having` returns the same ones, changed in place.

    Evolvers take it for tables and need not know. Its trie takes no records; it is grown from all of them at the end.
    """

    __slots__ = ("_changes", "_past")
    _changes: list[Undo[Any]]
    _past: PastTables

    @classmethod
    def of(cls, tables: Tables) -> "TablesDraft":
        """Return a draft that holds what `tables` hold, which stay as they are."""
        changes: list[Undo[Any]] = []
        drafts = [
            UndoableDraft.logged(table, changes, number) for number, table in enumerate(_tables_of(tables))
        ]
        nodes, relations, links, parent, children = drafts
        draft = cls(nodes, relations, _Trieless(), links, parent, children)
        object.__setattr__(draft, "_changes", changes)
        object.__setattr__(draft, "_past", PastTables(changes))
        return draft

    def having(self, **_parts: object) -> "TablesDraft":
        """Return these tables: what is given are their own parts, which have taken the change."""
        return self

    def kept(self) -> Tables:
        """Return the tables as they are now, worked out when somebody asks for them."""
        return Tables.at(self._past, len(self._changes))

    def done(self) -> Tables:
        """Return the tables that the draft has become; the draft ends."""
        nodes, relations, links, parent, children = (draft.done() for draft in _tables_of(self))
        trie = Trie.of(partial(records_of, nodes, relations))
        parts: Parts = (nodes, relations, trie, links, parent, children)
        self._past.end(parts)
        return Tables(*parts)


class _Trieless(Trie):
    """The trie of a draft: it takes no records."""

    __slots__ = ()

    def put(self, _kind: str, _record_id: str, _digest: object) -> "_Trieless":
        """Return this trie, which stays without the record."""
        return self


def _tables_of(tables: Tables) -> Any:  # noqa: ANN401 - five tables of different rows
    """Return the tables without the trie, in the order of their fields."""
    return (tables.nodes, tables.relations, tables.links, tables.parent, tables.children)
