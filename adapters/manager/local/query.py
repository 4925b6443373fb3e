"""What a text asks of the index: its telling words, how much each weighs, and which known stems each stands for."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from adapters.manager.local.families import KIN, WIDER_KIN
from adapters.manager.local.grammar import FILLERS, ORDERS, STRIVINGS, SUBORDINATORS
from adapters.manager.local.index import TYPO_LENGTH, View
from adapters.manager.local.lexicon import STOP, WEAK
from adapters.manager.local.verbs import is_base, is_ing, is_past, is_third
from adapters.manager.local.words import Token, is_cjk, is_weak, stem, stems

LATER_SENTENCE: Final = 0.6
"""What a word weighs less with each sentence after the first, down to `LAST_SENTENCE`."""
LAST_SENTENCE: Final = 0.3
EXPLAINING: Final = 0.7
"""What a word weighs less in a clause that only explains or limits what was said: `a cap because of the wind`."""
WEAK_WORD: Final = 0.25
TYPO: Final = 0.7
DERIVED: Final = 0.4
"""What a match counts when one word only begins like the other, as `statistics` and `statistician`."""
RELATED: Final = 0.35
WIDELY_RELATED: Final = 0.2
"""What kin of the wider families count: enough to offer a place, seldom to decide between two."""
ORDER: Final = 0.5
"""What the verb of an order counts: `test the restore` is about the restore."""
DEED: Final = 0.8
"""What a verb counts that is no order: people say in many verbs what happens to one thing."""
LONGER_LIMIT: Final = 8
PREFIX_LENGTH: Final = 5
"""Shorter beginnings say nothing: `cost` is no `costume`."""
TERMS: Final = 60
"""How many words of a text are looked up; a long text has said by then what it is about."""
LARGE: Final = 2_000
EVERYWHERE: Final = 12
"""In a project of more than `LARGE` nodes, a word that stands in every twelfth node tells no place."""


_ARTICLES: Final = frozenset(
    {"the", "a", "an", "this", "that", "our", "my", "your", "their", "his", "her", "its", "no"}
)
_EXPLAINS: Final = SUBORDINATORS | {"before", "after", "as"}
COMMON: Final = ORDERS | STRIVINGS | FILLERS | STOP | WEAK
"""Words everybody knows are meant as written, however close a word of the project is."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """One known stem a word may stand for, and how surely (1.0 is the word itself)."""

    form: str
    sureness: float
    typo: bool = False


@dataclass(frozen=True, slots=True)
class Term:
    """One telling word of the text."""

    surface: str
    weight: float
    meanings: tuple[Meaning, ...]
    rarity: float
    """How much meeting this word says: high for a word few nodes have."""


def terms(view: View, read: tuple[Token, ...]) -> tuple[Term, ...]:
    """The telling words of a text, each once, with the weight of its first place."""
    found: dict[str, Term] = {}
    words = [token for token in read if token.is_word]
    explained = _explained(words)
    opening = next((at for at, token in enumerate(words) if token.lower not in FILLERS), 0)
    for at, token in enumerate(words):
        following = words[at + 1] if at + 1 < len(words) else None
        joined = _joined(view, token, following)
        for form in (*stems(token.lower), *joined):
            if form in found:
                continue
            meanings = _meanings(view, form, token.lower) if form not in joined else (Meaning(form, 1.0),)
            if not meanings or form.isdigit():
                # A bare number is an amount or a day here and another one there.
                continue
            weight = max(LAST_SENTENCE, LATER_SENTENCE**token.sentence)
            weight *= WEAK_WORD if is_weak(token.lower) else 1.0
            weight *= ORDER if at == opening and token.lower in ORDERS else 1.0
            weight *= EXPLAINING if at in explained else 1.0
            weight *= DEED if at != opening and _is_deed(words, at) else 1.0
            surface = (
                f"{token.surface} {following.surface}" if form in joined and following else token.surface
            )
            found[form] = Term(surface, weight, meanings, _rarity(view, meanings))
    return _telling(view, tuple(found.values()))


def weight_of(query: tuple[Term, ...]) -> float:
    """What a place would score that holds every telling word of a text."""
    return sum(term.weight * term.rarity for term in query)


def _explained(words: list[Token]) -> frozenset[int]:
    """Where the words stand that follow, in a sentence, a word such as `because` with something said before it."""
    found: set[int] = set()
    sentence, has_said, explains = -1, False, False
    for at, token in enumerate(words):
        if token.sentence != sentence:
            sentence, has_said, explains = token.sentence, False, False
        explains = explains or (has_said and token.lower in _EXPLAINS)
        if explains:
            found.add(at)
        has_said = has_said or (bool(stems(token.lower)) and not is_weak(token.lower))
    return frozenset(found)


def _is_deed(words: list[Token], at: int) -> bool:
    """Whether a word is used as a verb: it has a verb's form and no article before it makes it a thing."""
    word = words[at].lower
    if at and words[at - 1].lower in _ARTICLES:
        return False
    return is_base(word) or is_third(word) or is_past(word) or is_ing(word)


