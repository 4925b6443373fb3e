"""What one append is about to write: checked, encoded, and shown to read back as itself.

Shared by every ledger, so that memory and database refuse the same events for the same reasons.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from kernel.errors import HistoryError
from kernel.events.envelope import (
    Event,
    data_key_of,
    openings_of,
    proved_bytes,
    revision_of,
    subjects_of,
)
from kernel.events.stored import EventAsWritten
from kernel.merkle import Edge, extension_proof, leaf_hash
from kernel.upcast import STEPS, Steps, decode_event
from kernel.values.words import Opening, commit


@dataclass(frozen=True, slots=True)
class Entry:
    """One event, ready to be written."""

    event: Event
    data: bytes
    leaf_hash: bytes
    openings: dict[str, Opening]
    data_key: str
    subjects: tuple[str, ...]
    is_brought: bool = False
    """It came as it was written elsewhere, or here before."""


@dataclass(frozen=True, slots=True)
class Batch:
    """All events of one append."""

    ledger_id: str
    expected_seq: int
    entries: tuple[Entry, ...]

    @property
    def head_seq(self) -> int:
        """Return the sequence number after the append."""
        return self.expected_seq + len(self.entries)

    @property
    def brought(self) -> tuple[tuple[str, str, int, int], ...]:
        """Return (actor, command, first event, count) for each command that came with its events from elsewhere.

        What these commands were made of stays unknown; that they were carried out does not.
        """
        found: list[tuple[str, str, int, int]] = []
        for entry in self.entries:
            event = entry.event
            if entry.is_brought and event.ordinal == 0:
                found.append((event.actor.id, event.command, event.seq, 1))
            elif entry.is_brought and found:
                found[-1] = (*found[-1][:3], found[-1][3] + 1)
        return tuple(found)

    def extend(self, edge: Edge) -> Edge:
        """Return the right edge of the log after the append."""
        for entry in self.entries:
            edge = edge.append(entry.leaf_hash)
        return edge

    def proof(self, edge: Edge) -> tuple[bytes, ...]:
        """Return the proof that the log after the append extends the one with this right edge."""
        return extension_proof(edge, [entry.leaf_hash for entry in self.entries])

    def revision(self, before: int | None) -> int | None:
        """Return the number of the latest revision after the append."""
        made = [number for entry in self.entries if (number := revision_of(entry.event)) is not None]
        return made[-1] if made else before


def batch_of(
    ledger_id: str, expected_seq: int, events: Sequence[Event | EventAsWritten], steps: Steps = STEPS
) -> Batch:
    """Return the batch of these events, which follow `expected_seq` one by one.

    Raises: HistoryError when there is none, when one is of another ledger or place, when an opening does not
            open its words, or when an event would not read back as itself.
    """
    if not events:
        raise HistoryError("an append without events says nothing; append at least one")
    for seq, item in enumerate(events, expected_seq + 1):
        event = item.event if isinstance(item, EventAsWritten) else item
        if (event.ledger, event.seq) != (ledger_id, seq):
            raise HistoryError(
                f"event {event.id} is made for place {event.seq} of {event.ledger}, not for {seq} of {ledger_id}"
            )
    return Batch(ledger_id, expected_seq, tuple(_entry(item, steps) for item in events))


def _entry(item: Event | EventAsWritten, steps: Steps) -> Entry:
    event = item.event if isinstance(item, EventAsWritten) else item
    openings = openings_of(event)
    for commitment, opening in openings.items():
        if commit(opening.text, opening.salt).commitment != commitment:
            raise HistoryError(f"event {event.id} carries words whose text does not open {commitment}")
    if isinstance(item, EventAsWritten):
        data = item.data
        if decode_event(data, openings, steps) != event:
            raise HistoryError(f"event {event.id} does not read back as itself from the bytes it came with")
    else:
        data = proved_bytes(event, openings)
    is_brought = isinstance(item, EventAsWritten)
    return Entry(event, data, leaf_hash(data), openings, data_key_of(event), subjects_of(event), is_brought)
