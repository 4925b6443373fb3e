"""The outline: the visible rows of the accepted tree, what is suggested laid over it, and counts to choose by.

Only rows that are open are walked, and only a window of them becomes rows. The counts come from the shape of the
worldstate, which is kept: a project of ten thousand nodes costs its visible part.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from kernel.projections.kept import Kept
from kernel.projections.shape import Shape, order_of, shape_of
from kernel.projections.standing import ENDED_BADLY, Standing, latest_runs, needs_care, standing
from kernel.rules.graph import ancestors
from kernel.rules.operations import is_belonging
from kernel.state import DeltaRecord, RunRecord, State
from kernel.values.records import Node, NodeAdd, RelationAdd
from kernel.vocabulary import Disposition

ROWS_MAX: Final = 60
"""How many rows one answer has; a project that fits is shown open."""
PROPOSALS_OPENED_MAX: Final = 5
"""With more proposals than this, the tree does not open by itself to show where each would go."""
_KEY_LENGTH: Final = 11


def row_key(node_id: str) -> str:
    """Return the short name of a node in an address: the last characters of its id."""
    return node_id[-_KEY_LENGTH:]


@dataclass(frozen=True, slots=True)
class Ask:
    """What the reader wants to see."""

    selected: str | None = None
    opened: frozenset[str] = frozenset()
    """Row keys opened by hand."""
    shut: frozenset[str] = frozenset()
    """Row keys closed by hand."""
    start: int | None = None
    """Index of the first row; None follows the selection."""
    has_suggestions: bool = True


@dataclass(frozen=True, slots=True)
class Suggested:
    """A node that a waiting proposal would add at its first choice."""

    delta_id: str
    add: NodeAdd
    parent_id: str


@dataclass(frozen=True, slots=True)
class Row:
    """One visible row; exactly one of `node` and `suggested` is there."""

    node: Node | None
    suggested: Suggested | None
    standing: Standing | None
    level: int
    """1 for the root."""
    position: int
    """1-based among its siblings."""
    siblings: int
    inside: int = 0
    """How many accepted nodes lie below it, at any depth."""
    private_inside: int = 0
    children: int = 0
    """How many rows it would open into."""
    is_expanded: bool = False

    @property
    def id(self) -> str:
        """The node's id, accepted or not."""
        if self.suggested is not None:
            return self.suggested.add.node_id
        assert self.node is not None
        return self.node.id


@dataclass(frozen=True, slots=True)
class Window:
    """Some rows out of all visible ones."""

    rows: tuple[Row, ...]
    start: int
    total: int
    """How many rows are visible in all."""


class Place(NamedTuple):
    """Where a visible row stands, before it is filled in."""

    id: str
    level: int
    position: int
    siblings: int


@dataclass(frozen=True, slots=True)
class Survey:
    """What the outline needs of a project's tree: its shape, and what is suggested where."""

    state: State
    shape: Shape
    runs: Mapping[str, RunRecord]
    suggested: Mapping[str, Suggested]
    """Node id -> the suggestion that would add it."""
    below: Mapping[str, Sequence[str]]
    """Node id -> ids of suggested nodes that would stand right below it."""
    proposals: int = 0
    """How many proposals would add nodes."""
    proposed_paths: frozenset[str] = field(default_factory=frozenset)
    """Nodes to open so that what is suggested can be seen."""

    @property
    def order(self) -> tuple[str, ...]:
        """Every active node, parents before children."""
        return order_of(self.state)


def survey(state: State) -> Survey:
    """Return what the outline needs of a state. O(open proposals), and what `shape_of` costs."""
    suggested = {item.add.node_id: item for item in suggestions(state)}
    below: dict[str, list[str]] = {}
    for item in suggested.values():
        below.setdefault(item.parent_id, []).append(item.add.node_id)
    deltas = {item.delta_id for item in suggested.values()}
    paths: set[str] = set()
    if len(deltas) <= PROPOSALS_OPENED_MAX:
        for parent_id in below:
            if parent_id in state.tables.nodes:
                paths.update((parent_id, *ancestors(state.tables, parent_id)))
    return Survey(
        state=state,
        shape=shape_of(state),
        runs=latest_runs(state),
        suggested=suggested,
        below=below,
        proposals=len(deltas),
        proposed_paths=frozenset(paths),
    )


_SUGGESTIONS: Final = Kept[tuple[Suggested, ...]](8)


def suggestions(state: State) -> tuple[Suggested, ...]:
    """Return every node that a waiting proposal would add, oldest proposal first, parents before children. Kept."""
    return _SUGGESTIONS.of((state.open_deltas, state.deltas), lambda: tuple(_suggestions(state)))


def _suggestions(state: State) -> Iterator[Suggested]:
    for delta_id in sorted(state.open_deltas.keys(), key=lambda item: state.open_deltas[item]):
        record = state.deltas[delta_id]
        if record.disposition is Disposition.PENDING:
            yield from added_by(record)


