# ruff: noqa: RUF001 - the words of the examples are typeset
"""Example states of the Outline: a selection, a suggestion selected, a search, and an empty project."""

from dataclasses import replace

from app.views.parts import (
    DRAFT,
    RUNNING,
    SUGGESTED,
    SUPPORTED,
    Fact,
    FamilyFact,
    IdCopy,
    KindMark,
    Link,
    Moment,
    NodeLink,
    Quote,
    QuotePiece,
    Sentence,
    governance_mark,
    work_mark,
)
from app.views.worldstate.outline_parts import (
    Filter,
    HistoryLine,
    NodeFacts,
    RelationLine,
    TreeRow,
    ViewTab,
)
from kernel.vocabulary import Governance, NodeKind, Phase, Verification

_AT = "/p/birch-lane/outline"
_ADOPTED = governance_mark(Governance.ADOPTED)
_PLANNED = work_mark(Phase.PLANNED, Verification.UNVERIFIED)
_BLOCKED = work_mark(Phase.BLOCKED, Verification.UNVERIFIED)
_VERIFIED = work_mark(Phase.COMPLETED, Verification.VERIFIED)


def tabs(current: str) -> tuple[ViewTab, ...]:
    """Return the views of the worldstate with the selection kept."""
    return (
        ViewTab("Outline", f"{_AT}?node=order", "list-tree", current == "Outline"),
        ViewTab("Map", "/p/birch-lane/map?node=order", "waypoints", current == "Map"),
        ViewTab("Timeline", "/p/birch-lane/timeline?node=order", "history", current == "Timeline"),
        ViewTab("Focus", "/p/birch-lane/focus?node=order", "target", current == "Focus"),
    )


def _row(name: str, title: str, kind: NodeKind, place: tuple[int, int, int]) -> TreeRow:
    level, position, siblings = place
    return TreeRow(
        id=f"row-{name}",
        title=title,
        href=f"{_AT}?node={name}",
        kind=KindMark.of(kind),
        inside="",
        level=level,
        position=position,
        siblings=siblings,
        toggle=None,
        is_expanded=False,
        governance=_ADOPTED,
    )


def _opened(row: TreeRow, inside: str) -> TreeRow:
    toggle = Link(f"Close {row.title}", f"{row.href}&close=1", "chevron-down")
    return replace(row, inside=inside, toggle=toggle, is_expanded=True)


def _closed(row: TreeRow, inside: str) -> TreeRow:
    toggle = Link(f"Open {row.title}", f"{row.href}&open=1", "chevron-right")
    return replace(row, inside=inside, toggle=toggle)


def rows() -> tuple[TreeRow, ...]:
    """Return the visible rows of the example project."""
    goal = _row("warm", "Ground floor warm and dry by 31 March", NodeKind.GOAL, (2, 1, 5))
    wall = _row("wall", "No structural work before the engineer’s letter", NodeKind.CONSTRAINT, (3, 2, 2))
    check = _row("check", "Check that the bathroom floor is level", NodeKind.TASK, (3, 2, 4))
    paint = _row("paint", "Paint quantities on the planner page", NodeKind.TASK, (3, 4, 4))
    return (
        _opened(_row("house", "Birch Lane 7", NodeKind.PROJECT, (1, 1, 1)), "31 inside"),
        goal,
        _opened(_row("kitchen", "Kitchen", NodeKind.IDEA, (2, 2, 5)), "2 inside"),
        _row("load", "Does the kitchen wall carry load?", NodeKind.OPEN_QUESTION, (3, 1, 2)),
        replace(wall, governance=governance_mark(Governance.RESTRICTED)),
        _opened(_row("bathroom", "Bathroom", NodeKind.IDEA, (2, 3, 5)), "4 inside"),
        _row("tiles", "60 × 60 cm floor tiles", NodeKind.DECISION, (3, 1, 4)),
        replace(check, knowledge=DRAFT, governance=SUGGESTED, is_suggested=True),
        replace(
            _row("order", "Order bathroom tiles", NodeKind.TASK, (3, 3, 4)),
            knowledge=DRAFT,
            work=_PLANNED,
            is_selected=True,
        ),
        replace(paint, knowledge=SUPPORTED, work=_VERIFIED),
        _closed(_row("windows", "Windows and heating", NodeKind.IDEA, (2, 4, 5)), "9 inside"),
        replace(
            _closed(_row("money", "Money", NodeKind.IDEA, (2, 5, 5)), "4 inside"),
            work=_BLOCKED,
            is_private=True,
        ),
    )


_RELATIONS = (
    RelationLine("belongs to", NodeLink("Bathroom", f"{_AT}?node=bathroom", KindMark.of(NodeKind.IDEA))),
    RelationLine(
        "refines",
        NodeLink("60 × 60 cm floor tiles", f"{_AT}?node=tiles", KindMark.of(NodeKind.DECISION)),
    ),
    RelationLine(
        "depends on",
        NodeLink(
            "Check that the bathroom floor is level",
            f"{_AT}?node=check",
            KindMark.of(NodeKind.TASK),
            SUGGESTED,
        ),
    ),
)


def node_facts() -> NodeFacts:
    """Return the inspector of the selected task."""
    words = Quote(
        (QuotePiece("Choosing the tile and ordering it are two things."),),
        "Jonas wrote this",
        Moment("yesterday 18:31", "2026-11-29T17:31:00Z"),
    )
    return NodeFacts(
        title="Order bathroom tiles",
        kind=KindMark.of(NodeKind.TASK),
        crumbs=(Link("Birch Lane 7", _AT), Link("Bathroom", f"{_AT}?node=bathroom")),
        description="Order tiles for floor and shower wall, with 10 % spare, so that they arrive before the tiler.",
        families=(
            FamilyFact("Knowledge", DRAFT, "Nothing tested"),
            FamilyFact("Governance", _ADOPTED, "Jonas, revision 17"),
            FamilyFact("Work", _PLANNED, "Not verified"),
        ),
        acts=(
            Link("Prepare a brief", "/p/birch-lane/work/order", "send"),
            Link("Capture near this", "/p/birch-lane/capture?node=order", "pen-line"),
            Link("Focus", "/p/birch-lane/focus?node=order", "target"),
        ),
        relations=_RELATIONS,
        history=(
            HistoryLine(Moment("Yesterday 18:40", "2026-11-29T17:40:00Z"), "Accepted by Jonas, revision 17"),
            HistoryLine(
                Moment("Yesterday 18:32", "2026-11-29T17:32:00Z"), "Suggested by the built-in manager"
            ),
        ),
        sources=(words,),
        record=(Fact("Node", "", IdCopy("task S9T0", "node_01jdz8q3v4m5n6p7q8r9s0s9t0")),),
    )


def suggested_facts() -> NodeFacts:
    """Return the inspector of what is only suggested."""
    return replace(
        node_facts(),
        title="Check that the bathroom floor is level",
        description="",
        families=(
            FamilyFact("Knowledge", DRAFT, ""),
            FamilyFact("Governance", SUGGESTED, "Nobody has accepted it"),
            FamilyFact("Work", None, ""),
        ),
        acts=(Link("Review the suggestion", "/p/birch-lane/inbox/delta_01", "map-pin"),),
        relations=(),
        history=(),
        is_suggested=True,
        note=Sentence(
            "This is a suggestion. It is not part of the worldstate yet.", "circle-dashed", "accent"
        ),
    )


CHANGE = Link("Propose a change", "/p/birch-lane/nodes/order/change", "file-pen-line")
WAITING = (Link("Change Order bathroom tiles", "/p/birch-lane/inbox/delta_05", "circle-dashed"),)


FILTERS = (
    Filter("Everything", _AT, "", is_current=True),
    Filter("Needs care", f"{_AT}?show=care", "1"),
    Filter("Tasks", f"{_AT}?show=Task", "8"),
    Filter("Decisions", f"{_AT}?show=Decision", "6"),
)


def rows_overlaid() -> tuple[TreeRow, ...]:
    """Return the tree with the suggestion selected and one task running."""
    return tuple(
        replace(row, is_selected=row.is_suggested, work=RUNNING if row.id == "row-paint" else row.work)
        for row in rows()
    )


def rows_found() -> tuple[TreeRow, ...]:
    """Return what a search finds: a flat list."""
    return tuple(replace(row, level=1, is_selected=False, toggle=None) for row in rows()[6:9])
