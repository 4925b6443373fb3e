"""Makes a short title of a text from its own words.

The title is the first sentence without its fillers. Where that is longer than `TITLE` characters it is cut at a
clause, or else at a word, and ends with an ellipsis. What turns a meaning round or pins it down - a negation, an
amount, a date - and would fall behind the cut is carried over with its neighbours, as far as there is room. Whenever
the title says less than the text, the description is the whole text.
"""

import re
import unicodedata
from typing import Final

from adapters.manager.local.grammar import DATES, NEGATIONS
from adapters.manager.local.lexicon import ABBREVIATIONS
from kernel.rules.limits import DESCRIPTION_BYTES_MAX

TITLE: Final = 80
ROOMS: Final = (TITLE - 1, 62, 48, 34)
"""How much of the opening is kept: less and less, until what must be carried over has room."""
WORDS: Final = 3
NAMELESS: Final = "(unprintable text)"
"""The title of a text of which nothing can be shown, such as a lone control character."""
MERGED: Final = 32
READ: Final = 2_000
_MORE: Final = "\u2026"

_FILLER: Final = re.compile(
    r"(?:so|ok|okay|well|basically|also|hey|hi|hello|um|uh|anyway|actually|and|but|oh)\b[\s,:]+",
    re.IGNORECASE,
)
_MARKS: Final = re.compile(r"(?:#{1,6}|[-*+\u2022])\s+(?=\S)")
_END: Final = re.compile(r"(?:(?<=[.!?])(?=\s)|(?<=[\u3002\uff01\uff1f]))")
_CLAUSE: Final = re.compile(
    r"\s*[,;:\u2013\u2014(]\s|\s+-\s|\s(?=(?:because|but|which|since|although|while|unless|until|whereas|otherwise|"
    r"therefore|and|or|so that|if|when)\s)",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"\S+")


def title_of(text: str) -> str:
    """The title of a text that is not empty; never longer than `TITLE` characters."""
    sentence = _first_sentence(text)
    if len(sentence) <= TITLE:
        return _dressed(sentence.rstrip(" .,;:") or sentence)
    best = ""
    for room in ROOMS:
        head = _cut(sentence, room)
        carried, complete = _carried(sentence, len(head), TITLE - len(head) - 1)
        best = f"{head}{carried}"
        if complete:
            break
    return _dressed(best if best == sentence else best + _MORE)


def description_of(text: str, title: str) -> str | None:
    """The whole text when the title says less, at most as long as a description may be."""
    whole = text.strip()
    if _spaced(whole).rstrip(" .").casefold() == title.rstrip(" .").casefold():
        return None
    raw = whole.encode("utf-8", "replace")
    if len(raw) <= DESCRIPTION_BYTES_MAX:
        return whole
    return raw[: DESCRIPTION_BYTES_MAX - 8].decode("utf-8", "ignore") + _MORE


def on_one_line(text: str) -> str:
    """A text of somebody else's on one line, without what could reach out of it; never empty."""
    return _spaced(text) or NAMELESS


def _first_sentence(text: str) -> str:
    """The first sentence of the first line that says something, without list marks and fillers."""
    line = next((part for part in text[:READ].strip().splitlines() if part.strip()), text[:READ])
    line = _spaced(line)
    line = _MARKS.sub("", line, count=1) if _MARKS.match(line) else line
    sentence = line
    for end in _END.finditer(line):
        before = line[: end.start()].rstrip(".").rsplit(" ", 1)[-1].lower()
        if before not in ABBREVIATIONS and (len(before) > 1 or before.isdigit()):
            sentence = line[: end.start()]
            break
    shorter = sentence
    while (found := _FILLER.match(shorter)) and len(shorter[found.end() :].split()) >= WORDS:
        shorter = shorter[found.end() :]
    return shorter.strip() or sentence.strip() or line.strip() or NAMELESS


def _spaced(text: str) -> str:
    """A text on one line: no control or direction marks, which could reach out of a title, and single spaces."""
    kept = (" " if character.isspace() else character for character in text if _may_show(character))
    return re.sub(" +", " ", "".join(kept)).strip()


def _may_show(character: str) -> bool:
    return character.isspace() or (
        unicodedata.category(character) not in {"Cc", "Cs"}
        and character not in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"
    )


def _dressed(title: str) -> str:
    """A title with a capital where its first word is plainly lower case."""
    first = title.split(" ", 1)[0]
    return title[:1].upper() + title[1:] if first.isalpha() and first.islower() and first.isascii() else title


def _cut(sentence: str, room: int) -> str:
    """The longest opening within `room` that ends at a clause, or else at a word."""
    if len(sentence) <= room:
        return sentence
    clauses = [found.start() for found in _CLAUSE.finditer(sentence) if room // 2 <= found.start() <= room]
    at = clauses[-1] if clauses else sentence.rfind(" ", 0, room + 1)
    if at < room // 3:
        at = room
        while at > 1 and (_joins(sentence[at]) or sentence[at - 1] == "\u200d"):
            at -= 1
    return sentence[:at].rstrip(" ,;:-\u2013\u2014(")


def _joins(character: str) -> bool:
    """Whether a character is drawn together with the one before it."""
    return unicodedata.combining(character) > 0 or character in "\u200d\ufe0e\ufe0f"


def _is_protected(word: str) -> bool:
    """Whether a word turns a meaning round or pins it down: a negation, an amount or a date."""
    bare = word.strip(".,;:!?()").casefold().replace("\u2019", "'")
    if any(character.isdigit() for character in word):
        return True
    return bare in NEGATIONS or (bare in DATES and bare != "may")


def _carried(sentence: str, cut: int, room: int) -> tuple[str, bool]:
    """What must follow a head that ends at `cut`, within `room`; and whether that is all of it.

    A protected word takes one word before it and two after it along, so that it still says what it is about.
    """
    words = list(_WORD.finditer(sentence))
    spans: list[tuple[int, int]] = []
    for number, word in enumerate(words):
        if word.end() <= cut or not _is_protected(word.group()):
            continue
        start = max(cut, words[max(0, number - 1)].start())
        end = words[min(len(words) - 1, number + 2)].end()
        if spans and start <= spans[-1][1] + 1:
            start = spans.pop()[0] if end - spans[-1][0] <= MERGED else word.start()
        spans.append((start, end))
    text, complete = "", True
    for start, end in spans:
        part = f"{_MORE} {sentence[start:end].strip(' ,;:.')}"
        if len(text) + len(part) + 1 > room:
            complete = False
            continue
        text += f" {part}"
    return text, complete
