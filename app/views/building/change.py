"""Builds the page that proposes to change an accepted node, in one of the ways that the node allows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final
from urllib.parse import urlencode

from app.views.building.about import shortened
from app.views.change import ChangePage, Picker, WordsFields
from app.views.opening import Opened
from app.views.parts import KIND_WORDS, KindMark, Link, Option, Sentence
from app.views.shell import Shell
from app.views.wording import VERBS, Reading, capital, count, crumbs, path_words, profile_options
from app.views.worldstate.outline_parts import ViewTab
from kernel.commands import Below
from kernel.projections.acts import Act, acts_for
from kernel.projections.focus import touching
from kernel.projections.partners import PLACE, Partners, Verb, partners_among, partners_for, verbs_for
from kernel.projections.shape import joined
from kernel.rules.operations import PHASES
from kernel.values.records import Node, Relation
from kernel.vocabulary import NodeKind, Phase, RelationKind

ENDED_MAX: Final = 20
"""How many relations are named one by one."""
RELATIONS_MAX: Final = 200
"""How many relations are offered to be ended."""
_SAYS: Final = "Becomes a suggestion. Nothing changes until somebody accepts it."
_PHASE_WORDS: Final = {
    Phase.PLANNED: "Planned",
    Phase.BLOCKED: "Blocked",
    Phase.COMPLETED: "Completed, said by you",
}
_INCOMING: Final = ".in"
"""What ends the value of a relation that leads to the node."""


def change_href(base: str, node_id: str, way: str = "", **more: str) -> str:
    """Return the address at which a change of a node is proposed."""
    text = urlencode({name: value for name, value in {"way": way, **more}.items() if value})
    return f"{base}/nodes/{node_id}/change" + (f"?{text}" if text else "")


def change_link(reading: Reading, node_id: str) -> Link | None:
    """Return the way to propose a change of an accepted node; None for what takes none, and for who may not."""
    is_accepted = node_id in reading.state.tables.nodes
    if not is_accepted or Act.CORRECT not in acts_for(reading.state, node_id, reading.role, reading.at):
        return None
    return Link("Propose a change", change_href(reading.base, node_id), "file-pen-line")


def verb_value(verb: Verb) -> str:
    """Return how a form names a relation, such as `depends_on` or `depends_on.in`."""
    return verb[0].value + ("" if verb[1] else _INCOMING)


def verb_named(node: Node, value: str) -> Verb | None:
    """Return the relation that a form names, when the node may stand in it."""
    return next((verb for verb in verbs_for(node.kind) if verb_value(verb) == value), None)


Search = Callable[[], tuple[str, ...]]
"""Returns the ids of the nodes that the project's search finds for the query of the page, the best first."""


@dataclass(frozen=True, slots=True)
class _Making:
    """What every way is made from."""

    page: ChangePage
    reading: Reading
    node: Node
    opened: Opened
    search: Search


def change_page(
    shell: Shell, reading: Reading, node: Node, opened: Opened, *, search: Search = lambda: ()
) -> ChangePage:
    """Return the page with the way that is open, or the first one; after a refusal with what was typed.

    `search` is asked for what comes close when no title holds the words that were looked for.
    """
    ways = tuple(_ways(reading, node))
    way = next((item for item in ways if item == opened.act), ways[0])
    href = change_href(reading.base, node.id)
    page = ChangePage(
        shell=shell,
        title=node.title.or_erased(),
        kind=KindMark.of(node.kind),
        crumbs=crumbs(reading.base, reading.state.tables, node.id),
        ways=tuple(
            ViewTab(_WAYS[item].name, f"{href}?way={item}", _WAYS[item].icon, is_current=item == way)
            for item in ways
        ),
        lead=_WAYS[way].lead,
        action=href,
        binding=opened.binding(reading.state.revision),
        way=way,
        button=_WAYS[way].button,
        icon=_WAYS[way].icon,
        says=_SAYS,
        back=Link("Cancel", f"{reading.base}/outline?node={node.id}", "arrow-left"),
        rationale=opened.text("rationale", ""),
        refusal=opened.refusal,
    )
    return _WAYS[way].make(_Making(page, reading, node, opened, search))


