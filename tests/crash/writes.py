"""Every durable write of the path, in order, with the numbered append of the design that it belongs to.

A recorded walk must equal this list, so a write that is added later is killed too, or the suite fails. The numbers
are those of the appends in docs/architecture.md; None is a write between two of them.
"""

from dataclasses import dataclass
from typing import Final

from tests.crash.watch import Point

_PROGRESS_LINES: Final = 6


@dataclass(frozen=True, slots=True)
class Write:
    """One durable write."""

    name: str
    append: int | None = None
    """Its number among the appends of the path."""


WRITES: Final = (
    Write("config.activated"),
    Write("project.opened"),
    Write("source.captured delta.proposed"),
    Write("delta.accepted"),
    Write("source.captured exchange.requested", 1),
    Write("exchange.answered", 2),
    Write("delta.proposed", 3),
    Write("delta.accepted", 4),
    Write("delta.proposed"),
    Write("delta.accepted"),
    Write("brief.compiled", 5),
    Write("run.authorized", 6),
    Write("exchange.requested", 7),
    Write("git lease"),
    *[Write("run.progressed")] * _PROGRESS_LINES,
    Write("git absorb"),
    Write("git seal", 8),
    Write("git release"),
    Write("exchange.answered", 8),
    Write("candidate.sealed closure.staged", 9),
    Write("exchange.requested", 10),
    Write("exchange.answered", 11),
    Write("validation.recorded", 12),
    Write("delta.proposed", 13),
    Write("delta.accepted", 14),
    Write("promotion.proposed", 15),
    Write("promotion.authorized", 16),
    Write("exchange.requested", 17),
    Write("promoter before_intent", 17),
    Write("promoter after_intent", 17),
    Write("promoter after_token", 17),
    Write("promoter after_attempt", 17),
    Write("promoter before_swap", 17),
    Write("promoter after_swap", 17),
    Write("promoter after_status", 17),
    Write("exchange.answered promotion.observed", 18),
)

APPENDS: Final = 18


def index_of(name: str, append: int) -> int:
    """Return the place of a write."""
    return WRITES.index(Write(name, append))


CLAIM: Final = index_of("exchange.requested", 7)
ANSWER: Final = index_of("exchange.answered", 8)
ATTEMPT: Final = index_of("promoter after_attempt", 17)
SWAP: Final = index_of("promoter after_swap", 17)


def points() -> list[Point]:
    """Return every moment to die at: around each write, and between an append's signature and its COMMIT.

    A named step of the promoter is one moment: its writes lie between two of them. Before an append stands exactly what
    the write before it left, so that only the first one is killed there; before Git's writes an agent is at work. Of
    several writes in a row that are alike, the first and the last are killed.
    """
    found = []
    for index, write in enumerate(WRITES):
        if index and write == WRITES[index - 1] and write == WRITES[index + 1]:
            continue
        if write.name.startswith("promoter"):
            phases: tuple[str, ...] = ("before",)
        elif write.name.startswith("git"):
            phases = ("before", "after")
        else:
            phases = ("signed", "after") if index else ("before", "signed", "after")
        found.extend(Point(index, phase) for phase in phases)
    return found


def label(point: Point) -> str:
    """Return how a moment is called in a report."""
    return f"{point.index:02d}-{WRITES[point.index].name.replace(' ', '+')}-{point.phase}"


def loses_its_run(point: Point) -> bool:
    """Tell whether a run was claimed and its answer is not durable: what it did is not known."""
    claimed = point.index > CLAIM or point == Point(CLAIM, "after")
    answered = point.index > ANSWER or point == Point(ANSWER, "after")
    return claimed and not answered


def loses_its_attempt(point: Point) -> bool:
    """Tell whether the one attempt to swap was claimed and never made."""
    return ATTEMPT <= point.index < SWAP
