# ruff: noqa: RUF001 - the words of the examples are typeset
"""One brief as its owner sees it: what is shared and why, what stays here and why, the contract, the payload."""

from dataclasses import dataclass, replace

from app.views.parts import Binding, Fact, IdCopy, KindMark, Link, Moment, Refusal
from app.views.shell import Shell
from app.views.work.parts import Act, Notice
from kernel.vocabulary import NodeKind


@dataclass(frozen=True, slots=True)
class SharedLine:
    """A node the worker sees, and the need that put it there."""

    kind: KindMark
    title: str
    href: str
    reason: str


@dataclass(frozen=True, slots=True)
class WithheldGroup:
    """Nodes of one reason that stay here; the worker learns their number only."""

    icon: str
    count: str
    """Such as `2 private`."""
    some: str
    """The first titles, for the line."""
    titles: tuple[str, ...]
    """Those of this page, for the owner only."""


@dataclass(frozen=True, slots=True)
class ContractView:
    """What the run must do and may do, as the profile says."""

    profile: str
    """Such as `Profile “Page change”, version 3`."""
    goal: str
    done_means: tuple[str, ...]
    constraints: tuple[str, ...]
    may: tuple[str, ...]
    asks_first: tuple[str, ...]
    may_not: tuple[str, ...]
    proof: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BriefPage:
    """A compiled brief, and the act of authorising exactly one run while it is still true."""

    shell: Shell
    title: str
    places: tuple[Link, ...]
    when: Moment
    who: str
    """Who compiled it."""
    shared: tuple[SharedLine, ...]
    withheld: tuple[WithheldGroup, ...]
    withheld_count: int
    contract: ContractView
    payload: str
    """The exact bytes a worker receives, as text."""
    facts: tuple[Fact, ...]
    """Digest, size, worldstate revision."""
    notice: Notice | None = None
    refusal: Refusal | None = None
    primary: Act | None = None
    others: tuple[Act, ...] = ()
    links: tuple[Link, ...] = ()
    waits: str = ""
    earlier: Link | None = None
    """What is withheld before the titles of this page."""
    more: Link | None = None
    """The rest of what is withheld."""
    is_unfolded: bool = False
    """Whether the titles were asked for."""

    @classmethod
    def example(cls) -> "BriefPage":
        """Return a brief that can be authorised."""
        thread = "/p/birch-lane/work/node_1"
        says = "One run, once. It works in a leased copy; your branch and your worldstate stay as they are."
        act = Act("Authorise one run", "shield-check", f"{thread}/authorise", "act-authorise",
                  Binding(command_id="command_01"), says, "a", fields=(("brief_id", "brief_1"),))  # fmt: skip
        return cls(
            shell=replace(Shell.example_in("Work", f"{thread}/brief/brief_1"), title="Brief"),
            title="Brief: tile calculator on the planner page",
            places=(Link("Work", "/p/birch-lane/work"), Link("Tile calculator on the planner page", thread)),
            when=Moment.example(),
            who="Compiled by Jonas",
            shared=_example_shared(),
            withheld=_example_withheld(),
            withheld_count=25,
            contract=_example_contract(),
            payload='{\n  "contract": {\n    "goal": "Say how many boxes of tiles to order for a room."\n  },\n  "omitted": 25\n}\n',
            facts=(
                Fact("Digest", "", IdCopy("brief 5a5a", "sha256:" + "5a" * 32)),
                Fact("Size", "4 112 bytes"),
                Fact("Made from", "revision 18"),
            ),
            primary=act,
            links=(Link("Back to the work", thread, "arrow-left"),),
        )

    @classmethod
    def examples(cls) -> "dict[str, BriefPage]":
        """Return every state of the page by name."""
        page = cls.example()
        stale = Notice("warn", "clock-alert", "Out of date: the task changed since",
                       "Revision 19 changed what this brief shares. Compile a new one; this one cannot start a run.",
                       (Link("Compile a new brief", "/p/birch-lane/work/node_1?choose=1", "file-text"),))  # fmt: skip
        used = Notice("info", "history", "This brief was used for one run", "It stays readable as it was.")
        none = replace(page, withheld=(), withheld_count=0)
        return {
            "ready": page,
            "nothing withheld": none,
            "a page of many": replace(
                page,
                earlier=Link("Show what comes before", f"{page.shell.here}?withheld=0", "arrow-up"),
                more=Link("Show the next 200 of 900", f"{page.shell.here}?withheld=400", "arrow-down"),
                is_unfolded=True,
            ),
            "out of date": replace(page, notice=stale, primary=None, waits="Cannot start a run."),
            "used": replace(page, notice=used, primary=None, waits="Its run is in the thread."),
        }


def _example_shared() -> tuple[SharedLine, ...]:
    rows = (
        (NodeKind.TASK, "Tile calculator on the planner page", "The task itself"),
        (NodeKind.GOAL, "Total cost under €42,000", "The goal it serves"),
        (NodeKind.DECISION, "60 × 60 cm floor tiles", "A decision in force"),
        (NodeKind.CONSTRAINT, "Order with 10 % spare", "Must hold for the result"),
        (NodeKind.ARTIFACT, "Planner page", "What gets changed"),
        (NodeKind.EVIDENCE, "Room sizes, measured 21 Nov", "What is known about it"),
    )
    return tuple(
        SharedLine(KindMark.of(kind), title, f"/p/birch-lane/focus?node=node_{at}", reason)
        for at, (kind, title, reason) in enumerate(rows)
    )


def _example_withheld() -> tuple[WithheldGroup, ...]:
    return (
        WithheldGroup("lock", "2 private", "Loan terms, A phone number", ("Loan terms", "A phone number")),
        WithheldGroup("minus", "21 not needed", "Kitchen, Windows", ("Kitchen", "Windows", "Heating")),
        WithheldGroup(
            "scale",
            "2 over the budget",
            "Old price list, Notes of March",
            ("Old price list", "Notes of March"),
        ),
    )


def _example_contract() -> ContractView:
    return ContractView(
        profile="Profile “Page change”, version 3",
        goal="Add a small calculator to the planner page that says how many boxes of tiles to order for a room.",
        done_means=(
            "Two room sides, tile size and spare give a number of boxes.",
            "Part boxes are rounded up.",
            "The page loads the calculator exactly once.",
        ),
        constraints=("No new dependency.",),
        may=("Read the leased copy", "Change planner.html and tiles.mjs", "Run the tests"),
        asks_first=(),
        may_not=("Use the network", "Touch other files", "Accept its own work"),
        proof=("Counts compared on the host", "planner.html changed in the sealed files"),
    )
