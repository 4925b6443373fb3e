"""Search through a project: what is accepted, what waits for a yes, open questions and captured words.

Each sort of things is a group of its own, the best answer first: by id, by whole title, by words, by their stems.
Every word of a query has to be found. When nothing at all is found, words that nothing holds are read as the nearest
known ones, and the answer says so.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from heapq import nsmallest
from typing import Final

from kernel.projections.inbox import open_questions
from kernel.projections.kept import Kept, Newest
from kernel.projections.lines import WORD, Line, Lines, Ranked, Term, kind_words, lines_of
from kernel.projections.outline import Suggested, added_by
from kernel.projections.spelling import letters, nearest
from kernel.state import DeltaRecord, SourceRecord, State
from kernel.values.records import Node, NodePatch
from kernel.vocabulary import NodeKind

HITS_MAX: Final = 30
"""How many hits one answer has of a group that is shown alone."""
OVERVIEW_MAX: Final = 8
"""How many hits each group has beside others."""
WORDS_MAX: Final = 8
"""How many words of a query are looked for."""
PROJECTS_KEPT: Final = 16
"""How many projects keep their folded texts; the one searched longest ago is forgotten first."""
_ACCEPTED, _RETIRED = 2, 0


class Group(StrEnum):
    """What sort of thing was found, in the order in which they are told."""

    ACCEPTED = "accepted"
    WAITING = "waiting"
    QUESTIONS = "questions"
    CAPTURED = "captured"


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing that was found."""

    group: Group
    id: str
    """The node, the open proposal, the exchange that asked the question, or the capture."""
    suggested: Suggested | None = None
    """The node that an open proposal would add, when it was found by this node."""


@dataclass(frozen=True, slots=True)
class Found:
    """A window of what was found of one group."""

    group: Group
    hits: tuple[Hit, ...]
    start: int
    total: int


@dataclass(frozen=True, slots=True)
class Ask:
    """What to search for: all groups, or one of them from a hit on."""

    query: str
    group: Group | None = None
    start: int = 0


@dataclass(frozen=True, slots=True)
class Results:
    """What a query found."""

    found: tuple[Found, ...]
    """One of every group, those without a hit included; of one group alone the hits from `start` on."""
    begins: tuple[str, ...] = ()
    """What the words that were looked for begin with, folded."""
    misread: tuple[tuple[str, str], ...] = ()
    """Each word that nothing holds, with the known word it was read as."""
    read_as: str = ""
    """The query that was searched for instead of the one asked; empty for the same."""

    @property
    def total(self) -> int:
        """How many things were found in all."""
        return sum(item.total for item in self.found)


_TABLES: Final = Newest[Lines](2 * 2 * PROJECTS_KEPT)
_RANKED: Final = Newest[tuple[Lines, Ranked]](16)
"""(group, query) -> the lines it was looked for in, and what answered."""
_WAITING: Final = Kept[tuple[Lines, Mapping[str, Suggested]]](4)
_QUESTIONS: Final = Kept[Lines](4)
_WORDS: Final = Kept[tuple[tuple[str, int], ...]](16)
_KINDS: Final = tuple(
    (word, letters(word)) for word in sorted({word for kind in NodeKind for word in kind_words(kind)})
)


def search(state: State, ask: Ask, *, stem: Callable[[str], str], is_whole: bool = True) -> Results:
    """Return what a query finds. O(lines that hold every word's beginning).

    The whole of a project and what others see of it (not `is_whole`) keep their texts apart.
    """
    groups = _groups(state, is_whole=is_whole)
    whole = " ".join(ask.query.casefold().split())
    results = _search(groups, whole, ask, stem)
    if results.total or not results.begins:
        return results
    misread = _misread(groups, _terms(whole, stem), stem)
    if not misread:
        return results
    meant = dict(misread)
    read_as = WORD.sub(lambda match: meant.get(match.group(), match.group()), whole)
    again = _search(groups, read_as, ask, stem)
    return Results(again.found, again.begins, misread, read_as) if again.total else results


@dataclass(frozen=True, slots=True)
class _Groups:
    """The lines of every group."""

    lines: Mapping[Group, Lines]
    suggested: Mapping[str, Suggested]
    """Line id -> the node that an open proposal would add."""


def _groups(state: State, *, is_whole: bool) -> _Groups:
    name = (state.ledger, "whole" if is_whole else "seen")
    nodes, sources = state.tables.nodes, state.sources
    parts = (state.open_deltas, state.deltas)
    waiting, suggested = _WAITING.of(parts, lambda: _waiting(state))
    asked = (state.asking, state.clarifications, state.sources)
    return _Groups(
        {
            Group.ACCEPTED: _TABLES.of((*name, "nodes"), lambda old: (old or Lines()).of(nodes, _of_node)),
            Group.WAITING: waiting,
            Group.QUESTIONS: _QUESTIONS.of(asked, lambda: _questions(state)),
            Group.CAPTURED: _TABLES.of((*name, "words"), lambda old: (old or Lines()).of(sources, _of_words)),
        },
        suggested,
    )


