"""Puts a ranking into words: places with their reasons, what is uncertain, and the question when nothing fits."""

from collections.abc import Iterator
from typing import Final

from adapters.manager.local.index import Document, View
from adapters.manager.local.naming import SAME
from adapters.manager.local.query import Term, weight_of
from adapters.manager.local.ranking import MEANING, PARENT_KINDS, Home
from kernel.values.placement import Place

PLACES: Final = 4
SHOWN: Final = 4
"""How many matched words a reason quotes."""
CLOSE: Final = 0.85
"""A second place with at least this share of the first one's score is too close to call."""
ECHO: Final = 0.8
"""What an area scores at most, of the first place, when all its words come from that place, which lies in it."""
THIN: Final = 120
"""Below this score, in thousandths, a place is a guess and is called one."""
LONGEST_WORD: Final = 60
LONE: Final = 340
"""The most that the best place scores, in thousandths, when one word points there that is not its whole title."""
SHY: Final = 599
"""The most that a further such place scores: never a good fit."""


def places(ranked: tuple[Home, ...], query: tuple[Term, ...]) -> tuple[Place, ...]:
    """The best homes with scores and reasons, best first."""
    most = weight_of(query)
    if any(home.meaning is not None for home in ranked):
        most = (most or 1.0) * (1.0 + MEANING)
    found = _without_echo(tuple(_place(home, query, most) for home in ranked[:PLACES]), ranked, query)
    if not ranked or ranked[0].meaning is not None or not _lone(found[0], ranked[0].document, query):
        return tuple(
            place.model_copy(update={"score": min(place.score, SHY)})
            if home.meaning is None and _lone(place, home.document, query)
            else place
            for place, home in zip(found, ranked, strict=False)
        )
    share = min(1.0, LONE / max(1, found[0].score))
    return tuple(place.model_copy(update={"score": round(share * place.score)}) for place in found)


def is_lone(view: View, place: Place, query: tuple[Term, ...]) -> bool:
    """Whether one word alone points to a place, and is not the whole of its title: it may stand there by accident."""
    document = view.document(place.parent_id)
    return document is not None and _lone(place, document, query)


def _lone(place: Place, document: Document, query: tuple[Term, ...]) -> bool:
    return len(place.matched) == 1 and not _titled(query, document)


def _titled(query: tuple[Term, ...], document: Document) -> bool:
    """Whether the words of a text hold a node's whole title, spelled as it is."""
    title = frozenset(document.title_stems)
    sure = {meaning.form for term in query for meaning in term.meanings if meaning.sureness == 1.0}
    return bool(title) and title <= sure


def _place(home: Home, query: tuple[Term, ...], most: float) -> Place:
    """One home: its score is the share of the telling words' weight that points there."""
    node = home.document.node
    own = _met(query, home.document)
    lent = _lent_words(query, home, own)
    parts: list[str] = []
    if own:
        parts.append(_occur(own, node.title))
    parts += [f"{_occur(words, child.node.title)}, which belongs to it" for child, words in lent]
    if home.meaning is not None:
        parts.append(
            f"by a sentence model it is near to \u201c{short(node.title)}\u201d ({home.meaning:.2f})"
        )
    reason = "; ".join(parts) or f"The words around \u201c{short(node.title)}\u201d point here"
    score = min(1000, round(1000 * home.score / most)) if most else 0
    matched = (*own, *(word for _, words in lent for word in words))
    return Place(parent_id=node.id, score=score, reason=f"{reason}.", matched=matched[: 2 * SHOWN])


def _lent_words(
    query: tuple[Term, ...], home: Home, own: tuple[str, ...]
) -> tuple[tuple[Document, tuple[str, ...]], ...]:
    """The words that a home has from its children and not from itself, each with the first child that has it."""
    met = set(own)
    found: list[tuple[Document, tuple[str, ...]]] = []
    for child in home.through:
        words = tuple(word for word in _met(query, child) if word not in met)
        if words:
            found.append((child, words))
            met.update(words)
    return tuple(found)


