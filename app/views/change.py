"""Proposing to change an accepted node: one page with a plain form for each way to change it."""

from dataclasses import dataclass, replace
from typing import Final

from app.views.parts import Binding, KindMark, Link, Option, Refusal, Sentence
from app.views.shell import Shell
from app.views.worldstate.outline_parts import ViewTab
from kernel.vocabulary import NodeKind

_BASE: Final = "/p/birch-lane"
_HERE: Final = f"{_BASE}/nodes/order/change"
_ORDER: Final = "Order bathroom tiles"


@dataclass(frozen=True, slots=True)
class WordsFields:
    """What a node says of itself, and how its work stands."""

    title: str
    description: str
    phases: tuple[Option, ...] = ()
    """Work phases that a person may set next; empty for a node without work."""
    profiles: tuple[Option, ...] = ()
    """Delegation profiles of a task; empty when none is configured or it is no task."""


@dataclass(frozen=True, slots=True)
class Picker:
    """Choosing another node: found by its title on the server, chosen as a radio button."""

    label: str
    """Such as `Find a place`."""
    legend: str
    """What the radio buttons are about, such as `Move it under`."""
    action: str
    """Where the search is sent, with `way` and `q`."""
    way: str
    text: str
    """What was looked for; empty at first."""
    said: str
    """What was found, such as `12 of 31 match “tile”`."""
    nodes: tuple[Option, ...]
    """The candidates, best first; the hint is their kind and path."""
    verbs: tuple[Option, ...] = ()
    """How the two would hang together; empty for a move."""
    verb: str = ""
    """The chosen one's value; empty for a move."""


@dataclass(frozen=True, slots=True)
class ChangePage:
    """One node and the one way in which a change of it is being proposed."""

    shell: Shell
    title: str
    kind: KindMark
    crumbs: tuple[Link, ...]
    ways: tuple[ViewTab, ...]
    lead: str
    """What this way does, in a sentence."""
    action: str
    binding: Binding
    way: str
    button: str
    icon: str
    says: str
    back: Link
    words: WordsFields | None = None
    picker: Picker | None = None
    relations: tuple[Option, ...] = ()
    """Relations that can be ended."""
    below: tuple[Option, ...] = ()
    """What becomes of what belongs to it; empty when nothing does."""
    effects: tuple[Sentence, ...] = ()
    """What would go with it."""
    rationale: str = ""
    """What was typed."""
    refusal: Refusal | None = None

    @classmethod
    def example(cls) -> "ChangePage":
        """Return the page as it is opened to move a task."""
        return cls(
            shell=Shell.example_in("Worldstate", f"{_HERE}?way=move"),
            title=_ORDER,
            kind=KindMark.of(NodeKind.TASK),
            crumbs=tuple(
                Link(text, f"{_BASE}/outline?node=x") for text in ("Birch Lane 7", "Bathroom", _ORDER)
            ),
            ways=_ways("Move"),
            lead="Everything that belongs to it goes along.",
            action=_HERE,
            binding=Binding(expected_revision="18", command_id=Binding.example().command_id),
            way="move",
            button="Propose this place",
            icon="corner-down-right",
            says="Becomes a suggestion. Nothing changes until somebody accepts it.",
            back=Link("Cancel", f"{_BASE}/outline?node=order", "arrow-left"),
            picker=Picker(
                label="Find a place",
                legend="Move it under",
                action=_HERE,
                way="move",
                text="",
                said="Near it. Find another place by its title.",
                nodes=(
                    Option("project", "Birch Lane 7", "Project"),
                    Option("kitchen", "Kitchen", "Idea in Birch Lane 7"),
                ),
            ),
        )

    @classmethod
    def examples(cls) -> dict[str, "ChangePage"]:
        """Return every state of the page."""
        move = cls.example()
        assert move.picker is not None
        nothing = replace(move.picker, text="cellar", said="Nothing that fits is called “cellar”.", nodes=())
        return {
            "move": move,
            "move, nothing found": replace(move, picker=nothing),
            "words": _words(move),
            "words refused": replace(
                _words(move),
                rationale="Shorter",
                refusal=Refusal("Not proposed: does not fit", "Nothing would change; change a field first."),
            ),
            "relate": _relate(move),
            "end": replace(
                move,
                ways=_ways("End a relation"),
                way="end",
                lead="Both nodes stay.",
                picker=None,
                relations=(Option("relation_01", "depends on “Measure the walls”", "Task in Bathroom"),),
            ),
            "retire": _retire(move),
        }


def _ways(current: str) -> tuple[ViewTab, ...]:
    names = {
        "Words": ("words", "pencil"),
        "Move": ("move", "corner-down-right"),
        "Relate": ("relate", "waypoints"),
        "End a relation": ("end", "x"),
        "Retire": ("retire", "archive"),
    }
    return tuple(
        ViewTab(name, f"{_HERE}?way={way}", icon, is_current=name == current)
        for name, (way, icon) in names.items()
    )


def _words(page: ChangePage) -> ChangePage:
    phases = (
        Option("", "Leave it: planned", is_chosen=True),
        Option("blocked", "Blocked"),
        Option("completed", "Completed, said by you"),
    )
    fields = WordsFields(
        _ORDER,
        "Order tiles for floor and shower wall, with 10 % spare.",
        phases,
        (Option("", "None: nobody is sent to do it", is_chosen=True), Option("paint", "Paint")),
    )
    lead = "A node keeps its kind: another kind is another node, captured anew."
    return replace(page, ways=_ways("Words"), way="words", lead=lead, picker=None, words=fields)


def _relate(page: ChangePage) -> ChangePage:
    assert page.picker is not None
    picker = replace(
        page.picker,
        label="Find a node",
        legend="It depends on",
        way="relate",
        text="wall",
        said="1 that fits is called “wall”.",
        nodes=(Option("walls", "Measure the walls", "Task in Birch Lane 7, Bathroom", is_chosen=True),),
        verbs=(
            Option("refines", "refines"),
            Option("depends_on", "depends on", is_chosen=True),
            Option("depends_on.in", "is needed by"),
        ),
        verb="depends_on",
    )
    return replace(
        page, ways=_ways("Relate"), way="relate", lead="Both nodes stay where they are.", picker=picker
    )


def _retire(page: ChangePage) -> ChangePage:
    return replace(
        page,
        ways=_ways("Retire"),
        way="retire",
        lead="It leaves the worldstate and stays in the history, to be read.",
        picker=None,
        button="Propose to retire it",
        icon="archive",
        below=(
            Option("lifted", "Keep them: they move up to Bathroom", "3 nodes belong to it", is_chosen=True),
            Option("retired", "Retire all 7 nodes below it too"),
        ),
        effects=(Sentence("It depends on “Measure the walls”: that ends.", "minus"),),
    )