def _of_node(node: Node) -> Line:
    described = None if node.description is None else node.description.text
    line = Line.of(node.title.text, described, node.kind)
    standing = _ACCEPTED if node.retired_in is None else _RETIRED
    return Line(line.title, line.described, line.kind, standing, line.order)


def _of_words(record: SourceRecord) -> Line:
    """Return the line of a capture: the newest first, erased words nowhere."""
    words = "" if record.erased is not None else (record.body.content.text or "").casefold()
    return Line("", words, order=-record.origin.seq)


def _waiting(state: State) -> tuple[Lines, Mapping[str, Suggested]]:
    """Return a line for each node that an open proposal would add, and one for each proposal of another title."""
    lines: dict[str, Line] = {}
    suggested: dict[str, Suggested] = {}
    for record in state.deltas.these(state.open_deltas.keys()):
        delta_id, title = record.body.delta_id, record.body.title.text
        titles = set()
        for item in added_by(record):
            line_id = f"{delta_id}\t{item.add.node_id}"
            described = None if item.add.description is None else item.add.description.text
            lines[line_id] = Line.of(item.add.title.text, described, item.add.kind)
            suggested[line_id] = item
            titles.add(item.add.title.text)
        if title not in titles:
            lines[delta_id] = Line.of(title, "\n".join(_changed_words(record)))
    return lines_of(lines), suggested


def _changed_words(record: DeltaRecord) -> Iterator[str]:
    """Yield the new titles and descriptions that a proposal would give to nodes."""
    for item in record.body.operations:
        if isinstance(item, NodePatch):
            yield from (words.text or "" for words in (item.title, item.description) if words is not None)


def _questions(state: State) -> Lines:
    lines = {}
    for question in open_questions(state):
        source = state.sources[question.body.source_id]
        lines[question.body.exchange_id] = Line.of(question.body.question.text, source.body.content.text)
    return lines_of(lines)


def _terms(whole: str, stem: Callable[[str], str]) -> tuple[Term, ...]:
    return tuple(Term.of(word, stem) for word in WORD.findall(whole)[:WORDS_MAX])


def _search(groups: _Groups, whole: str, ask: Ask, stem: Callable[[str], str]) -> Results:
    terms = _terms(whole, stem)
    ranked = {
        group: _ranked(group, lines, whole, terms=terms, stem=stem) for group, lines in groups.lines.items()
    }
    alone = ask.group
    if alone is None:
        holding = [group for group, items in ranked.items() if items]
        alone = holding[0] if len(holding) == 1 else None
    found = []
    for group, items in ranked.items():
        start = ask.start if group is ask.group else 0
        most = HITS_MAX if group is alone else OVERVIEW_MAX if alone is None else 0
        shown = nsmallest(start + most, items)[start:]
        hits = tuple(_hit(group, line_id, groups.suggested) for _, _, line_id in shown)
        found.append(Found(group, hits, start, len(items)))
    return Results(tuple(found), tuple(term.begins for term in terms))


def _ranked(
    group: Group, lines: Lines, whole: str, *, terms: tuple[Term, ...], stem: Callable[[str], str]
) -> Ranked:
    """Return the lines that answer, with how to sort them. Kept: the next page of a group asks the same."""

    def rank(old: tuple[Lines, Ranked] | None) -> tuple[Lines, Ranked]:
        if old is not None and old[0] is lines:
            return old
        return lines, lines.ranked(whole, terms, stem) if terms else []

    return _RANKED.of((group.value, whole), rank)[1]


def _hit(group: Group, line_id: str, suggested: Mapping[str, Suggested]) -> Hit:
    return Hit(group, line_id.partition("\t")[0], suggested.get(line_id) if group is Group.WAITING else None)


def _misread(
    groups: _Groups, terms: tuple[Term, ...], stem: Callable[[str], str]
) -> tuple[tuple[str, str], ...]:
    """Return every word that nothing holds with the nearest known one; nothing when one of them has none."""
    found = []
    for term in terms:
        if any(lines.holds(term, stem) for lines in groups.lines.values()):
            continue
        words = (_words(lines) for lines in groups.lines.values())
        near = nearest(term.word, (pair for pairs in (_KINDS, *words) for pair in pairs))
        if near is None:
            return ()
        found.append((term.word, near))
    return tuple(found)


def _words(lines: Lines) -> tuple[tuple[str, int], ...]:
    """Return every word of these lines once, with its letters. Kept."""
    return _WORDS.of((lines,), lambda: tuple((word, letters(word)) for word in _vocabulary(lines.text)))


def _vocabulary(text: str) -> set[str]:
    return {word for piece in set(text.split()) for word in WORD.findall(piece)}
