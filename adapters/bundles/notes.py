"""Reading checkpoints with public keys alone: the verifier's own reading of C2SP signed notes.

Written apart from the code that signs, so that one error in the two would have to be made twice.

Sources: c2sp.org/signed-note and c2sp.org/tlog-checkpoint.
"""

import base64
import binascii
import hashlib
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from adapters.bundles.form import refuse
from kernel.merkle import HASH_BYTES, LogHead

NOTE_BYTES_MAX: Final = 4096
_DASH: Final = "\u2014"
_KEY_HASH_BYTES: Final = 4
_SIZE_DIGITS_MAX: Final = 16


def signed_by(public_key: bytes, signature: bytes, message: bytes) -> bool:
    """Tell whether the holder of this Ed25519 key signed exactly this message."""
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def unbased(text: str) -> bytes:
    """Return the bytes that standard base64 spells, refusing a second spelling.

    Raises: HistoryError, code `bundle_invalid`.
    """
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error):
        refuse(f"{text[:40]!r} is not base64")
    if base64.b64encode(data).decode("ascii") != text:
        refuse(f"{text[:40]!r} is not spelled the one way base64 has")
    return data


def stated(note: str) -> tuple[str, LogHead]:
    """Return the origin and the head that a checkpoint states, whoever signed it.

    Raises: HistoryError, code `bundle_invalid`, when it is no checkpoint.
    """
    text, _lines = _parts(note)
    lines = text.removesuffix("\n").split("\n")
    if len(lines) != 3:  # noqa: PLR2004 - origin, size, root
        refuse("a checkpoint has an origin, a size and a root, and nothing else")
    origin, size, root = lines
    plain = size.isascii() and size.isdigit() and str(int(size[:_SIZE_DIGITS_MAX])) == size
    raw = unbased(root)
    if not origin or not plain or len(raw) != HASH_BYTES:
        refuse("a checkpoint's size is a plain number and its root 32 bytes")
    return origin, LogHead(int(size), raw)


def signers(note: str, public_keys: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """Return those of these keys that signed the note under its own origin.

    Raises: HistoryError when the note is malformed, or claims a signature by one of them that does not fit.
    """
    text, lines = _parts(note)
    origin = text.split("\n", 1)[0]
    named = {_key_hash(origin, key): key for key in public_keys}
    found = []
    for line in lines:
        dash, _, rest = line.partition(" ")
        name, _, spelled = rest.partition(" ")
        if dash != _DASH or not name or not spelled:
            refuse("a signature line of a checkpoint is malformed")
        blob = unbased(spelled)
        key = named.get(blob[:_KEY_HASH_BYTES]) if name == origin else None
        if key is None:
            continue
        if not signed_by(key, blob[_KEY_HASH_BYTES:], text.encode("utf-8")):
            refuse(f"a signature of {origin} does not fit its checkpoint")
        found.append(key)
    return tuple(found)


def _parts(note: str) -> tuple[str, list[str]]:
    text, gap, lines = note.rpartition("\n\n")
    if len(note.encode("utf-8", "replace")) > NOTE_BYTES_MAX or not gap or not lines.endswith("\n"):
        refuse("a checkpoint is too long, or is no signed note")
    return text + "\n", lines.removesuffix("\n").split("\n")


def _key_hash(origin: str, public_key: bytes) -> bytes:
    return hashlib.sha256(origin.encode("utf-8") + b"\n\x01" + public_key).digest()[:_KEY_HASH_BYTES]
