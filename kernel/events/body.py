"""The base of every event body: a wire name, the ids it creates, and which data key protects its words."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from pydantic import BaseModel

from kernel.values.recorded import Recorded


class Body(Recorded):
    """What one event says happened. Subclasses are named subject + past participle and never change once shipped."""

    TYPE: ClassVar[str]
    """Wire name with its version, such as `source.captured.v1`."""

    CREATES: ClassVar[tuple[str, ...]] = ()
    """Fields whose ids come into being with this event."""

    KEYED_BY: ClassVar[Literal["event", "source_id", "source_ids"]] = "event"
    """The field naming the source whose data key protects this event's words; `event`: a key of its own."""


_FIELDS: Final = BaseModel.__dict__["__dict__"]
"""Where a record really keeps its fields, whatever a class says in its place."""


class PartlyRead(Body):
    """A body that a replay reads in part: its longer fields are read when somebody first asks for one.

    Whoever asks for the fields as a whole has them read too, so that comparing, copying, printing and writing such
    a body says all of it. One that was made in the usual way has nothing left to read.
    """

    LATER: ClassVar[tuple[str, ...]]
    """The fields that wait."""

    __slots__ = ("_rest",)

    if not TYPE_CHECKING:

        @property
        def __dict__(self) -> dict[str, Any]:
            """All fields by name; what waited is read first."""
            fields = _FIELDS.__get__(self)
            rest = getattr(self, "_rest", None)
            if rest is not None:
                # The fields first: another thread that sees nothing waiting must see them.
                fields.update(rest())
                object.__setattr__(self, "_rest", None)
            return fields

        @__dict__.setter
        def __dict__(self, fields: dict[str, Any]) -> None:
            _FIELDS.__set__(self, fields)

        def __getattr__(self, name: str) -> object:
            """Return a field that waited. Called only for what is not there."""
            if name in self.LATER and getattr(self, "_rest", None) is not None:
                return self.__dict__[name]
            return super().__getattr__(name)


def read_later(body: PartlyRead, rest: Callable[[], dict[str, Any]]) -> None:
    """Let `rest` read the fields that wait; it is pure, and called when somebody asks for one."""
    object.__setattr__(body, "_rest", rest)
