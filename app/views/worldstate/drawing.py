"""Turns a neighbourhood into boxes: columns by layer, rows by the layout, and between them room for lines and words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from app.views.wording import VERBS, count
from app.views.worldstate.lettering import lines
from app.views.worldstate.map_parts import MapHeading, TextLine
from kernel.projections.neighbourhood import Neighbourhood, Spot, Tie
from kernel.vocabulary import RelationKind

Rows: TypeAlias = Callable[[Sequence[int], Sequence[tuple[int, int]]], tuple[float, ...]]
"""Layers and lines -> the row of every node."""

WIDTH: Final = 146
ROW: Final = 118
TOP: Final = 34
EDGE: Final = 4
"""Space around the drawing, so that thick borders are whole."""
HEAD, LINE, STATUS, FOOT = 30, 18, 20, 14
TURN: Final = 40
"""How much of the room between two columns a line has for going up or down; beside it its words stand on it."""
TIP: Final = 14
"""How straight a line comes in, so that the mark at its end meets the border as it should."""
LETTER: Final = 7
"""About how wide a letter of a label is."""


@dataclass(frozen=True, slots=True)
class Box:
    """Where one node stands."""

    x: int
    y: int
    height: int
    layer: int

    @property
    def middle(self) -> float:
        """The height of its middle."""
        return self.y + self.height / 2


def title_lines(text: str, most: int) -> tuple[TextLine, ...]:
    """Return a title in lines that fit into a box; what does not fit is told by an ellipsis."""
    return tuple(TextLine(line, HEAD + LINE * at) for at, line in enumerate(lines(text, most), start=1))


def label_width(kind: RelationKind) -> int:
    """Return about how wide the words on a line are, with the room around them."""
    return len(VERBS[kind, True]) * LETTER + 16


def swing(kind: RelationKind) -> int:
    """Return how far a line between two boxes of one column swings out: its words stand beside the boxes."""
    return label_width(kind) * 2 // 3 + TIP


def column(ties: Sequence[Tie]) -> int:
    """Return from where to where columns go: a box, the longest words of these lines, and a turn."""
    return WIDTH + TIP + TURN + max((label_width(tie.kind) for tie in ties), default=0)


def boxes(found: Neighbourhood, heights: Sequence[int], rows: Rows) -> dict[str, Box]:
    """Return where each node stands."""
    numbers = {spot.id: number for number, spot in enumerate(found.spots)}
    joined = [(numbers[tie.from_id], numbers[tie.to_id]) for tie in found.ties]
    placed = rows([spot.layer for spot in found.spots], joined)
    first = min(spot.layer for spot in found.spots)
    across = column(found.ties)
    return {
        spot.id: Box(
            x=EDGE + (spot.layer - first) * across,
            y=round(TOP + row * ROW + (ROW - height) / 2),
            height=height,
            layer=spot.layer,
        )
        for spot, row, height in zip(found.spots, placed, heights, strict=True)
    }


def size(placed: dict[str, Box], ties: Sequence[Tie]) -> tuple[int, int]:
    """Return width and height of the drawing; a line inside the last column bends beyond it."""
    width = max(box.x for box in placed.values()) + WIDTH + EDGE
    last = max(box.layer for box in placed.values())
    inside = [tie for tie in ties if placed[tie.from_id].layer == placed[tie.to_id].layer == last]
    width += max((swing(tie.kind) + label_width(tie.kind) // 2 for tie in inside), default=0)
    return width, max(box.y + box.height for box in placed.values()) + EDGE


def headings(spots: Sequence[Spot], placed: dict[str, Box]) -> tuple[MapHeading, ...]:
    """Return what each column means."""
    columns = {spot.layer: placed[spot.id].x for spot in spots}
    return tuple(MapHeading(heading(layer), columns[layer]) for layer in sorted(columns))


def heading(layer: int) -> str:
    """Return what a layer means to the centre."""
    near = {0: "You are here", 1: "It rests on", -1: "Leads here"}
    if layer in near:
        return near[layer]
    return f"{count(abs(layer) - 1, 'step')} {'further' if layer > 0 else 'before that'}"


def mark_of(kind: RelationKind, *, is_suggested: bool = False) -> tuple[str, str]:
    """Return the references to the marks at the end and at the start of a line."""
    name = f"m-{line_of(kind)}"
    start = f"url(#{name}-start)" if kind is RelationKind.CONFLICTS_WITH else ""
    end = "url(#m-sug)" if is_suggested and not start else f"url(#{name})"
    return end, start


def line_of(kind: RelationKind) -> str:
    """Return the name of a kind's line."""
    return kind.value.replace("_", "-")
