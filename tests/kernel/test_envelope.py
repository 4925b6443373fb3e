"""An event's bytes: what is read back, what is refused as history, and how earlier versions are read."""

from dataclasses import replace
from typing import Any

import pytest

from kernel.canonical import canonical_bytes, decode_canonical
from kernel.errors import HistoryError, UnknownEventError
from kernel.events.envelope import (
    data_key_of,
    decode_event,
    event_bytes,
    openings_of,
    revision_of,
    subjects_of,
)
from kernel.events.source import SourceCaptured
from kernel.upcast import STEPS, next_version, upcast
from kernel.upcast import decode_event as decode_any
from kernel.values.words import Words
from tests.support.spec import before, refusal_of
from tests.support.whole import whole_project, whole_world

CAPTURED = before(whole_project(), "source.captured.v1").event


def raw(**changes: Any) -> bytes:
    """Return the bytes of a capture with some fields of its envelope changed."""
    return canonical_bytes({**decode_canonical(event_bytes(CAPTURED)), **changes})


def test_an_event_reads_back_as_it_was() -> None:
    """Decoding the bytes of any event gives the event, with its words open to whoever has the openings."""
    for event in (*whole_world().events, *whole_project().events):
        data, openings = event_bytes(event), openings_of(event)
        assert decode_event(data, openings) == event
        assert openings_of(decode_event(data, openings)) == openings
        assert decode_event(data, {}) == event
        assert openings_of(decode_event(data, {})) == {}
        assert event_bytes(decode_event(data, {})) == data


def test_free_text_stands_in_no_event() -> None:
    """The bytes of a capture hold its commitment and nothing of its words."""
    assert isinstance(CAPTURED.body, SourceCaptured)
    text = CAPTURED.body.content.text
    assert text == "Buy a boat"
    assert text.encode() not in event_bytes(CAPTURED)
    assert CAPTURED.body.content.commitment.encode() in event_bytes(CAPTURED)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"more": 1}, "an event must have exactly the fields of the envelope"),
        ({"seq": "2"}, "the field seq of an event must be a whole number"),
        ({"seq": True}, "the field seq of an event must be a whole number"),
        ({"ordinal": None}, "the field ordinal of an event must be a whole number"),
        ({"type": ["source.captured.v1"]}, "the field type of an event must be text"),
        ({"ledger": 7}, "the field ledger of an event must be text"),
        ({"at": None}, "the field at of an event must be text"),
        (
            {"at": "2026-11-30 09:00:00"},
            f"event {CAPTURED.id!r} has a moment in another spelling: '2026-11-30 09:00:00'",
        ),
    ],
)
def test_a_malformed_envelope_is_no_history(changes: dict[str, Any], message: str) -> None:
    """A field too many or of another type is refused by name, never by a crash."""
    expected = (HistoryError, "history_invalid", message)
    assert refusal_of(lambda: decode_event(raw(**changes), {})) == expected


@pytest.mark.parametrize(
    "changes",
    [
        {"via": "post"},
        {"actor": "owner"},
        {"actor": {"id": "owner", "kind": "human", "role": "king"}},
        {"body": None},
        {"body": {}},
    ],
)
def test_a_malformed_body_is_no_history(changes: dict[str, Any]) -> None:
    """What does not fit the catalogue is refused, and the sentence names the event and its type."""
    refusal = refusal_of(lambda: decode_event(raw(**changes), {}))
    assert refusal is not None
    assert refusal[:2] == (HistoryError, "history_invalid")
    start = f"event {CAPTURED.id!r} of type source.captured.v1 does not fit its catalogue entry: "
    assert refusal[2].startswith(start)


@pytest.mark.parametrize(
    "commitment", ["sha256:" + "X" * 64, "sha256:" + "a" * 63, "Buy a boat", "sha256:" + "a" * 63 + "A", None]
)
def test_words_are_a_commitment_and_nothing_else(commitment: str | None) -> None:
    """Where words belong, 64 letters of anything are refused: no text hides in a commitment."""
    body = {**decode_canonical(event_bytes(CAPTURED))["body"], "content": commitment}
    with pytest.raises(HistoryError, match="words must be a commitment"):
        decode_event(raw(body=body), {})


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"{}", b'{"a":1, "b":2}'])
def test_bytes_that_are_no_event_are_no_history(data: bytes) -> None:
    """Whatever the bytes are, the refusal is about history."""
    with pytest.raises(HistoryError):
        decode_event(data, {})


