"""Reading a log in pages, newest first: never more of it than one page needs, however long it is."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from app.ports import Ledger
from kernel.events.envelope import Event

SEQ_MAX: Final = 2**31 - 1
"""The largest event number anybody may ask about: no ledger grows beyond it on either engine."""
ROWS: Final = 40
"""How many events one page shows."""
SCANNED_MAX: Final = 1_500
"""How many events one page looks at when only some are wanted; further back is the next page."""
_BATCH: Final = 500

Wanted = Callable[[Event], bool]
Read = Callable[[int, int], Iterable[Event]]
"""(below this number, among so many) -> events, newest first; it may leave out what nobody wants."""


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
        among = min(ROWS if wanted is None else _BATCH, place - last)
        following = place - among
        for event in read(place, among):
            if wanted is None or wanted(event):
                found.append(event)
            if len(found) == ROWS:
                following = event.seq
                break
        place = following
    return LogPage(tuple(found), head, place if place > 1 else None, place)


def sifting(ledger: Ledger, ledger_id: str, may_fit: Callable[[bytes], bool]) -> Read:
    """Return what reads only events whose bytes may fit: the bytes cost a hundredth of the event read from them."""

    def read(below: int, among: int) -> Iterator[Event]:
        data = ledger.entries(ledger_id, below - among - 1, among)
        fitting = [below - among + offset for offset in reversed(range(len(data))) if may_fit(data[offset])]
        for start in range(0, len(fitting), ROWS):
            for stored in ledger.picked(ledger_id, fitting[start : start + ROWS]):
                yield stored.event

    return read
