"""What people who are not owners see, kept beside the whole states, and what their acts mean in the whole.

Everybody who is no owner sees the same of a ledger, so there is one visible history for each, caught up by
sequence. An act is first tried against it: whoever sees a part is refused in the words of that part, with its
numbers. Then it is translated and tried against the whole. What only the whole refuses is refused in one sentence
that names nothing.
"""

import threading
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

from app.ports import Ledger
from app.services.garbage import collecting_no_garbage
from kernel import commands as c
from kernel.decide import propose
from kernel.errors import AuthorityError, HistoryError, LedgerConflictError, NotFoundError, RefusedError
from kernel.events.delta import DeltaProposed
from kernel.events.envelope import Event
from kernel.projections.sight import Sight, look
from kernel.reducer.replaying import events_of
from kernel.rules.seen import delta_seen, promotion_seen
from kernel.state import State, revision_key
from kernel.upcast import STEPS, Steps
from kernel.values.stamp import Actor, Stamp
from kernel.vocabulary import ActorKind, Role, Visibility

PAGE: Final = 1000
"""How many events are read at once when a sight is caught up."""

_NOT_YOURS: Final = "this would also touch what only an owner of the project sees; ask an owner to do it"
_NOT_PRIVATE: Final = (
    "only an owner keeps words private: nobody else would see them again, you included; capture them shared, or "
    "not here"
)
_WORDED: Final = (
    c.CaptureSource,
    c.RetryPlacement,
    c.EraseSource,
    c.ImportOutline,
    c.ProposeCorrection,
    c.EditDelta,
    c.MoveDelta,
    c.SplitDelta,
    c.AcceptDelta,
    c.RejectDelta,
    c.DeferDelta,
    c.RemandDelta,
    c.RebaseDelta,
    c.ProposeCompensation,
    c.CancelRun,
    c.ProposeReconciliation,
    c.ProposePromotion,
    c.AuthorizePromotion,
)
"""Commands that say what somebody means about what they see; others are computed from the whole by the host."""


def sees_all(role: Role | None) -> bool:
    """Tell whether a person of this role sees everything of a ledger."""
    return role is Role.OWNER


def _sees_a_part(actor: Actor) -> bool:
    return actor.kind in {ActorKind.HUMAN, ActorKind.AGENT} and not sees_all(actor.role)


@dataclass
class _Entry:
    sight: Sight = field(default_factory=Sight)
    events: list[Event] = field(default_factory=list)
    lock: threading.RLock = field(default_factory=threading.RLock)

    def take(self, events: Iterable[Event]) -> None:
        """Go on by these events; the visible records are hashed, so that no later page pays for it."""
        sight = self.sight
        for event in events:
            sight, added = look(sight, event)
            self.events.extend(added)
        sight.state.tables.trie.root()
        self.sight = sight


