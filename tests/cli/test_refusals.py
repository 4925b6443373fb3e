"""Refusals on the command line: a code, a sentence, a non-zero exit, nothing written."""

from pathlib import Path

import pytest

from tests.cli.conftest import Odeu, call


def test_without_an_installation_nothing_is_created(tmp_path: Path) -> None:
    """Only init, serve and tour create a data folder; other commands say what to run."""
    said = call(tmp_path / "none", "projects", "--json")
    assert said.status == 1
    assert said.record["error"]["code"] == "configuration_invalid"
    assert "odeu init" in said.record["error"]["message"]
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("accept", "delta_00000000000000000000000000"), "not_found"),
        (("capture", "--project", "nope", "hello"), "not_found"),
        (("show", "--project", "Paint planner", "--view", "table"), "invalid"),
        (("capture", "--project", "Paint planner", "   "), "invalid"),
        (("run", "authorize", "brief_00000000000000000000000000"), "not_found"),
        (("promotion", "status", "promotion_00000000000000000000000000"), "not_found"),
        (("audit", "0" * 40), "not_found"),
        (("person", "add", "Not A Slug"), "invalid"),
    ],
)
def test_a_refusal_names_its_reason(odeu: Odeu, arguments: tuple[str, ...], code: str) -> None:
    """An unlawful request exits with 1 and one JSON object that carries code and message."""
    said = odeu(*arguments, "--json")
    assert (said.status, said.record["error"]["code"]) == (1, code)
    assert said.record["error"]["message"]


def test_a_usage_error_is_a_refusal_too(odeu: Odeu) -> None:
    """A missing argument answers programs in the same shape, with exit status 2."""
    said = odeu("capture", "--json")
    assert (said.status, said.record["error"]["code"]) == (2, "usage")


def test_a_second_yes_is_refused(odeu: Odeu) -> None:
    """An accepted proposal cannot be accepted again; the head stays where it is."""
    delta = odeu("capture", "--project", "Paint planner", "Buy two rollers", "--json").record["delta_id"]
    assert odeu("accept", delta, "--json").status == 0
    again = odeu("accept", delta, "--json")
    assert (again.status, again.record["error"]["code"]) == (1, "lifecycle_conflict")


def test_settings_that_do_not_read_are_refused_with_their_name(tmp_path: Path) -> None:
    """A port that is no port answers programs with one object that names the variable; nothing is created."""
    for port in ("abc", "99999999"):
        said = call(tmp_path / "none", "serve", "--json", environment={"ODEU_PORT": port})
        assert (said.status, said.record["error"]["code"]) == (1, "configuration_invalid")
        assert said.record["error"]["message"].startswith(f"ODEU_PORT is '{port}': ")
    assert not (tmp_path / "none").exists()


def test_a_data_folder_that_cannot_be_is_refused(tmp_path: Path) -> None:
    """A file in its place, or under it, is a refusal with the path and the way out, not a crash."""
    file = tmp_path / "file"
    file.write_text("mine", encoding="utf-8")
    for place in (file, file / "below"):
        said = call(place, "init", "--json")
        assert (said.status, said.record["error"]["code"]) == (1, "configuration_invalid")
        assert str(place) in said.record["error"]["message"]
        assert "ODEU_DATA must name a folder" in said.record["error"]["message"]
    assert file.read_text(encoding="utf-8") == "mine"


def test_a_configuration_file_that_is_named_and_missing_is_a_problem(odeu: Odeu, tmp_path: Path) -> None:
    """The one in the data folder may be absent; one that ODEU_CONFIG names may not."""
    missing = str(tmp_path / "missing.toml")
    said = odeu("doctor", "--json", environment={"ODEU_CONFIG": missing})
    found = next(item for item in said.record["findings"] if item["name"] == "configuration")
    assert (said.status, found["fine"]) == (1, False)
    assert found["detail"] == (
        f"there is no file {missing}, which ODEU_CONFIG names; put it there or correct ODEU_CONFIG"
    )


def test_words_after_two_dashes_are_kept_as_they_are(odeu: Odeu) -> None:
    """`--json` before `--` asks for JSON; after it, it is what somebody said."""
    said = odeu("project", "new", "--json", "--", "--json")
    assert (said.status, said.record["title"]) == (0, "--json")
    plain = odeu("project", "new", "--", "--json")
    assert plain.status == 0
    assert plain.out.startswith("Opened --json: ")


