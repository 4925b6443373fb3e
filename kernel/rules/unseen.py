"""Which characters nobody can mean when they write: refused by name and place, whoever's door they came through.

Controls drive terminals, direction controls turn the text around them, and half a surrogate pair is no character:
none of them can be seen where it is typed. Every other character is kept exactly and never normalised. Marks that
right-to-left scripts and emoji are spelled with stay, and what else leaves no ink is shown by its name (ADR 0030).
"""

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Final

from kernel.commands import Command
from kernel.errors import InvalidError
from kernel.values.stamp import Actor
from kernel.vocabulary import ActorKind

_UNMEANT: Final = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Controls but tab, line feed, form feed and carriage return; embeddings, overrides and isolates; surrogates."""
_NAMES: Final = {
    "\x00": "a NUL",
    "\x07": "a bell",
    "\x08": "a backspace",
    "\x1b": "an escape, as terminals write it for colours",
    "\x7f": "a delete",
    "\u202a": "a left-to-right embedding",
    "\u202b": "a right-to-left embedding",
    "\u202c": "the end of an embedding",
    "\u202d": "a left-to-right override",
    "\u202e": "a right-to-left override",
    "\u2066": "a left-to-right isolate",
    "\u2067": "a right-to-left isolate",
    "\u2068": "a first-strong isolate",
    "\u2069": "the end of an isolate",
}
_WRITERS: Final = frozenset({ActorKind.HUMAN, ActorKind.AGENT, ActorKind.OPERATOR})
_BEFORE: Final = 20


def unmeant(text: str) -> str | None:
    """Return the first character of the text that nobody can mean, as a sentence says it; None when there is none."""
    found = _UNMEANT.search(text)
    if found is None:
        return None
    at, letter = found.start(), found.group()
    name = _NAMES.get(letter) or _class(letter)
    before = "".join(text[max(0, at - _BEFORE) : at].split("\n")[-1:]).strip()
    place = f"at place {at + 1}" + (f", after “{before}”" if before else "")
    return f"the character U+{ord(letter):04X} {place}: {name}, which cannot be seen"


def _class(letter: str) -> str:
    if "\udc80" <= letter <= "\udcff":
        # As Python spells what a terminal or a program handed over.
        return "half of a character, or a byte that is no UTF-8"
    return "half of a character" if letter >= "\ud800" else "a control character"


def require_meant(text: str, what: str) -> None:
    """Refuse a text with a character that nobody can mean.

    Raises: InvalidError naming the character, its place and the way out.
    """
    found = unmeant(text)
    if found is not None:
        message = f"the {what} holds {found}. Take it out, or type that part anew, and send it again"
        raise InvalidError(message, code="unseen_character")


def check_writing(command: Command, actor: Actor) -> None:
    """Refuse what a person or an agent asks for when a text of it holds a character that nobody can mean.

    What a manager or a provider answered is kept exactly and shown with such characters named.
    Raises: InvalidError.
    """
    if actor.kind in _WRITERS:
        for what, text in _texts(command, "text"):
            require_meant(text, what)


def _texts(value: object, what: str) -> Iterator[tuple[str, str]]:
    """Yield (name of the field, text) for every text in a command."""
    if isinstance(value, str):
        yield what, value
    elif isinstance(value, tuple):
        for item in value:
            yield from _texts(item, what)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _texts(getattr(value, field.name), _called(field.name))


def _called(name: str) -> str:
    return {"corrections": "correction", "rationale": "reason"}.get(name, name.replace("_", " "))
