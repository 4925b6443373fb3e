"""Bounds on words. Words that were erased have no text and pass: their bounds held when they were written."""

from kernel.errors import InvalidError
from kernel.values.words import Words


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