class Sights:
    """The visible history of every ledger that somebody who is no owner asked for."""

    def __init__(self, ledger: Ledger, steps: Steps = STEPS) -> None:
        self._ledger = ledger
        self._steps = steps
        self._entries: dict[str, _Entry] = {}
        self._guard = threading.Lock()

    def state(self, ledger_id: str) -> State:
        """Return what is visible of a ledger, caught up with the database.

        Raises: NotFoundError when there is no such ledger.
        """
        return self.sight(ledger_id).state

    def sight(self, ledger_id: str) -> Sight:
        """Return the sight of a ledger, caught up with the database.

        Raises: NotFoundError when there is no such ledger.
        """
        entry = self._caught_up(ledger_id)
        return entry.sight

    def page(self, ledger_id: str, before: int, limit: int) -> tuple[Event, ...]:
        """Return the visible events before a visible sequence number, newest first.

        Raises: NotFoundError when there is no such ledger.
        """
        entry = self._caught_up(ledger_id)
        with entry.lock:
            end = min(before - 1, len(entry.events))
            return tuple(reversed(entry.events[max(0, end - limit) : end]))

    def is_kept(self, ledger_id: str) -> bool:
        """Tell whether the visible history of this ledger was read since the process began; waits for nobody."""
        entry = self._entries.get(ledger_id)
        return entry is not None and entry.sight.seq > 0

    def _caught_up(self, ledger_id: str) -> _Entry:
        with self._guard:
            entry = self._entries.setdefault(ledger_id, _Entry())
        with entry.lock:
            head = self._ledger.head(ledger_id)
            if head.seq == 0:
                message = f"there is no project {ledger_id}"
                raise NotFoundError(message)
            if head.seq < entry.sight.seq:
                message = f"ledger {ledger_id} is behind what this process has already shown"
                raise HistoryError(message)
            if entry.sight.seq == 0 and head.seq > PAGE:
                self._read_all(ledger_id, entry)
            while entry.sight.seq < head.seq:
                self._read_on(ledger_id, entry)
            return entry

    def _read_all(self, ledger_id: str, entry: _Entry) -> None:
        """Take in a long history that nobody asked for yet, proved by its head before anything of it is used."""
        read = _Entry()
        with collecting_no_garbage(), closing(self._ledger.history(ledger_id)) as pages:
            for page in pages:
                read.take(events_of(page, self._steps))
        entry.sight, entry.events = read.sight, read.events

    def _read_on(self, ledger_id: str, entry: _Entry) -> None:
        stored = self._ledger.read(ledger_id, entry.sight.seq, PAGE)
        if not stored:
            message = f"ledger {ledger_id} ends at event {entry.sight.seq}, before its head"
            raise HistoryError(message)
        entry.take(item.event for item in stored)

    def propose(
        self, state: State, command: c.Command, stamp: Stamp, *, ledger: str
    ) -> tuple[tuple[Event, ...], State]:
        """Return the admitted events and the state after them, for owners and for those who see a part.

        Raises: a RefusedError subclass in the words of what the actor sees; then nothing may be appended.
        """
        if not _sees_a_part(stamp.actor) or not isinstance(command, _WORDED):
            return propose(state, command, stamp, ledger=ledger)
        sight = self.sight(ledger)
        propose(sight.state, command, stamp, ledger=ledger)
        if isinstance(command, c.CaptureSource) and command.visibility is Visibility.PRIVATE:
            raise AuthorityError(_NOT_PRIVATE, code="private_capture")
        try:
            events, after = propose(state, meant(sight, state, command), stamp, ledger=ledger)
        except RefusedError as error:
            raise RefusedError(_NOT_YOURS, code="not_visible") from error
        _require_visible(sight, events)
        return events, after

    def told(self, error: LedgerConflictError, ledger_id: str, actor: Actor) -> LedgerConflictError:
        """Return a lost race as this actor may know of it: with the head they see."""
        if not _sees_a_part(actor):
            return error
        message = "others kept writing to this project; nothing was recorded, so it can be tried again"
        return LedgerConflictError(message, head_seq=self.state(ledger_id).seq)


def meant(sight: Sight, state: State, command: c.Command) -> c.Command:
    """Return what a command about the visible state is called in the whole one.

    The command was lawful in the visible state: so its revision is the visible head, and what was seen is what is
    visible of the record now.
    Raises: RefusedError when it is about a revision that is visible in part.
    """
    names = {item.name for item in fields(command)}
    changes: dict[str, Any] = {}
    if "delta_id" in names:
        delta_id = sight.whole_name(getattr(command, "delta_id", ""))
        changes["delta_id"] = delta_id
        if "seen" in names:
            changes["seen"] = delta_seen(state, state.deltas[delta_id], getattr(command, "choice", 0))
    if isinstance(command, c.AuthorizePromotion):
        changes["seen"] = promotion_seen(state.promotions[command.promotion_id])
    if "expected_revision" in names:
        changes["expected_revision"] = state.revision
    if isinstance(command, c.ProposeCompensation):
        number = sight.numbers.whole_of(command.revision)
        if number is None or not sight.numbers.is_visible(number):
            raise RefusedError(_NOT_YOURS, code="not_visible")
        changes["revision"] = number
        changes["seen"] = state.revisions[revision_key(number)].state_root
    return replace(command, **changes) if changes else command


def _require_visible(sight: Sight, events: tuple[Event, ...]) -> None:
    """Refuse an act whose own proposals the actor would not see."""
    for event in events:
        sight, _added = look(sight, event)
    proposed = (event.body for event in events if isinstance(event.body, DeltaProposed))
    if any(sight.seen_name(body.delta_id) not in sight.state.deltas for body in proposed):
        raise RefusedError(_NOT_YOURS, code="not_visible")
