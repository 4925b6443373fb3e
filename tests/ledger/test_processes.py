"""Several processes, and processes that die: what was acknowledged is stored, and nothing is half there."""

import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from adapters.ledger.appending import Appender
from kernel.events.source import SourceCaptured
from kernel.merkle import LogHead
from tests.ledger import fatal_group
from tests.ledger.building import LEDGER, Author, open_store, prepare, sql_ledger

ROOT = Path(__file__).resolve().parents[2]


def _start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.ledger.worker", str(folder), *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


def _finish(worker: subprocess.Popen[str]) -> list[tuple[str, int]]:
    output, _ = worker.communicate(timeout=90)
    lines = [line.split() for line in output.splitlines() if line.count(" ") == 1 and line[-1].isdigit()]
    return [(name, int(seq)) for name, seq in lines]


def _written(folder: Path) -> list[tuple[int, str]]:
    """Return place and text of every event, after an audit without findings."""
    store = open_store(folder)
    ledger = sql_ledger(folder, store)
    assert ledger.audit(LEDGER).problems == ()
    texts = []
    for item in ledger.read(LEDGER):
        assert isinstance(item.event.body, SourceCaptured)
        texts.append((item.event.seq, item.event.body.content.or_erased()))
    store.close()
    return texts


def test_eight_processes_write_one_ledger(tmp_path: Path) -> None:
    """What eight writers were told is what is stored: gapless, each in its place, and the tree verifies."""
    prepare(tmp_path)
    workers = [_start(tmp_path, f"w{number}", "20", "1") for number in range(8)]
    acknowledged = [place for worker in workers for place in _finish(worker)]
    assert [worker.returncode for worker in workers] == [0] * 8
    assert Counter(name for name, _ in acknowledged) == {f"w{number}": 20 for number in range(8)}
    expected = sorted((seq, f"{name} wrote {seq}") for name, seq in acknowledged)
    assert _written(tmp_path) == expected
    assert [seq for seq, _ in expected] == list(range(1, 161))


@pytest.mark.parametrize("delay_s", [0.0, 0.013, 0.05, 0.11])
def test_a_killed_writer_leaves_whole_appends(tmp_path: Path, delay_s: float) -> None:
    """After kill -9 every acknowledged append is there, none is there in part, and the next one works."""
    prepare(tmp_path)
    worker = _start(tmp_path, "w", "100000", "3")
    assert worker.stdout is not None
    assert worker.stdout.readline() == "ready\n"
    time.sleep(delay_s)
    worker.send_signal(signal.SIGKILL)
    acknowledged = [seq for _, seq in _finish(worker)]
    written = _written(tmp_path)
    assert len(written) % 3 == 0
    assert len(written) - max(acknowledged, default=0) in {0, 3}
    store = open_store(tmp_path)
    ledger = sql_ledger(tmp_path, store)
    assert (
        ledger.append(LEDGER, len(written), [Author(name="next").captured(len(written) + 1)]).head_seq
        == len(written) + 1
    )
    assert ledger.audit(LEDGER).problems == ()
    store.close()


@pytest.mark.parametrize("before", [0, 2])
def test_dying_between_signature_and_commit_leaves_nothing(tmp_path: Path, before: int) -> None:
    """A head that was signed and never committed does not stop the ledger from going on."""
    prepare(tmp_path)
    store = open_store(tmp_path)
    ledger = sql_ledger(tmp_path, store)
    for seq in range(1, before + 1):
        ledger.append(LEDGER, seq - 1, [Author().captured(seq)])
    worker = _start(tmp_path, "w", "1", "2", "die-before-commit")
    assert _finish(worker) == []
    assert worker.returncode == -signal.SIGKILL
    assert ledger.head(LEDGER).seq == before
    assert ledger.append(LEDGER, before, [Author(name="next").captured(before + 1)]).head_seq == before + 1
    assert ledger.audit(LEDGER).problems == ()
    store.close()


@pytest.mark.parametrize("power", ["stays", "fails"])
@pytest.mark.parametrize("step", fatal_group.STEPS)
def test_a_group_killed_at_any_step_is_there_whole_or_not_at_all(
    tmp_path: Path, step: str, power: str
) -> None:
    """Nobody of a group is there without the others, who was told is there, and every ledger goes on.

    When the power fails too, each ledger's own memory is what its first write left: only the group's file was synced.
    """
    prepare(tmp_path)
    program = [sys.executable, "-m", "tests.ledger.fatal_group", str(tmp_path), step]
    ended = subprocess.run(program, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False, timeout=60)
    assert ended.returncode == -signal.SIGKILL
    committed = step in {"committed", "answered"}
    head = fatal_group.BEFORE + committed
    assert ended.stdout == (f"{' '.join([str(head)] * 4)}\n" if step == "answered" else "")
    if power == "fails":
        for memory in (tmp_path / "synced").glob("*.head"):
            shutil.copy(memory, tmp_path / "keys" / "heads" / memory.name)
    store = open_store(tmp_path)
    ledger = sql_ledger(tmp_path, store)
    for ledger_id in fatal_group.LEDGERS:
        root = ledger.head(ledger_id).root
        assert ledger.head(ledger_id).seq == head
        assert ledger._signer.head_problems(ledger_id, LogHead(head, bytes.fromhex(root))) == ()  # type: ignore[attr-defined]
    following = fatal_group.group(head + 1, "next")
    Appender(store, ledger._vault, ledger._signer).write(following)
    assert [ticket.answer().head_seq for ticket in following] == [head + 1] * 4
    assert [ledger.audit(ledger_id).problems for ledger_id in fatal_group.LEDGERS] == [()] * 4
    store.close()