def _ways(reading: Reading, node: Node) -> Iterator[str]:
    """Yield what can be proposed for this node: the project itself stands nowhere else and is not retired."""
    is_root = node.kind in {NodeKind.WORLD, NodeKind.PROJECT}
    yield "words"
    if not is_root:
        yield "move"
    if verbs_for(node.kind):
        yield "relate"
    if next(iter(_own(reading, node)), None) is not None:
        yield "end"
    if not is_root:
        yield "retire"


def _own(reading: Reading, node: Node) -> Iterator[Relation]:
    """Yield the node's active relations, its place and what belongs to it apart."""
    relations = joined(reading.state.tables, node.id)
    return (item for item in relations if item.kind is not RelationKind.BELONGS_TO)


def _words(made: _Making) -> ChangePage:
    node, opened = made.node, made.opened
    described = "" if node.description is None else node.description.or_erased()
    fields = WordsFields(opened.text("title", node.title.or_erased()), opened.text("description", described))
    if node.kind is NodeKind.TASK:
        phase = opened.text("phase", "")
        lawful = (item for item in Phase if item in PHASES[node.phase])
        fields = replace(
            fields,
            phases=(
                Option("", f"Leave it: {node.phase.value}", is_chosen=not phase),
                *(Option(item.value, _PHASE_WORDS[item], is_chosen=item.value == phase) for item in lawful),
            ),
            profiles=profile_options(made.reading, opened.text("profile", node.profile_id or "") or None),
        )
    return replace(made.page, words=fields)


def _move(made: _Making) -> ChangePage:
    query = made.opened.query.strip()
    found, said = _found(made, PLACE, query)
    picker = Picker(
        label="Find a place",
        legend="Move it under",
        action=made.page.action,
        way="move",
        text=made.opened.query,
        said=said,
        nodes=_options(made, found),
    )
    return replace(made.page, picker=picker)


def _options(made: _Making, found: Partners) -> tuple[Option, ...]:
    # What was looked for is most likely the best answer; what is merely near is nobody's choice yet.
    best = found.nodes[0].id if found.nodes and found.total else ""
    chosen = made.opened.text("other_id", best)
    return tuple(
        Option(item.id, item.title.or_erased(), _where(made.reading, item), is_chosen=item.id == chosen)
        for item in found.nodes
    )


def _where(reading: Reading, node: Node) -> str:
    path = path_words(reading.state.tables, node.id)
    return f"{KIND_WORDS[node.kind]} in {path}" if path else KIND_WORDS[node.kind]


def _found(made: _Making, verb: Verb, query: str) -> tuple[Partners, str]:
    """Return what can be chosen, with what is said about it: by title, else whatever the search finds."""
    state = made.reading.state
    found = partners_for(state, made.node, verb, query)
    if found.total == 0:
        close = partners_among(state, made.node, verb, made.search())
        if close.nodes:
            return close, f"Nothing that fits is called “{query}”. This comes close."
    return found, _said(found, query)


def _said(found: Partners, query: str) -> str:
    if found.total is None:
        return "Near it. Find others by their title." if found.nodes else "Find one by its title."
    if not found.total:
        return f"Nothing that fits is called “{query}”."
    if found.total > len(found.nodes):
        return f"{found.total} that fit are called “{query}”; the first {len(found.nodes)} stand here."
    return f"{found.total} that {'fits is' if found.total == 1 else 'fit are'} called “{query}”."


def _relate(made: _Making) -> ChangePage:
    node, opened = made.node, made.opened
    verbs = verbs_for(node.kind)
    verb = verb_named(node, opened.text("verb", "")) or verbs[0]
    query = opened.query.strip()
    found, said = _found(made, verb, query)
    picker = Picker(
        label="Find a node",
        legend=f"It {VERBS[verb]}",
        action=made.page.action,
        way="relate",
        text=opened.query,
        said=said,
        nodes=_options(made, found),
        verbs=tuple(Option(verb_value(item), VERBS[item], is_chosen=item == verb) for item in verbs),
        verb=verb_value(verb),
    )
    return replace(made.page, picker=picker)


