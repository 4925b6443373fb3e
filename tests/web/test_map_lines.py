"""The lines of the Map: they end at the boxes, and their words hide neither a box nor other words."""

import re
from itertools import combinations
from typing import Final, TypeAlias

from app.views.worldstate.drawing import WIDTH, Box, column, size
from app.views.worldstate.lettering import WIDE, lines, width
from app.views.worldstate.lines import LABEL_HEIGHT, edges
from app.views.worldstate.map_parts import MapEdge
from kernel.projections.neighbourhood import Tie
from kernel.vocabulary import RelationKind

Rectangle: TypeAlias = tuple[float, float, float, float]
FAN: Final = tuple(Tie(RelationKind.BELONGS_TO, f"leaf {number}", "goal") for number in range(8))
MIXED: Final = (
    Tie(RelationKind.EVIDENCED_BY, "leaf 0", "goal"),
    Tie(RelationKind.DEPENDS_ON, "leaf 1", "goal", is_suggested=True),
    Tie(RelationKind.CONFLICTS_WITH, "leaf 0", "leaf 2"),
    Tie(RelationKind.BELONGS_TO, "goal", "project"),
    Tie(RelationKind.SUPERSEDES, "project", "leaf 3"),
)


def _boxes(ties: tuple[Tie, ...]) -> dict[str, Box]:
    across = column(ties)
    leaves = {f"leaf {number}": Box(4, 34 + 118 * number, 80, -1) for number in range(8)}
    return leaves | {"goal": Box(4 + across, 420, 98, 0), "project": Box(4 + 2 * across, 440, 62, 1)}


def _words(edge: MapEdge) -> Rectangle:
    return edge.box_x, edge.box_y, edge.box_width, LABEL_HEIGHT


def _overlap(one: Rectangle, two: Rectangle) -> bool:
    (x1, y1, w1, h1), (x2, y2, w2, h2) = one, two
    return x1 < x2 + w2 and x2 < x1 + w1 and y1 < y2 + h2 and y2 < y1 + h1


def test_words_hide_neither_boxes_nor_other_words() -> None:
    """However many lines end at one box, each has its words on a piece of its own."""
    for ties in (FAN, MIXED, FAN[:1] + MIXED[1:]):
        placed = _boxes(ties)
        words = [_words(edge) for edge in edges(ties, placed)]
        boxes = [(box.x, box.y, WIDTH, box.height) for box in placed.values()]
        assert [pair for pair in combinations(words, 2) if _overlap(*pair)] == []
        assert [(word, box) for word in words for box in boxes if _overlap(word, box)] == []


def test_a_line_runs_from_border_to_border() -> None:
    """The mark at its end touches the box it means: from the right side of one to the left side of the other."""
    placed = _boxes(MIXED)
    line = edges(MIXED, placed)[0]
    numbers = [float(text) for text in re.findall(r"-?[0-9.]+", line.path)]
    assert (numbers[0], numbers[-1]) == (placed["leaf 0"].x + WIDTH, placed["goal"].x)


def test_the_drawing_holds_the_words_of_a_line_that_swings_out() -> None:
    """A line between two boxes of the last column needs room beside it."""
    ties = (Tie(RelationKind.CONFLICTS_WITH, "goal", "other"),)
    placed = {"goal": Box(4, 34, 80, 0), "other": Box(4, 152, 80, 0)}
    (line,) = edges(ties, placed)
    assert line.box_x + line.box_width < size(placed, ties)[0]


def test_a_title_is_cut_into_lines_that_fit_its_box() -> None:
    """Wide letters, long words and whole sentences stay inside; only what is left out is told by an ellipsis."""
    assert lines("Whole centimetres and whole millilitres", 3) == (
        "Whole centimetres",
        "and whole",
        "millilitres",
    )
    assert lines("", 3) == ("",)
    for title in ("W" * 40, "i" * 300, "\u7a97" * 20, "a " * 100, "Donaudampfschifffahrtsgesellschaft today"):
        for most in (2, 3):
            cut = lines(title, most)
            assert len(cut) <= most
            assert max(width(line) for line in cut) <= WIDE
            assert cut[-1].endswith(" …") == ("".join(cut).replace(" ", "") != title.replace(" ", ""))
