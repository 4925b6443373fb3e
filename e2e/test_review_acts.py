"""Setting aside, parting, renewing, erasing and exporting: by keys alone, and without a script in the page."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from e2e.journey import PROJECT, Journey
from e2e.keyboard import tab_to
from e2e.product import Product
from e2e.visit import sign_in, visiting

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

LATER = "Buy three rollers for the ceiling."
BACK = "Keep the receipts of all paint."
PARTS = "Which brush is best for wall paint, and which roller?"
RENEWED = "Cover the floor before the paint comes."
OTHER = "The hall must be painted before May."
ERASED = "Ask about the heronblue paint for the ceiling."


def _captured(product: Product, words: str) -> tuple[str, str]:
    """Capture words on the command line; return the address of the proposal and that of the capture."""
    done = product.odeu("capture", "--project", PROJECT, words)
    base = f"/p/{done['project_id']}"
    return f"{base}/inbox/{done['delta_id']}", f"{base}/sources/{done['source_id']}"


def _press(page: Page, name: str, *, keys: bool) -> None:
    """Press a button of the main column, by the mouse or by Tab and Enter."""
    button = page.get_by_role("main").get_by_role("button", name=name, exact=True)
    if keys:
        tab_to(page, button)
        page.keyboard.press("Enter")
    else:
        button.click()


def _open_act(page: Page, name: str, key: str, *, keys: bool) -> None:
    """Open the form of an act, by its single key or by its link."""
    page.get_by_role("button", name="Accept").wait_for()
    if keys:
        page.keyboard.press(key)
    else:
        page.get_by_role("link", name=name, exact=True).click()
    page.get_by_role("link", name="Cancel").wait_for()


def _type(page: Page, label: str, words: str, *, keys: bool) -> None:
    """Type into a field of the main column."""
    field = page.get_by_role("main").get_by_label(label).first
    if keys:
        tab_to(page, field)
        page.keyboard.press("Control+A")
        page.keyboard.type(words)
    else:
        field.fill(words)


@pytest.mark.parametrize("keys", [True, False], ids=["by keys", "without a script"])
def test_every_act_on_a_proposal_is_done(browser: Browser, product: Product, *, keys: bool) -> None:
    """Put off, send back, split and renew: each leads to the page that shows what it did."""
    (renewed, _), (later, _), (back, _), (parts, _) = (
        _captured(product, words) for words in (RENEWED, LATER, BACK, PARTS)
    )
    other = product.odeu("capture", "--project", PROJECT, OTHER)
    product.odeu("accept", other["delta_id"])
    with visiting(browser, product, scripts=keys) as (page, _watch):
        sign_in(page, product.sign_in_link())
        page.goto(later)
        _open_act(page, "Defer", "d", keys=keys)
        page.get_by_label("Ask again on").fill("2999-12-24")
        _press(page, "Defer", keys=keys)
        page.get_by_text("Deferred. It can be decided all the while.").wait_for()
        page.goto(back)
        _open_act(page, "Send back", "r", keys=keys)
        _type(page, "Why it cannot be accepted", "Which receipts?", keys=keys)
        _type(page, "What has to be put right", "Name the shop", keys=keys)
        _press(page, "Send it back", keys=keys)
        page.get_by_text("Sent back. It waits for its corrections.").wait_for()
        page.goto(parts)
        _open_act(page, "Split", "s", keys=keys)
        titles = page.get_by_role("main").get_by_label("Title")
        for index, words in enumerate(("Find the best brush", "Find the best roller")):
            titles.nth(index).fill(words)
        _press(page, "Propose the parts", keys=keys)
        page.get_by_text("Replaced by its parts; each waits for a yes.").wait_for()
        page.goto(renewed)
        _open_act(page, "Renew", "u", keys=keys)
        _press(page, "Renew", keys=keys)
        page.get_by_text("Renewed about the newest revision; it waits for a yes.").wait_for()
        page.get_by_role("navigation", name="Rooms").get_by_role("link", name=re.compile("^Inbox")).click()
        expect(page.get_by_role("heading", name="1 put off")).to_be_visible()
        expect(page.get_by_role("heading", name="Sent back, for corrections")).to_be_visible()


@pytest.mark.parametrize("keys", [True, False], ids=["by keys", "without a script"])
def test_words_are_erased_and_the_project_is_exported(
    browser: Browser, product: Product, tmp_path: Path, *, keys: bool
) -> None:
    """From the proposal to its capture, through the page that says what stays; the bundle then verifies without them."""
    proposal, _source = _captured(product, ERASED)
    with visiting(browser, product, scripts=keys) as (page, _watch):
        sign_in(page, product.sign_in_link())
        page.goto(proposal)
        for name in ("About this capture", "Erase these words"):
            link = page.get_by_role("main").get_by_role("link", name=name)
            if keys:
                tab_to(page, link)
                page.keyboard.press("Enter")
            else:
                link.click()
            page.get_by_role("heading", level=1, name=re.compile("Capture|Erase")).wait_for()
        expect(page.get_by_text("Exports made before hold the words")).to_be_visible()
        _press(page, "Erase for good", keys=keys)
        expect(page.get_by_text("The words are erased")).to_be_visible()
        Journey(page, product, scripts=keys).room("Ledger")
        page.get_by_role("main").get_by_role("link", name="Export").click()
        bundle, trust = tmp_path / "bundle.jsonl", tmp_path / "trust.json"
        for name, target in (("Download the bundle", bundle), ("Download the trust file", trust)):
            link = page.get_by_role("main").get_by_role("link", name=name)
            with page.expect_download() as download:
                if keys:
                    tab_to(page, link)
                    page.keyboard.press("Enter")
                else:
                    link.click()
            download.value.save_as(target)
    assert "heronblue" not in bundle.read_text()
    verdicts = product.odeu("verify-bundle", str(bundle), "--trust", str(trust))
    assert {item["standing"] for item in verdicts.values() if isinstance(item, dict)} == {"passed"}, (
        json.dumps(verdicts)
    )
