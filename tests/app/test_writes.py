"""Every write endpoint, done for real once, and the same act sent again."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx2

from tests.app.house import API, ORIGIN, SAME_SITE, House, open_house
from tests.app.writes import OPERATORS, WRITES, Request, prepare, prepare_promotion

OK = {200, 201, 202}


async def _send(house: House, client: httpx2.AsyncClient, request: Request, key: str) -> httpx2.Response:
    path, body = request
    headers = {**SAME_SITE, "Idempotency-Key": key}
    if path.endswith(("/execute", "/reconcile")):
        headers |= {"Origin": ORIGIN, "Authorization": f"Bearer {house.operator_token}"}
    return await client.post(API + path, json=body, headers=headers)


_MADE: Final = (
    ("reconciliation", "delta_id", "/closures/{closure_id}/reconciliations"),
    ("reconciliation", "delta_id", "/integrations"),
    ("promotion", "promotion_id", "/promotions"),
)
"""What a write makes that a later one acts on: our word, the answer's field, the address.

An integration after other revisions is rebased, so the answer names the proposal that was accepted.
"""


def _ids(answer: httpx2.Response) -> dict[str, object]:
    """Return the ids an answer names, and the revision it made."""
    return {
        name: value
        for name, value in answer.json().items()
        if name.endswith("_id") or name in {"state_root", "outcome"}
    }


async def test_every_write_is_done_once(tmp_path: Path) -> None:
    """A lawful write is done; the same key and body again gives the same ids and writes nothing."""
    house = open_house(tmp_path)
    prepare(house, reconciled=False)
    async with house.client(headers={}) as client:
        for address in (item for item in WRITES if item != "/promotions/{promotion_id}/reconcile"):
            request, key = WRITES[address](house), house.key()
            first = await _send(house, client, request, key)
            assert first.status_code in OK, (address, first.text)
            heads = house.heads()
            again = await _send(house, client, request, key)
            assert (again.status_code, _ids(again)) == (first.status_code, _ids(first)), address
            assert house.heads() == heads, address
            house.ids |= {word: first.json()[name] for word, name, made_at in _MADE if address == made_at}


async def test_a_key_stands_for_one_act(tmp_path: Path) -> None:
    """The same key with another body is a conflict, and nothing is written."""
    house = open_house(tmp_path)
    path = f"/projects/{house.project_id}/sources"
    async with house.client() as client:
        first = await house.write(client, path, {"text": "Ask Mira about the wall area"}, "one")
        heads = house.heads()
        other = await house.write(client, path, {"text": "Ask Jonas about the wall area"}, "one")
        assert (first.status_code, other.status_code) == (201, 409)
        assert other.json()["code"] == "command_conflict"
        assert house.heads() == heads
    async with house.client("vera") as client:
        foreign = await house.write(client, path, {"text": "Ask Mira about the wall area"}, "one")
        assert foreign.status_code == 403


async def test_nothing_to_reconcile(tmp_path: Path) -> None:
    """A promotion whose outcome is known, or that nobody asked for, is not reconciled."""
    house = open_house(tmp_path)
    prepare(house)
    prepare_promotion(house)
    async with house.client(headers={}) as client:
        for address in sorted(OPERATORS):
            answer = await _send(house, client, WRITES[address](house), house.key())
            assert (answer.status_code, answer.json()["code"]) == (409, "lifecycle_conflict")


async def test_a_result_is_integrated_at_its_own_boundary(tmp_path: Path) -> None:
    """An ordinary accept does not integrate a result, and an integration takes nothing else."""
    house = open_house(tmp_path)
    prepare(house)
    result, ordinary = house.ids["reconciliation"], house.ids["accept"]
    async with house.client() as client:
        for path, delta_id in ((f"/deltas/{result}/accept", result), ("/integrations", ordinary)):
            body = {"expected_revision": house.revision(), "seen": house.seen(delta_id)}
            if path == "/integrations":
                body["delta_id"] = delta_id
            answer = await house.write(client, path, body)
            assert (answer.status_code, answer.json()["code"]) == (409, "other_boundary")


_FREE: Final = frozenset({"text", "title", "reason", "corrections", "name", "description"})
"""Fields of a body that hold a person's words; every other text is an id, a word of a list, a digest or a moment."""


def _spoilt(value: Any, bad: str, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (field, the same value with one of its texts spoilt), for every text in it."""
    if isinstance(value, str):
        yield name, f"{value}{bad}"
    elif isinstance(value, list):
        for at, item in enumerate(value):
            for field, other in _spoilt(item, bad, name):
                yield field, [*value[:at], other, *value[at + 1 :]]
    elif isinstance(value, dict):
        for key, item in value.items():
            for field, other in _spoilt(item, bad, key):
                yield field, {**value, key: other}


async def test_no_write_takes_a_character_that_cannot_be_seen(tmp_path: Path) -> None:
    """Every text of every write: a control or a direction control is refused by name, and nothing is written."""
    house = open_house(tmp_path)
    prepare(house)
    prepare_promotion(house)
    heads, free = house.heads(), set()
    async with house.client(headers={}) as client:
        for address, build in WRITES.items():
            path, body = build(house)
            for bad in ("\u202epaint", "\x00"):
                for field, spoilt in _spoilt(body, bad):
                    answer = await _send(house, client, (path, spoilt), house.key())
                    assert 400 <= answer.status_code < 500, (address, field, answer.text)
                    if field in _FREE:
                        free.add(field)
                        assert answer.json()["code"] == "unseen_character", (address, field, answer.text)
                        assert f"U+{ord(bad[0]):04X}" in answer.json()["detail"]
    assert (house.heads(), free) == (heads, {"text", "title", "reason", "corrections", "name"})
