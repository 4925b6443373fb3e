"""Bounds on words, and the form of the few plain texts an event may hold.

Words that were erased have no text and pass: their bounds held when they were written.
"""

import re
from typing import Final

from kernel.errors import InvalidError
from kernel.events.envelope import is_moment
from kernel.values.words import Words

_CODE: Final = re.compile(r"[a-z][a-z0-9_]{0,63}", re.ASCII)
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,63}", re.ASCII)
_SLUG: Final = re.compile(r"[a-z][a-z0-9-]{0,39}", re.ASCII)


def require_code(text: str) -> None:
    """Refuse a reason that is no machine's code: free text stands in words, never beside them.

    Raises: InvalidError.
    """
    if not _CODE.fullmatch(text):
        message = f"{text!r:.80} is not a code: lower-case letters, digits and underscores, at most 64"
        raise InvalidError(message)


def require_slug(text: str, what: str) -> None:
    """Refuse an id that is no lower-case name: a person's real name is words.

    Raises: InvalidError.
    """
    if not _SLUG.fullmatch(text):
        message = f"the {what} {text!r:.80} is not a lower-case name of letters, digits and dashes"
        raise InvalidError(message)


def require_name(text: str, what: str) -> None:
    """Refuse a name that no configuration could give.

    Raises: InvalidError.
    """
    if not _NAME.fullmatch(text):
        message = f"{text!r:.80} cannot be the name of a {what}"
        raise InvalidError(message)


def require_moment(text: str, what: str) -> None:
    """Refuse a moment that does not exist or is spelled another way.

    Raises: InvalidError.
    """
    if not is_moment(text):
        message = f"the {what} {text!r:.80} is not a moment such as 2026-11-30T09:00:00.000000Z"
        raise InvalidError(message)


def require_bytes(words: Words | None, most: int, what: str) -> None:
    """Refuse words longer than `most` UTF-8 bytes.

    Raises: InvalidError naming the length and the bound.
    """
    if words is None or words.text is None:
        return
    size = len(words.text.encode("utf-8"))
    if size > most:
        message = f"the {what} has {size} bytes, at most {most} are allowed"
        raise InvalidError(message)


def require_title(words: Words | None, most: int, what: str) -> None:
    """Refuse an empty title, one of more than `most` characters, or one with line breaks.

    Raises: InvalidError.
    """
    if words is None or words.text is None:
        return
    text = words.text
    if not text.strip():
        message = f"the {what} is empty; give it a few words"
        raise InvalidError(message)
    if len(text) > most:
        message = f"the {what} has {len(text)} characters, at most {most} are allowed"
        raise InvalidError(message)
    if "\n" in text or "\r" in text:
        message = f"the {what} must be a single line"
        raise InvalidError(message)
