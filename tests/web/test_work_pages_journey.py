"""The whole way of one piece of work by plain form posts, on a real studio with the shipped sandbox project."""

from pathlib import Path

import pytest

from app import bootstrap
from app.services.access import OWNER
from app.services.studio import Studio
from kernel.vocabulary import Via
from tests.support.sandbox import branch, install, sandbox_texts
from tests.support.walk import Walk
from tests.web.plain_browser import PlainBrowser

pytestmark = pytest.mark.slow


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a data folder whose parent a dropped user may pass."""
    tmp_path.chmod(0o711)
    return tmp_path / "data"


@pytest.fixture
def studio(data: Path) -> Studio:
    """Return a real studio over the sandbox project."""
    return bootstrap.open_studio(install(data))


async def _at_work(studio: Studio) -> tuple[PlainBrowser, Walk, str]:
    """Return a signed-in owner's browser at the thread of the accepted sentence."""
    walk = Walk(studio, sandbox_texts())
    walk.until("compile_brief")
    browser = await PlainBrowser(studio).sign_in()
    await browser.open(f"/p/{walk.project_id}/work")
    (href,) = [
        item.attributes["href"]
        for item in browser.page.elements
        if item.tag == "a" and "/work/node_" in item.attributes.get("href", "")
    ]
    await browser.open(href)
    return browser, walk, href


async def test_the_whole_way_by_plain_forms(studio: Studio, data: Path) -> None:
    """Eight stages by form posts alone, up to the operator; then the page shows the attested outcome."""
    browser, _walk, href = await _at_work(studio)
    before = branch(data)
    told = []

    async def step(action: str) -> None:
        told.append((browser.status, action, "Stage " + browser.html.split("<b>Stage ")[1][:6]))
        await browser.press(action)
        studio.queue.drain()
        await browser.open(href)

    for action in (
        "/brief",
        "/authorise",
        "/validate",
        "/reconcile",
        "/integrate",
        "/promote",
        "/promote/authorise",
    ):
        await step(action)
    assert told == [
        (200, "/brief", "Stage 2 of 8"),
        (200, "/authorise", "Stage 3 of 8"),
        (200, "/validate", "Stage 5 of 8"),
        (200, "/reconcile", "Stage 6 of 8"),
        (200, "/integrate", "Stage 7 of 8"),
        (200, "/promote", "Stage 7 of 8"),
        (200, "/promote/authorise", "Stage 8 of 8"),
    ]
    assert "Waiting for an operator" in browser.text
    assert (browser.actions, branch(data)) == ([], before)
    (record,) = studio.desk.state(href.split("/")[2]).promotions.rows()
    await browser.open("/operator")
    assert f"odeu promotion execute {record.body.promotion_id}" in browser.text
    studio.promotions.execute(studio.access.operator_caller(OWNER, Via.CLI), record.body.promotion_id, "cli")
    await browser.open(href)
    assert "Promoted: main is the candidate" in browser.text
    assert "Attested" in browser.text
    assert branch(data) == record.body.candidate_commit
