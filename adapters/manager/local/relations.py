"""Finds the relations a text states to nodes that are there: what it depends on, conflicts with, implements or refines.

A relation is proposed only when a turn of phrase states it and the words right after it name one node (see `naming`).
How much the naming must say depends on the phrase (see `Firmness`). What is denied or asked is not stated. The way
round is fixed, from the new node to the named one, so `before X` (X would depend on the new node) is left to the person,
unless the text says that something cannot be before X.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from adapters.manager.local.grammar import AUXILIARIES, BE, FILLERS, NEGATIONS, PRONOUNS
from adapters.manager.local.index import View
from adapters.manager.local.naming import Named, Naming, named
from adapters.manager.local.phrases import CALLED, CUES_BY_FIRST, HOLDING, LEADS, Cue, Firmness
from adapters.manager.local.ranking import is_area
from adapters.manager.local.words import Token, is_weak, stems
from kernel.values.placement import SuggestedRelation
from kernel.vocabulary import NodeKind, RelationKind

REACH: Final = 9
"""How many words after the phrase may name the node."""
RELATIONS: Final = 4
DENIED: Final = 4
"""How many words before a phrase a negation may stand that denies it."""

_AWAITED: Final = frozenset({NodeKind.TASK, NodeKind.OPEN_QUESTION, NodeKind.GOAL, NodeKind.ARTIFACT})
"""What a text can come after: things that get done, answered, reached or made."""
_CHOSEN: Final = frozenset({NodeKind.DECISION, NodeKind.CONSTRAINT, NodeKind.GOAL, NodeKind.TASK})
"""What a text can be the other way to."""
_AIMS: Final = frozenset(
    {NodeKind.GOAL, NodeKind.IDEA, NodeKind.DECISION, NodeKind.TASK, NodeKind.CONSTRAINT, NodeKind.ARTIFACT}
)
_ENDS_NAME: Final = BE | AUXILIARIES | PRONOUNS
"""With one of these a noun phrase is over."""
_ASKED: Final = frozenset({"whether", "if"})
_SPOKEN: Final = {
    RelationKind.DEPENDS_ON: "depends on",
    RelationKind.CONFLICTS_WITH: "conflicts with",
    RelationKind.IMPLEMENTS: "implements",
    RelationKind.REFINES: "refines",
}


@dataclass(frozen=True, slots=True)
class _Statement:
    """A cue in the text, and what it is stated about."""

    cue: Cue
    phrase: str
    naming: Naming
    called: frozenset[NodeKind]
    """The kinds that the text calls the named thing by; empty when it does not."""


@dataclass(frozen=True, slots=True)
class Stated:
    """The relations a text states, and what is not certain about them."""

    relations: tuple[SuggestedRelation, ...]
    doubts: tuple[str, ...]


def stated_relations(view: View, read: tuple[Token, ...], kinds: frozenset[NodeKind]) -> Stated:
    """The relations a text states, whichever of `kinds` the new node gets; each kind and target once."""
    found: dict[tuple[RelationKind, str], SuggestedRelation] = {}
    doubts: dict[str, None] = {}
    for statement in _statements(read):
        meant = _meant(view, statement, kinds)
        if len(meant) > 1:
            first, second = (item.document.node.title for item in meant[:2])
            phrase = statement.phrase
            doubts[f"\u201c{phrase}\u201d may speak of \u201c{first}\u201d or of \u201c{second}\u201d."] = (
                None
            )
        if len(meant) != 1:
            continue
        node, kind = meant[0].document.node, statement.cue.kind
        reason = f"\u201c{statement.phrase}\u201d says that it {_SPOKEN[kind]} \u201c{node.title}\u201d."
        found.setdefault((kind, node.id), SuggestedRelation(kind=kind, to_id=node.id, reason=reason))
        if len(found) == RELATIONS:
            break
    return Stated(tuple(found.values()), tuple(doubts))


def _meant(view: View, statement: _Statement, kinds: frozenset[NodeKind]) -> tuple[Named, ...]:
    """The node a statement is about, several when they are named alike, or none."""
    cue, called = statement.cue, statement.called
    may_join = [item for item in named(view, statement.naming) if _may_join(cue.kind, kinds, item)]
    by_kind = [item for item in may_join if item.document.node.kind in called]
    if by_kind:
        return _nearest(by_kind)
    if cue.firmness is Firmness.KIND_NEEDED:
        return ()
    rest = [item for item in may_join if item.is_sure]
    if cue.firmness is Firmness.LOOSE:
        fit = _AWAITED if cue.kind is RelationKind.DEPENDS_ON else _CHOSEN
        rest = [item for item in rest if item.document.node.kind in fit and not is_area(view, item.document)]
    return _nearest([item for item in rest if item.is_whole or not is_area(view, item.document)])


def _nearest(items: list[Named]) -> tuple[Named, ...]:
    """The best named of some nodes, and those named as well."""
    return tuple(item for item in items if item.is_as_near_as(items[0]))


def _may_join(kind: RelationKind, new: frozenset[NodeKind], item: Named) -> bool:
    """Whether the kernel lets this relation lead from any of the new node's likely kinds to a node."""
    target = item.document.node.kind
    if target in {NodeKind.PROJECT, NodeKind.WORLD}:
        return False
    return kind is not RelationKind.IMPLEMENTS or (target in _AIMS and new <= _AIMS)


