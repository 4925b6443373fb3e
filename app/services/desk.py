"""The desk where every act is done: load the state, propose, append, remember.

States are cached and caught up by sequence, so an act costs what it changed. An operational act that loses the
race for the head is decided again; an act on meaning carries its own expectation and is refused by the kernel.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, field
from typing import Final

from app.ports import Clock, Entropy, Ledger
from app.services.garbage import collecting_no_garbage
from app.services.sights import Sights, sees_all
from kernel.canonical import canonical_bytes
from kernel.commands import Command
from kernel.errors import HistoryError, LedgerConflictError, LedgerUnavailableError, NotFoundError
from kernel.events.envelope import Event
from kernel.events.source import SourceErased
from kernel.events.stored import CommandMaterial
from kernel.projections.kept import forget_all
from kernel.reducer import evolve
from kernel.reducer.replaying import replay
from kernel.state import INITIAL, State
from kernel.upcast import STEPS, Steps
from kernel.values.stamp import Actor, Stamp
from kernel.vocabulary import Role, Via

_log = logging.getLogger(__name__)

PAUSES_S: Final = (0.0, 0.002, 0.005, 0.01, 0.02, 0.04, 0.08, 0.12, 0.16, 0.2, 0.24, 0.28, 0.4, 0.6, 0.8)
"""Seconds before an act is decided again after each lost race; after the last one it is refused.

They grow, so that of many writers some stand back and the others get through; without chance in them.
"""

PAGE: Final = 1000
"""How many events are read at once when a state is caught up."""

Listener = Callable[[str, State], None]
"""Called after COMMIT with a ledger's id and its new state."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who acts, through which door, and under which command id if they chose one."""

    actor: Actor
    via: Via
    command_id: str | None = None

    def again(self) -> "Caller":
        """Return the same caller for a following step, which is a command of its own."""
        return Caller(self.actor, self.via)


@dataclass(frozen=True, slots=True)
class Done:
    """What an act left behind: its events and the state after them."""

    events: tuple[Event, ...]
    state: State
    repeated: bool = False
    """True when the same command had already been carried out; nothing was written again."""


@dataclass
class _Entry:
    state: State = INITIAL
    damage: tuple[int, HistoryError] | None = None
    """At which head the history was found not to be what it must be, and what was found."""
    lock: threading.RLock = field(default_factory=threading.RLock)

    def refuse_damage(self, head_seq: int) -> None:
        """Refuse a history that was found damaged at this head; only a start reads it again, once it was mended.

        Raises: HistoryError.
        """
        if self.damage is not None and self.damage[0] == head_seq:
            raise self.damage[1]


