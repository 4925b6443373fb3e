"""Signing in through a real provider on loopback, with a real browser's cookies, and the ways to cheat."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from app import bootstrap
from app.config.settings import Settings
from app.main import create_app
from app.web.origin import FLOW_COOKIE, SESSION_COOKIE
from kernel.errors import ConfigurationError, ConflictError, InvalidError, NotFoundError
from kernel.values.people import Identity
from tests.app.house import ORIGIN, House, house_over, open_house
from tests.app.test_sessions import form_token
from tests.support.provider import CLIENT, SUBJECT, Provider, served_provider, signed_by_a_stranger


@pytest.fixture
def provider() -> Iterator[Provider]:
    """Return a served provider."""
    with served_provider() as provider:
        yield provider


@pytest.fixture
def house(tmp_path: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch) -> House:
    """Return a house whose settings name the provider, and whose viewer is linked to its account."""
    monkeypatch.setenv("ODEU_OIDC_CLIENT_SECRET", CLIENT[1])
    settings = Settings(
        data=tmp_path / "data",
        public_origin=ORIGIN,
        oidc_issuer=provider.issuer,
        oidc_client_id=CLIENT[0],
        oidc_label="Example login",
    )
    bootstrap.create_installation(settings)
    house = house_over(bootstrap.open_studio(settings), "")
    house.studio.sign_in.link(house.me, "vera", Identity(provider.issuer, SUBJECT))
    return house


async def _there_and_back(client: httpx2.AsyncClient) -> str:
    """Leave for the provider as a browser does; return the address it sends the browser back to."""
    left = await client.get("/signin/oidc")
    assert left.status_code == 303, left.text
    there = httpx2.get(left.headers["location"], follow_redirects=False)
    assert there.status_code == 302
    return there.headers["location"].removeprefix(ORIGIN)


def _is_refused(answer: httpx2.Response, said: str) -> None:
    assert answer.status_code == 403
    assert said in answer.text, answer.text
    assert not any(item.startswith(SESSION_COOKIE) for item in answer.headers.get_list("set-cookie"))


async def test_a_linked_account_signs_in(house: House, provider: Provider) -> None:
    """The page offers the provider; there and back makes a new session; nothing of the flow is left."""
    async with house.client(None) as client:
        page = await client.get("/signin")
        assert "Continue with Example login" in page.text
        back = await _there_and_back(client)
        flow = client.cookies[FLOW_COOKIE]
        assert {"HttpOnly", "SameSite=lax"} <= set(
            (await client.get("/signin/oidc")).headers["set-cookie"].split("; ")
        )
        client.cookies.set(FLOW_COOKIE, flow, domain="127.0.0.1")
        done = await client.get(back)
        assert (done.status_code, done.headers["location"]) == (303, "/")
        assert "Signed in." in (await client.get("/")).text
        assert FLOW_COOKIE not in client.cookies
    assert provider.asked.count("/token") == 1
    assert len(house.studio.directory.sessions("vera", house.studio.clock.now())) == 2


async def test_an_answer_counts_once(house: House) -> None:
    """The same return again, even in the same browser, signs nobody in; the code is not even shown to the provider."""
    async with house.client(None) as client:
        back = await _there_and_back(client)
        flow = client.cookies[FLOW_COOKIE]
        assert (await client.get(back)).status_code == 303
    async with house.client(None) as client:
        client.cookies.set(FLOW_COOKIE, flow, domain="127.0.0.1")
        _is_refused(await client.get(back), "belongs to no sign-in that was begun in this browser")


async def test_an_answer_belongs_to_one_browser(house: House, provider: Provider) -> None:
    """Another browser's return, without a flow or in a flow of its own, and a code put into it, are refused."""
    async with house.client(None) as attacker, house.client(None) as victim, house.client(None) as bare:
        foreign = await _there_and_back(attacker)
        own = await _there_and_back(victim)
        _is_refused(await bare.get(foreign), "belongs to no sign-in")
        _is_refused(await victim.get(foreign), "belongs to no sign-in")
    async with house.client(None) as victim:
        own = await _there_and_back(victim)
        mine, theirs = (parse_qs(urlsplit(item).query) for item in (own, foreign))
        mixed = {"state": mine["state"][0], "code": theirs["code"][0], "iss": provider.issuer}
        _is_refused(await victim.get("/signin/oidc/return", params=mixed), "does not know the code")


async def test_an_answer_of_another_provider_is_refused(house: House) -> None:
    """An answer that names another issuer, or none, is refused before its code is shown to anybody."""
    for iss in ({"iss": "https://evil.example"}, {}):
        async with house.client(None) as client:
            brought = parse_qs(urlsplit(await _there_and_back(client)).query)
            params = {"state": brought["state"][0], "code": brought["code"][0], **iss}
            _is_refused(await client.get("/signin/oidc/return", params=params), "another provider")


async def test_a_bad_token_signs_nobody_in(house: House, provider: Provider) -> None:
    """What the library refuses ends as one sentence, and as no session."""
    provider.sign = signed_by_a_stranger
    async with house.client(None) as client:
        answer = await client.get(await _there_and_back(client))
    _is_refused(answer, "its token does not hold")


async def test_a_provider_that_refuses_or_is_gone(house: House, provider: Provider) -> None:
    """Its words are not repeated; when it cannot be reached the page says so and the other ways stay."""
    async with house.client(None) as client:
        back = await _there_and_back(client)
        state = parse_qs(urlsplit(back).query)["state"][0]
        said = {"state": state, "error": "access_denied", "error_description": "<b>Call 555</b>"}
        answer = await client.get("/signin/oidc/return", params=said)
        _is_refused(answer, "The provider signed nobody in")
        assert "555" not in answer.text
    provider.document = {"issuer": "https://evil.example"}
    fresh = bootstrap.open_studio(house.studio.settings)
    gone = replace(house, studio=fresh, app=create_app(fresh))
    async with gone.client(None) as client:
        answer = await client.get("/signin/oidc")
        assert answer.status_code == 502
        assert "With a password" in answer.text


