"""`make test` fails on a skip that this machine could have run, and on any reach beyond this machine."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.lint.tree import ROOT

_NEEDLESS = "import pytest\n\n\ndef test_a():\n    pytest.skip('not today')\n"
_LIMIT = "import os\n\nimport pytest\n\n\ndef test_a():\n    pytest.skip('{0} to see it')\n"
_OUTSIDE = "import socket\n\n\ndef test_a():\n    socket.create_connection(('192.0.2.1', 9), timeout=1)\n"


def _run(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    shutil.copy(ROOT / "tests" / "conftest.py", folder / "conftest.py")
    (folder / "pytest.ini").write_text("[pytest]\n", "utf-8")
    (folder / "test_it.py").write_text(text, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--strict-skips", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_a_skip_without_a_named_limit_fails_the_run(tmp_path: Path) -> None:
    """A reason that names no limit of machines is a failure and is printed."""
    ran = _run(tmp_path, _NEEDLESS)
    assert (ran.returncode, "NEEDLESS SKIP" in ran.stdout) == (1, True), ran.stdout


def test_a_skip_for_a_limit_that_is_not_there_fails_the_run(tmp_path: Path) -> None:
    """Saying "needs root" as root, or "needs an ordinary user" as one, fails; the other one passes."""
    texts = [_LIMIT.format("needs root"), _LIMIT.format("needs an ordinary user")]
    assert sorted(_run(tmp_path, text).returncode for text in texts) == [0, 1]


def test_a_test_that_reaches_outside_fails(tmp_path: Path) -> None:
    """A connection to another machine is refused before it is tried, and says so."""
    ran = _run(tmp_path, _OUTSIDE)
    assert (ran.returncode, "tests use this machine alone" in ran.stdout) == (1, True), ran.stdout
