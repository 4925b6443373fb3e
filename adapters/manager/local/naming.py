"""Finds the nodes a text names: by some of its words, or because a node already says the same."""

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import nsmallest
from typing import Final

from adapters.manager.local.index import Document, View
from adapters.manager.local.query import Term, terms
from adapters.manager.local.ranking import own_scores
from adapters.manager.local.words import Token, exact_words, is_weak, lower_words, stems_of

COMPARED: Final = 20
LIKELY: Final = 0.6
"""A word that stands for another less surely than this names nothing."""
SEVERAL: Final = 2
NEARLY: Final = 0.9
"""A second node named with this share of the first one's weight, and of its title, may as well be meant."""
SAME: Final = 0.85
"""What share of words two texts must have in common to say the same."""


@dataclass(frozen=True, slots=True)
class Naming:
    """The words by which a text speaks of something that may be a node."""

    words: tuple[Token, ...]
    """All that follows in the clause; it may be the node's title as a sentence."""
    head: tuple[Token, ...]
    """The telling words of the noun phrase it begins with."""


@dataclass(frozen=True, slots=True)
class Named:
    """A node that some words may name."""

    document: Document
    weight: float
    """How much the words say that occur in its title, rare ones more."""
    share: float
    """What share of its title's telling words they are."""
    is_sure: bool
    """Whether the words name it whatever it is called: see `named`."""

    @property
    def is_whole(self) -> bool:
        """Whether the words hold the whole title."""
        return self.share == 1.0

    def is_as_near_as(self, other: "Named") -> bool:
        """Whether nothing tells which of two nodes is meant: a longer title tells only beside one that is surely named."""
        is_longer = other.is_sure and self.share < NEARLY * other.share
        return self.weight >= NEARLY * other.weight and not is_longer


def named(view: View, naming: Naming) -> tuple[Named, ...]:
    """The nodes some words may name, the best first.

    They surely name a node by two telling words, when these are half of its title or all of the noun phrase, and by its
    whole title. All of the noun phrase, be it one word, may name a node whose kind the text says: that is not sure.
    """
    query = terms(view, naming.words)
    scores = own_scores(view, query)
    best = nsmallest(COMPARED, scores, key=lambda node_id: (-scores[node_id], node_id))
    documents = (view.document(node_id) for node_id in best)
    found = [item for item in (_named(query, naming, document) for document in documents if document) if item]
    found.sort(key=lambda item: (-item.weight, -item.share, item.document.node.id))
    return tuple(found)


def _named(query: tuple[Term, ...], naming: Naming, document: Document) -> Named | None:
    """How some words name a node, or None when they do not."""
    title, telling = frozenset(document.title_stems), _telling(document)
    met = [term for term in query if not title.isdisjoint(_sure(term))]
    forms = frozenset(form for term in met for form in _sure(term))
    surfaces = {word for term in met for word in term.surface.split()}
    is_head = bool(naming.head) and all(token.surface in surfaces for token in naming.head)
    is_half = any(_is_half_of(forms & words, words) for words in (title, telling))
    is_sure = telling <= forms or is_half or (is_head and len(forms & telling) >= SEVERAL)
    if forms.isdisjoint(telling) or not (is_sure or is_head):
        return None
    share = len(forms & telling) / len(telling)
    return Named(document, sum(term.rarity for term in met), share, is_sure)


def _is_half_of(met: frozenset[str], words: frozenset[str]) -> bool:
    return len(met) >= SEVERAL and 2 * len(met) >= len(words)


def _sure(term: Term) -> frozenset[str]:
    """The stems a word stands for surely enough to name something."""
    return frozenset(meaning.form for meaning in term.meanings if meaning.sureness > LIKELY)


def _telling(document: Document) -> frozenset[str]:
    """The stems of a title that tell it from others; all of them when that leaves fewer than two."""
    title = frozenset(document.title_stems)
    telling = frozenset(form for form in title if not is_weak(form))
    return telling if len(telling) >= SEVERAL else title


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
