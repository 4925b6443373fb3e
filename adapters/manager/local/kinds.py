"""Reads the kind of a text from its turns of phrase: every cue that occurs adds its weight, the opening most.

A sentence after the first counts `LATER` of the one before, because later sentences explain what the first one says.
Each cue counts once per text, at its strongest place.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from adapters.manager.local import grammar
from adapters.manager.local.cues import CUES, DEFAULT_KIND, VERBLESS, Cue, Where
from adapters.manager.local.words import Token
from kernel.vocabulary import NodeKind

LATER: Final = 0.6
FAINTEST: Final = 0.2
CLOSE: Final = 0.75
"""A second kind with at least this share of the first one's weight is named as an alternative."""
SENTENCES: Final = 8
SKIP: Final = 3
SHORT: Final = 14
"""Up to how many words a sentence without a verb is taken for a name."""

_FILE: Final = re.compile(r"https?|www|[\w-]+\.[a-z]{2,4}")


@dataclass(frozen=True, slots=True)
class KindReading:
    """The kind of a text, why, and the next likely kind when the cues are close."""

    kind: NodeKind
    reason: str
    alternative: NodeKind | None


@dataclass(frozen=True, slots=True)
class _Sentence:
    """One sentence as lower-case words and marks, with the places where it and its clauses open."""

    lower: tuple[str, ...]
    surface: tuple[str, ...]
    opening: int
    clauses: frozenset[int]


def read_kind(read: tuple[Token, ...], text: str) -> KindReading:
    """Weigh every cue of the table in the text; without any, the text is an Idea."""
    totals: dict[NodeKind, float] = {}
    seen: dict[NodeKind, dict[str, float]] = {}
    for cue, strength, words in _strongest(_sentences(read)):
        totals[cue.kind] = totals.get(cue.kind, 0.0) + cue.weight * strength
        if cue.weight > 0:
            shown = seen.setdefault(cue.kind, {})
            shown[words] = max(shown.get(words, 0.0), cue.weight * strength)
    for kind, weight, words in _beyond_cues(read, text):
        totals[kind] = totals.get(kind, 0.0) + weight
        if words:
            seen.setdefault(kind, {})[words] = weight
    order = list(NodeKind)
    ranked = sorted(
        ((kind, total) for kind, total in totals.items() if total > 0),
        key=lambda pair: (-pair[1], order.index(pair[0])),
    )
    return _reading(ranked, seen)


def _reading(ranked: list[tuple[NodeKind, float]], seen: dict[NodeKind, dict[str, float]]) -> KindReading:
    """Put the winner and its strongest words into a sentence."""
    if not ranked:
        return KindReading(DEFAULT_KIND, "No wording points to a kind, so it is taken as an Idea.", None)
    kind, top = ranked[0]
    words = sorted(seen.get(kind, {}).items(), key=lambda pair: (-pair[1], pair[0]))[:3]
    if words:
        quoted = ", ".join(f"\u201c{word}\u201d" for word, _ in words)
        reason = f"{quoted} {'reads' if len(words) == 1 else 'read'} like {_a(kind)}."
    else:
        reason = f"It names something and says nothing about it, which reads like {_a(kind)}."
    second = ranked[1][0] if len(ranked) > 1 and ranked[1][1] >= CLOSE * top else None
    return KindReading(kind, reason, second)


def _a(kind: NodeKind) -> str:
    word = "OpenQuestion" if kind is NodeKind.OPEN_QUESTION else kind.value
    return f"{'an' if word[0] in 'AEIO' else 'a'} {word}"


def _sentences(read: tuple[Token, ...]) -> tuple[_Sentence, ...]:
    """Cut the tokens into sentences and find where each opens once fillers are passed."""
    rows: dict[int, list[Token]] = {}
    for token in read:
        if token.lower.strip():
            rows.setdefault(token.sentence, []).append(token)
    found: list[_Sentence] = []
    for row in list(rows.values())[:SENTENCES]:
        if not any(token.is_word for token in row):
            if found and row[0].lower == "?":
                found[-1] = _Sentence((*found[-1].lower, "?"), (*found[-1].surface, "?"), *_places(found[-1]))
            continue
        opening = next((at for at, token in enumerate(row) if _says(token)), 0)
        clauses = frozenset(
            at for at in range(opening + 1, len(row)) if row[at].is_word and row[at].clause != row[at - 1].clause
        )
        found.append(
            _Sentence(
                tuple(token.lower for token in row), tuple(token.surface for token in row), opening, clauses
            )
        )
    return tuple(found)


def _places(sentence: _Sentence) -> tuple[int, frozenset[int]]:
    return sentence.opening, sentence.clauses


def _says(token: Token) -> bool:
    return token.is_word and token.lower not in grammar.FILLERS


