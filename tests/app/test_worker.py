"""The worker: does what waits, settles what crashes, keeps out while another holds the lock, and stops in time."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from app.services.queue import WorkQueue
from app.worker import Worker
from kernel.state import RunRecord
from kernel.vocabulary import RunStatus
from tests.app.house import PROFILE, House, open_house

SENTENCE = "Choose the tins to buy so that the least paint is left over."
SLOW = "import time\nprint('began', flush=True)\ntime.sleep(600)\n"


@pytest.fixture
def house(tmp_path: Path) -> House:
    """Return a house with an accepted task."""
    house = open_house(tmp_path)
    house.ids["task"] = house.accepted(house.captured(SENTENCE))
    return house


def _queued(house: House) -> str:
    """Authorise a run of the task and return it."""
    brief = house.studio.briefs.compile(house.project_id, house.me, house.ids["task"], PROFILE)
    return house.studio.runs.authorize(house.me, brief.body.brief_id).body.run_id


def _run(house: House, run_id: str) -> RunRecord:
    return house.studio.runs.find(run_id)[1]


def _until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    """Wait until something is so; fail when it is not in time."""
    ends_at = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends_at, "it did not come about in time"
        time.sleep(0.02)


@contextmanager
def at_work(queue: WorkQueue) -> Iterator[Worker]:
    """Let a worker work, and stop it within its deadline."""
    worker = Worker(queue)
    worker.start()
    try:
        yield worker
    finally:
        assert worker.stop(15.0)


def test_a_run_is_done_when_it_is_authorised(house: House) -> None:
    """The worker wakes at once for what this process writes, and does it to its end."""
    with at_work(house.studio.queue):
        run_id = _queued(house)
        _until(lambda: _run(house, run_id).status is RunStatus.RETURNED)


def _programs() -> list[int]:
    """Return the worker programs that run under this very process."""
    parents, programs = {}, []
    for folder in (item for item in Path("/proc").iterdir() if item.name.isdigit()):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if b"/box/in/program/worker.py" in words and b"python" in words[0]:
            programs.append(int(folder.name))

    def is_ours(pid: int) -> bool:
        return pid == os.getpid() or (pid in parents and is_ours(parents[pid]))

    return [pid for pid in programs if is_ours(pid)]


def test_a_killed_program_fails_its_run(tmp_path: Path) -> None:
    """When a run's program is killed from outside, the run ends as failed, and the next run can be authorised."""
    house = open_house(tmp_path, program=SLOW)
    house.ids["task"] = house.accepted(house.captured(SENTENCE))
    with at_work(house.studio.queue):
        run_id = _queued(house)
        _until(lambda: bool(_programs()))
        for pid in _programs():
            os.kill(pid, signal.SIGKILL)
        _until(lambda: _run(house, run_id).status is RunStatus.FAILED)
    assert _run(house, run_id).code is not None
    assert _run(house, _queued(house)).status is RunStatus.QUEUED


def test_stopping_ends_the_program_at_hand(tmp_path: Path) -> None:
    """A server that stops ends the running program, and the run is recorded as ended, not as returned."""
    house = open_house(tmp_path, program=SLOW)
    house.ids["task"] = house.accepted(house.captured(SENTENCE))
    with at_work(house.studio.queue):
        run_id = _queued(house)
        _until(lambda: bool(_programs()))
    assert _programs() == []
    assert _run(house, run_id).status is RunStatus.FAILED


class Crashing:
    """Execution that breaks with a fault nobody foresaw, before or after the claim."""

    def __init__(self, house: House, *, claims: bool) -> None:
        self._real = house.studio.queue.execution
        self._claims = claims
        self.calls = 0

    def perform(self, ledger_id: str, run_id: str, cancelled: Callable[[], bool]) -> None:
        """Break, after the claim when told so."""
        del cancelled
        self.calls += 1
        if self._claims:
            state = self._real.desk.state(ledger_id)
            self._real._claim(ledger_id, state, state.runs[run_id])
        message = "a fault nobody foresaw"
        raise ZeroDivisionError(message)

    def recover(self, ledger_id: str) -> None:
        """Settle as the real one does."""
        self._real.recover(ledger_id)


@pytest.mark.parametrize(
    ("claims", "status", "code"),
    [(False, RunStatus.FAILED, "worker_fault"), (True, RunStatus.OUTCOME_UNKNOWN, "lost")],
)
def test_a_crashing_job_is_settled_and_the_next_one_done(
    house: House, caplog: pytest.LogCaptureFixture, *, claims: bool, status: RunStatus, code: str
) -> None:
    """A fault in one job is logged and recorded, once; the worker goes on."""
    crashing = Crashing(house, claims=claims)
    queue = replace(house.studio.queue, execution=crashing)  # type: ignore[arg-type]
    with caplog.at_level(logging.ERROR), at_work(queue):
        first = _queued(house)
        _until(lambda: _run(house, first).status is status)
        second = _queued(house)
        _until(lambda: _run(house, second).status is status)
    assert (_run(house, first).code, crashing.calls) == (code, 2)
    assert f"run {first} crashed" in caplog.text
    assert house.studio.queue.lock.started() == frozenset()


HOLD = """
import sys
from pathlib import Path
from adapters.system import FileWorkerLock
with FileWorkerLock(Path(sys.argv[1])).holding() as held:
    print(held, flush=True)
    sys.stdin.read()
"""


def test_another_worker_keeps_this_one_out(house: House) -> None:
    """While another process holds the lock nothing is done here; when it dies, this worker takes over."""
    folder = str(house.studio.settings.data_folder / "worker")
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path.cwd())},
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "True\n"
        with at_work(house.studio.queue):
            run_id = _queued(house)
            time.sleep(1.0)
            assert _run(house, run_id).status is RunStatus.QUEUED
            other.send_signal(signal.SIGKILL)
            _until(lambda: _run(house, run_id).status is RunStatus.RETURNED)


def test_a_worker_that_never_worked_stops_at_once(house: House) -> None:
    """Stopping waits for nobody, and began no thread."""
    before = set(threading.enumerate())
    assert Worker(house.studio.queue).stop(0.0)
    assert set(threading.enumerate()) <= before
