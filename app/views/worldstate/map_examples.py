# ruff: noqa: RUF001 - the words are typeset
"""A made-up neighbourhood of the example project for the Map."""

from typing import Final

from app.views.parts import SUGGESTED, KindMark, Link
from app.views.wording import VERBS
from app.views.worldstate.drawing import Box, column, line_of, mark_of, size, title_lines
from app.views.worldstate.lines import edges
from app.views.worldstate.map_parts import (
    Drawing,
    KindChoice,
    KindFilter,
    MapHeading,
    MapNode,
    MapRelation,
    RelationGroup,
    Zoom,
)
from app.views.worldstate.outline_parts import Filter
from kernel.projections.neighbourhood import Tie
from kernel.vocabulary import NodeKind, RelationKind

_AT: Final = "/p/birch-lane/map"
TASK: Final = KindMark.of(NodeKind.TASK)
STEPS: Final = (
    Filter("1 step", f"{_AT}?node=order&steps=1", ""),
    Filter("2 steps", f"{_AT}?node=order&steps=2", "", is_current=True),
    Filter("3 steps", f"{_AT}?node=order&steps=3", ""),
)
ZOOM: Final = Zoom(
    Link("Smaller", f"{_AT}?node=order&zoom=75", "zoom-out"),
    Link("Larger", f"{_AT}?node=order&zoom=150", "zoom-in"),
    Link("Fit", f"{_AT}?node=order", "maximize"),
    "100 %",
)
_TIES: Final = (
    Tie(RelationKind.DEPENDS_ON, "lay", "order"),
    Tie(RelationKind.DEPENDS_ON, "order", "check", is_suggested=True),
    Tie(RelationKind.REFINES, "order", "size"),
    Tie(RelationKind.CONFLICTS_WITH, "check", "size"),
    Tie(RelationKind.SUPERSEDES, "size", "old"),
)
_COLUMN: Final = column(_TIES)
_BOXES: Final = {
    "lay": Box(4, 93, 80, -1),
    "order": Box(4 + _COLUMN, 93, 80, 0),
    "check": Box(4 + 2 * _COLUMN, 34, 100, 1),
    "size": Box(4 + 2 * _COLUMN, 152, 80, 1),
    "old": Box(4 + 3 * _COLUMN, 142, 100, 2),
}
_NODES: Final = {
    "lay": ("Lay the bathroom tiles", NodeKind.TASK, ""),
    "order": ("Order bathroom tiles", NodeKind.TASK, ""),
    "check": ("Check that the bathroom floor is level", NodeKind.TASK, "Suggested"),
    "size": ("60 × 60 cm floor tiles", NodeKind.DECISION, ""),
    "old": ("Small mosaic tiles", NodeKind.DECISION, "Retired"),
}


def drawing() -> Drawing:
    """Return the drawing of five nodes."""
    width, height = size(_BOXES, _TIES)
    nodes = tuple(
        MapNode(
            href=f"{_AT}?node={name}",
            x=_BOXES[name].x,
            y=_BOXES[name].y,
            height=_BOXES[name].height,
            title=title,
            kind=KindMark.of(kind),
            lines=title_lines(title, 2),
            status=status,
            status_y=_BOXES[name].height - 11,
            is_selected=name == "order",
            is_suggested=status == "Suggested",
            is_retired=status == "Retired",
            more=Link("+2", f"{_AT}?node=order&open=lay", "plus") if name == "lay" else None,
        )
        for name, (title, kind, status) in _NODES.items()
    )
    return Drawing(
        label="Map around Order bathroom tiles",
        width=width,
        height=height,
        shown_width=width,
        shown_height=height,
        headings=(MapHeading("Leads here", 4), MapHeading("You are here", 4 + _COLUMN)),
        nodes=nodes,
        edges=edges(_TIES, _BOXES),
    )


def kind_filter() -> KindFilter:
    """Return the choice of relations, one of them left out."""
    choices = tuple(
        KindChoice(
            kind.value,
            VERBS[kind, True],
            line_of(kind),
            *mark_of(kind),
            "1" if kind is RelationKind.REFINES else "",
            is_chosen=kind is not RelationKind.IMPLEMENTS,
        )
        for kind in RelationKind
    )
    return KindFilter(_AT, (("node", "order"), ("steps", "2")), choices, is_open=False)


def groups() -> tuple[RelationGroup, ...]:
    """Return the relations as sentences."""
    return tuple(
        RelationGroup(name, title, tuple(_sentence(tie) for tie in ties))
        for name, title, ties in (
            ("rests", "It rests on", _TIES[1:3]),
            ("leads", "Leads here", _TIES[:1]),
            ("beyond", "Further away", _TIES[3:]),
        )
    )


def _sentence(tie: Tie) -> MapRelation:
    def link(name: str) -> Link | None:
        return None if name == "order" else Link(_NODES[name][0], f"{_AT}?node={name}")

    return MapRelation(
        line_of(tie.kind),
        *mark_of(tie.kind, is_suggested=tie.is_suggested),
        subject=link(tie.from_id),
        verb=VERBS[tie.kind, True],
        object=link(tie.to_id),
        mark=SUGGESTED if tie.is_suggested else None,
    )
