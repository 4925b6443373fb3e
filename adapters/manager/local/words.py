"""Cuts text into words and brings word forms together; pure, bounded, the same for a capture and for a node.

A word is a run of letters and digits of any script. Chinese, Japanese and Korean runs have no spaces and become
overlapping pairs of characters. A hyphenated word counts as its parts and as one word without the hyphen, so
`e-mail` meets `email`. Matching ignores case and compatibility forms; what is shown to a person stays as written.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import snowballstemmer

from adapters.manager.local.grammar import NEGATIONS
from adapters.manager.local.lexicon import ABBREVIATIONS, IRREGULAR, STOP, WEAK

MAX_CHARACTERS: Final = 8_000
"""Only the opening of a longer text is read for placing; the rest says little about where the whole belongs."""
MAX_WORDS: Final = 400

_STEMMER: Final = snowballstemmer.stemmer("english")
_CJK: Final = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_TOKEN: Final = re.compile(
    rf"[{_CJK}]+|\d+(?:[.,:/]\d+)*(?:%|[^\W\d_{_CJK}]+)?|[^\W\d_{_CJK}][^\W_{_CJK}]*(?:['\u2019-][^\W_{_CJK}]+)*"
    r"|\n+|[.!?;:,()\u2026\u2013\u2014\u3002\uff1f\uff01]|(?<=\s)-(?=\s)"
)
_BREAKS_SENTENCE: Final = frozenset(".!?\u3002\uff1f\uff01\n")
_BREAKS_CLAUSE: Final = frozenset(".!?;:,()\u2013\u2014-\u3002\uff1f\uff01\n")


@dataclass(frozen=True, slots=True)
class Token:
    """One word or mark of a text, where it starts, and in which sentence and clause it stands."""

    surface: str
    lower: str
    start: int
    sentence: int
    clause: int

    @property
    def is_word(self) -> bool:
        """Whether this is a word or a number and no mark."""
        return self.lower[:1].isalnum()


def tokens(text: str) -> tuple[Token, ...]:
    """Cut a text into words and marks, at most `MAX_WORDS` of them."""
    found: list[Token] = []
    sentence = clause = 0
    for match in _TOKEN.finditer(text[:MAX_CHARACTERS]):
        surface = match.group()
        lower = surface.lower() if surface.isascii() else _folded(surface)
        found.append(Token(surface, lower, match.start(), sentence, clause))
        mark = surface[0]
        if mark == "." and len(found) > 1 and _is_abbreviation(found[-2].lower):
            continue
        sentence += mark in _BREAKS_SENTENCE
        clause += mark in _BREAKS_CLAUSE
        if len(found) == MAX_WORDS:
            break
    return tuple(found)


def _folded(surface: str) -> str:
    """A word in its compatibility form without case, with one kind of apostrophe."""
    return unicodedata.normalize("NFKC", surface).casefold().replace("\u2019", "'")


def _is_abbreviation(word: str) -> bool:
    """Whether the full stop after a word belongs to it and ends nothing."""
    return word in ABBREVIATIONS or (len(word) == 1 and word.isalpha())


@lru_cache(maxsize=65_536)
def stems(word: str) -> tuple[str, ...]:
    """The forms under which a lower-case word is indexed and looked up; none for a stop word."""
    if word in STOP or not word[:1].isalnum():
        return ()
    if is_cjk(word):
        return tuple(word[at : at + 2] for at in range(max(1, len(word) - 1)))
    parts = [part for part in re.split(r"['-]", word) if part]
    if len(parts) == 1:
        return (stem(word),) if len(word) > 1 or word.isdigit() else ()
    if "'" in word and "-" not in word:
        return stems(parts[0]) if parts else ()
    whole = stem("".join(parts))
    kept = tuple(stem(part) for part in parts if len(part) > 1 and part not in STOP)
    return (*kept, whole)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of one lower-case word; numbers and other scripts come back as they are."""
    word = IRREGULAR.get(word, word)
    if not word.isascii() or not word.isalpha():
        return word
    return str(_STEMMER.stemWord(word))


def is_weak(word: str) -> bool:
    """Whether a word seldom tells where a text belongs: times, numbers, and the commonest verbs and adjectives."""
    return word in WEAK or word[:1].isdigit()


def is_cjk(word: str) -> bool:
    """Whether a word is a run of characters that are written without spaces."""
    return re.fullmatch(f"[{_CJK}]+", word) is not None


def lower_words(text: str) -> tuple[str, ...]:
    """The words of a text as they are compared, without marks."""
    return tuple(token.lower for token in tokens(text) if token.is_word)


def stems_of(words: tuple[str, ...]) -> tuple[str, ...]:
    """Every stem of some words, repeated as often as it occurs."""
    return tuple(form for word in words for form in stems(word))


def exact_words(words: tuple[str, ...]) -> tuple[str, ...]:
    """The numbers and negations among some words, sorted: two texts that differ in one do not say the same."""
    return tuple(sorted(word for word in words if word[0].isdigit() or word in NEGATIONS))


def dropped(form: str) -> tuple[str, ...]:
    """The form itself and every form with one letter left out.

    Two words that share one of these differ by one letter added, left out, replaced or swapped with its neighbour:
    the slips of a typist, all within an edit distance of 2.
    """
    return (form, *(form[:at] + form[at + 1 :] for at in range(len(form))))