def test_a_focus_on_nothing_asks_for_the_node(odeu: Odeu) -> None:
    """The refusal says how to find one."""
    said = odeu("show", "--project", "Paint planner", "--view", "focus", "--json")
    assert (said.status, said.record["error"]["code"]) == (1, "invalid")
    assert "odeu show --view outline" in said.record["error"]["message"]


def test_a_capture_and_its_proposal_name_places_and_choices_alike(odeu: Odeu) -> None:
    """Other places are nodes with titles, choices are labels, in both answers."""
    words = "We need to choose tins to buy that leave the least paint over, mixing sizes."
    captured = odeu("capture", "--project", "Paint planner", words, "--json").record
    (listed,) = odeu("proposals", "--project", "Paint planner", "--json").record["proposals"]
    assert (captured["alternatives"], captured["choices"]) == (listed["alternatives"], listed["choices"])
    assert [set(item) for item in captured["alternatives"]] == [{"node_id", "title"}] * len(
        captured["alternatives"]
    )
    assert captured["choices"]
    assert captured["fits"] == listed["fits"]


def test_a_capture_says_scores_and_words_of_every_place_and_how_to_take_it(odeu: Odeu) -> None:
    """The receipt names each place with its score on its scale, the words for it, and the command of each choice."""
    words = "We need to choose tins to buy that leave the least paint over, mixing sizes."
    said = odeu("capture", "--project", "Paint planner", words).out
    (listed,) = odeu("proposals", "--project", "Paint planner", "--json").record["proposals"]
    for fit in listed["fits"]:
        why = f"words {', '.join(fit['matched'])}" if fit["matched"] else fit["reason"]
        assert f"  fit {fit['score'] / 1000:.2f} of 1: {fit['title']} ({fit['node_id']}), {why}" in said
    for number, label in enumerate(listed["choices"], start=1):
        assert f"  or {label}: odeu accept {listed['delta_id']} --choice {number}" in said
    taken = odeu("accept", listed["delta_id"], "--choice", "1", "--json").record
    assert taken["rebased_from"] is None


def test_an_import_says_that_a_tick_completes_nothing(odeu: Odeu) -> None:
    """A ticked item waits as a planned Task, and answer and proposal say so; a byte order mark is no word."""
    outline = "\ufeff- [x] Buy tape\n-\n- [ ] Paint\n"
    said = odeu("import-outline", "-", "--project", "Paint planner", "--json", given=outline).record
    note = "1 ticked item comes in as planned: an import completes nothing"
    assert (said["nodes"], said["notes"]) == (2, [note])
    (listed,) = odeu("proposals", "--project", "Paint planner", "--json").record["proposals"]
    assert listed["uncertainty"] == [note]


def test_doctor_is_ready_where_everything_is(odeu: Odeu) -> None:
    """On a machine with everything, doctor finds nothing missing."""
    said = odeu("doctor", "--json")
    assert [item for item in said.record["findings"] if not item["fine"]] == []
    assert said.status == 0


@pytest.mark.parametrize("before", ["0", "-1", str(2**31), str(2**70)])
def test_a_log_before_no_event_is_refused(odeu: Odeu, before: str) -> None:
    """A number that no event can have is a refusal that names the option, not a crash of the database."""
    said = odeu("log", f"--before={before}", "--json")
    assert (said.status, said.record["error"]["code"]) == (2, "usage")
    assert "'--before'" in said.record["error"]["message"]


def test_a_log_before_the_largest_number_is_the_whole_one(odeu: Odeu) -> None:
    """The largest number that is taken reaches the newest event."""
    assert odeu("log", "--before", str(2**31 - 1), "--json").record == odeu("log", "--json").record


def test_a_title_that_two_projects_have_names_both(odeu: Odeu) -> None:
    """Which of the two is meant is said by an id, so the refusal holds both."""
    ids = sorted(odeu("project", "new", "Twin", "--json").record["project_id"] for _ in range(2))
    error = odeu("capture", "-p", "Twin", "Paint", "--json").record["error"]
    assert error == {
        "code": "title_shared",
        "message": f"2 projects are called 'Twin'; name one by its id: {ids[0]} or {ids[1]}",
    }


def test_an_edit_of_nothing_is_refused(odeu: Odeu) -> None:
    """Without an option there is nothing to change, and the refusal names the options."""
    error = odeu("edit", "delta_00000000000000000000000000", "--json").record["error"]
    message = "name what to change: --title, --description, --kind or --profile"
    assert error == {"code": "invalid", "message": message}
