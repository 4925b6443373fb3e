"""Makes what cannot be seen visible: the one way free text reaches a page or a terminal.

Text from people, managers and agents is hostile until read. Controls can drive a terminal, bidi marks can
reorder a sentence, and invisible characters can hide a second message in an innocent one. `display` keeps
every visible character as it is and writes the others as a name in brackets. It never changes what is stored.
"""

import re
import unicodedata
from typing import Final

_KEPT: Final = frozenset("\n\t")
_SHOWN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BLANK_LETTERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and symbols by their category that nevertheless leave no ink."""
_JOINERS: Final = frozenset("\u200c\u200d")
_JOINABLE: Final = frozenset({"So", "Sk", "Lo", "Mn", "Mc"})
_EMOJI_STYLE: Final = "\ufe0f"
_DOUBTFUL: Final = re.compile(
    "[" + "".join(sorted(_BLANK_LETTERS)) + "\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
"""Characters that Python calls printable and that may leave no ink."""


def _is_variation_selector(char: str) -> bool:
    return (
        "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef" or "\u180b" <= char <= "\u180f"
    )


def _joins(before: str, after: str) -> bool:
    """Return whether a joiner between the two is spelling: Persian, Indic scripts, or an emoji sequence."""
    return all(
        char > "\x7f" and unicodedata.category(char) in _JOINABLE and char not in _BLANK_LETTERS
        for char in (before, after)
    )


def _is_hidden(text: str, at: int) -> bool:
    char = text[at]
    before, after = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    if char in _JOINERS:
        return not (before and after and _joins(before, after))
    if char == _EMOJI_STYLE:
        return not (before and unicodedata.category(before) in {"So", "Po", "Nd"})
    return (
        char in _BLANK_LETTERS
        or _is_variation_selector(char)
        or unicodedata.category(char) in _SHOWN_CATEGORIES
    )


def visible_name(char: str) -> str:
    """Return the bracketed name of one character, such as `⟦U+202E⟧`."""
    return f"⟦U+{ord(char):04X}⟧"


def _is_plain(text: str) -> bool:
    """Tell at once, for nearly every text, that nothing in it is hidden."""
    if not text.isprintable() and not text.replace("\n", "").replace("\t", "").isprintable():
        return False
    return text.isascii() or _DOUBTFUL.search(text) is None


def display(text: str) -> str:
    """Return the text with every control, bidi and invisible character written as its name.

    Line feeds and tabs stay, and a carriage return before a line feed is dropped. A joiner or an emoji style
    mark stays where it is spelling, so that Persian, Indic scripts and emoji read as they should.
    """
    plain = text.replace("\r\n", "\n") if "\r" in text else text
    if _is_plain(plain):
        return plain
    return "".join(
        visible_name(char) if char not in _KEPT and _is_hidden(plain, at) else char
        for at, char in enumerate(plain)
    )
