"""The Operator room: moves that wait, moves whose outcome nobody saw, the journal and earlier moves.

The page is shown to a signed-in person, and acting on it needs an operator's token besides. Owns only what the
page may show; no field ever holds a token.
"""

from dataclasses import dataclass, replace

from app.views.parts import Fact, IdCopy, Mark, Moment, Sentence
from app.views.shell import Shell
from app.views.work.parts import RefMove


@dataclass(frozen=True, slots=True)
class TokenForm:
    """One act that needs an operator's token: where the module sends it, and the command that does the same."""

    field_id: str
    url: str
    key: str
    """Idempotency key of this act, as this page was rendered."""
    label: str
    icon: str
    command: str
    """Exactly what to type when there is no JavaScript."""


@dataclass(frozen=True, slots=True)
class WaitingMove:
    """A promotion that a person authorised and no operator has executed."""

    title: str
    waits: Mark
    move: RefMove
    seen: tuple[Sentence, ...]
    """What was checked before anything moves, and what will be checked again."""
    form: TokenForm | None
    refused: str = ""
    """Why it cannot be executed now; empty when it can."""


@dataclass(frozen=True, slots=True)
class UnknownMove:
    """An attempt that began and whose outcome nobody saw."""

    title: str
    text: str
    when: Moment
    facts: tuple[Fact, ...]
    """Where the ref was, should be, and is now, read directly."""
    finding: str
    """What that says, in a sentence."""
    form: TokenForm


@dataclass(frozen=True, slots=True)
class JournalLine:
    """One record of a promotion's journal: intent, attempt or status, newest first."""

    title: str
    note: str
    icon: str
    when: Moment | None
    """None when the record's own time is not told."""
    tone: str = "muted"


@dataclass(frozen=True, slots=True)
class JournalStory:
    """The journal of one promotion and whether its chain holds."""

    title: str
    lines: tuple[JournalLine, ...]
    attested: Mark
    text: str
    when: Moment


@dataclass(frozen=True, slots=True)
class EarlierMove:
    """One finished promotion."""

    title: str
    href: str
    outcome: Mark
    operator: str
    when: Moment
    attested: Mark
    attested_at: Moment


@dataclass(frozen=True, slots=True)
class OperatorPage:
    """Everything an operator decides on, in the order of urgency."""

    shell: Shell
    origin: str
    """The public origin; only a page opened there may act."""
    journal: Mark
    journal_at: Moment
    unknown: tuple[UnknownMove, ...]
    waiting: tuple[WaitingMove, ...]
    stories: tuple[JournalStory, ...]
    leftovers: tuple[str, ...]
    """Claims and locks that crashes left, one sentence each."""
    earlier: tuple[EarlierMove, ...]

    @classmethod
    def example(cls) -> "OperatorPage":
        """Return the page with one move waiting, one unknown and three finished."""
        return cls(
            shell=Shell.example_world("Operator", "/operator"),
            origin="http://127.0.0.1:8765",
            journal=Mark("badge-check", "Journal readable, chain intact", "ok"),
            journal_at=Moment.example(),
            unknown=(_example_unknown(),),
            waiting=(_example_waiting(),),
            stories=(_example_story(),),
            leftovers=(),
            earlier=_example_earlier(),
        )

    @classmethod
    def examples(cls) -> "dict[str, OperatorPage]":
        """Return every state of the page by name."""
        page = cls.example()
        stale = replace(
            page.waiting[0],
            waits=Mark("clock-alert", "Stale", "stale"),
            form=None,
            refused="main is at another commit than the candidate starts from. Withdraw it and brief the task again.",
        )
        empty = replace(page, unknown=(), waiting=(), stories=(), earlier=())
        broken = Mark("circle-x", "Journal cannot be trusted", "bad")
        left = ("A lock on Birch Lane planner was left by a process that ended today at 14:01.",)
        return {
            "all": page,
            "waiting": replace(page, unknown=(), stories=()),
            "unknown": replace(page, waiting=()),
            "stale": replace(page, unknown=(), waiting=(stale,)),
            "empty": empty,
            "journal broken, lock left": replace(empty, journal=broken, leftovers=left),
        }


