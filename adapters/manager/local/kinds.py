"""Reads the kind of a text from its turns of phrase: every cue that occurs adds its weight, the opening most.

A sentence after the first counts `LATER` of the one before, because later sentences explain what the first one says.
Each cue counts once per text, at its strongest place.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from adapters.manager.local import grammar
from adapters.manager.local.cues import CUES, DEFAULT_KIND, SPOKEN, VERBLESS, Cue, Where
from adapters.manager.local.verbs import is_base, is_third
from adapters.manager.local.words import Token
from kernel.vocabulary import NodeKind

LATER: Final = 0.6
FAINTEST: Final = 0.2
SUBORDINATE: Final = 0.6
"""What a cue counts with each clause of its sentence that opens before it, down to `DEEPEST` clauses."""
DEEPEST: Final = 2
CLOSE: Final = 0.65
"""A second kind with at least this share of the first one's weight is named as an alternative."""
SENTENCES: Final = 8
READ: Final = 160
"""How many words and marks are read for the kind; what comes later says nothing about it."""
SKIP: Final = 3
SUGGESTED: Final = 7.0
"""What a bare order with a question mark speaks for an Idea: `stop at the springs on the way?` suggests."""
FILE: Final = 4.5
DOCUMENT: Final = 2.0
"""What a kind of document that is only named speaks for an Artifact."""
RULE: Final = 2.0
"""What `every door` without a verb speaks for a Constraint."""
PHRASE: Final = 3
"""From how many words on a phrase with a question mark suggests something; fewer only ask."""
OPENING_CHARACTERS: Final = 2_000
LONGEST_SHOWN: Final = 60
TOPIC: Final = 5
"""A colon among so many first words ends a topic (`bees: colony 3 has no queen`); the sentence opens behind it."""
SHORTEST_PAST: Final = 4
SHORTEST_ING: Final = 5
SHORT: Final = 14
"""Up to how many words a sentence without a verb is taken for a name."""

_FILE: Final = re.compile(r"https?://\S+|www\.\S+|\b[\w-]+\.(\w{2,4})\b")


@dataclass(frozen=True, slots=True)
class KindReading:
    """The kind of a text, why, and the next likely kind when the cues are close."""

    kind: NodeKind
    reason: str
    alternative: NodeKind | None


@dataclass(frozen=True, slots=True)
class _Element:
    """One element of a pattern, ready to be held against a word."""

    words: frozenset[str]
    classes: tuple[str, ...]
    skips: bool

    @classmethod
    def of(cls, written: str) -> "_Element":
        """Read an element as the cue table writes it."""
        parts = written.split("|")
        return cls(
            frozenset(part for part in parts if not part.startswith("<")),
            tuple(part for part in parts if part.startswith("<")),
            written == "...",
        )

    def fits(self, word: str) -> bool:
        """Whether a word is what the element asks for."""
        return word in self.words or any(_CLASSES[name](word) for name in self.classes)


@dataclass(frozen=True, slots=True)
class _Sentence:
    """One sentence as lower-case words and marks, with the places where it and its clauses open."""

    lower: tuple[str, ...]
    surface: tuple[str, ...]
    opening: int
    clauses: frozenset[int]
    depths: tuple[int, ...]
    """For each word, how many clauses of the sentence open before it."""
    weight: float
    ends_text: bool


def read_kind(read: tuple[Token, ...], text: str) -> KindReading:
    """Weigh every cue of the table in the text; without any, the text is an Idea."""
    totals: dict[NodeKind, float] = {}
    seen: dict[NodeKind, dict[str, float]] = {}
    for cue, strength, words in _strongest(_sentences(read[:READ])):
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
        return KindReading(DEFAULT_KIND, "No wording points to a kind, so it is taken as an idea.", None)
    kind, top = ranked[0]
    words = sorted(seen.get(kind, {}).items(), key=lambda pair: (-pair[1], pair[0]))[:3]
    if words:
        quoted = ", ".join(f"\u201c{word}\u201d" for word, _ in words)
        reason = f"{quoted} {'reads' if len(words) == 1 else 'read'} like {SPOKEN[kind]}."
    else:
        reason = f"It names something and says nothing about it, which reads like {SPOKEN[kind]}."
    second = ranked[1][0] if len(ranked) > 1 and ranked[1][1] >= CLOSE * top else None
    return KindReading(kind, reason, second)


def _sentences(read: tuple[Token, ...]) -> tuple[_Sentence, ...]:
    """Cut the tokens into sentences; marks that stand alone (`!?`) end the sentence before them."""
    rows: list[list[Token]] = []
    for token in read:
        if not token.lower.strip():
            continue
        if rows and (rows[-1][0].sentence == token.sentence or not token.is_word):
            rows[-1].append(token)
        elif token.is_word:
            rows.append([token])
    kept = rows[:SENTENCES]
    return tuple(_sentence(row, number, len(kept)) for number, row in enumerate(kept))


