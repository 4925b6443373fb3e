"""Reads event bodies out of a history that is proved to be the one that was written.

`decode_event` asks of everything whether it may stand in an event. Events were asked that when they were written;
where the hashes of their bytes make the signed root, asking again finds nothing new, and a replay only has to put
each field into its type. What this module returns is what `decode_event` returns, which a property test holds it
to; bytes that were never written make it raise, or return anything. Readers are built once from the catalogue's
own annotations: a new event needs nothing here. A replay reads events one by one, straight out of their bytes, and
skips what it does not ask for (`kernel/events/skimmed`); whoever has the data of an event already uses `body_reader`.
"""

from collections.abc import Callable
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args, get_origin

import orjson
from pydantic.fields import FieldInfo

from kernel.canonical import Json
from kernel.events import BODIES
from kernel.events.body import Body, PartlyRead, partly_read
from kernel.values.recorded import Recorded, made
from kernel.values.words import SealedWords, Unseal, Words

Reader: TypeAlias = Callable[[Any, Unseal | None], Any]
"""JSON data, and what opens the event's words -> the value of a field."""

BodyReader: TypeAlias = Callable[[dict[str, Json], bytes, Unseal | None], Body]
"""The body's JSON data, which becomes part of it, the event's bytes, and what opens its words -> the body."""

PLAIN: Final = frozenset({str, int, bool, NoneType})
"""Types whose JSON data is their value."""


def body_reader(event_type: str) -> BodyReader:
    """Return what reads the body of this event. It raises KeyError for a body that lacks a field.

    Raises: KeyError when this version does not know the type.
    """
    return _BODY_READERS[event_type]


def reader_of(annotation: Any) -> Reader | None:  # noqa: ANN401 - any annotation
    """Return what reads a field of this type, or None when its JSON data is its value."""
    if annotation in PLAIN or get_origin(annotation) is Literal:
        return None
    if annotation is Words:
        return sealed_words
    if get_origin(annotation) is tuple:
        return _tuple_reader(reader_of(get_args(annotation)[0]))
    if get_origin(annotation) is Annotated:
        return _choice_reader(get_args(get_args(annotation)[0]))
    if get_origin(annotation) is UnionType:
        (inner,) = [reader_of(part) for part in get_args(annotation) if part is not NoneType]
        return None if inner is None else optional_reader(inner)
    if issubclass(annotation, Enum):
        return _enum_reader(annotation)
    return _record_reader(annotation)


def sealed_words(commitment: str, unseal: Unseal | None) -> Words:
    """Return the words of this commitment, opened when somebody asks for their text."""
    return Words(commitment) if unseal is None else SealedWords(commitment, unseal)


def _tuple_reader(inner: Reader | None) -> Reader:
    if inner is None:
        return lambda items, _: tuple(items)
    return lambda items, unseal: tuple([inner(item, unseal) for item in items]) if items else ()


def optional_reader(inner: Reader) -> Reader:
    """Return what reads a field that may be None."""
    return lambda value, unseal: None if value is None else inner(value, unseal)


def _enum_reader(members: type[Enum]) -> Reader:
    by_value = {member.value: member for member in members}
    return lambda value, _: by_value[value]


def _choice_reader(records: tuple[type[Recorded], ...]) -> Reader:
    """Return what reads one of several records, told apart by `op`, the only discriminator of the catalogue."""
    readers = {record.model_fields["op"].default: _record_reader(record) for record in records}
    return lambda value, unseal: readers[value["op"]](value, unseal)


def _record_reader(record_class: type[Recorded]) -> Callable[[dict[str, Json], Unseal | None], Any]:
    read = _fields_reader(record_class, tuple(record_class.model_fields))
    return lambda data, unseal: made(record_class, read(data, unseal))


def _fields_reader(record_class: type[Recorded], names: tuple[str, ...]) -> Reader:
    """Return what puts these fields of JSON data into their types, in place, and completes those that are absent."""
    fields = {name: record_class.model_fields[name] for name in names}
    return completing(fields, {name: reader_of(field.rebuild_annotation()) for name, field in fields.items()})


def completing(fields: dict[str, FieldInfo], found: dict[str, Reader | None]) -> Reader:
    """Return what puts fields into their types, in place, by the readers that were found for them.

    It raises KeyError when one is absent that has no default, or when there are others.
    """
    readers = tuple((name, reader) for name, reader in found.items() if reader is not None)
    defaults = {name: field.default for name, field in fields.items() if not field.is_required()}
    count = len(fields)

    def read(data: dict[str, Json], unseal: Unseal | None) -> dict[str, Any]:
        if len(data) != count:
            for name in fields.keys() - data.keys():
                data[name] = defaults[name]
            if len(data) != count:
                raise KeyError(*(data.keys() - fields.keys()))
        for name, reader in readers:
            data[name] = reader(data[name], unseal)
        return data

    return read


def _body_reader(body_class: type[Body]) -> BodyReader:
    if issubclass(body_class, PartlyRead):
        return _partly_reader(body_class)
    read = _record_reader(body_class)
    return lambda data, _, unseal: read(data, unseal)


def _partly_reader(body_class: type[PartlyRead]) -> BodyReader:
    """Return what reads the fields that do not wait, and lets the event's bytes tell the others later."""
    names = body_class.AT_ONCE
    read, read_rest = _fields_reader(body_class, names), rest_reader(body_class)

    def read_in_part(data: dict[str, Json], event: bytes, unseal: Unseal | None) -> Body:
        fields = read({name: data[name] for name in names if name in data}, unseal)
        return partly_read(body_class, fields, (read_rest, event, unseal))

    return read_in_part


def rest_reader(body_class: type[PartlyRead]) -> Callable[[bytes, Unseal | None], dict[str, Any]]:
    """Return what reads the fields that wait out of an event's bytes."""
    names = tuple(name for name in body_class.model_fields if name not in body_class.AT_ONCE)
    read = _fields_reader(body_class, names)

    def rest(event: bytes, unseal: Unseal | None) -> dict[str, Any]:
        data = orjson.loads(event)["body"]
        for name in body_class.AT_ONCE:
            data.pop(name, None)
        return read(data, unseal)  # type: ignore[no-any-return]

    return rest


_BODY_READERS: Final = {event_type: _body_reader(body) for event_type, body in BODIES.items()}
