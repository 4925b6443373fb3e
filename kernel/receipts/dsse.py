"""DSSE envelopes: what is signed, and how a payload is read back before anyone trusts it.

Every payload is canonical bytes, so one fact has one spelling. Owns the encoding and the strict parsers that all
receipts share; does not own keys or the test of a signature (`adapters/keys`), nor what a payload says.

Source: github.com/secure-systems-lab/dsse, `protocol.md` (PAE v1) and `envelope.md`.
"""

import base64
import binascii
import re
from datetime import UTC, datetime
from typing import Any, Final, NoReturn, TypeAlias, TypeVar

from pydantic import ValidationError

from kernel.canonical import decode_canonical, digest, parse_foreign, plain
from kernel.errors import InvalidError
from kernel.values.recorded import Recorded
from kernel.values.work import Envelope, Signature

Statement: TypeAlias = dict[str, Any]
"""An in-toto Statement v1 as JSON data."""

STATEMENT_PAYLOAD: Final = "application/vnd.in-toto+json"
STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"

KEY_CUSTODY: Final = "shared_host"
"""One process and one uid hold every key: no boundary against the server itself, and every receipt says so."""

PAYLOAD_BYTES_MAX: Final = 512 * 1024
"""Largest payload that is read."""

_STATEMENT_KEYS: Final = {"_type", "subject", "predicateType", "predicate"}
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)

_Record = TypeVar("_Record", bound=Recorded)


def pae(payload_type: str, payload: bytes) -> bytes:
    """Return the pre-authentication encoding v1: the only bytes a DSSE signature is ever over."""
    kind = payload_type.encode("utf-8")
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def sealed(payload_type: str, payload: bytes, signature: Signature) -> Envelope:
    """Return the envelope of a payload and the one signature over its encoding."""
    return Envelope(
        payload_type=payload_type,
        payload=base64.b64encode(payload).decode("ascii"),
        signatures=(signature,),
    )


def payload_of(envelope: Envelope, payload_type: str) -> bytes:
    """Return the payload of an envelope of this type, without trusting it.

    Raises: InvalidError for another type, for base64 with a second spelling, and for a payload of more than
            `PAYLOAD_BYTES_MAX` bytes.
    """
    if envelope.payload_type != payload_type:
        refuse(f"this envelope holds {envelope.payload_type[:80]!r}, not {payload_type}")
    if len(envelope.payload) > PAYLOAD_BYTES_MAX * 4 // 3 + 4:
        refuse(f"the payload of this envelope is longer than {PAYLOAD_BYTES_MAX} bytes")
    return decode_base64(envelope.payload)


def decode_base64(text: str) -> bytes:
    """Return the bytes that standard base64 spells, refusing every second spelling of them.

    Raises: InvalidError for a foreign character, missing padding or loose bits at the end.
    """
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error) as err:
        message = "this is not base64"
        raise InvalidError(message, code="receipt_malformed") from err
    if base64.b64encode(data).decode("ascii") != text:
        refuse("this base64 is not spelled the one canonical way")
    return data


def statement_of(envelope: Envelope) -> Statement:
    """Return the in-toto statement of an envelope, parsed strictly and without trusting its signature.

    Raises: InvalidError when it is no statement of ours, CanonicalError when its bytes name a key twice, nest
            too deep or are not the canonical spelling.
    """
    payload = payload_of(envelope, STATEMENT_PAYLOAD)
    parse_foreign(payload, max_bytes=PAYLOAD_BYTES_MAX)
    statement = decode_canonical(payload)
    if not isinstance(statement, dict) or set(statement) != _STATEMENT_KEYS:
        refuse("the payload is not an in-toto statement")
    if statement["_type"] != STATEMENT_TYPE or not isinstance(statement["predicate"], dict):
        refuse("the payload is not an in-toto statement of version 1")
    return statement


def envelope_digest(envelope: Envelope) -> str:
    """Return the digest by which later records name this envelope, signatures included."""
    return digest("odeu.envelope.v1", plain(envelope))


def as_dsse(envelope: Envelope) -> dict[str, Any]:
    """Return the envelope under the field names of the DSSE specification, for tools outside this product."""
    return {
        "payload": envelope.payload,
        "payloadType": envelope.payload_type,
        "signatures": [{"keyid": one.key_id, "sig": one.signature} for one in envelope.signatures],
    }


def require_moment(at: str, name: str) -> datetime:
    """Return the moment that `at` spells.

    Units:  UTC, microseconds, exactly `YYYY-MM-DDTHH:MM:SS.ffffffZ`.
    Raises: InvalidError for any other spelling.
    """
    try:
        if _MOMENT.fullmatch(at) is None:
            raise ValueError(at)
        return datetime.strptime(at, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    except ValueError as err:
        message = f"{name} is {at[:40]!r}; expected a time such as 2026-01-31T09:30:00.000000Z"
        raise InvalidError(message, code="receipt_malformed") from err


def record_of(payload: bytes, shape: type[_Record]) -> _Record:
    """Return the record that a payload spells.

    Raises: InvalidError when it is another shape, CanonicalError when the bytes are not canonical.
    """
    decode_canonical(payload)
    try:
        return shape.model_validate_json(payload)
    except ValidationError as err:
        first = err.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or shape.__name__
        message = f"the signed {shape.__name__} is malformed at {where}: {first['msg']}"
        raise InvalidError(message, code="receipt_malformed") from err


def refuse(message: str) -> NoReturn:
    """Refuse a receipt.

    Raises: InvalidError always.
    """
    raise InvalidError(message, code="receipt_malformed")
