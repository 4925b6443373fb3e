"""The scripted runtime: a real confined program in a real folder, its claims and the host's observations apart."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from adapters.agents.program import ScriptedProgram
from adapters.agents.scripted import ScriptedRuntime
from adapters.sandbox.bubblewrap import INTERPRETER, Bubblewrap
from kernel.errors import ConfigurationError
from kernel.values.execution import Lease, Limits, WorkOrder, WorkReport
from kernel.values.work import Claim, Observation, RuntimeFacts
from kernel.vocabulary import RuntimeKind

SANDBOX = Bubblewrap()
GOOD = """
import json, pathlib
brief = json.load(open("/box/in/brief.json"))
print(json.dumps({"progress": "Reading the task"}), flush=True)
pathlib.Path("old.txt").write_text(brief["goal"])
pathlib.Path("new.txt").write_text("new")
print(json.dumps({"report": {"summary": "Did it.", "claims": ["It works."], "completed": True}}))
"""


@dataclass(slots=True)
class Desk:
    """A leased folder, a program folder and a runtime over both."""

    lease: Lease
    programs: Path
    told: list[str] = field(default_factory=list)

    def runtime(self, source: str, *, limits: Limits | None = None, deadline_s: int = 20) -> ScriptedRuntime:
        """Return a runtime whose program `worker` is this source."""
        self.programs.mkdir(mode=0o755)
        (self.programs / "worker.py").write_text(source)
        (self.programs / "worker.py").chmod(0o644)
        argv = (*INTERPRETER, "{program}/worker.py")
        program = ScriptedProgram(
            label="Scripted worker (no model)",
            folder=str(self.programs),
            argv=argv,
            deadline_s=deadline_s,
            limits=limits or Limits(cpu_s=60),
        )
        return ScriptedRuntime(SANDBOX, {"worker": program})

    def work(
        self,
        runtime: ScriptedRuntime,
        *,
        runtime_id: str = "worker",
        cancelled: Callable[[], bool] = lambda: False,
    ) -> WorkReport:
        """Execute one run and keep what was told of its progress."""
        order = WorkOrder("run_0", runtime_id, b'{"goal": "a goal"}', self.lease, deadline_s=20)
        return runtime.execute(order, cancelled, self.told.append)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """Return a desk whose folder belongs to a leased user id and holds one file."""
    with SANDBOX.uids.take() as held:
        for parent in (tmp_path, *tmp_path.parents):
            if parent.stat().st_uid == os.geteuid() and parent != Path("/"):
                parent.chmod(parent.stat().st_mode | 0o001)
        folder = tmp_path / "run"
        folder.mkdir(mode=0o700)
        (folder / "old.txt").write_text("old")
        if held.uid is not None:
            os.chown(folder, held.uid, held.uid)
            os.chown(folder / "old.txt", held.uid, held.uid)
        yield Desk(Lease("run_0", "tool", "a" * 40, str(folder), held.uid), tmp_path / "programs")


def _without_timing(report: WorkReport) -> tuple[Observation, ...]:
    return tuple(each for each in report.observations if each.kind != "timing")


def test_a_worker_edits_files_and_reports(desk: Desk) -> None:
    """The program reads its brief, changes the folder and reports; claims and observations stay apart."""
    report = desk.work(desk.runtime(GOOD))
    assert (report.outcome, report.code, report.summary, report.question) == (
        "returned",
        "ok",
        "Did it.",
        None,
    )
    assert (report.claims, report.claimed_completion) == ((Claim(text="It works."),), True)
    assert desk.told == ["Reading the task"]
    assert (Path(desk.lease.folder) / "old.txt").read_text() == "a goal"
    assert _without_timing(report)[:2] == (
        Observation(kind="exit", text="The program ended: exit code 0."),
        Observation(kind="files", text="Changed old.txt, added new.txt."),
    )


def test_progress_is_told_while_the_worker_works(desk: Desk) -> None:
    """A sentence arrives before the program has ended: the folder does not yet hold what it does next."""
    source = (
        'import json, time, pathlib\nprint(json.dumps({"progress": "First"}), flush=True)\ntime.sleep(0.5)\n'
        'pathlib.Path("later").touch()\n'
        'print(json.dumps({"report": {"summary": "s", "claims": [], "completed": False}}))\n'
    )
    runtime = desk.runtime(source)
    seen: list[tuple[str, bool]] = []
    order = WorkOrder("run_0", "worker", b"{}", desk.lease, deadline_s=20)
    later = Path(desk.lease.folder) / "later"
    runtime.execute(order, lambda: False, lambda sentence: seen.append((sentence, later.exists())))
    assert (seen, later.exists()) == ([("First", False)], True)


def test_a_question_blocks_the_run(desk: Desk) -> None:
    """A report with a question is blocked and claims no completion, whatever it says."""
    source = (
        'import json\nprint(json.dumps({"report": {"summary": "Stuck.", "claims": [], "completed": True,'
        ' "question": "Which colour?"}}))\n'
    )
    report = desk.work(desk.runtime(source))
    assert (report.outcome, report.code, report.question, report.claimed_completion) == (
        "blocked",
        "question",
        "Which colour?",
        False,
    )


HUNGRY = """
import os, time
for _ in range(12):
    if os.fork() == 0:
        kept = bytearray(20 << 20)
        time.sleep(9)
