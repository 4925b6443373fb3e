"""Roles on a running house: given, ended, in force at once, and brought together again after a crash."""

import asyncio
from pathlib import Path

import httpx2
import pytest

from app.services.access import OWNER
from app.services.desk import Caller
from app.web.origin import SESSION_COOKIE
from kernel.commands import RevokeRole
from kernel.errors import AuthorityError, InvalidError, NotFoundError, RefusedError
from kernel.values.people import Membership
from kernel.vocabulary import Role, Via
from tests.app.house import API, House, open_house
from tests.app.test_streams import HOST, served


@pytest.fixture
def house(tmp_path: Path) -> House:
    """Return a house with two projects, whose reviewer `rita` knows both."""
    house = open_house(tmp_path)
    house.ids["shed"] = house.studio.projects.open(house.me, "Shed")
    house.studio.access.add_person(house.me, "rita", "Rita", Role.REVIEWER)
    return house


def _as(house: House, person_id: str, ledger_id: str | None, key: str | None = None) -> Caller:
    return house.studio.access.keeper(ledger_id, person_id, Via.API, key=key)


async def test_a_role_in_one_project_opens_that_one_alone(house: House) -> None:
    """A person with one role sees one project; when it ends they see none, and their session is over."""
    people, project_id = house.studio.people, house.project_id
    people.grant(house.me, "olaf", Role.VIEWER, ledger_id=project_id)
    async with house.client("olaf") as client:
        assert (await client.get(f"{API}/projects/{project_id}")).status_code == 200
        assert (await client.get(f"{API}/projects/{house.ids['shed']}")).status_code == 404
        assert "Shed" not in (await client.get("/")).text
        people.revoke(house.me, "olaf", ledger_id=project_id)
        assert (await client.get(f"{API}/projects/{project_id}")).status_code == 401
    assert house.studio.directory.memberships("olaf") == ()


async def test_a_role_that_ends_leaves_the_one_everywhere(house: House) -> None:
    """A reviewer who owned one project is a reviewer there again, and stays signed in."""
    people, project_id = house.studio.people, house.project_id
    people.grant(house.me, "rita", Role.OWNER, ledger_id=project_id)
    async with house.client("rita") as client:
        people.revoke(house.me, "rita", ledger_id=project_id)
        assert (await client.get(f"{API}/projects/{project_id}")).status_code == 200
    assert house.studio.directory.role_of("rita", project_id) is Role.REVIEWER


async def test_a_live_stream_ends_with_the_role(house: House) -> None:
    """Whoever loses a role hears no further head, also on a connection that was open before."""
    people, project_id = house.studio.people, house.project_id
    people.grant(house.me, "olaf", Role.VIEWER, ledger_id=project_id)
    seq = house.studio.desk.state_for(project_id, Role.VIEWER).seq
    cookies, headers = {SESSION_COOKIE: house.session("olaf")}, {"Host": HOST}
    with served(house) as (address, _server):
        async with (
            httpx2.AsyncClient(base_url=address, cookies=cookies, headers=headers, timeout=60) as client,
            client.stream("GET", f"/p/{project_id}/events?after={seq}") as answer,
            asyncio.timeout(60),
        ):
            lines = answer.aiter_lines()
            assert [await anext(lines) for _ in range(2)] == ["retry: 2000", ": live"]
            await asyncio.to_thread(people.revoke, house.me, "olaf", ledger_id=project_id)
            await asyncio.to_thread(house.captured, "Ask Jonas about the hall colour")
            assert "event: head" not in [line async for line in lines]


def test_whoever_opens_a_project_owns_it(house: House) -> None:
    """A reviewer is the owner of what they open and gives roles there; the same command again changes nothing."""
    studio = house.studio
    caller = studio.access.caller(studio.world_id, "rita", Via.API, key="open")
    opened = studio.projects.open(caller, "Boat")
    assert studio.directory.memberships("rita") == (
        Membership("rita", Role.REVIEWER, None),
        Membership("rita", Role.OWNER, opened),
    )
    studio.people.grant(_as(house, "rita", opened), "olaf", Role.VIEWER, ledger_id=opened)
    studio.people.revoke(house.me, "rita", ledger_id=opened)
    assert studio.projects.open(caller, "Boat") == opened
    assert studio.directory.role_of("rita", opened) is Role.REVIEWER
    assert studio.audits.verify(studio.world_id, strict=True).problems == ()


