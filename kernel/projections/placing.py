"""Where the placement of kept words stands: the latest attempt, and whether it can be asked again."""

from kernel.rules.source import applied, exchanges_of
from kernel.state import ExchangeRecord, State
from kernel.vocabulary import Boundary


def latest_attempt(state: State, source_id: str) -> ExchangeRecord | None:
    """Return the newest attempt to place a source; None when nobody ever asked."""
    attempts = exchanges_of(state, source_id, Boundary.PLACEMENT)
    return attempts[-1] if attempts else None


def stalled(state: State, exchange_id: str) -> bool:
    """Tell whether this is the newest attempt of its source and no attempt led to a proposal or a question."""
    record = state.exchanges.get(exchange_id)
    if record is None or record.body.boundary is not Boundary.PLACEMENT:
        return False
    attempts = exchanges_of(state, record.body.subject_id, Boundary.PLACEMENT)
    return attempts[-1].body.exchange_id == exchange_id and not any(applied(state, item) for item in attempts)


def stalled_attempts(state: State) -> tuple[ExchangeRecord, ...]:
    """Return the newest attempt of every kept text that was never placed, oldest first; erased texts wait no more.

    O(texts that wait): the state knows which.
    """
    latest = (latest_attempt(state, source_id) for source_id in state.unplaced.keys())  # noqa: SIM118 - a table
    waiting = [
        record
        for record in latest
        if record is not None
        and stalled(state, record.body.exchange_id)
        and state.sources[record.body.subject_id].erased is None
    ]
    return tuple(sorted(waiting, key=lambda record: record.origin.seq))
