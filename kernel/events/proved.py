"""Reads event bodies out of a history that is proved to be the one that was written.

`decode_event` asks of everything whether it may stand in an event. Events were asked that when they were written;
where the hashes of their bytes make the signed root, asking again finds nothing new, and a replay only has to put
each field into its type. What this module returns is what `decode_event` returns, which a property test holds it
to; bytes that were never written make it raise, or return anything. Readers are built once from the catalogue's
own annotations: a new event needs nothing here.
"""

from collections.abc import Callable
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args, get_origin

from kernel.canonical import Json
from kernel.events import BODIES
from kernel.events.body import Body
from kernel.values.recorded import Recorded
from kernel.values.words import SealedWords, Unseal, Words

Reader: TypeAlias = Callable[[Any, Unseal | None], Any]
"""JSON data, and what opens the event's words -> the value of a field."""

_PLAIN: Final = frozenset({str, int, bool, NoneType})

_new: Final = object.__new__
_set: Final = object.__setattr__


def body_reader(event_type: str) -> Callable[[dict[str, Json], Unseal | None], Body]:
    """Return what reads the body of this event out of its JSON data, which becomes part of the body.

    Raises: KeyError when this version does not know the type.
    """
    return _BODY_READERS[event_type]


def _reader(annotation: Any) -> Reader | None:  # noqa: ANN401 - any annotation
    """Return what reads a field of this type, or None when its JSON data is its value."""
    if annotation in _PLAIN or get_origin(annotation) is Literal:
        return None
    if annotation is Words:
        return _words
    if get_origin(annotation) is tuple:
        return _tuple_reader(_reader(get_args(annotation)[0]))
    if get_origin(annotation) is Annotated:
        return _choice_reader(get_args(get_args(annotation)[0]))
    if get_origin(annotation) is UnionType:
        (inner,) = [_reader(part) for part in get_args(annotation) if part is not NoneType]
        return inner and _optional_reader(inner)
    if issubclass(annotation, Enum):
        return _enum_reader(annotation)
    return record_reader(annotation)


def _words(commitment: str, unseal: Unseal | None) -> Words:
    return Words(commitment) if unseal is None else SealedWords(commitment, unseal)


def _tuple_reader(inner: Reader | None) -> Reader:
    if inner is None:
        return lambda items, _: tuple(items)
    return lambda items, unseal: tuple([inner(item, unseal) for item in items]) if items else ()


def _optional_reader(inner: Reader) -> Reader:
    return lambda value, unseal: None if value is None else inner(value, unseal)


def _enum_reader(members: type[Enum]) -> Reader:
    by_value = {member.value: member for member in members}
    return lambda value, _: by_value[value]


def _choice_reader(records: tuple[type[Recorded], ...]) -> Reader:
    """Return what reads one of several records, told apart by `op`, the only discriminator of the catalogue."""
    readers = {record.model_fields["op"].default: record_reader(record) for record in records}
    return lambda value, unseal: readers[value["op"]](value, unseal)


def record_reader(record_class: type[Recorded]) -> Callable[[dict[str, Json], Unseal | None], Any]:
    """Return what makes a record of this class from JSON data, which becomes the record's own fields.

    Raises: KeyError when a field is missing that has no default.
    """
    fields = record_class.model_fields
    names = set(fields)
    found = ((name, _reader(field.rebuild_annotation())) for name, field in fields.items())
    readers = tuple((name, reader) for name, reader in found if reader is not None)
    defaults = tuple((name, field.default) for name, field in fields.items() if not field.is_required())

    def read(data: dict[str, Json], unseal: Unseal | None) -> Recorded:
        for name, read_field in readers:
            if name in data:
                data[name] = read_field(data[name], unseal)
        if len(data) != len(names):
            _complete(data)
        record = _new(record_class)
        _set(record, "__dict__", data)
        _set(record, "__pydantic_fields_set__", names)
        _set(record, "__pydantic_extra__", None)
        _set(record, "__pydantic_private__", None)
        return record

    def _complete(data: dict[str, Json]) -> None:
        for name, default in defaults:
            data.setdefault(name, default)
        if data.keys() != names:
            raise KeyError(*(names ^ data.keys()))

    return read


_BODY_READERS: Final = {event_type: record_reader(body) for event_type, body in BODIES.items()}
