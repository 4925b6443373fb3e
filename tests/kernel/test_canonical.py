"""The one spelling of a value, and everything that has none."""

import hashlib
import string
from dataclasses import dataclass

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from kernel.canonical import (
    canonical_bytes,
    decode_canonical,
    digest,
    foreign_bytes,
    open_form,
    parse_foreign,
    plain,
)
from kernel.errors import CanonicalError
from kernel.values.records import NodePatch
from kernel.values.words import Words, commit
from kernel.vocabulary import NodeKind, Phase

ascii_keys = st.text(st.sampled_from(string.printable), max_size=6)
scalars = st.none() | st.booleans() | st.integers(1 - 2**53, 2**53 - 1) | st.text(max_size=12)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ascii_keys, inner, max_size=4),
    max_leaves=20,
)

VECTORS: tuple[tuple[object, str], ...] = (
    ({}, "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"),
    (None, "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b"),
    ("green", "7f3e916bf628c503cac5f6babcf2dc37b7c8f2e7e8350e0e2a77c80caee95765"),
    ({"b": 2, "a": 1}, "43258cff783fe7036d8a43033f830adfc60ec037382473548ac742b888292777"),
    ({"suite": 0, "status": "green"}, "324aaa4f4d2293ca87ed43a03898b1d3c0f2209ad12187f57dd456b761f62f90"),
    (
        {"version": "1.4.2", "readyReplicas": 8},
        "be3a28f033dc164cc228508c1a28e3e2639d677de1bd1f98b39b7e18a0232eb4",
    ),
    ({"a": 1, "9": 1, "10": 1}, "59b1a066d977c1f89531a96e25824ac7413932e9e0b37aeeccf971d931a760ab"),
)


@given(values)
def test_our_bytes_are_rfc_8785(value: object) -> None:
    """Whatever has canonical bytes has exactly the bytes that RFC 8785 gives it, and reads back as itself."""
    data = canonical_bytes(value)
    assert data == rfc8785.dumps(value)  # type: ignore[arg-type]
    assert decode_canonical(data) == value


@pytest.mark.parametrize(("value", "expected"), VECTORS)
def test_golden_vectors(value: object, expected: str) -> None:
    """The published vectors hold for our bytes and for foreign bytes."""
    assert hashlib.sha256(canonical_bytes(value)).hexdigest() == expected
    assert hashlib.sha256(foreign_bytes(value)).hexdigest() == expected


def test_foreign_keys_sort_by_utf16() -> None:
    """A foreign key beyond U+FFFF sorts before U+E000, as RFC 8785 says."""
    expected = "e4c4209bbb2cfb0d27289a32462b757c90939d4e539e5f9df85c25fdaf411d59"
    assert hashlib.sha256(foreign_bytes({"\ue000": 1, "\U00010000": 1})).hexdigest() == expected


def test_foreign_numbers_have_the_text_of_ecmascript() -> None:
    """Foreign floats are written as ECMAScript writes them."""
    assert foreign_bytes([1.0, -0.0, 1e16, 1e-7, 1e21]) == b"[1,0,10000000000000000,1e-7,1e+21]"


def _nested(depth: int) -> object:
    value: object = "x"
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [1.5, float("nan"), 2**53, -(2**53), "\ud800", {"é": 1}, {1: 2}, b"x", {1, 2}, _nested(65), object()],
    ids=lambda value: type(value).__name__,
)
def test_values_without_canonical_bytes_are_refused(value: object) -> None:
    """Floats, large integers, lone surrogates, other keys and types, and deep nesting are refused."""
    with pytest.raises(CanonicalError):
        canonical_bytes(value)


def test_sixty_four_levels_are_allowed() -> None:
    """Depth is refused above the bound and not at it."""
    assert canonical_bytes(_nested(64)) == b"[" * 64 + b'"x"' + b"]" * 64
    assert foreign_bytes(_nested(64)) == b"[" * 64 + b'"x"' + b"]" * 64


