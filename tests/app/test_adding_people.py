"""Adding somebody, handing them a link and signing them out, on the page and through the API, as the command line does."""

from pathlib import Path

import httpx2
import pytest

from app.services.desk import Caller
from kernel.errors import AuthorityError, NotFoundError
from kernel.events.project import CredentialIssued, PrincipalAdded, RoleGranted
from kernel.values.people import Membership
from kernel.vocabulary import Role, Via
from tests.app.house import API, ORIGIN, House, open_house
from tests.web.pages import Page, send, visit


@pytest.fixture
def house(tmp_path: Path) -> House:
    """Return a house with the sandbox project, the viewer `vera` and the outsider `olaf`."""
    return open_house(tmp_path)


def _links(page: Page) -> list[str]:
    codes = [item.text.strip() for item in page.reader.elements if item.tag == "code"]
    return [text for text in codes if "/signin?link=" in text]


def _told(house: House, after: int) -> list[object]:
    ledger = house.studio.desk.ledger
    return [item.event.body for item in ledger.read(house.studio.world_id, after, 20)]


def _reaches(house: House, address: str) -> tuple[str, str] | None:
    secret = address.removeprefix(f"{ORIGIN}/signin?link=")
    return house.studio.directory.link_holder(secret, house.studio.clock.now())


async def test_an_owner_adds_a_person_and_hands_them_a_link(house: House) -> None:
    """One form makes them known with a role in one project, and shows a link that signs them in; the ledger says so."""
    async with house.client() as client:
        form = (await visit(client, "/settings")).form("/settings/people")
        before = house.heads()[house.studio.world_id]
        page = await send(
            client, form, person="nora", name="Aunt Nora", project=house.project_id, role="reviewer"
        )
        (address,) = _links(page)
        assert "Sign-in link for Aunt Nora" in page.text
        assert _links(await visit(client, "/settings")) == []
    assert house.studio.directory.memberships("nora") == (
        Membership("nora", Role.REVIEWER, house.project_id),
    )
    holder = _reaches(house, address)
    assert holder is not None
    assert holder[0] == "nora"
    added, granted, issued = _told(house, before)
    assert isinstance(added, PrincipalAdded)
    assert granted == RoleGranted(principal_id="nora", role=Role.REVIEWER, ledger_id=house.project_id)
    assert isinstance(issued, CredentialIssued)
    assert (issued.principal_id, issued.kind, issued.expires_at) == ("nora", "signin_link", holder[1])


async def test_what_was_typed_stays_with_the_reason(house: House) -> None:
    """A malformed or taken id, no name, a role nobody is given: refused in the form, and nothing is written."""
    async with house.client() as client:
        form = (await visit(client, "/settings")).form("/settings/people")
        before = house.heads()
        for typed, status in (
            ({"person": "N<ra", "name": "Nora", "role": "viewer"}, 422),
            ({"person": "vera", "name": "Nora", "role": "viewer"}, 409),
            ({"person": "nora", "name": "", "role": "viewer"}, 422),
            ({"person": "nora", "name": "Nora", "role": "operator"}, 422),
        ):
            page = await send(client, form, **typed)
            assert (page.status, _links(page), len(page.alerts())) == (status, [], 1), typed
            again = page.form("/settings/people")
            assert (again["person"], again["name"]) == (typed["person"], typed["name"])
        assert house.heads() == before
    assert house.studio.directory.person("nora") is None


async def test_a_fresh_link_and_the_end_of_somebodys_sessions(house: House) -> None:
    """The buttons beside a person hand out a new link, and end their sessions and links; the owner stays signed in."""
    async with house.client("vera") as vera, house.client() as client:
        assert (await visit(vera, "/")).status == 200
        page = await visit(client, "/settings")
        handed = await send(client, page.form("/people/link"), person="vera")
        (address,) = _links(handed)
        assert _reaches(house, address) is not None
        done = await send(client, page.form("/people/sign-out"), person="vera")
        assert (done.status, "Their sessions and unused links have ended." in done.text) == (200, True)
        assert (await vera.get(f"{API}/people")).status_code == 401
        assert (await client.get(f"{API}/people")).status_code == 200
    assert _reaches(house, address) is None


