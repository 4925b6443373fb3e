"""What the Timeline is made of: a revision with what it did, the work under it, and the story of one node."""

from dataclasses import dataclass

from app.views.parts import KindMark, Link, Mark, Moment, Option, Quote


@dataclass(frozen=True, slots=True)
class Touched:
    """One node that a revision added, changed or retired."""

    icon: str
    title: str
    href: str
    note: str
    """Such as `task, added` or `decision, renamed from “Tiles”`."""
    is_retired: bool = False


@dataclass(frozen=True, slots=True)
class WorkLine:
    """One thing that happened in the work on a task."""

    when: Moment
    text: str
    task: Link
    """The thread of the task."""


@dataclass(frozen=True, slots=True)
class TimelineFilter:
    """Which revisions are shown: by sort of act, by person, and between two days."""

    action: str
    acts: tuple[Option, ...]
    people: tuple[Option, ...]
    since: str
    """A day, as it was typed."""
    until: str
    selected: str
    """The selection, kept; empty when there is none."""
    clear: Link | None = None
    """Leads to all of them; None when all are shown."""
    error: str = ""
    """Which day was not understood, in a sentence."""
    zone: str = ""
    """The time zone whose days are meant, such as `Europe/Zurich`; empty for UTC."""


@dataclass(frozen=True, slots=True)
class RevisionEntry:
    """One revision, with everything under it."""

    id: str
    """A name for the entry that is unique on the page."""
    title: str
    number: str
    """Such as `Revision 18`."""
    when: Moment
    who: str
    """Such as `Accepted by Mira, on the command line`."""
    why: str
    """The reason that was given; empty when the words speak for themselves."""
    quote: Quote | None
    """The words it came from, shortened."""
    marks: tuple[Mark, ...]
    counts: tuple[str, ...]
    """Such as `1 added`."""
    ways: tuple[Link, ...]
    """What changed, and the worldstate as it stood."""
    touched: tuple[Touched, ...]
    more: str
    """How many touched nodes do not fit; empty when all do."""
    replaced: tuple[str, ...]
    """Proposals that led here, such as `“Tiles” was edited by Mira`."""
    work: tuple[WorkLine, ...]
    work_title: str
    """Such as `5 work events`."""
    day: str = ""
    """The day in UTC, where it is another one than that of the entry above; the page's script makes it local."""
    is_newest: bool = False
    is_work_open: bool = False
    """Whether the work is shown at once: little of it, or of one node."""


@dataclass(frozen=True, slots=True)
class StoryStep:
    """One step back in the story of a node."""

    icon: str
    text: str
    """Such as `Refines`; empty for the node itself."""
    title: str
    """What it is about; empty when the words say it."""
    href: str
    note: str
    """Who did it and in which revision."""
    when: Moment
    words: str = ""
    """The words it began with."""
    is_now: bool = False


@dataclass(frozen=True, slots=True)
class Story:
    """How one node came to be what it is."""

    title: str
    kind: KindMark
    steps: tuple[StoryStep, ...]
    change: Link | None = None
    """Proposes to change it; None for what takes no change, and for who may not."""


@dataclass(frozen=True, slots=True)
class CompareForm:
    """Choose two revisions to compare."""

    action: str
    earlier: str
    later: str
    newest: str
    """The highest number that may be chosen."""
    node: str
    """The selection, kept; empty when there is none."""