def _telling(view: View, found: tuple[Term, ...]) -> tuple[Term, ...]:
    """The words worth looking up: at most `TERMS`, and in a large project none that stands nearly everywhere."""
    if view.size > LARGE:
        rare = tuple(
            term for term in found if view.frequency(term.meanings[0].form) * EVERYWHERE <= view.size
        )
        found = rare or found
    if len(found) <= TERMS:
        return found
    best = sorted(range(len(found)), key=lambda at: (-found[at].weight * found[at].rarity, at))[:TERMS]
    return tuple(found[at] for at in sorted(best))


def _joined(view: View, token: Token, following: Token | None) -> tuple[str, ...]:
    """The stem of two neighbours written as one, when the project writes them so: `data base`, `damsel flies`."""
    if following is None or not (token.lower + following.lower).isalpha() or is_cjk(token.lower):
        return ()
    if token.lower in STOP and following.lower in STOP:
        return ()
    form = stem(token.lower + following.lower)
    return (form,) if len(form) > TYPO_LENGTH and view.frequency(form) else ()


def _meanings(view: View, form: str, word: str) -> tuple[Meaning, ...]:
    """The stems in view that a stem may stand for: itself, longer and shorter kin, or the nearest correct spelling."""
    found = [Meaning(form, 1.0)] if view.frequency(form) else []
    if form.isascii() and form.isalpha() and word not in WEAK:
        if (
            not found
            and len(form) >= TYPO_LENGTH
            and word not in COMMON
            and form not in KIN
            and form not in WIDER_KIN
        ):
            close = (known for known in view.similar(form) if form[1:] != known and form != known[1:])
            found = [Meaning(known, TYPO, typo=True) for known in close]
        if len(form) >= PREFIX_LENGTH:
            found += [
                Meaning(longer, DERIVED) for longer in view.longer(form, LONGER_LIMIT) if _akin(form, longer)
            ]
        for length in range(PREFIX_LENGTH, len(form)):
            if view.frequency(form[:length]) and _akin(form[:length], form):
                found.append(Meaning(form[:length], DERIVED))
    if not found:
        found = [*_kin(view, KIN, form, RELATED), *_kin(view, WIDER_KIN, form, WIDELY_RELATED)]
    return tuple(found)


def _kin(
    view: View, families: Mapping[str, tuple[str, ...]], form: str, sureness: float
) -> Iterator[Meaning]:
    """The kin of a stem that are known in view."""
    return (Meaning(kin, sureness) for kin in families.get(form, ()) if view.frequency(kin))


def _akin(shorter: str, longer: str) -> bool:
    """Whether one stem is enough of the other to be taken for kin."""
    return len(longer) <= 2 * len(shorter)


def _rarity(view: View, meanings: tuple[Meaning, ...]) -> float:
    """The inverse document frequency of a word's likeliest meaning."""
    frequency = view.frequency(meanings[0].form)
    return math.log(1.0 + (view.size - frequency + 0.5) / (frequency + 0.5))
