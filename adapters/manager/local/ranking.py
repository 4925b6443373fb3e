"""Ranks the nodes of a project as homes for a text.

1. Every node gets a score from its own title and description: BM25F, a title word counting `TITLE` times.
2. A goal, idea or project with children is an area. It is scored by its own text, by every word that stands in a child
   of it (each word once, where it stands strongest, counting `SPREAD`), by a part of its best child's score, since words
   that stand together say more, and by a part of the score of the area around it, because a title is read in its path.
3. A childless Idea with a short title is an area still to be filled, and counts `EMPTY_AREA`. Any
   other childless node is a leaf: it counts `LEAF` of its score as a home, and only when the text clearly speaks of
   it (`speaks_of`); otherwise it speaks for its area only.
4. The selected node is a prior: it can settle a near tie and nothing more.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from heapq import nsmallest
from typing import Final

from adapters.manager.local.index import Document, Occurrence, View
from adapters.manager.local.query import Term
from kernel.vocabulary import NodeKind

TITLE: Final = 1.8
DESCRIPTION: Final = 1.0
SATURATION: Final = 1.0
LENGTH_TITLE: Final = 0.3
LENGTH_DESCRIPTION: Final = 0.3
BEST_CHILD: Final = 0.2
SPREAD: Final = 0.3
PATH: Final = 0.2
LEAF: Final = 0.6
EMPTY_AREA: Final = 1.0
AREA_TITLE: Final = 4
SPOKEN: Final = 2
DEEPEST: Final = 64
"""How far up a score is lent: a bound on work, far beyond any real outline."""
KEPT: Final = 300
"""How many of the best nodes are looked at as homes and as children that lend; the rest could not win."""
ROOT: Final = 0.5
MEANING: Final = 1.0
"""What nearness in meaning counts beside all the words of a text, where a sentence model is on."""
NEAR: Final = 0.25
"""From which nearness an area is a place for a text that shares no word with the project."""
FAINT: Final = 0.12
"""From which nearness an area is one more place for a text that has a place already."""
PRIOR: Final = 0.08
EXPLAINED: Final = 20
"""How many of the best homes are given with the children that speak for them."""
LENDERS: Final = 2
"""How many children are named as the reason for a place."""

AREA_KINDS: Final = frozenset({NodeKind.PROJECT, NodeKind.GOAL, NodeKind.IDEA})
"""What people open as a place for things; a Task or Decision with children is a home only when it is spoken of."""
PARENT_KINDS: Final = frozenset(
    {
        NodeKind.PROJECT,
        NodeKind.GOAL,
        NodeKind.IDEA,
        NodeKind.DECISION,
        NodeKind.TASK,
        NodeKind.ARTIFACT,
        NodeKind.OPEN_QUESTION,
    }
)
"""What may hold something new. Evidence, constraints and runs are said of something else and hold nothing."""


@dataclass(frozen=True, slots=True)
class Home:
    """A node as a possible parent, with the score that ranked it and the part that came from its own text."""

    document: Document
    score: float
    through: tuple[Document, ...]
    """The children that lent it words which its own text does not have, the most telling first."""
    meaning: float | None = None
    """How near it is in meaning, where a sentence model says so."""


def own_scores(view: View, query: tuple[Term, ...]) -> dict[str, float]:
    """Score every node that shares a word with the text by its own title and description (rule 1)."""
    scores: dict[str, float] = {}
    for term in query:
        weight = term.weight * term.rarity
        best: dict[str, float] = {}
        for meaning in term.meanings:
            for posting in view.postings(meaning.form):
                for node_id, occurrence in posting.items():
                    value = meaning.sureness * _saturated(view, node_id, occurrence)
                    if value > best.get(node_id, 0.0):
                        best[node_id] = value
        for node_id, value in best.items():
            scores[node_id] = scores.get(node_id, 0.0) + weight * value
    return scores


def _saturated(view: View, node_id: str, occurrence: Occurrence) -> float:
    """How strongly one word stands in one node, 0 to 1."""
    document = view.document(node_id)
    assert document is not None, "a posting names a node of its own partition"
    frequency = 0.0
    if occurrence.title:
        relative = len(document.title_stems) / max(1.0, view.mean_title)
        frequency += TITLE * occurrence.title / (1 - LENGTH_TITLE + LENGTH_TITLE * relative)
    if occurrence.description:
        relative = len(document.description_stems) / max(1.0, view.mean_description)
        frequency += (
            DESCRIPTION * occurrence.description / (1 - LENGTH_DESCRIPTION + LENGTH_DESCRIPTION * relative)
        )
    return frequency / (frequency + SATURATION)


def homes(
    view: View, own: dict[str, float], query: tuple[Term, ...], *, selected: str | None, apart: frozenset[str]
) -> tuple[Home, ...]:
    """Every possible parent that shares a word with the text, itself or through a child, best first (rules 2 to 4).

    Nodes in `apart` are spoken of as something else - a condition, a contradiction, the same thing - and are no homes.
    """
    kept = nsmallest(KEPT, own.items(), key=lambda pair: (-pair[1], pair[0]))
    own = dict(kept)
    lent = _lent(view, own, query)
    found: list[Home] = []
    for node_id in {*own, *lent}:
        document = view.document(node_id)
        if document is None or node_id in apart or document.node.kind not in PARENT_KINDS:
            continue
        home = _home(view, document, own, lent)
        if home is not None and (is_area(view, document) or speaks_of(query, document)):
            found.append(home)
    ranked = _with_prior(tuple(found), selected)
    return (*(_explained(view, home, lent) for home in ranked[:EXPLAINED]), *ranked[EXPLAINED:])


@dataclass(slots=True)
class _Lent:
    """What the children of a node lend it."""

    best: float = 0.0
    """The score of the best of them."""
    words: dict[int, tuple[float, str]] = field(default_factory=dict)
    """For a word of the text, by its number: what it counts in the child where it stands strongest, and which it is."""


def _lent(view: View, own: Mapping[str, float], query: tuple[Term, ...]) -> dict[str, _Lent]:
    """What every node is lent by those of the scored nodes that lie under it."""
    found: dict[str, _Lent] = {}
    above = {node_id: tuple(_borrowers(view, node_id)) for node_id in own}
    for node_id, score in own.items():
        for parent in above[node_id]:
            lent = found.setdefault(parent, _Lent())
            lent.best = max(lent.best, score)
    for number, term in enumerate(query):
        weight = term.weight * term.rarity
        for node_id, value in _values(view, own, term).items():
            for parent in above[node_id]:
                words = found[parent].words
                if (weight * value, node_id) > words.get(number, (0.0, "")):
                    words[number] = (weight * value, node_id)
    return found


def _values(view: View, among: Mapping[str, float], term: Term) -> dict[str, float]:
    """How strongly one word of the text stands in each of some nodes, 0 to 1; those without it are left out."""
    found: dict[str, float] = {}
    for meaning in term.meanings:
        for posting in view.postings(meaning.form):
            few, many = (posting, among) if len(posting) < len(among) else (among, posting)
            for node_id in few:
                if node_id in many:
                    value = meaning.sureness * _saturated(view, node_id, posting[node_id])
                    found[node_id] = max(found.get(node_id, 0.0), value)
    return found


def _borrowers(view: View, node_id: str) -> Iterator[str]:
    """Whom a node lends its score to: its parent, and the nearest area above when the parent is none."""
    document = view.document(node_id)
    parent = document.node.parent_id if document else None
    for _ in range(DEEPEST):
        above = view.document(parent)
        if parent is None or above is None:
            return
        yield parent
        if above.node.kind in AREA_KINDS:
            return
        parent = above.node.parent_id


def _home(view: View, document: Document, own: dict[str, float], lent: dict[str, _Lent]) -> Home | None:
    """Score one node as a home."""
    node = document.node
    mine = own.get(node.id, 0.0)
    around = own.get(node.parent_id or "", 0.0)
    if node.parent_id is None:
        return Home(document, ROOT * mine, ()) if mine else None
    if not (view.has_children(node.id) and node.kind in AREA_KINDS):
        share = EMPTY_AREA if is_area(view, document) else LEAF
        return Home(document, share * (mine + PATH * around), ()) if mine else None
    below = lent.get(node.id, _Lent())
    spread = sum(value for value, _ in below.words.values())
    score = mine + SPREAD * spread + BEST_CHILD * below.best
    return Home(document, score + (PATH * around if score else 0.0), ())


def _explained(view: View, home: Home, lent: dict[str, _Lent]) -> Home:
    """A home with the children that lent it most."""
    below = lent.get(home.document.node.id)
    if below is None or not is_area(view, home.document) or home.document.node.parent_id is None:
        return home
    lenders = dict.fromkeys(child for _, child in sorted(below.words.values(), reverse=True))
    documents = (view.document(child) for child in lenders)
    return replace(home, through=tuple(child for child in documents if child is not None)[:LENDERS])


def is_area(view: View, document: Document) -> bool:
    """Whether a node is a place for things rather than a thing (rules 2 and 3)."""
    node = document.node
    if node.parent_id is None:
        return True
    if view.has_children(node.id):
        return node.kind in AREA_KINDS
    return node.kind is NodeKind.IDEA and len(document.title_stems) <= AREA_TITLE


def speaks_of(query: tuple[Term, ...], document: Document) -> bool:
    """Whether a text names a node: two words of its title, and more than half of them."""
    title = set(document.title_stems)
    met = {meaning.form for term in query for meaning in term.meanings if meaning.form in title}
    return len(met) >= SPOKEN and 2 * len(met) > len(title)


def with_meaning(
    view: View, found: tuple[Home, ...], near: Mapping[str, float], *, most: float, apart: frozenset[str]
) -> tuple[Home, ...]:
    """Add to every home how near in meaning its area is, and the near areas that share no word; best first.

    A text without any place is one to ask about, so the first place by meaning alone must be nearer than a further one.
    """
    unit = most or 1.0
    homes_by_id = {home.document.node.id: home for home in found}
    has_place = bool(found) or any(
        nearness >= NEAR for node_id, nearness in near.items() if node_id not in apart
    )
    for node_id, nearness in near.items() if has_place else ():
        document = view.document(node_id)
        if nearness >= FAINT and document is not None and node_id not in apart:
            homes_by_id.setdefault(node_id, Home(document, 0.0, ()))
    blended: list[Home] = []
    for node_id, home in homes_by_id.items():
        meaning = near.get(node_id, near.get(home.document.node.parent_id or "", 0.0))
        blended.append(replace(home, score=home.score + MEANING * unit * max(0.0, meaning), meaning=meaning))
    return tuple(sorted(blended, key=lambda home: (-home.score, home.document.node.id)))


def _with_prior(found: tuple[Home, ...], selected: str | None) -> tuple[Home, ...]:
    """Order homes by score, lifting the selected one by a little (rule 4); equal scores order by id."""
    top = max((home.score for home in found), default=0.0)
    lifted = [
        replace(home, score=home.score + PRIOR * top) if home.document.node.id == selected else home
        for home in found
    ]
    return tuple(sorted(lifted, key=lambda home: (-home.score, home.document.node.id)))
