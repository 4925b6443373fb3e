"""What holds for every test: a clean environment, no network but this machine, and no silent skip."""

import gc
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, settings

from tests.ledger.postgres_server import Server, running_server, server_programs

# Until everything is imported there is nothing to look for: see `pytest_collection_finish`.
gc.disable()

settings.register_profile(
    "house", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("house")

_INHERITED: Final = ("ODEU_", "GIT_")
for _name in [name for name in os.environ if name.startswith(_INHERITED)]:
    # A person's own settings, or the hook that started us, must not change what a test sees.
    del os.environ[_name]
os.environ["GIT_CONFIG_GLOBAL"] = os.devnull
os.environ["GIT_CONFIG_NOSYSTEM"] = "1"

_LOOPBACK: Final = ("127.", "::1", "localhost", "0.0.0.0", "::ffff:127.")  # noqa: S104 - a target, not a listener


def _refuse_outside(event: str, arguments: Sequence[object]) -> None:
    """Refuse to connect anywhere but to this machine, whichever library asks."""
    if event != "socket.connect":
        return
    address = arguments[1]
    if isinstance(address, tuple) and not str(address[0]).startswith(_LOOPBACK):
        message = f"a test tried to reach {address[0]}: tests use this machine alone"
        raise RuntimeError(message)


sys.addaudithook(_refuse_outside)


def _can_install() -> bool:
    """Say whether `make test` could have added a missing system package here."""
    if shutil.which("apt-get") is None:
        return False
    if os.geteuid() == 0:
        return True
    sudo = shutil.which("sudo")
    return (
        sudo is not None
        and subprocess.run([sudo, "-n", "true"], check=False, capture_output=True).returncode == 0
    )


def _has_user_namespaces() -> bool:
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return _can_install()
    trial = [bwrap, "--unshare-all", "--ro-bind", "/", "/", "true"]
    return subprocess.run(trial, check=False, capture_output=True).returncode == 0


MACHINE_LIMITS: Final[dict[str, Callable[[], bool]]] = {
    "needs root": lambda: os.geteuid() == 0,
    "needs an ordinary user": lambda: os.geteuid() != 0,
    "needs bubblewrap": lambda: shutil.which("bwrap") is not None or _can_install(),
    "needs user namespaces": _has_user_namespaces,
    "needs PostgreSQL": lambda: server_programs() is not None or _can_install(),
    "needs a browser": lambda: shutil.which("chromium") is not None or _can_install(),
}
"""How a skip's reason may begin, and whether this machine has it after all. Any other reason is a failure."""


def pytest_collection_finish() -> None:
    """Look for garbage from here on, but not again and again through what was imported, which stays."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --strict-skips, which `make test` gives."""
    parser.addoption(
        "--strict-skips", action="store_true", help="fail when a test was skipped that this machine can run"
    )


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """Return a PostgreSQL server of the tests' own, started when the first test asks for it."""
    programs = server_programs()
    if programs is None:
        pytest.skip("needs PostgreSQL: the package postgresql is not installed")
    # Not below pytest's folder, which an ordinary user may not enter, and short enough for a socket's name.
    with (
        tempfile.TemporaryDirectory(prefix="odeu-pg-") as folder,
        running_server(Path(folder), programs) as server,
    ):
        yield server


def _needless(reason: str) -> bool:
    reason = reason.removeprefix("Skipped: ")
    limits = [has for start, has in MACHINE_LIMITS.items() if reason.startswith(start)]
    return not limits or any(has() for has in limits)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Turn a run with a needless skip into a failed one."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if not session.config.getoption("--strict-skips") or reporter is None:
        return
    for report in reporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if _needless(reason):
            reporter.write_line(f"NEEDLESS SKIP {report.nodeid}: {reason}", red=True)
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