@pytest.mark.parametrize(
    "data",
    [
        b'{"a":1,"a":1}',
        b'{"b":1,"a":2}',
        b'{"a": 1}',
        b"1.0",
        b'"\\u0041"',
        b"",
        b"{",
        b"\xff",
        b"1e2",
        b"-0",
    ],
)
def test_other_spellings_are_refused(data: bytes) -> None:
    """Bytes that do not re-encode to themselves are not history."""
    with pytest.raises(CanonicalError):
        decode_canonical(data)


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), 2**53, "\ud800", {"\ud800": 1}, {1: 2}, b"x", _nested(65)],
    ids=lambda value: type(value).__name__,
)
def test_foreign_values_without_bytes_are_refused(value: object) -> None:
    """Foreign data that RFC 8785 cannot write is refused by name, not by a stray error."""
    with pytest.raises(CanonicalError):
        foreign_bytes(value)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b'{"a":1,"a":2}', "duplicate_key"),
        (b'{"x":{"a":1,"\\u0061":2}}', "duplicate_key"),
        (b"NaN", "not_canonical"),
        (b"[-Infinity]", "not_canonical"),
        (b"1e999", "not_canonical"),
        (b'"\\ud800"', "not_canonical"),
        (b"\xff", "not_canonical"),
        (b'\xef\xbb\xbf{"a":1}', "not_canonical"),
        (b"{} {}", "not_canonical"),
        (b"[" * 65 + b"]" * 65, "too_deep"),
        (b"[" * 90_000 + b"]" * 90_000, "too_deep"),
        (b"1" * 200_001, "too_large"),
        (b"1" * 5_000, "not_canonical"),
    ],
    ids=lambda part: repr(part)[:24],
)
def test_foreign_json_that_readers_could_read_differently_is_refused(data: bytes, code: str) -> None:
    """Each ambiguous or unbounded document is refused with the code of its reason."""
    with pytest.raises(CanonicalError) as refusal:
        parse_foreign(data, max_bytes=200_000)
    assert refusal.value.reason_code == code


def test_foreign_json_is_read_whole() -> None:
    """An ordinary foreign document keeps its floats, its large integers and its key order."""
    data = '{"b":[1.5,9007199254740993,null,true],"ä":"\\ud83d\\ude00"}'.encode()
    assert parse_foreign(data, max_bytes=len(data)) == {"b": [1.5, 9007199254740993, None, True], "ä": "😀"}


def test_a_digest_names_its_domain() -> None:
    """A digest is SHA-256 of the domain, a NUL and the bytes; the same bytes in two domains differ."""
    expected = "sha256:" + hashlib.sha256(b'odeu.x.v1\x00{"a":1}').hexdigest()
    assert digest("odeu.x.v1", {"a": 1}) == expected
    assert digest("odeu.x.v1", b'{"a":1}') == expected
    assert digest("odeu.y.v1", {"a": 1}) != expected


TITLE = commit("a title", bytes(32))
ERASED = Words(TITLE.commitment)


@dataclass(frozen=True)
class Shown:
    """A value that only travels."""

    kind: NodeKind
    title: Words
    parts: tuple[int, ...]


def test_plain_writes_words_as_their_commitment() -> None:
    """Records, tuples and enums become JSON data in which no text stands."""
    patch = NodePatch(node_id="n", title=TITLE, phase=Phase.PLANNED, add_source_ids=("s",))
    expected = {
        "op": "node.patch",
        "node_id": "n",
        "title": TITLE.commitment,
        "description": None,
        "visibility": None,
        "phase": "planned",
        "verification": None,
        "profile_id": None,
        "artifact_path": None,
        "add_source_ids": ["s"],
    }
    assert plain(patch) == expected
    assert plain({"all": (patch,)}) == {"all": [expected]}
    shown = {"kind": "Goal", "title": TITLE.commitment, "parts": [1, 2]}
    assert plain(Shown(NodeKind.GOAL, TITLE, (1, 2))) == shown
    assert plain(TITLE) == TITLE.commitment


def test_open_form_writes_words_as_text() -> None:
    """Two records that say the same under different salts have one open form; erased words stay distinct."""
    one = NodePatch(node_id="n", title=TITLE)
    two = NodePatch(node_id="n", title=commit("a title", b"s" * 32))
    assert plain(one) != plain(two)
    assert open_form(one) == open_form(two)
    assert open_form([one])[0]["title"] == {"text": "a title"}
    assert open_form(Shown(NodeKind.GOAL, ERASED, ()))["title"] == {"erased": TITLE.commitment}


def test_plain_refuses_what_is_no_data() -> None:
    """A set has no order, so it has no plain form."""
    with pytest.raises(CanonicalError, match="a set cannot stand in a record"):
        plain({"a": {1, 2}})
