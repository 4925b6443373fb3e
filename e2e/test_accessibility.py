"""Every page of the real server in the states the journey reaches: axe finds nothing and the layout holds."""

import pytest
from playwright.sync_api import Browser

from e2e.inspection import Inspection
from e2e.journey import TASK, Journey
from e2e.product import Product
from e2e.scan import Findings, look
from e2e.visit import visiting

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

UNPLACED = "Zzyzx qwrt."
BROKEN = """
<!doctype html><html lang="en"><title>Broken</title><main><h1>Broken</h1>
<div style="width:3000px">wide</div><div style="width:4em;overflow:hidden;white-space:nowrap">words that are cut off</div>
<p style="color:#ccc;background:#fff">pale</p><input></main></html>
"""


class Walk(Inspection):
    """The main job from sign-in to promotion."""

    def meaning(self) -> None:
        """Look at sign-in, World, capture, Inbox, Outline and Focus around one suggestion."""
        journey, page = self.journey, self.page
        self.at("/signin", "sign-in without a link")
        self.at(journey.product.link, "sign-in")
        journey.sign_in()
        self.here("world")
        journey.capture()
        self.here("captured")
        journey.review()
        self.here("inbox: placement")
        item = page.url
        for act in ("edit", "move", "reject"):
            self.at(f"{item}?act={act}", f"inbox: {act}")
        self.at(f"{journey.project}/inbox", "inbox: queue")
        journey.room("Worldstate")
        self.here("outline: with a suggestion")
        journey.select()
        self.here("outline: suggestion selected")
        journey.tab("Focus")
        self.here("focus: suggestion")
        self.at(f"{journey.project}/work", "work: captured")
        page.goto(item)
        journey.accept()
        self.here("inbox: accepted")

    def worldstate(self) -> None:
        """Look at what is canonical now, at the ways to find and change it, and at the quiet pages."""
        journey, page = self.journey, self.page
        journey.room("Worldstate")
        journey.select()
        self.here("outline: task selected")
        node = page.url.partition("node=")[2]
        self.at(f"{journey.project}/nodes/{node}/change", "change: words")
        self.at(f"{journey.project}/search?q=paint", "search: found")
        self.at(f"{journey.project}/search?q=nowhere", "search: nothing found")
        self.at(f"{journey.project}/focus", "focus: choose")
        self.at(f"{journey.project}/focus?node={node}", "focus: task")
        self.at(f"{journey.project}/capture?node={node}", "capture near a node")
        self.at(f"{journey.project}/inbox", "inbox: empty")

    def work(self) -> None:
        """Look at each stage of the thread, at the brief, and at the operator's page."""
        journey, page = self.journey, self.page
        self.page.goto(f"{journey.project}/inbox")
        journey.open_thread()
        self.here("thread: adopted")
        journey.brief()
        self.here("thread: briefed")
        page.get_by_role("link", name="Read the exact brief").click()
        page.get_by_role("heading", name="The contract").wait_for()
        self.here("brief")
        page.goto(journey.thread)
        for act, state in (
            (journey.authorise_run, "authorised"),
            (journey.await_return, "returned"),
            (journey.validate, "validated"),
            (journey.reconcile, "to integrate"),
        ):
            act()
            self.here(f"thread: {state}")
        self.at(f"{journey.project}/inbox", "inbox: evidence waits")
        page.get_by_role("main").get_by_role("link", name=TASK).first.click()
        journey.button("Integrate").wait_for()
        self.here("inbox: reconciliation")
        page.goto(journey.thread)

    def promotion(self) -> None:
        """Look at the way from integrated to promoted."""
        journey, page = self.journey, self.page
        for act, state in (
            (journey.integrate, "integrated"),
            (journey.propose_move, "proposed"),
            (journey.authorise_move, "waits for an operator"),
        ):
            act()
            self.here(f"thread: {state}")
        self.at("/operator", "operator: waiting")
        journey.move(str(journey.product.odeu("operator", "token", "new")["token"]))
        self.here("operator: moved")
        self.at("/settings", "settings")
        self.at("/-/patterns", "patterns")
        self.at(journey.thread, "thread: promoted")
        self.at(f"{journey.project}/outline", "outline: verified")
        self.at(f"{journey.project}/work", "work: promoted")
        page.goto("/")
        page.get_by_role("textbox", name="What is on your mind?").fill(UNPLACED)
        journey.button("Capture").click()
        page.get_by_role("heading", level=1, name="Capture").wait_for()
        self.here("captured: a question")
        page.get_by_role("main").get_by_role("link").first.click()
        page.get_by_role("heading", level=1, name="Inbox").wait_for()
        self.here("inbox: question")


def test_every_page_on_the_way_is_accessible_and_holds_its_layout(browser: Browser, product: Product) -> None:
    """At 320, 390, 768, 1024 and 1440 pixels in light and dark, in every state that the journey reaches."""
    with visiting(browser, product) as (page, watch):
        inspection = Walk(Journey(page, product))
        try:
            for part in (inspection.meaning, inspection.worldstate, inspection.work, inspection.promotion):
                part()
            watch.expected.append(404)
            inspection.at("/p/nowhere/inbox", "not found")
        except Exception as error:
            error.add_note(inspection.findings.report())
            raise
    assert inspection.findings.places == {}, inspection.findings.report()


def test_what_is_wrong_is_found(browser: Browser) -> None:
    """A page that is too wide, cuts words off, is too pale and has a field without a name gives exactly that."""
    findings = Findings()
    page = browser.new_page()
    page.set_content(BROKEN)
    look(page, "broken", findings, (390,))
    page.close()
    found = "\n".join(findings.lines())
    wanted = ("the document is 3", 'cuts "words that are cut off" off', "axe color-contrast", "axe label")
    assert [part for part in wanted if part not in found] == []