async def test_whoever_owns_less_adds_nobody(house: House) -> None:
    """A viewer, and the owner of one project, find no such form, and what they send is refused without a trace."""
    house.studio.people.grant(house.me, "olaf", Role.OWNER, ledger_id=house.project_id)
    for person, refusal in (("vera", 403), ("olaf", 404)):
        async with house.client(person) as client:
            page = await visit(client, "/settings")
            assert "Add a person" not in page.text
            assert "sign-in link<" not in page.text
            before, token = house.heads(), page.form("/settings/password")
            for act in ("people", "people/link", "people/sign-out"):
                form = {**token, "action": f"/settings/{act}"}
                typed = {"person": "owner", "name": "Nora", "role": "viewer"}
                assert (await send(client, form, **typed)).status == refusal, act
            for path, body in (
                ("/people", {"person_id": "nora", "name": "Nora", "role": "viewer"}),
                ("/people/owner/links", {}),
                ("/people/owner/sessions/end", {}),
            ):
                assert (await house.write(client, path, body)).status_code == refusal, path
            assert house.heads() == before
    assert len(house.studio.directory.sessions("vera", house.studio.clock.now())) == 1


def test_the_services_ask_who_owns_the_installation(house: House) -> None:
    """An owner of one project, who is called owner there, is not one of the installation."""
    studio = house.studio
    studio.people.grant(house.me, "olaf", Role.OWNER, ledger_id=house.project_id)
    caller = studio.access.caller(house.project_id, "olaf", Via.API)
    for act in (
        lambda: studio.people.add(caller, "nora", "Nora", Role.VIEWER, ledger_id=house.project_id),
        lambda: studio.people.invite(caller, "vera"),
        lambda: studio.people.sign_out(caller, "vera"),
    ):
        with pytest.raises(AuthorityError):
            act()
    for act in (
        lambda: studio.people.invite(house.me, "nobody"),
        lambda: studio.people.sign_out(house.me, "nobody"),
    ):
        with pytest.raises(NotFoundError):
            act()


async def test_the_same_request_again(house: House) -> None:
    """It adds nobody twice and shows no link twice; the first link goes on working."""
    added = {"person_id": "nora", "name": "Nora", "role": "viewer", "project_id": None}
    async with house.client() as client:
        first = await _twice(house, client, "/people", added)
        assert first.json() == {"person_id": "nora", "project_id": None, "role": "viewer"}
        link = (await _twice(house, client, "/people/nora/links", {})).json()["link"]
        other = await house.write(client, "/people", added)
        assert (other.status_code, other.json()["code"]) == (409, "conflict")
    assert _reaches(house, link) is not None


def test_the_same_command_does_not_give_a_role_back(house: House) -> None:
    """Whoever was added and given another role since keeps that one when the first request is sent again."""
    studio = house.studio

    def add() -> None:
        caller: Caller = studio.access.keeper(None, "owner", Via.API, key="add nora")
        studio.people.add(caller, "nora", "Nora", Role.OWNER, ledger_id=None)

    add()
    studio.people.grant(house.me, "nora", Role.VIEWER, ledger_id=None)
    add()
    assert studio.directory.memberships("nora") == (Membership("nora", Role.VIEWER, None),)


async def _twice(
    house: House, client: httpx2.AsyncClient, path: str, body: dict[str, str | None]
) -> httpx2.Response:
    """Send a request twice under one key; insist that the second writes nothing; return the first answer."""
    key = house.key()
    first = await house.write(client, path, body, key)
    heads = house.heads()
    again = await house.write(client, path, body, key)
    assert (first.status_code, again.status_code, house.heads()) == (201, 201, heads)
    assert again.json().get("link") is None
    return first
