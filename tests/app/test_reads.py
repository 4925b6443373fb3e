"""Reading through the API: who may know of what, and tags by the head."""

from pathlib import Path
from typing import Final

import pytest

from kernel.merkle import verify_inclusion
from tests.app.house import API, House, open_house
from tests.app.writes import prepare

NOBODY: Final = "01jdz8q3v4m5n6p7q8r9s0t1v2"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Return a house with something of every kind in it."""
    house = open_house(Path(tmp_path_factory.mktemp("house")))
    prepare(house)
    return house


def _reads(house: House) -> dict[str, str]:
    """Return every read of a record: what it is, and its address."""
    state, ids = house.studio.desk.state(house.project_id), house.ids
    candidate = state.candidates.keys()[0]
    exchange = state.validations.rows()[0].body.exchange_id
    project, ledger = f"/projects/{house.project_id}", f"/ledgers/{house.project_id}"
    return {
        "project": project,
        "outline": f"{project}/outline",
        "focus": f"{project}/focus?node_id={ids['task']}",
        "proposals": f"{project}/proposals",
        "delta": f"/deltas/{ids['accept']}",
        "brief": f"/briefs/{ids['brief']}",
        "run": f"/runs/{ids['queued']}",
        "candidate": f"/candidates/{candidate}",
        "verify": f"/candidates/{candidate}/verify",
        "patch": f"/candidates/{candidate}/patch",
        "validation": f"/validations/{exchange}",
        "events": f"{ledger}/events",
        "head": f"{ledger}/head",
        "proof": f"{ledger}/proof/inclusion?seq=3",
        "ledger": f"{ledger}/verify",
    }


WHOLE: Final = frozenset({"head", "proof", "ledger"})
"""Reads that tell of the whole ledger, private captures included."""


async def test_a_viewer_reads_what_is_visible_of_a_project(house: House) -> None:
    """Every read but those of the whole ledger works for a viewer, all work for the owner, and none of them writes."""
    before = house.heads()
    for person, closed in (("vera", WHOLE), ("owner", frozenset())):
        async with house.client(person) as client:
            for name, path in _reads(house).items():
                answer = await client.get(API + path)
                status = 403 if name in closed else 200
                assert (answer.status_code, answer.headers["cache-control"]) == (status, "no-store"), path
    assert house.heads() == before


async def test_what_was_withheld_is_the_owners_to_see(house: House) -> None:
    """A brief's list of withheld nodes, with the reasons, is there for the owner and empty for others."""
    path = API + _reads(house)["brief"]
    async with house.client() as client:
        mine = (await client.get(path)).json()
    async with house.client("vera") as client:
        hers = (await client.get(path)).json()
    assert len(mine["withheld"]) > 0
    assert hers == {**mine, "withheld": []}


async def test_what_one_may_not_know_does_not_exist(house: House) -> None:
    """A foreign record and one that never was get the same answer, to the letter of the id."""
    async with house.client("olaf") as client:
        assert (await client.get(f"{API}/projects")).json() == {"projects": [], "damaged": []}
        for path in _reads(house).values():
            address, mark, query = path.partition("?")
            made_up = "/".join(
                f"{part.partition('_')[0]}_{NOBODY}" if "_" in part else part for part in address.split("/")
            )
            foreign = await client.get(API + path)
            missing = await client.get(API + made_up + mark + query)
            assert foreign.status_code == missing.status_code == 404, path
            known = next(part for part in address.split("/") if "_" in part)
            unknown = next(part for part in made_up.split("/") if "_" in part)
            assert foreign.text == missing.text.replace(unknown, known), path


async def test_the_world_ledger_is_no_project(house: House) -> None:
    """Its events can be read by whoever has a role in it; it takes no captures."""
    world = house.studio.world_id
    async with house.client() as client:
        assert (await client.get(f"{API}/ledgers/{world}/events?limit=1")).status_code == 200
        assert (await client.get(f"{API}/projects/{world}/outline")).status_code == 404
        refused = await house.write(client, f"/projects/{world}/sources", {"text": "Into the world"})
        assert refused.status_code == 404


async def test_a_read_is_tagged_by_the_head(tmp_path: Path) -> None:
    """While nothing was appended the tag answers 304 without a body; afterwards it is another tag."""
    house = open_house(tmp_path)
    path = f"{API}/projects/{house.project_id}/outline"
    async with house.client() as client:
        first = await client.get(path)
        tag = first.headers["etag"]
        again = await client.get(path, headers={"If-None-Match": tag})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
        house.captured("Ask Jonas about the hall colour")
        later = await client.get(path, headers={"If-None-Match": tag})
        assert (later.status_code, later.headers["etag"] != tag) == (200, True)
    async with house.client("vera") as client:
        assert (await client.get(path)).headers["etag"] != later.headers["etag"]


async def test_a_proof_leads_from_an_event_to_the_head(house: House) -> None:
    """The hashes of an inclusion proof recompute the root that the checkpoint signs."""
    async with house.client() as client:
        ledger = f"{API}/ledgers/{house.project_id}"
        proof = (await client.get(f"{ledger}/proof/inclusion?seq=5")).json()
        head = (await client.get(f"{ledger}/head")).json()
    stored = house.studio.desk.ledger.read(house.project_id, 4, 1)[0]
    assert proof["leaf_hash"] == stored.leaf_hash.hex()
    assert (proof["size"], proof["root"]) == (head["seq"], head["root"])
    assert head["checkpoint"].splitlines()[1] == str(head["seq"])
    hashes = [bytes.fromhex(item) for item in proof["hashes"]]
    root = bytes.fromhex(head["root"])
    assert verify_inclusion(stored.leaf_hash, 4, head["seq"], hashes, root=root)


async def test_events_are_paged(house: House) -> None:
    """Pages run from the newest event to the first without a gap, and hold no words."""
    seen: list[int] = []
    before: int | None = None
    async with house.client() as client:
        while True:
            query = "" if before is None else f"&before={before}"
            page = (await client.get(f"{API}/ledgers/{house.project_id}/events?limit=20{query}")).json()
            seen.extend(item["seq"] for item in page["events"])
            before = page["next_before"]
            if before is None:
                break
    assert seen == list(range(house.heads()[house.project_id], 0, -1))


async def test_people(house: House) -> None:
    """The owner sees everybody with their roles; anyone else sees themselves."""
    async with house.client() as client:
        found = (await client.get(f"{API}/people")).json()["people"]
    assert [(item["person_id"], item["roles"]) for item in found] == [
        ("olaf", []),
        ("owner", [[None, "owner"]]),
        ("vera", [[None, "viewer"]]),
    ]
    async with house.client("vera") as client:
        found = (await client.get(f"{API}/people")).json()["people"]
    assert [item["person_id"] for item in found] == ["vera"]
