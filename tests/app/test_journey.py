"""The whole main job through the API alone, with the server's own worker: from a sentence to a moved branch."""

import subprocess
from pathlib import Path
from typing import Any

import httpx2

from app import bootstrap
from tests.app.house import API, ORIGIN, PROFILE, House, house_over, open_house, running, until
from tests.support.recipe import branch, install_library, library_texts


async def _done(house: House, client: httpx2.AsyncClient, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = await house.write(client, path, body)
    assert answer.status_code in {200, 201, 202}, (path, answer.text)
    found: dict[str, Any] = answer.json()
    return found


async def _waiting(client: httpx2.AsyncClient, project_id: str, delta_id: str) -> dict[str, Any]:
    """Return what an act on a waiting proposal must carry."""
    listed = (await client.get(f"{API}/projects/{project_id}/proposals")).json()["proposals"]
    shown = next(item for item in listed if item["delta_id"] == delta_id)
    return {"expected_revision": shown["revision"], "seen": shown["seen"]}


async def _candidate(
    house: House, client: httpx2.AsyncClient, project_id: str, *, sentence: str, profile: str
) -> dict[str, Any]:
    """Capture, accept, brief, authorise; return the run when it has returned."""
    captured = await _done(house, client, f"/projects/{project_id}/sources", {"text": sentence})
    bound = await _waiting(client, project_id, captured["delta_id"])
    accepted = await _done(house, client, f"/deltas/{captured['delta_id']}/accept", bound)
    body = {"node_id": accepted["node_id"], "profile_id": profile}
    brief = await _done(house, client, f"/projects/{project_id}/briefs", body)
    run = await _done(house, client, "/runs/authorize", {"brief_id": brief["brief_id"]})
    ended = {"returned", "failed", "blocked", "outcome_unknown"}
    run = await until(client, f"/runs/{run['run_id']}", "status", ended)
    assert (run["status"], run["progress"][0]) == ("returned", "host: The run folder holds the base commit")
    return run


async def _integrated(house: House, client: httpx2.AsyncClient, run: dict[str, Any]) -> str:
    """Validate and integrate a returned run; return the accepted reconciliation."""
    asked = await _done(house, client, f"/closures/{run['closure_id']}/validations", {})
    found = await until(client, f"/validations/{asked['exchange_id']}", "status", {"recorded", "failed"})
    assert found["passed"], found
    result = await _done(house, client, f"/closures/{run['closure_id']}/reconciliations", {})
    bound = {"expected_revision": result["revision"], "seen": result["seen"]}
    await _done(house, client, "/integrations", {"delta_id": result["delta_id"], **bound})
    return str(result["delta_id"])


async def _promoted(house: House, client: httpx2.AsyncClient, delta_id: str) -> dict[str, Any]:
    """Propose, authorise and execute the promotion; return its answer."""
    offered = await _done(house, client, "/promotions", {"delta_id": delta_id})
    path = f"/promotions/{offered['promotion_id']}"
    bound = {"expected_revision": offered["revision"], "seen": offered["seen"]}
    await _done(house, client, f"{path}/authorize", bound)
    headers = {"Origin": ORIGIN, "Authorization": f"Bearer {house.operator_token}", "Idempotency-Key": "now"}
    async with house.client(None) as operator:
        moved = await operator.post(f"{API}{path}/execute", json={}, headers=headers)
    assert (moved.status_code, moved.json()["outcome"]) == (200, "promoted"), moved.text
    return (await client.get(API + path)).json()  # type: ignore[no-any-return]


async def test_from_a_sentence_to_a_moved_branch(tmp_path: Path) -> None:
    """Every boundary is one request; at the end the branch is the candidate and the audit holds."""
    house = open_house(tmp_path)
    async with running(house.app), house.client() as client:
        project_id = (await client.get(f"{API}/projects")).json()["projects"][0]["project_id"]
        sentence = bootstrap.sandbox_texts()[2]
        run = await _candidate(house, client, project_id, sentence=sentence, profile=PROFILE)
        verified = (await client.get(f"{API}/candidates/{run['candidate_id']}/verify")).json()
        assert verified["problems"] == []
        patch = await client.get(f"{API}/candidates/{run['candidate_id']}/patch")
        assert "paint/tins.py" in patch.text
        assert patch.headers["content-disposition"].startswith("attachment")
        promotion = await _promoted(house, client, await _integrated(house, client, run))
        audit = (await client.get(f"{API}/audit/{promotion['candidate_commit']}")).json()
        assert [item["standing"] for item in audit["links"]] == ["passed"] * 10
        outline = (await client.get(f"{API}/projects/{project_id}/outline")).json()
        task = next(item for item in outline["nodes"] if item["kind"] == "Task")
        assert (task["phase"], task["verification"]) == ("completed", "verified")
        verdict = (await client.get(f"{API}/ledgers/{project_id}/verify?strict=true")).json()
        assert verdict["problems"] == []
    assert promotion["candidate_commit"] == verified["commit"]
    assert _branch(house) == promotion["candidate_commit"]


async def test_the_same_requests_move_another_repository(tmp_path: Path) -> None:
    """On the recipe's own repository, words, profile and branch the API walks the same way from an empty world."""
    settings = install_library(tmp_path / "data").model_copy(update={"public_origin": ORIGIN})
    house, texts = house_over(bootstrap.open_studio(settings), ""), library_texts()
    async with running(house.app), house.client() as client:
        project_id = (await _done(house, client, "/projects", {"title": texts.title}))["project_id"]
        outline = {"text": texts.outline}
        imported = await _done(house, client, f"/projects/{project_id}/import-outline", outline)
        bound = await _waiting(client, project_id, imported["delta_id"])
        await _done(house, client, f"/deltas/{imported['delta_id']}/accept", bound)
        run = await _candidate(house, client, project_id, sentence=texts.sentence, profile=texts.profile_id)
        promotion = await _promoted(house, client, await _integrated(house, client, run))
        audit = (await client.get(f"{API}/audit/{promotion['candidate_commit']}")).json()
        assert audit["holds"], audit["links"]
    assert promotion["target_ref"] == "refs/heads/desk"
    assert branch(tmp_path / "data") == promotion["candidate_commit"]


def _branch(house: House) -> str:
    place = house.studio.settings.data_folder / "sandbox" / "repository.git"
    command = ["git", "--git-dir", str(place), "rev-parse", "refs/heads/main"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
