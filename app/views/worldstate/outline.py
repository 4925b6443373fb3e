"""The Outline: the accepted tree with what is suggested laid over it, and one node's facts beside it."""

from dataclasses import dataclass, replace

from app.views.parts import Link
from app.views.shell import Shell
from app.views.worldstate import difference_examples, outline_examples
from app.views.worldstate.difference_parts import Difference, Past
from app.views.worldstate.outline_parts import (
    Filter,
    HistoryLine,
    NodeFacts,
    RelationLine,
    TreeRow,
    ViewTab,
)

__all__ = [
    "Filter",
    "HistoryLine",
    "NodeFacts",
    "OutlinePage",
    "RelationLine",
    "TreeRow",
    "ViewTab",
]


@dataclass(frozen=True, slots=True)
class OutlinePage:
    """The tree and, when a node is selected, its facts."""

    shell: Shell
    summary: str
    tabs: tuple[ViewTab, ...]
    filters: tuple[Filter, ...]
    suggestions: Link | None
    """Shows or hides what is suggested; None where nothing can be."""
    tree_label: str
    rows: tuple[TreeRow, ...]
    node: NodeFacts | None
    import_link: Link | None = None
    """Where an outline comes in, under the selected node; None for who may not."""
    more: Link | None = None
    """The rest of a very long tree or list."""
    earlier: Link | None = None
    """What stands before the rows of this page."""
    is_empty: bool = False
    """No row at all: nothing accepted yet, or nothing found."""
    past: Past | None = None
    """Over a past revision: which one, and the ways on."""
    difference: Difference | None = None
    """What differs between two revisions, in place of the tree."""
    empty_title: str = ""
    empty_text: str = ""

    @classmethod
    def example(cls) -> "OutlinePage":
        """Return the tree with a task selected."""
        facts = outline_examples.node_facts()
        return cls(
            shell=Shell.example_in("Worldstate", "/p/birch-lane/outline?node=order"),
            summary="What you have accepted so far. One suggestion is laid over it and is not part of it yet.",
            tabs=outline_examples.tabs("Outline"),
            filters=outline_examples.FILTERS,
            suggestions=Link("Hide suggestions", "/p/birch-lane/outline?suggestions=no", "eye-off"),
            tree_label="Outline of Birch Lane 7",
            rows=outline_examples.rows(),
            node=facts,
            import_link=Link("Import an outline", "/p/birch-lane/import-outline?node=order", "upload"),
        )

    @classmethod
    def examples(cls) -> dict[str, "OutlinePage"]:
        """Return every state of the page."""
        page = cls.example()
        private = replace(outline_examples.node_facts(), is_private=True, acts=())
        nothing = replace(page, rows=(), node=None, is_empty=True, empty_title="Nothing is accepted yet")
        return {
            "selected": page,
            "suggestion": replace(
                page, rows=outline_examples.rows_overlaid(), node=outline_examples.suggested_facts()
            ),
            "private": replace(
                page,
                node=private,
                more=Link("Show 40 more", "/p/birch-lane/outline?start=120", "arrow-down"),
                earlier=Link("Show what comes before", "/p/birch-lane/outline?start=0", "arrow-up"),
            ),
            "waiting": replace(
                page, node=replace(outline_examples.node_facts(), waiting=outline_examples.WAITING)
            ),
            "filtered": replace(page, rows=outline_examples.rows_found(), node=None),
            "past": replace(
                page,
                import_link=None,
                suggestions=None,
                node=private,
                past=difference_examples.past("outline"),
            ),
            "difference": replace(
                page, suggestions=None, node=None, difference=difference_examples.difference()
            ),
            "empty": replace(
                nothing, empty_text="Capture a thought; once you accept its place, it stands here."
            ),
        }
