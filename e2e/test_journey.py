"""The whole main job on the sandbox in a real browser: from a sentence to a moved branch, and why it was allowed."""

import pytest
from playwright.sync_api import Browser, expect

from e2e.journey import SENTENCE, TASK, Journey
from e2e.product import Product
from e2e.visit import visiting

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

OBSERVED = "The host observed"
CLAIMED = "The worker claims"


def test_a_sentence_becomes_a_moved_branch(browser: Browser, product: Product) -> None:
    """Capture, review, brief, run, evidence, integration and promotion, each seen on the page that decides it."""
    base = product.git("rev-parse", "main")
    with visiting(browser, product) as (page, _watch):
        journey = Journey(page, product)
        journey.sign_in()
        journey.capture()
        _sees_the_suggestion(journey)
        _accepts_it(journey)
        _reads_the_brief(journey)
        _sees_the_result(journey)
        _integrates_it(journey)
        assert product.git("rev-parse", "main") == base
        _moves_the_branch(journey)
    assert product.git("rev-parse", "main^") == base
    verdict = product.odeu("audit", product.git("rev-parse", "main"))
    assert {link["standing"] for link in verdict["links"]} == {"passed"}


def _sees_the_suggestion(journey: Journey) -> None:
    """The proposal says why, shows before and after, and both views show it as suggested and not as accepted."""
    page = journey.page
    journey.review()
    expect(page.get_by_role("heading", level=2, name=TASK)).to_be_visible()
    expect(page.get_by_role("blockquote").filter(has_text=SENTENCE)).to_be_visible()
    for part in ("Now, revision 1", "If you accept, revision 2", "Why here"):
        expect(page.get_by_role("heading", name=part)).to_be_visible()
    # Three of its words name the place: no doubt is claimed where there is none.
    expect(page.get_by_role("heading", name="What is not certain")).to_have_count(0)
    shown = page.get_by_role("link", name="A task under “Tins to buy”")
    expect(shown).to_have_attribute("aria-current", "true")
    journey.room("Worldstate")
    expect(page.get_by_text("One suggestion is laid over it and is not part of it yet.")).to_be_visible()
    expect(journey.row()).to_contain_text("Suggested")
    journey.select()
    expect(page.get_by_role("complementary").get_by_text("Suggested", exact=True)).to_be_visible()
    journey.tab("Focus")
    expect(page.get_by_role("article", name=TASK)).to_contain_text("Suggested")


def _accepts_it(journey: Journey) -> None:
    """One yes is one revision; the views show the task as adopted, and nothing as suggested."""
    page = journey.page
    journey.room("Inbox")
    page.get_by_role("link", name=TASK).click()
    journey.accept()
    expect(page.get_by_text("Accepted, revision 2")).to_be_visible()
    page.get_by_role("link", name="Show it in the Outline").click()
    expect(journey.row()).to_contain_text("Adopted")
    expect(page.get_by_text("Suggested", exact=True)).to_have_count(0)


def _reads_the_brief(journey: Journey) -> None:
    """The brief says what the worker would see and what stays here, before any run."""
    page = journey.page
    journey.open_thread()
    journey.brief()
    page.get_by_role("link", name="Read the exact brief").click()
    expect(page.get_by_role("heading", name="The worker sees 8")).to_be_visible()
    expect(page.get_by_role("heading", name="6 stay here")).to_be_visible()
    shared = page.get_by_role("region", name="The worker sees")
    expect(shared.get_by_role("listitem").filter(has_text=TASK)).to_contain_text("The task itself")
    page.goto(journey.thread)


def _sees_the_result(journey: Journey) -> None:
    """Progress leads to a sealed result by itself; claims and observations stand apart; evidence is its own."""
    page = journey.page
    journey.authorise_run()
    journey.await_return()
    claims, observed = page.get_by_role("region", name=CLAIMED), page.get_by_role("region", name=OBSERVED)
    expect(claims).to_contain_text("Its own words, not evidence.")
    expect(claims).to_contain_text("The README says how tins are chosen.")
    expect(observed).to_contain_text("Changed README.md, changed paint/tins.py.")
    expect(observed).not_to_contain_text("The README says")
    journey.validate()
    expect(page.get_by_role("table", name="Requirements")).to_contain_text("16 of 16 cases")


def _integrates_it(journey: Journey) -> None:
    """After the yes the task is Completed and Verified in Outline, Focus and Work."""
    page = journey.page
    journey.reconcile()
    gates = page.get_by_role("region", name="Gates").get_by_role("listitem")
    expect(gates).to_have_count(6)
    expect(gates.filter(has_text="Passed")).to_have_count(6)
    journey.integrate()
    expect(page.get_by_label("Standing")).to_contain_text("Work: Completed, verified")
    journey.room("Worldstate")
    expect(journey.row()).to_contain_text("Completed, verified")
    journey.select()
    journey.tab("Focus")
    expect(page.get_by_role("article", name=TASK)).to_contain_text("Completed, verified")


def _moves_the_branch(journey: Journey) -> None:
    """A person's wish moves nothing; an operator with a token does, and the page attests its receipt again."""
    page, product = journey.page, journey.product
    journey.open_thread()
    journey.propose_move()
    journey.authorise_move()
    journey.room("Operator")
    journey.move(str(product.odeu("operator", "token", "new")["token"]))
    journal = page.get_by_role("region", name="Journal")
    expect(journal).to_contain_text("Status: promoted")
    expect(journal).to_contain_text("Attested")
    page.goto(journey.thread)
    expect(page.get_by_text("Promoted: main is the candidate")).to_be_visible()
    page.get_by_role("link", name="Compare again").click()
    expect(page.get_by_role("region", name="Receipt")).to_contain_text("Attested")


def test_the_same_way_works_without_javascript(browser: Browser, product: Product) -> None:
    """Plain links and forms lead to the operator's step; there the page shows the command, and that command works."""
    base = product.git("rev-parse", "main")
    with visiting(browser, product, scripts=False) as (page, _watch):
        journey = Journey(page, product, scripts=False)
        for act in (journey.sign_in, journey.capture, journey.review, journey.accept, journey.open_thread):
            act()
        for act in (journey.brief, journey.authorise_run, journey.await_return, journey.validate):
            act()
        for act in (journey.reconcile, journey.integrate, journey.propose_move, journey.authorise_move):
            act()
        journey.room("Operator")
        expect(page.get_by_label("Operator token")).not_to_be_visible()
        shown = page.get_by_text("odeu promotion execute").inner_text()
        token = str(product.odeu("operator", "token", "new")["token"])
        assert shown.startswith("odeu promotion execute promotion_")
        answer = product.odeu(*shown.split()[1:], secret=token)
        assert answer["status"] == "promoted"
        page.reload()
        expect(page.get_by_role("region", name="Journal")).to_contain_text("Status: promoted")
    assert product.git("rev-parse", "main^") == base
