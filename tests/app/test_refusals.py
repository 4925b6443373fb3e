"""Every write endpoint, attacked in every way of the table: refused with a problem document, nothing written."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest

from app.main import application
from tests.app.house import API, ORIGIN, SAME_SITE, House, open_house
from tests.app.writes import ON_MEANING, OPERATORS, WRITES, Request, prepare, prepare_promotion

EVERY: Final = tuple(WRITES)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Return a house in which every endpoint has something to act on."""
    house = open_house(Path(tmp_path_factory.mktemp("house")))
    prepare(house)
    house.ids["promotion"] = "promotion_01jdz8q3v4m5n6p7q8r9s0t1v2"
    return house


@pytest.fixture(scope="module")
def promoting(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Return a house whose result is integrated and offered to an operator."""
    house = open_house(Path(tmp_path_factory.mktemp("promoting")))
    prepare(house)
    prepare_promotion(house)
    return house


@pytest.fixture
def the(request: pytest.FixtureRequest, address: str) -> House:
    """Return the house that has the record this address acts on."""
    name = "promoting" if "promotion" in address else "house"
    found: House = request.getfixturevalue(name)
    return found


@pytest.fixture
async def nothing_written(the: House) -> AsyncIterator[None]:
    """Hold every ledger to the head it had before."""
    before = the.heads()
    yield
    assert the.heads() == before


def _is_problem(response: httpx2.Response, status: int, code: str) -> None:
    """Check that the answer is a problem document of this status and code."""
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert (response.status_code, problem["status"], problem["code"]) == (status, status, code), problem
    assert set(problem) >= {"type", "title", "status", "detail", "code"}


async def _send(
    house: House,
    request: Request,
    *,
    person: str | None = "owner",
    headers: dict[str, str] | None = None,
    key: str | None = None,
) -> httpx2.Response:
    """Send a write as a person; a key of None is made up, an empty one is left out."""
    chosen = dict(SAME_SITE if headers is None else headers)
    if key != "":
        chosen["Idempotency-Key"] = key or house.key()
    if request[0].endswith(("/execute", "/reconcile")):
        chosen = {"Origin": ORIGIN, "Authorization": f"Bearer {house.operator_token}", **chosen}
    path, body = request
    async with house.client(person, {}) as client:
        return await client.post(API + path, json=body, headers=chosen)


def _paths(house: House) -> dict[str, Any]:
    paths: dict[str, Any] = application(house.studio).openapi()["paths"]
    return paths


def test_the_table_holds_every_write_endpoint(house: House) -> None:
    """A new write endpoint fails here until the table knows a lawful request for it."""
    posts = {path.removeprefix(API) for path, item in _paths(house).items() if "post" in item}
    others = {method for item in _paths(house).values() for method in item} - {"post", "get"}
    assert (posts, others) == (set(WRITES), set())


@pytest.mark.usefixtures("nothing_written")
@pytest.mark.parametrize("address", EVERY)
async def test_a_stranger_is_refused(the: House, address: str) -> None:
    """Without a session, or without a Bearer for an operator's act, nothing happens."""
    if address in OPERATORS:
        headers = {**SAME_SITE, "Authorization": "Bearer " + "x" * 43}
        answer = await _send(the, WRITES[address](the), person=None, headers=headers)
        _is_problem(answer, 401, "operator_token")
        return
    _is_problem(await _send(the, WRITES[address](the), person=None), 401, "not_signed_in")


CROSS: Final = (
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "none"},
    {"Origin": "https://example.org"},
    {"Origin": "null"},
    {},
)


@pytest.mark.usefixtures("nothing_written")
@pytest.mark.parametrize("headers", CROSS)
@pytest.mark.parametrize("address", EVERY)
async def test_another_site_is_refused(the: House, address: str, headers: dict[str, str]) -> None:
    """A write from anywhere but our own page is refused before it is read."""
    code = "operator_edge" if address in OPERATORS else "cross_site"
    _is_problem(await _send(the, WRITES[address](the), headers=headers), 403, code)


@pytest.mark.usefixtures("nothing_written")
@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1:9999", "127.0.0.1"])
@pytest.mark.parametrize("address", EVERY)
async def test_another_host_is_refused(the: House, address: str, host: str) -> None:
    """A request under another name is refused, whatever else it carries."""
    headers = {**SAME_SITE, "Host": host}
    _is_problem(await _send(the, WRITES[address](the), headers=headers), 400, "wrong_host")


@pytest.mark.usefixtures("nothing_written")
@pytest.mark.parametrize("address", sorted(set(EVERY) - OPERATORS))
async def test_a_viewer_may_not_write(the: House, address: str) -> None:
    """A viewer reads everything and changes nothing."""
    _is_problem(await _send(the, WRITES[address](the), person="vera"), 403, "authority_violation")


@pytest.mark.usefixtures("nothing_written")
@pytest.mark.parametrize("address", sorted(set(EVERY) - OPERATORS))
async def test_an_outsider_finds_nothing(the: House, address: str) -> None:
    """For somebody without a role the project and its records do not exist."""
    _is_problem(await _send(the, WRITES[address](the), person="olaf"), 404, "not_found")


@pytest.mark.usefixtures("nothing_written")
@pytest.mark.parametrize("address", EVERY)
async def test_an_unknown_field_is_refused(the: House, address: str) -> None:
    """A body says nothing that the endpoint does not know."""
    path, body = WRITES[address](the)
    answer = await _send(the, (path, {**body, "actor": "owner"}))
    _is_problem(answer, 422, "invalid")
    assert answer.json()["errors"] == [{"where": "body.actor", "what": "Extra inputs are not permitted"}]


@pytest.mark.usefixtures("nothing_written")
@pytest.mark.parametrize("address", EVERY)
async def test_a_body_that_is_too_large_is_refused(the: House, address: str) -> None:
    """A body over the bound never reaches a parser."""
    path, body = WRITES[address](the)
    _is_problem(await _send(the, (path, {**body, "filler": "x" * 1_100_000})), 413, "body_too_large")


@pytest.mark.usefixtures("nothing_written")
@pytest.mark.parametrize("address", EVERY)
async def test_a_write_names_its_command(the: House, address: str) -> None:
    """Without an Idempotency-Key, or with one that is no key, a write is refused."""
    for key in ("", "two words", "k" * 201):
        answer = await _send(the, WRITES[address](the), key=key)
        _is_problem(answer, 422, "invalid")
        assert [item["where"] for item in answer.json()["errors"]] == ["header.Idempotency-Key"]


def _other(body: dict[str, Any], **changes: object) -> dict[str, Any]:
    return {**body, **changes}


STALE: Final[dict[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    "an older revision": lambda body: _other(body, expected_revision=0),
    "a revision that is not there yet": lambda body: _other(body, expected_revision=99),
    "other things seen": lambda body: _other(body, seen="sha256:" + "5a" * 32),
}


@pytest.mark.usefixtures("nothing_written")
@pytest.mark.parametrize("how", STALE)
@pytest.mark.parametrize("address", sorted(ON_MEANING))
async def test_a_yes_to_something_else_is_refused(the: House, address: str, how: str) -> None:
    """An act on meaning counts only for the revision and the words that were shown."""
    path, body = WRITES[address](the)
    changed = STALE[how](body)
    answer = await _send(the, (path, changed))
    if set(changed) != set(body):
        # A no, an edit and a move are bound to what was shown alone: they make no revision.
        _is_problem(answer, 422, "invalid")
        return
    _is_problem(answer, 409, "stale")
