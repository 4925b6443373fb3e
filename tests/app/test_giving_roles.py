"""The form of Settings that gives and ends roles, without a script, for owners of everything, of one project, of none."""

from pathlib import Path

import pytest

from kernel.vocabulary import Role
from tests.app.house import API, House, open_house
from tests.web.pages import Page, send, visit


@pytest.fixture
def house(tmp_path: Path) -> House:
    """Return a house with a second project, whose owner is `olaf`."""
    house = open_house(tmp_path)
    house.ids["shed"] = house.studio.projects.open(house.me, "Shed")
    house.studio.people.grant(house.me, "olaf", Role.OWNER, ledger_id=house.ids["shed"])
    return house


def _projects(page: Page) -> list[str]:
    selects = [item for item in page.reader.elements if item.tag == "option"]
    return [
        item.text.strip()
        for item in selects
        if item.parent and item.parent.attributes["id"] == "role-project"
    ]


async def test_an_owner_gives_and_ends_a_role(house: House) -> None:
    """One form gives it, the button beside it ends it; both are in force at once."""
    async with house.client() as client:
        page = await visit(client, "/settings")
        assert _projects(page) == ["Every project", "Shed", "Paint planner"]
        given = await send(
            client, page.form("/settings/roles"), person="vera", project=house.ids["shed"], role="reviewer"
        )
        assert "Reviewer in Shed" in given.text
        assert house.studio.directory.role_of("vera", house.ids["shed"]) is Role.REVIEWER
        ended = await send(client, page.form("/roles/end"), person="vera", project=house.ids["shed"])
        assert "Reviewer in Shed" not in ended.text
    assert house.studio.directory.role_of("vera", house.ids["shed"]) is Role.VIEWER


async def test_what_was_typed_stays_with_the_reason(house: House) -> None:
    """An unknown person, no role, the owner of the command line: refused in the form, with what was typed."""
    async with house.client() as client:
        form = (await visit(client, "/settings")).form("/settings/roles")
        for typed, status, said in (
            ({"person": "no<body", "role": "owner"}, 404, "no&lt;body"),
            ({"person": "vera", "role": "operator"}, 422, "owner, reviewer or viewer"),
            ({"person": "vera", "role": "king"}, 422, "choose viewer, reviewer or owner"),
            ({"person": "owner", "role": "viewer"}, 409, "command line acts as"),
        ):
            page = await send(client, form, **typed)
            assert page.status == status
            assert said.lower() in page.text.lower()
            assert page.form("/settings/roles")["person"] == typed["person"].replace("<", "<")


async def test_an_owner_of_one_project_governs_that_one(house: House) -> None:
    """They see who has a role there and nobody else, and may not name another project."""
    async with house.client("olaf") as client:
        page = await visit(client, "/settings")
        assert _projects(page) == ["Shed"]
        assert "Vera" not in page.text
        form = page.form("/settings/roles")
        assert "Vera" in (await send(client, form, person="vera", role="reviewer")).text
        for scope in (house.project_id, ""):
            assert (await send(client, form, person="vera", project=scope, role="owner")).status == 404
    assert house.studio.directory.role_of("vera", house.project_id) is Role.VIEWER


async def test_a_viewer_finds_no_such_form(house: House) -> None:
    """Nor may they send one of their own making."""
    async with house.client("vera") as client:
        page = await visit(client, "/settings")
        assert "Give a role" not in page.text
        form = {**page.form("/settings/password"), "action": "/settings/roles"}
        refused = await send(client, form, person="vera", project="", role="owner")
        assert refused.status == 403
    assert house.studio.directory.role_of("vera", house.project_id) is Role.VIEWER


async def test_every_other_session_ends_with_one_button(house: House) -> None:
    """The list says when each began and was last used; one button leaves only this browser."""
    directory, now = house.studio.directory, house.studio.clock.now()
    other = directory.begin_session("owner", now, label="Mozilla/5.0 (X11; Linux) Firefox/140.0")
    async with house.client() as client:
        page = await visit(client, "/settings")
        assert "Firefox on Linux" in page.text
        listed = (await client.get(f"{API}/sessions")).json()["sessions"]
        assert sorted((item["session_id"] == other.id, item["this_one"]) for item in listed) == [
            (False, True),
            (True, False),
        ]
        after = await send(client, page.form("/sessions/end-others"))
    assert "Firefox on Linux" not in after.text
    assert len(directory.sessions("owner", now)) == 1
