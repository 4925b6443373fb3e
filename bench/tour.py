"""`odeu tour` as a process, from nothing to a moved branch, beside what no tour could do without.

The floor starts the interpreter once, `git --version` as often as the tour starts git, and bubblewrap with the
same namespaces around `true` as often as the tour starts it: process starts alone, without any work. How often is
counted in a tour of this run that does not count for time.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Final

from adapters.sandbox.command import prepared
from bench.table import Row, interleaved, median_ms
from kernel.values.execution import SandboxJob

ROUNDS: Final = 3
_COUNTED: Final = """
import json, os, sys
started = []
def heard(event, arguments):
    if event in ("subprocess.Popen", "os.posix_spawn"):
        started.append(os.path.basename(str(arguments[0])))
sys.addaudithook(heard)
from app.cli import main
sys.argv = ["odeu", "tour"]
try:
    main()
finally:
    print(json.dumps(started), file=sys.stderr)
"""


def rows() -> list[Row]:
    """Return the one row of this measure."""
    started = _programs()
    tour = (sys.executable, "-c", "from app.cli import main; main()", "tour")
    found = interleaved(
        {"ours": lambda: _run(tour), "floor": lambda: _floor(started)}, rounds=ROUNDS, warm_up=0
    )
    ours, floor = median_ms(found["ours"]) / 1000, median_ms(found["floor"]) / 1000
    said = f"interpreter, {started['git']} git starts, {started['bwrap']} bwrap starts"
    return [
        Row("whole tour, as a process", f"{ours:.2f} s", f"{floor:.2f} s: {said}", f"{ours / floor:.1f}x")
    ]


def _programs() -> Counter[str]:
    """Return how often a tour starts which program."""
    done = _run((sys.executable, "-c", _COUNTED))
    return Counter(json.loads(done.stderr.splitlines()[-1]))


def _floor(started: Counter[str]) -> None:
    _run((sys.executable, "-c", "pass"))
    for _ in range(started["git"]):
        subprocess.run(("git", "--version"), check=True, stdout=subprocess.DEVNULL)
    for _ in range(started["bwrap"]):
        with prepared(
            "/usr/bin/bwrap", SandboxJob(argv=("/usr/bin/true",), inputs=()), first_process=False
        ) as box:
            subprocess.run(
                box.argv,
                check=True,
                pass_fds=box.descriptors,
                stdout=subprocess.DEVNULL,
                user=_UID if os.geteuid() == 0 else None,
            )


_UID: Final = 61_999
"""An unprivileged user of the sandbox's own range: as root, bubblewrap starts as the product starts it."""


def _run(argv: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ODEU_")}
    root = str(Path(__file__).parents[1])
    return subprocess.run(
        argv, check=True, capture_output=True, text=True, cwd=root, env={**kept, "PYTHONPATH": root}
    )
