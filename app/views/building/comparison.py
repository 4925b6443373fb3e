"""Builds the tree of what differs between two revisions: added, changed with old and new words, retired."""

from dataclasses import replace
from typing import Final

from app.views.building.outline import Address
from app.views.parts import KindMark, Link, Mark
from app.views.telling import field_name
from app.views.wording import VERBS
from app.views.worldstate.difference_parts import Difference, DifferenceRow, WordChange
from kernel.projections.branches import Branch, branches
from kernel.projections.changes import Comparison, NodeChange, compare
from kernel.projections.changes import Mark as NodeMark
from kernel.state import State

ROWS_SHOWN: Final = 60
DEPTH_SHOWN: Final = 6
MARKS: Final[tuple[NodeMark, ...]] = ("added", "changed", "retired")
_MARKS: Final = {
    "added": Mark("plus", "Added", "accent"),
    "changed": Mark("pencil-line", "Changed", "warn"),
    "retired": Mark("archive", "Retired"),
}


def difference_of(state: State, at: Address) -> Difference:
    """Return what differs between the two revisions that the address names.

    Raises: NotFoundError.
    """
    assert at.between is not None
    earlier, later = at.between
    found = compare(state, earlier, later)
    told = branches(found)
    start = at.start or 0
    left = len(told) - start - ROWS_SHOWN
    following = replace(at, start=start + ROWS_SHOWN)
    base = at.base
    return Difference(
        title=f"From revision {earlier} to revision {later}",
        counts=_counts(found),
        rows=tuple(_row(found, at, branch) for branch in told[start : start + ROWS_SHOWN]),
        ways=(
            Link(f"Revision {earlier} as it stood", Address(base, at.node, past=earlier).href(), "history"),
            Link(f"Revision {later} as it stood", Address(base, at.node, past=later).href(), "history"),
            Link("Show the newest", Address(base, at.node).href(), "arrow-right"),
        ),
        more=None if left <= 0 else Link(f"Show the next of {left}", following.href(), "arrow-down"),
    )


def _counts(found: Comparison) -> tuple[str, ...]:
    numbers = ((mark, found.counts.get(mark, 0)) for mark in MARKS)
    said = tuple(f"{number} {mark}" for mark, number in numbers if number)
    return said or ("Nothing differs",)


def _row(found: Comparison, at: Address, branch: Branch) -> DifferenceRow:
    change = branch.change
    return DifferenceRow(
        title=branch.node.title.or_erased(),
        href=at.selecting(branch.node.id).href(),
        kind=KindMark.of(branch.node.kind),
        depth=min(branch.depth, DEPTH_SHOWN),
        mark=None if change is None else _MARKS[change.mark],
        words=() if change is None else _words(change),
        notes=() if change is None else tuple(_notes(found, change)),
    )


def _words(change: NodeChange) -> tuple[WordChange, ...]:
    return tuple(
        WordChange(field_name(item.name), item.before or "", item.after or "") for item in change.fields
    )


def _notes(found: Comparison, change: NodeChange) -> list[str]:
    nodes = found.later.tables.nodes

    def title(node_id: str) -> str:
        return f"“{nodes[node_id].title.or_erased()}”"

    notes = []
    if change.is_moved and change.was_under is not None and change.is_under is not None:
        notes.append(f"Moved from {title(change.was_under)} to {title(change.is_under)}")
    notes.extend(f"Now {VERBS[item.kind, True]} {title(item.to_id)}" for item in change.joined)
    notes.extend(f"No longer {VERBS[item.kind, True]} {title(item.to_id)}" for item in change.parted)
    return notes
