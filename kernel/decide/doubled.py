"""What to do instead of adding a node a second time: put the words into the one that says this already."""

import re
from collections.abc import Iterator
from typing import Final

from kernel.decide.source import thread_of
from kernel.rules.limits import DESCRIPTION_BYTES_MAX
from kernel.state import State
from kernel.values.placement import PlacementAnswer, PlacementRequest
from kernel.values.records import Node, NodePatch, Operation
from kernel.values.stamp import Stamp
from kernel.vocabulary import NodeKind

_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD: Final = re.compile(r"\w+")
_NO_PLACE: Final = frozenset({NodeKind.WORLD, NodeKind.PROJECT})


def into_same(
    state: State, request: PlacementRequest, answer: PlacementAnswer, stamp: Stamp
) -> tuple[str, tuple[Operation, ...]] | None:
    """Return the label and the change that puts a text into the node that says it already; None when none does.

    What the node has stays. Its description gains the sentences that say something new, and the captures become
    sources of it; where nothing is new, they only become sources. A node that others see never takes private
    words, and one that only owners see takes no shared words, which would take the proposal out of others' sight.
    """
    node = state.tables.nodes.get(answer.duplicate_of or "")
    if node is None or node.retired_in is not None or node.kind in _NO_PLACE:
        return None
    sources = tuple(item for item in thread_of(state, request.source_id) if item not in node.source_ids)
    if node.visibility is not request.visibility or not sources:
        return None
    description = _with_news(node, request.text)
    is_new = description is not None
    patch = NodePatch(
        node_id=node.id,
        description=None if description is None else stamp.words(description, "description of the same"),
        add_source_ids=sources,
    )
    title = node.title.or_erased()
    return (f"Add the words to {title}" if is_new else f"Keep the words as a source of {title}"), (patch,)


def _with_news(node: Node, text: str) -> str | None:
    """Return a node's description with what a text says beyond it; None when that is nothing or finds no room."""
    if node.title.text is None or (node.description is not None and node.description.text is None):
        # Erased words cannot be kept, so they are not written over either.
        return None
    before = "" if node.description is None else node.description.text or ""
    news = tuple(_news(f"{node.title.text} {before}", text))
    if not news:
        return None
    described = "\n\n".join(part for part in (before, " ".join(news)) if part)
    return described if len(described.encode()) <= DESCRIPTION_BYTES_MAX else None


def _news(known: str, text: str) -> Iterator[str]:
    """Yield the sentences of a text with a word that is not known yet, in their order and as they were written."""
    words = frozenset(_words(known))
    for sentence in _SENTENCE.split(text.strip()):
        if not words.issuperset(_words(sentence)):
            yield sentence.strip()


def _words(text: str) -> Iterator[str]:
    return (match.group().casefold() for match in _WORD.finditer(text))
