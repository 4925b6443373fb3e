"""The whole path on the command line, command by command, with the names others rely on."""

import subprocess
from pathlib import Path

from tests.cli.conftest import Odeu

SENTENCE = "We need to choose tins to buy that leave the least paint over, mixing sizes."


def test_a_sentence_moves_a_branch_by_command(odeu: Odeu, data: Path) -> None:
    """Each command answers with the ids the next one takes; the branch ends at the candidate, and audits."""
    project = odeu("projects", "--json").record["projects"][0]["project_id"]
    captured = odeu("capture", "--project", project, SENTENCE, "--json").record
    assert captured["proposed"]["kind"] == "Task"
    assert captured["proposed"]["parent"]["title"] == "Tins to buy"
    assert captured["clarification"] is None
    waiting = odeu("proposals", "--project", project, "--json").record["proposals"]
    assert [item["delta_id"] for item in waiting] == [captured["delta_id"]]
    accepted = odeu("accept", captured["delta_id"], "--json").record
    assert accepted["revision_id"].startswith("revision_")

    task = accepted["node_id"]
    brief = odeu(
        "brief", "compile", "--project", project, "--task", task, "--profile", "paint-tins", "--json"
    ).record
    run = odeu("run", "authorize", brief["brief_id"], "--json").record
    assert (run["status"], run["code"]) == ("returned", "ok")
    assert odeu("run", "status", run["run_id"], "--json").record == run
    sealed = odeu("candidate", "verify", run["candidate_id"], "--json")
    assert (sealed.status, sealed.record["problems"]) == (0, [])
    checked = odeu("validate", run["closure_id"], "--json").record
    assert (checked["status"], checked["passed"]) == ("recorded", True)

    _integrated_and_moved(odeu, data, project, (task, run["closure_id"], sealed.record["commit"]))


def _integrated_and_moved(odeu: Odeu, data: Path, project: str, ids: tuple[str, str, str]) -> None:
    task, closure, commit = ids
    delta = odeu("reconcile", closure, "--json").record["delta_id"]
    odeu("integrate", delta, "--json")
    shown = odeu("show", "--project", project, "--view", "focus", "--node", task, "--json").record["node"]
    assert (shown["phase"], shown["verification"]) == ("completed", "verified")

    promotion = odeu("promotion", "propose", delta, "--json").record["promotion_id"]
    odeu("promotion", "authorize", promotion, "--json")
    token = odeu("operator", "token", "new", "--json").record["token"]
    refused = odeu("promotion", "execute", promotion, "--json", given="wrong\n")
    assert (refused.status, refused.record["error"]["code"]) == (1, "operator_token")
    moved = odeu("promotion", "execute", promotion, "--json", environment={"ODEU_OPERATOR_TOKEN": token})
    assert (moved.status, moved.record["status"], moved.record["journal"]) == (0, "promoted", "completed")
    plain = ["git", "--git-dir", str(data / "sandbox/repository.git"), "rev-parse", "refs/heads/main"]
    assert subprocess.run(plain, capture_output=True, text=True, check=True).stdout.strip() == commit
    audited = odeu("audit", commit, "--json")
    assert audited.status == 0
    assert {link["standing"] for link in audited.record["links"]} == {"passed"}
    assert odeu("verify", "--strict", "--json").record["verified"] is True


def test_the_tour_verifies_itself(odeu: Odeu) -> None:
    """`odeu tour` ends with a branch that plain git reads at the candidate and a chain that holds."""
    toured = odeu("tour", "--json")
    assert (toured.status, toured.record["step"], toured.record["holds"]) == (0, "audit", True)
    assert toured.record["branch"] == toured.record["commit"]


def test_a_kept_tour_can_be_taken_again(odeu: Odeu, data: Path) -> None:
    """The first uses the unused sandbox project; the next is an installation of its own, and both histories stay."""
    first = odeu("tour", "--keep", "--json")
    assert (first.status, first.record["holds"]) == (0, True)
    assert [item["title"] for item in odeu("projects", "--json").record["projects"]] == ["Paint planner"]
    again = odeu("tour", "--keep", "--json")
    assert (again.status, again.record["holds"]) == (0, True)
    assert odeu("audit", first.record["commit"], "--json").status == 0
    later = str(data / "tours" / "1")
    assert odeu("audit", again.record["commit"], "--json", environment={"ODEU_DATA": later}).status == 0


def test_the_tour_stops_where_it_is_told(odeu: Odeu) -> None:
    """`--until brief` ends with the brief; nothing was run."""
    toured = odeu("tour", "--until", "brief", "--json")
    assert (toured.status, toured.record["step"]) == (0, "brief")


def test_an_unauthorised_wait_is_queued_and_done_by_the_next_worker(odeu: Odeu) -> None:
    """`--no-wait` leaves a queued run that can be cancelled, and says so."""
    project = odeu("projects", "--json").record["projects"][0]["project_id"]
    delta = odeu("capture", "--project", project, SENTENCE, "--json").record["delta_id"]
    task = odeu("accept", delta, "--json").record["node_id"]
    brief = odeu(
        "brief", "compile", "--project", project, "--task", task, "--profile", "paint-tins", "--json"
    ).record["brief_id"]
    run = odeu("run", "authorize", brief, "--no-wait", "--json").record
    assert run["status"] == "queued"
    cancelled = odeu("run", "cancel", run["run_id"], "--json").record
    assert cancelled["status"] == "cancelled"
    again = odeu("run", "authorize", brief, "--json").record
    assert (again["status"], again["attempt"]) == ("returned", 2)