def test_an_unknown_type_is_named() -> None:
    """An event of a later version of the product is not skipped."""
    message = "event type 'source.captured.v9' is unknown to this version"
    expected = (UnknownEventError, "unknown_event", message)
    assert refusal_of(lambda: decode_event(raw(type="source.captured.v9"), {})) == expected


def test_an_event_says_which_key_protects_its_words() -> None:
    """A capture and what comes from it share the source's key; an acceptance has a key of its own."""
    story = whole_project()
    source_id = CAPTURED.body.source_id  # type: ignore[attr-defined]
    accepted = before(story, "delta.accepted.v1").event
    request = before(story, "exchange.requested.v1", -1).event
    assert data_key_of(CAPTURED) == source_id
    assert data_key_of(before(story, "exchange.answered.v1").event) == source_id
    assert data_key_of(before(story, "delta.proposed.v1").event) == source_id
    assert data_key_of(accepted) == accepted.id
    assert data_key_of(request) == request.id


def test_an_event_names_what_it_brings_into_being() -> None:
    """Ids are found again by the event that made them; an acceptance names its revision."""
    story = whole_project()
    accepted = before(story, "delta.accepted.v1").event
    assert subjects_of(CAPTURED) == (CAPTURED.body.source_id,)  # type: ignore[attr-defined]
    assert subjects_of(accepted) == ()
    assert (revision_of(accepted), revision_of(CAPTURED)) == (1, None)


def _step(event_type: str) -> Any:
    """Return a step that renames the type and turns the old field `secret` into `visibility`."""

    def step(event: dict[str, Any]) -> dict[str, Any]:
        body = dict(event["body"])
        secret = body.pop("secret", None)
        if secret is not None:
            body["visibility"] = "private" if secret else "shared"
        return {**event, "type": event_type, "body": body}

    return step


def old_capture() -> bytes:
    """Return the bytes of a capture as a made-up earlier version would have written them."""
    body = decode_canonical(event_bytes(CAPTURED))["body"]
    body["secret"] = body.pop("visibility") == "private"
    return raw(type="source.captured.v-1", body=body)


def test_an_event_of_an_earlier_version_is_read_as_the_current_one() -> None:
    """Two steps in a row lead from a made-up old capture to today's, and the old bytes stay as they are."""
    data = old_capture()
    steps = {
        "source.captured.v-1": _step("source.captured.v0"),
        "source.captured.v0": _step("source.captured.v1"),
    }
    assert decode_any(data, openings_of(CAPTURED), steps) == CAPTURED
    assert data == old_capture()


def test_without_a_step_an_earlier_version_is_unknown() -> None:
    """No step is guessed."""
    with pytest.raises(UnknownEventError, match=r"source\.captured\.v-1"):
        decode_any(old_capture(), {})


def test_a_step_leads_to_the_next_version_of_the_same_event() -> None:
    """A step that skips a version or changes the event is refused before it is believed."""
    steps = {"source.captured.v-1": _step("source.captured.v1")}
    message = "the step from source.captured.v-1 leads to source.captured.v1, not to source.captured.v0"
    expected = (HistoryError, "history_invalid", message)
    assert refusal_of(lambda: decode_any(old_capture(), {}, steps)) == expected


def test_a_current_event_passes_unchanged() -> None:
    """There is no step yet, so reading of any version is reading of this one."""
    event = decode_canonical(event_bytes(CAPTURED))
    assert upcast(event) is event
    assert (dict(STEPS), next_version("run.lost.v1")) == ({}, "run.lost.v2")
    assert decode_any(event_bytes(CAPTURED), {}) == CAPTURED


def test_words_equal_by_what_they_commit_to() -> None:
    """Erased words are the same words: an opening is knowledge about a value, not part of it."""
    content = CAPTURED.body.content  # type: ignore[attr-defined]
    erased = replace(CAPTURED, body=CAPTURED.body.model_copy(update={"content": Words(content.commitment)}))
    assert erased == CAPTURED
    assert hash(Words(content.commitment)) == hash(content)
    assert Words(content.commitment).or_erased() == "(these words were erased)"
