"""`.ci/setup` makes an environment that runs the checkout, once, whatever the person's own pip settings say."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.lint.tree import ROOT

_CLI = """\
\"\"\"A stand-in command line that says what it was given.\"\"\"

import sys


def main() -> int:
    \"\"\"Print how it was called and fail with three.\"\"\"
    print("ours", *sys.argv)
    return 3
"""

_ENVIRONMENT = {
    "PIP_USER": "1",
    "PIP_TARGET": "elsewhere",
    "PIP_NO_COMPILE": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with a blank in its path, nothing to install, and a command line of its own."""
    root = tmp_path_factory.mktemp("a checkout") / "odeu"
    shutil.copytree(ROOT / ".ci", root / ".ci")
    (root / "requirements").mkdir()
    (root / "requirements" / "runtime.txt").write_text("# nothing\n", "utf-8")
    (root / "requirements" / "dev.txt").write_text("# nothing more\n", "utf-8")
    (root / "app").mkdir()
    (root / "app" / "__init__.py").touch()
    (root / "app" / "cli.py").write_text(_CLI, "utf-8")
    return root


def _setup(root: Path) -> subprocess.CompletedProcess[str]:
    command = [str(root / ".ci" / "setup"), "runtime"]
    return subprocess.run(
        command, env={**os.environ, **_ENVIRONMENT}, capture_output=True, text=True, check=False, timeout=100
    )


def test_setup_makes_a_launcher_that_runs_the_checkout(house: Path, tmp_path: Path) -> None:
    """The launcher runs our command line from any folder, also from one that has an `app` of its own.

    It hands on how it was called, so that a command it prints can be typed.
    """
    made = _setup(house)
    assert made.returncode == 0, made.stderr
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "cli.py").write_text("raise SystemExit(9)\n", "utf-8")
    launcher = str(house / ".venv" / "bin" / "odeu")
    ran = subprocess.run(
        [launcher, "capture", "two words"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (3, f"ours {launcher} capture two words\n", "")


def test_a_second_setup_does_nothing_until_a_pin_changes(house: Path) -> None:
    """The stamp is keyed by what is pinned: an unchanged set is left alone, a changed one is installed."""
    assert _setup(house).returncode == 0
    again = _setup(house)
    assert (again.returncode, "installing the packages" in again.stderr) == (0, False)
    (house / "requirements" / "runtime.txt").write_text("# a new pin\n", "utf-8")
    changed = _setup(house)
    assert (changed.returncode, "installing the packages" in changed.stderr) == (0, True)


@pytest.mark.parametrize("script", ["setup", "run"])
def test_scripts_are_executable_and_parse(script: str) -> None:
    """A checkout can run both scripts as they are."""
    path = ROOT / ".ci" / script
    assert os.access(path, os.X_OK)
    parsed = subprocess.run(["bash", "-n", str(path)], capture_output=True, text=True, check=False)
    assert (parsed.returncode, parsed.stderr) == (0, "")
