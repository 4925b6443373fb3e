"""The bench table: one row per measure, ours beside a floor that was measured in the same run."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Final

HEADINGS: Final = ("measure", "ours", "floor of this run", "ratio", "target", "met")


@dataclass(frozen=True, slots=True)
class Row:
    """One line. `floor` says in words what was measured beside ours; a row without a target only informs."""

    measure: str
    ours: str
    floor: str = ""
    ratio: str = ""
    target: str = ""
    met: bool | None = None

    def cells(self) -> tuple[str, ...]:
        """Return the line's cells in the order of `HEADINGS`."""
        verdict = {True: "yes", False: "NO", None: ""}[self.met]
        return (self.measure, self.ours, self.floor, self.ratio, self.target, verdict)


def printed(rows: Sequence[Row]) -> str:
    """Return the table as text, columns aligned."""
    lines = [HEADINGS, *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def interleaved(
    ways: dict[str, Callable[[], object]],
    *,
    rounds: int,
    warm_up: int = 2,
    clock: Callable[[], float] = perf_counter,
) -> dict[str, list[float]]:
    """Return the seconds each way took, every round, after rounds that do not count.

    All ways take turns within a round, and the one that begins changes, so that a busy moment of the machine or
    the disk meets all of them. What a way returns is let go of after its time was taken. `clock` is the time on the wall, or `process_time` for work that waits for nothing.
    """
    names = list(ways)
    found: dict[str, list[float]] = {name: [] for name in names}
    for number in range(warm_up + rounds):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            started = clock()
            result = ways[name]()
            taken = clock() - started
            del result
            if number >= warm_up:
                found[name].append(taken)
    return found


def median_ms(seconds: Sequence[float]) -> float:
    """Return the median in milliseconds."""
    return 1000 * statistics.median(seconds)
