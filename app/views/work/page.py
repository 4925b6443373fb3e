"""The Work room: the list of threads, and one thread with its eight stages.

A thread is one piece of work and has the id of its task. Which stage it is at, and every word here, is chosen
by whoever builds the view; these classes own only what the pages may show.
"""

from dataclasses import dataclass, fields, replace

from app.views.parts import Link, Mark, Moment
from app.views.shell import Shell
from app.views.work import examples as work_examples
from app.views.work.thread import WorkThread


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
    earlier: Link | None = None
    """What stands before the threads of this page."""
    more: Link | None = None
    """The rest of a long list."""

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
            "a page of many": replace(
                full,
                earlier=Link("Show what comes before", "/p/birch-lane/work", "arrow-up"),
                more=Link("Show the next 50 of 120", "/p/birch-lane/work?start=100", "arrow-down"),
            ),
            "empty": cls(
                full.shell, (), "From a captured task to a moved branch, in eight stages.", full.outline
            ),
        }


@dataclass(frozen=True, slots=True)
class WorkThreadPage(WorkThread):
    """The page of one thread."""

    @classmethod
    def example(cls) -> "WorkThreadPage":
        """Return the thread after a validation that passed; next is the reconciliation."""
        return cls.examples()["validated"]

    @classmethod
    def examples(cls) -> "dict[str, WorkThreadPage]":
        """Return every state of the page by name."""
        return {name: cls.of(thread) for name, thread in work_examples.threads().items()}

    @classmethod
    def of(cls, thread: WorkThread) -> "WorkThreadPage":
        """Return the page of a thread."""
        return cls(**{field.name: getattr(thread, field.name) for field in fields(thread)})
