"""The small parts that several pages are made of: moments, marks, links, quotations, bindings.

Owns the words of kinds and statuses as people read them. Owns no page and no decision.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias

from kernel.vocabulary import LANE_OF, Governance, Lane, NodeKind, Phase, Verification

Tone: TypeAlias = Literal["plain", "neutral", "ok", "warn", "bad", "stale", "unknown", "suggested", "accent"]
"""How loud a mark is. `plain` has no box; the ordinary is quiet, only what needs care gets a box."""

LANE_WORDS: Final[dict[Lane, str]] = {
    Lane.O: "What exists",
    Lane.E: "What we know",
    Lane.D: "What is allowed",
    Lane.U: "What matters",
}
KIND_WORDS: Final[dict[NodeKind, str]] = {
    **{kind: kind.value for kind in NodeKind},
    NodeKind.OPEN_QUESTION: "Open question",
    NodeKind.AGENT_RUN: "Agent run",
}


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in time: local words for the reader, the exact instant for the machine and the tooltip."""

    text: str
    """Local and short, such as `today 14:02`."""
    iso: str
    """The instant in UTC, `2026-11-30T13:02:11Z` with or without a fraction."""

    @property
    def utc(self) -> str:
        """The exact UTC time as a person reads it on hover."""
        return f"{self.iso[:10]} {self.iso[11:19]} UTC"

    @property
    def day(self) -> str:
        """The day alone, in UTC; the page's script makes it local."""
        when = datetime.fromisoformat(self.iso)
        return f"{when.day} {when:%b %Y}"

    @classmethod
    def example(cls) -> "Moment":
        """Return the moment of the newest revision in the examples."""
        return cls("today 14:02", "2026-11-30T13:02:11Z")


@dataclass(frozen=True, slots=True)
class KindMark:
    """A kind with its lane letter; the letter and the word carry it, the colour only helps."""

    lane: str
    """`O`, `E`, `D` or `U`."""
    lane_words: str
    """What the lane means, for the tooltip."""
    word: str
    """The kind as people read it, such as `Open question`."""

    @classmethod
    def of(cls, kind: NodeKind) -> "KindMark":
        """Return the mark of a kernel kind."""
        lane = LANE_OF[kind]
        return cls(lane.value, LANE_WORDS[lane], KIND_WORDS[kind])


@dataclass(frozen=True, slots=True)
class Mark:
    """One status: an icon and a word, never colour alone."""

    icon: str
    """A symbol of `static/icons.svg`."""
    word: str
    tone: Tone = "plain"


SUGGESTED: Final = Mark("circle-dashed", "Suggested", "suggested")
_GOVERNANCE: Final[dict[Governance, Mark]] = {
    Governance.SUGGESTED: SUGGESTED,
    Governance.ADOPTED: Mark("stamp", "Adopted"),
    Governance.RESTRICTED: Mark("lock-keyhole", "Restricted"),
}
_PHASE: Final[dict[Phase, Mark | None]] = {
    Phase.NONE: None,
    Phase.PLANNED: Mark("circle", "Planned"),
    Phase.BLOCKED: Mark("octagon-pause", "Blocked", "warn"),
    Phase.COMPLETED: Mark("check", "Completed"),
}


def governance_mark(governance: Governance) -> Mark:
    """Return the mark of the governance family."""
    return _GOVERNANCE[governance]


def work_mark(phase: Phase, verification: Verification) -> Mark | None:
    """Return the mark of the work family; None when work is not stated. `Running` is the caller's overlay."""
    if verification is Verification.VERIFIED:
        return Mark("badge-check", "Completed, verified", "ok")
    return _PHASE[phase]


RUNNING: Final = Mark("loader", "Running", "accent")
DRAFT: Final = Mark("pencil-line", "Draft")
SUPPORTED: Final = Mark("circle-check", "Supported", "ok")


@dataclass(frozen=True, slots=True)
class FamilyFact:
    """One of the three status families of a node."""

    name: str
    """`Knowledge`, `Governance` or `Work`, always in this order."""
    mark: Mark | None
    """None when nothing is stated."""
    note: str
    """Who says so, such as `Jonas, revision 17`; empty when there is nothing to add."""


@dataclass(frozen=True, slots=True)
class Link:
    """Words that lead somewhere."""

    text: str
    href: str
    icon: str = "arrow-right"


@dataclass(frozen=True, slots=True)
class NodeLink:
    """A node by its title; never by its id."""

    title: str
    href: str
    kind: KindMark
    mark: Mark | None = None
    """What needs care about it, such as `Suggested`; None for the ordinary."""


@dataclass(frozen=True, slots=True)
class QuotePiece:
    """A stretch of somebody's words; `is_matched` when it is why the place was chosen."""

    text: str
    is_matched: bool = False


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that somebody wrote, exactly; always set in serif with the speaker below."""

    pieces: tuple[QuotePiece, ...]
    said: str
    """Who and how, such as `Mira wrote this`."""
    when: Moment
    is_private: bool = False
    """The capture stays on this machine."""
    whole: Link | None = None
    """Where the whole text is, when this is an extract."""
    source: Link | None = None
    """The capture's own page; None where it is not offered."""


@dataclass(frozen=True, slots=True)
class IdCopy:
    """An id in its place: short to read, whole to copy, never in running text."""

    short: str
    """The kind and the last characters, such as `proposal 7F3C`."""
    full: str

    @classmethod
    def of_object(cls, object_id: str) -> "IdCopy":
        """Return a Git object by its first eight digits in two groups, such as `c902 5e4b`."""
        return cls(f"{object_id[:4]} {object_id[4:8]}", object_id)


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of a list of facts: a name, words, and an id or a moment where the words need one."""

    name: str
    text: str
    id: IdCopy | None = None
    when: Moment | None = None


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence with the icon that says what sort of sentence it is."""

    text: str
    icon: str = "circle-help"
    tone: Literal["muted", "ok", "warn", "bad", "accent"] = "muted"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why something was not done, and the way out. What was typed stays in the form beside it."""

    title: str
    text: str
    ways: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Binding:
    """What a form's yes is bound to. A name that is empty does not go out with the form."""

    expected_revision: str = ""
    """The revision the person saw; for acts on meaning."""
    seen: str = ""
    """The digest of what was shown; for acts on meaning."""
    command_id: str = ""
    """Names the command, so that a repeated send is the same act."""

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """The hidden fields of the form, without the form token."""
        named = (
            ("expected_revision", self.expected_revision),
            ("seen", self.seen),
            ("command_id", self.command_id),
        )
        return tuple((name, value) for name, value in named if value)

    @classmethod
    def example(cls) -> "Binding":
        """Return a binding as an act on meaning carries it."""
        return cls(
            expected_revision="18",
            seen="sha256:" + "5a" * 32,
            command_id="command_01jdz8q3v4m5n6p7q8r9s0t1v2",
        )


@dataclass(frozen=True, slots=True)
class Option:
    """One entry of a select or one radio choice."""

    value: str
    text: str
    hint: str = ""
    is_chosen: bool = False
