"""The sandbox itself: what is inside, what bounds it, and that nothing is left."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from adapters.sandbox.bubblewrap import INTERPRETER, Bubblewrap
from kernel.errors import ConfigurationError, SandboxUnavailableError
from kernel.values.execution import FileInput, Limits, SandboxJob, SandboxResult
from kernel.values.work import IsolationFact
from tests.sandbox.oracle_bench import SANDBOX

ROOT = Path(__file__).parents[2]


def _run(code: str, *, stdin: bytes = b"", limits: Limits | None = None) -> SandboxResult:
    job = SandboxJob(
        argv=(*INTERPRETER, "-c", code), inputs=(), stdin=stdin, limits=limits or Limits(wall_s=10)
    )
    return SANDBOX.run(job)


def _ending(result: SandboxResult) -> tuple[int | None, str, bytes, bool, int]:
    return result.exit_code, result.termination, result.stdout, result.truncated, result.leftovers


def test_this_machine_can_confine() -> None:
    """The self-check inside finds every boundary holding; the tier says how the user was separated."""
    facts = SANDBOX.probe()
    assert facts.missing == ()
    assert facts.tier == ("uid_drop" if os.geteuid() == 0 else "same_uid")
    assert {fact.name for fact in facts.isolation if not fact.enforced} == {
        "cgroup_limits",
        "scratch_entries",
    }


def test_a_program_runs_with_its_input_and_nothing_of_the_server() -> None:
    """Inside there are three descriptors, our environment, one input tree, and no folder of the host."""
    code = (
        "import json, os, sys; print(json.dumps([sys.stdin.read(), sorted(os.listdir('/')), sorted(os.environ),"
        " sorted(os.listdir('/box/in')), open('/box/in/a/b').read(), os.getuid(), os.getcwd(),"
        " [os.readlink(f'/proc/self/fd/{n}').split(':')[0] for n in (0, 1, 2)],"
        " [n for n in os.listdir('/proc/self/fd') if int(n) > 3]]))"
    )
    job = SandboxJob(
        argv=(*INTERPRETER, "-c", code),
        inputs=(FileInput("a/b", b"content"),),
        stdin=b"asked",
        environment=(("EXTRA", "1"),),
    )
    result = SANDBOX.run(job)
    assert json.loads(result.stdout) == [
        "asked",
        ["bin", "box", "dev", "etc", "lib", "lib64", "proc", "sbin", "tmp", "usr"],
        ["EXTRA", "HOME", "LANG", "PATH", "PWD", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "TMPDIR"],
        ["a"],
        "content",
        1000,
        "/box/work",
        ["pipe", "pipe", "pipe"],
        [],
    ]
    assert _ending(result)[:2] == (0, "exited")


def test_every_job_says_how_it_was_confined() -> None:
    """A result carries what holds for the machine, then what bounded this job, each with its truth."""
    result = _run("pass")
    names = [fact.name for fact in result.isolation]
    assert names[: len(SANDBOX.probe().isolation)] == [fact.name for fact in SANDBOX.probe().isolation]
    assert IsolationFact(name="processes", value="24", enforced=True) in result.isolation
    assert IsolationFact(name="leftovers", value="0", enforced=True) in result.isolation


@pytest.mark.parametrize(
    ("code", "limits", "ending"),
    [
        ("raise SystemExit(7)", Limits(), (7, "exited", b"", False, 0)),
        ("import os; os.kill(os.getpid(), 9)", Limits(), (137, "signalled", b"", False, 0)),
        ("while True: pass", Limits(wall_s=0.5), (None, "timed_out", b"", False, 0)),
        ("while True: pass", Limits(cpu_s=1), (152, "signalled", b"", False, 0)),
        ("print('x' * 99)", Limits(output_bytes=10), (None, "output_limit", b"x" * 10, True, 0)),
        (
            "open('/tmp/a', 'wb').write(bytes(9)); open('/tmp/b', 'wb').write(bytes(3 << 20))",
            Limits(scratch_bytes=1 << 20),
            (1, "exited", b"", False, 0),
        ),
        (
            "f = open('/tmp/a', 'wb', buffering=0)\nwhile f.write(bytes(1000)): pass",
            Limits(file_bytes=5000),
            (1, "exited", b"", False, 0),
        ),
    ],
    ids=["exit", "signal", "clock", "processor", "output", "scratch", "file size"],
)
def test_each_ending_has_its_name(
    code: str, limits: Limits, ending: tuple[int | None, str, bytes, bool, int]
) -> None:
    """An execution ends by itself or at a limit, and the result says which."""
    assert _ending(_run(code, limits=limits)) == ending


def test_an_orphan_dies_with_the_sandbox() -> None:
    """A process that left its session and its parent does not outlive the run."""
    result = _run(
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        time.sleep(60)\n"
        "    os._exit(0)\nprint('done')"
    )
    assert _ending(result) == (0, "exited", b"done\n", False, 0)


def test_output_in_tiny_pieces_is_one_output() -> None:
    """Byte by byte the program is drained as well as in one piece, and the caller hears every piece in order."""
    heard = bytearray()
    asked: list[bool] = []
    job = SandboxJob(
        argv=(*INTERPRETER, "-c", "import os\nfor n in range(3000): os.write(1, b'%d ' % (n % 10))"),
        inputs=(),
    )
    result = SANDBOX.run(job, lambda: bool(asked.append(True)), heard=heard.extend)
    assert (bytes(heard), result.exit_code) == (result.stdout, 0)
    assert result.stdout == b"".join(b"%d " % (n % 10) for n in range(3000))
    assert len(asked) <= 2 + result.wall_ms / 20


def test_a_caller_can_stop_it() -> None:
    """When the caller asks to stop, the whole tree ends and the result says cancelled."""
    asked = iter([False] * 5)
    job = SandboxJob(argv=(*INTERPRETER, "-c", "import time; time.sleep(60)"), inputs=())
    result = SANDBOX.run(job, lambda: next(asked, True))
    assert _ending(result) == (None, "cancelled", b"", False, 0)


def test_many_in_a_row_do_not_run_out_of_processes() -> None:
    """Thirty quick executions all start: each has a user id of its own and is reaped."""
    assert {_run("pass").exit_code for _ in range(30)} == {0}


@pytest.fixture
def leased(tmp_path: Path) -> Iterator[tuple[str, int | None]]:
    """Return a run folder that belongs to a leased user id, reachable by it."""
    with SANDBOX.uids.take() as held:
        for parent in (tmp_path, *tmp_path.parents):
            if parent.stat().st_uid == os.geteuid() and parent != Path("/"):
                parent.chmod(parent.stat().st_mode | 0o001)
        folder = tmp_path / "run"
        folder.mkdir(mode=0o700)
        if held.uid is not None:
            os.chown(folder, held.uid, held.uid)
        yield str(folder), held.uid


def test_a_leased_folder_is_worked_in(leased: tuple[str, int | None]) -> None:
    """What a program writes into its folder stays there for the host; its growth limit is said to be watched."""
    folder, uid = leased
    code = "open('made.txt', 'w').write('by the worker')"
    result = SANDBOX.run(SandboxJob(argv=(*INTERPRETER, "-c", code), inputs=(), folder=folder, uid=uid))
    assert _ending(result) == (0, "exited", b"", False, 0)
    assert (Path(folder) / "made.txt").read_text() == "by the worker"
    assert "folder_growth" in {fact.name for fact in result.isolation if not fact.enforced}


def test_a_leased_folder_that_grows_too_much_is_stopped(leased: tuple[str, int | None]) -> None:
    """Many small files pass the file size limit and not the watch on the folder."""
    folder, uid = leased
    code = "import time\nfor n in range(400):\n    open(f'{n}', 'wb').write(bytes(100000))\ntime.sleep(20)"
    job = SandboxJob(
        argv=(*INTERPRETER, "-c", code),
        inputs=(),
        folder=folder,
        uid=uid,
        limits=Limits(scratch_bytes=4 << 20),
    )
    assert _ending(SANDBOX.run(job)) == (None, "output_limit", b"", True, 0)


@pytest.mark.parametrize(
    "job",
    [
        SandboxJob(argv=(), inputs=()),
        SandboxJob(argv=("python3",), inputs=()),
        SandboxJob(argv=("/usr/bin/true",), inputs=(FileInput("../x", b""),)),
        SandboxJob(argv=("/usr/bin/true",), inputs=(FileInput("/etc/x", b""),)),
        SandboxJob(argv=("/usr/bin/true",), inputs=(FileInput("x", b""), FileInput("x", b""))),
        SandboxJob(argv=("/usr/bin/true", "a\0b"), inputs=()),
        SandboxJob(argv=("/usr/bin/true",), inputs=(), uid=0),
        SandboxJob(argv=("/usr/bin/true",), inputs=(), folder="/usr"),
        SandboxJob(argv=("/usr/bin/true",), inputs=tuple(FileInput(f"{n}", b"") for n in range(257))),
    ],
    ids=["no command", "no path", "climbs", "absolute", "twice", "nul", "root", "not leased", "too many"],
)
def test_an_unusable_job_is_refused(job: SandboxJob) -> None:
    """A job that cannot be put inside as asked never starts."""
    with pytest.raises(ConfigurationError):
        SANDBOX.run(job)


def test_without_bubblewrap_nothing_runs() -> None:
    """Without the program the machine is `unavailable` and says how to get it; no weaker way is taken."""
    sandbox = Bubblewrap("/usr/bin/no-such-program")
    assert sandbox.probe().missing == ("bubblewrap (install the package bubblewrap)",)
    with pytest.raises(SandboxUnavailableError, match="cannot confine code"):
        sandbox.run(SandboxJob(argv=("/usr/bin/true",), inputs=()))


def test_a_sandbox_that_fails_to_start_is_no_result() -> None:
    """A program that bubblewrap could not start at all is unavailable, not a failed run."""
    with pytest.raises(SandboxUnavailableError, match="did not start"):
        Bubblewrap("/usr/bin/false")._confined(  # the probe would refuse first
            SandboxJob(argv=("/usr/bin/true",), inputs=()), lambda: False
        )


def test_everything_dies_with_the_server() -> None:
    """When the server is killed outright, no process of a running sandbox stays."""
    program = (
        "import sys\nfrom adapters.sandbox.bubblewrap import *\nname = sys.stdin.readline().strip()\n"
        "job = SandboxJob(argv=(*INTERPRETER, '-c', 'import time; time.sleep(60)', name), inputs=())\n"
        "Bubblewrap().run(job)\n"
    )
    name = f"sleeper-{os.getpid()}"
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdin=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin is not None
        server.stdin.write(f"{name}\n")
        server.stdin.flush()
        assert _eventually(lambda: _named(name) >= 3)
        server.send_signal(signal.SIGKILL)
    assert _eventually(lambda: _named(name) == 0)


def _named(name: str) -> int:
    """Return how many processes have this word in their command: bubblewrap twice, and the program."""
    found = 0
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            found += entry.name.isdigit() and name.encode() in (entry / "cmdline").read_bytes()
    return found


def test_an_ordinary_user_runs_as_itself_and_says_so() -> None:
    """Without root the same walls stand, the user is not another one, and the facts say same_uid."""
    program = (
        "from adapters.sandbox.bubblewrap import *\nsandbox = Bubblewrap()\nfacts = sandbox.probe()\n"
        "result = sandbox.run(SandboxJob(argv=(*INTERPRETER, '-c', 'print(1)'), inputs=()))\n"
        "user = [f.enforced for f in result.isolation if f.name == 'user']\n"
        "print(facts.tier, facts.missing, result.termination, result.stdout, result.leftovers, user)"
    )
    dropped = {"user": 65_534, "group": 65_534, "extra_groups": []} if os.geteuid() == 0 else {}
    done = subprocess.run(
        [sys.executable, "-B", "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        **dropped,  # type: ignore[call-overload]
    )
    assert done.stdout == "same_uid () exited b'1\\n' 0 [False]\n"


def _eventually(holds: object, *, within_s: float = 10.0) -> bool:
    until = time.monotonic() + within_s
    while time.monotonic() < until:
        if holds():  # type: ignore[operator]
            return True
        time.sleep(0.02)
    return False