def _sentence(row: list[Token], number: int, count: int) -> _Sentence:
    """Find where a sentence opens once fillers are passed, where its clauses open, and how deep each word lies."""
    topic = next((at + 1 for at, token in enumerate(row[:TOPIC]) if token.lower == ":"), 0)
    opening = next((at for at, token in enumerate(row) if at >= topic and _says(token)), 0)
    clauses: set[int] = set()
    depths: list[int] = []
    for at, token in enumerate(row):
        begins = at > opening and token.is_word and token.clause != row[at - 1].clause
        clauses |= {at} if begins else set()
        deeper = begins or (at > opening and token.lower in grammar.SUBORDINATORS)
        depths.append((depths[-1] if depths else 0) + deeper)
    return _Sentence(
        lower=tuple(token.lower for token in row),
        surface=tuple(token.surface for token in row),
        opening=opening,
        clauses=frozenset(clauses),
        depths=tuple(depths),
        weight=max(FAINTEST, LATER**number),
        ends_text=number == count - 1,
    )


def _says(token: Token) -> bool:
    return token.is_word and token.lower not in grammar.FILLERS


def _strongest(sentences: tuple[_Sentence, ...]) -> tuple[tuple[Cue, float, str], ...]:
    """Every cue that occurs, in table order, with the strength and the words of its first sentence."""
    found: dict[int, tuple[Cue, float, str]] = {}
    for sentence in sentences:
        for at in range(len(sentence.lower)):
            for index in _candidates(sentence.lower[at]):
                cue = CUES[index]
                if index in found or not _may_stand(cue, sentence, at):
                    continue
                end = _match(_COMPILED[index], sentence.lower, at)
                if end is not None:
                    words = " ".join(sentence.surface[at:end])
                    found[index] = (cue, _strength(cue, sentence, at), words)
    return tuple(found[index] for index in sorted(found))


def _strength(cue: Cue, sentence: _Sentence, at: int) -> float:
    """What a cue counts at its place. The mark that ends the whole text counts in full: it is about all of it."""
    if cue.pattern == ("?",) and sentence.ends_text:
        return 1.0
    inside = SUBORDINATE ** min(DEEPEST, sentence.depths[at]) if cue.where is Where.ANYWHERE else 1.0
    return float(sentence.weight * inside)


def _candidates(word: str) -> Iterator[int]:
    """The cues that may begin with a word."""
    yield from _BY_WORD.get(word, ())
    for name, indexes in _BY_CLASS.items():
        if _CLASSES[name](word):
            yield from indexes


def _may_stand(cue: Cue, sentence: _Sentence, at: int) -> bool:
    """Whether a cue may begin at this place of a sentence."""
    if cue.where is Where.OPENING:
        return at == sentence.opening
    return cue.where is Where.ANYWHERE or at in sentence.clauses


def _match(pattern: tuple[_Element, ...], lower: tuple[str, ...], start: int) -> int | None:
    """Where a pattern that begins at `start` ends, or None when it does not stand there."""
    at = start
    for number, element in enumerate(pattern):
        if element.skips:
            ends = (_match(pattern[number + 1 :], lower, at + skip) for skip in range(SKIP + 1))
            return next((end for end in ends if end is not None), None)
        if at >= len(lower) or not element.fits(lower[at]):
            return None
        at += 1
    return at


def _is_past(word: str) -> bool:
    if word in grammar.IRREGULAR_PAST:
        return True
    return (
        len(word) > SHORTEST_PAST and word.endswith("ed") and word not in grammar.NOT_PAST and word.isalpha()
    )


def _is_participle(word: str) -> bool:
    """Whether a word in -ed more likely describes the next word than reports what happened."""
    return _is_past(word) and word.endswith("ed") and word not in grammar.OBSERVED


_WITH_VERB: Final = (
    grammar.BE
    | grammar.AUXILIARIES
    | grammar.PRONOUNS
    | grammar.THIRD
    | grammar.TROUBLES
    | grammar.QUESTION_WORDS
    | grammar.NEEDS
)


def _has_verb(words: list[str]) -> bool:
    """Whether a sentence shows a verb that the lists know, or a pronoun that cannot stand without one."""
    if any(word in _WITH_VERB or "'" in word or _is_past(word) for word in words[1:]):
        return True
    if any(_is_predicate(before, word) for before, word in pairwise(words)):
        return True
    return (
        words[0] in _WITH_VERB
        or words[0] in grammar.ORDERS
        or words[0] in grammar.STRIVINGS
        or "'" in words[0]
    )


_NO_DOER: Final = (
    grammar.DETERMINERS
    | grammar.AUXILIARIES
    | grammar.BE
    | grammar.PRONOUNS
    | grammar.QUESTION_WORDS
    | grammar.SUBORDINATORS
    | grammar.NEGATIONS
    | grammar.ORDERS
    | grammar.STRIVINGS
    | grammar.LINKS
)


