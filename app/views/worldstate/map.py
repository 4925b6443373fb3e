"""The Map: what stands around one node, drawn and as sentences."""

from dataclasses import dataclass, replace

from app.views.parts import FamilyFact, KindMark, Link
from app.views.shell import Shell
from app.views.worldstate import difference_examples, map_examples, outline_examples
from app.views.worldstate.difference_parts import Past
from app.views.worldstate.map_parts import Drawing, KindFilter, RelationGroup, Zoom
from app.views.worldstate.outline_parts import Filter, ViewTab


@dataclass(frozen=True, slots=True)
class MapPage:
    """A drawing of a neighbourhood with the same relations beside it."""

    shell: Shell
    summary: str
    tabs: tuple[ViewTab, ...]
    steps: tuple[Filter, ...]
    """How far the drawing reaches."""
    said: str
    """Such as `Around Order bathroom tiles, 12 of 31 shown`."""
    drawing: Drawing
    zoom: Zoom
    filter: KindFilter
    title: str
    """The selected node."""
    kind: KindMark
    families: tuple[FamilyFact, ...]
    details: Link
    """Everything about the selected node."""
    groups: tuple[RelationGroup, ...]
    change: Link | None = None
    """Proposes to change it; None for a suggestion, in the past, and for who may not."""
    past: Past | None = None
    """Over a past revision: which one, and the ways on."""

    @classmethod
    def example(cls) -> "MapPage":
        """Return the neighbourhood of a task."""
        return cls(
            shell=Shell.example_in("Worldstate", "/p/birch-lane/map?node=order"),
            summary="What rests on what. Places on the map help you look; they are not stored.",
            tabs=outline_examples.tabs("Map"),
            steps=map_examples.STEPS,
            said="Around “Order bathroom tiles”, 4 of 31 shown",
            drawing=map_examples.drawing(),
            zoom=map_examples.ZOOM,
            filter=map_examples.kind_filter(),
            title="Order bathroom tiles",
            kind=map_examples.TASK,
            families=outline_examples.node_facts().families,
            details=Link("Everything about it", "/p/birch-lane/outline?node=order", "list-tree"),
            groups=map_examples.groups(),
        )

    @classmethod
    def examples(cls) -> dict[str, "MapPage"]:
        """Return every state of the page."""
        page = cls.example()
        return {
            "neighbourhood": replace(page, change=outline_examples.CHANGE),
            "past": replace(page, past=difference_examples.past("map")),
            "alone": replace(
                page,
                said="Around “Order bathroom tiles”, 1 of 31 shown",
                drawing=replace(page.drawing, nodes=page.drawing.nodes[1:2], edges=()),
                filter=replace(page.filter, is_open=True),
                groups=(),
            ),
        }
