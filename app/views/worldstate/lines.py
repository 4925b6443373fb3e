"""Lines between the boxes of a drawing, and where their words stand: on a straight piece that no other line takes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from app.views.wording import VERBS
from app.views.worldstate.drawing import TIP, WIDTH, Box, label_width, line_of, mark_of, swing
from app.views.worldstate.map_parts import MapEdge
from kernel.projections.neighbourhood import Tie

PORT_GAP: Final = 14
"""How far apart lines leave one side of a box."""
LABEL_HEIGHT: Final = 20
_CELL: Final = 10
_STEPS: Final = 24
"""In how many pieces a curve is looked at."""
_PLACES: Final = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8)
"""Where else on a line its words may stand, the best first."""
_ON_A_BOX, _ON_WORDS, _ON_A_LINE = 100, 40, 4


@dataclass(frozen=True, slots=True)
class _Curve:
    """One line: straight out of a box, a turn, and straight into another."""

    start: tuple[float, float]
    turn: tuple[float, float]
    """Where the turn begins and ends, across."""
    bends: tuple[float, float]
    """How far across the turn is pulled."""
    end: tuple[float, float]
    words: tuple[float, float]
    """The middle of the straight piece that was made for the words."""

    @property
    def path(self) -> str:
        """Return it as a path of SVG."""
        (x1, y1), (x2, y2) = self.start, self.end
        (a, b), (c1, c2) = self.turn, self.bends
        return f"M{x1:g} {y1:.1f}H{a:g}C{c1:g} {y1:.1f} {c2:g} {y2:.1f} {b:g} {y2:.1f}H{x2:g}"

    def at(self, part: float) -> tuple[float, float]:
        """Return a point of the turn."""
        y1, y2 = self.start[1], self.end[1]
        near, far = 1 - part, part
        weights = (near**3, 3 * near**2 * far, 3 * near * far**2, far**3)
        across = (self.turn[0], *self.bends, self.turn[1])
        x = sum(weight * place for weight, place in zip(weights, across, strict=True))
        return x, y1 * (weights[0] + weights[1]) + y2 * (weights[2] + weights[3])

    def points(self) -> Iterator[tuple[float, float]]:
        """Give points along the whole line, closer together than a cell is wide where it is straight."""
        corners = [self.start, *(self.at(step / _STEPS) for step in range(_STEPS + 1)), self.end]
        for (x1, y1), (x2, y2) in pairwise(corners):
            pieces = max(1, int(max(abs(x2 - x1), abs(y2 - y1)) // _CELL) + 1)
            for piece in range(pieces):
                yield x1 + (x2 - x1) * piece / pieces, y1 + (y2 - y1) * piece / pieces
        yield self.end


@dataclass(frozen=True, slots=True)
class _Label:
    """Where words stand."""

    left: int
    top: int
    width: int

    def meets(self, left: float, top: float, width: float, height: float) -> bool:
        """Whether it lies over another rectangle."""
        return (
            self.left < left + width
            and left < self.left + self.width
            and self.top < top + height
            and top < self.top + LABEL_HEIGHT
        )


@dataclass(slots=True)
class _Ground:
    """What is taken on the drawing already."""

    boxes: tuple[Box, ...]
    labels: list[_Label] = field(default_factory=list)
    lines: dict[tuple[int, int], set[int]] = field(default_factory=dict)

    def cost(self, label: _Label, number: int) -> int:
        """Return how much words here would hide of what is not theirs."""
        over = sum(label.meets(box.x, box.y, WIDTH, box.height) for box in self.boxes)
        on_words = sum(label.meets(item.left, item.top, item.width, LABEL_HEIGHT) for item in self.labels)
        crossed: set[int] = set()
        for column in range(label.left // _CELL, (label.left + label.width) // _CELL + 1):
            for row in range(label.top // _CELL, (label.top + LABEL_HEIGHT) // _CELL + 1):
                crossed |= self.lines.get((column, row), set())
        return over * _ON_A_BOX + on_words * _ON_WORDS + len(crossed - {number}) * _ON_A_LINE


def edges(ties: Sequence[Tie], placed: dict[str, Box]) -> tuple[MapEdge, ...]:
    """Return the lines, each from and to a place of its own on the side of its box, with its words."""
    curves = _curves(ties, placed)
    ground = _Ground(tuple(placed.values()))
    for number, curve in enumerate(curves):
        for x, y in curve.points():
            ground.lines.setdefault((int(x // _CELL), int(y // _CELL)), set()).add(number)
    return tuple(
        _edge(tie, curve, _label(ground, number, label_width(tie.kind), curve))
        for number, (tie, curve) in enumerate(zip(ties, curves, strict=True))
    )


def _curves(ties: Sequence[Tie], placed: dict[str, Box]) -> list[_Curve]:
    sides = [_sides(placed[tie.from_id], placed[tie.to_id]) for tie in ties]
    ports: dict[tuple[str, int], list[tuple[float, int, int]]] = {}
    for number, (tie, (out, into)) in enumerate(zip(ties, sides, strict=True)):
        ports.setdefault((tie.from_id, out), []).append((placed[tie.to_id].middle, number, 0))
        ports.setdefault((tie.to_id, into), []).append((placed[tie.from_id].middle, number, 1))
    heights: dict[tuple[int, int], float] = {}
    crowds: dict[tuple[int, int], int] = {}
    for (node_id, _side), waiting in ports.items():
        box = placed[node_id]
        gap = min(PORT_GAP, box.height / (len(waiting) + 1))
        for at, (_, number, end) in enumerate(sorted(waiting)):
            heights[number, end] = box.middle + (at - (len(waiting) - 1) / 2) * gap
            crowds[number, end] = len(waiting)
    return [
        _curve(
            tie,
            tuple(
                (placed[node_id].x + (WIDTH if side > 0 else 0), heights[number, end])
                for end, (node_id, side) in enumerate(
                    zip((tie.from_id, tie.to_id), sides[number], strict=True)
                )
            ),
            sides[number],
            words_at_start=crowds[number, 0] <= crowds[number, 1],
        )
        for number, tie in enumerate(ties)
    ]


def _sides(start: Box, end: Box) -> tuple[int, int]:
    """Return at which side a line leaves and arrives: 1 right, -1 left."""
    if start.layer == end.layer:
        return 1, 1
    return (1, -1) if start.layer < end.layer else (-1, 1)


def _curve(
    tie: Tie, ends: tuple[tuple[float, float], ...], sides: tuple[int, int], *, words_at_start: bool
) -> _Curve:
    """Return a line whose words have a straight piece beside the box from which fewer lines leave."""
    ((x1, y1), (x2, y2)), wide = ends, label_width(tie.kind)
    if sides[0] == sides[1]:
        out = max(x1, x2) + swing(tie.kind)
        words = (out - (out - max(x1, x2)) / 4, (y1 + y2) / 2)
        return _Curve((x1, y1), (x1, x2), (out, out), (x2, y2), words)
    runs = (wide, TIP) if words_at_start else (0, wide + TIP)
    a, b = x1 + sides[0] * runs[0], x2 + sides[1] * runs[1]
    middle = (a + b) / 2
    if round(y1) == round(y2):
        return _Curve((x1, y1), (x1, x2), (middle, middle), (x2, y2), ((x1 + x2) / 2, y1))
    words = (x1 + sides[0] * (wide / 2), y1) if words_at_start else (x2 + sides[1] * (TIP + wide / 2), y2)
    return _Curve((x1, y1), (a, b), (middle, middle), (x2, y2), words)


def _label(ground: _Ground, number: int, width: int, curve: _Curve) -> _Label:
    """Return the first place for the words that hides least, and take it."""
    places = [curve.words, *(curve.at(part) for part in _PLACES)]
    labels = [_Label(round(x) - width // 2, round(y) - LABEL_HEIGHT // 2, width) for x, y in places]
    chosen = min(labels, key=lambda label: ground.cost(label, number))
    ground.labels.append(chosen)
    return chosen


def _edge(tie: Tie, curve: _Curve, label: _Label) -> MapEdge:
    end, start = mark_of(tie.kind, is_suggested=tie.is_suggested)
    return MapEdge(
        path=curve.path,
        kind=line_of(tie.kind),
        end=end,
        start=start,
        verb=VERBS[tie.kind, True],
        label_x=label.left + label.width // 2,
        label_y=label.top + LABEL_HEIGHT // 2 + 5,
        box_x=label.left + 7,
        box_y=label.top,
        box_width=label.width - 14,
        is_suggested=tie.is_suggested,
    )
