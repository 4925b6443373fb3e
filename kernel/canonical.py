"""Canonical bytes, and the digests taken over them.

Owns: which values may stand in history, their one spelling as bytes, and the one way to digest them. Our own
values are a small subset of JSON for which orjson with sorted keys writes exactly RFC 8785; a property test
holds it to the `rfc8785` package. Foreign JSON may hold floats and any key, and goes through that package.
Does not own: what a record means, or the hashes of the log and the trie (`kernel/merkle`, `kernel/trie`).
"""

import dataclasses
import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Final, NoReturn, Protocol, TypeAlias, TypeGuard

import orjson
import rfc8785
from pydantic import BaseModel

from kernel.errors import CanonicalError

DEPTH_MAX: Final = 64
"""Containers that may lie inside each other; a scalar has depth 0."""

INTEGER_MAX: Final = 2**53 - 1
"""Largest magnitude of an integer that every JSON reader keeps exactly."""

DIGEST_PREFIX: Final = "sha256:"
"""What every written digest starts with."""

_OPTIONS: Final = orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER
_RECORD_OPTIONS: Final = _OPTIONS | orjson.OPT_PASSTHROUGH_DATACLASS

# Where canonical bytes of an object could hold a float: as a field's value, or in a list of numbers. A text may
# look like that; then the value is walked instead. Three patterns, since each begins with what is found fast.
_FLOAT_LIKE: Final = tuple(
    re.compile(pattern).search for pattern in (rb'":-?[0-9]+[.eE]', rb"\[[-0-9]", rb",[-0-9]")
)

Json: TypeAlias = Any
"""JSON data: str, int, float, bool, None, list and dict all the way down."""


class Committed(Protocol):
    """The shape of `Words`, which stands above this module: a commitment, and the text while it is known."""

    @property
    def commitment(self) -> str:
        """Return `sha256:<hex>` of the salted text."""

    @property
    def text(self) -> str | None:
        """Return the text, or None when it was erased or is withheld."""


def canonical_bytes(value: object) -> bytes:
    """Return the only bytes that stand for `value` in history.

    Takes str, int, bool, None, list, tuple and dict. Keys are ASCII; integers stay below 2^53 in magnitude;
    nesting stays within `DEPTH_MAX`. Text is never normalised.

    Raises: CanonicalError for anything else: a float, a lone surrogate, another type.
    """
    _require_canonical(value)
    try:
        return orjson.dumps(value, option=_OPTIONS)
    except TypeError as err:
        message = f"this value has no canonical bytes: {err}"
        raise CanonicalError(message) from err


def _require_canonical(value: object) -> None:
    """Refuse what has no canonical bytes, one level of nesting after the other.

    Every event passes here on its way in and out, so the common types are met first and without a call each.
    """
    level, depth = [value], 0
    while level:
        inner: list[object] = []
        for part in level:
            kind = type(part)
            if kind is str or part is None or kind is bool:
                continue
            if kind is dict:
                _require_ascii_keys(part)  # type: ignore[arg-type]
                inner.extend(part.values())  # type: ignore[attr-defined]
            elif kind is list or kind is tuple:
                inner.extend(part)  # type: ignore[arg-type]
            else:
                _require_scalar(part)
                continue
            if depth == DEPTH_MAX:
                _refuse(f"the value nests deeper than {DEPTH_MAX} levels", code="too_deep")
        level, depth = inner, depth + 1


def _require_ascii_keys(record: dict[object, object]) -> None:
    try:
        if "".join(record).isascii():  # type: ignore[arg-type]
            return
    except TypeError:
        pass
    _refuse(f"the keys {list(record)!r:.200} are not all ASCII text")


def _require_scalar(value: object) -> None:
    if isinstance(value, int):
        if not -INTEGER_MAX <= value <= INTEGER_MAX:
            _refuse(f"the integer {value} is outside 2^53 and has no canonical bytes")
    elif not isinstance(value, str):
        _refuse(f"a {type(value).__name__} has no canonical bytes; records go through plain() first")


