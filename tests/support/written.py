"""Events as a ledger hands them to a replay, and everything that a state says, as plain data."""

import dataclasses
from collections.abc import Iterable, Sequence
from functools import partial

from kernel.canonical import Json
from kernel.events.envelope import Event, event_bytes, openings_of
from kernel.events.stored import Written
from kernel.table import Series, Table
from kernel.trie import Trie
from kernel.values.recorded import Recorded
from kernel.values.words import Openings, Words


def _same(openings: Openings) -> Openings:
    return openings


def written(event: Event) -> Written:
    """Return the event's bytes and what opens its words; nothing, when it has none that opens."""
    openings = openings_of(event)
    return event_bytes(event), partial(_same, openings) if openings else None


def pages(events: Iterable[Event], size: int = 7) -> list[Sequence[Written]]:
    """Return these events as written, so many to a page."""
    rows = [written(event) for event in events]
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def all_said(value: object) -> Json:
    """Return everything inside a state or a record: its fields by name, with commitments, salts and texts."""
    if isinstance(value, Words):
        opening = value.opening
        return [value.commitment, None if opening is None else [opening.salt.hex(), opening.text]]
    if isinstance(value, Recorded):
        fields = {name: all_said(getattr(value, name)) for name in type(value).model_fields}
        return {"is": type(value).__name__, **fields}
    if isinstance(value, Table):
        return {key: all_said(item) for key, item in value.items()}
    if isinstance(value, Trie):
        return value.root().hex()
    if isinstance(value, tuple | Series):
        return [type(value).__name__, *(all_said(item) for item in value)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        told = [field.name for field in dataclasses.fields(value) if field.compare]
        return {"is": type(value).__name__, **{name: all_said(getattr(value, name)) for name in told}}
    return value
