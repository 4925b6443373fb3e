"""Search results of one project: what was found of each group, and where it leads."""

from dataclasses import dataclass, replace

from app.views.parts import SUGGESTED, KindMark, Link, Mark, Moment
from app.views.shell import Shell
from kernel.vocabulary import NodeKind


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One thing that was found."""

    title: str
    href: str
    kind: KindMark | None
    """The kind of a node, accepted or not; None for everything else."""
    path: str
    """Where it stands or who wrote it; empty for the root."""
    extract: str
    """Some of its words around those that were looked for; empty when the title says all."""
    mark: Mark | None = None
    """Such as `Suggested`, `Retired` or `Not placed yet`; None for the ordinary."""
    when: Moment | None = None
    """When a question was asked or words were written."""


@dataclass(frozen=True, slots=True)
class SearchGroup:
    """What was found of one sort of things, the best answer first."""

    id: str
    title: str
    said: str
    """How many there are, such as `33`."""
    hits: tuple[SearchHit, ...]
    earlier: Link | None = None
    more: Link | None = None


@dataclass(frozen=True, slots=True)
class SearchPage:
    """The search form with what it found."""

    shell: Shell
    query: str
    said: str
    """Such as `31 found`; empty before anything was looked for."""
    groups: tuple[SearchGroup, ...]
    misread: str = ""
    """Which words nothing says, and what was looked for instead; empty when the words were taken as written."""
    hint: str = ""
    """What to try, when there is nothing."""
    everything: Link | None = None
    """From one group alone to all of them."""

    @classmethod
    def example(cls) -> "SearchPage":
        """Return a search that found something of every group."""
        shell = replace(
            Shell.example_in("Worldstate", "/p/birch-lane/search?q=tile"), title="Search", search_text="tile"
        )
        groups = (_accepted(), _waiting(), _question(), _captured())
        return cls(shell=shell, query="tile", said="37 found", groups=groups)

    @classmethod
    def examples(cls) -> dict[str, "SearchPage"]:
        """Return every state of the page."""
        page = cls.example()
        address = "/p/birch-lane/search?q=tile"
        hint = "Try other or fewer words. A kind such as “task” and the end of an id count as words too."
        second = replace(
            _accepted(),
            earlier=Link("Show what comes before", f"{address}&in=accepted", "arrow-up"),
            more=None,
        )
        return {
            "found": page,
            "second page": replace(
                page, groups=(second,), everything=Link("Show every group", address, "arrow-left")
            ),
            "another word": replace(
                page,
                query="tlie",
                groups=page.groups[1:2],
                said="1 found",
                misread="Nothing here says “tlie”. Showing results for “tile”.",
            ),
            "nothing": replace(page, query="zebra", said="Nothing found for “zebra”", groups=(), hint=hint),
            "before": replace(page, query="", said="", groups=(), hint=hint),
        }


def _accepted() -> SearchGroup:
    base, path = "/p/birch-lane/outline", "Birch Lane 7 › Bathroom"  # noqa: RUF001 - typeset
    task, decision = KindMark.of(NodeKind.TASK), KindMark.of(NodeKind.DECISION)
    described = "Order tiles for floor and shower wall, with 10 % spare."
    hits = (
        SearchHit("Order bathroom tiles", f"{base}?node=order", task, path, described),
        SearchHit("Small mosaic tiles", f"{base}?node=old", decision, "", "", Mark("archive", "Retired")),
    )
    more = Link("Show all 33", "/p/birch-lane/search?q=tile&in=accepted", "arrow-down")
    return SearchGroup("accepted", "Accepted", "33", hits, more=more)


def _waiting() -> SearchGroup:
    title, path = "Check that the floor is level before tiling", "would stand under Bathroom"
    kind = KindMark.of(NodeKind.TASK)
    hit = SearchHit(title, "/p/birch-lane/inbox/tiling", kind, path, "", SUGGESTED)
    return SearchGroup("waiting", "Waiting for review", "1", (hit,))


def _question() -> SearchGroup:
    hit = SearchHit(
        title="Is this about the tiles in the kitchen or in the bathroom?",
        href="/p/birch-lane/inbox/which",
        kind=None,
        path="The built-in manager asked",
        extract="The tiles come on Tuesday.",
        when=Moment.example(),
    )
    return SearchGroup("questions", "Questions", "1", (hit,))


def _captured() -> SearchGroup:
    hits = (
        SearchHit(
            title="Mira says the tiles by the window are loose",
            href="/p/birch-lane/inbox/loose",
            kind=None,
            path="Mira wrote this",
            extract="",
            mark=Mark("clock-alert", "Not placed yet", "warn"),
            when=Moment.example(),
        ),
        SearchHit(
            title="Notes of the walk through the house",
            href="/p/birch-lane/sources/walk",
            kind=None,
            path="Mira brought this in",
            extract="… four boxes of tiles are left over in the shed …",
            when=Moment.example(),
        ),
    )
    return SearchGroup("captured", "Captured text", "2", hits)