def test_an_owner_of_one_project_gives_roles_there_alone(house: House) -> None:
    """Elsewhere, everywhere, and to nobody they may not; a viewer gives none."""
    people, project_id, shed = house.studio.people, house.project_id, house.ids["shed"]
    people.grant(house.me, "olaf", Role.OWNER, ledger_id=project_id)
    people.grant(_as(house, "olaf", project_id), "vera", Role.REVIEWER, ledger_id=project_id)
    for person, scope, error in (
        ("olaf", shed, NotFoundError),
        ("olaf", None, NotFoundError),
        ("vera", None, AuthorityError),
    ):
        with pytest.raises(error):
            people.grant(_as(house, person, scope), "vera", Role.OWNER, ledger_id=scope)
    with pytest.raises(AuthorityError):
        people.grant(_as(house, "olaf", project_id), "vera", Role.OWNER, ledger_id=None)
    with pytest.raises(NotFoundError):
        people.grant(house.me, "nobody", Role.VIEWER, ledger_id=project_id)
    for role, scope in ((Role.OPERATOR, project_id), (Role.VIEWER, house.studio.world_id)):
        with pytest.raises(InvalidError):
            people.grant(house.me, "vera", role, ledger_id=scope)


def test_somebody_is_dismissed(house: House) -> None:
    """All their roles, sessions, unused links and operator tokens end; the owner of the command line stays."""
    studio, now = house.studio, house.studio.clock.now()
    studio.people.grant(house.me, "rita", Role.OWNER, ledger_id=house.ids["shed"])
    token = studio.access.issue_operator_token(house.me, "rita", "bench", lifetime_s=3600)
    link, session = house.link("rita"), house.session("rita")
    done = studio.people.dismiss(house.me, "rita")
    assert (done.scopes, done.sessions) == ((None, house.ids["shed"]), 1)
    assert studio.directory.session(session, now) is None
    assert studio.directory.link_holder(link, now) is None
    assert studio.directory.operator(token.secret, now) is None
    with pytest.raises(NotFoundError, match="rita has no role here"):
        studio.people.dismiss(house.me, "rita")
    with pytest.raises(RefusedError, match="whom the command line acts as"):
        studio.people.dismiss(house.me, OWNER)
    assert studio.audits.verify(studio.world_id, strict=True).problems == ()


def test_a_start_brings_table_and_ledger_together(house: House) -> None:
    """A process that died between the ledger and the table leaves nobody a role that was taken."""
    studio = house.studio
    studio.desk.act(studio.world_id, house.me, RevokeRole("vera", None))
    assert studio.directory.role_of("vera", house.project_id) is Role.VIEWER
    studio.people.settle()
    assert studio.directory.role_of("vera", house.project_id) is None


def test_a_grant_sent_again_gives_nothing_back(house: House) -> None:
    """The same command after the role was ended is the same act: already done, and still ended."""
    studio, scope = house.studio, house.project_id
    keyed = _as(house, OWNER, scope, key="grant")
    studio.people.grant(keyed, "rita", Role.OWNER, ledger_id=scope)
    studio.people.revoke(house.me, "rita", ledger_id=scope)
    studio.people.grant(keyed, "rita", Role.OWNER, ledger_id=scope)
    assert studio.directory.role_of("rita", scope) is Role.REVIEWER


async def test_nobody_takes_a_project_that_has_no_owner_of_its_own(house: House) -> None:
    """The first role in a project is its opener's to take: a reviewer or a viewer who asks for it is refused."""
    heads = house.heads()
    for person in ("rita", "vera"):
        async with house.client(person) as client:
            body = {"role": "owner", "project_id": house.project_id}
            answer = await house.write(client, f"/people/{person}/roles", body)
            assert (answer.status_code, answer.json()["code"]) == (403, "authority_violation")
    assert {ledger: seq for ledger, seq in house.heads().items() if ledger != house.studio.world_id} == {
        ledger: seq for ledger, seq in heads.items() if ledger != house.studio.world_id
    }
    assert house.studio.directory.role_of("rita", house.project_id) is Role.REVIEWER
