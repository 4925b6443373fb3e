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


def test_a_bundle_that_cannot_be_read_is_a_refused_call(odeu: Odeu, tmp_path: Path) -> None:
    """A path without a file, or a folder: 1 and a sentence, since 3 is about what a bundle says."""
    for path, why in ((tmp_path / "none", "No such file or directory"), (tmp_path, "Is a directory")):
        said = odeu("verify-bundle", str(path), "--json")
        assert (said.status, said.record["error"]["code"]) == (1, "invalid")
        assert said.record["error"]["message"] == f"{path} cannot be read: {why}"


def test_a_node_is_proven_and_verified_offline(odeu: Odeu, tmp_path: Path) -> None:
    """A proof of a node, or of its absence, verifies with 4 alone and 0 with a pinned key; an altered one with 3."""
    trust, file = str(tmp_path / "trust"), tmp_path / "proof.json"
    project = odeu("projects", "--json").record["projects"][0]["project_id"]
    captured = odeu("capture", "Order the tiles", "-p", project, "--json").record
    accepted = odeu("accept", captured["delta_id"], "--json").record
    node, number = accepted["node_ids"][0], accepted["revision"]
    assert odeu("export", "-p", project, str(tmp_path / "bundle"), "--trust", trust).status == 0
    file.write_text(odeu("prove", node).out)
    assert odeu("verify-proof", str(file)).status == 4
    said = odeu("verify-proof", str(file), "--trust", trust)
    claimed = said.out.splitlines()[0]
    assert (said.status, f"{node} stands in revision {number} of {project}: " in claimed) == (0, True)
    assert claimed.endswith(", Order the tiles")
    file.write_text(odeu("prove", node, "--at", "0", "-p", project, "--json").out)
    said = odeu("verify-proof", str(file), "--trust", trust)
    assert (said.status, f"claimed: {node} does not stand in revision 0 of {project}" in said.out) == (
        0,
        True,
    )
    file.write_text(
        odeu("prove", node, "--without-words").out.replace(f'"created_in":{number}', '"created_in":0')
    )
    assert odeu("verify-proof", str(file), "--json").record["self_consistent"]["standing"] == "failed"
    assert odeu("verify-proof", str(file), "--trust", trust).status == 3
    assert odeu("prove", "node_0000000000000000000000000a", "--json").record["error"]["code"] == "not_found"
    assert odeu("verify-proof", trust, "--json").record["error"]["code"] == "proof_invalid"
