"""All that the kernel cannot make itself: time, the authenticated actor, fresh ids and salts.

The shell builds one `Stamp` per command. Ids and salts are derived from 32 fresh bytes and a label, so that
deciding is a pure function: the same state, command and stamp give the same events in every process.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Final

from kernel.errors import InvalidError
from kernel.values.recorded import Recorded
from kernel.values.words import Words, commit
from kernel.vocabulary import ActorKind, Role, Via

_CROCKFORD: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS: Final = tuple(first + second for first in _CROCKFORD for second in _CROCKFORD)
"""Ten bits as two digits."""
_SHIFTS: Final = range(120, -1, -10)
"""A ULID has 26 digits: thirteen pairs."""
_RANDOM_BITS: Final = 80


class Actor(Recorded):
    """The authenticated principal behind an event; never taken from a request body."""

    kind: ActorKind
    id: str
    """A person's or program's slug, such as `owner` or `manager:local`."""
    role: Role
    """The person's role in this ledger when the event was made; `none` for programs."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """One command's time, actor, door and entropy."""

    at: str
    """UTC, exactly `YYYY-MM-DDTHH:MM:SS.ffffffZ`: the host's honest wall clock. Order is the sequence."""
    actor: Actor
    via: Via
    command_id: str
    entropy: bytes
    """32 fresh random bytes."""

    def id(self, kind: str, label: str = "") -> str:
        """Return the fresh id `<kind>_<lower-case ULID>` for this label; the same label gives the same id."""
        seed = hashlib.sha256(b"\x00".join((b"odeu.id.v1", self.entropy, kind.encode(), label.encode())))
        number = (_milliseconds(self.at) << _RANDOM_BITS) | int.from_bytes(seed.digest()[:10], "big")
        return f"{kind}_{_base32(number)}"

    def words(self, text: str, label: str) -> Words:
        """Return `text` as words under a salt of its own for this label.

        Raises: InvalidError when the text holds half of a surrogate pair, which no bytes can spell.
        """
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            message = f"the text holds a broken character at position {error.start + 1}; write it again"
            raise InvalidError(message) from error
        seed = b"\x00".join((b"odeu.salt.v1", self.entropy, label.encode(), text.encode("utf-8")))
        return commit(text, hashlib.sha256(seed).digest())


@lru_cache(maxsize=64)
def _milliseconds(at: str) -> int:
    """Return a moment as milliseconds since 1970; one stamp makes many ids of one moment."""
    return int(datetime.fromisoformat(at).timestamp() * 1000)


def _base32(number: int) -> str:
    return "".join([_PAIRS[(number >> shift) & 1023] for shift in _SHIFTS])
