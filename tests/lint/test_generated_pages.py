"""What the generators of docs/events.md and .env.example say about one field."""

from typing import Annotated, Literal

import pytest
from pydantic import Field

from kernel.values.words import Words
from tests.lint.events_doc import type_words


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (str, "text"),
        (int | None, "whole number or none"),
        (tuple[Words, ...], "list of `Words`"),
        (Literal["a", "b"], "one of `a`, `b`"),
        (Annotated[bool, Field()], "yes or no"),
    ],
)
def test_a_field_type_is_said_in_words(annotation: object, words: str) -> None:
    """The events page names types as a reader would, not as Python does."""
    assert type_words(annotation) == words
