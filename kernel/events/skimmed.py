"""Reads, out of the bytes of one event of a proved history, what a replay asks for, and skips the rest.

Making objects of everything that stands in an event costs more than folding it. What is skimmed is what `proved` reads
of the same bytes, in the same types, which a property test holds it to. Owns the quick way only: fields that wait are
read by `proved` when somebody asks.
"""

from collections.abc import Callable, Iterable
from enum import Enum
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    NotRequired,
    TypeAlias,
    TypedDict,
    Union,
    get_args,
    get_origin,
)

import msgspec
from msgspec.structs import asdict

from kernel.events import BODIES
from kernel.events.body import Body, PartlyRead, partly_read
from kernel.events.proved import (
    PLAIN,
    BodyReader,
    Reader,
    completing,
    optional_reader,
    reader_of,
    rest_reader,
    sealed_words,
)
from kernel.values.recorded import Recorded, made
from kernel.values.words import Unseal, Words


class Skimmed(msgspec.Struct, gc=False):
    """What a replay asks of an event: where it stands, and of its body what does not wait."""

    seq: int
    id: str
    at: str
    body: dict[str, Any]


class EventReader(NamedTuple):
    """Reads the events of one type."""

    skim: Callable[[bytes], Skimmed]
    """Raises msgspec's own errors for bytes that are no such event."""
    body: BodyReader
    """Makes the body of what was skimmed, which becomes part of it."""
    body_class: type[Body]


def event_reader(event_type: str) -> EventReader:
    """Return what reads events of this type out of their bytes.

    Raises: KeyError when this version does not know the type.
    """
    body_class = BODIES[event_type]
    names = body_class.AT_ONCE if issubclass(body_class, PartlyRead) else tuple(body_class.model_fields)
    fields = {name: body_class.model_fields[name] for name in names}
    spelled = {name: _spelled(field.rebuild_annotation()) for name, field in fields.items()}
    wire = {
        name: spelling.wire if fields[name].is_required() else NotRequired[spelling.wire]
        for name, spelling in spelled.items()
    }
    # A type of the catalogue's own making, which no checker can know.
    body: Any = TypedDict("Body", wire)  # type: ignore[misc]
    skimmed = msgspec.defstruct(
        "Skimmed", [("body", body)], bases=(Skimmed,), tag_field="type", tag=event_type, gc=False
    )
    skim: Callable[[bytes], Any] = msgspec.json.Decoder(skimmed).decode
    read = completing(fields, {name: spelling.reader for name, spelling in spelled.items()})
    return EventReader(skim, _body_reader(body_class, read, spelled.values()), body_class)


def _body_reader(body_class: type[Body], read: Reader, spelled: Iterable["_Spelling"]) -> BodyReader:
    if not issubclass(body_class, PartlyRead):
        return lambda data, _, unseal: made(body_class, read(data, unseal))
    rest, count = rest_reader(body_class), len(body_class.AT_ONCE)
    if any(spelling.reader for spelling in spelled):
        return lambda data, event, unseal: partly_read(body_class, read(data, unseal), (rest, event, unseal))

    def as_it_is(data: dict[str, Any], event: bytes, unseal: Unseal | None) -> Body:
        fields = data if len(data) == count else read(data, unseal)
        return partly_read(body_class, fields, (rest, event, unseal))

    return as_it_is


class _Spelling(NamedTuple):
    """How a field is skimmed, and what makes its value of that; None when it is its value."""

    wire: Any
    reader: Reader | None


def _spelled(annotation: Any) -> _Spelling:  # noqa: ANN401 - any annotation
    """Return how a field of this type is skimmed: whatever needs no reader of ours is read as it is."""
    if annotation in PLAIN:
        return _Spelling(annotation, None)
    if get_origin(annotation) is Literal:
        return _Spelling(str, None)
    if annotation is Words:
        return _Spelling(str, sealed_words)
    if get_origin(annotation) is tuple:
        return _several(_spelled(get_args(annotation)[0]))
    if get_origin(annotation) is Annotated:
        return _one_of(get_args(get_args(annotation)[0]))
    if get_origin(annotation) is UnionType:
        (inner,) = [_spelled(part) for part in get_args(annotation) if part is not NoneType]
        return _Spelling(inner.wire | None, None if inner.reader is None else optional_reader(inner.reader))
    if issubclass(annotation, Enum):
        return _Spelling(annotation, None)
    return _Spelling(dict[str, Any], reader_of(annotation))


def _several(inner: _Spelling) -> _Spelling:
    wire, one = tuple[inner.wire, ...], inner.reader  # type: ignore[name-defined]
    if one is None:
        return _Spelling(wire, None)
    return _Spelling(wire, lambda items, unseal: tuple([one(item, unseal) for item in items]))


_Sealing: TypeAlias = tuple[type[Recorded], str, tuple[tuple[str, Reader], ...]]
"""A record's class, its `op`, and the readers of its fields that are no values yet."""


def _one_of(records: tuple[type[Recorded], ...]) -> _Spelling:
    """Return how one of several records is skimmed, told apart by `op`, the only discriminator of the catalogue."""
    ways: dict[type[msgspec.Struct], _Sealing] = {}
    for record in records:
        fields = {name: field for name, field in record.model_fields.items() if name != "op"}
        spelled = {name: _spelled(field.rebuild_annotation()) for name, field in fields.items()}
        wire: list[tuple[str, Any] | tuple[str, Any, Any]] = [
            (name, spelled[name].wire) if field.is_required() else (name, spelled[name].wire, field.default)
            for name, field in fields.items()
        ]
        op = record.model_fields["op"].default
        skimmed = msgspec.defstruct(
            record.__name__, wire, tag_field="op", tag=op, gc=False, kw_only=True, forbid_unknown_fields=True
        )
        readers = tuple((name, item.reader) for name, item in spelled.items() if item.reader is not None)
        ways[skimmed] = (record, op, readers)

    def one(skimmed: msgspec.Struct, unseal: Unseal | None) -> Recorded:
        record, op, readers = ways[type(skimmed)]
        fields = asdict(skimmed)
        fields["op"] = op
        for name, reader in readers:
            fields[name] = reader(fields[name], unseal)
        return made(record, fields)

    return _Spelling(Union[tuple(ways)], one)  # noqa: UP007 - of as many as there are
