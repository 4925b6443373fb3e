"""Made-up past and difference of the example project."""

from app.views.parts import KindMark, Link, Mark, Moment
from app.views.worldstate.difference_parts import Difference, DifferenceRow, Past, WordChange
from kernel.vocabulary import NodeKind

_BASE = "/p/birch-lane"


def past(view: str) -> Past:
    """Return the banner over a view of revision 12."""
    return Past(
        "Revision 12 of 18",
        "The worldstate as it was accepted then. It can be read here and not changed.",
        Moment("Thu 26 Nov 09:30", "2026-11-26T08:30:00Z"),
        (
            Link("Show the newest", f"{_BASE}/{view}", "arrow-right"),
            Link("Revision 11", f"{_BASE}/{view}?at=11", "arrow-left"),
            Link("What changed since", f"{_BASE}/outline?diff=12..18", "git-compare-arrows"),
        ),
    )


def difference() -> Difference:
    """Return a comparison with everything that can differ."""
    at = f"{_BASE}/outline?diff=16..18"
    goal, task, decision = (KindMark.of(kind) for kind in (NodeKind.GOAL, NodeKind.TASK, NodeKind.DECISION))
    return Difference(
        "From revision 16 to revision 18",
        ("1 added", "1 changed", "1 retired"),
        (
            DifferenceRow("Birch Lane 7", f"{at}&node=root", KindMark.of(NodeKind.PROJECT), 0, None),
            DifferenceRow("Ground floor warm and dry", f"{at}&node=warm", goal, 1, None),
            DifferenceRow(
                "Order bathroom tiles",
                f"{at}&node=order",
                task,
                2,
                Mark("pencil-line", "Changed", "warn"),
                (
                    WordChange("Title", "Order tiles", "Order bathroom tiles"),
                    WordChange("Description", "", "With 10 % spare."),
                    WordChange("Profile", "planner", ""),
                ),
                ("Moved from “Kitchen” to “Bathroom”", "Now refines “60 × 60 cm floor tiles”"),  # noqa: RUF001
            ),
            DifferenceRow(
                "Induction hob, no gas", f"{at}&node=hob", decision, 1, Mark("plus", "Added", "accent")
            ),
            DifferenceRow("Keep the gas hob", f"{at}&node=gas", decision, 6, Mark("archive", "Retired")),
        ),
        (
            Link("Revision 16 as it stood", f"{_BASE}/outline?at=16", "history"),
            Link("Show the newest", f"{_BASE}/outline", "arrow-right"),
        ),
        Link("Show the next of 12", f"{at}&start=60", "arrow-down"),
    )
