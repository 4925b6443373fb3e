"""A past revision and what differs between two: the banner over a view, and the marked tree of changes."""

from dataclasses import dataclass

from app.views.parts import KindMark, Link, Mark, Moment


@dataclass(frozen=True, slots=True)
class Past:
    """The banner over a view of a past revision: what is shown, and the ways on."""

    title: str
    """Such as `Revision 12 of 18`."""
    text: str
    when: Moment
    ways: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class WordChange:
    """One field of a changed node."""

    name: str
    was: str
    """Empty when nothing stood there."""
    now: str
    """Empty when nothing stands there."""


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """One node of the tree of changes."""

    title: str
    href: str
    kind: KindMark
    depth: int
    """How far it is set in, at most 6."""
    mark: Mark | None
    """`Added`, `Changed` or `Retired`; None for a node that only holds a changed one."""
    words: tuple[WordChange, ...] = ()
    notes: tuple[str, ...] = ()
    """Places and relations that came or went, in words."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs between two revisions."""

    title: str
    """Such as `From revision 16 to revision 18`."""
    counts: tuple[str, ...]
    rows: tuple[DifferenceRow, ...]
    ways: tuple[Link, ...]
    more: Link | None = None
    """The rest of a long comparison."""
