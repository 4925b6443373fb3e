"""The word index over the nodes of one ledger, kept up to date node by node.

Shared and private nodes lie in separate partitions. A shared text is placed by the shared partition alone, so no word,
count or score of a private node can show in the answer; a private text is placed by both.
"""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from adapters.manager.local.words import dropped, exact_words, lower_words, stems_of
from kernel.values.placement import PlaceableNode
from kernel.vocabulary import Visibility

TYPO_LENGTH: Final = 5
"""Stems shorter than this are never corrected: too many real words lie one letter apart."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """How often a stem stands in a node's title and description."""

    title: int
    description: int


@dataclass(frozen=True, slots=True)
class Document:
    """A node with what ranking and comparing need of its text."""

    node: PlaceableNode
    title_stems: tuple[str, ...]
    description_stems: tuple[str, ...]
    title_exact: tuple[str, ...]
    description_exact: tuple[str, ...]


@dataclass(slots=True)
class Partition:
    """The documents of one visibility with their postings and spellings."""

    documents: dict[str, Document] = field(default_factory=dict)
    postings: dict[str, dict[str, Occurrence]] = field(default_factory=dict)
    children: dict[str, set[str]] = field(default_factory=dict)
    spellings: dict[str, set[str]] = field(default_factory=dict)
    vocabulary: list[str] = field(default_factory=list)
    title_length: int = 0
    description_length: int = 0

    def add(self, node: PlaceableNode) -> None:
        """Index a node that is not here yet."""
        document = _document(node)
        self.documents[node.id] = document
        self.title_length += len(document.title_stems)
        self.description_length += len(document.description_stems)
        if node.parent_id is not None:
            self.children.setdefault(node.parent_id, set()).add(node.id)
        for form, occurrence in _occurrences(document).items():
            if form not in self.postings:
                self._learn(form)
            self.postings.setdefault(form, {})[node.id] = occurrence

    def discard(self, node_id: str) -> None:
        """Forget a node; unknown ids are no error, so that a caller need not know the partition."""
        document = self.documents.pop(node_id, None)
        if document is None:
            return
        self.title_length -= len(document.title_stems)
        self.description_length -= len(document.description_stems)
        parent = document.node.parent_id
        if parent is not None:
            self.children[parent].discard(node_id)
            if not self.children[parent]:
                del self.children[parent]
        for form in _occurrences(document):
            del self.postings[form][node_id]
            if not self.postings[form]:
                self._unlearn(form)

    def _learn(self, form: str) -> None:
        insort(self.vocabulary, form)
        if len(form) >= TYPO_LENGTH:
            for spelling in dropped(form):
                self.spellings.setdefault(spelling, set()).add(form)

    def _unlearn(self, form: str) -> None:
        del self.postings[form]
        del self.vocabulary[bisect_left(self.vocabulary, form)]
        if len(form) >= TYPO_LENGTH:
            for spelling in set(dropped(form)):
                self.spellings[spelling].discard(form)
                if not self.spellings[spelling]:
                    del self.spellings[spelling]


class View:
    """What one text may be compared with: one partition, or both."""

    def __init__(self, partitions: tuple[Partition, ...]) -> None:
        self._partitions = partitions
        self.size = sum(len(part.documents) for part in partitions)
        self.mean_title = sum(part.title_length for part in partitions) / max(1, self.size)
        self.mean_description = sum(part.description_length for part in partitions) / max(1, self.size)

    def document(self, node_id: str | None) -> Document | None:
        """The document of a node, or None when it is not in view."""
        for part in self._partitions:
            if node_id is not None and node_id in part.documents:
                return part.documents[node_id]
        return None

    def documents(self) -> Iterator[Document]:
        """Every document in view, in no particular order."""
        for part in self._partitions:
            yield from part.documents.values()

    def frequency(self, form: str) -> int:
        """In how many nodes a stem occurs."""
        return sum(len(part.postings.get(form, ())) for part in self._partitions)

    def postings(self, form: str) -> Iterator[Mapping[str, Occurrence]]:
        """Where a stem occurs, one mapping per partition."""
        for part in self._partitions:
            if form in part.postings:
                yield part.postings[form]

    def has_children(self, node_id: str) -> bool:
        """Whether anything in view lies under a node."""
        for part in self._partitions:  # noqa: SIM110 - asked of hundreds of nodes for one text
            if node_id in part.children:
                return True
        return False

    def children(self, node_id: str) -> tuple[str, ...]:
        """The ids directly under a node, sorted."""
        return tuple(sorted(child for part in self._partitions for child in part.children.get(node_id, ())))

    def longer(self, form: str, limit: int) -> tuple[str, ...]:
        """Known stems that begin with a form and go on, at most `limit` of them."""
        found: list[str] = []
        for part in self._partitions:
            at = bisect_left(part.vocabulary, form)
            while at < len(part.vocabulary) and part.vocabulary[at].startswith(form) and len(found) < limit:
                if part.vocabulary[at] != form:
                    found.append(part.vocabulary[at])
                at += 1
        return tuple(sorted(set(found)))

    def similar(self, form: str) -> tuple[str, ...]:
        """Known stems one slip of a typist away from a form, sorted."""
        found = {
            known
            for spelling in dropped(form)
            for part in self._partitions
            for known in part.spellings.get(spelling, ())
        }
        return tuple(sorted(found - {form}))


class NodeIndex:
    """The nodes of one ledger as words; the app keeps one per ledger and puts or removes what an accept changed."""

    def __init__(self) -> None:
        self._partitions = {visibility: Partition() for visibility in Visibility}

    @classmethod
    def empty(cls) -> "NodeIndex":
        """An index without nodes."""
        return cls()

    def put(self, node: PlaceableNode) -> None:
        """Add a node, or replace what was known of it."""
        self.remove(node.id)
        self._partitions[node.visibility].add(node)

    def remove(self, node_id: str) -> None:
        """Forget a node; removing an unknown one changes nothing."""
        for partition in self._partitions.values():
            partition.discard(node_id)

    def view(self, visibility: Visibility) -> View:
        """What a text of this visibility may be compared with."""
        shared, private = self._partitions[Visibility.SHARED], self._partitions[Visibility.PRIVATE]
        return View(
            (shared,) if visibility is Visibility.SHARED or not private.documents else (shared, private)
        )


def _document(node: PlaceableNode) -> Document:
    """Read a node once, so that no capture has to."""
    title, description = lower_words(node.title), lower_words(node.description)
    return Document(
        node, stems_of(title), stems_of(description), exact_words(title), exact_words(description)
    )


def _occurrences(document: Document) -> dict[str, Occurrence]:
    """Count every stem of a document by field."""
    titles, descriptions = Counter(document.title_stems), Counter(document.description_stems)
    return {form: Occurrence(titles[form], descriptions[form]) for form in (titles | descriptions)}
