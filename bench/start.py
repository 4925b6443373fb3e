"""`odeu serve` from the start of its process to its first pages: on a small installation, and on a long history.

Both data folders have been served before, as after every restart. The clock on the wall stops when the sign-in page
has come, and again when the outline of the project has come to its owner, who was signed in before the restart. The
wall is what a person waits for; the server's processor time stands beside it, since a shared machine adds to the one
and little to the other.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Final

from app.services.access import OWNER
from app.web.origin import SESSION_COOKIE
from bench.large import large
from bench.pages import opened
from bench.table import Row
from kernel.vocabulary import Via

SMALL: Final = 200
LARGE: Final = 100_000
ROUNDS: Final = 3
START_S: Final = 3.0
_PATIENCE_S: Final = 120
_TICK: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Installation:
    """A data folder, the owner's session in it, and the address of a project's outline."""

    data: Path
    secret: str
    outline: str
    events: int


@dataclass(frozen=True, slots=True)
class Start:
    """One start: seconds on the wall to the sign-in page and to the outline, and processor seconds to the latter."""

    door: float
    outline: float
    processor: float


def rows() -> list[Row]:
    """Return the second start of a small installation, and the start on the long history beside it."""
    with tempfile.TemporaryDirectory(prefix="odeu-bench-") as folder:
        small, long = (_installation(Path(folder) / str(size), size) for size in (SMALL, LARGE))
        found: dict[Installation, list[Start]] = {small: [], long: []}
        for number in range(ROUNDS + 1):
            for installation, starts in found.items():
                start = _started(installation)
                # The first start of each seeds the sandbox project, once for ever.
                if number:
                    starts.append(start)
    empty, full = (_middle(found[installation]) for installation in (small, long))
    return [
        _row("second start to the sign-in page, small installation", empty, empty.door, ""),
        _row("second start to the outline, small installation", empty, empty.outline, ""),
        _row(
            f"cold start to the outline, {long.events:,} events",
            full,
            full.outline,
            f"{empty.outline:.2f} s on {small.events:,} events",
        ),
    ]


def _row(measure: str, start: Start, seconds: float, floor: str) -> Row:
    processor = f" ({start.processor:.2f} s of processor time)" if seconds == start.outline else ""
    ours = f"{seconds:.2f} s{processor}"
    return Row(measure, ours, floor, "", f"<= {START_S:.0f} s", seconds <= START_S)


def _middle(starts: list[Start]) -> Start:
    return Start(
        statistics.median(start.door for start in starts),
        statistics.median(start.outline for start in starts),
        statistics.median(start.processor for start in starts),
    )


def _installation(folder: Path, events: int) -> Installation:
    """Return a data folder with a project of about this many events."""
    folder.mkdir(mode=0o700)
    project = large(events, min(10_000, events // 5))
    studio = opened(folder, project)
    caller = studio.access.caller(studio.world_id, OWNER, Via.CLI)
    link = studio.access.issue_link(caller, OWNER)
    secret = studio.directory.sign_in(link.secret, studio.clock.now(), label="bench").secret
    outline = f"/p/{project.story.ledger}/outline"
    return Installation(folder / "data", secret, outline, len(project.story.events))


def _started(installation: Installation) -> Start:
    """Start the server, ask for its first pages, and end it."""
    root = str(Path(__file__).parents[1])
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ODEU_")}
    environment = {**kept, "PYTHONPATH": root, "ODEU_DATA": str(installation.data)}
    program = (
        *(sys.executable, "-c", "from app.cli import main; main()"),
        *("serve", "--json", "--port", "0"),
    )
    began = time.monotonic()
    with subprocess.Popen(
        program, cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as server:
        try:
            assert server.stdout is not None
            said = json.loads(server.stdout.readline())
            port = int(said["origin"].rpartition(":")[2])
            _get(port, "/signin", "")
            door = time.monotonic() - began
            _get(port, installation.outline, installation.secret)
            outline = time.monotonic() - began
            return Start(door, outline, _processor_s(server.pid))
        finally:
            server.terminate()
            server.wait(_PATIENCE_S)


def _get(port: int, address: str, secret: str) -> None:
    caller = HTTPConnection("127.0.0.1", port, timeout=_PATIENCE_S)
    caller.request("GET", address, headers={"Accept": "text/html", "Cookie": f"{SESSION_COOKIE}={secret}"})
    answer = caller.getresponse()
    answer.read()
    caller.close()
    assert answer.status == 200, f"{address}: {answer.status}"  # noqa: PLR2004 - OK


def _processor_s(pid: int) -> float:
    """Return the processor time that the process has used, its threads included."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICK
