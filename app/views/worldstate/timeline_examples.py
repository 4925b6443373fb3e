"""Made-up revisions of the example project for the Timeline."""

from app.views.parts import KindMark, Link, Mark, Moment, Option, Quote, QuotePiece
from app.views.worldstate.timeline_parts import (
    RevisionEntry,
    Story,
    StoryStep,
    TimelineFilter,
    Touched,
    WorkLine,
)
from kernel.vocabulary import NodeKind

_BASE = "/p/birch-lane"
_TILES = Link("Order bathroom tiles", f"{_BASE}/work/order", "hammer")


def _ways(number: int) -> tuple[Link, ...]:
    return (
        Link("What changed", f"{_BASE}/outline?diff={number - 1}..{number}", "git-compare-arrows"),
        Link("As it stood", f"{_BASE}/outline?at={number}", "history"),
    )


def selection() -> TimelineFilter:
    """Return the filter with one person chosen."""
    acts = (Option("", "Every act"), Option("placement", "Captures placed"))
    people = (Option("", "Everyone"), Option("mira", "Mira", is_chosen=True))
    return TimelineFilter(f"{_BASE}/timeline", acts, people, "2026-11-01", "2026-11-30", "order")


def entries() -> tuple[RevisionEntry, ...]:
    """Return four revisions: a change with work, a move of two things, an integration, the opening."""
    return (_changed(), _replacing(), _integrated(), _opening())


def _changed() -> RevisionEntry:
    return RevisionEntry(
        id="revision-18",
        title="The engineer comes on Thursday",
        number="Revision 18",
        when=Moment.example(),
        who="Accepted by Mira",
        why="She moved the visit because of the road works.",
        quote=None,
        marks=(Mark("flag", "Newest", "accent"),),
        counts=("1 changed",),
        ways=_ways(18),
        touched=(
            Touched(
                "pencil-line",
                "The engineer comes on Thursday",
                f"{_BASE}/outline?node=wall",
                "decision, renamed from “The engineer comes on Tuesday”",
            ),
        ),
        more="",
        replaced=(),
        work=(
            WorkLine(
                Moment("today 14:31", "2026-11-30T13:31:00Z"),
                "Validator: 3 of 3 requirements passed",
                _TILES,
            ),
            WorkLine(Moment("today 14:20", "2026-11-30T13:20:00Z"), "Authorised by Jonas: one run", _TILES),
        ),
        work_title="2 work events",
        day="Monday 30 November 2026",
        is_newest=True,
        is_work_open=True,
    )


def _replacing() -> RevisionEntry:
    words = (QuotePiece("The gas inspection would cost more than the hob."),)
    return RevisionEntry(
        id="revision-16",
        title="Induction hob, no gas",
        number="Revision 16",
        when=Moment("yesterday 17:05", "2026-11-29T16:05:00Z"),
        who="Accepted by Mira, on the command line",
        why="",
        quote=Quote(words, "Mira wrote this", Moment("yesterday 16:50", "2026-11-29T15:50:00Z")),
        marks=(Mark("replace", "Replaces"),),
        counts=("1 added", "1 retired"),
        ways=_ways(16),
        touched=(
            Touched(
                "plus",
                "Induction hob, no gas",
                f"{_BASE}/outline?node=hob",
                "decision, added; replaces “Keep the gas hob”",
            ),
            Touched(
                "archive",
                "Keep the gas hob",
                f"{_BASE}/outline?node=gas",
                "decision, retired",
                is_retired=True,
            ),
        ),
        more="12 more nodes",
        replaced=("“Induction hob” was edited by Mira",),
        work=(),
        work_title="",
    )


def _integrated() -> RevisionEntry:
    task = Link("Skip-hire cost", f"{_BASE}/work/skip", "hammer")
    at = Moment("Fri 15:58", "2026-11-27T14:58:00Z")
    return RevisionEntry(
        id="revision-15",
        title="Skip-hire cost is on the planner page",
        number="Revision 15",
        when=Moment("Fri 16:12", "2026-11-27T15:12:00Z"),
        who="Integrated by Jonas",
        why="All required evidence passed on the sealed bytes.",
        quote=None,
        marks=(Mark("badge-check", "Verified", "ok"),),
        counts=("1 added", "1 changed"),
        ways=_ways(15),
        touched=(),
        more="",
        replaced=(),
        work=tuple(
            WorkLine(at, text, task)
            for text in (
                "Promoted: main is the candidate",
                "Released by Jonas for an operator",
                "Offered to the operator by Jonas",
                "Run failed",
                "Authorised by Jonas: one run",
                "Brief prepared by Jonas",
            )
        ),
        work_title="6 work events",
    )


def _opening() -> RevisionEntry:
    return RevisionEntry(
        id="revision-0",
        title="The project was opened",
        number="Revision 0",
        when=Moment("Mon 2 Nov 09:00", "2026-11-02T08:00:00Z"),
        who="Opened by Mira",
        why="",
        quote=None,
        marks=(),
        counts=(),
        ways=(Link("As it stood", f"{_BASE}/outline?at=0", "history"),),
        touched=(),
        more="",
        replaced=(),
        work=(),
        work_title="",
    )


def story() -> Story:
    """Return the way of a task from a note to what it is."""
    at = Moment("Fri 20 Nov", "2026-11-20T10:00:00Z")
    return Story(
        "Order bathroom tiles",
        KindMark.of(NodeKind.TASK),
        (
            StoryStep("circle-dot", "", "Order bathroom tiles", "", "Jonas, revision 17", at, is_now=True),
            StoryStep(
                "arrow-up-narrow-wide",
                "Refines",
                "Redo the bathroom",
                f"{_BASE}/timeline?node=redo",
                "Mira, revision 9",
                at,
            ),
            StoryStep(
                "message-square-quote",
                "Began with",
                "",
                "",
                "Jonas wrote this",
                at,
                "The bathroom smells of 1974.",
            ),
        ),
        Link("Propose a change", "/p/birch-lane/nodes/order/change", "file-pen-line"),
    )
