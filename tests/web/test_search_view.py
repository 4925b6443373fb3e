"""How found words are cut: behind a word, around what was looked for, and never losing it from sight."""

import pytest

from app.views.building.search import EXTRACT_SHOWN, cut, extract


@pytest.mark.parametrize(
    ("line", "most", "shown"),
    [
        ("a tile", 6, "a tile"),
        ("a tile or two", 6, "a tile …"),
        ("a tile or two", 8, "a tile …"),
        ("tilesandgrout", 5, "tiles …"),
        ("", 5, ""),
    ],
)
def test_a_line_is_cut_behind_a_word(line: str, most: int, shown: str) -> None:
    """What fits stays whole; only a single word that is longer is cut within."""
    assert cut(line, most) == shown


def test_an_extract_shows_the_words_that_were_looked_for() -> None:
    """A long text is shown around the first of them; from its beginning, or not at all, when it holds none."""
    text = f"{'before ' * 60}Tiles are here {'after ' * 60}"
    shown = extract(text, ("tile",))
    assert shown.startswith("… before ")
    assert "Tiles are here after" in shown
    assert shown.endswith("after …")
    assert len(shown) <= EXTRACT_SHOWN + 4
    assert extract(text, ("zebra",)).startswith("before before")
    assert extract(text, ("zebra",), needs_word=True) == ""
    assert extract("two\nlines", ()) == "two lines"
