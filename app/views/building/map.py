"""Builds the Map page: a neighbourhood as a drawing, as sentences, and the ways to see more or less of it."""

from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlencode

from app.views.building.change import change_link
from app.views.building.node import SUGGESTED_FAMILIES
from app.views.building.outline import view_tabs
from app.views.parts import SUGGESTED, KindMark, Link
from app.views.shell import Shell
from app.views.wording import VERBS, Reading, count, families
from app.views.worldstate import drawing as draw
from app.views.worldstate.lines import edges
from app.views.worldstate.map import MapPage
from app.views.worldstate.map_parts import (
    Drawing,
    KindChoice,
    KindFilter,
    MapNode,
    MapRelation,
    RelationGroup,
    TextLine,
    Zoom,
)
from app.views.worldstate.outline_parts import Filter
from kernel.errors import NotFoundError
from kernel.projections.neighbourhood import (
    STEPS_MAX,
    Around,
    Neighbourhood,
    Spot,
    Tie,
    neighbourhood,
    spread,
)
from kernel.projections.outline import row_key
from kernel.projections.standing import latest_runs, standing
from kernel.vocabulary import RelationKind

OPENED_MAX: Final = 12
"""How many nodes an address remembers as opened; the oldest is forgotten first."""
QUIET_MAX: Final = 16
"""Up to how many nodes two steps are shown without being asked for."""
TITLE_SAID: Final = 60
"""How much of a title the line over the drawing says; the whole stands beside it."""
ZOOMS: Final = (50, 75, 100, 150, 200)


@dataclass(frozen=True, slots=True)
class MapAddress:
    """Everything the address of the Map says; what is not said is as it comes."""

    base: str
    node: str = ""
    steps: int | None = None
    opened: tuple[str, ...] = ()
    """Ids of nodes whose neighbours are shown too, oldest first."""
    kinds: tuple[str, ...] = ()
    """Kinds of relation that are shown; empty for all."""
    zoom: int = 100
    past: int | None = None

    @property
    def said(self) -> tuple[tuple[str, str], ...]:
        """The names and values of the address."""
        pairs = [
            ("node", self.node),
            ("steps", "" if self.steps is None else str(self.steps)),
            ("open", ".".join(self.opened)),
            *(("kind", kind) for kind in self.kinds),
            ("zoom", "" if self.zoom == 100 else str(self.zoom)),  # noqa: PLR2004 - per cent
            ("at", "" if self.past is None else str(self.past)),
        ]
        return tuple((name, value) for name, value in pairs if value)

    @property
    def href(self) -> str:
        """Return the address."""
        text = urlencode(self.said)
        return f"{self.base}/map" + (f"?{text}" if text else "")

    @property
    def newest(self) -> "MapAddress":
        """Return the same view of the newest revision."""
        return replace(self, past=None)

    def around(self, centre: str, steps: int) -> Around:
        """Return what the projection is asked."""
        hidden = frozenset(kind for kind in RelationKind if self.kinds and kind.value not in self.kinds)
        return Around(centre, steps, frozenset(self.opened), hidden)


@dataclass(frozen=True, slots=True)
class _View:
    """What the parts of the page are made from."""

    reading: Reading
    at: MapAddress
    centre: str
    steps: int
    found: Neighbourhood


def map_page(shell: Shell, reading: Reading, at: MapAddress, rows: draw.Rows) -> MapPage:
    """Return the Map around a node, or around the project when none is selected.

    Raises: NotFoundError when neither the worldstate nor a suggestion knows the node.
    """
    view = _view(reading, at)
    spot = view.found.spots[0]
    title = _title(spot)
    # Every active node but the root has its place, so counting places counts them without looking at each.
    total = len(reading.state.tables.parent) + 1
    return MapPage(
        shell=shell,
        summary="What rests on what. Places on the map help you look; they are not stored.",
        tabs=view_tabs(reading.base, at.node, "Map", at.past),
        steps=tuple(
            Filter(
                count(steps, "step"),
                replace(at, steps=steps, opened=()).href,
                "",
                is_current=steps == view.steps and not at.opened,
            )
            for steps in range(1, STEPS_MAX + 1)
        ),
        said=f"Around “{_shortly(title)}”, {len(view.found.spots)} of {total} shown",
        drawing=_drawing(view, rows),
        zoom=_zoom(at),
        filter=_filter(view),
        title=title,
        kind=_kind(spot),
        families=SUGGESTED_FAMILIES
        if spot.node is None
        else families(reading, spot.node, standing(reading.state, spot.node, latest_runs(reading.state))),
        details=Link("Everything about it", f"{reading.base}/outline?node={view.centre}", "list-tree"),
        change=change_link(reading, view.centre),
        groups=_groups(view),
    )


def _view(reading: Reading, at: MapAddress) -> _View:
    centre = at.node or reading.state.root_id
    steps = at.steps or 2
    if at.steps is None and spread(reading.state, at.around(centre, steps)) > QUIET_MAX:
        steps = 1
    found = neighbourhood(reading.state, at.around(centre, steps))
    if not found.spots:
        message = f"there is no node {centre:.64}"
        raise NotFoundError(message)
    return _View(reading, at, centre, steps, found)


def _title(spot: Spot) -> str:
    if spot.suggested is not None:
        return spot.suggested.add.title.or_erased()
    assert spot.node is not None
    return spot.node.title.or_erased()


