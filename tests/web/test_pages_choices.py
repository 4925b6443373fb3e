"""The choices of a proposal: each is looked at before a yes, and the acts on what it shows begin with it."""

import re

import pytest

from kernel.commands import EditDelta
from kernel.values.records import NodeAdd, RelationAdd
from kernel.vocabulary import NodeKind, RelationKind
from tests.app.house import House
from tests.web.pages import send, visit


def _inbox(house: House, item_id: str = "") -> str:
    return f"/p/{house.project_id}/inbox" + (f"/{item_id}" if item_id else "")


def _crumbs(text: str) -> list[str]:
    """Return the nodes of the way to the proposed place."""
    found = re.search(r'aria-label="Proposed place".*?</nav>', text, re.DOTALL)
    assert found is not None
    return re.findall(r"outline\?node=(node_\w+)", found.group())


async def test_choosing_a_place_shows_what_a_yes_would_make_and_the_yes_makes_it(house: House) -> None:
    """A link leads to the preview of each choice; its yes puts the node exactly where the preview shows it."""
    delta_id = house.captured("Count the paint tins in the shop before shopping")
    state = house.studio.desk.state(house.project_id)
    record = state.deltas[delta_id]
    place_id = next(
        item.to_id
        for item in record.body.alternatives[0].operations
        if isinstance(item, RelationAdd) and item.kind is RelationKind.BELONGS_TO
    )
    async with house.client() as client:
        page = await visit(client, _inbox(house, delta_id))
        other = await visit(client, f"{_inbox(house, delta_id)}?choice=1")
        first, second = page.form("/accept"), other.form("/accept")
        await send(client, second)
    assert f"{_inbox(house, delta_id)}?choice=1" in page.hrefs()
    assert _inbox(house, delta_id) in other.hrefs()
    assert (_crumbs(page.text)[-1] == place_id, _crumbs(other.text)[-1]) == (False, place_id)
    assert (first["choice"], second["choice"], first["seen"] == second["seen"]) == ("0", "1", False)
    after = house.studio.desk.state(house.project_id)
    added = after.deltas[delta_id].body.alternatives[0].operations[0]
    assert isinstance(added, NodeAdd)
    assert (after.deltas[delta_id].choice, after.tables.parent[added.node_id]) == (1, place_id)


async def test_rewording_what_a_choice_shows_keeps_its_place(house: House) -> None:
    """Edit begins with the choice that is shown, after a refusal too, and its replacement stands where that stood."""
    delta_id = house.captured("Ask the shop which paint tins come back")
    async with house.client() as client:
        shown = await visit(client, f"{_inbox(house, delta_id)}?choice=1")
        (href,) = (href for href in shown.hrefs() if "act=edit" in href)
        editing = await visit(client, href)
        refused = await send(client, editing.form("/edit"), title=" ")
        replaced = await send(client, refused.form("/edit"), title="Count them all")
    places = [_crumbs(page.text) for page in (shown, editing, refused, replaced)]
    assert places == [_crumbs(shown.text)] * 4
    assert "Count them all" in replaced.text


async def test_moving_what_a_choice_shows_looks_for_places_for_it(house: House) -> None:
    """The search for another place stays with the choice that is shown, whose own place is not among those offered."""
    delta_id = house.captured("Weigh old tins of paint at the shop")
    async with house.client() as client:
        shown = await visit(client, f"{_inbox(house, delta_id)}?choice=1")
        (href,) = (href for href in shown.hrefs() if "act=move" in href)
        moving = await visit(client, href)
    form = moving.form("/move")
    assert (form["choice"], _crumbs(moving.text)) == ("1", _crumbs(shown.text))
    assert form["parent_id"] != _crumbs(shown.text)[-1]


async def test_a_yes_to_another_choice_than_the_shown_one_is_refused_with_the_way_out(house: House) -> None:
    """Nothing is accepted; the refusal says which is which and shows the choice that was named, to say yes to."""
    delta_id = house.captured("Count the paint tins in the shop before shopping")
    before = house.revision()
    async with house.client() as client:
        page = await visit(client, _inbox(house, delta_id))
        refused = await send(client, page.form("/accept"), choice="1")
        assert (refused.status, house.revision()) == (409, before)
        (alert,) = refused.alerts()
        assert "What was shown is the proposal itself and the yes is about alternative 1" in alert
        await send(client, refused.form("/accept"))
    assert house.studio.desk.state(house.project_id).deltas[delta_id].choice == 1


@pytest.mark.parametrize("choice", ["3", "4", "x"])
async def test_a_choice_that_is_not_offered_shows_the_proposal_or_is_refused(
    house: House, choice: str
) -> None:
    """An address with a number that this proposal does not offer shows the proposal itself; nonsense is refused."""
    first = house.captured("Sort the tins on the shelf by colour")
    delta_id = house.studio.reviews.edit(
        house.me, EditDelta(first, "Sort the tins", None, NodeKind.TASK, house.seen(first))
    )
    async with house.client() as client:
        page = await visit(client, f"{_inbox(house, delta_id)}?choice={choice}")
    if choice == "3":
        assert page.form("/accept")["choice"] == "0"
    else:
        assert page.status == 422
