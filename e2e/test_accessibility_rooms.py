"""The rooms beside the main job, and every act that asks first: axe finds nothing and the layout holds."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from e2e.inspection import Inspection
from e2e.journey import PROJECT, Journey
from e2e.product import Product
from e2e.visit import visiting

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

LATER = "Buy three rollers for the ceiling."
BACK = "Keep the receipts of all paint."
WAITS = "Which brush is best for wall paint?"
TWICE = "The hall must be painted before May."


class Rooms(Inspection):
    """One person who looks into every room and before every act."""

    base: str = ""
    ids: dict[str, dict[str, str]]

    def prepare(self) -> None:
        """Make one proposal of each standing, an accepted revision, and an archived project."""
        odeu = self.journey.product.odeu
        self.ids = {
            words: odeu("capture", "--project", PROJECT, words) for words in (LATER, BACK, WAITS, TWICE)
        }
        self.base = f"/p/{self.ids[WAITS]['project_id']}"
        odeu("accept", self.ids[TWICE]["delta_id"])
        odeu("defer", self.ids[LATER]["delta_id"], "--until", "2999-12-24")
        odeu("remand", self.ids[BACK]["delta_id"], "--reason", "Which?", "--correction", "Name the shop")
        shelf = odeu("project", "new", "Put away")["project_id"]
        odeu("project", "archive", shelf)
        self.journey.sign_in()

    def proposals(self) -> None:
        """Look at the queue with what was put off and sent back, and at each act on a proposal."""
        self.at(f"{self.base}/inbox", "inbox: put off and sent back")
        item = f"{self.base}/inbox/{self.ids[WAITS]['delta_id']}"
        for act in ("defer", "remand", "split", "rebase"):
            self.at(f"{item}?act={act}", f"inbox: {act}")
        self.at(f"{self.base}/inbox/{self.ids[LATER]['delta_id']}", "inbox: deferred")
        self.at(f"{self.base}/inbox/{self.ids[BACK]['delta_id']}", "inbox: sent back")

    def views(self) -> None:
        """Look at Map, Timeline and Search, filtered and compared."""
        node = self.journey.product.odeu("show", "--project", PROJECT)["nodes"][1]["node_id"]
        self.at(f"{self.base}/map", "map")
        self.at(f"{self.base}/map?node={node}", "map: selected")
        self.at(f"{self.base}/timeline", "timeline")
        self.at(f"{self.base}/timeline?node={node}", "timeline: one node")
        self.at(f"{self.base}/timeline?act=compensation&since=soon", "timeline: filtered to nothing")
        self.at(f"{self.base}/outline?diff=1..2", "outline: difference")
        self.at(f"{self.base}/outline?at=1", "outline: past")
        self.at(f"{self.base}/search?q=paint", "search: found")
        self.at(f"{self.base}/import-outline?node={node}", "import an outline")

    def ledger(self) -> None:
        """Look at the Ledger before and after it was verified, and at the ways out and in."""
        self.at(f"{self.base}/ledger", "ledger")
        self.journey.button("Verify now").click()
        self.page.get_by_text("Verified from the first event to the last").wait_for()
        self.here("ledger: verified")
        self.at(f"{self.base}/ledger?type=promotion", "ledger: nothing like that")
        self.at(f"{self.base}/ledger/export", "export")
        self.at("/import", "import")

    def deeds(self) -> None:
        """Look before each act that asks first, and at what erasing leaves."""
        source = f"{self.base}/sources/{self.ids[TWICE]['source_id']}"
        self.at(source, "a capture")
        self.at(f"{source}/erase", "before erasing")
        self.journey.button("Erase for good").click()
        self.page.get_by_text("The words are erased").wait_for()
        self.here("a capture: erased")
        self.at(f"{self.base}/revisions/2/take-back", "before taking back")
        self.at(f"{self.base}/archive", "before putting away")
        self.at("/", "world: put away")
        self.at("/settings", "settings")

    def capture_refused(self, tmp_path: Path) -> None:
        """Look at the capture box after a file that is no text."""
        (tmp_path / "tap.png").write_bytes(b"\x89PNG\r\n\x1a\n")
        self.page.goto(f"{self.base}/capture")
        self.page.get_by_label("or a text file").set_input_files(tmp_path / "tap.png")
        self.journey.button("Capture").click()
        self.page.get_by_role("alert").wait_for()
        self.here("capture: a file refused")


def test_every_room_and_every_question_before_an_act_is_accessible(
    browser: Browser, product: Product, tmp_path: Path
) -> None:
    """At 320, 390, 768, 1024 and 1440 pixels in light and dark."""
    with visiting(browser, product) as (page, watch):
        rooms = Rooms(Journey(page, product))
        try:
            for part in (rooms.prepare, rooms.proposals, rooms.views, rooms.ledger, rooms.deeds):
                part()
            watch.expected.append(422)
            rooms.capture_refused(tmp_path)
        except Exception as error:
            error.add_note(rooms.findings.report())
            raise
    assert rooms.findings.places == {}, rooms.findings.report()
