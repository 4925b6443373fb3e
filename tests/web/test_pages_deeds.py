"""Acts that ask first: erase words, take a revision back, put a project away and take it up again."""

import pytest

from tests.app.house import House, open_house
from tests.web.pages import Page, send, visit

CANARY = "Buy the heronblue primer for the bathroom ceiling"


def _source_of(house: House, delta_id: str) -> str:
    source_id: str = house.studio.desk.state(house.project_id).deltas[delta_id].body.source_ids[0]
    return f"/p/{house.project_id}/sources/{source_id}"


def _token(page: Page) -> str:
    fields = (item.attributes for item in page.reader.elements if item.attributes.get("name") == "form_token")
    return next(item["value"] for item in fields)


async def test_words_are_erased_after_a_page_that_says_what_stays(house: House) -> None:
    """The page lists the accepted node and what is out of reach; afterwards the words stand on no page of the capture."""
    delta_id = house.captured(CANARY)
    house.accepted(delta_id)
    address = _source_of(house, delta_id)
    async with house.client() as client:
        item = await visit(client, f"/p/{house.project_id}/inbox/{delta_id}")
        assert address in item.hrefs()
        before = await visit(client, f"{address}/erase")
        done = await send(client, before.form("/erase"))
        again = await send(client, before.form("/erase"), command_id="")
    assert "Stays, since somebody accepted it" in before.text
    assert "Exports made before hold the words" in before.text
    assert ("The words are erased" in done.text, "wrote this" in done.text) == (True, False)
    assert "The words are gone for good." in done.text
    assert f"{address}/erase" not in done.hrefs()
    assert (again.status, "already erased" in again.alerts()[0]) == (409, True)


async def test_a_waiting_proposal_is_named_before_it_is_closed(house: House) -> None:
    """A proposal from the words is on the list, and is rejected together with them."""
    delta_id = house.captured("Ask the neighbour for the long heronblue ladder")
    address = _source_of(house, delta_id)
    async with house.client() as client:
        before = await visit(client, f"{address}/erase")
        await send(client, before.form("/erase"))
    assert "Closed with them" in before.text
    assert house.studio.desk.state(house.project_id).deltas[delta_id].disposition.value == "rejected"


async def test_erasing_is_refused_to_who_may_only_read(house: House) -> None:
    """A viewer finds no way to it, gets 403 for its page and for what is sent; a stranger gets 404."""
    delta_id = house.captured("Measure the heronblue window twice")
    address = _source_of(house, delta_id)
    async with house.client("vera") as client:
        page = await visit(client, address)
        asked = await visit(client, f"{address}/erase")
        form = {"action": f"{address}/erase", "form_token": _token(page)}
        sent = await send(client, form)
    async with house.client("olaf") as client:
        stranger = await visit(client, address)
    assert (page.status, f"{address}/erase" in page.hrefs()) == (200, False)
    assert (asked.status, sent.status, stranger.status) == (403, 403, 404)
    assert house.studio.desk.state(house.project_id).sources[address.rsplit("/", 1)[1]].erased is None


async def test_a_revision_is_taken_back_by_another_yes(house: House) -> None:
    """From the Timeline to a page that says what it would do, to a proposal; accepting it retires the node."""
    node_id = house.accepted(house.captured("Hang the lamp above the paint table"))
    number = house.revision()
    address = f"/p/{house.project_id}/revisions/{number}/take-back"
    async with house.client() as client:
        timeline = await visit(client, f"/p/{house.project_id}/timeline")
        assert address in timeline.hrefs()
        before = await visit(client, address)
        proposal = await send(client, before.form("/take-back"), reason="Wrong table")
        await send(client, proposal.form("/accept"))
        nothing = await visit(client, address)
    assert "malformed" not in before.text
    assert ("What it would do" in before.text, "Nothing changes until" in before.text) == (True, True)
    assert f"Revision {number} taken back" in proposal.text
    state = house.studio.desk.state(house.project_id)
    assert state.tables.nodes[node_id].retired_in == number + 1
    assert "Nothing to take back" in nothing.text


async def test_a_stale_or_impossible_return_is_refused_in_words(house: House) -> None:
    """The opening revision cannot be taken back; a form that saw something else is refused and keeps the reason."""
    house.accepted(house.captured("Roll the second coat of paint"))
    number = house.revision()
    async with house.client() as client:
        opening = await visit(client, f"/p/{house.project_id}/revisions/0/take-back")
        form = (await visit(client, f"/p/{house.project_id}/revisions/{number}/take-back")).form("/take-back")
        refused = await send(client, form, seen="00" * 32, reason="Keep this sentence")
    assert (opening.status, refused.status) == (404, 409)
    assert "Keep this sentence" in refused.text


@pytest.fixture
def own(tmp_path_factory: pytest.TempPathFactory) -> House:
    """An installation whose project may be put away."""
    return open_house(tmp_path_factory.mktemp("own"))


async def test_a_project_is_put_away_and_taken_up_again(own: House) -> None:
    """The World's card leads there and back; between, the project offers nothing to write and says why."""
    base = f"/p/{own.project_id}"
    delta_id = own.captured("Clean the paint brushes")
    async with own.client() as client:
        world = await visit(client, "/")
        assert f"{base}/archive" in world.hrefs()
        away = await send(client, (await visit(client, f"{base}/archive")).form("/archive"), reason="Winter")
        inbox = await visit(client, f"{base}/inbox/{delta_id}")
        capture = await visit(client, f"{base}/capture")
        twice = await visit(client, f"{base}/archive")
        back = await send(client, (await visit(client, f"{base}/restore")).form("/restore"))
    assert ("Put away" in away.text, f"{base}/restore" in away.hrefs()) == (True, True)
    assert (f"{base}/capture" in inbox.hrefs(), capture.actions()) == (False, set())
    assert (twice.path, back.status) == (f"{base}/restore", 200)
    assert (own.studio.desk.state(own.project_id).archived, f"{base}/capture" in back.hrefs()) == (None, True)


async def test_only_an_owner_puts_a_project_away(own: House) -> None:
    """A viewer gets 403 and the World offers them no such way."""
    async with own.client("vera") as client:
        world = await visit(client, "/")
        asked = await visit(client, f"/p/{own.project_id}/archive")
    assert (f"/p/{own.project_id}/archive" in world.hrefs(), asked.status) == (False, 403)
