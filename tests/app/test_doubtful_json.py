"""JSON that two readers could read differently is refused before any route reads it."""

from pathlib import Path

import pytest

from tests.app.house import API, House, open_house

REFUSED: tuple[tuple[bytes, str], ...] = (
    (b'{"title": "Shed", "title": "Barn"}', "duplicate_key"),
    (b'{"title": "Shed", "more": [{"a": 1, "a": 2}]}', "duplicate_key"),
    (b'{"title": "Shed", "\\u0074itle": "Barn"}', "duplicate_key"),
    (b'{"title": NaN}', "not_canonical"),
    (b'{"title": "\\ud800"}', "not_canonical"),
    ('{"title": "Shed"}'.encode("utf-16"), "not_canonical"),
)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Return one house: nothing here writes to it."""
    return open_house(Path(tmp_path_factory.mktemp("house")))


@pytest.mark.parametrize(
    "kind", ["application/json", "Application/JSON; charset=utf-8", "application/x+json"]
)
@pytest.mark.parametrize(("body", "code"), REFUSED)
async def test_json_with_two_meanings_is_refused(house: House, body: bytes, code: str, kind: str) -> None:
    """A key twice, also nested or escaped, and what is no I-JSON: a problem document, and nothing is written."""
    before = house.heads()
    async with house.client() as client:
        headers = {"Idempotency-Key": house.key(), "Content-Type": kind}
        answer = await client.post(f"{API}/projects", content=body, headers=headers)
    assert (answer.status_code, answer.headers["content-type"], answer.json()["code"], house.heads()) == (
        422,
        "application/problem+json",
        code,
        before,
    )


@pytest.mark.parametrize("body", [b"", b"{", b'{"title": "Shed", "title"'])
async def test_what_is_no_json_is_answered_by_the_route(house: House, body: bytes) -> None:
    """Broken JSON keeps the answer it always had: where it does not fit."""
    before = house.heads()
    async with house.client() as client:
        headers = {"Idempotency-Key": house.key(), "Content-Type": "application/json"}
        answer = await client.post(f"{API}/projects", content=body, headers=headers)
    assert (answer.status_code, answer.json()["code"], house.heads()) == (422, "invalid", before)


async def test_a_key_in_two_objects_is_fine(house: House) -> None:
    """The same key in different objects is one meaning: the route reads it and says what does not fit."""
    async with house.client() as client:
        headers = {"Idempotency-Key": house.key(), "Content-Type": "application/json"}
        answer = await client.post(
            f"{API}/projects", content=b'{"a": {"b": 1}, "c": {"b": 2}}', headers=headers
        )
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