class Desk:
    """Loads, decides and appends, for every ledger of the installation."""

    def __init__(self, ledger: Ledger, clock: Clock, entropy: Entropy, *, steps: Steps = STEPS) -> None:
        self.ledger = ledger
        self._steps = steps
        self.clock = clock
        self.entropy = entropy
        self.sights = Sights(ledger, steps)
        self._entries: dict[str, _Entry] = {}
        self._guard = threading.Lock()
        self._listeners: list[Listener] = []

    def listen(self, listener: Listener) -> None:
        """Call `listener` after every state change this process learns of."""
        self._listeners.append(listener)

    def state(self, ledger_id: str) -> State:
        """Return the ledger's state, caught up with the database.

        Raises: NotFoundError when there is no such ledger.
        """
        entry = self._entry(ledger_id)
        with entry.lock:
            self._catch_up(ledger_id, entry)
            if entry.state.seq == 0:
                message = f"there is no project {ledger_id}"
                raise NotFoundError(message)
            return entry.state

    def state_for(self, ledger_id: str, role: Role) -> State:
        """Return what a person of this role sees of a ledger, caught up with the database.

        Raises: NotFoundError when there is no such ledger.
        """
        if sees_all(role):
            return self.state(ledger_id)
        self._entry(ledger_id).refuse_damage(self.ledger.head(ledger_id).seq)
        return self.sights.state(ledger_id)

    def name_for(self, ledger_id: str, role: Role, delta_id: str) -> str:
        """Return what a proposal is called in what a person of this role sees.

        Raises: NotFoundError when there is no such ledger.
        """
        return delta_id if sees_all(role) else self.sights.sight(ledger_id).seen_name(delta_id)

    def readable(self, ledger_id: str, role: Role = Role.OWNER) -> State | None:
        """Return what a person of this role sees of a ledger, or None while its history is not what it must be.

        For whatever goes through several ledgers: one that is damaged keeps no other from being read.
        """
        try:
            return self.state_for(ledger_id, role)
        except HistoryError:
            return None

    def _entry(self, ledger_id: str) -> _Entry:
        with self._guard:
            return self._entries.setdefault(ledger_id, _Entry())

    def _catch_up(self, ledger_id: str, entry: _Entry) -> None:
        head = self.ledger.head(ledger_id)
        if head.seq == entry.state.seq:
            return
        if head.seq < entry.state.seq:
            message = f"ledger {ledger_id} is behind what this process has already shown"
            raise HistoryError(message)
        entry.refuse_damage(head.seq)
        if entry.state.seq == 0:
            try:
                entry.state = self._replayed(ledger_id, head.seq)
            except HistoryError as error:
                _log.error("the history of %s is not what it must be: %s", ledger_id, error.message)
                entry.damage = (head.seq, error)
                raise
        while entry.state.seq < head.seq:
            entry.state = self._read_on(ledger_id, entry.state)
        self._tell(ledger_id, entry.state)

    def _replayed(self, ledger_id: str, size: int) -> State:
        """Return the state of the whole ledger, whose events are proved to be those of its head.

        Raises: HistoryError when they are not; it names the event, if one event is to blame.
        """
        collecting: AbstractContextManager[None] = collecting_no_garbage() if size > PAGE else nullcontext()
        try:
            with collecting, closing(self.ledger.history(ledger_id)) as pages:
                return replay(pages, self._steps)
        except HistoryError:
            state = INITIAL
            while state.seq < size:
                state = self._read_on(ledger_id, state)
            raise

    def _read_on(self, ledger_id: str, state: State) -> State:
        """Return the state one page of events later, its records hashed, so that no later act pays for these."""
        events = self.ledger.read(ledger_id, state.seq, PAGE)
        if not events:
            message = f"ledger {ledger_id} ends at event {state.seq}, before its head"
            raise HistoryError(message)
        for stored in events:
            state = evolve(state, stored.event)
        _forget_what_was_erased([stored.event for stored in events])
        state.tables.trie.root()
        return state

    def _tell(self, ledger_id: str, state: State) -> None:
        for listener in self._listeners:
            listener(ledger_id, state)

    def stamp(self, caller: Caller) -> Stamp:
        """Return a fresh stamp for one command of this caller."""
        entropy = self.entropy.bytes(32)
        draft = Stamp(self.clock.now(), caller.actor, caller.via, "", entropy)
        command_id = caller.command_id or draft.id("command")
        return Stamp(draft.at, caller.actor, caller.via, command_id, entropy)

    def act(
        self,
        ledger_id: str,
        caller: Caller,
        command: Command | Callable[[State], Command],
        *,
        material: object = None,
    ) -> Done:
        """Carry one command out, exactly once per command id.

        `command` may be a function of the state for operational acts that re-derive themselves after a lost
        race. `material` is what makes two requests the same; it matters only when the caller chose the id.
        Raises: RefusedError subclasses from the kernel; CommandConflictError; LedgerConflictError when the
        head kept moving; LedgerUnavailableError.
        """
        exact = canonical_bytes(material) if caller.command_id is not None else b""
        stamp = self.stamp(caller)
        keyed = CommandMaterial(caller.actor.id, stamp.command_id, exact)
        recorded = self._recorded(ledger_id, keyed) if caller.command_id is not None else None
        if recorded is not None:
            return recorded
        last: LedgerConflictError | None = None
        for pause_s in (0.0, *PAUSES_S):
            time.sleep(pause_s)
            try:
                return self._try(ledger_id, command, stamp, keyed)
            except LedgerConflictError as error:
                last = error
                recorded = self._recorded(ledger_id, keyed) if caller.command_id is not None else None
                if recorded is not None:
                    return recorded
            except LedgerUnavailableError as error:
                if error.reason_code != "commit_unknown":
                    raise
                return self._look_up(ledger_id, keyed, error)
        assert last is not None
        raise self.sights.told(last, ledger_id, stamp.actor)

    def _try(
        self,
        ledger_id: str,
        command: Command | Callable[[State], Command],
        stamp: Stamp,
        keyed: CommandMaterial,
    ) -> Done:
        entry = self._entry(ledger_id)
        with entry.lock:
            self._catch_up(ledger_id, entry)
            before = entry.state
            built = command(before) if callable(command) else command
            events, after = self.sights.propose(before, built, stamp, ledger=ledger_id)
            self.ledger.append(ledger_id, before.seq, events, keyed)
            entry.state = after
            _forget_what_was_erased(events)
            self._tell(ledger_id, after)
        return Done(events, after)

    def _recorded(self, ledger_id: str, keyed: CommandMaterial) -> Done | None:
        found = self.ledger.find_command(ledger_id, keyed.actor_id, keyed.command_id, keyed.material)
        if found is None:
            return None
        stored = self.ledger.read(ledger_id, found.first_seq - 1, found.count)
        return Done(tuple(item.event for item in stored), self.state(ledger_id), repeated=True)

    def _look_up(self, ledger_id: str, keyed: CommandMaterial, error: LedgerUnavailableError) -> Done:
        """Return what an unconfirmed COMMIT recorded; the state is read anew, never taken from the attempt.

        Raises: LedgerUnavailableError when it recorded nothing, or when even that cannot be read.
        """
        recorded = self._recorded(ledger_id, keyed)
        if recorded is None:
            why = error.__cause__ or error.message
            message = (
                f"the database did not take the write ({why}); nothing was recorded, so it can be tried again"
            )
            raise LedgerUnavailableError(message) from error
        return Done(recorded.events, recorded.state)

    def ledger_of(self, subject_id: str) -> str:
        """Return the ledger in which an id came into being.

        Raises: NotFoundError.
        """
        ledger_id = self.ledger.ledger_of(subject_id)
        if ledger_id is None:
            message = f"there is no record {subject_id}"
            raise NotFoundError(message)
        return ledger_id


def _forget_what_was_erased(events: Sequence[Event]) -> None:
    """Let what pages keep of earlier states go when words were erased, by this process or another one."""
    if any(isinstance(event.body, SourceErased) for event in events):
        forget_all()
