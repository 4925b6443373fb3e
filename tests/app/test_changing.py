"""Changes of accepted nodes through the API: one endpoint for every wish, and what it refuses."""

from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.app.house import House, open_house


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Return an installation that this module's tests share."""
    folder: Path = tmp_path_factory.mktemp("changing")
    return open_house(folder)


async def _wish(house: House, client: httpx2.AsyncClient, node_id: str, key: str = "", **body: Any) -> Any:
    path = f"/projects/{house.project_id}/nodes/{node_id}/changes"
    return await house.write(client, path, body, key=key)


async def test_a_move_waits_with_what_a_yes_must_carry(house: House) -> None:
    """The answer is the proposal as it is shown; the same key is the same act; a yes moves the node."""
    node_id = house.accepted(house.captured("Ask Mira about the wall area of the cellar"))
    place_id = house.accepted(house.captured("Ask Jonas about the paint of the cellar"))
    async with house.client() as client:
        body = {"under_node_id": place_id, "reason": "One visit", "expected_revision": house.revision()}
        first = await _wish(house, client, node_id, "move-1", **body)
        again = await _wish(house, client, node_id, "move-1", **body)
        other = await _wish(house, client, node_id, "move-1", retire="lifted")
        shown = first.json()
        yes = {"expected_revision": shown["revision"], "seen": shown["seen"]}
        accepted = await house.write(client, f"/deltas/{shown['delta_id']}/accept", yes)
    assert (first.status_code, again.json()["delta_id"]) == (201, shown["delta_id"])
    assert (other.status_code, other.json()["code"]) == (409, "command_conflict")
    assert (shown["purpose"], shown["reasons"], shown["disposition"]) == (
        "correction",
        ["One visit"],
        "pending",
    )
    assert accepted.status_code == 200
    assert house.studio.desk.state(house.project_id).tables.parent[node_id] == place_id


async def test_relations_are_added_and_ended_in_one_wish(house: House) -> None:
    """Either direction; the proposal holds all of them."""
    node_id = house.accepted(house.captured("Ask Mira about the wall area of the attic"))
    other_id = house.accepted(house.captured("Ask Jonas about the paint of the attic"))
    async with house.client() as client:
        joins = [
            {"kind": "refines", "node_id": other_id},
            {"kind": "depends_on", "node_id": other_id, "direction": "from"},
        ]
        delta_id = (await _wish(house, client, node_id, relate=joins)).json()["delta_id"]
        house.accepted(delta_id)
        relations = house.studio.desk.state(house.project_id).tables.relations.rows()
        mine = {
            item.kind.value: item for item in relations if {item.from_id, item.to_id} == {node_id, other_id}
        }
        ends = {kind: (item.from_id, item.to_id) for kind, item in mine.items()}
        assert ends == {"refines": (node_id, other_id), "depends_on": (other_id, node_id)}
        ended = await _wish(house, client, node_id, unrelate=[item.id for item in mine.values()])
        assert (ended.status_code, ended.json()["operations"]) == (201, 2)


async def test_what_is_unlawful_late_or_out_of_bounds_is_refused(house: House) -> None:
    """Each with its code: the ground that moved, a circle, nothing to do, unknown fields and too much of them."""
    node_id = house.accepted(house.captured("Ask Mira about the wall area of the garage"))
    looked, root_id = house.revision(), house.studio.desk.state(house.project_id).root_id
    nobody = "node_01jdz8q3v4m5n6p7q8r9s0t1v2"
    async with house.client() as client:
        renamed = (await _wish(house, client, node_id, title="Ask Mira about the garage")).json()["delta_id"]
        house.accepted(renamed)
        tried: dict[str, dict[str, Any]] = {
            "stale": {"title": "Ask Mira", "expected_revision": looked},
            "not_found": {"under_node_id": nobody},
            "self_loop": {"under_node_id": node_id},
            "invalid": {},
            "endpoint_mismatch": {"relate": [{"kind": "evidenced_by", "node_id": root_id}]},
        }
        answers = {code: await _wish(house, client, node_id, **body) for code, body in tried.items()}
        bad: tuple[dict[str, Any], ...] = (
            {"retire": "burnt"},
            {"relate": [{"kind": "belongs_to", "node_id": root_id}]},
            {"unrelate": ["relation_none"]},
            {"kind": "Idea"},
            {"reason": ""},
            {"relate": [{"kind": "refines", "node_id": root_id}] * 33},
        )
        bounds = [(await _wish(house, client, node_id, **body)).status_code for body in bad]
        unknown = await _wish(house, client, nobody, retire="lifted")
    assert {code: answer.json()["code"] for code, answer in answers.items()} == {code: code for code in tried}
    assert bounds == [422] * len(bad)
    assert (unknown.status_code, unknown.json()["code"]) == (404, "not_found")


async def test_a_viewer_proposes_nothing(house: House) -> None:
    """Refused, and nothing is written."""
    node_id = house.accepted(house.captured("Ask Mira about the wall area of the roof"))
    before = house.heads()
    async with house.client("vera") as client:
        refused = await _wish(house, client, node_id, retire="lifted")
    assert (refused.status_code, refused.json()["code"]) == (403, "authority_violation")
    assert house.heads() == before
