"""Sentences of the outside, cut to what the ledger keeps of them."""

from typing import Final

SENTENCE_BYTES_MAX: Final = 4000


def cut(text: str) -> str:
    """Return the text, or its beginning with a mark when it is too long to be kept. Never breaks a character."""
    data = text.encode("utf-8", "replace")
    if len(data) <= SENTENCE_BYTES_MAX:
        return data.decode("utf-8")
    return data[:SENTENCE_BYTES_MAX].decode("utf-8", "ignore") + " [cut]"
