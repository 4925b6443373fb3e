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
        (("show", "--project", "Paint planner", "--view", "map"), "invalid"),
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


def test_doctor_is_ready_where_everything_is(odeu: Odeu) -> None:
    """On a machine with everything, doctor finds nothing missing."""
    said = odeu("doctor", "--json")
    assert [item for item in said.record["findings"] if not item["fine"]] == []
    assert said.status == 0
