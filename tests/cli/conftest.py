"""The command line as a process over a fresh data folder, the way a person or a program runs it."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Said:
    """What one call left: its exit status and what it printed."""

    status: int
    out: str
    err: str

    @property
    def record(self) -> dict[str, Any]:
        """Return the last JSON object printed."""
        parsed: dict[str, Any] = json.loads(self.out.splitlines()[-1])
        return parsed


Odeu = Callable[..., Said]


def call(data: Path, *arguments: str, given: str = "", environment: dict[str, str] | None = None) -> Said:
    """Run `odeu` once with this data folder."""
    program = [sys.executable, "-c", "from app.cli import main; main()", *arguments]
    done = subprocess.run(
        program,
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "ODEU_DATA": str(data), "PYTHONPATH": str(ROOT), **(environment or {})},
        input=given,
        capture_output=True,
        text=True,
        # So that a test can give bytes that are no text, spelled as Python spells them.
        errors="surrogateescape",
        timeout=110,
        check=False,
    )
    return Said(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def odeu(tmp_path: Path) -> Odeu:
    """Return the command line over a fresh, initialised data folder."""
    data = tmp_path / "data"
    assert call(data, "init", "--json").status == 0

    def run(*arguments: str, **more: Any) -> Said:
        return call(data, *arguments, **more)

    return run


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return the data folder that `odeu` uses."""
    return tmp_path / "data"
