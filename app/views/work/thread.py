"""One thread of work: its eight stages, its three families and the stage that is open now.

Owns the shape only. `app.views.work.page` makes the page of it.
"""

from dataclasses import dataclass

from app.views.parts import FamilyFact, Link, Moment, Refusal
from app.views.shell import Shell
from app.views.work.parts import (
    Act,
    Authority,
    BriefChoice,
    Candidate,
    Checks,
    EarlierTry,
    Integration,
    Notice,
    Outcome,
    Progress,
    Question,
    RefMove,
    Reported,
)


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
class WorkThread:
    """One piece of work: its stepper, its three families, and the stage that is open now.

    The open stage is a heading, some of the parts below in this order, and the acts. A part that is None is
    not shown.
    """

    shell: Shell
    title: str
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
    earlier: tuple[EarlierTry, ...] = ()
    """What later tries replaced, newest first."""

    @property
    def now(self) -> Stage:
        """The stage that is open."""
        return next(stage for stage in self.stages if stage.is_now)

    @property
    def has_acts(self) -> bool:
        """True when there is anything to stand in the act bar."""
        return bool(self.primary or self.others or self.links or self.waits)

    @property
    def is_quiet(self) -> bool:
        """True when nobody can be typing or choosing here, so that a live update may replace the stage."""
        asks = self.question is not None and self.question.form_id != ""
        return self.choice is None and not asks and self.refusal is None
