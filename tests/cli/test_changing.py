"""Proposing to change an accepted node on the command line."""

from typing import Any

from tests.cli.conftest import Odeu


def _grown(odeu: Odeu) -> tuple[str, str, dict[str, str]]:
    """Return a project, its root, and two more nodes by their titles."""
    project = str(odeu("projects", "--json").record["projects"][0]["project_id"])
    root = str(odeu("show", "--project", project, "--json").record["nodes"][0]["node_id"])
    outline = "- [Idea] Chairs\n- [Task] Choose chairs\n"
    delta = odeu("import-outline", "-", "--project", project, "--json", given=outline).record["delta_id"]
    odeu("accept", delta, "--json")
    return project, root, _ids(odeu, project)


def _ids(odeu: Odeu, project: str) -> dict[str, str]:
    nodes = odeu("show", "--project", project, "--json").record["nodes"]
    return {node["title"]: node["node_id"] for node in nodes}


def _accepted(odeu: Odeu, *wish: str) -> dict[str, Any]:
    """Propose a change and accept it; return the proposal."""
    proposed = odeu("change", *wish, "--json").record
    odeu("accept", proposed["delta_id"], "--json")
    return proposed


def test_a_node_is_changed_moved_related_and_retired(odeu: Odeu) -> None:
    """Each wish is a proposal with its own title that `odeu accept` accepts; the ledger verifies after all."""
    project, _root, ids = _grown(odeu)
    chairs, task = ids["Chairs"], ids["Choose chairs"]
    moved = _accepted(odeu, task, "--move-under", chairs, "--reason", "Same room")
    assert (moved["title"], moved["reasons"]) == ("Move Choose chairs under Chairs", ["Same room"])
    several = _accepted(odeu, task, "--title", "Choose four chairs", "--status", "blocked")
    assert (several["purpose"], several["operations"]) == ("correction", 1)
    joined = _accepted(odeu, task, "--relate", f"depends_on:{chairs}")
    assert joined["title"] == "Choose four chairs depends on Chairs"
    parted = _accepted(odeu, chairs, "--unrelate", f"depends_on:{task}")
    assert parted["title"] == "End: Choose four chairs depends on Chairs"
    _accepted(odeu, chairs, "--retire", "--reason", "We stand")
    after = _ids(odeu, project)
    assert ("Chairs" in after, "Choose four chairs" in after) == (False, True)
    assert odeu("verify", "--strict", "--json").record["verified"] is True


def test_unlawful_wishes_are_refused_in_words(odeu: Odeu) -> None:
    """A circle, nothing, another kind of relation, a relation that is not there, and --with-all alone."""
    _project, root, ids = _grown(odeu)
    task = ids["Choose chairs"]
    wishes = {
        (root, "--move-under", task): "endpoint_mismatch",
        (root, "--retire"): "root_not_retired",
        (task,): "invalid",
        (task, "--relate", "eats:node"): "invalid",
        (task, "--unrelate", f"refines:{root}"): "invalid",
        (task, "--with-all"): "invalid",
        ("node_none", "--retire"): "not_found",
    }
    said = {wish: odeu("change", *wish, "--json") for wish in wishes}
    assert {wish: answer.record["error"]["code"] for wish, answer in said.items()} == wishes
    assert {answer.status for answer in said.values()} == {1}
