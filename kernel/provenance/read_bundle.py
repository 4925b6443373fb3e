"""What a bundle says, after every hash, signature and rule in it was tested, and the way to its events."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kernel.events.stored import EventAsWritten
from kernel.state import State
from kernel.vocabulary import KeyRole


@dataclass(frozen=True, slots=True)
class ReadBundle:
    """A bundle that was tested; with a problem nothing of it counts."""

    installation_id: str
    ledger_id: str
    size: int
    root: str
    keys: tuple[tuple[KeyRole, str, str], ...]
    """(role, key id, public key in base64) of the keys that were not revoked."""
    state: State
    """What its events mean."""
    root_at: Callable[[int], bytes]
    """Size -> root of the log of so many of its events."""
    events_after: Callable[[int], Iterator[EventAsWritten]]
    """Sequence number -> the events after it, read from the file again and held to what was tested."""
    problems: tuple[str, ...]
    """What is wrong with it."""
