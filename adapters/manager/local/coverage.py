"""How much of a text a project speaks about: the one figure by which two projects can be compared.

Ranking weighs words by how rare they are in one project, and leaves out words that the project does not know. Across
projects that would reward knowing little. Here every telling word of the text counts, known or not.
"""

from adapters.manager.local.index import Document, NodeIndex, View
from adapters.manager.local.query import WEAK_WORD, Term, terms
from adapters.manager.local.ranking import homes, own_scores
from adapters.manager.local.words import Token, is_weak, stems, tokens
from kernel.values.placement import Place
from kernel.vocabulary import Visibility

_LOOKED_AT = 4
"""How many of the best places are compared."""


def nearest_place(index: NodeIndex, text: str, visibility: Visibility) -> Place | None:
    """The place whose words cover most of a text, its score the share in thousandths; None when no word occurs."""
    view = index.view(visibility)
    read = tokens(text)
    query = terms(view, read)
    weights = _weights(read)
    whole = sum(weights.values())
    if not whole:
        return None
    found: Place | None = None
    for home in homes(view, own_scores(view, query), query, selected=None, apart=frozenset())[:_LOOKED_AT]:
        met = _met(query, weights, _bag(view, home.document))
        score = min(1000, round(1000 * sum(met.values()) / whole))
        if score > (found.score if found else 0):
            words = tuple(met)
            reason = f"{', '.join(words[:4])}: in {home.document.node.title}"
            found = Place(parent_id=home.document.node.id, score=score, reason=reason, matched=words[:8])
    return found


def _weights(read: tuple[Token, ...]) -> dict[str, float]:
    """Every telling word of a text once; numbers tell nothing about a project."""
    return {
        token.lower: WEAK_WORD if is_weak(token.lower) else 1.0
        for token in read
        if token.is_word and not token.lower[0].isdigit() and stems(token.lower)
    }


def _bag(view: View, document: Document) -> frozenset[str]:
    """The stems of a place and of what lies directly in it."""
    below = (view.document(child) for child in view.children(document.node.id))
    return frozenset(
        form
        for item in (document, *below)
        if item is not None
        for form in (*item.title_stems, *item.description_stems)
    )


def _met(query: tuple[Term, ...], weights: dict[str, float], bag: frozenset[str]) -> dict[str, float]:
    """The words of a text that stand in a bag, with their weight times how surely they do."""
    found: dict[str, float] = {}
    for term in query:
        word = term.surface.lower()
        sure = max((meaning.sureness for meaning in term.meanings if meaning.form in bag), default=0.0)
        if sure and word in weights:
            found[word] = max(found.get(word, 0.0), sure * weights[word])
    return found
