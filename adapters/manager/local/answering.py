"""Reads what a person answered to a question about a text: it says where the text goes, and nothing else about it.

An answer that chooses or names a node sets the place. Other words only helped the search. Nobody is asked twice: when
still nothing fits, the text goes directly under the project and the answer says that this is a guess.
"""

import re
from typing import Final

from adapters.manager.local.answer import PLACES, short
from adapters.manager.local.index import Document, View
from adapters.manager.local.ranking import PARENT_KINDS
from adapters.manager.local.words import lower_words, stems_of
from kernel.values.placement import Place, PlacementRequest

_LEAD: Final = re.compile(
    r"(?:it|this|that)?\s*(?:(?:belongs|goes|fits|put it)\s+)?(?:(?:directly|right|straight|just)\s+)?"
    r"(?:(?:under|in|into|inside|at|to|below|on|with)\s+)?",
    re.IGNORECASE,
)
_PROJECT: Final = frozenset({"project", "whole project", "project itself", "root", "top", "top level"})


def places(
    view: View, request: PlacementRequest, found: tuple[Place, ...], doubts: tuple[str, ...]
) -> tuple[tuple[Place, ...], tuple[str, ...]]:
    """The places of a text that was asked about, best first, and what is not certain about them."""
    said = request.answers[-1].strip()
    chosen = _chosen(view, request, said)
    if chosen is not None:
        reason = f"\u201c{short(said)}\u201d was the answer to where it belongs."
        first = Place(parent_id=chosen.node.id, score=1000, reason=reason)
        return (first, *(place for place in found if place.parent_id != chosen.node.id))[:PLACES], ()
    if found:
        return found, doubts
    root = _root(view)
    if root is None:
        return (), doubts
    reason = (
        f"No word of the text or of the answer \u201c{short(said)}\u201d occurs in the project, so the place, "
        f"directly under \u201c{short(root.node.title)}\u201d, is a guess."
    )
    return (Place(parent_id=root.node.id, score=0, reason=reason),), (reason,)


def _chosen(view: View, request: PlacementRequest, said: str) -> Document | None:
    """The node an answer chooses or names, when it can hold something."""
    chosen = view.document(request.selected_node_id) or _named(view, said)
    return chosen if chosen is not None and chosen.node.kind in PARENT_KINDS else None


def _named(view: View, said: str) -> Document | None:
    """The one node whose title the answer is, with or without words such as `directly under` before it."""
    without = _LEAD.sub("", said, count=1)
    plain = " ".join(word for word in lower_words(without) if word not in {"the", "our", "this"})
    root = _root(view)
    if plain in _PROJECT:
        return root
    for words in dict.fromkeys((said, without)):
        stems = frozenset(stems_of(lower_words(words)))
        named = [item for item in view.documents() if stems and stems == frozenset(item.title_stems)]
        if root is not None and root in named:
            return root
        if len(named) == 1:
            return named[0]
    return None


def _root(view: View) -> Document | None:
    """The project's own node, or None when it is not in view."""
    roots = [item for item in view.documents() if item.node.parent_id is None]
    return min(roots, key=lambda item: item.node.id, default=None)
