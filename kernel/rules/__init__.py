"""Admission: `check(state, event)` is the only place where a rule about history lives.

Every path - browser, interface, worker, import, verification - admits events through it. It refuses by name
or returns nothing. Rules look at the state before the event; they compute no time and trust no request.
"""

from kernel.errors import HistoryError, InvalidError, LifecycleError, RefusedError
from kernel.events.delta import DeltaProposed
from kernel.events.envelope import Event, data_key_of, is_moment
from kernel.events.project import ProjectOpened
from kernel.events.source import ExchangeRequested
from kernel.ids import is_id
from kernel.rules import delegation, delta, evidence, project, promotion, source
from kernel.rules.authority import WORLD_ONLY, check_authority
from kernel.rules.registry import RULES
from kernel.state import State

__all__ = ["check", "delegation", "delta", "evidence", "project", "promotion", "require_whole", "source"]


def check(state: State, event: Event) -> None:
    """Admit the event as the next one of this ledger, or refuse it.

    Raises: a RefusedError subclass with the reason; HistoryError when the envelope does not continue the ledger.
    """
    _continues(state, event)
    _pays_what_is_owed(state, event)
    boundary = event.body.boundary if isinstance(event.body, ExchangeRequested) else None
    if not project.is_own_credential(state, event):
        check_authority(event, boundary)
    if event.type in WORLD_ONLY and state.scope != "world":
        message = f"{event.type} stands in the world ledger only"
        raise RefusedError(message)
    rule = RULES.get(type(event.body))
    if rule is None:
        message = f"event type {event.type} has no rule, so nothing may author it"
        raise RefusedError(message)
    project.require_worked_on(state, event)
    _has_a_key(state, event)
    rule(state, event.body, event)


def _pays_what_is_owed(state: State, event: Event) -> None:
    """Whoever replaced a proposal proposes what takes its place next, in the same command."""
    if not state.owed:
        return
    body = event.body
    same = (event.command, event.ordinal) == (state.command, state.ordinal + 1)
    if not (same and isinstance(body, DeltaProposed) and body.delta_id == state.owed[0]):
        message = (
            f"the replacement {state.owed[0]} that was named has to be proposed next, by the same command"
        )
        raise LifecycleError(message)


def require_whole(state: State) -> None:
    """Refuse a ledger that ends between a proposal that was replaced and its replacement.

    Raises: LifecycleError.
    """
    if state.owed:
        message = f"the replacement {state.owed[0]} was named and never proposed"
        raise LifecycleError(message)


def _has_a_key(state: State, event: Event) -> None:
    source = state.sources.get(data_key_of(event))
    if source is not None and source.erased is not None:
        message = (
            f"the words of source {source.body.source_id} were erased; nothing more is said under its key"
        )
        raise LifecycleError(message, code="source_erased")


def _continues(state: State, event: Event) -> None:
    if event.seq != state.seq + 1:
        message = f"event {event.id} has sequence {event.seq}, the ledger continues at {state.seq + 1}"
        raise HistoryError(message)
    if isinstance(event.body, ProjectOpened) != (event.seq == 1):
        message = "a ledger begins with project.opened, and only with it"
        raise HistoryError(message)
    if state.seq and event.ledger != state.ledger:
        message = f"event {event.id} belongs to {event.ledger}, not to {state.ledger}"
        raise HistoryError(message)
    if not is_moment(event.at):
        message = f"event {event.id} has a moment in another spelling: {event.at!r}"
        raise InvalidError(message)
    if not is_id(event.id, "event") or not is_id(event.command, "command"):
        message = f"event {event.id!r} or its command {event.command!r} has a malformed id"
        raise InvalidError(message)
