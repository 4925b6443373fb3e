"""Proofs and bundles over HTTP: who may have them, and that they hold."""

from pathlib import Path

from adapters.bundles import examine, judge_proof, read_proof
from kernel.merkle import LogHead, verify_consistency
from tests.app.house import API, open_house


async def test_a_consistency_proof_holds(tmp_path: Path) -> None:
    """From any earlier size to the head or to another size, the proof verifies; other sizes are refused."""
    house = open_house(tmp_path)
    path = f"{API}/projects/{house.project_id}/ledger/proof/consistency"
    head = house.heads()[house.project_id]
    async with house.client() as client:
        for first, second in ((1, None), (2, head), (2, 3), (head, None)):
            asked = {"first": first} if second is None else {"first": first, "second": second}
            answer = (await client.get(path, params=asked)).json()
            heads = [
                LogHead(answer[name], bytes.fromhex(answer[f"{name}_root"])) for name in ("first", "second")
            ]
            assert [item.size for item in heads] == [first, second or head]
            assert verify_consistency(heads[0], heads[1], [bytes.fromhex(step) for step in answer["hashes"]])
        for wrong in ({"first": head + 1}, {"first": 3, "second": 2}):
            assert (await client.get(path, params=wrong)).status_code == 404
        assert (await client.get(path, params={"first": 0})).status_code == 422
    async with house.client("olaf") as client:
        assert (await client.get(path, params={"first": 1})).status_code == 404


async def test_a_bundle_is_downloaded_by_an_owner_alone(tmp_path: Path) -> None:
    """It comes as an attachment and verifies; nothing of it is left on the disk, and a viewer is refused."""
    house = open_house(tmp_path)
    path = f"{API}/projects/{house.project_id}/export"
    async with house.client() as client:
        answer = await client.get(path)
    name = f"{house.project_id}.odeu.jsonl"
    assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
    target = tmp_path / "bundle"
    target.write_bytes(answer.content)
    found = examine(target)
    assert (found.problems, found.state) == ([], house.studio.desk.state(house.project_id))
    for person, status in (("vera", 403), ("olaf", 404), (None, 401)):
        async with house.client(person) as client:
            assert (await client.get(path)).status_code == status
    assert not list(house.studio.settings.data_folder.glob(".export-*"))


async def test_a_node_is_proven_to_an_owner_alone(tmp_path: Path) -> None:
    """The answer verifies offline, now, for a past revision and as an absence; it tells sizes, so nobody else has it."""
    house = open_house(tmp_path)
    node_id = house.accepted(house.captured("Order the tiles"))
    path = f"{API}/projects/{house.project_id}/nodes/{node_id}/proof"
    newest = house.revision()
    asked = (({}, newest), ({"at": 0}, 0), ({"words": False}, newest))
    async with house.client() as client:
        for params, number in asked:
            target = tmp_path / "proof"
            target.write_bytes((await client.get(path, params=params)).content)
            proof = read_proof(target)
            assert (proof.revision, proof.record is None) == (number, number == 0)
            assert [item.text for item in proof.words] == (["Order the tiles"] if params == {} else [])
            assert judge_proof(proof, None).self_consistent.standing == "passed"
        assert (await client.get(path, params={"at": newest + 1})).status_code == 404
    for person, status in (("vera", 403), ("olaf", 404), (None, 401)):
        async with house.client(person) as client:
            assert (await client.get(path)).status_code == status
