"""What an event may hold: immutable all the way down, documented, and no plain text that could be somebody's words."""

import types
import typing
from collections.abc import Iterator
from enum import StrEnum

import pytest
from pydantic import BaseModel, ValidationError

from kernel.events import BODIES
from kernel.events.body import Body
from kernel.events.source import SourceCaptured
from kernel.values.recorded import Recorded
from kernel.values.words import Words
from tests.support.spec import before
from tests.support.whole import whole_project

SCALARS = (str, int, bool, type(None))

STRUCTURAL: dict[str, str] = {
    "_id": "an id of the ledger, or a configured name, checked where it first appears",
    "profile_id": "a configured name, by rule",
    "_ids": "ids of the ledger, or configured names",
    "_digest": "a digest computed by the host",
    "_digests": "digests computed by the host",
    "_commit": "a Git object id",
    "_blob": "a Git object id",
    "_mode": "a Git file mode",
    "_tree": "a Git object id",
    "_ref": "a ref of a configured repository",
    "_paths": "paths a profile names",
    "_root": "a digest computed by the host",
    "id": "an id of the ledger, or a requirement's name in its profile",
    "digest": "a digest computed by the host",
    "commit": "a Git object id",
    "tree": "a Git object id",
    "ref": "a ref of a configured repository",
    "path": "a path that the profile allows, or that a person accepted for an Artifact",
    "artifact_path": "a path that a person accepted for an Artifact, relative and normalised by rule",
    "expected_artifacts": "paths a profile names",
    "relations": "ids of the ledger",
    "supersedes": "an id of the ledger",
    "duplicate_of": "an id of the ledger",
    "seen": "a digest computed by the host",
    "observed_before": "a Git object id",
    "observed_after": "a Git object id",
    "expires_at": "a moment, by rule",
    "start_before": "a moment, by rule",
    "reserved_until": "a moment, by rule",
    "code": "a machine's code, by rule",
    "reason": "a machine's code, by rule",
    "why": "one of three words, by rule",
    "tier": "one of three words, by rule",
    "public_key": "a key, base64",
    "payload_type": "a media type the host sets",
    "payload": "a statement of the host's own keys, base64",
    "signature": "a signature, base64",
    "name": "what the host confined, from a list of its own",
    "until": "a moment, spelled one way",
    "value": "how the host confined it, from its own measures",
}
"""Field name, or its ending, of every plain text an event may hold -> why it can be no free text."""


def records() -> Iterator[type[BaseModel]]:
    """Yield each event body and each record inside one, once."""
    waiting: list[object] = list(BODIES.values())
    seen: set[object] = set()
    while waiting:
        item = waiting.pop()
        if item in seen:
            continue
        seen.add(item)
        if isinstance(item, type) and issubclass(item, BaseModel):
            yield item
            waiting.extend(field.annotation for field in item.model_fields.values())
        waiting.extend(typing.get_args(item))


def leaves(annotation: object) -> Iterator[object]:
    """Yield the types an annotation is made of, refusing every container but a tuple of any length."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        yield from leaves(arguments[0])
    elif origin in {typing.Union, types.UnionType}:
        for argument in arguments:
            yield from leaves(argument)
    elif origin is tuple:
        assert arguments[1:] == (Ellipsis,)
        yield from leaves(arguments[0])
    elif origin is typing.Literal:
        yield from {type(value) for value in arguments}
    else:
        assert origin is None, f"{annotation} is no tuple"
        yield annotation


RECORDS = sorted(set(records()), key=lambda record: record.__name__)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_an_event_is_immutable_all_the_way_down(record: type[BaseModel]) -> None:
    """Its fields are tuples, frozen records, words, closed words and plain scalars; no float, list or map."""
    assert issubclass(record, Recorded)
    assert {name: record.model_config.get(name) for name in ("frozen", "strict", "extra")} == {
        "frozen": True,
        "strict": True,
        "extra": "forbid",
    }
    for field in record.model_fields.values():
        for leaf in leaves(field.annotation):
            assert isinstance(leaf, type)
            assert leaf in SCALARS or leaf is Words or issubclass(leaf, StrEnum | Recorded)
        assert field.default_factory is None


def _why(name: str) -> str | None:
    if name in STRUCTURAL:
        return STRUCTURAL[name]
    return next((why for end, why in STRUCTURAL.items() if end.startswith("_") and name.endswith(end)), None)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_no_plain_text_of_an_event_can_be_free_text(record: type[BaseModel]) -> None:
    """Each field that is plain text is on the list of structural ones, with the reason why it is one."""
    plain = [
        name
        for name, field in record.model_fields.items()
        if any(leaf is str for leaf in leaves(field.annotation)) and not _closed(field.annotation)
    ]
    assert [name for name in plain if _why(name) is None] == []


def _closed(annotation: object) -> bool:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    return origin is typing.Literal or (origin is tuple and _closed(arguments[0]))


def test_the_list_of_structural_texts_has_no_dead_row() -> None:
    """What no event holds any more leaves the list, so that nothing slips in under an old reason."""
    names = {name for record in RECORDS for name in record.model_fields}
    used = {row for row in STRUCTURAL if any(name == row or name.endswith(row) for name in names)}
    assert used == set(STRUCTURAL)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_every_field_says_what_it_holds(record: type[BaseModel]) -> None:
    """docs/events.md is made from these lines: one sentence for the record, one line for each field."""
    assert record.__doc__
    assert [name for name, field in record.model_fields.items() if not field.description] == []


@pytest.mark.parametrize("body", BODIES.values(), ids=lambda body: body.TYPE)
def test_a_body_creates_and_is_keyed_by_fields_it_has(body: type[Body]) -> None:
    """The ids it brings into being and the source that keys its words are fields of its own."""
    assert set(body.CREATES) <= set(body.model_fields)
    assert body.KEYED_BY == "event" or body.KEYED_BY in body.model_fields
    assert body.TYPE.endswith(".v1")


def test_a_body_cannot_be_changed_and_takes_no_unknown_field() -> None:
    """Assignment and a field too many are refused by the record itself."""
    body = before(whole_project(), "source.captured.v1").event.body
    with pytest.raises(ValidationError, match="frozen"):
        body.size_bytes = 1  # type: ignore[attr-defined]
    with pytest.raises(ValidationError, match="Extra inputs"):
        SourceCaptured.model_validate({**body.model_dump(), "mood": "good"})
    with pytest.raises(ValidationError, match="valid integer"):
        SourceCaptured.model_validate({**body.model_dump(), "size_bytes": "10"})
