"""Every page of the product in every example state: what the tests of the web edge walk over.

A page that is not listed here is not looked at; `test_templates.py` fails when a page template is missing.
"""

from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

from app.views.bundles import ExportPage, ImportPage
from app.views.capture import CapturePage
from app.views.change import ChangePage
from app.views.confirm import ConfirmPage
from app.views.errors import ErrorPage
from app.views.importing import ImportOutlinePage
from app.views.inbox.page import InboxPage
from app.views.ledger.page import LedgerPage
from app.views.operator import OperatorPage
from app.views.patterns import PatternsPage
from app.views.search import SearchPage
from app.views.settings import SettingsPage
from app.views.signin import SigninPage
from app.views.source import SourcePage
from app.views.work.brief import BriefPage
from app.views.work.page import WorkListPage, WorkThreadPage
from app.views.world import WorldPage
from app.views.worldstate.focus import FocusPage
from app.views.worldstate.map import MapPage
from app.views.worldstate.outline import OutlinePage
from app.views.worldstate.timeline import TimelinePage
from app.web.templating import render_page

ROOT: Final = Path(__file__).resolve().parents[2]
TEMPLATES: Final = ROOT / "templates"
VOID: Final = frozenset({"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"})

FAMILIES: Final[dict[str, dict[str, Any]]] = {
    "signin/page.html": SigninPage.examples(),
    "world/page.html": WorldPage.examples(),
    "capture/page.html": CapturePage.examples(),
    "inbox/page.html": InboxPage.examples(),
    "outline/page.html": OutlinePage.examples(),
    "map/page.html": MapPage.examples(),
    "timeline/page.html": TimelinePage.examples(),
    "focus/page.html": FocusPage.examples(),
    "search/page.html": SearchPage.examples(),
    "ledger/page.html": LedgerPage.examples(),
    "bundles/export.html": ExportPage.examples(),
    "bundles/import.html": ImportPage.examples(),
    "importing/page.html": ImportOutlinePage.examples(),
    "change/page.html": ChangePage.examples(),
    "confirm/page.html": ConfirmPage.examples(),
    "source/page.html": SourcePage.examples(),
    "settings/page.html": SettingsPage.examples(),
    "errors/page.html": ErrorPage.examples(),
    "work/list.html": WorkListPage.examples(),
    "work/thread.html": WorkThreadPage.examples(),
    "brief/page.html": BriefPage.examples(),
    "operator/page.html": OperatorPage.examples(),
    "patterns/page.html": PatternsPage.examples(),
}


@dataclass(frozen=True, slots=True)
class Example:
    """One page in one state."""

    template: str
    state: str
    page: object

    def __str__(self) -> str:
        return f"{self.template}-{self.state}"


EXAMPLES: Final = tuple(
    Example(template, state, page) for template, states in FAMILIES.items() for state, page in states.items()
)


@cache
def rendered(template: str, state: str) -> str:
    """Return the page of that name and state, rendered once."""
    return render_page(template, FAMILIES[template][state])


@cache
def parsed(template: str, state: str) -> "Reader":
    """Return the elements of the page of that name and state, read once."""
    return Reader(rendered(template, state))


@dataclass
class Element:
    """One element of a parsed page."""

    tag: str
    attributes: dict[str, str]
    parent: "Element | None"
    text: str = ""

    def within(self, tag: str) -> "Element | None":
        """Return the nearest ancestor of that tag, or None."""
        above = self.parent
        while above is not None and above.tag != tag:
            above = above.parent
        return above


class Reader(HTMLParser):
    """Parses a page into a flat list of elements, and refuses tags that do not match."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self.faults: list[str] = []
        self._open: list[Element] = []
        self.feed(html)
        self.faults += [f"<{left.tag}> is never closed" for left in self._open]

    @property
    def roots(self) -> list[Element]:
        """The elements without a parent."""
        return [element for element in self.elements if element.parent is None]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take one start tag."""
        names = [name for name, _ in attrs]
        if len(names) != len(set(names)):
            self.faults.append(f"<{tag}> names an attribute twice: {names}")
        parent = self._open[-1] if self._open else None
        element = Element(tag, {name: value or "" for name, value in attrs}, parent)
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take one self-closed tag, as SVG has them."""
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        """Take one end tag."""
        if not self._open or self._open[-1].tag != tag:
            self.faults.append(f"</{tag}> closes nothing")
            return
        self._open.pop()

    def handle_data(self, data: str) -> None:
        """Take text."""
        if self._open:
            self._open[-1].text += data
        elif data.strip():
            self.faults.append(f"text outside of any element: {data.strip()[:40]!r}")


def view_classes(page: object) -> set[type]:
    """Return the class of the page and of every dataclass inside it."""
    found: set[type] = set()
    _collect(page, found)
    return found


def _collect(value: object, found: set[type]) -> None:
    if isinstance(value, tuple):
        for part in value:
            _collect(part, found)
    elif is_dataclass(value) and not isinstance(value, type):
        found.add(type(value))
        for field in fields(value):
            _collect(getattr(value, field.name), found)
