"""The pages of meaning in a real browser: acts with and without a script, refusals, live updates, narrow screens.

The pages, styles, scripts and headers are the shipped ones behind the shipped middleware; only the data is the
views' own examples, and the answers to acts are fixed.
"""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
import uvicorn
from playwright.sync_api import Browser, Page, expect, sync_playwright
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from app.web.origin import public_origin
from tests.web.gallery import FAMILIES, ROOT, rendered
from tests.web.work_gallery import guarded

MEANING = ("signin", "world", "capture", "inbox", "outline", "focus", "settings", "errors")
ITEM = "/p/birch-lane/inbox/delta_01"


@dataclass
class Server:
    """What the test server was sent, and whether it fails from now on."""

    origin: str = ""
    acts: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    is_failing: bool = False
    waiting: str = "placement"
    """The state of the Inbox that is shown."""

    async def inbox(self, request: Request) -> Response:
        """Show the open item, or the form of the act that was asked for."""
        if self.is_failing:
            return HTMLResponse(rendered("errors/page.html", "500"), 500)
        waiting = "other choice" if request.query_params.get("choice") == "2" else self.waiting
        waiting = "meanwhile" if "meanwhile" in request.query_params else waiting
        return HTMLResponse(rendered("inbox/page.html", request.query_params.get("act", waiting)))

    async def queue(self, request: Request) -> Response:
        """Show the queue with what the last act did."""
        del request
        return HTMLResponse(rendered("inbox/page.html", "queue"))

    async def outline(self, request: Request) -> Response:
        """Show the outline with the asked node selected."""
        state = "suggestion" if request.query_params.get("node") == "check" else "selected"
        return HTMLResponse(rendered("outline/page.html", state))

    async def act(self, request: Request) -> Response:
        """Take an act: accept succeeds, an edit does not fit, a rejection is not allowed."""
        sent = {name: str(value) for name, value in (await request.form()).items()}
        act = request.path_params["act"]
        self.acts.append((act, sent))
        if act == "accept":
            return RedirectResponse("/p/birch-lane/inbox", 303)
        if act == "edit":
            return HTMLResponse(rendered("inbox/page.html", "edit refused"), 422)
        return HTMLResponse(rendered("errors/page.html", "403"), 403)

    async def show(self, request: Request) -> Response:
        """Show any example."""
        family, state = request.path_params["family"], request.path_params["state"]
        return HTMLResponse(rendered(f"{family}/page.html", state))

    def routes(self) -> list[Route | Mount]:
        """Return the addresses that the example pages name."""
        return [
            Route("/p/birch-lane/inbox", self.queue),
            Route(ITEM, self.inbox),
            Route(f"{ITEM}/{{act}}", self.act, methods=["POST"]),
            Route("/p/birch-lane/outline", self.outline),
            Route("/show/{family}/{state:path}", self.show),
            Mount("/static", StaticFiles(directory=ROOT / "static")),
        ]


