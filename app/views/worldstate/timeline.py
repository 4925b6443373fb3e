"""The Timeline: accepted revisions, newest first, with who, why, what changed, and the work that followed."""

from dataclasses import dataclass, replace

from app.views.parts import Link
from app.views.shell import Shell
from app.views.worldstate import outline_examples, timeline_examples
from app.views.worldstate.outline_parts import ViewTab
from app.views.worldstate.timeline_parts import CompareForm, RevisionEntry, Story, TimelineFilter


@dataclass(frozen=True, slots=True)
class TimelinePage:
    """One page of revisions and, when a node is selected, its story."""

    shell: Shell
    summary: str
    tabs: tuple[ViewTab, ...]
    said: str
    """How many there are, or which node they are about."""
    everything: Link | None
    """Leads from one node's revisions to all of them."""
    filter: TimelineFilter
    entries: tuple[RevisionEntry, ...]
    compare: CompareForm
    story: Story | None = None
    newer: Link | None = None
    """Back to the newest revisions."""
    older: Link | None = None
    empty_text: str = ""
    """Said instead of entries when there is none."""

    @classmethod
    def example(cls) -> "TimelinePage":
        """Return the newest revisions of the example project."""
        return cls(
            shell=Shell.example_in("Worldstate", "/p/birch-lane/timeline"),
            summary="How it came to be: every accepted revision, who accepted it and why. Newest first.",
            tabs=outline_examples.tabs("Timeline"),
            said="18 revisions",
            everything=None,
            filter=timeline_examples.selection(),
            entries=timeline_examples.entries(),
            compare=CompareForm("/p/birch-lane/compare", "17", "18", "18", ""),
            older=Link("Older than revision 15", "/p/birch-lane/timeline?before=15", "arrow-down"),
        )

    @classmethod
    def examples(cls) -> dict[str, "TimelinePage"]:
        """Return every state of the page."""
        page = cls.example()
        narrowed = replace(
            page,
            said="Only what touched “Order bathroom tiles”.",
            everything=Link("Show all revisions", "/p/birch-lane/timeline", "history"),
            story=timeline_examples.story(),
            compare=replace(page.compare, node="order"),
            newer=Link("Newest revisions", "/p/birch-lane/timeline?node=order", "arrow-up"),
            older=None,
        )
        sieved = replace(page.filter, error="“soon” is no day such as 2026-12-24", clear=narrowed.everything)
        return {
            "newest": page,
            "one node": narrowed,
            "filtered": replace(page, filter=sieved),
            "nothing": replace(
                narrowed, entries=(), newer=None, story=None, empty_text="No revision touched this node."
            ),
        }
