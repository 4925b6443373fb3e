"""The commands of docs/own-repository.md, typed as they stand: each line through the shell, ids from the answers before."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.recipe import blocks, branch, git, install_library

ROOT = Path(__file__).resolve().parents[2]
_PLACEHOLDER = re.compile(r"\b(?:DELTA|NODE|BRIEF|RUN|CLOSURE|PROMOTION)\b")


class Typed:
    """A person at a shell, who copies the page and puts the ids of earlier answers where it names them."""

    def __init__(self, folder: Path, data: Path) -> None:
        self._folder = folder
        self._ids: dict[str, str] = {}
        program = folder / "bin" / "odeu"
        program.parent.mkdir()
        call = f"""exec {sys.executable} -c 'from app.cli import main; main()' "$@"\n"""
        program.write_text(f"#!/bin/sh\n{call}", encoding="utf-8")
        program.chmod(0o700)
        path = f"{program.parent}:/usr/bin:/bin"
        self._environment = {"PATH": path, "ODEU_DATA": str(data), "PYTHONPATH": str(ROOT)}

    def type(self, line: str) -> dict[str, Any]:
        """Run one line of the page, with `--json` unless it sends the answer into a file; return the answer."""
        line = _PLACEHOLDER.sub(lambda found: self._ids[found[0]], line)
        is_kept = " > " in line
        command = ["sh", "-c", line if is_kept else f"{line} --json"]
        done = subprocess.run(
            command, cwd=self._folder, env=self._environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (line, done.stdout, done.stderr)
        if is_kept:
            return {}
        record: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        named = {key.removesuffix("_id").upper(): value for key, value in record.items()}
        self._ids.update({key: value for key, value in named.items() if isinstance(value, str)})
        return record


def test_the_commands_of_the_page_move_the_branch(tmp_path: Path) -> None:
    """Every line exits 0 as it stands on the page; the branch then holds the candidate, and its audit holds."""
    data = tmp_path / "data"
    install_library(data)
    before = branch(data)
    person = Typed(tmp_path, data)
    os.umask(0o077)
    lines = [line for line in blocks()["odeu"].splitlines() if line]
    answers = [person.type(line) for line in lines]
    assert len(lines) == 16
    assert git(data, "rev-parse", f"{branch(data)}^") == before
    assert {link["standing"] for link in answers[-1]["links"]} == {"passed"}
    assert answers[-2]["status"] == "promoted"
    assert (tmp_path / "token").read_text(encoding="utf-8").count("\n") == 1