async def test_another_site_begins_nothing(house: House, provider: Provider) -> None:
    """A link on another site leads to the sign-in page, not to the provider."""
    async with house.client(None, {"Sec-Fetch-Site": "cross-site"}) as client:
        answer = await client.get("/signin/oidc")
        assert (answer.status_code, answer.headers["location"]) == (303, "/signin")
    assert provider.asked == []


async def test_an_unlinked_account_is_named_and_nothing_more(house: House, provider: Provider) -> None:
    """A stranger reads what an owner needs to link them, and has no session; markup in a subject stays text."""
    provider.subject = "<b>new</b>"
    async with house.client(None) as client:
        answer = await client.get(await _there_and_back(client))
        _is_refused(answer, "This account is linked to nobody")
        assert "&lt;b&gt;new&lt;/b&gt;" in answer.text
        assert provider.issuer in answer.text
        assert (await client.get("/")).headers["location"] == "/signin"


async def test_one_links_ones_own_account(house: House, provider: Provider) -> None:
    """A signed-in person comes back to a question, says yes with a form of theirs, and can sign in so from then on."""
    provider.subject = "77"
    async with house.client() as client:
        back = await client.get(await _there_and_back(client))
        assert (back.status_code, back.headers["location"]) == (303, "/settings#ways")
        page = await client.get("/settings")
        assert "Is this account yours?" in page.text
        ways = house.studio.sign_in.credentials
        refused = await client.post("/settings/accounts", data={"form_token": "0" * 64})
        assert (refused.status_code, ways.linked(Identity(provider.issuer, "77"))) == (403, None)
        done = await client.post("/settings/accounts", data={"form_token": form_token(page)})
        assert done.status_code == 303
        again = await client.post("/settings/accounts", data={"form_token": form_token(page)})
        assert (again.status_code, "no account waits" in again.text.lower()) == (404, True)
    async with house.client(None) as client:
        assert (await client.get(await _there_and_back(client))).headers["location"] == "/"
    (linked,) = ways.identities("owner")
    async with house.client() as client:
        token = form_token(await client.get("/settings"))
        path = f"/settings/accounts/{linked.credential_id}/end"
        assert (await client.post(path, data={"form_token": token})).status_code == 303
    assert ways.identities("owner") == ()
    assert len(house.studio.directory.sessions("owner", house.studio.clock.now())) == 1
    assert house.studio.audits.verify(house.studio.world_id, strict=True).problems == ()


async def test_an_account_of_somebody_dismissed_signs_nobody_in(house: House) -> None:
    """Whoever has no role left is not signed in by their account either."""
    house.studio.people.dismiss(house.me, "vera")
    async with house.client(None) as client:
        _is_refused(await client.get(await _there_and_back(client)), "linked to nobody")


def test_an_account_signs_one_person_in(house: House, provider: Provider) -> None:
    """It cannot be linked twice, nor to somebody without a role, nor unlinked from somebody else."""
    ways, identity = house.studio.sign_in, Identity(provider.issuer, SUBJECT)
    with pytest.raises(ConflictError):
        ways.link(house.me, "owner", identity)
    with pytest.raises(NotFoundError):
        ways.link(house.me, "olaf", Identity(provider.issuer, "another"))
    linked = ways.credentials.linked(identity)
    assert linked is not None
    with pytest.raises(NotFoundError):
        ways.unlink(house.me, "owner", linked.credential_id)


@pytest.mark.parametrize(
    "account", [Identity("https://a\0b", "7"), Identity("https://a", "7\0"), Identity("https://a", "\udcff")]
)
def test_an_account_is_named_by_characters_one_can_read(house: House, account: Identity) -> None:
    """A control character in issuer or subject is refused before any database sees it."""
    with pytest.raises(InvalidError, match="control characters"):
        house.studio.sign_in.link(house.me, "vera", account)


async def test_without_a_provider_there_is_none(tmp_path: Path) -> None:
    """No button, no address to leave by, and nothing comes back."""
    house = open_house(tmp_path, empty=True)
    async with house.client(None) as client:
        assert "With an account" not in (await client.get("/signin")).text
        assert (await client.get("/signin/oidc")).status_code == 404
        assert (await client.get("/signin/oidc/return?state=a&code=b")).status_code == 404


def test_half_a_configuration_is_named(house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plain issuer, no client id, a secret that others may read: each says what to set."""
    monkeypatch.delenv("ODEU_OIDC_CLIENT_SECRET")
    settings, file = house.studio.settings, tmp_path / "client.secret"
    file.write_text("a secret\n")
    file.chmod(0o644)
    for changed, said in (
        ({"oidc_issuer": "http://login.example"}, "ODEU_OIDC_ISSUER must be https"),
        ({"oidc_client_id": ""}, "ODEU_OIDC_CLIENT_ID is not"),
        ({"oidc_client_secret_file": str(file)}, "regular file of mode 0600"),
        ({"oidc_client_secret_file": str(tmp_path / "none")}, "cannot be read"),
    ):
        with pytest.raises(ConfigurationError, match=said):
            bootstrap.open_studio(settings.model_copy(update=changed))
    file.chmod(0o600)
    studio = bootstrap.open_studio(settings.model_copy(update={"oidc_client_secret_file": str(file)}))
    assert studio.sign_in.provider is not None
