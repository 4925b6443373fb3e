"""The base of every value that can stand in an event."""

from pydantic import BaseModel, ConfigDict


class Recorded(BaseModel):
    """A frozen, strict record without unknown fields; sequences are tuples, enums are given by value.

    Strictness is about types, not about lists: canonical JSON has arrays, so tuples are read from lists.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)