time.sleep(9)
"""
REPORT = 'print(\'{"report": {"summary": "s", "claims": [], "completed": true}}\', flush=True)\n'


@pytest.mark.parametrize(
    ("source", "limits", "code"),
    [
        ("raise SystemExit(3)", Limits(), "crashed"),
        (REPORT + "raise SystemExit(1)", Limits(), "crashed"),
        ("import time; time.sleep(60)", Limits(), "timed_out"),
        ("while True: print('x' * 9999)", Limits(), "output_limit"),
        (
            HUNGRY,
            Limits(memory_sum_bytes=128 << 20),
            "memory_limit",
        ),
        ("pass", Limits(), "bad_report"),
        ("print('done')", Limits(), "bad_report"),
        (REPORT + "print('more')", Limits(), "bad_report"),
        (REPORT + REPORT, Limits(), "bad_report"),
        ('print(\'{"report": {"summary": "s", "claims": [], "completed": 1}}\')', Limits(), "bad_report"),
        ('print(\'{"progress": "a", "progress": "b"}\')\n' + REPORT, Limits(), "bad_report"),
        ('print(\'{"progress": "a", "accept": true}\')\n' + REPORT, Limits(), "bad_report"),
    ],
    ids=[
        *("exit", "exit after report", "deadline", "flood", "memory", "silence", "no JSON", "words after"),
        *("two reports", "loose type", "duplicate key", "unknown field"),
    ],
)
def test_what_a_worker_does_wrong_is_a_failure_with_a_code(
    desk: Desk, source: str, limits: Limits, code: str
) -> None:
    """Each way to fail has its own code, leaves no claim and keeps what the host saw."""
    report = desk.work(desk.runtime(source, limits=limits, deadline_s=3 if code == "timed_out" else 20))
    assert (report.outcome, report.code, report.claims, report.claimed_completion) == (
        "failed",
        code,
        (),
        False,
    )
    assert report.observations[0].kind == "exit"


def test_a_run_can_be_cancelled(desk: Desk) -> None:
    """Cancelling ends the worker's whole tree."""
    asked = iter([False] * 3)
    report = desk.work(desk.runtime("import time; time.sleep(60)"), cancelled=lambda: next(asked, True))
    assert (report.outcome, report.code) == ("failed", "cancelled")


def test_progress_beyond_the_limit_is_not_told(desk: Desk) -> None:
    """At most 64 sentences are passed on; more are no failure."""
    source = (
        'import json\nfor n in range(99):\n    print(json.dumps({"progress": str(n)}))\n'
        'print(json.dumps({"report": {"summary": "s", "claims": [], "completed": True}}))\n'
    )
    assert desk.work(desk.runtime(source)).outcome == "returned"
    assert desk.told == [str(number) for number in range(64)]


def test_a_link_in_the_folder_is_seen_and_not_followed(desk: Desk) -> None:
    """A symlink to the host is named as an added entry; nothing behind it is read."""
    source = 'import os\nos.symlink("/", "out")\nos.mkfifo("pipe")\n' + REPORT
    report = desk.work(desk.runtime(source))
    assert report.observations[1] == Observation(kind="files", text="Added out, added pipe.")


def test_an_unknown_runtime_is_unavailable(desk: Desk) -> None:
    """A runtime that is not configured runs nothing."""
    report = desk.work(desk.runtime(GOOD), runtime_id="other")
    assert (report.outcome, report.code, report.observations) == ("failed", "unavailable", ())


def test_a_program_others_can_change_is_unavailable(desk: Desk) -> None:
    """A program file that others may write is not executed, and the runtime says why."""
    runtime = desk.runtime(GOOD)
    (desk.programs / "worker.py").chmod(0o666)
    assert desk.work(runtime).code == "unavailable"
    facts = runtime.describe("worker")
    assert (facts.available, facts.digest) == (False, "")
    assert "can be changed by others" in (facts.reason or "")


def test_a_runtime_describes_itself_truthfully(desk: Desk) -> None:
    """The facts of a runtime hold its label and the digest of its command and bytes, and no path."""
    runtime = desk.runtime(GOOD)
    facts = runtime.describe("worker")
    assert facts == RuntimeFacts(
        id="worker",
        kind=RuntimeKind.SCRIPTED,
        label="Scripted worker (no model)",
        digest=facts.digest,
        deadline_s=20,
        available=True,
    )
    assert facts.digest.startswith("sha256:")
    with pytest.raises(ConfigurationError):
        runtime.describe("other")


def test_without_a_sandbox_the_runtime_is_unavailable(desk: Desk) -> None:
    """On a machine that cannot confine code the runtime says so and runs nothing."""
    program = ScriptedProgram("label", str(desk.programs), ("/usr/bin/true",), 20)
    desk.runtime(GOOD)
    runtime = ScriptedRuntime(Bubblewrap("/usr/bin/no-such-program"), {"worker": program})
    assert desk.work(runtime).code == "unavailable"
    assert runtime.describe("worker").available is False
