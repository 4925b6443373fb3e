"""Refusals as pages: the frame stays, the ways out are there, and nobody learns of a project that is not theirs."""

from tests.app.house import House
from tests.web.pages import Page, visit


def _rooms(page: Page) -> list[str]:
    rail = [item for item in page.reader.elements if item.tag == "a" and item.within("nav")]
    return [
        item.attributes["href"]
        for item in rail
        if item.within("nav").attributes.get("aria-label") == "Rooms"  # type: ignore[union-attr]
    ]


async def test_a_missing_record_keeps_the_rooms_of_its_project(house: House) -> None:
    """The rail, the search and the capture stay, and the first way out is the project's Inbox."""
    base = f"/p/{house.project_id}"
    async with house.client() as client:
        page = await visit(client, f"{base}/inbox/delta_00")
        wrong = await visit(client, f"{base}/map?steps=9")
    for answer, status in ((page, 404), (wrong, 422)):
        assert answer.status == status
        assert _rooms(answer)[:4] == [f"{base}/{room}" for room in ("inbox", "outline", "work", "ledger")]
        assert f"{base}/capture" in answer.hrefs()
        assert "Back to the Inbox" in answer.text
        assert "Go to your world" in answer.text


async def test_an_address_without_a_page_keeps_the_frame(house: House) -> None:
    """Somebody who is signed in stays so, inside a project and outside of any."""
    async with house.client() as client:
        inside = await visit(client, f"/p/{house.project_id}/nowhere")
        outside = await visit(client, "/nowhere")
    assert (inside.status, outside.status) == (404, 404)
    assert f"/p/{house.project_id}/inbox" in _rooms(inside)
    assert _rooms(outside) == ["/", "/operator", "/settings"]


async def test_a_project_of_others_looks_like_none(house: House) -> None:
    """Who has no role gets the same page, but for the address, for a project that exists and one that does not."""
    missing = f"project_{'0' * 26}"
    async with house.client("olaf") as client:
        foreign = await visit(client, f"/p/{house.project_id}/inbox")
        nothing = await visit(client, f"/p/{missing}/inbox")
        nowhere = await visit(client, f"/p/{house.project_id}/nowhere")
    assert foreign.status == nothing.status == 404
    assert foreign.text.replace(house.project_id, missing) == nothing.text
    for page in (foreign, nowhere):
        assert _rooms(page) == ["/", "/operator", "/settings"]
        assert "Paint planner" not in page.text


async def test_a_stranger_gets_the_bare_frame(house: House) -> None:
    """Without a session an unknown address shows neither rooms nor a name."""
    async with house.client(None) as client:
        page = await visit(client, f"/p/{house.project_id}/nowhere")
    assert (page.status, _rooms(page)) == (404, [])
