"""Focus: one node or one suggestion with as little around it as a decision can bear."""

from dataclasses import dataclass, replace

from app.views.inbox.parts import Act, DecideBar
from app.views.parts import (
    DRAFT,
    SUGGESTED,
    Binding,
    FamilyFact,
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
from app.views.worldstate import difference_examples
from app.views.worldstate.difference_parts import Past
from app.views.worldstate.outline_parts import ViewTab
from kernel.vocabulary import Governance, NodeKind, Phase, Verification


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """One thing that would be different: now and then, as words or as marks."""

    what: str
    now: Mark
    then: Mark


@dataclass(frozen=True, slots=True)
class FocusItem:
    """What stands in the middle of the page."""

    title: str
    kind: KindMark
    crumbs: tuple[Link, ...]
    description: str
    """Empty when there is none."""
    quote: Quote | None
    families: tuple[FamilyFact, ...]
    """The three statuses of a node; empty for a suggestion, which has none yet."""
    supports: tuple[Sentence, ...]
    """What supports it and what speaks against it, with who says so."""
    changes: tuple[ChangeLine, ...]
    """What a yes would change; empty for an accepted node."""
    since: Moment | None
    """Since when it waits; None for an accepted node."""
    mark: Mark | None = None
    """`Suggested` for what is not accepted yet."""
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class FocusPage:
    """One item, one primary act: a yes to decide, or a way to go on."""

    shell: Shell
    tabs: tuple[ViewTab, ...]
    item: FocusItem | None
    """None when nothing is selected: then the page says how to select."""
    decide: DecideBar | None = None
    """The primary act for a suggestion."""
    next: Link | None = None
    """The primary act for an accepted node, such as `Prepare a brief`."""
    others: tuple[Link, ...] = ()
    """Beside `next`: quieter ways on."""
    choose: tuple[Link, ...] = ()
    """What could be looked at, when nothing is selected."""
    past: Past | None = None
    """Over a past revision: which one, and the ways on."""

    @classmethod
    def example(cls) -> "FocusPage":
        """Return a suggestion in focus."""
        return cls.examples()["suggestion"]

    @classmethod
    def examples(cls) -> dict[str, "FocusPage"]:
        """Return every state of the page."""
        shell = Shell.example_in("Worldstate", "/p/birch-lane/focus?node=wall")
        suggestion = cls(shell, _TABS, _suggestion(), decide=_decide())
        stale = Refusal("Not accepted: revision 19 came first", "Read it again below; nothing was lost.")
        return {
            "suggestion": suggestion,
            "refused": replace(suggestion, item=replace(_suggestion(), refusal=stale)),
            "node": cls(
                shell,
                _TABS,
                _node(),
                next=Link("Prepare a brief", "/p/birch-lane/work/order", "send"),
                others=(Link("Everything about it", "/p/birch-lane/outline?node=order", "list-tree"),),
            ),
            "past": cls(shell, _TABS, _node(), past=difference_examples.past("focus")),
            "empty": cls(shell, _TABS, None),
            "nothing": cls(
                shell,
                _TABS,
                None,
                choose=(
                    Link("Order bathroom tiles", "/p/birch-lane/focus?node=order", "target"),
                    Link("Ground floor warm and dry", "/p/birch-lane/focus?node=warm", "target"),
                ),
            ),
        }


_TABS = (
    ViewTab("Outline", "/p/birch-lane/outline?node=order", "list-tree"),
    ViewTab("Map", "/p/birch-lane/map?node=order", "waypoints"),
    ViewTab("Timeline", "/p/birch-lane/timeline?node=order", "history"),
    ViewTab("Focus", "/p/birch-lane/focus?node=order", "target", is_current=True),
)


def _decide() -> DecideBar:
    return DecideBar(
        "/p/birch-lane/inbox/delta_04/accept",
        Binding.example(),
        (Act("Everything about it", "/p/birch-lane/inbox/delta_04", "list-tree", "e"),),
        can_accept=True,
        says="Makes revision 19",
        label="Adopt this decision",
    )


def _suggestion() -> FocusItem:
    words = Quote(
        (
            QuotePiece(
                "Two people tell us two different things about that wall. I won't find out with a hammer."
            ),
        ),
        "Jonas wrote this",
        Moment("Sat 10:14", "2026-11-28T09:14:00Z"),
    )
    planned, blocked = Mark("circle", "Planned"), Mark("octagon-pause", "Blocked", "warn")
    return FocusItem(
        title="Keep the wall between kitchen and hall until the engineer's letter is here",
        kind=KindMark.of(NodeKind.DECISION),
        crumbs=(
            Link("Birch Lane 7", "/p/birch-lane/outline"),
            Link("Kitchen", "/p/birch-lane/outline?node=kitchen"),
        ),
        description="",
        quote=words,
        families=(),
        supports=(
            Sentence("Already in force: no structural work before the engineer's letter.", "scale"),
            Sentence(
                "Jonas said it. Nothing observed supports or contradicts it yet.", "message-square-quote"
            ),
        ),
        changes=(
            ChangeLine("Open the kitchen to the hall", planned, blocked),
            ChangeLine("This decision", SUGGESTED, governance_mark(Governance.ADOPTED)),
        ),
        since=Moment("Sat 10:20", "2026-11-28T09:20:00Z"),
        mark=SUGGESTED,
    )


def _node() -> FocusItem:
    adopted = governance_mark(Governance.ADOPTED)
    planned = work_mark(Phase.PLANNED, Verification.UNVERIFIED)
    return FocusItem(
        title="Order bathroom tiles",
        kind=KindMark.of(NodeKind.TASK),
        crumbs=(
            Link("Birch Lane 7", "/p/birch-lane/outline"),
            Link("Bathroom", "/p/birch-lane/outline?node=bathroom"),
        ),
        description="Order tiles for floor and shower wall, with 10 % spare.",
        quote=None,
        families=(
            FamilyFact("Knowledge", DRAFT, "Nothing tested"),
            FamilyFact("Governance", adopted, "Jonas, revision 17"),
            FamilyFact("Work", planned, "Not verified"),
        ),
        supports=(Sentence("Jonas said that choosing and ordering are two things.", "message-square-quote"),),
        changes=(),
        since=None,
    )
