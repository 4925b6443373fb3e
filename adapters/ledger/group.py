"""Group commit: appends that arrive while another is being written share the next transaction and its one sync.

There is no writer thread to wake: the first to arrive writes, the others wait, and whoever waits longest writes the
next group. Whoever was answered together comes back together, one a moment before the others: the next group
therefore waits for as many as were there last, but never longer than a part of the time that the last write took.
So one producer alone pays nothing, and nobody is passed over. Owns the queue; what a group writes is given.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from adapters.ledger.batch import Batch
from kernel.errors import LedgerUnavailableError
from kernel.events.stored import Appended, CommandMaterial

GROUP_MAX: Final = 64
"""Most appends in one transaction."""

_PATIENCE: Final = 0.5
"""Longest wait for as many as were there last, as a part of what the last write took."""

_PATIENCE_MAX_S: Final = 0.005

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
        self._expected, self._last_s = 1, 0.0
        self._wanted = 0
        self._gathered = threading.Lock()
        self._gathered.acquire()

    def submit(self, ticket: Ticket) -> Appended:
        """Write this append, alone or with others, and return once it is durable.

        Raises: what the append failed with.
        """
        with self._guard:
            self._waiting.append(ticket)
            leads, self._led = not self._led, True
            if len(self._waiting) == self._wanted:
                self._wanted = 0
                self._gathered.release()
        if not leads:
            ticket.turn.acquire()
        if not ticket.answered:
            self._lead()
        return ticket.answer()

    def _lead(self) -> None:
        """Write the group whose first is this thread's own ticket, then let the next one lead."""
        self._gather()
        with self._guard:
            group = [self._waiting.popleft() for _ in range(min(GROUP_MAX, len(self._waiting)))]
        begun = time.monotonic()
        try:
            self._write(group)
        finally:
            self._last_s = time.monotonic() - begun
            self._answer(group)

    def _gather(self) -> None:
        """Wait a moment for as many as were there last."""
        with self._guard:
            if len(self._waiting) >= self._expected:
                return
            self._wanted = self._expected
        came = self._gathered.acquire(timeout=min(_PATIENCE_MAX_S, _PATIENCE * self._last_s))
        with self._guard:
            if not came and not self._wanted:
                # The last one came right after we had stopped waiting.
                self._gathered.acquire()
            self._wanted = 0

    def _answer(self, group: Sequence[Ticket]) -> None:
        for ticket in group:
            if ticket.appended is None and ticket.failure is None:
                ticket.failure = LedgerUnavailableError(_UNANSWERED, code="commit_unknown")
            ticket.answered = True
        with self._guard:
            following = self._waiting[0] if self._waiting else None
            self._expected = min(GROUP_MAX, len(group) + len(self._waiting))
            self._led = following is not None
        for ticket in group:
            ticket.turn.release()
        if following is not None:
            following.turn.release()
