"""The views on the command line: timeline, map, a past revision, and what differs between two."""

from tests.cli.conftest import Odeu


def _planned(odeu: Odeu) -> str:
    """Open a project with two accepted nodes; return it."""
    project = str(odeu("project", "new", "Birch Lane", "--json").record["project_id"])
    for outline in ("# Bathroom\n", "# Kitchen\n"):
        done = odeu("import-outline", "-", "--project", project, "--json", given=outline).record
        assert odeu("accept", done["delta_id"], "--json").status == 0
    return project


def test_the_views_tell_one_story(odeu: Odeu) -> None:
    """Timeline, map, past and comparison agree about what was accepted when; words and records say the same."""
    project = _planned(odeu)
    told = odeu("show", "-p", project, "--view", "timeline", "--json").record
    drawn = odeu("show", "-p", project, "--view", "map", "--json").record
    past = odeu("show", "-p", project, "--at", "1", "--json").record
    differs = odeu("show", "-p", project, "--diff", "1..2", "--json").record
    assert [entry["revision"] for entry in told["entries"]] == [2, 1, 0]
    assert [item["title"] for item in told["entries"][0]["changes"]] == ["Kitchen"]
    assert [node["title"] for node in drawn["nodes"]] == ["Birch Lane", "Bathroom", "Kitchen"]
    assert [node["title"] for node in past["nodes"]] == ["Birch Lane", "Bathroom"]
    assert [(item["change"], item["title"]) for item in differs["changes"]] == [("added", "Kitchen")]
    assert "added    Kitchen" in odeu("show", "-p", project, "--diff", "1..2").out
    assert "Kitchen belongs to Birch Lane" in odeu("show", "-p", project, "--view", "map").out


def test_what_is_not_there_is_refused_with_the_way_out(odeu: Odeu) -> None:
    """A revision, a range or a node that does not exist is an error, not an empty view."""
    project = _planned(odeu)
    refused = [
        odeu("show", "-p", project, *arguments, "--json")
        for arguments in (
            ("--at", "9"),
            ("--diff", "now"),
            ("--diff", "1..0"),
            ("--diff", "0..1", "--view", "map"),
            ("--diff", "0..1", "--at", "1"),
            ("--view", "map", "--node", "node_nothing"),
            ("--view", "timeline", "--node", "node_nothing"),
            ("--before", "0"),
            ("--node", "node_nothing"),
        )
    ]
    assert [said.status != 0 for said in refused] == [True] * 9
    assert "the newest is 2" in refused[0].record["error"]["message"]
    assert "16..18" in refused[1].record["error"]["message"]
    assert refused[2].record["error"]["message"] == "name the earlier revision first: 0..1"
    assert "leave --view out" in refused[3].record["error"]["message"]
    assert "leave --at out" in refused[4].record["error"]["message"]
    assert "--before is for the timeline" in refused[7].record["error"]["message"]
    assert "--node is for map, timeline and focus" in refused[8].record["error"]["message"]
