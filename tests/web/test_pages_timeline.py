"""The Timeline on a real installation: who, why, what changed, the work under it, pages and one node's story."""

import pytest

from app.services.moments import day_of, zone_of
from kernel.commands import EditDelta
from kernel.projections.timeline import ENTRIES_MAX
from kernel.vocabulary import NodeKind
from tests.app.house import House
from tests.web.pages import Page, visit


def _base(house: House) -> str:
    return f"/p/{house.project_id}"


def _entries(page: Page) -> list[str]:
    ids = (item.attributes.get("id", "") for item in page.reader.elements if item.tag == "li")
    return [item for item in ids if item.startswith("revision-")]


def _added(house: House, text: str) -> str:
    """Accept a task with exactly these words; return its node."""
    delta_id = house.captured(text)
    command = EditDelta(delta_id, text, None, NodeKind.TASK, house.seen(delta_id))
    return house.accepted(house.studio.reviews.edit(house.me, command))


async def test_a_revision_says_who_why_and_what_changed(house: House) -> None:
    """The newest revision stands first with its words, what it added, what it replaced, and two ways on."""
    node_id = _added(house, "Buy three brushes for the paint")
    newest = house.revision()
    async with house.client() as client:
        page = await visit(client, f"{_base(house)}/timeline")
    assert _entries(page)[:2] == [f"revision-{newest}", f"revision-{newest - 1}"]
    assert "Accepted by Owner, on the command line" in page.text
    assert "Owner wrote this" in page.text
    assert "1 added" in page.text
    assert "was edited by Owner, on the command line" in page.text
    assert {
        f"{_base(house)}/outline?diff={newest - 1}..{newest}",
        f"{_base(house)}/outline?at={newest}",
        f"{_base(house)}/outline?node={node_id}",
    } <= page.hrefs()


async def test_one_node_is_followed_and_stays_selected(house: House) -> None:
    """`node` narrows to its own revisions, tells its story, and goes with every tab; no node is no dead end."""
    node_id = _added(house, "Sort the lids of the paint tins")
    added = house.revision()
    _added(house, "Wash the rollers after painting")
    async with house.client() as client:
        page = await visit(client, f"{_base(house)}/timeline?node={node_id}")
        nothing = await visit(client, f"{_base(house)}/timeline?node=node_nothing")
    assert _entries(page) == [f"revision-{added}"]
    assert "The story of" in page.text
    assert {f"{_base(house)}/{view}?node={node_id}" for view in ("outline", "map", "focus")} <= page.hrefs()
    assert f"{_base(house)}/timeline" in page.hrefs()
    assert (nothing.status, _entries(nothing)) == (200, [])
    assert "No revision touched this node yet." in nothing.text


async def test_pages_follow_each_other_by_cursor(house: House) -> None:
    """Older revisions are one link away and the newest are one link back."""
    for index in range(ENTRIES_MAX):
        _added(house, f"Buy brush number {index} for the paint")
    async with house.client() as client:
        first = await visit(client, f"{_base(house)}/timeline")
        older = next(href for href in first.hrefs() if "before=" in href)
        second = await visit(client, older)
    assert len(_entries(first)) == ENTRIES_MAX
    assert _entries(second)[-1] == "revision-0"
    assert not set(_entries(first)) & set(_entries(second))
    assert "Newest revisions" in second.text


async def test_two_revisions_are_chosen_by_a_plain_form(house: House) -> None:
    """The form leads to the comparison, whichever number was typed first; one that is not there is not found."""
    _added(house, "Cover the floor before painting")
    base, newest = _base(house), house.revision()
    async with house.client() as client:
        page = await visit(client, f"{base}/timeline")
        form = page.form("/compare")
        answer = await client.get(f"{base}/compare?earlier=2&later=1")
        missing = await visit(client, f"{base}/compare?earlier=1&later=999")
    assert (form["earlier"], form["later"]) == (str(newest - 1), str(newest))
    assert (answer.status_code, answer.headers["location"]) == (303, f"{base}/outline?diff=1..2")
    assert missing.status == 404


async def test_a_stranger_to_the_project_sees_no_timeline(house: House) -> None:
    """A person without a role is told the same as of a project that does not exist."""
    async with house.client("olaf") as client:
        page = await visit(client, f"{_base(house)}/timeline")
    assert page.status == 404


async def test_revisions_are_filtered_by_a_plain_form(house: House) -> None:
    """Act, person and days narrow the list, the selection stays, and what is no day is said beside what was typed."""
    node_id = _added(house, "Dust the shelves before painting")
    base = f"{_base(house)}/timeline"
    async with house.client() as client:
        imported = await visit(client, f"{base}?act=import")
        nobody = await visit(client, f"{base}?by=vera&node={node_id}")
        later = await visit(client, f"{base}?since=2999-01-01")
        today = await visit(client, f"{base}?since=2020-01-01&until=2998-12-31&by=owner")
        wrong = await visit(client, f"{base}?since=soon")
    assert _entries(imported) == ["revision-1"]
    assert (_entries(nobody), nobody.form("/timeline")["node"]) == ([], node_id)
    assert (_entries(later), "No revision like that was found" in later.text) == ([], True)
    assert _entries(today)[0] == f"revision-{house.revision()}"
    assert ("“soon” is no day such as 2026-12-24" in wrong.text, _entries(wrong) != []) == (True, True)
    assert f"{base}?node={node_id}" in nobody.hrefs()


async def test_revisions_stand_under_their_day(house: House) -> None:
    """Each day is a heading over its revisions, once."""
    async with house.client() as client:
        page = await visit(client, f"{_base(house)}/timeline")
    headings = [item for item in page.reader.elements if item.tag == "h2" and item.within("ol")]
    assert len(headings) == 1
    assert str(house.studio.clock.now()[:4]) in headings[0].text


async def test_days_are_those_of_the_zone_that_the_page_names(house: House) -> None:
    """A zone in the address says whose days are meant and stays in it; one that nobody knows means UTC."""
    base = f"/p/{house.project_id}/timeline"
    async with house.client() as client:
        plain = await visit(client, base)
        zoned = await visit(client, f"{base}?since=2020-01-01&zone=Pacific/Kiritimati")
        odd = await visit(client, f"{base}?since=2020-01-01&zone=../../etc/passwd")
    assert [page.form("/timeline")["zone"] for page in (plain, zoned, odd)] == ["", "Pacific/Kiritimati", ""]
    assert [page.text.count("data-zone-name>UTC<") for page in (plain, zoned, odd)] == [2, 0, 2]
    assert f"{base}?since=2020-01-01&zone=Pacific%2FKiritimati" in zoned.text.replace("&amp;", "&")


@pytest.mark.parametrize(
    ("zone", "days_on", "start"),
    [
        ("", 0, "2026-10-25T00:00:00.000000Z"),
        ("", 1, "2026-10-26T00:00:00.000000Z"),
        ("Europe/Zurich", 0, "2026-10-24T22:00:00.000000Z"),
        ("Europe/Zurich", 1, "2026-10-25T23:00:00.000000Z"),
        ("America/New_York", 0, "2026-10-25T04:00:00.000000Z"),
    ],
)
def test_a_day_begins_where_its_zone_says(zone: str, days_on: int, start: str) -> None:
    """A day on which clocks change has 25 hours there; without a zone it is a day in UTC."""
    assert day_of("2026-10-25", zone_of(zone), days_on=days_on) == start
