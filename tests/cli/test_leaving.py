"""Erasing and leaving by commands, with the exit codes that programs rely on."""

from pathlib import Path

from tests.cli.conftest import Odeu


def test_export_verify_erase_and_back_up(odeu: Odeu, tmp_path: Path) -> None:
    """A bundle verifies with 4 alone and 0 with trust, a broken one with 3; erased words are gone from the next."""
    bundle, trust, later = (str(tmp_path / name) for name in ("bundle", "trust", "later"))
    project = odeu("projects", "--json").record["projects"][0]["project_id"]
    captured = odeu("capture", "Ask about the zebrafinch at the wall", "-p", project, "--json").record
    assert odeu("export", "-p", project, bundle, "--trust", trust, "--json").status == 0
    assert (
        odeu("verify-bundle", bundle, "--json").status,
        odeu("verify-bundle", bundle, "--trust", trust).status,
    ) == (
        4,
        0,
    )
    Path(bundle).write_bytes(Path(bundle).read_bytes()[:-2])
    assert odeu("verify-bundle", bundle, "--trust", trust).status == 3
    erased = odeu("erase", captured["source_id"], "--json").record
    assert (erased["source_ids"], erased["closed_deltas"], erased["accepted"]) == (
        [captured["source_id"]],
        [captured["delta_id"]],
        [],
    )
    assert odeu("erase", captured["source_id"], "--json").record["error"]["code"] == "source_erased"
    assert odeu("verify", "--strict", "--json").record["verified"]
    assert odeu("export", "-p", project, later).status == 0
    assert odeu("verify-bundle", later, "--trust", trust).status == 0
    assert "master.key" not in odeu("backup", str(tmp_path / "backup.tar"), "--json").record["contents"]
