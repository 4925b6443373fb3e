"""The base of every event body: a wire name, the ids it creates, and which data key protects its words."""

from typing import ClassVar, Literal

from kernel.values.recorded import Recorded


class Body(Recorded):
    """What one event says happened. Subclasses are named subject + past participle and never change once shipped."""

    TYPE: ClassVar[str]
    """Wire name with its version, such as `source.captured.v1`."""

    CREATES: ClassVar[tuple[str, ...]] = ()
    """Fields whose ids come into being with this event."""

    KEYED_BY: ClassVar[Literal["event", "source_id", "source_ids"]] = "event"
    """The field naming the source whose data key protects this event's words; `event`: a key of its own."""
