"""Finds the nodes a text names: relations it states, and a node that already says the same.

A relation is proposed only when a turn of phrase states it and the words right after it name one node: at least half
of the telling words of its title, and two of them unless the title has only one or two. The way round is fixed, from
the new node to the named one, so `before X` (X would depend on the new node) is left to the person.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import nsmallest
from typing import Final

from adapters.manager.local.index import Document, View
from adapters.manager.local.query import Term, terms
from adapters.manager.local.ranking import own_scores
from adapters.manager.local.words import Token, exact_words, lower_words, stems_of
from kernel.values.placement import SuggestedRelation
from kernel.vocabulary import NodeKind, RelationKind

REACH: Final = 8
"""How many words after the phrase may name the node."""
RELATIONS: Final = 4
COMPARED: Final = 20
LIKELY: Final = 0.6
"""A word that stands for another less surely than this names nothing."""
SEVERAL: Final = 2
SAME: Final = 0.85
"""What share of words two texts must have in common to say the same."""

_PHRASES: Final[tuple[tuple[RelationKind, str], ...]] = (
    (RelationKind.DEPENDS_ON, "depends on"),
    (RelationKind.DEPENDS_ON, "depend on"),
    (RelationKind.DEPENDS_ON, "blocked by"),
    (RelationKind.DEPENDS_ON, "waiting for"),
    (RelationKind.DEPENDS_ON, "wait for"),
    (RelationKind.DEPENDS_ON, "waits for"),
    (RelationKind.DEPENDS_ON, "as soon as"),
    (RelationKind.DEPENDS_ON, "not before"),
    (RelationKind.DEPENDS_ON, "after"),
    (RelationKind.DEPENDS_ON, "once"),
    (RelationKind.DEPENDS_ON, "requires"),
    (RelationKind.DEPENDS_ON, "needs"),
    (RelationKind.CONFLICTS_WITH, "contradicts"),
    (RelationKind.CONFLICTS_WITH, "conflicts with"),
    (RelationKind.CONFLICTS_WITH, "conflict with"),
    (RelationKind.CONFLICTS_WITH, "instead of"),
    (RelationKind.CONFLICTS_WITH, "rather than"),
    (RelationKind.CONFLICTS_WITH, "violates"),
    (RelationKind.CONFLICTS_WITH, "in spite of"),
    (RelationKind.IMPLEMENTS, "implements"),
    (RelationKind.IMPLEMENTS, "implement"),
    (RelationKind.IMPLEMENTS, "fulfils"),
    (RelationKind.IMPLEMENTS, "fulfills"),
    (RelationKind.IMPLEMENTS, "carries out"),
    (RelationKind.REFINES, "refines"),
    (RelationKind.REFINES, "specifies"),
    (RelationKind.REFINES, "clarifies"),
    (RelationKind.REFINES, "regarding"),
    (RelationKind.REFINES, "concerning"),
    (RelationKind.REFINES, "about the task"),
    (RelationKind.REFINES, "more precisely"),
)
_SPLIT: Final = tuple((kind, tuple(phrase.split())) for kind, phrase in _PHRASES)
_AIMS: Final = frozenset(
    {NodeKind.GOAL, NodeKind.IDEA, NodeKind.DECISION, NodeKind.TASK, NodeKind.CONSTRAINT, NodeKind.ARTIFACT}
)
_WORDS: Final = {
    RelationKind.DEPENDS_ON: "depends on",
    RelationKind.CONFLICTS_WITH: "conflicts with",
    RelationKind.IMPLEMENTS: "implements",
    RelationKind.REFINES: "refines",
}


@dataclass(frozen=True, slots=True)
class _Statement:
    """A phrase that states a relation, and the words it is stated about."""

    kind: RelationKind
    phrase: str
    about: tuple[Token, ...]


def stated_relations(
    view: View, read: tuple[Token, ...], kinds: frozenset[NodeKind]
) -> tuple[SuggestedRelation, ...]:
    """The relations a text states, whichever of `kinds` the new node gets; each kind and target once."""
    found: dict[tuple[RelationKind, str], SuggestedRelation] = {}
    for statement in _statements(read):
        target = _named(view, statement.about)
        if target is None or not _may_join(statement.kind, kinds, target.node.kind):
            continue
        reason = f"\u201c{statement.phrase}\u201d says that it {_WORDS[statement.kind]} \u201c{target.node.title}\u201d."
        found.setdefault(
            (statement.kind, target.node.id),
            SuggestedRelation(kind=statement.kind, to_id=target.node.id, reason=reason),
        )
        if len(found) == RELATIONS:
            break
    return tuple(found.values())


def _statements(read: tuple[Token, ...]) -> tuple[_Statement, ...]:
    """Every phrase of the table in the text, with the words that follow it in its clause."""
    lower = tuple(token.lower for token in read)
    found: list[_Statement] = []
    for at in range(len(read)):
        for kind, phrase in _SPLIT:
            end = at + len(phrase)
            if lower[at:end] != phrase:
                continue
            about = read[end : end + REACH]
            if about and about[0].lower == ":":
                about = read[end + 1 : end + 1 + REACH]
            clause = about[0].clause if about else 0
            kept = tuple(token for token in about if token.clause == clause and token.is_word)
            found.append(_Statement(kind, " ".join(token.surface for token in read[at:end]), kept))
            break
    return tuple(found)


def _named(view: View, about: tuple[Token, ...]) -> Document | None:
    """The one node the words name, or None when they name none or several alike."""
    query = terms(view, about)
    scores = own_scores(view, query)
    best = nsmallest(COMPARED, scores, key=lambda node_id: (-scores[node_id], node_id))
    documents = [document for document in (view.document(node_id) for node_id in best) if document]
    named = [document for document in documents if _names(query, document)]
    if not named or (len(named) > 1 and scores[named[0].node.id] == scores[named[1].node.id]):
        return None
    return named[0]


def _names(query: tuple[Term, ...], document: Document) -> bool:
    """Whether the words name a node: half of its title, and two words unless it has no more than two."""
    title = set(document.title_stems)
    sure = {meaning.form for term in query for meaning in term.meanings if meaning.sureness > LIKELY}
    met = len(title & sure)
    return met > 0 and 2 * met >= len(title) and (met >= SEVERAL or len(title) <= SEVERAL)


def _may_join(kind: RelationKind, new: frozenset[NodeKind], target: NodeKind) -> bool:
    """Whether the kernel lets this relation lead from any of the new node's likely kinds to the target."""
    if target in {NodeKind.PROJECT, NodeKind.WORLD}:
        return False
    return kind is not RelationKind.IMPLEMENTS or (target in _AIMS and new <= _AIMS)


