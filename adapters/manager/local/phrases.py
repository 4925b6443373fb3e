"""The turns of phrase that state a relation to what is named after them, and words that say of what kind that is.

General English only. A phrase is in lower case; `*` in it is any word.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from adapters.manager.local.grammar import NEGATIONS
from kernel.vocabulary import NodeKind, RelationKind


class Firmness(IntEnum):
    """How surely a phrase states its relation."""

    KIND_NEEDED = 1
    """Only when the named thing is called what it is: `against the decision to ...`."""
    LOOSE = 2
    """Of things one can wait for, or decide otherwise, and never of an area: `after`, `instead of`."""
    FIRM = 3
    """Of anything: `depends on`."""


_PHRASES: Final[tuple[tuple[RelationKind, Firmness, str], ...]] = (
    (
        RelationKind.DEPENDS_ON,
        Firmness.FIRM,
        (
            "depend on, depends on, depending on, dependent on, depend upon, depends upon, rely on, "
            "relies on, relying on, contingent on, conditional on, hinge on, hinges on, hangs on, blocked "
            "by, held up by, provided, provided that, assuming, on condition that, as long as, only with, "
            "only work with, only works with, only work if, only works if, wait for, waits for, waiting "
            "for, waits on, waiting on, subject to, requires, require, requiring, presupposes, assumes"
        ),
    ),
    (
        RelationKind.DEPENDS_ON,
        Firmness.LOOSE,
        (
            "as soon as, not before, only after, only when, only if, only once, after, once, until, till, "
            "before, without, needs, need"
        ),
    ),
    (
        RelationKind.CONFLICTS_WITH,
        Firmness.FIRM,
        (
            "conflict with, conflicts with, conflicting with, in conflict with, contradict, contradicts, "
            "contradicting, contrary to, clash with, clashes with, clashing with, incompatible with, "
            "inconsistent with, at odds with, opposed to, not compatible with, not in line with, out of "
            "line with, fit with, go with, go together with, too * for, collide with, collides with, run "
            "counter to, runs counter to, in breach of, violate, violates, violating, breaches, go "
            "against, goes against, going against"
        ),
    ),
    (
        RelationKind.CONFLICTS_WITH,
        Firmness.LOOSE,
        "instead of, rather than, in spite of, despite, exceed, exceeds, exceeding",
    ),
    (
        RelationKind.CONFLICTS_WITH,
        Firmness.KIND_NEEDED,
        (
            "against, break, breaks, breaking, bend, bends, bending, ignore, ignores, ignoring, "
            "disregards, overrides"
        ),
    ),
    (
        RelationKind.IMPLEMENTS,
        Firmness.FIRM,
        (
            "implement, implements, implementing, implementation of, fulfil, fulfils, fulfill, fulfills, "
            "fulfilling, carry out, carries out, carrying out, realises, realizes, put into practice, "
            "puts into practice"
        ),
    ),
    (
        RelationKind.IMPLEMENTS,
        Firmness.KIND_NEEDED,
        "achieve, achieves, reach, reaches, serve, serves",
    ),
    (
        RelationKind.REFINES,
        Firmness.FIRM,
        (
            "refine, refines, refining, specify, specifies, specifying, clarify, clarifies, clarifying, "
            "elaborates on, flesh out, fleshes out, spell out, spells out, narrows down, adds detail to, "
            "detail on, details on, more exactly, to be precise, regarding, concerning, more precisely"
        ),
    ),
    (
        RelationKind.REFINES,
        Firmness.KIND_NEEDED,
        "on, about, re",
    ),
)


@dataclass(frozen=True, slots=True)
class Cue:
    """A turn of phrase that states a relation."""

    kind: RelationKind
    firmness: Firmness
    words: tuple[str, ...]

    def stands_at(self, lower: tuple[str, ...], at: int) -> bool:
        """Whether the words of a text at a position are this phrase."""
        there = lower[at : at + len(self.words)]
        return len(there) == len(self.words) and all(
            mine in (word, "*") for mine, word in zip(self.words, there, strict=True)
        )


_CUES: Final = sorted(
    (
        Cue(kind, firmness, tuple(phrase.split()))
        for kind, firmness, row in _PHRASES
        for phrase in row.split(", ")
    ),
    key=lambda cue: -len(cue.words),
)
CUES_BY_FIRST: Final = {
    first: tuple(cue for cue in _CUES if cue.words[0] == first) for first in {cue.words[0] for cue in _CUES}
}
CALLED: Final[dict[str, frozenset[NodeKind]]] = {
    "question": frozenset({NodeKind.OPEN_QUESTION}),
    "decision": frozenset({NodeKind.DECISION}),
    "task": frozenset({NodeKind.TASK}),
    "step": frozenset({NodeKind.TASK}),
    "goal": frozenset({NodeKind.GOAL}),
    "aim": frozenset({NodeKind.GOAL}),
    "target": frozenset({NodeKind.GOAL}),
    "constraint": frozenset({NodeKind.CONSTRAINT}),
    "restriction": frozenset({NodeKind.CONSTRAINT}),
    "rule": frozenset({NodeKind.CONSTRAINT, NodeKind.DECISION}),
    "limit": frozenset({NodeKind.CONSTRAINT, NodeKind.GOAL}),
    "idea": frozenset({NodeKind.IDEA}),
    "evidence": frozenset({NodeKind.EVIDENCE}),
    "finding": frozenset({NodeKind.EVIDENCE}),
}
"""What people call a node by, and which kinds they may mean."""
LEADS: Final = frozenset(
    {"of", "on", "to", "for", "that", "about", "whether", "how", "if", "with", "in", "against", "which"}
)
"""What may follow such a word; before another noun it is no kind: `the limit switch`."""
_BARRED: Final = frozenset(
    {"no", "not", "never", "nothing", "nobody", "cannot", "can't", "cant", "won't", "wont"}
)
_HELD: Final = NEGATIONS | {"wait", "waits", "waiting", "postpone", "postponed", "hold", "impossible", "only"}
HOLDING: Final[dict[tuple[str, ...], frozenset[str]]] = {
    ("until",): _HELD,
    ("till",): _HELD,
    ("before",): _BARRED,
    ("without",): _BARRED,
    ("fit", "with"): NEGATIONS,
    ("go", "with"): NEGATIONS,
    ("go", "together", "with"): NEGATIONS,
}
"""One of which words must stand before these: otherwise they say how long something lasts, or what goes well."""
