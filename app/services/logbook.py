"""Reading a log in pages, newest first: never more of it than one page needs, however long it is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from kernel.events.envelope import Event

ROWS: Final = 50
"""How many events one page shows."""
SCANNED_MAX: Final = 2_000
"""How many events one page looks at when only some are wanted; further back is the next page."""
_BATCH: Final = 200

Wanted = Callable[[Event], bool]
Read = Callable[[int, int], Sequence[Event]]
"""(below this number, at most so many) -> events, newest first."""


@dataclass(frozen=True, slots=True)
class LogPage:
    """Some events of a ledger, newest first."""

    events: tuple[Event, ...]
    head: int
    """Sequence number of the newest event of the ledger."""
    before: int | None
    """Where the next page begins: events below this number; None when this page reaches the first one."""
    scanned_from: int
    """The oldest event that was looked at."""


def log_page(read: Read, head: int, before: int | None = None, *, wanted: Wanted | None = None) -> LogPage:
    """Return the newest wanted events below `before`; O(page), with a filter O(SCANNED_MAX)."""
    place = head + 1 if before is None else min(before, head + 1)
    last = max(place - SCANNED_MAX, 1)
    found: list[Event] = []
    while place > last and len(found) < ROWS:
        most = ROWS if wanted is None else _BATCH
        batch = read(place, min(most, place - last))
        if not batch:
            break
        for event in batch:
            place = event.seq
            if wanted is None or wanted(event):
                found.append(event)
            if len(found) == ROWS:
                break
    return LogPage(tuple(found), head, place if place > 1 else None, place)