def decode_canonical(data: bytes) -> Json:
    """Return the value that `data` spells.

    Raises: CanonicalError when the bytes are not JSON or do not re-encode to themselves, as with a duplicate
    key, another key order, a space, a float.
    """
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as err:
        message = f"these bytes are not JSON: {_place(err, data)}"
        raise CanonicalError(message) from err
    if not _plainly_canonical(value, data) and canonical_bytes(value) != data:
        _refuse("these bytes are JSON but not canonical: they do not re-encode to themselves")
    return value


def _plainly_canonical(value: Json, data: bytes) -> bool:
    """Tell without walking the parsed value that its bytes are canonical; False says only: look closer.

    A parsed value holds nothing but JSON types, so beside its spelling only floats, keys beyond ASCII and deep
    nesting are in question, and the bytes answer that: replay asks this for every event.
    """
    if type(value) is not dict or not data.isascii() or data.count(b"[") + data.count(b"{") > DEPTH_MAX:
        return False
    if any(found(data) for found in _FLOAT_LIKE):
        return False
    try:
        return orjson.dumps(value, option=_OPTIONS) == data
    except TypeError:
        return False


def part_bytes(part: Json) -> bytes:
    """Return the canonical bytes of a part of a value that `decode_canonical` returned."""
    return orjson.dumps(part, option=_OPTIONS)


def foreign_bytes(value: object) -> bytes:
    """Return the RFC 8785 bytes of JSON from outside, where floats and any text keys are allowed.

    Raises: CanonicalError for NaN, an infinity, an integer outside 2^53, a lone surrogate, a key that is no
    text, another type, or nesting deeper than `DEPTH_MAX`.
    """
    _require_depth(value, DEPTH_MAX)
    try:
        return bytes(rfc8785.dumps(value))  # type: ignore[arg-type]
    except (rfc8785.CanonicalizationError, UnicodeError, TypeError, AttributeError) as err:
        message = f"this foreign value has no canonical bytes: {err}"
        raise CanonicalError(message) from err


def parse_foreign(data: bytes, *, max_bytes: int, max_depth: int = DEPTH_MAX) -> Json:
    """Return the JSON value of bytes from outside, refusing whatever two readers could read differently.

    Integers keep their exact value, also beyond 2^53: what to do with those is the reader's decision.

    Units:  `max_bytes` counts bytes, `max_depth` counts containers inside each other.
    Raises: CanonicalError when the bytes are too many, not UTF-8, not JSON, nested too deep, or hold a
            duplicate key, NaN, an infinity (also one that a huge exponent makes) or a lone surrogate.
    Source: RFC 8259 and RFC 7493 (I-JSON), section 2.
    """
    if len(data) > max_bytes:
        _refuse(f"the JSON has {len(data)} bytes; at most {max_bytes} are read", code="too_large")
    try:
        value = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_distinct_keys,
            parse_constant=_refuse_constant,
            parse_float=_finite_float,
        )
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except RecursionError as err:
        message = f"the JSON nests deeper than {max_depth} levels"
        raise CanonicalError(message, code="too_deep") from err
    except ValueError as err:
        message = f"the bytes are not acceptable JSON: {_place(err, data)}"
        raise CanonicalError(message) from err
    _require_depth(value, max_depth)
    return value


