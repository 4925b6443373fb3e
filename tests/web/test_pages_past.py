"""A past revision and a comparison of two on a real installation: read by everybody, acted on by nobody."""

from kernel.commands import AcceptDelta, EditDelta, ProposeCorrection
from kernel.vocabulary import NodeKind
from tests.app.house import House
from tests.web.pages import Page, visit


def _base(house: House) -> str:
    return f"/p/{house.project_id}"


def _rows(page: Page) -> list[str]:
    return [
        item.attributes["data-tree-item"]
        for item in page.reader.elements
        if "data-tree-item" in item.attributes
    ]


def _added(house: House, text: str) -> str:
    """Accept a task with exactly these words; return its node."""
    delta_id = house.captured(text)
    command = EditDelta(delta_id, text, None, NodeKind.TASK, house.seen(delta_id))
    return house.accepted(house.studio.reviews.edit(house.me, command))


def _renamed(house: House, node_id: str, title: str) -> None:
    command = ProposeCorrection(node_id, "Shorter", title=title)
    delta_id = house.studio.reviews.correct(house.project_id, house.me, command)
    house.studio.reviews.accept(house.me, AcceptDelta(delta_id, 0, house.revision(), house.seen(delta_id)))


async def test_a_past_outline_has_a_banner_and_no_acts(house: House) -> None:
    """Later nodes and suggestions are absent, the banner leads on, and links stay in the revision."""
    before = house.revision()
    _added(house, "Sand the door before painting")
    house.captured("Mask the window frames before painting")
    base = _base(house)
    root = house.studio.desk.state(house.project_id).root_id
    async with house.client() as client:
        newest = await visit(client, f"{base}/outline?node={root}")
        page = await visit(client, f"{base}/outline?at={before}&node={root}")
        same = await visit(client, f"{base}/outline?at={before + 1}")
    assert "Sand the door before painting" in _rows(newest)
    assert "Sand the door before painting" not in _rows(page)
    assert "Sand the door before painting" in _rows(same)
    assert "Mask the window frames before painting" not in _rows(same)
    assert f"Revision {before} of {before + 1}" in page.text
    assert page.actions() == set()
    assert not any(href.endswith("/change") for href in page.hrefs())
    assert f"{base}/outline?diff={before}..{before + 1}" in page.hrefs()
    views = {f"{base}/{view}?node={root}&at={before}" for view in ("map", "focus")}
    assert views <= page.hrefs()


async def test_a_node_that_came_later_is_not_in_the_past_focus(house: House) -> None:
    """Focus shows the old words of a node, and answers 404 for one that did not exist yet."""
    before = house.revision()
    node_id = _added(house, "Brush the dust from the paint tins")
    added = house.revision()
    _renamed(house, node_id, "Dust the paint tins")
    base = _base(house)
    async with house.client() as client:
        early = await visit(client, f"{base}/focus?node={node_id}&at={before}")
        then = await visit(client, f"{base}/focus?node={node_id}&at={added}")
        never = await visit(client, f"{base}/outline?at=99999")
    assert (early.status, never.status) == (404, 404)
    assert "Brush the dust from the paint tins" in then.text
    assert f"Revision {added} of {added + 1}" in then.text
    assert then.actions() == set()


async def test_a_comparison_marks_what_was_added_and_changed(house: House) -> None:
    """Old and new words stand side by side under the nodes they belong to; nothing is nothing."""
    node_id = _added(house, "Stir the paint for a minute")
    before = house.revision()
    _renamed(house, node_id, "Stir the paint for two minutes")
    _added(house, "Close the lids of the paint tins")
    after = house.revision()
    base = _base(house)
    async with house.client("vera") as client:
        page = await visit(client, f"{base}/outline?diff={before}..{after}")
        nothing = await visit(client, f"{base}/outline?diff={after}..{after}")
        wrong = await visit(client, f"{base}/outline?diff=now")
    texts = {item.tag: item.text.strip() for item in page.reader.elements if item.tag in {"del", "ins"}}
    assert texts == {"del": "Stir the paint for a minute", "ins": "Stir the paint for two minutes"}
    assert "1 added" in page.text
    assert "1 changed" in page.text
    assert "Close the lids of the paint tins" in page.text
    assert "Paint planner" in page.text
    assert "Nothing differs" in nothing.text
    assert wrong.status == 422


async def test_no_view_ignores_which_past_is_asked_for(house: House) -> None:
    """Timeline and Map lead to the Outline with the same words, which keeps them; half a range is a 422."""
    _added(house, "Wash the rollers after painting")
    base, head = _base(house), house.revision()
    async with house.client() as client:
        past = await visit(client, f"{base}/timeline?at=0")
        told = await visit(client, f"{base}/timeline?diff=0..{head}")
        drawn = await visit(client, f"{base}/map?diff=0..{head}")
        wrong = [await visit(client, f"{base}/{view}?diff=7") for view in ("timeline", "map", "outline")]
    assert (past.path, past.status) == (f"{base}/outline?at=0", 200)
    assert "Capture something" not in past.text
    assert {told.path, drawn.path} == {f"{base}/outline?diff=0..{head}"}
    assert f"{base}/outline?diff=0..{head}" in drawn.hrefs()
    assert [page.status for page in wrong] == [422, 422, 422]
    assert all("name two revisions" in page.text.lower() for page in wrong)
