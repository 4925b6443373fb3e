"""The whole way of one piece of work by plain form posts, on a real studio with the shipped sandbox project."""

import re
from pathlib import Path
from typing import Final

import pytest

from app import bootstrap
from app.services.access import OWNER
from kernel.vocabulary import Via
from tests.support.sandbox import branch, install, sandbox_texts
from tests.support.walk import Walk
from tests.web.plain_browser import PlainBrowser

pytestmark = pytest.mark.slow

WAY: Final = (
    ("brief", "2", "Adopted: brief this task"),
    ("authorise", "3", "Briefed: authorise exactly one run"),
    ("validate", "5", "Returned: 2 files, not checked yet"),
    ("reconcile", "6", "Validated: 3 of 3 passed"),
    ("integrate", "7", "Integrate into the worldstate"),
    ("promote", "7", "Integrated, not promoted"),
    ("promote/authorise", "8", "Proposed: authorise this one move"),
)
"""The acts in their order, each with the stage and the heading of the page it is pressed on."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a data folder whose parent a dropped user may pass."""
    tmp_path.chmod(0o711)
    return tmp_path / "data"


@pytest.fixture
def walk(data: Path) -> Walk:
    """Return the walk of a real studio over the sandbox project, at an accepted task."""
    made = Walk(bootstrap.open_studio(install(data)), sandbox_texts())
    made.until("compile_brief")
    return made


async def _at_work(walk: Walk) -> PlainBrowser:
    """Return a signed-in owner's browser that came to the thread by the list."""
    browser = await PlainBrowser(walk.studio).sign_in()
    await browser.open(f"/p/{walk.project_id}/work")
    hrefs = [item.attributes.get("href", "") for item in browser.page.elements if item.tag == "a"]
    (href,) = [item for item in hrefs if item.endswith(str(walk.task_id()))]
    return await browser.open(href)


def _standing(browser: PlainBrowser) -> tuple[str, str]:
    """Return the number of the open stage and its heading."""
    found = re.search(r'<b>Stage (\d) of 8</b>.*<h2 id="stage-h">([^<]+)</h2>', browser.html, re.DOTALL)
    assert found is not None
    return found.group(1), found.group(2)


async def test_the_whole_way_by_plain_forms(walk: Walk, data: Path) -> None:
    """Eight stages by form posts alone, up to the operator; then the page shows the attested outcome."""
    browser, before, told = await _at_work(walk), branch(data), []
    href = browser.address
    for act, _, _ in WAY:
        told.append((act, *_standing(browser)))
        await browser.press(f"/{act}")
        walk.studio.queue.drain()
        await browser.open(href)
    assert tuple(told) == WAY
    assert (_standing(browser), browser.actions) == (("8", "Waiting for an operator"), [])
    (record,) = walk.promotions()
    promotion_id = record.body.promotion_id
    await browser.open("/operator")
    assert (f"odeu promotion execute {promotion_id}" in browser.text, branch(data)) == (True, before)
    walk.studio.promotions.execute(walk.studio.access.operator_caller(OWNER, Via.CLI), promotion_id, "cli")
    await browser.open(href)
    assert "Promoted: main is the candidate" in browser.text
    assert "Attested" in browser.text
    assert branch(data) == record.body.candidate_commit


async def test_the_brief_page_authorises_the_brief_it_shows(walk: Walk) -> None:
    """Both sides of a brief stand on its page, and the act there leads back to the thread with a queued run."""
    browser = await _at_work(walk)
    await browser.press("/brief")
    (brief_id,) = walk.state.briefs.keys()
    await browser.open(f"{browser.address}/brief/{brief_id}")
    payload = walk.state.briefs[brief_id].body.payload.text
    shown = next(item.text for item in browser.page.elements if item.attributes.get("class") == "payload")
    assert ("The worker sees 8" in browser.text, "6 stay here" in browser.text, shown) == (
        True,
        True,
        payload,
    )
    await browser.press("/authorise")
    assert _standing(browser) == ("4", "Waiting for a worker")
    assert "every 2s" in browser.html
    await browser.press("/cancel")
    assert _standing(browser) == ("4", "The run was withdrawn")