def _strongest(sentences: tuple[_Sentence, ...]) -> Iterator[tuple[Cue, float, str]]:
    """Every cue that occurs, with the strength and the words of its strongest place."""
    for cue in CUES:
        for number, sentence in enumerate(sentences):
            words = _first_match(cue, sentence)
            if words:
                last = number == len(sentences) - 1
                asks = cue.pattern == ("?",) and last
                yield cue, 1.0 if asks else max(FAINTEST, LATER**number), words
                break


def _first_match(cue: Cue, sentence: _Sentence) -> str:
    """The words of the first place where a cue occurs in a sentence, or nothing."""
    if cue.where is Where.OPENING:
        starts: tuple[int, ...] = (sentence.opening,)
    elif cue.where is Where.CLAUSE:
        starts = tuple(sorted(sentence.clauses))
    else:
        starts = tuple(range(len(sentence.lower)))
    for start in starts:
        end = _match(cue.pattern, sentence.lower, start)
        if end is not None:
            return " ".join(sentence.surface[start:end])
    return ""


def _match(pattern: tuple[str, ...], lower: tuple[str, ...], start: int) -> int | None:
    """Where a pattern that begins at `start` ends, or None when it does not stand there."""
    at = start
    for number, element in enumerate(pattern):
        if element == "...":
            rest = pattern[number + 1 :]
            ends = (_match(rest, lower, at + skip) for skip in range(SKIP + 1))
            return next((end for end in ends if end is not None), None)
        if at >= len(lower) or not _fits(element, lower[at]):
            return None
        at += 1
    return at


def _fits(element: str, word: str) -> bool:
    """Whether one word is what one element of a pattern asks for."""
    if element.startswith("<"):
        return _CLASSES[element](word)
    return word in element.split("|")


def _is_past(word: str) -> bool:
    if word in grammar.IRREGULAR_PAST:
        return True
    return len(word) > 4 and word.endswith("ed") and word not in grammar.NOT_PAST and word.isalpha()


def _is_participle(word: str) -> bool:
    """Whether a word in -ed more likely describes the next word than reports what happened."""
    return _is_past(word) and word.endswith("ed") and word not in grammar.OBSERVED


def _has_verb(words: list[str]) -> bool:
    """Whether a sentence shows a verb that the lists know, or a pronoun that cannot stand without one."""
    known = grammar.BE | grammar.AUXILIARIES | grammar.PRONOUNS
    if any(word in known or "'" in word or _is_past(word) for word in words[1:]):
        return True
    return words[0] in known or words[0] in grammar.ORDERS or words[0] in grammar.STRIVINGS or "'" in words[0]


_CRASHES: Final = frozenset(
    "crashes fails leaks stalls whistles breaks freezes hangs drips rattles sticks smells squeaks stops blinks loses "
    "drops rejects covers takes costs weighs arrives overheats loads times".split()
)

_CLASSES: Final = {
    "<order>": lambda word: word in grammar.ORDERS,
    "<strive>": lambda word: word in grammar.STRIVINGS,
    "<be>": lambda word: word in grammar.BE or word in grammar.AUXILIARIES or _is_past(word),
    "<aux>": lambda word: word in grammar.AUXILIARIES,
    "<subject>": lambda word: word in grammar.SUBJECTS,
    "<past>": _is_past,
    "<participle>": _is_participle,
    "<determiner>": lambda word: word in grammar.DETERMINERS,
    "<number>": lambda word: word[:1].isdigit(),
    "<unit>": lambda word: word in grammar.UNITS,
    "<date>": lambda word: word in grammar.DATES or word[:1].isdigit(),
    "<ing>": lambda word: len(word) > 5 and word.endswith("ing"),
    "<crash>": lambda word: word in _CRASHES,
    "<file>": lambda word: _FILE.fullmatch(word) is not None,
    "<filetype>": lambda word: word in grammar.FILE_TYPES,
    "<letter>": lambda word: len(word) == 1 and word.isalpha(),
}


def _beyond_cues(read: tuple[Token, ...], text: str) -> Iterator[tuple[NodeKind, float, str]]:
    """What a row of words cannot say: a file name, a web address, a first sentence without a verb."""
    for found in re.finditer(r"https?://\S+|\b[\w-]+\.(\w{2,4})\b", text[:2_000]):
        if found.group(1) is None or found.group(1).lower() in grammar.FILE_TYPES:
            yield NodeKind.ARTIFACT, 4.5, found.group()[:60]
            break
    first = [token.lower for token in read if token.sentence == 0 and _says(token)]
    if first and len(first) <= SHORT and not _has_verb(first):
        for kind, weight in VERBLESS.items():
            yield kind, weight, ""
