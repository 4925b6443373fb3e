"""The searched texts of a project: kept folded and behind one another in one long text.

Where a word begins in the long text is found at once, and only lines that hold every word's beginning are looked at
word by word.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Final, TypeAlias, TypeVar

from kernel.table import Table
from kernel.vocabulary import NodeKind

SHORT_ID: Final = 4
"""From how many characters on the end of an id is looked for."""
WORD: Final = re.compile(r"\w+(?:['\u2019]\w+)*")
"""One word of a folded text."""
_REST: Final = re.compile(r"\w*")

_ID, _WHOLE, _BEGINS = 1000, 400, 200
_TITLE, _KIND, _DESCRIPTION = 10, 6, 3
_EXACT, _PREFIX, _STEMMED = 3, 2, 1

V = TypeVar("V")

Ranked: TypeAlias = list[tuple[int, int, str]]
"""Lines by what sorts them: points and standing, the least being the best; order; id."""


@dataclass(frozen=True, slots=True)
class Line:
    """What of one thing is searched, folded so that case does not matter."""

    title: str
    described: str
    kind: NodeKind | None = None
    standing: int = 0
    """Of two equally good answers, the one that stands higher comes first."""
    order: int = 0
    """Of two that also stand equally, the one with the lower number comes first."""

    @classmethod
    def of(cls, title: str | None, described: str | None, kind: NodeKind | None = None) -> "Line":
        """Return the line of these words; erased ones are None and say nothing."""
        folded = (title or "").casefold()
        return cls(folded, (described or "").casefold(), kind, order=len(folded))


@dataclass(frozen=True, slots=True)
class Term:
    """One word of the query, with how it is looked for."""

    word: str
    root: str
    begins: str
    """What every form of the word begins with."""
    is_kind: frozenset[NodeKind]
    """The kinds that the word names."""

    @classmethod
    def of(cls, word: str, stem: Callable[[str], str]) -> "Term":
        """Return how a folded word is looked for."""
        root = stem(word)
        shared = 0
        while shared < min(len(word), len(root)) and word[shared] == root[shared]:
            shared += 1
        begins = word[:shared] if shared > 1 else word
        kinds = frozenset(kind for kind in NodeKind if root in {stem(part) for part in kind_words(kind)})
        return cls(word, root, begins, kinds)


def kind_words(kind: NodeKind) -> tuple[str, ...]:
    """Return the words of a kind's name, folded."""
    return tuple(part.casefold() for part in re.findall(r"[A-Z][a-z]*", kind.value))


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of one sort of things; made once, then brought up to date by what changed."""

    table: Table[Any] = field(default_factory=Table)
    """The records that the lines were made from."""
    by_id: Mapping[str, Line] = field(default_factory=dict)
    ids: tuple[str, ...] = ()
    rows: tuple[Line, ...] = ()
    """The lines, in the order of `ids`."""
    text: str = ""
    """Title and description of every line, in the order of `ids`."""
    starts: tuple[int, ...] = ()
    """Where each line begins in `text`, and where the last one ends."""
    endings: str = ""
    """Every id with a line feed behind it, in the order of `ids`; one of several names has tabs between them."""
    kinds: Mapping[NodeKind, frozenset[int]] = field(default_factory=dict)
    """Kind -> the lines of that kind, by their index."""

    def of(self, table: Table[V], line: Callable[[V], Line]) -> "Lines":
        """Return the lines of these records, those of what did not change taken over. O(records) to compare."""
        if table is self.table:
            return self
        fresh = {key: line(table[key]) for key in table.newer_than(self.table)}
        by_id = {**self.by_id, **fresh}
        if len(by_id) != len(table):
            by_id = {key: line(record) for key, record in table.items()}
        return lines_of(by_id, table)

    def ranked(self, whole: str, terms: tuple[Term, ...], stem: Callable[[str], str]) -> Ranked:
        """Return how well each line answers that holds every word, or whose id ends with the query, ready to sort.

        The best is the least: of equal ones by standing, then by order. O(text, and lines where every word begins).
        """
        found = self._holding(terms)
        for term in terms:
            found = self._answering(found, term, stem)
        if len(whole) >= SHORT_ID:
            found |= self._ending(whole)
        ids, rows, ranked = self.ids, self.rows, []
        for index, points in found.items():
            line = rows[index]
            if points < _ID and line.title.startswith(whole):
                bonus = _WHOLE if line.title == whole else _BEGINS
                ranked.append((-3 * (points + bonus) - line.standing, line.order, ids[index]))
            else:
                ranked.append((-3 * points - line.standing, line.order, ids[index]))
        return ranked

    def holds(self, term: Term, stem: Callable[[str], str]) -> bool:
        """Tell whether any line answers a word."""
        return bool(self._answering(self._holding((term,)), term, stem))

    def _holding(self, terms: tuple[Term, ...]) -> dict[int, int]:
        """Return the lines in which every word may be, with no points yet."""
        found: set[int] | None = None
        for term in terms:
            held = self._beginning(term.begins).union(*(self.kinds.get(kind, ()) for kind in term.is_kind))
            found = held if found is None else found & held
        return dict.fromkeys(found or (), 0)

    def _beginning(self, begins: str) -> set[int]:
        find, starts, found = self.text.find, self.starts, set()
        at = find(begins)
        while at >= 0:
            index = bisect_right(starts, at)
            found.add(index - 1)
            at = find(begins, starts[index])
        return found

    def _answering(self, found: dict[int, int], term: Term, stem: Callable[[str], str]) -> dict[int, int]:
        """Return those of the lines that answer a word, too, with the points of its best place added."""
        answering, rows, size = {}, self.rows, len(term.begins)
        for index, before in found.items():
            line = rows[index]
            best = _best(line.title, term, size, stem) * _TITLE
            if not best and line.kind in term.is_kind:
                best = _KIND
            if not best and line.described:
                best = _best(line.described, term, size, stem) * _DESCRIPTION
            if best:
                answering[index] = before + best
        return answering

    def _ending(self, whole: str) -> dict[int, int]:
        """Return the lines whose id, or another name of theirs, ends with the query."""
        found: dict[int, int] = {}
        for wanted in (f"{whole}\n", f"{whole}\t"):
            at = self.endings.find(wanted)
            while at >= 0:
                index = self.endings.count("\n", 0, at)
                found[index] = 2 * _ID if whole in self.ids[index].split("\t") else _ID
                at = self.endings.find(wanted, at + 1)
        return found


def lines_of(by_id: Mapping[str, Line], table: Table[Any] | None = None) -> Lines:
    """Return these lines, ready to be looked through. O(text)."""
    texts = [f"{line.title}\n{line.described}\n" for line in by_id.values()]
    kinds: dict[NodeKind, set[int]] = {}
    for index, line in enumerate(by_id.values()):
        if line.kind is not None:
            kinds.setdefault(line.kind, set()).add(index)
    return Lines(
        table=Table() if table is None else table,
        by_id=by_id,
        ids=tuple(by_id),
        rows=tuple(by_id.values()),
        text="".join(texts),
        starts=tuple(accumulate(map(len, texts), initial=0)),
        endings="".join(f"{key}\n" for key in by_id),
        kinds={kind: frozenset(indexes) for kind, indexes in kinds.items()},
    )


def _best(text: str, term: Term, size: int, stem: Callable[[str], str]) -> int:
    """Return how well the best word of a text answers a word of the query, of which `size` letters begin every form."""
    at, best = text.find(term.begins), 0
    while at >= 0:
        before = text[at - 1] if at else " "
        if not (before.isalnum() or before == "_"):
            rest = _REST.match(text, at + size)
            assert rest is not None, "it matches nothing, too"
            word = text[at : rest.end()]
            if word == term.word:
                return _EXACT
            if word.startswith(term.word):
                best = _PREFIX
            elif not best and stem(word) == term.root:
                best = _STEMMED
        at = text.find(term.begins, at + size)
    return best
