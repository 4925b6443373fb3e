"""Later, not like this, in parts, the same again, and back, on the command line."""

from tests.cli.conftest import Odeu

SENTENCE = "We need to choose tins to buy that leave the least paint over, mixing sizes."


def _project(odeu: Odeu) -> str:
    return str(odeu("projects", "--json").record["projects"][0]["project_id"])


def _captured(odeu: Odeu, project: str) -> str:
    return str(odeu("capture", "--project", project, SENTENCE, "--json").record["delta_id"])


def test_a_proposal_is_put_off_sent_back_and_split(odeu: Odeu) -> None:
    """Deferred it leaves the list and is found with --all; remanded it waits; split, its parts wait."""
    project = _project(odeu)
    delta = _captured(odeu, project)
    deferred = odeu(
        "defer", delta, "--until", "2999-12-24", "--reason", "After the holidays", "--json"
    ).record
    assert (deferred["disposition"], deferred["reason"]) == ("deferred", "After the holidays")
    assert deferred["until"][:11] in {"2999-12-23T", "2999-12-24T"}
    assert odeu("proposals", "--project", project, "--json").record["proposals"] == []
    (found,) = odeu("proposals", "--project", project, "--all", "--json").record["proposals"]
    assert (found["delta_id"], found["disposition"]) == (delta, "deferred")

    remand = ("remand", delta, "--reason", "Two jobs", "--correction", "Part them", "--correction", "Shorter")
    assert odeu(*remand, "--json").record["corrections"] == ["Part them", "Shorter"]
    refused = odeu("accept", delta, "--json")
    assert (refused.status, refused.record["error"]["code"]) == (1, "lifecycle_conflict")

    root = odeu("show", "--project", project, "--json").record["nodes"][0]["node_id"]
    parts = ("--part", "Task: Choose tins", "--part", f"Idea: Mix sizes @ {root}")
    split = odeu("split", delta, *parts, "--json").record
    assert len(split["replacement_ids"]) == 2
    accepted = [odeu("accept", item, "--json").record for item in split["replacement_ids"]]
    assert [item["revision"] for item in accepted] == [accepted[0]["revision"], accepted[0]["revision"] + 1]
    assert odeu("verify", "--strict", "--json").record["verified"] is True


def test_a_proposal_is_renewed_and_a_revision_taken_back(odeu: Odeu) -> None:
    """Rebase makes a proposal about the head; compensate one that retires what an accepted one added."""
    project = _project(odeu)
    first, second = _captured(odeu, project), _captured(odeu, project)
    accepted = odeu("accept", first, "--json").record
    renewed = odeu("rebase", second, "--json").record
    assert (renewed["supersedes"], renewed["base_revision"]) == (second, accepted["revision"])
    back = odeu("compensate", first, "--reason", "Wrong house", "--json").record
    assert (back["compensates"], back["disposition"]) == (accepted["revision"], "pending")
    odeu("accept", back["delta_id"], "--json")
    nodes = odeu("show", "--project", project, "--json").record["nodes"]
    assert accepted["node_id"] not in {node["node_id"] for node in nodes}
    waiting = odeu("compensate", renewed["delta_id"], "--json")
    assert (waiting.status, waiting.record["error"]["code"]) == (1, "invalid")


def test_a_project_is_put_away_and_taken_up_again(odeu: Odeu) -> None:
    """An archived project refuses words and still shows; restored it takes them."""
    project = _project(odeu)
    archived = odeu("project", "archive", project, "--json").record
    assert archived["archived"] is True
    refused = odeu("capture", "--project", project, SENTENCE, "--json")
    assert (refused.status, refused.record["error"]["code"]) == (1, "project_archived")
    assert odeu("show", "--project", project, "--json").status == 0
    assert odeu("project", "restore", project, "--json").record["archived"] is False
    assert _captured(odeu, project).startswith("delta_")


def test_a_part_or_a_moment_that_does_not_read_is_refused_with_an_example(odeu: Odeu) -> None:
    """The sentence shows how it is written."""
    delta = _captured(odeu, _project(odeu))
    part = odeu("split", delta, "--part", "Dream: Fly", "--part", "Task: Walk", "--json")
    moment = odeu("defer", delta, "--until", "someday", "--json")
    assert "“Kind: title @ NODE”" in part.record["error"]["message"]
    assert "2026-12-24T09:00" in moment.record["error"]["message"]
