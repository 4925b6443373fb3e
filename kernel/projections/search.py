"""Search through a project: titles, descriptions, kinds and ids, the best answer first.

The texts are kept folded and behind one another in one long text: where a word begins in it is found at once, and
only lines that hold every word's beginning are looked at word by word.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from heapq import nsmallest
from itertools import accumulate
from typing import Final

from kernel.projections.kept import Kept
from kernel.projections.outline import Suggested, suggestions
from kernel.state import State
from kernel.table import Table
from kernel.values.records import Node, NodeAdd
from kernel.vocabulary import NodeKind

HITS_MAX: Final = 30
"""How many hits one answer has."""
WORDS_MAX: Final = 8
"""How many words of a query are looked for."""
SHORT_ID: Final = 4
"""From how many characters on the end of an id is looked for."""
_WORD: Final = re.compile(r"\w+(?:['\u2019]\w+)*")

_ID, _WHOLE, _BEGINS = 1000, 400, 200
_TITLE, _KIND, _DESCRIPTION = 10, 6, 3
_EXACT, _PREFIX, _STEMMED = 3, 2, 1
_ACCEPTED, _WAITS, _RETIRED = 2, 1, 0


@dataclass(frozen=True, slots=True)
class Hit:
    """One node that was found, accepted, retired or only suggested."""

    node: Node | None
    suggested: Suggested | None

    @property
    def record(self) -> Node | NodeAdd:
        """What was found."""
        if self.suggested is not None:
            return self.suggested.add
        assert self.node is not None
        return self.node

    @property
    def id(self) -> str:
        """The node's id, accepted or not."""
        if self.suggested is not None:
            return self.suggested.add.node_id
        assert self.node is not None
        return self.node.id


@dataclass(frozen=True, slots=True)
class Found:
    """A window of what was found."""

    hits: tuple[Hit, ...]
    start: int
    total: int