def added_by(record: DeltaRecord) -> Iterator[Suggested]:
    """Yield every node that a proposal would add at its first choice, parents before children."""
    places = {
        item.from_id: item.to_id
        for item in record.body.operations
        if isinstance(item, RelationAdd) and is_belonging(item)
    }
    for item in record.body.operations:
        if isinstance(item, NodeAdd) and item.node_id in places:
            yield Suggested(record.body.delta_id, item, places[item.node_id])


def window(view: Survey, ask: Ask) -> Window:
    """Return the visible rows of the tree that the reader asked for."""
    is_open = _Openness(view, ask)
    places = tuple(_places(view, ask, is_open))
    start = _start(places, ask)
    rows = []
    for place in places[start : start + ROWS_MAX]:
        children = len(_children(view, ask, place.id))
        is_expanded = children > 0 and is_open(place.id, place.level)
        rows.append(_row(view, place, children=children, is_expanded=is_expanded))
    return Window(tuple(rows), start, len(places))


def _start(places: tuple[Place, ...], ask: Ask) -> int:
    if ask.start is not None:
        return min(max(ask.start, 0), max(len(places) - 1, 0))
    if ask.selected is None or len(places) <= ROWS_MAX:
        return 0
    at = next((index for index, place in enumerate(places) if place.id == ask.selected), 0)
    return at - at % ROWS_MAX


def _places(view: Survey, ask: Ask, is_open: "_Openness") -> Iterator[Place]:
    waiting = [Place(view.state.root_id, 1, 1, 1)]
    while waiting:
        place = waiting.pop()
        yield place
        if is_open(place.id, place.level):
            children, level = _children(view, ask, place.id), place.level + 1
            number = len(children)
            inner = [Place(child, level, at, number) for at, child in enumerate(children, start=1)]
            inner.reverse()
            waiting.extend(inner)


def _children(view: Survey, ask: Ask, node_id: str) -> Sequence[str]:
    accepted = view.state.tables.children.get(node_id) or ()
    return (*accepted, *view.below.get(node_id, ())) if ask.has_suggestions else accepted


class _Openness:
    """Decides which rows are open: by hand, on the way to what is selected or suggested, or all of a small tree."""

    def __init__(self, view: Survey, ask: Ask) -> None:
        self._ask = ask
        self._is_small = view.shape.total + len(view.suggested) <= ROWS_MAX
        path = set() if ask.selected is None else set(_above(view, ask.selected))
        if ask.has_suggestions:
            path |= view.proposed_paths
        self._path = path

    def __call__(self, node_id: str, level: int) -> bool:
        key = node_id[-_KEY_LENGTH:]
        if key in self._ask.shut:
            return False
        return level == 1 or self._is_small or node_id in self._path or key in self._ask.opened


def _above(view: Survey, node_id: str) -> Iterator[str]:
    """Yield what lies above a node, through what is suggested up to the root."""
    item = view.suggested.get(node_id)
    while item is not None:
        node_id = item.parent_id
        yield node_id
        item = view.suggested.get(node_id)
    yield from ancestors(view.state.tables, node_id)


def _row(view: Survey, place: Place, *, children: int = 0, is_expanded: bool = False) -> Row:
    suggested = view.suggested.get(place.id)
    node = None if suggested is not None else view.state.tables.nodes[place.id]
    inside, private = (0, 0) if node is None else view.shape.inside(node.id)
    return Row(
        node=node,
        suggested=suggested,
        standing=None if node is None else standing(view.state, node, view.runs),
        level=place.level,
        position=place.position,
        siblings=place.siblings,
        inside=inside,
        private_inside=private,
        children=children,
        is_expanded=is_expanded,
    )


def flat(view: Survey, ids: tuple[str, ...], start: int = 0) -> Window:
    """Return these nodes as rows of one level, such as what a search found."""
    chosen = ids[start : start + ROWS_MAX]
    rows = tuple(
        _row(view, Place(node_id, 1, start + at, len(ids))) for at, node_id in enumerate(chosen, start=1)
    )
    return Window(rows, start, len(ids))


def caring(view: Survey) -> tuple[str, ...]:
    """Return the nodes that somebody should look at, in the order of the tree."""
    waiting = caring_ids(view)
    return tuple(node_id for node_id in view.order if node_id in waiting) if waiting else ()


def caring_ids(view: Survey) -> frozenset[str]:
    """Return the nodes that somebody should look at. O(nodes that do, and runs that ended badly)."""
    nodes = view.state.tables.nodes
    ended = (node_id for node_id, run in view.runs.items() if run.status in ENDED_BADLY)
    failed = (nodes.get(node_id) for node_id in ended)
    return view.shape.marked | {
        node.id
        for node in failed
        if node is not None
        and node.retired_in is None
        and needs_care(view.state, node, view.runs.get(node.id))
    }
