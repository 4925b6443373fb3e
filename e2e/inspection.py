"""One journey that is looked at on its way: where the tests of accessibility take their looks."""

from dataclasses import dataclass, field

from playwright.sync_api import Page

from e2e.journey import Journey
from e2e.scan import Findings, look


@dataclass
class Inspection:
    """One journey that is looked at on its way."""

    journey: Journey
    findings: Findings = field(default_factory=Findings)

    @property
    def page(self) -> Page:
        """Return the page."""
        return self.journey.page

    def here(self, state: str) -> None:
        """Look at the page as it is."""
        look(self.page, state, self.findings)

    def at(self, path: str, state: str) -> None:
        """Go to an address and look."""
        self.page.goto(path)
        self.page.get_by_role("main").wait_for()
        self.here(state)