@dataclass(frozen=True, slots=True)
class Line:
    """What of one node is searched, folded so that case does not matter."""

    record: Node | NodeAdd
    title: str
    described: str
    standing: int

    @classmethod
    def of(cls, record: Node | NodeAdd) -> "Line":
        """Return the line of a node, accepted or only suggested."""
        described = "" if record.description is None else record.description.text or ""
        standing = _WAITS
        if isinstance(record, Node):
            standing = _ACCEPTED if record.retired_in is None else _RETIRED
        return cls(record, (record.title.text or "").casefold(), described.casefold(), standing)


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a whole project; made once, then brought up to date by what changed."""

    nodes: Table[Node] = field(default_factory=Table)
    by_id: Mapping[str, Line] = field(default_factory=dict)
    ids: tuple[str, ...] = ()
    text: str = ""
    """Title and description of every line, in the order of `ids`."""
    starts: tuple[int, ...] = ()
    """Where each line begins in `text`, and where the last one ends."""
    endings: str = ""
    """Every id with a line feed behind it, in the order of `ids`."""
    kinds: Mapping[NodeKind, frozenset[int]] = field(default_factory=dict)
    """Kind -> the lines of that kind, by their index."""

    def of(self, nodes: Table[Node]) -> "Lines":
        """Return the lines of these nodes, those that did not change taken over. O(nodes) to compare."""
        if nodes is self.nodes:
            return self
        fresh = {node_id: Line.of(nodes[node_id]) for node_id in nodes.newer_than(self.nodes)}
        by_id = {**self.by_id, **fresh}
        if len(by_id) != len(nodes):
            by_id = {node_id: Line.of(node) for node_id, node in nodes.items()}
        return lines_of(by_id, nodes)

    def holding(self, words: Iterable["_Term"], whole: str) -> Iterator[str]:
        """Yield the ids of all lines that may answer: every word begins in them, or the query ends their id."""
        found = self._holding_all(words)
        if len(whole) >= SHORT_ID:
            found |= self._ending(whole)
        return (self.ids[index] for index in found)

    def _holding_all(self, words: Iterable["_Term"]) -> set[int]:
        found: set[int] | None = None
        for word in words:
            held = self._beginning(word.begins).union(*(self.kinds.get(kind, ()) for kind in word.is_kind))
            found = held if found is None else found & held
        return set() if found is None else found

    def _beginning(self, begins: str) -> set[int]:
        found, at = set(), self.text.find(begins)
        while at >= 0:
            index = bisect_right(self.starts, at) - 1
            found.add(index)
            at = self.text.find(begins, self.starts[index + 1])
        return found

    def _ending(self, whole: str) -> set[int]:
        found, wanted = set(), f"{whole}\n"
        at = self.endings.find(wanted)
        while at >= 0:
            found.add(self.endings.count("\n", 0, at))
            at = self.endings.find(wanted, at + 1)
        return found


def lines_of(by_id: Mapping[str, Line], nodes: Table[Node]) -> Lines:
    """Return these lines, ready to be looked through. O(text)."""
    texts = [f"{line.title}\n{line.described}\n" for line in by_id.values()]
    kinds: dict[NodeKind, set[int]] = {}
    for index, line in enumerate(by_id.values()):
        kinds.setdefault(line.record.kind, set()).add(index)
    return Lines(
        nodes=nodes,
        by_id=by_id,
        ids=tuple(by_id),
        text="".join(texts),
        starts=tuple(accumulate(map(len, texts), initial=0)),
        endings="".join(f"{node_id}\n" for node_id in by_id),
        kinds={kind: frozenset(indexes) for kind, indexes in kinds.items()},
    )


_SUGGESTED: Final = Kept[Lines](8)


def _suggested(state: State) -> Lines:
    """Return the lines of what waits. Kept."""
    waiting = suggestions(state)
    return _SUGGESTED.of(
        (waiting,), lambda: lines_of({item.add.node_id: Line.of(item.add) for item in waiting}, Table())
    )


@dataclass(frozen=True, slots=True)
class _Term:
    """One word of the query, with how it is looked for."""

    word: str
    root: str
    begins: str
    """What every form of the word begins with."""
    pattern: re.Pattern[str]
    is_kind: frozenset[NodeKind]


def search(state: State, lines: Lines, query: str, *, stem: Callable[[str], str], start: int = 0) -> Found:
    """Return what a query finds, the best first: by id, by whole title, by words, by their stems.

    O(lines that hold every word's beginning).

    Among equals the shorter title is the better answer.

    `lines` are those of the state's nodes.
    """
    whole = " ".join(query.casefold().split())
    terms = tuple(_term(word, stem) for word in _WORD.findall(whole)[:WORDS_MAX])
    if not terms:
        return Found((), 0, 0)
    waiting = {item.add.node_id: item for item in suggestions(state)}
    ranked: list[tuple[int, int, str]] = []
    for kept in (lines, _suggested(state)):
        for node_id in kept.holding(terms, whole):
            line = kept.by_id[node_id]
            score = _score(line, node_id, whole, terms=terms, stem=stem)
            if score:
                ranked.append((-score * 3 - line.standing, len(line.title), node_id))
    shown = (node_id for _, _, node_id in nsmallest(start + HITS_MAX, ranked)[start:])
    nodes = state.tables.nodes
    return Found(tuple(Hit(nodes.get(item), waiting.get(item)) for item in shown), start, len(ranked))


def _term(word: str, stem: Callable[[str], str]) -> _Term:
    root = stem(word)
    shared = 0
    while shared < min(len(word), len(root)) and word[shared] == root[shared]:
        shared += 1
    begins = word[:shared] if shared > 1 else word
    kinds = frozenset(
        kind for kind in NodeKind if root in {stem(part) for part in _WORD.findall(_kind_words(kind))}
    )
    return _Term(word, root, begins, re.compile(rf"(?<!\w){re.escape(begins)}\w*"), kinds)


def _kind_words(kind: NodeKind) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind.value).casefold()


def _score(
    line: Line, node_id: str, whole: str, *, terms: tuple[_Term, ...], stem: Callable[[str], str]
) -> int:
    """Return how well a line answers; 0 when a word is nowhere in it."""
    if node_id.endswith(whole) and len(whole) >= SHORT_ID:
        return 2 * _ID if node_id == whole else _ID
    score = 0
    for term in terms:
        found = _TITLE * _match(term, line.title, stem) if term.begins in line.title else 0
        if not found and line.record.kind in term.is_kind:
            found = _KIND
        if not found and term.begins in line.described:
            found = _DESCRIPTION * _match(term, line.described, stem)
        if not found:
            return 0
        score += found
    if line.title.startswith(whole):
        return score + (_WHOLE if line.title == whole else _BEGINS)
    return score


def _match(term: _Term, text: str, stem: Callable[[str], str]) -> int:
    """Return how well the best word of a text answers: the word itself, one it begins, one of its family."""
    best = 0
    for match in term.pattern.finditer(text):
        word = match.group()
        if word == term.word:
            return _EXACT
        if word.startswith(term.word):
            best = _PREFIX
        elif not best and stem(word) == term.root:
            best = _STEMMED
    return best
