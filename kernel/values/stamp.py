"""All that the kernel cannot make itself: time, the authenticated actor, fresh ids and salts.

The shell builds one `Stamp` per command. Ids and salts are derived from 32 fresh bytes and a label, so that
deciding is a pure function: the same state, command and stamp give the same events in every process.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from kernel.errors import InvalidError
from kernel.values.recorded import Recorded
from kernel.values.words import Words, commit
from kernel.vocabulary import ActorKind, Role, Via

_CROCKFORD: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_ULID_LENGTH: Final = 26
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
        milliseconds = int(datetime.fromisoformat(self.at).timestamp() * 1000)
        number = (milliseconds << _RANDOM_BITS) | int.from_bytes(seed.digest()[:10], "big")
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


def _base32(number: int) -> str:
    digits = []
    for _ in range(_ULID_LENGTH):
        number, digit = divmod(number, 32)
        digits.append(_CROCKFORD[digit])
    return "".join(reversed(digits))
