"""The base of every value that can stand in an event."""

from typing import Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict


class Recorded(BaseModel):
    """A frozen, strict record without unknown fields; sequences are tuples, enums are given by value.

    Strictness is about types, not about lists: canonical JSON has arrays, so tuples are read from lists.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)


R = TypeVar("R", bound=Recorded)

_FIELDS: Final[dict[type[Recorded], set[str]]] = {}
"""Record class -> the names of its fields, as every record of it that was made shares them."""

_new: Final = object.__new__
_set_fields: Final = BaseModel.__dict__["__dict__"].__set__
_set_names: Final = BaseModel.__dict__["__pydantic_fields_set__"].__set__
_set_extra: Final = BaseModel.__dict__["__pydantic_extra__"].__set__
_set_private: Final = BaseModel.__dict__["__pydantic_private__"].__set__


def made(record_class: type[R], fields: dict[str, Any]) -> R:
    """Return the record of these fields, which become its own: all that the class has, each of its type.

    Nothing is checked. For what was checked before: what the kernel computes from records, and what is read out
    of a history that is proved. Checking again costs ten times as much.
    """
    names = _FIELDS.get(record_class)
    if names is None:
        names = _FIELDS[record_class] = set(record_class.model_fields)
    record = _new(record_class)
    _set_fields(record, fields)
    _set_names(record, names)
    _set_extra(record, None)
    _set_private(record, None)
    return record
