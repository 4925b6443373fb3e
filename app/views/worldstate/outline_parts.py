"""What the Outline is made of: the rows of the tree, and the facts of the selected node."""

from dataclasses import dataclass

from app.views.parts import (
    Fact,
    FamilyFact,
    KindMark,
    Link,
    Mark,
    Moment,
    NodeLink,
    Quote,
    Sentence,
)


@dataclass(frozen=True, slots=True)
class ViewTab:
    """One of the views of the same state; the selection is kept across them."""

    name: str
    href: str
    icon: str
    is_current: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    """A way to show less of the tree."""

    name: str
    href: str
    count: str
    """How many it shows; empty for everything."""
    is_current: bool = False


@dataclass(frozen=True, slots=True)
class TreeRow:
    """One visible row of the tree, with its three statuses."""

    id: str
    """A name for the row that is unique on the page."""
    title: str
    href: str
    """This page with the node selected."""
    kind: KindMark
    inside: str
    """What the closed row holds, such as `6 inside, 1 private`; empty for a leaf."""
    level: int
    """1 for the root."""
    position: int
    """1-based among its siblings."""
    siblings: int
    """How many siblings there are, itself included."""
    toggle: Link | None
    """Opens or closes the row; None for a leaf."""
    is_expanded: bool
    governance: Mark
    knowledge: Mark | None = None
    work: Mark | None = None
    is_selected: bool = False
    is_suggested: bool = False
    """Laid over the tree, not part of it: dashed, and the word stands in the row."""
    is_private: bool = False

    @property
    def indent(self) -> int:
        """How far the row is set in: its level, at most 8."""
        return min(self.level, 8)


@dataclass(frozen=True, slots=True)
class RelationLine:
    """One relation of the node, read from its side."""

    verb: str
    """Such as `belongs to` or `is refined by`."""
    node: NodeLink


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """One thing that happened to the node."""

    when: Moment
    text: str
    """Such as `Accepted by Jonas, revision 17`."""


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """The inspector: everything about the selected node."""

    title: str
    kind: KindMark
    crumbs: tuple[Link, ...]
    description: str
    """Empty when there is none."""
    families: tuple[FamilyFact, ...]
    acts: tuple[Link, ...]
    """What can be started from here, such as `Prepare a brief`; empty for a viewer."""
    relations: tuple[RelationLine, ...]
    history: tuple[HistoryLine, ...]
    sources: tuple[Quote, ...]
    record: tuple[Fact, ...]
    is_suggested: bool = False
    is_private: bool = False
    note: Sentence | None = None
    """What has to be known before anything else, such as that this is retired."""
    waiting: tuple[Link, ...] = ()
    """Suggestions that would change it or hang something on it."""
