"""Identifiers: how each kind looks, and how a revision's id follows from what it names.

Owns: the closed list of id kinds and the check of their form. Does not own: making fresh ids, which takes a
clock and entropy (`kernel/values/stamp`), nor whether a record with an id exists.
"""

import base64
import hashlib
import re
from typing import Final

from kernel.errors import InvalidError

ULID_KINDS: Final = frozenset(
    {
        "project",
        "source",
        "delta",
        "node",
        "relation",
        "brief",
        "run",
        "candidate",
        "closure",
        "validation",
        "promotion",
        "exchange",
        "event",
        "command",
    }
)
"""Kinds whose id is `<kind>_<lower-case ULID>`, unique in an installation."""

REVISION_KIND: Final = "revision"
"""The one kind whose id is derived: see `revision_id`."""

_REVISION_DOMAIN: Final = b"odeu.revision.v1"
_TAIL_LENGTH: Final = 26
# 26 Crockford digits hold 130 bits, a ULID has 128: so the first digit is at most 7.
_ULID: Final = re.compile(r"[0-7][0-9a-hjkmnp-tv-z]{25}", re.ASCII)
_REVISION_TAIL: Final = re.compile(r"[a-z2-7]{26}", re.ASCII)


def is_id(text: object, kind: str) -> bool:
    """Tell whether `text` has the form of an id of this kind.

    Raises: InvalidError when the kind is none of ours.
    """
    if kind not in ULID_KINDS and kind != REVISION_KIND:
        message = f"there are no ids of kind {kind!r}"
        raise InvalidError(message)
    prefix = kind + "_"
    if not isinstance(text, str) or not text.startswith(prefix):
        return False
    tail = _REVISION_TAIL if kind == REVISION_KIND else _ULID
    return tail.fullmatch(text, len(prefix)) is not None


def parse_id(text: object, kind: str) -> str:
    """Return `text` when it is an id of this kind.

    Raises: InvalidError when it is not, naming the form that is expected.
    """
    if isinstance(text, str) and is_id(text, kind):
        return text
    message = f"{text!r:.80} is not a {kind} id; expected {kind}_ and {_TAIL_LENGTH} lower-case characters"
    raise InvalidError(message)


def revision_id(ledger_id: str, number: int, state_root: str) -> str:
    """Return the id of revision `number` of a ledger whose canonical records have this root.

    It is `revision_` and the first 26 characters of the lower-case RFC 4648 base32 of SHA-256 over these
    bytes: `odeu.revision.v1` NUL ledger id NUL number in decimal NUL state root, each in UTF-8. The state
    root is taken as written in the event. None of the parts can hold a NUL, so the bytes are unambiguous.
    """
    parts = (_REVISION_DOMAIN, ledger_id.encode(), str(number).encode(), state_root.encode())
    digest = hashlib.sha256(b"\x00".join(parts)).digest()
    return f"{REVISION_KIND}_{base64.b32encode(digest).decode('ascii').lower()[:_TAIL_LENGTH]}"