def same_node(view: View, text: str, scores: dict[str, float]) -> Document | None:
    """The node that already says what the text says, among the likeliest by score.

    Two texts say the same when nearly all words agree and all numbers and negations do: `200 mm` is not `220 mm`.
    """
    words = lower_words(text)
    mine = _Gist(frozenset(stems_of(words)), exact_words(words))
    for node_id in nsmallest(COMPARED, scores, key=lambda node_id: (-scores[node_id], node_id)):
        document = view.document(node_id)
        if document is None or document.node.parent_id is None:
            continue
        if any(_alike(mine, theirs) for theirs in _gists(document)):
            return document
    return None


@dataclass(frozen=True, slots=True)
class _Gist:
    """What two texts are compared by."""

    stems: frozenset[str]
    exact: tuple[str, ...]
    """Numbers and negations, in order of spelling."""


def _gists(document: Document) -> Iterator[_Gist]:
    """A node as its title says it, as its description says it, and as both do."""
    title, description = frozenset(document.title_stems), frozenset(document.description_stems)
    yield _Gist(title, document.title_exact)
    if description:
        yield _Gist(description, document.description_exact)
        yield _Gist(title | description, tuple(sorted((*document.title_exact, *document.description_exact))))


def _alike(one: _Gist, other: _Gist) -> bool:
    together = one.stems | other.stems
    return (
        bool(together) and one.exact == other.exact and len(one.stems & other.stems) >= SAME * len(together)
    )
