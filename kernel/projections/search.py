"""Search through a project: titles, descriptions, kinds and ids, the best answer first.

One pass over texts that are kept folded: only a text that holds a word's beginning is looked at word by word.
Every word of the query has to be found.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

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

    def of(self, nodes: Table[Node]) -> "Lines":
        """Return the lines of these nodes, those that did not change taken over. O(nodes) to compare."""
        if nodes is self.nodes:
            return self
        fresh = {node_id: Line.of(nodes[node_id]) for node_id in nodes.newer_than(self.nodes)}
        by_id = {**self.by_id, **fresh}
        if len(by_id) != len(nodes):
            by_id = {node_id: Line.of(node) for node_id, node in nodes.items()}
        return Lines(nodes, by_id)


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
    """Return what a query finds, the best first: by id, by whole title, by words, by their stems. O(text).

    Among equals the shorter title is the better answer.

    `lines` are those of the state's nodes.
    """
    whole = " ".join(query.casefold().split())
    terms = tuple(_term(word, stem) for word in _WORD.findall(whole)[:WORDS_MAX])
    if not terms:
        return Found((), 0, 0)
    waiting = {item.add.node_id: item for item in suggestions(state)}
    ranked: list[tuple[int, int, str]] = []
    for by_id in (lines.by_id, {node_id: Line.of(item.add) for node_id, item in waiting.items()}):
        for node_id, line in by_id.items():
            score = _score(line, node_id, whole, terms=terms, stem=stem)
            if score:
                ranked.append((-score * 3 - line.standing, len(line.title), node_id))
    ranked.sort()
    shown = (node_id for _, _, node_id in ranked[start : start + HITS_MAX])
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