def _shortly(title: str) -> str:
    return title if len(title) <= TITLE_SAID else f"{title[:TITLE_SAID].rstrip()} …"


def _kind(spot: Spot) -> KindMark:
    if spot.suggested is not None:
        return KindMark.of(spot.suggested.add.kind)
    assert spot.node is not None
    return KindMark.of(spot.node.kind)


def _drawing(view: _View, rows: draw.Rows) -> Drawing:
    spots = view.found.spots
    lines = [draw.title_lines(_title(spot), 2 if _status(spot) else 3) for spot in spots]
    heights = [
        draw.HEAD + draw.LINE * len(text) + draw.FOOT + (draw.STATUS if _status(spot) else 0)
        for text, spot in zip(lines, spots, strict=True)
    ]
    placed = draw.boxes(view.found, heights, rows)
    width, height = draw.size(placed, view.found.ties)
    return Drawing(
        label=f"Map around {_title(spots[0])}",
        width=width,
        height=height,
        shown_width=width * view.at.zoom // 100,
        shown_height=height * view.at.zoom // 100,
        headings=draw.headings(spots, placed),
        nodes=tuple(
            _node(view, spot, text, placed[spot.id]) for spot, text in zip(spots, lines, strict=True)
        ),
        edges=edges(view.found.ties, placed),
    )


def _node(view: _View, spot: Spot, lines: tuple[TextLine, ...], box: draw.Box) -> MapNode:
    return MapNode(
        href=replace(view.at, node=spot.id, opened=(), steps=None).href,
        x=box.x,
        y=box.y,
        height=box.height,
        title=_title(spot),
        kind=_kind(spot),
        lines=lines,
        status=_status(spot),
        status_y=box.height - 11,
        is_selected=spot.id == view.centre,
        is_suggested=spot.node is None,
        is_retired=spot.node is not None and spot.node.retired_in is not None,
        more=_more(view, spot),
    )


def _status(spot: Spot) -> str:
    if spot.node is None:
        return "Suggested"
    return "" if spot.node.retired_in is None else "Retired"


def _more(view: _View, spot: Spot) -> Link | None:
    if not spot.unseen:
        return None
    at, keys = view.at, tuple(item for item in view.at.opened if item != spot.id)
    opened = replace(at, node=view.centre, opened=(*keys, spot.id)[-OPENED_MAX:], steps=view.steps)
    if spot.id in at.opened or spot.id == view.centre:
        # It is open already and does not fit: look at it from its own place instead.
        opened = replace(at, node=spot.id, opened=(), steps=1)
        if spot.id == view.centre:
            return Link(f"+{spot.unseen}", f"{at.base}/outline?node={spot.id}#row-{row_key(spot.id)}", "plus")
    return Link(f"+{spot.unseen}", opened.href, "plus")


def _zoom(at: MapAddress) -> Zoom:
    place = min(range(len(ZOOMS)), key=lambda item: abs(ZOOMS[item] - at.zoom))
    smaller, larger = ZOOMS[max(place - 1, 0)], ZOOMS[min(place + 1, len(ZOOMS) - 1)]
    return Zoom(
        Link("Smaller", replace(at, zoom=smaller).href, "zoom-out"),
        Link("Larger", replace(at, zoom=larger).href, "zoom-in"),
        Link("Fit", replace(at, zoom=100).href, "maximize"),
        f"{at.zoom} %",
    )


def _filter(view: _View) -> KindFilter:
    choices = []
    for kind in RelationKind:
        end, start = draw.mark_of(kind)
        number = sum(tie.kind is kind for tie in view.found.ties)
        choices.append(
            KindChoice(
                kind.value,
                VERBS[kind, True],
                draw.line_of(kind),
                end,
                start,
                str(number) if number else "",
                is_chosen=not view.at.kinds or kind.value in view.at.kinds,
            )
        )
    kept = tuple(pair for pair in view.at.said if pair[0] != "kind")
    return KindFilter(f"{view.at.base}/map", kept, tuple(choices), is_open=bool(view.at.kinds))


def _groups(view: _View) -> tuple[RelationGroup, ...]:
    out = [tie for tie in view.found.ties if tie.from_id == view.centre]
    into = [tie for tie in view.found.ties if tie.to_id == view.centre]
    rest = [tie for tie in view.found.ties if view.centre not in {tie.from_id, tie.to_id}]
    named = (("rests", "It rests on", out), ("leads", "Leads here", into), ("beyond", "Further away", rest))
    return tuple(
        RelationGroup(name, title, tuple(_sentence(view, tie) for tie in ties))
        for name, title, ties in named
        if ties
    )


def _sentence(view: _View, tie: Tie) -> MapRelation:
    end, start = draw.mark_of(tie.kind, is_suggested=tie.is_suggested)
    spots = {spot.id: spot for spot in view.found.spots}

    def link(node_id: str) -> Link | None:
        if node_id == view.centre:
            return None
        return Link(_title(spots[node_id]), replace(view.at, node=node_id, opened=(), steps=None).href)

    return MapRelation(
        kind=draw.line_of(tie.kind),
        end=end,
        start=start,
        subject=link(tie.from_id),
        verb=VERBS[tie.kind, True],
        object=link(tie.to_id),
        mark=SUGGESTED if tie.is_suggested else None,
    )
