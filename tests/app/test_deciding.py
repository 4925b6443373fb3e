"""Acts that make no revision, through the API: what they answer, and what waits after them."""

from pathlib import Path

from kernel.commands import EditDelta
from kernel.vocabulary import NodeKind, Role, Visibility
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


async def test_every_choice_has_a_seen_of_its_own(tmp_path: Path) -> None:
    """Reading a choice answers what it would make, with the digest that only a yes to it may carry."""
    house = open_house(tmp_path)
    delta_id = house.captured("Count the paint tins in the shop before shopping")
    other_id = house.captured("Sort the tins on the shelf by colour")
    async with house.client() as client:
        first, other = [
            (await client.get(f"{API}/deltas/{delta_id}?choice={number}")).json() for number in (0, 1)
        ]
        assert (first["choice"], other["choice"], first["fits"]) == (0, 1, other["fits"])
        assert first["proposed"]["parent"] == {key: first["fits"][0][key] for key in ("node_id", "title")}
        assert (
            other["choices"][0] == f"{other['proposed']['kind']} under {other['proposed']['parent']['title']}"
        )
        body = {"expected_revision": first["revision"], "seen": first["seen"], "choice": 1}
        refused = await house.write(client, f"/deltas/{delta_id}/accept", body)
        assert (refused.status_code, refused.json()["code"]) == (409, "other_choice")
        single = house.studio.reviews.edit(
            house.me, EditDelta(other_id, "Sort the tins", None, NodeKind.TASK, house.seen(other_id))
        )
        missing = await client.get(f"{API}/deltas/{single}?choice=1")
        assert (missing.status_code, missing.json()["code"]) == (422, "invalid")
        done = await house.write(client, f"/deltas/{delta_id}/accept", {**body, "seen": other["seen"]})
    assert done.status_code == 200
    state = house.studio.desk.state(house.project_id)
    placed = state.tables.parent[done.json()["node_id"]]
    assert placed == other["proposed"]["parent"]["node_id"]


async def test_a_reviewer_says_yes_to_a_choice_of_what_they_see(tmp_path: Path) -> None:
    """With private activity behind the head the same choice is accepted that the reviewer was shown."""
    house = open_house(tmp_path)
    house.studio.access.add_person(house.me, "rita", "Rita", Role.REVIEWER)
    hidden = house.studio.placements.capture(
        house.project_id, house.me, "Ask Jonas about the wall colour", visibility=Visibility.PRIVATE
    )
    assert hidden.delta_id is not None
    house.accepted(hidden.delta_id)
    delta_id = house.captured("Count the paint tins in the shop before shopping")
    async with house.client("rita") as client:
        shown = (await client.get(f"{API}/deltas/{delta_id}?choice=1")).json()
        body = {"expected_revision": shown["revision"], "seen": shown["seen"], "choice": 1}
        done = await house.write(client, f"/deltas/{delta_id}/accept", body)
    assert done.status_code == 200
    record = house.studio.desk.state(house.project_id).deltas[delta_id]
    assert record.choice == 1
