"""The base of every event body: a wire name, the ids it creates, and which data key protects its words."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeAlias, TypeVar

from pydantic import BaseModel

from kernel.values.recorded import Recorded
from kernel.values.words import Unseal


class Body(Recorded):
    """What one event says happened. Subclasses are named subject + past participle and never change once shipped."""

    TYPE: ClassVar[str]
    """Wire name with its version, such as `source.captured.v1`."""

    CREATES: ClassVar[tuple[str, ...]] = ()
    """Fields whose ids come into being with this event."""

    KEYED_BY: ClassVar[Literal["event", "source_id", "source_ids"]] = "event"
    """The field naming the source whose data key protects this event's words; `event`: a key of its own."""


P = TypeVar("P", bound="PartlyRead")

Rest: TypeAlias = tuple[Callable[[bytes, Unseal | None], dict[str, Any]], bytes, Unseal | None]
"""What reads the fields that wait, pure, the event's bytes, and what opens its words."""

_FIELDS: Final = BaseModel.__dict__["__dict__"]
"""Where a record really keeps its fields, whatever a class says in its place."""


class PartlyRead(Body):
    """A body of which a replay reads what it needs at once: the other fields are read when somebody asks for one.

    Whoever asks for the fields as a whole has them read too, so that comparing, copying, printing and writing such
    a body says all of it. One that was made in the usual way has nothing left to read.
    """

    AT_ONCE: ClassVar[tuple[str, ...]]
    """The fields that do not wait: what evolvers ask for."""

    __slots__ = ("_rest",)

    if not TYPE_CHECKING:

        @property
        def __dict__(self) -> dict[str, Any]:
            """All fields by name; what waited is read first."""
            fields = _FIELDS.__get__(self)
            rest = getattr(self, "_rest", None)
            if rest is not None:
                read, event, unseal = rest
                # The fields first: another thread that sees nothing waiting must see them.
                fields.update(read(event, unseal))
                object.__setattr__(self, "_rest", None)
            return fields

        @__dict__.setter
        def __dict__(self, fields: dict[str, Any]) -> None:
            _FIELDS.__set__(self, fields)

        def __getattr__(self, name: str) -> object:
            """Return a field that waited. Called only for what is not there."""
            if name in _UNSET:
                return set(type(self).model_fields) if name == "__pydantic_fields_set__" else None
            if name in type(self).model_fields:
                # What waited is there now, whichever thread was first.
                fields = self.__dict__
                if name in fields:
                    return fields[name]
            return super().__getattr__(name)


_UNSET: Final = frozenset({"__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__"})
"""What the framework keeps beside the fields; a body that was read in part does without, and says what it would say."""

_new: Final = object.__new__
_set_fields: Final = _FIELDS.__set__
_set_rest: Final = PartlyRead.__dict__["_rest"].__set__


def partly_read(body_class: type[P], fields: dict[str, Any], rest: Rest) -> P:
    """Return the body of these fields, which become its own, and of those that `rest` reads when they are asked for."""
    body = _new(body_class)
    _set_fields(body, fields)
    _set_rest(body, rest)
    return body
