"""A server and the command line work on one database at once: each sees what the other wrote."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.bootstrap import open_studio
from tests.support.sandbox import install, sandbox_texts
from tests.support.walk import Walk

ROOT = Path(__file__).resolve().parents[2]
ODEU = (sys.executable, "-c", "from app.cli import main; main()")


@pytest.fixture
def walk(tmp_path: Path) -> Walk:
    """Return a walk in an open studio, as a server has it, after the outline was accepted."""
    walk = Walk(open_studio(install(tmp_path / "data")), sandbox_texts())
    walk.until("capture")
    return walk


def odeu(walk: Walk, *arguments: str) -> subprocess.Popen[str]:
    """Start the command line on the same data folder."""
    return subprocess.Popen(
        [*ODEU, *arguments, "--json"],
        cwd=ROOT,
        env={**os.environ, "ODEU_DATA": str(walk.studio.settings.data_folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def answer(command: subprocess.Popen[str]) -> dict[str, Any]:
    """Return what a command said."""
    output, errors = command.communicate(timeout=120)
    assert command.returncode == 0, errors + output
    said: dict[str, Any] = json.loads(output)
    return said


def test_both_write_one_history(walk: Walk) -> None:
    """While the server keeps words, the command line keeps others; nothing is lost, and the ledger verifies."""
    changed = walk.studio.desk.ledger.changed()
    commands = [
        odeu(walk, "capture", "--project", walk.texts.title, f"Look up the price of colour {number}")
        for number in range(3)
    ]
    here = [
        walk.studio.placements.capture(walk.project_id, walk.owner, f"Ask shop {number} about tins")
        for number in range(12)
    ]
    there = [answer(command) for command in commands]
    assert walk.studio.desk.ledger.changed() != changed
    state = walk.state
    assert {item.source_id for item in here} | {item["source_id"] for item in there} <= set(
        state.sources.keys()
    )
    assert {str(item["delta_id"]) for item in there} <= set(state.open_deltas.keys())
    assert walk.studio.audits.verify(walk.project_id, strict=True).problems == ()


def test_the_server_goes_on_from_what_the_command_line_did(walk: Walk) -> None:
    """A yes on the command line is in the server's next look, without a restart."""
    walk.until("accept_task")
    delta_id = walk.state.open_deltas.keys()[0]
    accepted = answer(odeu(walk, "accept", delta_id))
    assert accepted["delta_id"] == delta_id
    assert walk.next_act() == walk.compile_brief
