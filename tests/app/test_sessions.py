"""Signing in with a link, staying signed in, signing out, and what a page without a session does."""

import re
from pathlib import Path
from typing import Final

import httpx2
import pytest

from app.web.origin import SESSION_COOKIE
from tests.app.house import API, House, open_house

COOKIE: Final = re.compile(rf"{SESSION_COOKIE}=odeu_session_[\w-]{{43}}; HttpOnly; Path=/; SameSite=lax")


@pytest.fixture
def house(tmp_path: Path) -> House:
    """Return a house whose clock of rates stands still."""
    return open_house(tmp_path, unhurried=False)


def form_token(page: httpx2.Response) -> str:
    """Return the form token of a page."""
    found = re.search(r'name="form_token" value="([0-9a-f]{64})"', page.text)
    assert found is not None, page.text
    return found.group(1)


def _session_cookies(answer: httpx2.Response) -> list[str]:
    return [item for item in answer.headers.get_list("set-cookie") if item.startswith(SESSION_COOKIE)]


async def test_a_link_is_shown_and_then_spent(house: House) -> None:
    """Opening a link changes nothing; the button signs in once, with a cookie no script can read."""
    link = house.link()
    async with house.client(None) as client:
        for _ in range(2):
            offer = await client.get(f"/signin?link={link}")
            assert (offer.status_code, "Continue as Owner, owner" in offer.text) == (200, True)
        signed_in = await client.post("/signin", data={"link": link})
        assert (signed_in.status_code, signed_in.headers["location"]) == (303, "/")
        (cookie,) = _session_cookies(signed_in)
        assert COOKIE.fullmatch(cookie)
        assert "Signed in." in (await client.get("/")).text
        assert "Signed in." not in (await client.get("/")).text
    async with house.client(None) as other:
        assert (await other.get(f"/signin?link={link}")).status_code == 403
        again = await other.post("/signin", data={"link": link})
        assert (again.status_code, _session_cookies(again)) == (403, [])
        assert "does not work any more" in again.text


async def test_signing_in_again_ends_the_session_before(house: House) -> None:
    """Every sign-in has a new secret, and the one the browser brought along stops working."""
    before = house.session()
    async with house.client() as client:
        assert (await client.get("/")).status_code == 200
        assert (await client.post("/signin", data={"link": house.link()})).status_code == 303
    assert house.studio.directory.session(before, house.studio.clock.now()) is None


async def test_sign_in_attempts_are_counted(house: House) -> None:
    """After eight attempts in a row one waits, with a working link too."""
    async with house.client(None) as client:
        for _ in range(8):
            assert (await client.post("/signin", data={"link": "odeu_signin_guess"})).status_code == 403
        refused = await client.post("/signin", data={"link": house.link()})
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "15")


async def test_signing_out_ends_the_session(house: House) -> None:
    """The cookie is deleted and its secret worth nothing; a form of another session does not do it."""
    async with house.client() as client:
        refused = await client.post("/signout", data={"form_token": "0" * 64})
        assert (refused.status_code, refused.json()["code"]) == (403, "form_token")
        page = await client.get("/")
        out = await client.post("/signout", data={"form_token": form_token(page)})
        assert (out.status_code, out.headers["location"]) == (303, "/signin")
        assert f'{SESSION_COOKIE}=""' in _session_cookies(out)[0]
    assert house.studio.directory.session(house.session(), house.studio.clock.now()) is None


async def test_one_ends_only_ones_own_sessions(house: House) -> None:
    """A person ends another browser of theirs; somebody else's session does not exist for them."""
    directory, now = house.studio.directory, house.studio.clock.now()
    other = directory.sign_in(house.link(), now, label="a phone")
    foreign = directory.sessions("vera", now)[0]
    async with house.client() as client:
        fields = {"form_token": form_token(await client.get("/"))}
        ended = await client.post(f"/sessions/{other.id}/end", data=fields)
        assert (ended.status_code, ended.headers["location"]) == (303, "/settings")
        assert (await client.post(f"/sessions/{foreign.id}/end", data=fields)).status_code == 404
    assert directory.session(other.secret, now) is None
    assert directory.sessions("vera", now) == (foreign,)


async def test_without_a_session(house: House) -> None:
    """A page leads to the sign-in page; the API says 401; both say nothing else."""
    async with house.client(None) as client:
        for path in ("/", f"/p/{house.project_id}/capture", f"/p/{house.project_id}/events"):
            page = await client.get(path)
            assert (page.status_code, page.headers["location"], page.text) == (303, "/signin", "")
        for path in ("/projects", f"/projects/{house.project_id}", f"/events?ledger_id={house.project_id}"):
            answer = await client.get(API + path)
            assert (answer.status_code, answer.json()["code"]) == (401, "not_signed_in")


async def test_signing_in_leads_back_to_the_page_asked_for(house: House) -> None:
    """The page is opened after the link is spent; an address of another origin is none to go to."""
    asked = f"/p/{house.project_id}/outline?at=0"
    ends = []
    async with house.client(None) as client:
        await client.get(asked, headers={"Accept": "text/html"})
        ends.append((await client.post("/signin", data={"link": house.link()})).headers["location"])
    for evil in ("//example.org/", "https://example.org/", "/%5Cexample.org", "/a%0Ab"):
        async with house.client(None) as client:
            client.cookies.set("odeu_back", evil)
            ends.append((await client.post("/signin", data={"link": house.link()})).headers["location"])
    assert ends == [asked, "/", "/", "/", "/"]


async def test_words_sent_without_a_session_are_given_back(house: House) -> None:
    """The page says that nothing was kept and shows what was typed, escaped and without the token."""
    async with house.client(None) as client:
        fields = {"text": "Mind the <b>step</b>", "form_token": "a-token"}
        answer = await client.post(f"/p/{house.project_id}/capture", data=fields)
    assert (answer.status_code, "nothing was kept" in answer.text) == (401, True)
    assert ("Mind the &lt;b&gt;step&lt;/b&gt;" in answer.text, "a-token" in answer.text) == (True, False)
