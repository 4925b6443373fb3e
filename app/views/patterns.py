# ruff: noqa: RUF001 - the words of the examples are typeset
"""The pattern page: every part once, and every fragment in every state, from the examples of the views.

Owns the list of parts only. The fragments come rendered from `app.web.patterns`, because a view makes no HTML.
"""

from dataclasses import dataclass, replace

from app.views.parts import (
    DRAFT,
    RUNNING,
    SUGGESTED,
    SUPPORTED,
    Fact,
    FamilyFact,
    IdCopy,
    KindMark,
    Link,
    Mark,
    Moment,
    Quote,
    QuotePiece,
    Refusal,
    Sentence,
    governance_mark,
    work_mark,
)
from app.views.shell import Shell
from app.views.work.parts import CalloutTone, Notice
from kernel.vocabulary import Governance, NodeKind, Phase, Verification


@dataclass(frozen=True, slots=True)
class MarkGroup:
    """Marks of one family, in their order."""

    name: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class FragmentState:
    """One fragment in one state."""

    name: str
    html: str
    """Ready markup, with ids of its own."""


@dataclass(frozen=True, slots=True)
class PatternsPage:
    """Either every small part and links to the fragments, or one fragment in all its states."""

    shell: Shell
    title: str
    fragments: tuple[Link, ...]
    shown: tuple[FragmentState, ...] = ()
    kinds: tuple[KindMark, ...] = ()
    groups: tuple[MarkGroup, ...] = ()
    notices: tuple[Notice, ...] = ()
    refusal: Refusal | None = None
    sentences: tuple[Sentence, ...] = ()
    quote: Quote | None = None
    families: tuple[FamilyFact, ...] = ()
    facts: tuple[Fact, ...] = ()
    places: tuple[Link, ...] = ()

    @classmethod
    def example(cls) -> "PatternsPage":
        """Return the page of small parts."""
        return cls.parts(())

    @classmethod
    def examples(cls) -> "dict[str, PatternsPage]":
        """Return both forms of the page."""
        parts = cls.example()
        one = FragmentState("empty", "Here stands the fragment.")
        return {"parts": parts, "fragment": cls.one("work/list.html: work_threads", parts.fragments, (one,))}

    @classmethod
    def one(cls, title: str, fragments: tuple[Link, ...], shown: tuple[FragmentState, ...]) -> "PatternsPage":
        """Return one fragment in all its states."""
        return cls(_shell(), title, fragments, shown)

    @classmethod
    def parts(cls, fragments: tuple[Link, ...]) -> "PatternsPage":
        """Return every small part, and links to the fragments."""
        return cls(
            shell=_shell(),
            title="Patterns",
            fragments=fragments,
            kinds=tuple(KindMark.of(kind) for kind in NodeKind),
            groups=_groups(),
            notices=_notices(),
            refusal=Refusal(
                "Not accepted: revision 19 came first",
                "Jonas accepted “Dust door in the hall” a minute ago. It touches Bathroom too. Nothing is lost.",
                (Link("See what changed", "/-/patterns", "history"),),
            ),
            sentences=(
                Sentence("An ordinary sentence about a doubt."),
                Sentence("Something the host saw.", "circle-check", "ok"),
                Sentence("Something that needs care.", "triangle-alert", "warn"),
            ),
            quote=Quote(
                (
                    QuotePiece("I don’t want to find out "),
                    QuotePiece("with a hammer", is_matched=True),
                    QuotePiece("."),
                ),
                "Jonas wrote this",
                Moment.example(),
            ),
            families=(
                FamilyFact("Knowledge", SUPPORTED, "2 independent lines"),
                FamilyFact("Governance", governance_mark(Governance.ADOPTED), "Mira, revision 13"),
                FamilyFact("Work", None, ""),
            ),
            facts=(
                Fact("Commit", "", IdCopy("c902 5e4b", "c9025e4b" * 5)),
                Fact("Sealed", "", when=Moment.example()),
            ),
            places=(Link("Birch Lane 7", "/-/patterns"), Link("Bathroom", "/-/patterns")),
        )


def _shell() -> Shell:
    return replace(Shell.example_world("Patterns", "/-/patterns"), live=None)


def _groups() -> tuple[MarkGroup, ...]:
    work = [
        work_mark(phase, verification)
        for phase, verification in (
            (Phase.PLANNED, Verification.UNVERIFIED),
            (Phase.BLOCKED, Verification.UNVERIFIED),
            (Phase.COMPLETED, Verification.UNVERIFIED),
            (Phase.COMPLETED, Verification.VERIFIED),
        )
    ]
    return (
        MarkGroup("Knowledge", (DRAFT, SUPPORTED)),
        MarkGroup(
            "Governance",
            (SUGGESTED, *(governance_mark(g) for g in Governance if g is not Governance.SUGGESTED)),
        ),
        MarkGroup("Work", (RUNNING, *(mark for mark in work if mark is not None))),
        MarkGroup(
            "Results",
            (
                Mark("circle-check", "Passed", "ok"),
                Mark("circle-x", "Failed", "bad"),
                Mark("clock-alert", "Stale", "stale"),
                Mark("circle-help", "Outcome unknown", "unknown"),
                Mark("rocket", "Promoted", "ok"),
                Mark("hourglass", "Waiting", "accent"),
            ),
        ),
    )


def _notices() -> tuple[Notice, ...]:
    rows: tuple[tuple[CalloutTone, str, str, str], ...] = (
        ("info", "info", "You are looking at revision 12", "Nothing can be decided here."),
        ("ok", "shield-check", "Verified", "412 events read again, same result."),
        ("warn", "triangle-alert", "Newer revision", "Someone accepted a change while you were reading."),
        ("bad", "circle-x", "Validation is not available", "Without the sandbox nothing runs."),
        ("unknown", "circle-help", "Outcome unknown", "Nobody saw how this ended."),
    )
    return tuple(Notice(*row) for row in rows)
