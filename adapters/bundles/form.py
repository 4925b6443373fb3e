"""The form of a bundle: canonical JSON lines in a fixed order, the last one the SHA-256 of all before it.

`header`, then `key` lines by key id, then events in order, each preceded by the data key of its texts the first
time that key is needed, then `checkpoint` lines by size, then `end`. Every line is the canonical bytes of an
object whose `record` names its kind, and a line feed. A bundle holds no private key and no master key; a data
key in it opens texts that the exporter was allowed to read.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, NoReturn

from kernel.canonical import decode_canonical
from kernel.errors import CanonicalError, HistoryError, InvalidError

FORMAT: Final = "odeu.bundle.v1"
LINE_BYTES_MAX: Final = 64 * 1024 * 1024
"""Longest line that is read, in bytes, its line feed included."""
BLOB_DOMAIN: Final = b"odeu.blob.v1"
NONCE_BYTES: Final = 12

FIELDS: Final[Mapping[str, Mapping[str, tuple[type, ...]]]] = {
    "header": {
        "format": (str,),
        "installation": (str,),
        "ledger": (str,),
        "size": (int,),
        "root": (str,),
        "revision": (int,),
    },
    "key": {
        "key_id": (str,),
        "role": (str,),
        "public_key": (str,),
        "created_at": (str,),
        "revoked_at": (str, type(None)),
    },
    "data_key": {"id": (str,), "key": (str,)},
    "event": {
        "data": (str,),
        "blob": (str, type(None)),
        "key_id": (str, type(None)),
        "texts": (str, type(None)),
    },
    "checkpoint": {"size": (int,), "note": (str,)},
    "end": {"sha256": (str,)},
}
"""Record -> its fields, beside `record` itself, and the types each may have."""

_AFTER: Final[Mapping[str, frozenset[str]]] = {
    "": frozenset({"header"}),
    "header": frozenset({"key", "data_key", "event"}),
    "key": frozenset({"key", "data_key", "event"}),
    "data_key": frozenset({"event"}),
    "event": frozenset({"data_key", "event", "checkpoint"}),
    "checkpoint": frozenset({"checkpoint", "end"}),
}
"""Record -> what may follow it."""


@dataclass(frozen=True, slots=True)
class BundleHead:
    """Which ledger a bundle holds, and up to where."""

    installation_id: str
    ledger_id: str
    size: int
    root: str
    """Hex."""
    revision: int

    @property
    def origin(self) -> str:
        """Return the origin of the ledger's checkpoints, which is also the name of their key."""
        return f"odeu/{self.installation_id}/{self.ledger_id}"


@dataclass(frozen=True, slots=True)
class BundleKey:
    """A public key of the installation that wrote the ledger."""

    key_id: str
    role: str
    public_key: str
    """The 32 raw bytes, in base64."""
    created_at: str
    revoked_at: str | None = None


def refuse(message: str) -> NoReturn:
    """Refuse a bundle.

    Raises: HistoryError, code `bundle_invalid`.
    """
    raise HistoryError(message, code="bundle_invalid")


def require_readable(path: Path) -> None:
    """Refuse a path that holds no readable file: a wrong call says nothing about a bundle.

    Raises: InvalidError.
    """
    try:
        path.open("rb").close()
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}"
        raise InvalidError(message) from error


def records(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a bundle in order, the last one once the hash over all before it fits.

    Raises: HistoryError, code `bundle_invalid`, where the file stops being a bundle: a line that is too long, not
    canonical, of another form or out of order, a hash that does not fit, anything after the end.
    """
    try:
        with path.open("rb") as file:
            yield from _records(file)
    except OSError as error:
        message = f"the bundle cannot be read: {error.strerror}"
        raise HistoryError(message, code="bundle_invalid") from error


def _records(file: BinaryIO) -> Iterator[dict[str, Any]]:
    total, before, number = hashlib.sha256(), "", 0
    while True:
        line = file.readline(LINE_BYTES_MAX + 1)
        number += 1
        if len(line) > LINE_BYTES_MAX:
            refuse(f"line {number} is longer than {LINE_BYTES_MAX} bytes")
        if not line.endswith(b"\n"):
            refuse(f"the bundle stops in line {number}, before its end")
        record = _record(line[:-1], number)
        kind = record["record"]
        if kind not in _AFTER[before]:
            refuse(f"line {number} is {kind!r}, which cannot follow {before or 'the beginning'!r}")
        if kind == "end":
            if record["sha256"] != f"sha256:{total.hexdigest()}":
                refuse("the hash at the end is not that of the lines before it")
            if file.read(1):
                refuse("there is something after the end")
            yield record
            return
        total.update(line)
        yield record
        before = kind


def _record(line: bytes, number: int) -> dict[str, Any]:
    try:
        record = decode_canonical(line)
    except CanonicalError as error:
        message = f"line {number} is not canonical JSON: {error.message}"
        if number == 1:
            message += "; a bundle is what `odeu export` wrote"
        raise HistoryError(message, code="bundle_invalid") from error
    kind = record.get("record") if isinstance(record, dict) else None
    fields = FIELDS.get(kind) if isinstance(kind, str) else None
    if fields is None or set(record) != {"record", *fields}:
        refuse(f"line {number} is no record of a bundle")
    for name, types in fields.items():
        if type(record[name]) not in types:
            refuse(f"the field {name} of line {number} is of another type")
    return dict(record)
