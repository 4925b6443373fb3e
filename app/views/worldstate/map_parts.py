"""What the Map is made of: boxes and lines with ready coordinates, and the same relations as sentences.

Coordinates are whole pixels of one drawing; they are made for this page and kept nowhere.
"""

from dataclasses import dataclass

from app.views.parts import KindMark, Link, Mark


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of a title inside a box."""

    text: str
    y: int


@dataclass(frozen=True, slots=True)
class MapNode:
    """One box of the drawing, a link that moves the selection."""

    href: str
    x: int
    y: int
    height: int
    title: str
    """The whole title, for who hears it."""
    kind: KindMark
    lines: tuple[TextLine, ...]
    status: str
    """Such as `Suggested`; empty for the ordinary."""
    status_y: int
    is_selected: bool = False
    is_suggested: bool = False
    is_retired: bool = False
    more: Link | None = None
    """Shows the neighbours that are left out, such as `+5`."""


@dataclass(frozen=True, slots=True)
class MapEdge:
    """One line of the drawing."""

    path: str
    kind: str
    """Such as `depends-on`; each kind has a line of its own."""
    end: str
    """Reference to the mark at its end."""
    start: str
    """Reference to the mark at its start; empty for most kinds."""
    verb: str
    label_x: int
    label_y: int
    box_x: int
    box_y: int
    box_width: int
    is_suggested: bool = False


@dataclass(frozen=True, slots=True)
class MapHeading:
    """What a column of the drawing means."""

    text: str
    x: int


@dataclass(frozen=True, slots=True)
class Drawing:
    """The whole drawing."""

    label: str
    width: int
    height: int
    shown_width: int
    """Its size on the page; differs from `width` when it is zoomed."""
    shown_height: int
    headings: tuple[MapHeading, ...]
    nodes: tuple[MapNode, ...]
    edges: tuple[MapEdge, ...]


@dataclass(frozen=True, slots=True)
class MapRelation:
    """One relation as a sentence."""

    kind: str
    """Such as `depends-on`, for its sample of a line."""
    end: str
    start: str
    subject: Link | None
    """None for the selected node itself."""
    verb: str
    object: Link | None
    """None for the selected node itself."""
    mark: Mark | None = None


@dataclass(frozen=True, slots=True)
class RelationGroup:
    """Relations that stand alike to the selected node."""

    id: str
    title: str
    relations: tuple[MapRelation, ...]


@dataclass(frozen=True, slots=True)
class KindChoice:
    """A kind of relation that can be shown or left out."""

    value: str
    verb: str
    kind: str
    end: str
    start: str
    count: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class KindFilter:
    """Which kinds of relation are shown; sent without a script."""

    action: str
    kept: tuple[tuple[str, str], ...]
    """What else the address says: names and values."""
    choices: tuple[KindChoice, ...]
    is_open: bool


@dataclass(frozen=True, slots=True)
class Zoom:
    """Ways to see the drawing larger or smaller; links, which a script answers at once."""

    smaller: Link
    larger: Link
    fit: Link
    now: str
    """Such as `100 %`."""
