"""Passwords on a running house: set, tried, changed, guessed at, and never seen again."""

import re
import statistics
import time
from pathlib import Path

import httpx2
import pytest
from argon2 import PasswordHasher
from argon2.low_level import Type
from sqlalchemy import select, update

from adapters.ledger.schema import passwords
from app.bootstrap.parts import open_store
from app.services.access import OWNER
from app.web.origin import SESSION_COOKIE
from kernel.errors import AuthorityError, InvalidError, NotFoundError
from kernel.vocabulary import Via
from tests.app.house import House, open_house
from tests.app.test_sessions import form_token

WORDS = "correct horse battery staple"
OTHER = "four other words in a row"


@pytest.fixture
def house(tmp_path: Path) -> House:
    """Return a house whose clock of rates stands still, and whose viewer has a password."""
    house = open_house(tmp_path, unhurried=False)
    house.studio.sign_in.set_password(house.me, "vera", WORDS)
    house._sessions.pop("vera")
    return house


async def _try(client: httpx2.AsyncClient, person: str, password: str) -> httpx2.Response:
    return await client.post("/signin/password", data={"person": person, "password": password})


async def _change(client: httpx2.AsyncClient, **fields: str) -> httpx2.Response:
    token = form_token(await client.get("/settings"))
    return await client.post("/settings/password", data={"form_token": token, **fields})


async def test_a_password_signs_in_with_a_new_session(house: House) -> None:
    """The right pair leads to the world with a cookie no script reads; the session brought along ends."""
    before = house.session()
    async with house.client() as client:
        done = await _try(client, " vera ", WORDS)
        assert (done.status_code, done.headers["location"]) == (303, "/")
        cookie = next(item for item in done.headers.get_list("set-cookie") if item.startswith(SESSION_COOKIE))
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        assert "Signed in." in (await client.get("/")).text
    assert house.studio.directory.session(before, house.studio.clock.now()) is None


async def test_nothing_tells_an_unknown_person_from_a_wrong_password(house: House) -> None:
    """Unknown, without password, without role, wrong, empty, huge: one answer, in the same words."""
    house.studio.sign_in.set_password(house.me, "vera", WORDS)
    house.studio.people.dismiss(house.me, "vera")
    bodies = set()
    for person, password in (
        ("nobody", WORDS),
        (OWNER, WORDS),
        ("vera", WORDS),
        ("vera", OTHER),
        ("vera", ""),
        ("x" * 200, "y" * 4000),
    ):
        async with house.client(None) as client:
            answer = await _try(client, person, password)
        assert (answer.status_code, answer.headers.get_list("set-cookie")) == (403, [])
        assert password == "" or password not in answer.text
        bodies.add(re.sub(r'value="[^"]*"', "", answer.text))
    assert len(bodies) == 1
    assert "This id and this password do not belong together" in bodies.pop()


def test_an_unknown_person_costs_as_much_as_a_known_one(house: House) -> None:
    """The processor works as long for nobody as for somebody, within a third."""
    ways = house.studio.sign_in.credentials
    ways.is_right("nobody", OTHER)

    def cost(person_id: str) -> float:
        spent = []
        for _ in range(5):
            began = time.process_time()
            assert not ways.is_right(person_id, OTHER)
            spent.append(time.process_time() - began)
        return statistics.median(spent)

    assert 0.66 < cost("nobody") / cost("vera") < 1.5


async def test_guesses_are_counted_by_address_and_by_person(house: House) -> None:
    """One address waits after eight attempts; one person's password waits after ten, from wherever."""
    async with house.client(None) as client:
        for _ in range(8):
            assert (await _try(client, "nobody", OTHER)).status_code == 403
        refused = await _try(client, "vera", WORDS)
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "15")
        assert "Try again in 15 seconds" in refused.text
    async with house.client() as client:
        for _ in range(10):
            assert (await _change(client, current="", new=OTHER, again="another")).status_code == 422
        assert (await _change(client, new=OTHER, again=OTHER)).status_code == 429


