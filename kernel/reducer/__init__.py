"""Memory: `evolve(state, event)` refuses no history that was admitted and never decides; `fold` is only a loop."""

from collections.abc import Iterable

from kernel.errors import HistoryError, UnknownEventError
from kernel.events.envelope import Event
from kernel.reducer import delegation, delta, evidence, project, promotion, source
from kernel.reducer.registry import EVOLVERS
from kernel.state import INITIAL, Origin, State, changed

__all__ = ["delegation", "delta", "evidence", "evolve", "fold", "project", "promotion", "source"]


def evolve(state: State, event: Event) -> State:
    """Return the state after one more event.

    Raises: UnknownEventError when the event type has no evolver; HistoryError when the event speaks of what was never
            recorded, which no admitted event does.
    """
    evolver = EVOLVERS.get(type(event.body))
    if evolver is None:
        message = f"event type {event.type} cannot be remembered by this version"
        raise UnknownEventError(message)
    origin = Origin(event.seq, event.id, event.at, event.actor, event.via)
    stepped_back = event.seq if event.at < state.at else state.clock_stepped_back
    try:
        after = evolver(state, event.body, origin)
    except KeyError as error:
        message = (
            f"event {event.seq} ({event.type}) does not follow from those before it: there is no {error}"
        )
        raise HistoryError(message) from error
    return changed(
        after,
        ledger=event.ledger,
        seq=event.seq,
        command=event.command,
        ordinal=event.ordinal,
        at=max(state.at, event.at),
        clock_stepped_back=stepped_back,
    )


def fold(events: Iterable[Event], start: State = INITIAL) -> State:
    """Return the state after all events, in order."""
    state = start
    for event in events:
        state = evolve(state, event)
    return state
