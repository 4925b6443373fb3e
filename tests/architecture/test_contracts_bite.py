"""The contracts forbid something: each deliberate mistake in a small copy of the house is caught."""

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.lint.tree import ROOT

_HOUSE: Final = {
    "app": (
        "bootstrap",
        "ports",
        "config",
        "services.captures",
        "routes.captures",
        "views.captures",
        "web.page",
        "worker",
    ),
    "adapters": ("bundles.form", "ledger.sql", "git.command", "promotion.swap", "system"),
    "kernel": (
        "errors",
        "vocabulary",
        "values.words",
        "events.delta",
        "state",
        "rules.delta",
        "decide.delta",
    ),
}

MISTAKES: Final = (
    ("kernel/state.py", "import adapters.system", "app > adapters > kernel"),
    ("kernel/state.py", "import random", "the kernel has no I/O"),
    ("kernel/rules/delta.py", "from pathlib import Path", "the kernel has no I/O"),
    ("kernel/state.py", "import kernel.decide.delta", "inside kernel"),
    ("kernel/utils.py", "", "inside kernel"),
    ("app/routes/captures.py", "import adapters.ledger.sql", "only app.bootstrap names an adapter"),
    ("app/services/captures.py", "import app.views.captures", "inside app"),
    ("app/routes/captures.py", "import app.bootstrap", "inside app"),
    ("app/extra.py", "", "inside app"),
    ("adapters/system.py", "import app.ports", "app > adapters > kernel"),
    ("adapters/ledger/sql.py", "import adapters.git.command", "adapters do not know each other"),
    ("adapters/git/command.py", "import adapters.promotion.swap", "adapters do not know each other"),
    ("adapters/bundles/form.py", "import sqlalchemy", "a bundle is verified without the product"),
)
"""File, what is written into it, and the contract that must say no."""


def _build(root: Path) -> None:
    for room, modules in _HOUSE.items():
        for module in modules:
            path = root.joinpath(room, *module.split(".")).with_suffix(".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        for folder in (root / room, *(path for path in (root / room).rglob("*") if path.is_dir())):
            (folder / "__init__.py").touch()
    (root / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())


def _report(root: Path) -> str:
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command as run; run()",
        "--no-cache",
    ]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize(("path", "line", "contract"), MISTAKES)
def test_a_mistake_breaks_its_contract(tmp_path: Path, path: str, line: str, contract: str) -> None:
    """One wrong import, or one module nobody placed, breaks exactly the contract that is about it."""
    _build(tmp_path)
    (tmp_path / path).write_text(f"{line}\n", "utf-8")
    broken = [row for row in _report(tmp_path).splitlines() if row.rstrip().endswith("BROKEN")]
    assert any(row.startswith(contract) for row in broken), broken


def test_the_small_house_itself_is_lawful(tmp_path: Path) -> None:
    """Without a mistake nothing is broken, so each mistake above is caught for its own sake."""
    _build(tmp_path)
    report = _report(tmp_path)
    assert "0 broken" in report, report


@pytest.mark.parametrize(
    "line",
    [
        "from datetime import UTC, datetime\n\nNOW = datetime.now(UTC)\n",
        "import datetime\n\nTODAY = datetime.date.today()\n",
        "import immutables\n\nEMPTY = immutables.Map()\n",
    ],
)
def test_the_kernel_has_no_clock_and_no_unordered_map(line: str) -> None:
    """What imports cannot show, ruff refuses by name, with our sentence."""
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--select",
        "TID251",
        "--stdin-filename",
        "kernel/x.py",
        "-",
    ]
    report = subprocess.run(command, cwd=ROOT, input=line, capture_output=True, text=True, check=False)
    assert report.returncode == 1, report.stdout
    assert "kernel" in report.stdout