def _place(error: ValueError, data: bytes) -> str:
    """Say in a person's words where bytes stop being JSON, whichever library noticed."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as err:
        return f"byte {err.start + 1} does not fit UTF-8"
    if isinstance(error, UnicodeEncodeError) or "surrogate" in str(error):
        return "a text in them holds half of a character"
    if isinstance(error, json.JSONDecodeError):
        return f"what stands at line {error.lineno}, column {error.colno} is none"
    return "a number in them is too long"


def _distinct_keys(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    record = dict(pairs)
    if len(record) != len(pairs):
        _refuse("the JSON names a key twice in one object", code="duplicate_key")
    return record


def _refuse_constant(name: str) -> NoReturn:
    _refuse(f"{name} is not a JSON number")


def _finite_float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        _refuse(f"the number {text[:40]} is too large for a double")
    return number


def _require_depth(value: object, depth_max: int) -> None:
    """Refuse nesting deeper than `depth_max`, without recursing."""
    layer, depth = [value], 0
    while layer := [part for part in layer if isinstance(part, list | tuple | dict)]:
        depth += 1
        if depth > depth_max:
            _refuse(f"the value nests deeper than {depth_max} levels", code="too_deep")
        layer = [inner for part in layer for inner in (part.values() if isinstance(part, dict) else part)]


def digest(domain: str, value: object) -> str:
    """Return `sha256:<hex>` of the domain tag, a NUL, and the bytes.

    `value` is bytes taken as they are, or a value taken by its canonical bytes.

    Raises: CanonicalError when the value has no canonical bytes.
    """
    data = value if isinstance(value, bytes) else canonical_bytes(value)
    return DIGEST_PREFIX + hashlib.sha256(domain.encode("ascii") + b"\x00" + data).hexdigest()


def plain(value: object) -> Json:
    """Return records, tuples, enums and words as JSON data; words become their commitment.

    Raises: CanonicalError for a value of a type that cannot stand in a record.
    """
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    return _spell(value, plain, lambda words: words.commitment)


def open_form(value: object) -> Json:
    """Return the same JSON data as `plain`, but with the words readable instead of committed.

    Words become `{"text": ...}`, so that two compilations under different salts compare by what they say.
    Erased words become `{"erased": commitment}`: two unknown texts are equal only when they are the same one.

    Raises: CanonicalError for a value of a type that cannot stand in a record.
    """
    if isinstance(value, BaseModel):
        return {name: open_form(getattr(value, name)) for name in type(value).model_fields}
    return _spell(value, open_form, _readable)


def record_bytes(record: BaseModel) -> bytes:
    """Return the canonical bytes of a record whose fields are texts, numbers, enums, words and tuples of these.

    The same as `canonical_bytes(plain(record))`, in one pass: a replay asks for every node and relation.

    Raises: CanonicalError for a field of another type.
    """
    try:
        return orjson.dumps(record.__dict__, default=_commitment, option=_RECORD_OPTIONS)
    except TypeError as err:
        message = f"this record has no canonical bytes: {err}"
        raise CanonicalError(message) from err


def _commitment(value: Any) -> str:  # noqa: ANN401 - whatever stands in a record
    # A class that was found to be of words once is not looked at again.
    if type(value) not in _COMMITTED:
        if not _is_committed(value):
            raise TypeError(type(value).__name__)
        _COMMITTED.add(type(value))
    commitment: str = value.commitment
    return commitment


_COMMITTED: Final[set[type]] = set()


def _is_committed(value: object) -> TypeGuard[Committed]:
    # By shape, as the protocol says; asking the protocol itself costs more than the rest of `plain`.
    # The class is asked, since the value would open its text to answer.
    return hasattr(value, "commitment") and hasattr(type(value), "text")


def _readable(words: Committed) -> Json:
    return {"erased": words.commitment} if words.text is None else {"text": words.text}


def _spell(value: object, inner: Callable[[object], Json], words: Callable[[Committed], Json]) -> Json:
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, list | tuple):
        return [inner(part) for part in value]
    if _is_committed(value):
        return words(value)
    if isinstance(value, Mapping):
        return {key: inner(part) for key, part in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: inner(getattr(value, field.name)) for field in dataclasses.fields(value)}
    message = f"a {type(value).__name__} cannot stand in a record"
    raise CanonicalError(message)


def _refuse(message: str, *, code: str | None = None) -> NoReturn:
    raise CanonicalError(message, code=code)
