"""Copies of a data folder as it was before each act of a recorded walk, so that a crash need not walk from zero."""

import os
import shutil
import signal
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.bootstrap import open_studio
from tests.crash.watch import Point, Watch
from tests.support.sandbox import install, sandbox_texts, settings_for
from tests.support.walk import Walk


@dataclass(frozen=True, slots=True)
class Stage:
    """A data folder at rest, how many writes the recorded walk had made by then, and its ledgers' heads."""

    act: str
    data: Path
    writes: int
    heads: dict[str, int]


@dataclass(frozen=True, slots=True)
class Recording:
    """A whole walk: its writes, and the stages before its acts."""

    names: tuple[str, ...]
    stages: tuple[Stage, ...]

    def before(self, index: int) -> Stage:
        """Return the latest stage from which the write with this index is still to come."""
        return [stage for stage in self.stages if stage.writes <= index][-1]


def record(root: Path) -> Recording:
    """Walk the whole path once and keep a stage before each act, the start itself included."""
    settings = install(root / "data")
    shutil.copytree(root / "data", root / "start")
    watch = Watch(root / "notes")
    studio = open_studio(settings, seams=watch.seams())
    # Opening activates the configuration: one event more than the installed world holds.
    world = {studio.world_id: studio.desk.ledger.head(studio.world_id).seq - 1}
    stages = [Stage("start", root / "start", 0, world)]

    def keep(act: str) -> None:
        if act == "work":
            # The permission to start lapses within minutes, so a run is authorised anew in each copy.
            return
        copy = root / f"{len(stages):02d}-{act}"
        shutil.copytree(root / "data", copy)
        ledger = studio.desk.ledger
        heads = {ledger_id: ledger.head(ledger_id).seq for ledger_id in ledger.ledgers()}
        stages.append(Stage(act, copy, len(watch.names), heads))

    Walk(studio, sandbox_texts()).to_the_end(keep)
    return Recording(tuple(watch.names), tuple(stages))


def in_a_process(act: Callable[[], None]) -> int:
    """Run `act` in a process of its own and return its wait status; what it raises is printed and exits 1."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            act()
            code = 0
        except BaseException:  # noqa: BLE001 - the process ends here; its parent reads the code
            traceback.print_exc()
        finally:
            os._exit(code)
    return os.waitpid(pid, 0)[1]


def walk_to_the_end(data: Path, watch: Watch) -> None:
    """Open the folder and walk on; the watch may end this process."""
    Walk(open_studio(settings_for(data), seams=watch.seams()), sandbox_texts()).to_the_end()


def die(data: Path, notes: Path, point: Point, stage: Stage) -> None:
    """Walk on from a copy of a stage in a process that is killed at the point."""
    shutil.copytree(stage.data, data)
    watch = Watch(notes, Point(point.index - stage.writes, point.phase))
    status = in_a_process(lambda: walk_to_the_end(data, watch))
    assert os.WIFSIGNALED(status), f"it ended with {os.waitstatus_to_exitcode(status)}"
    assert os.WTERMSIG(status) == signal.SIGKILL
