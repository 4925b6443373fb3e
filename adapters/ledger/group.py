"""Group commit: appends that arrive while another is being written share the next transaction and its one sync.

There is no writer thread to wake: the first to arrive writes, the others wait, and whoever waits longest writes the
next group. So one producer alone pays nothing, and nobody is passed over. Owns the queue; what a group writes is
given.
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from adapters.ledger.batch import Batch
from kernel.errors import LedgerUnavailableError
from kernel.events.stored import Appended, CommandMaterial

GROUP_MAX: Final = 64
"""Most appends in one transaction."""

_UNANSWERED: Final = "the write was interrupted; look the command up before trying again"


@dataclass(eq=False)
class Ticket:
    """One append that waits for its group, and its answer."""

    batch: Batch
    command: CommandMaterial | None
    appended: Appended | None = None
    failure: Exception | None = None
    answered: bool = False
    turn: threading.Lock = field(default_factory=threading.Lock, repr=False)
    """Held until the ticket is answered or is the one to write the next group."""

    def __post_init__(self) -> None:
        self.turn.acquire()

    def answer(self) -> Appended:
        """Return what was made durable. Raises: what this append failed with."""
        if self.failure is not None:
            raise self.failure
        assert self.appended is not None
        return self.appended


class CommitQueue:
    """Brings the appends of one process to the disk in groups, in the order in which they came."""

    def __init__(self, write: Callable[[Sequence[Ticket]], None]) -> None:
        self._write = write
        self._guard = threading.Lock()
        self._waiting: deque[Ticket] = deque()
        self._led = False

    def submit(self, ticket: Ticket) -> Appended:
        """Write this append, alone or with others, and return once it is durable.

        Raises: what the append failed with.
        """
        with self._guard:
            self._waiting.append(ticket)
            leads, self._led = not self._led, True
        if not leads:
            ticket.turn.acquire()
        if not ticket.answered:
            self._lead()
        return ticket.answer()

    def _lead(self) -> None:
        """Write the group whose first is this thread's own ticket, then let the next one lead."""
        with self._guard:
            group = [self._waiting.popleft() for _ in range(min(GROUP_MAX, len(self._waiting)))]
        try:
            self._write(group)
        finally:
            self._answer(group)

    def _answer(self, group: Sequence[Ticket]) -> None:
        for ticket in group:
            if ticket.appended is None and ticket.failure is None:
                ticket.failure = LedgerUnavailableError(_UNANSWERED, code="commit_unknown")
            ticket.answered = True
        with self._guard:
            following = self._waiting[0] if self._waiting else None
            self._led = following is not None
        for ticket in group:
            ticket.turn.release()
        if following is not None:
            following.turn.release()