async def test_one_changes_ones_own_password(house: House) -> None:
    """The present one is asked for, the new one twice; other sessions end and this one gets a new secret."""
    directory, now = house.studio.directory, house.studio.clock.now()
    other = directory.begin_session("vera", now, label="a phone")
    async with house.client("vera") as client:
        for fields, status, said in (
            ({"current": OTHER, "new": OTHER, "again": OTHER}, 403, "The present password is another one"),
            ({"current": WORDS, "new": OTHER, "again": WORDS}, 422, "The two new passwords differ"),
            ({"current": WORDS, "new": "zq81", "again": "zq81"}, 422, "12 to 1024 characters"),
        ):
            refused = await _change(client, **fields)
            assert (refused.status_code, said in refused.text) == (status, True)
            assert not any(value in refused.text for value in fields.values())
        done = await _change(client, current=WORDS, new=OTHER, again=OTHER)
        assert (done.status_code, done.headers["location"]) == (303, "/settings#ways")
        assert (await client.get("/settings")).status_code == 200
    assert directory.session(other.secret, now) is None
    assert directory.session(house.session("vera"), now) is None
    assert [house.studio.sign_in.credentials.is_right("vera", text) for text in (WORDS, OTHER)] == [
        False,
        True,
    ]


async def test_one_does_without_a_password_again(house: House) -> None:
    """Removing it asks for it; afterwards it opens nothing."""
    async with house.client("vera") as client:
        token = form_token(await client.get("/settings"))
        wrong = await client.post("/settings/password/end", data={"form_token": token, "current": OTHER})
        assert wrong.status_code == 403
        done = await client.post("/settings/password/end", data={"form_token": token, "current": WORDS})
        assert done.status_code == 303
    with pytest.raises(AuthorityError):
        house.studio.sign_in.by_password("vera", WORDS, label="x")


def test_the_ledger_knows_that_and_not_what(house: House) -> None:
    """Each password is issued and the earlier one revoked, by the person themselves; its hash is argon2id's own."""
    studio = house.studio
    caller = studio.sign_in.myself("vera", Via.BROWSER)
    studio.sign_in.set_password(caller, "vera", OTHER)
    records = [
        item
        for item in studio.desk.state(studio.world_id).authority.credentials.rows()
        if item.body.kind == "password"
    ]
    assert sorted(item.revoked is not None for item in records) == [False, True]
    assert studio.audits.verify(studio.world_id, strict=True).problems == ()
    raw = b"".join(path.read_bytes() for path in studio.settings.data_folder.rglob("*") if path.is_file())
    assert WORDS.encode() not in raw
    assert OTHER.encode() not in raw
    assert raw.count(b"$argon2id$v=19$m=65536,t=3,p=4$") >= 1


@pytest.mark.parametrize("text", ["", "x" * 11, "x" * 1025])
def test_a_password_has_twelve_characters_or_more(house: House, text: str) -> None:
    """Too short and too long are refused with the bound, and nothing is recorded."""
    heads = house.heads()
    with pytest.raises(InvalidError, match="12 to 1024 characters"):
        house.studio.sign_in.set_password(house.me, "vera", text)
    with pytest.raises(NotFoundError):
        house.studio.sign_in.set_password(house.me, "olaf", WORDS)
    assert house.heads() == heads


def test_one_spelling_of_accents(house: House) -> None:
    """A letter typed with its accent as one sign or as two is the same letter."""
    house.studio.sign_in.set_password(house.me, "vera", "caf\u00e9 caf\u00e9 caf\u00e9")
    assert house.studio.sign_in.credentials.is_right("vera", "cafe\u0301 cafe\u0301 cafe\u0301")


def test_a_password_of_older_cost_is_kept_anew(house: House) -> None:
    """The next time it is right it is hashed at today's cost; a broken entry is simply wrong."""
    store = open_store(house.studio.settings.database)
    old = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1, type=Type.ID).hash(WORDS)
    mine = passwords.c.person_id == "vera"
    for encoded, is_right in ((old, True), ("$argon2id$broken", False)):
        with store.writing() as connection:
            connection.execute(update(passwords).where(mine).values(encoded=encoded))
        assert house.studio.sign_in.credentials.is_right("vera", WORDS) is is_right
        with store.reading() as connection:
            kept = connection.execute(select(passwords.c.encoded).where(mine)).scalar_one()
        assert (kept != encoded) is is_right
    store.close()
