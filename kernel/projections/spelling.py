"""A word as it was probably meant: the known word that is nearest to one that nothing holds.

A slip is one letter added, left out, replaced, or swapped with its neighbour. Short words are taken as they are
written, since too many real words lie one letter apart.
"""

from collections.abc import Iterable
from typing import Final

SHORT: Final = 5
"""Words of fewer letters are never read as another word."""
LONG: Final = 7
"""From how many letters on a word may have two slips instead of one."""


def nearest(word: str, known: Iterable[tuple[str, int]]) -> str | None:
    """Return the known word that is the fewest slips away, or None when none is near.

    `known` holds words with their `letters`. Of several, one that begins with the same letter is meant, then the one
    of the same length, then the first by alphabet. O(known words), most of them passed over by their letters.
    """
    if len(word) < SHORT or not word.isalpha():
        return None
    most = 1 if len(word) < LONG else 2
    mask, length = letters(word), len(word)
    best: tuple[int, bool, int, str] | None = None
    for other, other_mask in known:
        if (mask ^ other_mask).bit_count() > 2 * most or abs(len(other) - length) > most:
            continue
        slips = distance(word, other, most)
        if slips <= most:
            found = (slips, other[:1] != word[:1], abs(len(other) - length), other)
            best = found if best is None or found < best else best
    return None if best is None else best[3]


def letters(word: str) -> int:
    """Return which letters a word has, a bit for each: a slip changes at most two of them."""
    mask = 0
    for letter in word:
        mask |= 1 << (ord(letter) & 63)
    return mask


def distance(one: str, other: str, most: int) -> int:
    """Return how many slips lie between two words; any number above `most` when there are more. O(letters squared)."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for at, letter in enumerate(one, start=1):
        row = [at]
        for place, there in enumerate(other, start=1):
            least = min(last[place] + 1, row[-1] + 1, last[place - 1] + (letter != there))
            if at > 1 and place > 1 and letter == other[place - 2] and one[at - 2] == there:
                least = min(least, before[place - 2] + 1)
            row.append(least)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return last[-1]
