"""World, capture and Settings on a real installation, for the owner and for a viewer."""

from datetime import UTC, datetime

from app.services.access import OWNER
from app.views.building.world import waiting_count, waiting_words
from kernel.vocabulary import Via
from tests.app.house import House
from tests.web.pages import send, visit


async def test_the_world_lists_projects_with_what_waits(house: House) -> None:
    """The World page names the project, what waits, and the three ways to begin."""
    house.captured("Write the paint list for the shop")
    async with house.client() as client:
        page = await visit(client, "/")
    assert "One project. 1 thing waits for a yes." in page.text
    assert "Review 1</a>" in page.text
    assert page.actions() == {"/capture", "/projects", "/import-outline"}
    assert f"/p/{house.project_id}/inbox" in page.hrefs()


async def test_every_room_outside_a_project_leads_to_the_capture_box(house: House) -> None:
    """World, Operator and Settings carry the key to the World's box, for whom it is there."""
    async with house.client() as client:
        pages = [await visit(client, path) for path in ("/", "/settings", "/operator")]
    async with house.client("vera") as client:
        viewer = await visit(client, "/settings")
    assert ["/#capture-text" in page.hrefs() for page in pages] == [True, True, True]
    assert "/#capture-text" not in viewer.hrefs()


async def test_a_capture_says_where_its_words_were_placed(house: House) -> None:
    """Capturing leads back to the box with what became of the words and the way to the proposal."""
    async with house.client() as client:
        form = (await visit(client, f"/p/{house.project_id}/capture")).form("/capture")
        done = await send(client, form, text="Which brush is best for wall paint?")
    assert "Placed for your review" in done.text
    assert "Suggested as an open question under" in done.text
    assert "Owner wrote this" in done.text
    assert any(f"/p/{house.project_id}/inbox/delta_" in href for href in done.hrefs())


async def test_an_outline_is_imported_into_one_proposal(house: House) -> None:
    """An import shows its nodes as one readable before and after, and one yes adds them all."""
    outline = "# Garden\n\n- [Task] Dig the beds - before frost\n- [Constraint] No machines\n"
    async with house.client() as client:
        form = (await visit(client, "/")).form("/import-outline")
        queue = await send(client, form, project=house.project_id, text=outline)
        assert "Import 3 nodes under Paint planner" in queue.text
        item = await visit(client, f"/p/{house.project_id}/inbox/{_import_of(house)}")
        done = await send(client, item.form("/accept"))
    assert "Outline imported by Owner" in item.text
    assert "3 nodes and 3 relations are added." in item.text
    assert "Accepted, revision" in done.text


def _import_of(house: House) -> str:
    state = house.studio.desk.state(house.project_id)
    waiting = (state.deltas[item] for item in state.open_deltas.keys())  # noqa: SIM118
    return next(item.body.delta_id for item in waiting if "Import" in item.body.title.or_erased())


async def test_settings_say_what_is_in_force_to_the_owner(house: House) -> None:
    """An owner sees configuration, sandbox, people, tokens, keys, and their own sessions; no secret."""
    async with house.client() as client:
        page = await visit(client, "/settings")
    for said in (
        "Choose tins that leave the least paint over",
        "Owner (you)",
        "Viewer everywhere",
        "Signs the head of each ledger",
        "a test (this browser)",
        "ODEU_DATA",
        "Own user",
        "Not enforced here: cgroup limits (not used)",
    ):
        assert said in page.text
    assert "limits enforced" not in page.text
    assert house.operator_token not in page.text


async def test_settings_hide_people_tokens_and_keys_from_a_viewer(house: House) -> None:
    """A viewer sees the configuration, their own session and password form, and nobody else's."""
    async with house.client("vera") as client:
        page = await visit(client, "/settings")
    assert "Choose tins that leave the least paint over" in page.text
    assert "Signs the head of each ledger" not in page.text
    assert "Owner everywhere" not in page.text
    assert {action.split("/")[1] for action in page.actions()} == {"sessions", "settings"}
    assert len(page.actions()) == 2


async def test_the_world_offers_a_viewer_nothing_to_write(house: House) -> None:
    """A viewer reads the projects and finds no form."""
    async with house.client("vera") as client:
        page = await visit(client, "/")
    assert page.status == 200
    assert page.actions() == set()


async def test_projects_of_one_title_are_told_apart(house: House) -> None:
    """On the card, in the switcher, in the choice of a project and on the button; a title of its own needs nothing."""
    first, second = (house.studio.projects.open(house.me, "Garden") for _ in range(2))
    day = f"{datetime.now(UTC):%-d %b %Y}"
    told = {item: f"pened {day}, id ends in {item[-4:].upper()}" for item in (first, second)}
    async with house.client() as client:
        page = await visit(client, "/")
    for words in told.values():
        assert page.text.count(f"O{words}") == 1
        assert page.text.count(f">o{words}<") == 1
    for item in (first, second):
        chosen = f">Garden ({item[-4:].upper()}, {day})</option>"
        assert page.text.count(chosen) == 2  # the capture box and the outline
    assert page.text.count("id ends in") == 4


async def test_a_project_that_was_put_away_stands_apart(house: House) -> None:
    """It is under a heading of its own, and what is offered there is to take it up again."""
    shed = house.studio.projects.open(house.me, "Shed")
    house.studio.projects.archive(shed, house.studio.access.caller(shed, OWNER, Via.CLI, key=house.key()))
    async with house.client() as client:
        page = await visit(client, "/")
    kept, away = page.text.split(">Put away</h2>")
    assert ("Paint planner</a>" in kept, "Shed</a>" in kept, "Shed</a>" in away) == (True, False, True)
    assert ("Put it away" in kept, "Take it up again" in kept, "Take it up again" in away) == (
        True,
        False,
        True,
    )


async def test_the_button_says_where_it_leads(house: House) -> None:
    """The count of the page is of all projects; the one on the button names its project when there are several."""
    house.studio.projects.open(house.me, "Attic")
    house.captured("Write the paint list for the shop again")
    async with house.client() as client:
        page = await visit(client, "/")
    waiting = waiting_count(house.studio.desk.state(house.project_id), house.studio.clock.now())
    assert f"Review {waiting} in Paint planner</a>" in page.text
    assert waiting_words(waiting) in page.text
    assert (waiting_words(1), waiting_words(2)) == ("1 waits for a yes", "2 wait for a yes")
