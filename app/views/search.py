"""Search results of one project: what was found, of which kind, and where it stands."""

from dataclasses import dataclass, replace

from app.views.parts import SUGGESTED, KindMark, Link, Mark
from app.views.shell import Shell
from kernel.vocabulary import NodeKind


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One node that was found."""

    title: str
    href: str
    kind: KindMark
    path: str
    """Titles above it, from the root down; empty for the root."""
    extract: str
    """The beginning of its description; empty when there is none."""
    mark: Mark | None = None
    """`Suggested` or `Retired`; None for the ordinary."""


@dataclass(frozen=True, slots=True)
class SearchPage:
    """The search form with what it found, the best answer first."""

    shell: Shell
    query: str
    said: str
    """Such as `31 found`; empty before anything was looked for."""
    hits: tuple[SearchHit, ...]
    hint: str = ""
    """What to try, when there is nothing."""
    earlier: Link | None = None
    more: Link | None = None

    @classmethod
    def example(cls) -> "SearchPage":
        """Return a search that found three things."""
        shell = replace(
            Shell.example_in("Worldstate", "/p/birch-lane/search?q=tile"), title="Search", search_text="tile"
        )
        base = "/p/birch-lane/outline"
        return cls(
            shell=shell,
            query="tile",
            said="33 found",
            hits=(
                SearchHit(
                    "Order bathroom tiles",
                    f"{base}?node=order",
                    KindMark.of(NodeKind.TASK),
                    "Birch Lane 7 › Bathroom",  # noqa: RUF001 - typeset
                    "Order tiles for floor and shower wall, with 10 % spare.",
                ),
                SearchHit(
                    "Check that the floor is level before tiling",
                    f"{base}?node=check",
                    KindMark.of(NodeKind.TASK),
                    "Birch Lane 7 › Bathroom",  # noqa: RUF001 - typeset
                    "",
                    SUGGESTED,
                ),
                SearchHit(
                    "Small mosaic tiles",
                    f"{base}?node=old",
                    KindMark.of(NodeKind.DECISION),
                    "",
                    "",
                    Mark("archive", "Retired"),
                ),
            ),
            more=Link("Show the next 3 of 33", "/p/birch-lane/search?q=tile&start=30", "arrow-down"),
        )

    @classmethod
    def examples(cls) -> dict[str, "SearchPage"]:
        """Return every state of the page."""
        page = cls.example()
        hint = "Try other or fewer words. A kind such as “task” and the end of an id count as words too."
        return {
            "found": page,
            "second page": replace(
                page,
                earlier=Link("Show what comes before", "/p/birch-lane/search?q=tile", "arrow-up"),
                more=None,
            ),
            "nothing": replace(
                page, query="zebra", said="Nothing found for “zebra”", hits=(), hint=hint, more=None
            ),
            "before": replace(page, query="", said="", hits=(), hint=hint, more=None),
        }
