"""The Work room: the list of threads, and one thread with its eight stages.

A thread is one piece of work and has the id of its task. Which stage it is at, and every word here, is chosen
by whoever builds the view; these classes own only what the pages may show.
"""

from dataclasses import dataclass

from app.views.parts import FamilyFact, KindMark, Link, Mark, Moment, Refusal
from app.views.shell import Shell
from app.views.work_parts import (
    Act,
    Authority,
    BriefChoice,
    Candidate,
    Checks,
    Integration,
    Notice,
    Outcome,
    Progress,
    Question,
    RefMove,
    Reported,
)
from kernel.vocabulary import NodeKind


@dataclass(frozen=True, slots=True)
class ThreadLine:
    """One piece of work in the list: where it stands and what it waits for."""

    title: str
    href: str
    under: str
    """The title of what it belongs to."""
    number: int
    """The stage it is at, 1 to 8."""
    stage: str
    waits: Mark
    when: Moment


@dataclass(frozen=True, slots=True)
class WorkListPage:
    """All threads of a project; those that wait for this person first."""

    shell: Shell
    threads: tuple[ThreadLine, ...]
    summary: str
    """Such as `3 pieces of work, 2 wait for you`."""
    outline: Link
    """Where a task can be found or captured, for the empty list."""

    @classmethod
    def example(cls) -> "WorkListPage":
        """Return a list with one thread per way of waiting."""
        shell = Shell.example_in("Work", "/p/birch-lane/work")
        ways = (
            ("Order bathroom tiles", "Bathroom", 2, "Adopted", Mark("hand", "Needs a brief", "accent")),
            ("Room list export", "Planner page", 4, "Authorised", Mark("loader", "Running", "accent")),
            ("Skirting board lengths", "Planner page", 5, "Returned", Mark("circle-help", "Asks", "warn")),
            (
                "Tile calculator on the planner page",
                "Bathroom",
                6,
                "Validated",
                Mark("hand", "Needs you", "accent"),
            ),
            ("Skip-hire cost", "Budget", 8, "Promoted", Mark("key-round", "Needs an operator")),
            ("Paint colours page", "Living room", 8, "Promoted", Mark("rocket", "Promoted", "ok")),
        )
        lines = tuple(
            ThreadLine(
                title, f"/p/birch-lane/work/node_{place}", under, number, stage, waits, Moment.example()
            )
            for place, (title, under, number, stage, waits) in enumerate(ways)
        )
        outline = Link("Open the outline", "/p/birch-lane/outline", "list-tree")
        return cls(shell, lines, "6 pieces of work, 3 wait for you", outline)

    @classmethod
    def examples(cls) -> "dict[str, WorkListPage]":
        """Return every state of the page by name."""
        full = cls.example()
        return {
            "threads": full,
            "empty": cls(full.shell, (), "No work yet", full.outline),
        }


@dataclass(frozen=True, slots=True)
class Stage:
    """One of the eight stages in the stepper. A passed one is a receipt that unfolds."""

    number: int
    name: str
    summary: str
    """A few words beside the name, such as `by Mira` or `needs your yes`."""
    is_done: bool = False
    is_now: bool = False
    text: str = ""
    """What the unfolded receipt says."""
    when: Moment | None = None
    link: Link | None = None


@dataclass(frozen=True, slots=True)
class WorkThreadPage:
    """One piece of work: its stepper, its three families, and the stage that is open now.

    The open stage is a heading, some of the parts below in this order, and the acts. A part that is None is
    not shown.
    """

    shell: Shell
    title: str
    kind: KindMark
    places: tuple[Link, ...]
    families: tuple[FamilyFact, ...]
    stages: tuple[Stage, ...]
    heading: str
    meta: str
    when: Moment | None
    refusal: Refusal | None = None
    notice: Notice | None = None
    progress: Progress | None = None
    question: Question | None = None
    choice: BriefChoice | None = None
    authority: Authority | None = None
    checks: Checks | None = None
    integration: Integration | None = None
    move: RefMove | None = None
    outcome: Outcome | None = None
    reported: Reported | None = None
    candidate: Candidate | None = None
    primary: Act | None = None
    others: tuple[Act, ...] = ()
    links: tuple[Link, ...] = ()
    """Ways on that are no acts, beside the acts."""
    waits: str = ""
    """What the thread waits for when there is no primary act."""

    @property
    def now(self) -> Stage:
        """The stage that is open."""
        return next(stage for stage in self.stages if stage.is_now)

    @property
    def passed_count(self) -> int:
        """How many stages are behind, for the bar."""
        return sum(stage.is_done for stage in self.stages)

    @property
    def has_acts(self) -> bool:
        """True when there is anything to stand in the act bar."""
        return bool(self.primary or self.others or self.links or self.waits)

    @property
    def is_quiet(self) -> bool:
        """True when nobody can be typing or choosing here, so that a live update may replace the stage."""
        return self.choice is None and self.question is None and self.refusal is None

    @classmethod
    def example(cls) -> "WorkThreadPage":
        """Return the thread as in the mock: validated, next the reconciliation."""
        return cls.examples()["validated"]

    @classmethod
    def examples(cls) -> "dict[str, WorkThreadPage]":
        """Return every state of the page by name."""
        from app.views.work_examples import thread_examples

        return thread_examples()


TASK_KIND = KindMark.of(NodeKind.TASK)
