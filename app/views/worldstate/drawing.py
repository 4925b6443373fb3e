"""Turns a neighbourhood into boxes and lines: columns by layer, rows by the layout, curves between the sides."""

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from app.views.wording import VERBS
from app.views.worldstate.map_parts import MapEdge, MapHeading, TextLine
from kernel.projections.neighbourhood import Neighbourhood, Spot, Tie
from kernel.vocabulary import RelationKind

Rows: TypeAlias = Callable[[Sequence[int], Sequence[tuple[int, int]]], tuple[float, ...]]
"""Layers and lines -> the row of every node."""

WIDTH: Final = 146
COLUMN: Final = 235
ROW: Final = 118
TOP: Final = 34
EDGE: Final = 4
"""Space around the drawing, so that thick borders are whole."""
HEAD, LINE, STATUS, FOOT = 30, 18, 20, 14
LINE_CHARACTERS: Final = 17
BEND: Final = 60
"""How far a line between two boxes of one column swings out."""
PORT_GAP: Final = 14
"""How far apart lines leave one side of a box."""
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
    wrapped = textwrap.wrap(text, LINE_CHARACTERS, max_lines=most, placeholder=" …") or [""]
    return tuple(TextLine(line, HEAD + LINE * at) for at, line in enumerate(wrapped, start=1))


def boxes(found: Neighbourhood, heights: Sequence[int], rows: Rows) -> dict[str, Box]:
    """Return where each node stands."""
    numbers = {spot.id: number for number, spot in enumerate(found.spots)}
    lines = [(numbers[tie.from_id], numbers[tie.to_id]) for tie in found.ties]
    placed = rows([spot.layer for spot in found.spots], lines)
    first = min(spot.layer for spot in found.spots)
    return {
        spot.id: Box(
            x=EDGE + (spot.layer - first) * COLUMN,
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
    if any(placed[tie.from_id].layer == placed[tie.to_id].layer == last for tie in ties):
        width += BEND + LETTER * 8
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
    return f"{abs(layer) - 1} further on" if layer > 0 else f"{abs(layer) - 1} further back"


def mark_of(kind: RelationKind, *, is_suggested: bool = False) -> tuple[str, str]:
    """Return the references to the marks at the end and at the start of a line."""
    name = f"m-{line_of(kind)}"
    start = f"url(#{name}-start)" if kind is RelationKind.CONFLICTS_WITH else ""
    end = "url(#m-sug)" if is_suggested and not start else f"url(#{name})"
    return end, start


def line_of(kind: RelationKind) -> str:
    """Return the name of a kind's line."""
    return kind.value.replace("_", "-")


def edges(ties: Sequence[Tie], placed: dict[str, Box]) -> tuple[MapEdge, ...]:
    """Return the lines, each from and to a place of its own on the side of its box."""
    sides = [_sides(placed[tie.from_id], placed[tie.to_id]) for tie in ties]
    ports: dict[tuple[str, int], list[tuple[float, int, int]]] = {}
    for number, (tie, (out, into)) in enumerate(zip(ties, sides, strict=True)):
        ports.setdefault((tie.from_id, out), []).append((placed[tie.to_id].middle, number, 0))
        ports.setdefault((tie.to_id, into), []).append((placed[tie.from_id].middle, number, 1))
    heights: dict[tuple[int, int], float] = {}
    for (node_id, _side), waiting in ports.items():
        box = placed[node_id]
        gap = min(PORT_GAP, box.height / (len(waiting) + 1))
        for at, (_, number, end) in enumerate(sorted(waiting)):
            heights[number, end] = box.middle + (at - (len(waiting) - 1) / 2) * gap
    return tuple(
        _edge(tie, placed, sides[number], (heights[number, 0], heights[number, 1]))
        for number, tie in enumerate(ties)
    )


def _sides(start: Box, end: Box) -> tuple[int, int]:
    """Return at which side a line leaves and arrives: 1 right, -1 left."""
    if start.layer == end.layer:
        return 1, 1
    return (1, -1) if start.layer < end.layer else (-1, 1)


def _edge(tie: Tie, placed: dict[str, Box], sides: tuple[int, int], heights: tuple[float, float]) -> MapEdge:
    (x1, x2), (y1, y2) = (
        tuple(
            placed[node_id].x + (WIDTH if side > 0 else 0)
            for node_id, side in zip((tie.from_id, tie.to_id), sides, strict=True)
        ),
        heights,
    )
    bend = BEND if sides[0] == sides[1] else max(40, abs(x2 - x1) // 2)
    c1, c2 = x1 + sides[0] * bend, x2 + sides[1] * bend
    x, y = round((x1 + 3 * c1 + 3 * c2 + x2) / 8), round((y1 + y2) / 2)
    verb = VERBS[tie.kind, True]
    width = len(verb) * LETTER + 10
    end, start = mark_of(tie.kind, is_suggested=tie.is_suggested)
    return MapEdge(
        path=f"M{x1} {y1:.1f}C{c1} {y1:.1f} {c2} {y2:.1f} {x2} {y2:.1f}",
        kind=line_of(tie.kind),
        end=end,
        start=start,
        verb=verb,
        label_x=x,
        label_y=y + 5,
        box_x=x - width // 2,
        box_y=y - 10,
        box_width=width,
        is_suggested=tie.is_suggested,
    )
