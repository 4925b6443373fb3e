"""Where a proposal may go from where it stands, as data, and who may decide on it now."""

from typing import Final

from kernel.errors import LifecycleError, NotFoundError
from kernel.state import DeltaRecord, State
from kernel.vocabulary import Disposition

_ANY_DECISION: Final = frozenset(Disposition) - {Disposition.PENDING}

DECISIONS: Final[dict[Disposition, frozenset[Disposition]]] = {
    Disposition.PENDING: _ANY_DECISION,
    Disposition.DEFERRED: _ANY_DECISION,
    Disposition.REMANDED: frozenset({Disposition.SUPERSEDED, Disposition.REJECTED}),
    Disposition.REJECTED: frozenset(),
    Disposition.SUPERSEDED: frozenset(),
    Disposition.ACCEPTED: frozenset(),
}
"""Where a proposal stands -> what a decision may make of it.

A remanded proposal waits for a corrected one in its place. It can still be closed with a no, so that a remand
nobody takes up, or whose words are erased, leaves no proposal that waits for ever.
"""

OPEN: Final = frozenset(here for here, onward in DECISIONS.items() if onward)
"""Dispositions that are not final."""


def open_delta(state: State, delta_id: str, wish: Disposition) -> DeltaRecord:
    """Return the proposal when this decision on it is possible now, or refuse.

    Raises: NotFoundError; LifecycleError when it was decided, or waits for its corrections.
    """
    record = state.deltas.get(delta_id)
    if record is None:
        message = f"there is no proposal {delta_id}"
        raise NotFoundError(message)
    if wish in DECISIONS[record.disposition]:
        return record
    message = f"proposal {delta_id} is already {record.disposition.value}"
    if record.disposition is Disposition.REMANDED:
        message = f"proposal {delta_id} is remanded: it waits for its corrections; replace it or reject it"
    raise LifecycleError(message)


def is_queued(record: DeltaRecord, at: str) -> bool:
    """Tell whether an open proposal asks for a person at this moment: a deferred one only when its moment passed."""
    if record.disposition is Disposition.DEFERRED:
        return record.until is not None and record.until <= at
    return record.disposition in OPEN
