"""The local manager with nearness in meaning: an area has one vector, and adds how near it is to the text.

An area is read as its title, its text and the titles of its first children. Vectors are kept in memory, one for each
area and visibility, and made again when these words change; they are derived from words and lie on no disk.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

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
"""How many children's titles say what an area holds."""


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
        self._vectors: dict[tuple[Visibility, str], tuple[str, Vector]] = {}

    def put(self, node: PlaceableNode) -> None:
        """Add or replace one node."""
        self._index.put(node)

    def remove(self, node_id: str) -> None:
        """Forget one node and its vectors."""
        self._index.remove(node_id)
        for visibility in Visibility:
            self._vectors.pop((visibility, node_id), None)

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
        return {
            node_id: nearness(asked, self._vector(view, document, visibility))
            for node_id, document in chosen.items()
        }

    def _vector(self, view: View, document: Document, visibility: Visibility) -> Vector:
        """Return an area's vector, made anew only when its words changed."""
        words = _words(view, document)
        key = (visibility, document.node.id)
        known = self._vectors.get(key)
        if known is None or known[0] != words:
            known = self._vectors[key] = (words, self._encode(words))
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


def _words(view: View, document: Document) -> str:
    below = (view.document(child) for child in view.children(document.node.id)[:CHILDREN])
    parts = (document.node.title, document.node.description, *(item.node.title for item in below if item))
    return ". ".join(part for part in parts if part)
