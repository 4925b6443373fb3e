"""How wide words are in the letters of the Map, and how a title is cut into lines of a box.

A drawing that is made on a server cannot measure letters, so this knows the rough width of each; it errs to the wide side.
"""

from collections.abc import Iterator
from typing import Final

WIDE: Final = 126
"""How wide a line inside a box may be, in pixels of the drawing."""
_ELLIPSIS: Final = " …"
_WIDTHS: Final = (
    ("iIjl.,:;'|!", 4.0),
    (' ftr()[]-/"', 5.2),
    ("mw%", 12.0),
    ("MW@", 13.0),
)
_SMALL, _CAPITAL, _FOREIGN = 7.9, 9.8, 14.5
_BEYOND: Final = 0x2E80
"""From here on most scripts are as wide as they are high."""


def width(text: str) -> float:
    """Return about how wide a text is in the letters of a title, in pixels."""
    return sum(_letter(letter) for letter in text)


def _letter(letter: str) -> float:
    for letters, wide in _WIDTHS:
        if letter in letters:
            return wide
    if ord(letter) >= _BEYOND:
        return _FOREIGN
    return _CAPITAL if letter.isupper() else _SMALL


def lines(text: str, most: int) -> tuple[str, ...]:
    """Return a text in at most so many lines that fit into a box; what does not fit is told by an ellipsis."""
    found = [""]
    for piece in _pieces(text):
        longer = f"{found[-1]} {piece}".strip()
        if width(longer) <= WIDE:
            found[-1] = longer
        else:
            found.append(piece)
    if len(found) <= most:
        return tuple(found)
    last = found[most - 1]
    while width(last + _ELLIPSIS) > WIDE:
        last = last[:-1].rstrip()
    return (*found[: most - 1], last + _ELLIPSIS)


def _pieces(text: str) -> Iterator[str]:
    """Yield the words of a text; one that is wider than a line in pieces."""
    for word in text.split():
        rest = word
        while width(rest) > WIDE:
            end = next(at for at in range(1, len(rest) + 1) if width(rest[: at + 1]) > WIDE)
            yield rest[:end]
            rest = rest[end:]
        yield rest
