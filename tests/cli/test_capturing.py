"""Files that are captured on the command line."""

from pathlib import Path

from tests.cli.conftest import Odeu


def _project(odeu: Odeu) -> str:
    return str(odeu("projects", "--json").record["projects"][0]["project_id"])


def test_a_file_is_captured_after_the_words(odeu: Odeu, tmp_path: Path) -> None:
    """`--file` keeps a text file with its name, and what is no text is refused in words."""
    (tmp_path / "paint.log").write_text("wall paint: 3 tins left over\n")
    (tmp_path / "tap.png").write_bytes(b"\x89PNG\x00")
    project = _project(odeu)
    kept = odeu(
        "capture", "Left over paint", "--project", project, "--file", str(tmp_path / "paint.log"), "--json"
    )
    assert kept.record["source_id"].startswith("source_")
    refused = odeu("capture", "--project", project, "--file", str(tmp_path / "tap.png"), "--json")
    assert (refused.status, refused.record["error"]["code"]) == (1, "file_not_text")
    missing = odeu("capture", "--project", project, "--file", str(tmp_path / "none.md"), "--json")
    assert (missing.status, missing.record["error"]["code"]) == (1, "invalid")
    empty = odeu("capture", "--project", project, "--json")
    assert (empty.status, "nothing to capture" in empty.record["error"]["message"]) == (1, True)


def test_kept_words_are_asked_about_again(odeu: Odeu) -> None:
    """`odeu place` asks once more; the built-in manager is asked in place of another one only where that is outside."""
    kept = odeu("capture", "zzzz qqqq", "--project", _project(odeu), "--private", "--json").record
    again = odeu("place", str(kept["source_id"]), "--json").record
    assert again["source_id"] == kept["source_id"]
    assert again["clarification"]["exchange_id"] != kept["clarification"]["exchange_id"]
    refused = odeu("place", str(kept["source_id"]), "--here", "--json")
    assert (refused.status, refused.record["error"]["code"]) == (1, "not_private_outside")
