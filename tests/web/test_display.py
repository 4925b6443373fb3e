# ruff: noqa: RUF001 - the point of the samples
"""What cannot be seen is written out; what can be seen stays as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.web.display import display

HIDDEN = {
    "bidi override": ("pay \u202eevil", "pay ⟦U+202E⟧evil"),
    "isolate": ("a\u2066b\u2069", "a⟦U+2066⟧b⟦U+2069⟧"),
    "escape sequence": ("\x1b[31mred", "⟦U+001B⟧[31mred"),
    "bell and null": ("\x07\x00", "⟦U+0007⟧⟦U+0000⟧"),
    "zero width": ("in\u200bvisible\ufeff", "in⟦U+200B⟧visible⟦U+FEFF⟧"),
    "joiner inside a word": ("ad\u200dmin", "ad⟦U+200D⟧min"),
    "tag characters": ("a\U000e0041", "a⟦U+E0041⟧"),
    "smuggled selectors": ("a\ufe01\U000e0101", "a⟦U+FE01⟧⟦U+E0101⟧"),
    "blank letters": ("\u3164\u2800", "⟦U+3164⟧⟦U+2800⟧"),
    "line separator": ("a\u2028b", "a⟦U+2028⟧b"),
    "lone carriage return": ("good\rbad", "good⟦U+000D⟧bad"),
    "lone surrogate": ("\ud800", "⟦U+D800⟧"),
    "soft hyphen": ("co\u00adop", "co⟦U+00AD⟧op"),
}
SEEN = {
    "plain": "Check that the floor is level, 3 mm over 2 m.",
    "lines and tabs": "one\n\ttwo",
    "accents": "Größe, naïve, Ελλάδα, 中文, عربى",
    "combining": "e\u0301",
    "Persian joiner": "می\u200cخواهم",
    "emoji sequence": "👩\u200d🔧 and ❤\ufe0f",
    "hard space": "10\u00a0%",
}


@pytest.mark.parametrize(("text", "shown"), HIDDEN.values(), ids=HIDDEN)
def test_the_unseen_is_named(text: str, shown: str) -> None:
    """Each control, bidi or invisible character is written as its code point."""
    assert display(text) == shown


@pytest.mark.parametrize("text", SEEN.values(), ids=SEEN)
def test_the_visible_stays(text: str) -> None:
    """Ordinary writing of any script is shown exactly as it was written."""
    assert display(text) == text


def test_windows_line_ends_are_line_ends() -> None:
    """A carriage return before a line feed says nothing and is dropped."""
    assert display("one\r\ntwo") == "one\ntwo"


@given(st.text())
def test_display_leaves_nothing_that_drives_a_terminal(text: str) -> None:
    """Whatever goes in, only line feeds and tabs remain of the controls, and doing it twice changes nothing."""
    shown = display(text)
    assert not [char for char in shown if (char < " " or "\x7f" <= char < "\xa0") and char not in "\n\t"]
    assert display(shown) == shown


def test_the_short_way_names_every_character_that_the_long_way_names() -> None:
    """A text that is let through at a glance has nothing in it that a look at each character would name."""
    planes = (*range(0x2_0000), *range(0xE_0000, 0xE_0200), 0x10_FFFF)
    # A joiner at the end joins nothing, so it keeps the text from being let through at a glance.
    unseen = [code for code in planes if display(f"a{chr(code)}b") != display(f"a{chr(code)}b\u200d")[:-8]]
    assert unseen == []