def _example_move() -> RefMove:
    base, target = IdCopy("a7d3 18f0", "a7d318f0" * 5), IdCopy("c902 5e4b", "c9025e4b" * 5)
    return RefMove("Birch Lane planner", "main", base, target, "2 files, 31 lines")


def _example_waiting() -> WaitingMove:
    promotion = "promotion_01jdz8q3v4m5n6p7q8r9s0t1v2"
    return WaitingMove(
        title="Move main to “Skip-hire cost”",
        waits=Mark("hourglass", "Since Friday", "accent"),
        move=_example_move(),
        seen=(
            Sentence("Integrated at revision 15 by Jonas, evidence 2 of 2.", "circle-check", "ok"),
            Sentence("The candidate is the one sealed in that run.", "circle-check", "ok"),
            Sentence("main is where the candidate started from, read directly.", "circle-check", "ok"),
            Sentence(
                "The validator runs again before the move. If anything differs, nothing moves.", "rotate-ccw"
            ),
        ),
        form=TokenForm(
            field_id="token-1",
            url=f"/api/v1/promotions/{promotion}/execute",
            key="command_01jdz8q3v4m5n6p7q8r9s0t1v3",
            label="Move it, once",
            icon="key-round",
            command=f"odeu promotion execute {promotion}",
        ),
    )


def _example_unknown() -> UnknownMove:
    promotion = "promotion_01jdz8q3v4m5n6p7q8r9s0t1v9"
    return UnknownMove(
        title="Outcome unknown: did “Room list export” become main?",
        text="The process stopped between the attempt and the answer. Nobody saw the outcome, so it counts neither as "
        "shipped nor as failed. No second attempt was made.",
        when=Moment("Sat 28 Nov 22:14", "2026-11-28T21:14:30Z"),
        facts=(
            Fact("main was", "", IdCopy("4be1 90c2", "4be190c2" * 5)),
            Fact("should become", "", IdCopy("a7d3 18f0", "a7d318f0" * 5)),
            Fact("main is now", "", IdCopy("a7d3 18f0", "a7d318f0" * 5)),
            Fact("read directly", "", when=Moment.example()),
        ),
        finding="What is seen matches the candidate. The host looks once more and records what it sees; it moves nothing.",
        form=TokenForm(
            field_id="token-2",
            url=f"/api/v1/promotions/{promotion}/reconcile",
            key="command_01jdz8q3v4m5n6p7q8r9s0t1v4",
            label="Record what is seen",
            icon="clipboard-check",
            command=f"odeu promotion reconcile {promotion}",
        ),
    )


def _example_story() -> JournalStory:
    then = Moment("Sat 28 Nov 22:14", "2026-11-28T21:14:30Z")
    lines = (
        JournalLine("No status", "The process ended before it was written", "circle-help", then),
        JournalLine("Attempt opened", "This process alone may swap, once", "arrow-right-left", then),
        JournalLine("Intent written", "By operator Mira, through this page", "file-pen-line", None),
    )
    attested = Mark("badge-check", "Attested", "ok")
    return JournalStory(
        "Room list export", lines, attested, "2 records, each signed and chained", Moment.example()
    )


def _example_earlier() -> tuple[EarlierMove, ...]:
    rows = (
        ("Paint colours page", Mark("rocket", "Promoted", "ok"), "Mira"),
        ("Radiator sizes", Mark("clock-alert", "Stale, nothing moved", "stale"), "Mira"),
        ("Radiator sizes, first try", Mark("circle-x", "Failed, nothing moved", "bad"), "Jonas"),
    )
    when = Moment("Wed 25 Nov 20:10", "2026-11-25T19:10:00Z")
    attested = Mark("badge-check", "Attested")
    return tuple(
        EarlierMove(title, "/p/birch-lane/work/node_9", outcome, operator, when, attested, Moment.example())
        for title, outcome, operator in rows
    )
