"""Proposals that were put off: open, and asking nobody until their moment comes."""

from kernel.rules.dispositions import is_queued
from kernel.state import DeltaRecord, State
from kernel.vocabulary import Disposition


def deferred(state: State, at: str) -> tuple[DeltaRecord, ...]:
    """Return what is put off at this moment: what comes back soonest first, what has no moment last.

    Shape: no duplicates, may be empty; O(open proposals).
    """
    records = (state.deltas[item] for item in state.open_deltas.keys())  # noqa: SIM118 - a table has no order
    away = [
        record
        for record in records
        if record.disposition is Disposition.DEFERRED and not is_queued(record, at)
    ]
    return tuple(sorted(away, key=lambda item: (item.until is None, item.until or "", item.origin.seq)))