def _end(made: _Making) -> ChangePage:
    relations = tuple(islice(_own(made.reading, made.node), RELATIONS_MAX))
    chosen = made.opened.text("relation_id", relations[0].id)
    nodes = made.reading.state.tables.nodes
    options = []
    for item in relations:
        is_outgoing = item.from_id == made.node.id
        other = nodes[item.to_id if is_outgoing else item.from_id]
        text = f"{capital(VERBS[item.kind, is_outgoing])} “{other.title.or_erased()}”"
        options.append(Option(item.id, text, _where(made.reading, other), is_chosen=item.id == chosen))
    return replace(made.page, relations=tuple(options))


def _retire(made: _Making) -> ChangePage:
    node, tables = made.node, made.reading.state.tables
    children = len(tables.children.get(node.id) or ())
    below: tuple[Option, ...] = ()
    if children:
        chosen = made.opened.text("below", Below.LIFTED.value)
        place = tables.nodes[tables.parent[node.id]].title.or_erased()
        lifted = (
            f"Keep what belongs to it: {count(children, 'node')} {'moves' if children == 1 else 'move'} up"
        )
        whole = _number_below(made.reading, node)
        below = (
            Option("lifted", lifted, f"To “{place}”", is_chosen=chosen == Below.LIFTED.value),
            Option(
                "retired",
                f"Retire {'it' if whole == 1 else f'all {whole} nodes below it'} too",
                "Their relations end with them",
                is_chosen=chosen == Below.RETIRED.value,
            ),
        )
    return replace(made.page, below=below, effects=tuple(_ended(made)))


def _number_below(reading: Reading, node: Node) -> int:
    children, found = reading.state.tables.children, [node.id]
    for item in found:
        found.extend(children.get(item) or ())
    return len(found) - 1


def _ended(made: _Making) -> Iterator[Sentence]:
    """Yield what the node says of others, or they of it, and what would end with it."""
    relations = tuple(_own(made.reading, made.node))
    nodes = made.reading.state.tables.nodes
    for item in relations[:ENDED_MAX]:
        is_outgoing = item.from_id == made.node.id
        other = shortened(nodes[item.to_id if is_outgoing else item.from_id].title.or_erased())
        yield Sentence(f"It {VERBS[item.kind, is_outgoing]} “{other}”: that ends.", "minus")
    left = len(relations) - ENDED_MAX
    if left > 0:
        yield Sentence(f"{count(left, 'more relation')} of it end with it.", "minus")
    waiting = len(touching(made.reading.state, made.node.id))
    if waiting:
        has = "has" if waiting == 1 else "have"
        yield Sentence(
            f"{count(waiting, 'suggestion')} about it {has} to be looked at again.", "triangle-alert", "warn"
        )


@dataclass(frozen=True, slots=True)
class _Way:
    """How a way is called, what it does, and what makes its part of the page."""

    name: str
    icon: str
    lead: str
    button: str
    make: Callable[[_Making], ChangePage]


_WAYS: Final = {
    "words": _Way(
        "Words",
        "pencil",
        "Say it differently, or say how its work stands. Its kind stays: another kind is another node.",
        "Propose these words",
        _words,
    ),
    "move": _Way(
        "Move",
        "corner-down-right",
        "Put it under another node. Everything that belongs to it goes along.",
        "Propose this place",
        _move,
    ),
    "relate": _Way(
        "Relate",
        "waypoints",
        "Say how it hangs together with another node. Both stay where they are.",
        "Propose this relation",
        _relate,
    ),
    "end": _Way(
        "End a relation",
        "x",
        "Say that something does not hold any more. Both nodes stay.",
        "Propose to end it",
        _end,
    ),
    "retire": _Way(
        "Retire",
        "archive",
        "It leaves the worldstate and stays in the history, where it can be read and taken back.",
        "Propose to retire it",
        _retire,
    ),
}
"""Way -> what it is, in the order of the page."""
