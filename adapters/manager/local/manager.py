"""The local manager: places any English text in any project, on this machine, the same way every time."""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from adapters.manager.local import answer, answering
from adapters.manager.local.cues import SPOKEN
from adapters.manager.local.index import Document, NodeIndex, View
from adapters.manager.local.kinds import KindReading, read_kind
from adapters.manager.local.naming import same_node
from adapters.manager.local.query import terms, weight_of
from adapters.manager.local.ranking import (
    DEEPEST,
    PARENT_KINDS,
    Home,
    homes,
    is_area,
    own_scores,
    with_meaning,
)
from adapters.manager.local.relations import stated_relations
from adapters.manager.local.titles import description_of, title_of
from adapters.manager.local.words import MAX_CHARACTERS, tokens
from kernel.values.placement import Place, PlacementAnswer, PlacementRequest
from kernel.vocabulary import Visibility

NAME: Final = "local/1"
Near: TypeAlias = Callable[[View, str, Visibility, tuple[str, ...]], Mapping[str, float]]
"""Tells for areas in view, the likely places among them, how near in meaning they are; an extra, off by default."""
LIKELY: Final = 20


class LocalManager:
    """Places a text by its own words: no model, no network, no randomness, no memory between captures.

    The same request on an index with the same nodes gets the same answer. The answer is a proposal: nothing here
    writes, and nothing in the text is an instruction.
    """

    name: Final = NAME

    def __init__(self, near: Near | None = None) -> None:
        self._near = near

    def place(self, request: PlacementRequest, nodes: NodeIndex) -> PlacementAnswer:
        """Answer where a text fits among the nodes it may be compared with (see `NodeIndex.view`)."""
        view = nodes.view(request.visibility)
        read = tokens(request.text)
        kind = read_kind(read, request.text)
        query = terms(view, tokens("\n\n".join((request.text, *request.answers))))
        own = own_scores(view, query)
        stated = stated_relations(view, read, frozenset({kind.kind, kind.alternative or kind.kind}))
        same = same_node(view, request.text, own)
        apart = frozenset(
            {relation.to_id for relation in stated.relations} | ({same.node.id} if same else set())
        )
        selected = None if same else _holder(view, request.selected_node_id)
        chosen = selected.node.id if selected else None
        ranked = homes(view, own, query, selected=chosen, apart=apart)
        ranked = self._by_meaning(view, request, ranked, most=weight_of(query), apart=apart)
        found = answer.places(ranked, query)
        if same is not None:
            found = answer.beside(view, same, found)
        doubts = tuple(answer.doubts(view, found, query))
        if request.answers:
            found, doubts = answering.places(view, request, found, doubts)
        uncertainty = [*doubts, *stated.doubts, *_about_text(request.text, kind)]
        if not found:
            found, uncertainty = _without_words(view, selected, uncertainty)
        title = title_of(request.text)
        return PlacementAnswer(
            kind=kind.kind,
            title=title,
            description=description_of(request.text, title),
            places=found,
            relations=stated.relations if found else (),
            kind_reason=kind.reason,
            alternative_kind=kind.alternative,
            uncertainty=tuple(uncertainty),
            duplicate_of=same.node.id if same and found else None,
            question=None if found else answer.question(view),
        )

    def _by_meaning(
        self,
        view: View,
        request: PlacementRequest,
        ranked: tuple[Home, ...],
        *,
        most: float,
        apart: frozenset[str],
    ) -> tuple[Home, ...]:
        """The homes ranked by nearness in meaning too; as they are where no sentence model is on."""
        if self._near is None:
            return ranked
        likely = tuple(home.document.node.id for home in ranked[:LIKELY])
        near = self._near(view, request.text, request.visibility, likely)
        return with_meaning(view, ranked, near, most=most, apart=apart)


def _holder(view: View, selected: str | None) -> Document | None:
    """The selected node when it can hold something, else the nearest node above it that can.

    The root is no prior: it is what is selected when nobody selected anything.
    """
    document = view.document(selected)
    for _ in range(DEEPEST):
        if document is None or document.node.parent_id is None:
            return None
        if is_area(view, document):
            return document
        document = view.document(document.node.parent_id)
    return None


def _without_words(
    view: View, selected: Document | None, uncertainty: list[str]
) -> tuple[tuple[Place, ...], list[str]]:
    """Where a text goes that shares no word with the project: the selected node, an empty project's root, or nowhere."""
    if selected is not None:
        reason = f"No word of the text occurs in the project; \u201c{selected.node.title[:120]}\u201d was selected."
        return (Place(parent_id=selected.node.id, score=0, reason=reason),), [reason, *uncertainty]
    if view.size == 1:
        root = next(view.documents()).node
        if root.kind in PARENT_KINDS:
            return (Place(parent_id=root.id, score=0, reason="The project is still empty."),), uncertainty
    return (), uncertainty


def _about_text(text: str, kind: KindReading) -> list[str]:
    """What is not certain about the text itself."""
    found: list[str] = []
    if kind.alternative is not None:
        found.append(f"The wording could also be read as {SPOKEN[kind.alternative]}.")
    if len(text) > MAX_CHARACTERS:
        found.append(
            f"Only the first {MAX_CHARACTERS:,} characters were read to find the place and the kind."
        )
    return found