def _is_predicate(before: str, word: str) -> bool:
    """Whether a word is a verb of the word before it: `pigeons keep`, `yarn shrinks`."""
    if before in grammar.DETERMINERS or before in grammar.DATES or not before.isalpha():
        return False
    plural = before.endswith("s") and not before.endswith(("ss", "us", "is"))
    return is_base(word) if plural else is_third(word) and not is_base(before)


_CLASSES: Final[dict[str, Callable[[str], bool]]] = {
    "<order>": lambda word: word in grammar.ORDERS,
    "<strive>": lambda word: word in grammar.STRIVINGS,
    "<be>": lambda word: word in grammar.BE or word in grammar.AUXILIARIES or _is_past(word),
    "<aux>": lambda word: word in grammar.AUXILIARIES,
    "<subject>": lambda word: word in grammar.SUBJECTS,
    "<past>": _is_past,
    "<participle>": _is_participle,
    "<determiner>": lambda word: word in grammar.DETERMINERS,
    "<number>": lambda word: word[:1].isdigit() or word in grammar.NUMBERS,
    "<digit>": lambda word: word[:1].isdigit(),
    "<unit>": lambda word: word in grammar.UNITS,
    "<date>": lambda word: word in grammar.DATES or word[:1].isdigit(),
    "<verb>": is_base,
    "<doer>": lambda word: word.isalpha() and word not in _NO_DOER,
    "<document>": lambda word: word in grammar.DOCUMENTS,
    "<adverb>": lambda word: word in {"only", "always", "never", "just", "still"} or word.endswith("ly"),
    "<plural>": lambda word: (
        len(word) > SHORTEST_PAST and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    ),
    "<ess>": lambda word: len(word) > SHORTEST_PAST and word.endswith("s") and not word.endswith("ss"),
    "<comparative>": lambda word: len(word) > SHORTEST_PAST and word.endswith("er"),
    "<ing>": lambda word: len(word) > SHORTEST_ING and word.endswith("ing"),
    "<damaged>": lambda word: word in grammar.DAMAGED,
    "<able>": lambda word: word.endswith(("able", "ible")),
    "<plain>": lambda word: word.isalnum() and word not in grammar.DETERMINERS,
    "<finite>": lambda word: (
        word in grammar.BE or word in grammar.TROUBLES or word in grammar.THIRD or _is_past(word)
    ),
    "<third>": lambda word: word in grammar.THIRD,
    "<trouble>": lambda word: word in grammar.TROUBLES,
    "<filetype>": lambda word: word in grammar.FILE_TYPES,
    "<letter>": lambda word: len(word) == 1 and word.isalpha(),
}


def _beyond_cues(read: tuple[Token, ...], text: str) -> Iterator[tuple[NodeKind, float, str]]:
    """What a row of words cannot say: a file name, a web address, a first sentence without a verb."""
    for found in _FILE.finditer(text[:OPENING_CHARACTERS]):
        if found.group(1) is None or found.group(1).lower() in grammar.FILE_TYPES:
            yield NodeKind.ARTIFACT, FILE, found.group()[:LONGEST_SHOWN]
            break
    first = [token.lower for token in read if token.sentence == 0 and _says(token)]
    if (
        first
        and first[0] in grammar.ORDERS
        and not set(first) & (grammar.AUXILIARIES | grammar.QUESTION_WORDS)
    ):
        marks = [token.lower for token in read if token.sentence == 0 and not token.is_word]
        if marks == ["?"]:
            yield NodeKind.IDEA, SUGGESTED, "?"
    if first and len(first) <= SHORT and not _has_verb(first):
        yield from _named_only(read, first)


def _named_only(read: tuple[Token, ...], first: list[str]) -> Iterator[tuple[NodeKind, float, str]]:
    """What a sentence without a verb speaks for: a thing that is named, a suggestion, a document, a rule."""
    for kind, weight in VERBLESS.items():
        yield kind, weight, ""
    ends = next((token.lower for token in read if token.sentence == 0 and token.lower == "?"), "")
    if ends and len(first) >= PHRASE and "or" not in first and first[0] not in grammar.QUESTION_WORDS:
        yield NodeKind.IDEA, SUGGESTED, "?"
    document = next((word for word in first if word in grammar.DOCUMENTS), "")
    if document and not ends:
        yield NodeKind.ARTIFACT, DOCUMENT, document
    if first[0] in {"every", "each", "all"}:
        yield NodeKind.CONSTRAINT, RULE, first[0]


def _by_first(
    compiled: tuple[tuple[_Element, ...], ...],
) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """Sort the cues by what they may begin with, so that a word meets only those."""
    by_word: dict[str, list[int]] = {}
    by_class: dict[str, list[int]] = {}
    for index, pattern in enumerate(compiled):
        for word in pattern[0].words:
            by_word.setdefault(word, []).append(index)
        for name in pattern[0].classes:
            by_class.setdefault(name, []).append(index)
    return by_word, by_class


_COMPILED: Final = tuple(tuple(_Element.of(written) for written in cue.pattern) for cue in CUES)
_BY_WORD, _BY_CLASS = _by_first(_COMPILED)
