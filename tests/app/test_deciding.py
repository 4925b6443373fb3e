"""Acts that make no revision, through the API: what they answer, and what waits after them."""

from pathlib import Path

from tests.app.house import API, House, open_house


async def _listed(house: House, *, deferred: bool = False) -> list[str]:
    async with house.client("vera") as client:
        query = "?deferred=true" if deferred else ""
        answer = await client.get(f"{API}/projects/{house.project_id}/proposals{query}")
        return [item["delta_id"] for item in answer.json()["proposals"]]


async def test_a_deferred_proposal_is_listed_when_asked_for(tmp_path: Path) -> None:
    """It is out of the list, in the list of all, and says until when."""
    house = open_house(tmp_path)
    delta_id = house.captured("Ask Mira about the wall area")
    until = "2999-01-01T09:00:00.000000Z"
    async with house.client() as client:
        body = {"seen": house.seen(delta_id), "until": until, "reason": "Later"}
        answer = await house.write(client, f"/deltas/{delta_id}/defer", body)
        assert answer.json() == {
            "project_id": house.project_id,
            "delta_id": delta_id,
            "disposition": "deferred",
            "until": until,
            "reason": "Later",
            "corrections": [],
        }
        shown = await client.get(f"{API}/deltas/{delta_id}")
        assert (shown.json()["disposition"], shown.json()["until"]) == ("deferred", until)
    assert [await _listed(house), await _listed(house, deferred=True)] == [[], [delta_id]]


async def test_taking_a_revision_back_says_what_is_lost(tmp_path: Path) -> None:
    """The proposal names the revision, and what was placed under what goes would move up."""
    house = open_house(tmp_path)
    parent_id = house.accepted(house.captured("Ask Mira about the wall area"))
    number = house.revision()
    child = house.captured("Ask Jonas about the wall area")
    async with house.client() as client:
        body = {"seen": house.seen(child), "to_node_id": parent_id}
        moved = await house.write(client, f"/deltas/{child}/move", body)
        house.accepted(moved.json()["delta_id"])
        revisions = house.studio.desk.state(house.project_id).revisions
        seen = next(item.state_root for item in revisions.rows() if item.number == number)
        path = f"/projects/{house.project_id}/revisions/{number}/compensate"
        answer = await house.write(client, path, {"seen": seen, "reason": "Wrong house"})
        assert (answer.status_code, answer.json()["compensates"]) == (201, number)
        (remark,) = answer.json()["uncertainty"]
        assert "would move up to" in remark
        missing = await house.write(client, path.replace(f"/{number}/", "/999/"), {"seen": seen})
        assert (missing.status_code, missing.json()["code"]) == (404, "not_found")


async def test_an_archived_project_says_so(tmp_path: Path) -> None:
    """It is marked in the list, refuses words by name, and is an owner's to put away."""
    house = open_house(tmp_path)
    async with house.client() as client:
        answer = await house.write(client, f"/projects/{house.project_id}/archive", {"reason": "Winter"})
        assert answer.json()["archived"] is True
        listed = await client.get(f"{API}/projects")
        assert [item["archived"] for item in listed.json()["projects"]] == [True]
        words = {"text": "Ask Mira about the wall area"}
        refused = await house.write(client, f"/projects/{house.project_id}/sources", words)
        assert (refused.status_code, refused.json()["code"]) == (409, "project_archived")