def _statements(read: tuple[Token, ...]) -> Iterator[_Statement]:
    """Every cue in the text that states something, with the words that follow it in its clause."""
    lower = tuple(token.lower for token in read)
    asked = {token.sentence for token in read if token.lower == "?"}
    at = 0
    while at < len(read):
        cue = next((cue for cue in CUES_BY_FIRST.get(lower[at], ()) if cue.stands_at(lower, at)), None)
        if cue is None:
            at += 1
            continue
        end = at + len(cue.words)
        if _is_stated(cue, read, at) and (read[at].sentence not in asked or cue.kind is RelationKind.REFINES):
            phrase = " ".join(token.surface for token in read[at:end])
            yield _statement(cue, phrase, read[end : end + REACH + 1])
        at = end


def _is_stated(cue: Cue, read: tuple[Token, ...], at: int) -> bool:
    """Whether a cue at a position says that it is so: not denied, not asked, and not another use of its words."""
    before = [token.lower for token in read[:at] if token.sentence == read[at].sentence and token.is_word]
    clause = [token.lower for token in read[:at] if token.clause == read[at].clause and token.is_word]
    following = read[at + len(cue.words)].lower if at + len(cue.words) < len(read) else ""
    if cue.words in HOLDING:
        return not HOLDING[cue.words].isdisjoint(clause)
    if cue.kind is RelationKind.REFINES and cue.firmness is Firmness.KIND_NEEDED:
        return all(word in FILLERS for word in before)
    if cue.words[0] in {"need", "needs"} and following == "to":
        return False
    if cue.kind is RelationKind.DEPENDS_ON and cue.firmness is Firmness.LOOSE:
        return True
    return NEGATIONS.isdisjoint(clause[-DENIED:]) and _ASKED.isdisjoint(clause)


def _statement(cue: Cue, phrase: str, after: tuple[Token, ...]) -> _Statement:
    """What is stated about the words after a cue: those of its clause, the noun phrase they begin with, its kind."""
    after = after[1:] if after and after[0].lower == ":" else after[:REACH]
    words = tuple(token for token in after if token.is_word and token.clause == after[0].clause)
    head = tuple(takewhile(lambda token: token.lower not in _ENDS_NAME, words))
    called = next((at for at, token in enumerate(head) if _calls_a_kind(head, at)), None)
    kinds = CALLED[head[called].lower] if called is not None else frozenset()
    naming = Naming(
        tuple(token for token in words if called is None or token is not head[called]),
        tuple(
            token
            for at, token in enumerate(head)
            if at != called and stems(token.lower) and not is_weak(token.lower)
        ),
    )
    return _Statement(cue, phrase, naming, kinds)


def _calls_a_kind(head: tuple[Token, ...], at: int) -> bool:
    """Whether a word of a noun phrase says of what kind the named thing is."""
    return head[at].lower in CALLED and (at + 1 == len(head) or head[at + 1].lower in LEADS)