def beside(view: View, same: Document, found: tuple[Place, ...]) -> tuple[Place, ...]:
    """The places of a text that a node already says: first where that node stands, whatever else its words meet."""
    parent = view.document(same.node.parent_id)
    if parent is None or parent.node.kind not in PARENT_KINDS:
        return found
    others = tuple(place for place in found if place.parent_id != parent.node.id)
    ranked = next((place for place in found if place.parent_id == parent.node.id), None)
    first = ranked if ranked is not None and ranked == found[0] else None
    if first is None:
        reason = f"\u201c{short(same.node.title)}\u201d says the same and stands in \u201c{short(parent.node.title)}\u201d."
        score = max(round(1000 * SAME), *(place.score for place in found), 0)
        first = Place(parent_id=parent.node.id, score=score, reason=reason)
    return (first, *others)[:PLACES]


def _met(query: tuple[Term, ...], document: Document) -> tuple[str, ...]:
    """The words of the text that occur in a node, the most telling first, as written."""
    forms = {*document.title_stems, *document.description_stems}
    met = [term for term in query if any(meaning.form in forms for meaning in term.meanings)]
    met.sort(key=lambda term: -term.weight * term.rarity)
    return tuple(dict.fromkeys(term.surface[:LONGEST_WORD] for term in met))


def _occur(words: tuple[str, ...], title: str) -> str:
    quoted = [f"\u201c{word}\u201d" for word in words[:SHOWN]]
    joined = quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
    return f"{joined} {'points' if len(quoted) == 1 else 'point'} to \u201c{short(title)}\u201d"


def short(title: str) -> str:
    """A title as a reason quotes it, cut where it is long."""
    return title if len(title) <= 2 * LONGEST_WORD else title[: 2 * LONGEST_WORD - 1] + "\u2026"


def doubts(view: View, found: tuple[Place, ...], query: tuple[Term, ...]) -> Iterator[str]:
    """What is not certain about the places, one sentence each."""
    if len(found) > 1 and found[1].score >= CLOSE * found[0].score:
        first, second = (_title(view, place.parent_id) for place in found[:2])
        near, best = (f"{place.score / 1000:.2f}" for place in (found[1], found[0]))
        yield f"\u201c{second}\u201d fits almost as well as \u201c{first}\u201d ({near} and {best})."
    if found and found[0].score < THIN:
        yield "Few words of the text occur in the project, so the place is a guess."
    elif found and is_lone(view, found[0], query):
        yield f"Only \u201c{found[0].matched[0]}\u201d points to this place, so it is a guess."
    if found:
        yield from _readings(query, found[0])


def _without_echo(
    found: tuple[Place, ...], ranked: tuple[Home, ...], query: tuple[Term, ...]
) -> tuple[Place, ...]:
    """The places, where one that only echoes the first scores `ECHO` of it at most, though no less than the next."""
    kept = list(found)
    for at in range(len(found) - 1, 0, -1):
        outer = ranked[at].document
        is_around = ranked[0].document.node.parent_id == outer.node.id
        if is_around and not _met(query, outer) and set(found[at].matched) <= set(found[0].matched):
            most = max(round(ECHO * found[0].score), kept[at + 1].score if at + 1 < len(kept) else 0)
            kept[at] = found[at].model_copy(update={"score": min(found[at].score, most)})
    return tuple(kept)


def _readings(query: tuple[Term, ...], place: Place) -> Iterator[str]:
    """Words of the best place that were read as another spelling."""
    for term in query:
        if term.meanings[0].typo and term.surface[:LONGEST_WORD] in place.matched:
            yield f"\u201c{term.surface[:LONGEST_WORD]}\u201d was read as a slip for a word of the project."


def question(view: View) -> str:
    """Ask where a text belongs when no word of it occurs in the project; name the areas there are."""
    roots = sorted(
        (document for document in view.documents() if view.document(document.node.parent_id) is None),
        key=lambda document: document.node.id,
    )
    if not roots:
        return "The project holds nothing yet that this could belong to. Where should it go?"
    root = roots[0].node
    areas = [document.node.title for document in map(view.document, view.children(root.id)) if document]
    named = ", ".join(f"\u201c{short(title)}\u201d" for title in areas[:PLACES])
    more = " or elsewhere" if len(areas) > PLACES else ""
    return f"No word of this text occurs in \u201c{short(root.title)}\u201d. Does it belong to {named}{more}?"


def _title(view: View, node_id: str) -> str:
    document = view.document(node_id)
    return short(document.node.title) if document else node_id
