"""Changing what was accepted: moved, related and retired in the browser, with and without scripts, and looked at."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from e2e.inspection import Inspection
from e2e.journey import PROJECT, Journey
from e2e.product import Product
from e2e.visit import sign_in, visiting

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

OUTLINE = """\
- [Goal] Furnish the hall
  - [Task] Choose four chairs
    - [Idea] Try them in the shop
  - [Constraint] Nothing wider than the door
- [Goal] Furnish the porch
"""


def _ids(product: Product, tmp_path: Path) -> dict[str, str]:
    """Accept the outline; return the ids of all nodes by their titles."""
    file = tmp_path / "outline.md"
    file.write_text(OUTLINE, encoding="utf-8")
    proposed = product.odeu("import-outline", str(file), "--project", PROJECT)
    product.odeu("accept", proposed["delta_id"])
    nodes = product.odeu("show", "--project", PROJECT)["nodes"]
    return {node["title"]: node["node_id"] for node in nodes} | {"project": proposed["project_id"]}


def _find(page: Page, words: str, *, scripts: bool) -> None:
    """Look for a node by its title: while typing where scripts run, else with the button."""
    page.get_by_role("searchbox", name="Find a").fill(words)
    if not scripts:
        page.get_by_role("main").get_by_role("button", name="Find", exact=True).click()
    page.get_by_text(f"called “{words}”").wait_for()


def _accept(page: Page, button: str, why: str) -> None:
    """Propose what was chosen, and say yes to the proposal that it leads to."""
    page.get_by_label("Why", exact=True).fill(why)
    page.get_by_role("button", name=button, exact=True).click()
    page.get_by_text("The change waits for a yes.").wait_for()
    expect(page.get_by_text(f"“{why}”")).to_be_visible()
    page.get_by_role("button", name="Accept").click()
    page.get_by_text("Accepted: one new revision.").wait_for()


def _way(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="What to change").get_by_role("link", name=name, exact=True).click()
    page.get_by_role("navigation", name="What to change").locator(
        "[aria-current=page]", has_text=name
    ).wait_for()


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without a script"])
def test_an_accepted_node_is_moved_related_and_retired(
    browser: Browser, product: Product, tmp_path: Path, *, scripts: bool
) -> None:
    """From the inspector to the way, the search, the proposal and the yes; the Outline then shows it."""
    ids = _ids(product, tmp_path)
    task = f"/p/{ids['project']}/outline?node={ids['Choose four chairs']}"
    with visiting(browser, product, scripts=scripts) as (page, _watch):
        sign_in(page, product.sign_in_link())
        page.goto(task)
        page.get_by_role("link", name="Propose a change").click()
        _way(page, "Move")
        _find(page, "PORCH", scripts=scripts)
        expect(page.get_by_role("radio", name="Furnish the porch")).to_be_checked()
        _accept(page, "Propose this place", "They stand outside")
        page.goto(f"/p/{ids['project']}/map?node={ids['Choose four chairs']}")
        page.get_by_role("link", name="Propose a change").click()
        _way(page, "Relate")
        page.get_by_label("It", exact=True).select_option(label="depends on")
        page.get_by_label("Why", exact=True).fill("The door decides")
        _find(page, "door", scripts=scripts)
        expect(page.get_by_role("heading", name="It depends on")).to_be_visible()
        page.get_by_role("radio", name="Nothing wider than the door").check()
        # A search is a page of its own without scripts; with them the words stay.
        expect(page.get_by_label("Why", exact=True)).to_have_value("The door decides" if scripts else "")
        _accept(page, "Propose this relation", "The door decides")
        page.goto(task)
        inspector = page.get_by_role("complementary", name="Choose four chairs")
        expect(inspector.get_by_role("link", name="Nothing wider than the door")).to_be_visible()
        page.get_by_role("link", name="Propose a change").click()
        _way(page, "Retire")
        expect(page.get_by_text("It depends on “Nothing wider than the door”: that ends.")).to_be_visible()
        page.get_by_role("radio", name="Retire it too").check()
        _accept(page, "Propose to retire it", "We stand")
        page.goto(task)
        expect(page.get_by_text("It stays here to be read.")).to_be_visible()
    left = {node["title"] for node in product.odeu("show", "--project", PROJECT)["nodes"]}
    assert left & {"Choose four chairs", "Try them in the shop"} == set()


class _Changes(Inspection):
    """One person who looks at every way to change a node."""

    def ways(self, base: str) -> None:
        """Look at each way, found and not found, and refused."""
        self.at(base, "change: words")
        self.at(f"{base}?way=move", "change: move")
        self.at(f"{base}?way=move&q=porch", "change: move, found")
        self.at(f"{base}?way=move&q=nowhere", "change: move, nothing found")
        self.at(f"{base}?way=relate&verb=depends_on&q=door", "change: relate")
        self.at(f"{base}?way=end", "change: end a relation")
        self.at(f"{base}?way=retire", "change: retire")
        self.page.goto(f"{base}?way=move")
        self.page.get_by_label("Why", exact=True).fill("Because")
        self.journey.button("Propose this place").click()
        self.page.get_by_role("alert").wait_for()
        self.here("change: refused")


def test_every_way_to_change_a_node_is_accessible(browser: Browser, product: Product, tmp_path: Path) -> None:
    """At 320, 390, 768, 1024 and 1440 pixels in light and dark, and so is the proposal of each."""
    ids = _ids(product, tmp_path)
    task, door = ids["Choose four chairs"], ids["Nothing wider than the door"]
    joined = product.odeu("change", task, "--relate", f"depends_on:{door}")["delta_id"]
    moved = product.odeu("change", task, "--move-under", ids["Furnish the porch"])["delta_id"]
    retired = product.odeu("change", task, "--retire", "--reason", "We stand")["delta_id"]
    product.odeu("accept", joined)
    base = f"/p/{ids['project']}"
    with visiting(browser, product) as (page, watch):
        looks = _Changes(Journey(page, product))
        looks.journey.sign_in()
        watch.expected.append(422)
        looks.ways(f"{base}/nodes/{task}/change")
        for name, delta_id in (("moves", moved), ("retires", retired)):
            looks.at(f"{base}/inbox/{delta_id}", f"proposal that {name}")
    assert looks.findings.places == {}, looks.findings.report()
