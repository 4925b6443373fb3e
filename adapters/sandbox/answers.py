"""Read one answer of a candidate strictly, and compare it with the one the host expects.

An answer is one line of JSON, at most 64 KiB, without duplicate keys, NaN or infinities. Equality is equality of
RFC 8785 bytes. A tolerance loosens finite numbers alone: shape, keys and every other value stay exact.
"""

import math
from typing import Final

from kernel.canonical import Json, foreign_bytes, parse_foreign
from kernel.errors import CanonicalError

ANSWER_BYTES: Final = 64 * 1024
ANSWER_DEPTH: Final = 32


def read_answer(output: bytes) -> Json:
    """Return the one JSON value of a candidate's output.

    Raises: CanonicalError when it is not exactly one acceptable line.
    """
    line = output.removesuffix(b"\n")
    if not line or b"\n" in line or b"\r" in line:
        raise CanonicalError("An answer is exactly one line.", code="bad_answer")
    value = parse_foreign(line, max_bytes=ANSWER_BYTES, max_depth=ANSWER_DEPTH)
    foreign_bytes(value)
    return value


def is_right(answer: Json, expected: Json, tolerance: float | None) -> bool:
    """Say whether an answer that was read is the expected one."""
    if tolerance is None:
        return foreign_bytes(answer) == foreign_bytes(expected)
    if _is_number(answer) and _is_number(expected):
        return math.isfinite(answer) and abs(answer - expected) <= tolerance
    if isinstance(answer, list) and isinstance(expected, list):
        return len(answer) == len(expected) and all(
            is_right(one, other, tolerance) for one, other in zip(answer, expected, strict=True)
        )
    if isinstance(answer, dict) and isinstance(expected, dict):
        return answer.keys() == expected.keys() and all(
            is_right(part, expected[key], tolerance) for key, part in answer.items()
        )
    return foreign_bytes(answer) == foreign_bytes(expected)


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
