"""Renders every fragment of every page in every state, for the pattern page.

The list below is the style guide's table of contents. A copy of a fragment gets ids of its own, so that many
can stand on one page; the page makes them inert and keeps HTMX away from them.
"""

import re
from collections.abc import Mapping
from typing import Final

from markupsafe import Markup

from app.views.capture import CapturePage
from app.views.errors import ErrorPage
from app.views.inbox.page import InboxPage
from app.views.operator import OperatorPage
from app.views.parts import Link
from app.views.patterns import FragmentState, PatternsPage
from app.views.work.brief import BriefPage
from app.views.work.page import WorkListPage, WorkThreadPage
from app.views.worldstate.focus import FocusPage
from app.views.worldstate.map import MapPage
from app.views.worldstate.outline import OutlinePage
from app.views.worldstate.timeline import TimelinePage
from app.web.templating import render_block

_FRAGMENTS: Final[tuple[tuple[str, str, Mapping[str, object]], ...]] = (
    ("work/list.html", "work_threads", WorkListPage.examples()),
    ("work/thread.html", "thread", WorkThreadPage.examples()),
    ("work/thread.html", "thread_stages", WorkThreadPage.examples()),
    (
        "work/thread.html",
        "run_progress",
        {name: page for name, page in WorkThreadPage.examples().items() if page.progress},
    ),
    ("brief/page.html", "brief", BriefPage.examples()),
    ("inbox/page.html", "inbox_queue", InboxPage.examples()),
    ("inbox/page.html", "inbox_item", InboxPage.examples()),
    ("outline/page.html", "outline_tree", OutlinePage.examples()),
    ("map/page.html", "map_drawing", MapPage.examples()),
    ("timeline/page.html", "timeline_entries", TimelinePage.examples()),
    ("focus/page.html", "focus", FocusPage.examples()),
    ("capture/page.html", "capture", CapturePage.examples()),
    ("errors/page.html", "refusal", ErrorPage.examples()),
    ("operator/page.html", "operator_moves", OperatorPage.examples()),
)
"""Template, block, and the examples in which the block is shown."""

_REFERENCES: Final = re.compile(
    r'( (?:id|for|form|aria-labelledby|aria-describedby|aria-controls|href|hx-target|hx-select)=")(#?)([^"/][^"]*)"'
)


def _own_ids(html: str, number: int) -> str:
    """Give every id in a fragment, and every reference to one, a suffix of this copy."""

    def renamed(found: re.Match[str]) -> str:
        before, sharp, name = found.groups()
        if before.startswith((" href", " hx-")) and not sharp:
            return found.group(0)
        return f'{before}{sharp}{" ".join(f"{word}-copy{number}" for word in name.split())}"'

    return _REFERENCES.sub(renamed, html)


def _address(block: str) -> str:
    return f"/-/patterns/{block.replace('_', '-')}"


def _links() -> tuple[Link, ...]:
    return tuple(Link(f"{template}: {block}", _address(block)) for template, block, _ in _FRAGMENTS)


def patterns_page(fragment: str | None = None) -> PatternsPage | None:
    """Return the page of parts, or of one fragment by its dashed name; None when there is no such fragment."""
    if fragment is None:
        return PatternsPage.parts(_links())
    for template, block, examples in _FRAGMENTS:
        if _address(block).endswith(f"/{fragment}"):
            shown = tuple(
                FragmentState(state, Markup(_own_ids(render_block(template, block, page), number)))  # noqa: S704 - our own template's output
                for number, (state, page) in enumerate(examples.items())
            )
            return PatternsPage.one(f"{template}: {block}", _links(), shown)
    return None
