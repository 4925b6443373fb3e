"""The whole way of one sentence as a person walks it, on the pages alone; with a script in the page or without.

Each act ends when the page shows what it did. What a story asserts stands in the story.
"""

from dataclasses import dataclass, field
from typing import Final

from playwright.sync_api import Locator, Page, expect
from playwright.sync_api import TimeoutError as Late

from app.bootstrap import sandbox_texts
from e2e.product import Product
from e2e.visit import sign_in

PROJECT: Final = sandbox_texts()[0]
SENTENCE: Final = sandbox_texts()[2]
TASK: Final = SENTENCE.rstrip(".")
_LOOKS: Final = 90
_LOOK_MS: Final = 1000


@dataclass
class Journey:
    """One person with one browser window."""

    page: Page
    product: Product
    scripts: bool = True
    project: str = field(default="", init=False)
    """The address of the project's pages, known once something was captured in it."""
    thread: str = field(default="", init=False)
    """The address of the work's thread, known once it was opened."""

    # ------------------------------------------------------------------------------------------------- looking

    def room(self, name: str) -> None:
        """Go to a room by the rail."""
        self.page.get_by_role("navigation", name="Rooms").get_by_role("link", name=name).click()
        expect(self.page.get_by_role("heading", level=1, name=name)).to_have_count(1)

    def tab(self, name: str) -> None:
        """Go to another view of the worldstate."""
        self.page.get_by_role("navigation", name="Views").get_by_role("link", name=name).click()
        expect(self.page.get_by_role("link", name=name, exact=True)).to_have_attribute("aria-current", "page")

    def row(self, title: str = TASK) -> Locator:
        """Return a row of the outline."""
        return self.page.get_by_role("row").filter(has=self.page.get_by_role("link", name=title, exact=True))

    def select(self, title: str = TASK) -> None:
        """Select a row of the outline, and see it in the inspector."""
        self.row(title).get_by_role("link", name=title, exact=True).click()
        self.page.get_by_role("complementary", name=title).wait_for()

    def button(self, name: str) -> Locator:
        """Return a button of the page's main part."""
        return self.page.get_by_role("main").get_by_role("button", name=name)

    def appears(self, awaited: Locator) -> None:
        """Wait for what other processes bring about: by itself with a script, by looking again without."""
        if self.scripts:
            awaited.first.wait_for()
            return
        for _ in range(_LOOKS):
            try:
                awaited.first.wait_for(timeout=_LOOK_MS)
            except Late:
                self.page.reload()
            else:
                return
        awaited.first.wait_for()

    def open_thread(self) -> None:
        """Open the work's thread from the Work room."""
        self.room("Work")
        self.page.get_by_role("main").get_by_role("link", name=TASK).click()
        self.page.get_by_role("heading", level=1, name=TASK).wait_for()
        self.thread = self.page.url

    # -------------------------------------------------------------------------------------------------- meaning

    def sign_in(self) -> None:
        """Spend the link that the server printed."""
        sign_in(self.page, self.product.link)

    def capture(self, words: str = SENTENCE) -> None:
        """Say it in the capture box of the World."""
        self.page.get_by_role("textbox", name="What is on your mind?").fill(words)
        self.button("Capture").click()
        self.page.get_by_role("heading", name="Placed for your review").wait_for()
        self.project = self.page.url.partition("/capture")[0]

    def review(self) -> None:
        """Open the suggestion from where the capture left it."""
        self.page.get_by_role("link", name="Review the suggestion").click()
        self.button("Accept").wait_for()

    def accept(self) -> None:
        """Say yes to what is open."""
        self.button("Accept").click()
        self.page.get_by_text("Accepted: one new revision.").wait_for()

    # ----------------------------------------------------------------------------------------- delegation, evidence

    def brief(self) -> None:
        """Compile the brief of the open thread."""
        self.button("Compile the brief").click()
        self.button("Authorise one run").wait_for()

    def authorise_run(self) -> None:
        """Allow one run, and see that it is under way or already back."""
        self.button("Authorise one run").click()
        self.page.get_by_text("One run is authorised.").wait_for()

    def await_return(self) -> None:
        """Wait until the worker's result is sealed."""
        self.appears(self.button("Validate"))

    def validate(self) -> None:
        """Have the sealed files checked."""
        self.button("Validate").click()
        self.appears(self.button("Prepare the reconciliation"))

    def reconcile(self) -> None:
        """Prepare the proposal that records the result."""
        self.button("Prepare the reconciliation").click()
        self.button("Integrate").wait_for()

    def integrate(self) -> None:
        """Say yes to the result."""
        self.button("Integrate").click()
        self.button("Propose the promotion").wait_for()

    # ------------------------------------------------------------------------------------------------- promotion

    def propose_move(self) -> None:
        """Offer the integrated result to an operator."""
        self.button("Propose the promotion").click()
        self.button("Authorise the promotion").wait_for()

    def authorise_move(self) -> None:
        """Reserve the worldstate for this one move."""
        self.button("Authorise the promotion").click()
        self.page.get_by_text("Only an operator with a token moves the branch.").wait_for()

    def move(self, token: str) -> None:
        """As an operator, type the token and move the branch."""
        self.page.get_by_label("Operator token").fill(token)
        self.button("Move it, once").click()
        self.page.get_by_text("Promoted: the branch is at the candidate.").wait_for()
        self.page.get_by_role("heading", name="Nothing waits for an operator").wait_for()
