"""Stories beside the main one: hands on the keyboard, two people at once, and a person who may only look."""

import re

import pytest
from playwright.sync_api import Browser, expect

from e2e.journey import PROJECT, Journey
from e2e.keyboard import tab_to
from e2e.product import Product
from e2e.visit import sign_in, visiting

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

BY_KEYS = "Measure the walls twice before buying paint."
TOGETHER = "Count the windows of every room."
LOOKED_AT = "Return unopened tins to the shop."


def test_capture_review_and_accept_need_no_mouse(browser: Browser, shared: Product) -> None:
    """Tab, Enter and the single keys of the page lead from a sentence to its acceptance."""
    with visiting(browser, shared) as (page, _watch):
        page.goto(shared.sign_in_link())
        tab_to(page, page.get_by_role("button", name="Sign in", exact=True))
        page.keyboard.press("Enter")
        tab_to(page, page.get_by_role("textbox", name="What is on your mind?"))
        page.keyboard.type(BY_KEYS)
        tab_to(page, page.get_by_role("button", name="Capture"))
        page.keyboard.press("Enter")
        tab_to(page, page.get_by_role("link", name="Review the suggestion"))
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Accept")).to_be_visible()
        page.keyboard.press("e")
        tab_to(page, page.get_by_role("link", name="Cancel"))
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Say it differently")).to_have_count(0)
        page.keyboard.press("a")
        page.get_by_text("Accepted: one new revision.").wait_for()


def test_the_outline_is_walked_by_keys(browser: Browser, shared: Product) -> None:
    """One Tab enters the tree; arrows, Home, End, a letter and Enter do the rest, and Left folds."""
    with visiting(browser, shared) as (page, _watch):
        sign_in(page, shared.sign_in_link())
        page.get_by_role("main").get_by_role("link", name=PROJECT, exact=True).click()
        Journey(page, shared).room("Worldstate")
        focused = page.locator("tr:focus")
        last = page.get_by_role("row").last.get_attribute("data-tree-item") or ""
        tab_to(page, page.get_by_role("row", name="Paint planner"))
        for key, title in (
            ("ArrowDown", "Paint a flat without wasting paint"),
            ("ArrowRight", "Python's standard library only"),
            ("End", last),
            ("Home", "Paint planner"),
            ("Shift+R", "Rooms"),
        ):
            page.keyboard.press(key)
            expect(focused).to_have_attribute("data-tree-item", title)
        page.keyboard.press("ArrowLeft")
        expect(focused).to_have_attribute("aria-expanded", "false")
        expect(page.get_by_role("row", name="Wall area")).to_have_count(0)
        page.keyboard.press("Enter")
        expect(page.get_by_role("complementary", name="Rooms")).to_be_visible()


def test_what_one_person_accepts_another_sees_without_reloading(browser: Browser, shared: Product) -> None:
    """The second window is told by the server: its count, its queue and its tree follow."""
    captured = shared.odeu("capture", "--project", PROJECT, TOGETHER)
    with visiting(browser, shared) as (mine, _), visiting(browser, shared) as (theirs, _):
        for page in (mine, theirs):
            sign_in(page, shared.sign_in_link())
            page.get_by_role("main").get_by_role("link", name=PROJECT, exact=True).click()
        reading = Journey(theirs, shared)
        reading.room("Worldstate")
        title = TOGETHER.rstrip(".")
        expect(reading.row(title)).to_contain_text("Suggested")
        expect(theirs.get_by_text("Live, up to date")).to_be_visible()
        theirs.evaluate("() => { window.hasStayed = true; }")
        acting = Journey(mine, shared)
        acting.room("Inbox")
        mine.get_by_role("link", name=title).click()
        acting.accept()
        expect(reading.row(title)).to_contain_text("Adopted")
        expect(theirs.get_by_role("link", name=re.compile("^Inbox .* waiting"))).to_have_count(0)
        assert theirs.evaluate("() => window.hasStayed") is True
    assert captured["delta_id"] is not None


def test_a_viewer_reads_and_is_offered_no_act(browser: Browser, shared: Product) -> None:
    """World, Inbox and Outline show everything and no way to change it; an act sent all the same is refused."""
    captured = shared.odeu("capture", "--project", PROJECT, LOOKED_AT)
    shared.odeu("person", "add", "vera", "--role", "viewer")
    with visiting(browser, shared) as (page, watch):
        sign_in(page, shared.sign_in_link("vera"))
        expect(page.get_by_role("main").get_by_role("button")).to_have_count(0)
        page.get_by_role("main").get_by_role("link", name=PROJECT, exact=True).click()
        journey = Journey(page, shared)
        journey.room("Inbox")
        page.get_by_role("link", name=LOOKED_AT.rstrip(".")).click()
        expect(page.get_by_role("button", name="Accept")).to_be_disabled()
        expect(page.get_by_text("You may read this, not decide it.")).to_be_visible()
        for act in ("Edit", "Move", "Reject"):
            expect(page.get_by_role("main").get_by_role("link", name=act, exact=True)).to_have_count(0)
        watch.expected.append(403)
        page.evaluate("() => document.getElementById('act-form').submit()")
        page.get_by_role("alert").wait_for()
        journey.room("Worldstate")
        expect(journey.row(LOOKED_AT.rstrip("."))).to_contain_text("Suggested")
    waiting = shared.odeu("proposals", "--project", PROJECT)["proposals"]
    assert captured["delta_id"] in {item["delta_id"] for item in waiting}
