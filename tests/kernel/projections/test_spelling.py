"""Words as they were probably meant: which slips are understood, and which words are taken as written."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel.projections.spelling import distance, letters, nearest

_KNOWN = ("kitchen", "kitchens", "chicken", "bathroom", "floor", "flour", "hall")


def _nearest(word: str) -> str | None:
    return nearest(word, ((known, letters(known)) for known in _KNOWN))


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("kitchn", "kitchen"),
        ("ktichen", "kitchen"),
        ("kkitchen", "kitchen"),
        ("kichenn", "kitchen"),
        ("bathrom", "bathroom"),
        ("bathroms", "bathroom"),
        ("floot", "floor"),
        ("hal", None),
        ("halll", "hall"),
        ("flxxr", None),
        ("ka7chen", None),
        ("zebra", None),
    ],
)
def test_slips_are_understood_and_short_words_are_not_changed(word: str, meant: str | None) -> None:
    """One slip in a word of five letters, two in a word of seven; digits and short words stay as written."""
    assert _nearest(word) == meant


@settings(max_examples=200, deadline=None)
@given(st.text("abcd", max_size=5), st.text("abcd", max_size=5))
def test_the_distance_is_the_fewest_slips(one: str, other: str) -> None:
    """Counted by the recursive definition; what is farther than asked for is only said to be farther."""
    true = _slips(one, other)
    assert distance(one, other, 9) == true
    for most in range(3):
        assert (distance(one, other, most) <= most) == (true <= most)
    assert (letters(one) ^ letters(other)).bit_count() <= 2 * true


def _slips(one: str, other: str) -> int:
    """Return the fewest slips between two words, straight from what a slip is."""
    table: dict[tuple[int, int], int] = {}
    for at, place in itertools.product(range(len(one) + 1), range(len(other) + 1)):
        ways = [at + place] if not at or not place else []
        if at and place:
            ways = [
                table[at - 1, place] + 1,
                table[at, place - 1] + 1,
                table[at - 1, place - 1] + (one[at - 1] != other[place - 1]),
            ]
        if at > 1 and place > 1 and one[at - 2 : at] == other[place - 2 : place][::-1]:
            ways.append(table[at - 2, place - 2] + 1)
        table[at, place] = min(ways)
    return table[len(one), len(other)]
