"""The local manager with nearness in meaning: an area adds how near it is to the text.

An area is read as a whole, which is its title, its text and the titles of its first children. The areas that are
nearest as wholes are read line by line too: how near such an area is lies half way between the whole and the nearest of
its lines, since a text is often about one thing in an area and not about all of it. Vectors are kept in memory, for
each node and visibility, and made again when these words change; they are derived from words and lie on no disk.
"""

from collections.abc import Callable, Iterator, Mapping
from heapq import nsmallest
from typing import Final, TypeAlias

from adapters.manager.local.coverage import nearest_place
from adapters.manager.local.index import Document, NodeIndex, View
from adapters.manager.local.manager import LocalManager
from adapters.manager.local.ranking import AREA_KINDS, is_area
from adapters.manager.meaning.model import MODEL, Encoder, Vector, nearness
from kernel.canonical import canonical_bytes
from kernel.values.placement import ManagerFacts, Place, PlaceableNode, PlacementRequest, SentQuestion
from kernel.vocabulary import Visibility

FACTS: Final = ManagerFacts(name="local+minilm/1", mode="local", model=MODEL)
AREAS: Final = 400
"""How many areas are compared beside the likely places: each costs some milliseconds once, the first time."""
CHILDREN: Final = 8
"""How many children's titles say what an area holds, and how many of them are read as lines of it."""
LOOKED_INTO: Final = 6
"""How many of the areas nearest as a whole are read line by line: each line costs some milliseconds once."""
LINE: Final = 0.5
"""What the nearest line of an area counts in how near the area is; the whole counts the rest."""


_Kept: TypeAlias = dict[tuple[Visibility, str], tuple[str, Vector]]
"""Vectors with the words they were made of, for each visibility and node."""


class MeaningManager:
    """The local manager with a sentence model; gives a shelf for each worldstate."""

    facts = FACTS

    def __init__(self, encode: Encoder) -> None:
        self._encode = encode

    def __call__(self) -> "MeaningShelf":
        """Return an empty view of one worldstate."""
        return MeaningShelf(self._encode)


class MeaningShelf:
    """One worldstate with its words and the vectors of its areas."""

    def __init__(self, encode: Encoder) -> None:
        self._index = NodeIndex.empty()
        self._encode = encode
        self._manager = LocalManager(near=self._near)
        self._wholes: _Kept = {}
        self._lines: _Kept = {}

    def put(self, node: PlaceableNode) -> None:
        """Add or replace one node."""
        self._index.put(node)

    def remove(self, node_id: str) -> None:
        """Forget one node and its vectors."""
        self._index.remove(node_id)
        for visibility in Visibility:
            self._wholes.pop((visibility, node_id), None)
            self._lines.pop((visibility, node_id), None)

    def prepare(
        self, _text: str, _visibility: Visibility, _selected_node_id: str | None
    ) -> SentQuestion | None:
        """Return None: nothing leaves this machine."""
        return None

    def begin(self, request: PlacementRequest) -> Callable[[], str]:
        """Answer where the text fits, at once."""
        answer = self._manager.place(request, self._index)
        exact = canonical_bytes(answer.model_dump(mode="json")).decode()
        return lambda: exact

    def nearest(self, text: str, visibility: Visibility) -> Place | None:
        """Return the place whose words cover most of a text."""
        return nearest_place(self._index, text, visibility)

    def _near(
        self, view: View, text: str, visibility: Visibility, likely: tuple[str, ...]
    ) -> Mapping[str, float]:
        """Return how near the likely places and the areas nearest to the root are to a text."""
        asked = self._encode(text)
        chosen = {document.node.id: document for document in _topmost(view)}
        for node_id in likely:
            document = view.document(node_id)
            if document is not None and _is_area(view, document):
                chosen.setdefault(node_id, document)
        wholes = {
            node_id: nearness(asked, self._whole(view, document, visibility))
            for node_id, document in chosen.items()
        }
        nearest = nsmallest(LOOKED_INTO, wholes, key=lambda node_id: (-wholes[node_id], node_id))
        near = dict(wholes)
        for node_id in nearest:
            line = self._nearest_line(view, chosen[node_id], asked, visibility)
            near[node_id] = (1 - LINE) * wholes[node_id] + LINE * line
        return near

    def _nearest_line(self, view: View, area: Document, asked: Vector, visibility: Visibility) -> float:
        """Return how near the nearest line of an area is: the area itself, or one of its first children."""
        below = (view.document(child) for child in view.children(area.node.id)[:CHILDREN])
        lines = (area, *(document for document in below if document is not None))
        return max(nearness(asked, self._line(document, visibility)) for document in lines)

    def _whole(self, view: View, document: Document, visibility: Visibility) -> Vector:
        """Return the vector of an area with what it holds."""
        return self._vector(self._wholes, (visibility, document.node.id), _words(view, document))

    def _line(self, document: Document, visibility: Visibility) -> Vector:
        """Return the vector of a node by itself."""
        key, words = (visibility, document.node.id), _line_words(document)
        same = self._wholes.get(key)
        return same[1] if same is not None and same[0] == words else self._vector(self._lines, key, words)

    def _vector(self, kept: _Kept, key: tuple[Visibility, str], words: str) -> Vector:
        """Return a vector, made anew only when its words changed."""
        known = kept.get(key)
        if known is None or known[0] != words:
            known = kept[key] = (words, self._encode(words))
        return known[1]


def _is_area(view: View, document: Document) -> bool:
    node = document.node
    return node.parent_id is not None and node.kind in AREA_KINDS and is_area(view, document)


def _topmost(view: View) -> Iterator[Document]:
    """Yield up to `AREAS` areas, level by level from the root."""
    roots = [item for item in view.documents() if view.document(item.node.parent_id) is None]
    level, left = sorted(roots, key=lambda item: item.node.id), AREAS
    while level and left:
        below: list[Document] = []
        for item in level:
            for child in view.children(item.node.id):
                document = view.document(child)
                if document is None or not _is_area(view, document):
                    continue
                if not left:
                    return
                left -= 1
                yield document
                below.append(document)
        level = below


def _line_words(document: Document) -> str:
    node = document.node
    return ". ".join(part for part in (node.title, node.description) if part)


def _words(view: View, document: Document) -> str:
    below = (view.document(child) for child in view.children(document.node.id)[:CHILDREN])
    parts = (_line_words(document), *(item.node.title for item in below if item))
    return ". ".join(part for part in parts if part)