@contextmanager
def serving() -> Iterator[Server]:
    """Serve on a free port until the block ends."""
    server = Server()
    sock = socket.create_server(("127.0.0.1", 0))
    server.origin = f"http://127.0.0.1:{sock.getsockname()[1]}"
    app = guarded(Starlette(routes=server.routes()), public_origin(server.origin))
    running = uvicorn.Server(
        uvicorn.Config(app, log_level="critical", lifespan="off", ws="none", timeout_graceful_shutdown=1)
    )
    thread = threading.Thread(target=lambda: asyncio.run(running.serve(sockets=[sock])), daemon=True)
    thread.start()
    while not running.started:
        thread.join(0.01)
    try:
        yield server
    finally:
        running.should_exit = True
        thread.join(10)
        sock.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests here."""
    options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=options)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    """One server for all tests here."""
    with serving() as started:
        yield started


@pytest.fixture
def server(running: Server) -> Server:
    """The server as if it were new."""
    running.acts.clear()
    running.is_failing, running.waiting = False, "placement"
    return running


@contextmanager
def opened(browser: Browser, *, scripts: bool = True, width: int = 1440) -> Iterator[Page]:
    """Open a page in a context of its own; any error that a script throws fails the test."""
    context = browser.new_context(java_script_enabled=scripts, viewport={"width": width, "height": 900})
    page = context.new_page()
    thrown: list[str] = []
    page.on("pageerror", lambda error: thrown.append(str(error)))
    yield page
    context.close()
    assert thrown == []


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_one_accept_carries_the_chosen_alternative_and_what_was_seen(
    browser: Browser, server: Server, *, scripts: bool
) -> None:
    """Choosing shows the preview of that choice; its number, digest, revision and tokens go out with the one act."""
    with opened(browser, scripts=scripts) as page:
        page.goto(server.origin + ITEM)
        page.get_by_role("link", name="A task under “Kitchen”").click()
        page.locator("#choice-2[aria-current]").wait_for()
        assert page.url == f"{server.origin}{ITEM}?choice=2"
        assert page.locator(".ba > div").nth(1).locator("li").first.inner_text().endswith("Kitchen")
        if scripts:
            assert page.evaluate("document.activeElement.id") == "choice-2"
        page.get_by_role("button", name="Accept").click()
        page.get_by_text("Accepted. Revision 19.").wait_for()
        assert page.url == server.origin + "/p/birch-lane/inbox"
        assert page.locator("#toasts").count() == 1
    (act, sent), *more = server.acts
    assert (act, sent["choice"], sent["expected_revision"], more) == ("accept", "2", "18", [])
    assert {"form_token", "seen", "command_id"} <= set(sent)


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_refused_form_says_why_and_keeps_what_was_typed(
    browser: Browser, server: Server, *, scripts: bool
) -> None:
    """After a refusal the form is there again with its values, the reason beside the field."""
    with opened(browser, scripts=scripts) as page:
        page.goto(server.origin + ITEM)
        page.get_by_role("link", name="Edit").click()
        page.get_by_label("Title").fill("something")
        page.get_by_role("button", name="Propose this wording").click()
        page.get_by_text("Not sent: the title is empty").wait_for()
        assert page.get_by_label("Description").input_value() == "Within 3 mm over 2 m."
        assert page.get_by_label("Title").get_attribute("aria-invalid") == "true"
        if scripts:
            assert page.url == f"{server.origin}{ITEM}?act=edit"


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_refusal_without_a_form_shows_the_way_out(
    browser: Browser, server: Server, *, scripts: bool
) -> None:
    """A page of its own says what is not allowed, gives the text back and leads on."""
    with opened(browser, scripts=scripts) as page:
        page.goto(f"{server.origin}{ITEM}?act=reject")
        page.get_by_label("Reason").fill("It is level.")
        page.get_by_role("button", name="Reject the suggestion").click()
        page.get_by_role("heading", name="You may read this project, not decide in it").wait_for()
        assert page.get_by_label("Reason").input_value() == "The floor was measured yesterday; it is level."
        assert page.get_by_role("link", name="Back to the Inbox").is_visible()


def test_j_opens_the_next_item_and_a_never_accepts_the_one_being_left(
    browser: Browser, server: Server
) -> None:
    """The second row opens instead of having the focus alone, and `a` pressed at once accepts nothing."""
    with opened(browser) as page:
        page.goto(server.origin + ITEM)
        rows = page.locator("[data-key-item]").evaluate_all(
            "rows => rows.map(row => [row.getAttribute('href'), row.hasAttribute('aria-current')])"
        )
        here = next(index for index, row in enumerate(rows) if row[1])
        second = rows[here + 1][0]
        page.evaluate(
            "for (const key of 'ja') document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}))"
        )
        page.wait_for_url(f"{server.origin}{second}")
    assert server.acts == []


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
@pytest.mark.parametrize(
    ("address", "focused"),
    [
        ("/show/capture/first", "#capture-text"),
        ("/show/world/first run#capture-text", "#capture-text"),
        (f"{ITEM}?act=move", "#place-q"),
        ("/show/world/import refused", '#main [role="alert"]'),
    ],
)
def test_a_page_begins_where_its_reader_goes_on(
    browser: Browser, server: Server, address: str, focused: str, *, scripts: bool
) -> None:
    """Typing goes to the box a page is for; a refusal far down has the focus and is in view."""
    with opened(browser, scripts=scripts) as page:
        page.goto(server.origin + address)
        expect(page.locator(focused).first).to_be_focused()
        expect(page.locator(focused).first).to_be_in_viewport()


def test_words_kept_with_an_indentation_are_shown_with_it(browser: Browser, server: Server) -> None:
    """Lines and the spaces before them stand as they were written."""
    with opened(browser) as page:
        page.goto(server.origin + ITEM)
        assert page.locator(".kept").first.evaluate("e => getComputedStyle(e).whiteSpace") == "pre-wrap"


def test_an_open_item_that_nobody_touched_says_what_became_of_it(browser: Browser, server: Server) -> None:
    """When the head moves, an item that was decided elsewhere is read again and says so."""
    with opened(browser) as page:
        page.goto(server.origin + ITEM)
        server.waiting = "accepted"
        page.evaluate("htmx.trigger('#inbox-item', 'sse:head')")
        page.locator("#inbox-item .chip", has_text="Accepted, revision").first.wait_for()
        assert page.get_by_role("button", name="Accept").count() == 0


def test_an_item_that_is_being_filled_in_says_that_it_was_decided_meanwhile(
    browser: Browser, server: Server
) -> None:
    """What was typed stays in its form; a notice above it says who decided, and leads to what became of it."""
    with opened(browser) as page:
        page.goto(f"{server.origin}{ITEM}?act=edit")
        page.get_by_label("Title").fill("Half a thou")
        page.get_by_label("Title").blur()
        assert page.get_by_role("status").get_by_text("Decided meanwhile").count() == 0
        page.evaluate("htmx.trigger('#inbox-item', 'sse:head')")
        notice = page.locator("#meanwhile", has_text="Ines accepted this")
        notice.wait_for()
        assert page.get_by_label("Title").input_value() == "Half a thou"
        assert notice.get_by_role("link").get_attribute("href") == ITEM


def test_news_reaches_the_queue_and_never_a_touched_item(browser: Browser, server: Server) -> None:
    """When the head moves, the queue is read again; what somebody is reading stays, also when the server fails."""
    with opened(browser) as page:
        page.goto(f"{server.origin}{ITEM}?act=edit")
        page.get_by_label("Title").fill("Half a thou")
        server.waiting = "reconciliation"
        with page.expect_response(lambda answer: answer.request.headers.get("hx-target") == "inbox-queue"):
            page.evaluate("htmx.trigger('#inbox-queue', 'sse:head')")
        page.locator('#inbox-queue [aria-current="true"]', has_text="Paint quantities").wait_for()
        assert page.get_by_label("Title").input_value() == "Half a thou"
        server.is_failing = True
        with page.expect_response(lambda answer: answer.status == 500):
            page.evaluate("htmx.trigger('#rooms', 'sse:head')")
        assert page.get_by_role("button", name="Propose this wording").is_visible()
        assert page.get_by_label("Title").input_value() == "Half a thou"


def test_the_outline_is_walked_by_keyboard_and_keeps_its_address(browser: Browser, server: Server) -> None:
    """Arrows move, Enter selects, the inspector follows, and Back leads back."""
    with opened(browser) as page:
        page.goto(server.origin + "/p/birch-lane/outline?node=order")
        page.locator('[aria-selected="true"]').focus()
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
        page.wait_for_url("**/p/birch-lane/outline?node=check")
        assert page.locator("#inspector h2").inner_text() == "Check that the bathroom floor is level"
        page.go_back()
        page.locator("#inspector h2", has_text="Order bathroom tiles").wait_for()


@pytest.mark.parametrize("family", MEANING)
def test_nothing_leaves_a_narrow_screen(browser: Browser, server: Server, family: str) -> None:
    """At 320 pixels no page in any state scrolls sideways."""
    wide = []
    with opened(browser, width=320) as page:
        for state in FAMILIES[f"{family}/page.html"]:
            page.goto(f"{server.origin}/show/{family}/{state}")
            if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
                wide.append(state)
    assert wide == []


@pytest.mark.parametrize("width", [320, 390])
def test_every_filter_of_the_outline_is_seen_on_a_narrow_screen(
    browser: Browser, server: Server, width: int
) -> None:
    """The filters wrap instead of hiding the last of them behind an edge that does not show that it scrolls."""
    with opened(browser, width=width) as page:
        page.goto(f"{server.origin}/show/outline/selected")
        filters = page.get_by_role("navigation", name="Show", exact=True).get_by_role("link")
        boxes = [filters.nth(number).bounding_box() for number in range(filters.count())]
        assert len(boxes) > 1
        assert [box for box in boxes if box is None or box["x"] < 0 or box["x"] + box["width"] > width] == []


@pytest.mark.parametrize("width", [390, 1440])
def test_the_families_of_a_narrow_inspector_stand_one_below_the_other(
    browser: Browser, server: Server, width: int
) -> None:
    """Three columns of an inspector would break words such as “Completed, verified” before the comma."""
    with opened(browser, width=width) as page:
        page.goto(f"{server.origin}/show/outline/selected")
        columns = page.locator(".inspector .families").evaluate(
            "e => getComputedStyle(e).gridTemplateColumns"
        )
        assert len(columns.split()) == 1


@pytest.mark.parametrize(("width", "is_beside"), [(390, False), (1440, True)])
def test_the_first_item_is_open_only_beside_the_queue(
    browser: Browser, server: Server, width: int, *, is_beside: bool
) -> None:
    """A wide Inbox opens what waits first, j walks on from it, and a narrow one begins with the queue."""
    with opened(browser, width=width) as page:
        page.goto(f"{server.origin}/show/inbox/first")
        accept = page.get_by_role("button", name="Accept")
        assert (accept.is_visible(), page.locator("#inbox-queue").is_visible()) == (is_beside, True)
        shown = page.locator("[data-key-item]")
        open_at = shown.evaluate_all("all => all.findIndex(item => item.hasAttribute('aria-current'))")
        following = shown.nth(open_at + 1).get_attribute("href")
        page.keyboard.press("j")
        page.wait_for_url(f"{server.origin}{following}")


def test_the_keyboard_lands_on_what_an_act_brought(browser: Browser, server: Server) -> None:
    """After an act by key its heading has the focus, visibly, and Tab goes on inside that part."""
    with opened(browser) as page:
        page.goto(server.origin + ITEM)
        page.get_by_role("button", name="Accept").focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/inbox")
        heading = page.get_by_role("heading", level=2).first
        expect(heading).to_be_focused()
        assert heading.evaluate("(item) => getComputedStyle(item).outlineStyle") == "solid"
        page.keyboard.press("Tab")
        assert page.evaluate("() => document.getElementById('inbox').contains(document.activeElement)")
