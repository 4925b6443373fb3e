"""What must hold of every page at every width in both themes: axe finds nothing, and the layout holds."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from axe_playwright_python.base import AXE_FILE_PATH
from playwright.sync_api import Page

from e2e.visit import THEMES, WIDTHS, size

_AXE: Final = Path(AXE_FILE_PATH).read_text(encoding="utf-8")
_LAYOUT: Final = (Path(__file__).parent / "layout.js").read_text(encoding="utf-8")
_RUN: Final = """
(only) => axe.run(document, {
  resultTypes: ["violations"],
  preload: false,
  rules: only ? {} : { "target-size": { enabled: true } },
  ...(only ? { runOnly: { type: "rule", values: only } } : {}),
}).then((results) => results.violations.map((rule) => ({
  id: rule.id,
  help: rule.help,
  nodes: rule.nodes.map((node) => `${node.target.join(" ")}: ${node.failureSummary.split("\\n")[1]?.trim()}`),
})))
"""
_COLOUR_RULES: Final = ("color-contrast", "link-in-text-block")
"""The rules that a theme can change: structure, names and sizes are the same in both."""
_LEAST: Final = 1600
"""The lowest window looked into, in pixels."""


@dataclass
class Findings:
    """Everything found so far, each with the places where it was found."""

    places: dict[str, list[str]] = field(default_factory=dict)
    scans: int = 0

    def add(self, finding: str, place: str) -> None:
        """Note one finding."""
        self.places.setdefault(finding, []).append(place)

    def report(self) -> str:
        """Return everything found, one line each, under a line that counts."""
        lines = self.lines()
        return "\n".join((f"{len(lines)} findings in {self.scans} looks", *lines))

    def lines(self) -> list[str]:
        """Return one line per finding, with how often and where first."""
        return [
            f"{finding}  [{len(places)}x: {'; '.join(places[:4])}]"
            for finding, places in sorted(self.places.items())
        ]


def look(page: Page, state: str, findings: Findings, widths: Iterable[int] = WIDTHS) -> None:
    """Scan the page as it stands at each width in both themes, with everything folded open; then put it back."""
    before = page.viewport_size
    page.evaluate("() => document.querySelectorAll('main details').forEach((fold) => { fold.open = true; })")
    page.evaluate(_AXE)
    for width in widths:
        _show_whole(page, width)
        for theme in THEMES:
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            place = f"{state} {width} {theme}"
            for finding in _axe(page, None if theme == "light" else _COLOUR_RULES):
                findings.add(finding, place)
            findings.scans += 1
        for finding in page.evaluate(_LAYOUT):
            findings.add(finding, f"{state} {width}")
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    if before is not None:
        page.set_viewport_size(before)


def _show_whole(page: Page, width: int) -> None:
    """Make the window as tall as the page is at that width.

    In a lower window a sticky bar half-covers whatever it happens to float over, which a scroll uncovers again; what
    it covers at the end of the page cannot be uncovered, and is seen here too.
    """
    page.set_viewport_size(size(width, _LEAST))
    height = int(page.evaluate("() => document.documentElement.scrollHeight"))
    if height > _LEAST:
        page.set_viewport_size(size(width, height))


def _axe(page: Page, only: tuple[str, ...] | None) -> list[str]:
    rules: list[dict[str, Any]] = page.evaluate(_RUN, None if only is None else list(only))
    return [f"axe {rule['id']} ({rule['help']}): {node}" for rule in rules for node in rule["nodes"]]
