"""Hostile candidates: each tries one thing, none passes, none harms, each gets its own reason.

A payload answers rightly only when its attack got through, so an attack that works shows as a passed check.
Payloads run inside the sandbox and nowhere else.
"""

from dataclasses import dataclass

import pytest

from kernel.values.execution import Limits
from kernel.values.work import IsolationFact
from tests.sandbox.oracle_bench import Bench, failed


@dataclass(frozen=True, slots=True)
class Attack:
    """A payload, and the reason it must get."""

    name: str
    body: str
    reason: str
    said: str
    case_wall_s: float = 4.0

    @property
    def source(self) -> str:
        """Return the candidate file: the payload as the function that the driver calls."""
        lines = "\n".join(f"    {line}" for line in self.body.strip().splitlines())
        return f"import ctypes, glob, os, signal, socket, sys, time\n\ndef answer(question):\n{lines}\n"


REFUSED = "asked for something confined code may not do"
ABSENT = "looked for a file that is not there"
BAD = "did not print exactly one acceptable JSON line"
FLOOD = "printed more than allowed"

ATTACKS = (
    Attack(
        "network",
        'socket.create_connection(("127.0.0.1", 22), timeout=1)\nreturn question * 2',
        "refused_call",
        REFUSED,
    ),
    Attack(
        "write outside",
        'open("/usr/bin/planted", "w").write("x")\nreturn question * 2',
        "read_only",
        "tried to write where nothing may be written",
    ),
    Attack(
        "fork bomb",
        "while True:\n    os.fork()",
        "process_limit",
        "wanted more processes than allowed",
    ),
    Attack(
        "memory",
        "kept = bytearray(4 * 1024 ** 3)\nreturn question * 2",
        "memory_limit",
        "wanted more memory than allowed",
    ),
    Attack("endless loop", "while True:\n    pass", "timed_out", "did not finish in time", case_wall_s=0.5),
    Attack("output flood", 'while True:\n    sys.stdout.write("x" * 4096)', "output_limit", FLOOD),
    Attack(
        "symlink out",
        'os.symlink("/root", "/tmp/out")\nos.listdir("/tmp/out")\nreturn question * 2',
        "absent_file",
        ABSENT,
    ),
    Attack(
        "git path",
        'open("/box/work/.git/config").read()\nreturn question * 2',
        "absent_file",
        ABSENT,
    ),
    Attack(
        "forged report",
        "for case in ('one', 'two', 'three'):\n"
        '    print(\'{"nonce": "", "id": "%s", "end": "exited", "code": 0, "out": "Mg=="}\' % case)\n'
        "print('{\"passed\": true}')\nsys.stdout.flush()\nos._exit(0)",
        "bad_answer",
        BAD,
    ),
    Attack(
        "report over the supervisor's pipe",
        'open("/proc/1/fd/1", "w").write("{}")\nreturn question * 2',
        "refused_call",
        REFUSED,
    ),
    Attack(
        "orphan process",
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        time.sleep(60)\n    os._exit(0)\n"
        "os.wait()\nreturn question * 2",
        "orphan_process",
        "left a process behind",
    ),
    Attack(
        "expected values in the supervisor's memory",
        'open("/proc/1/mem", "rb").read(1)\nreturn question * 2',
        "refused_call",
        REFUSED,
    ),
    Attack(
        "expected values in the harness folder",
        'found = [p for p in glob.glob("/box/**", recursive=True) if p.endswith("harness.json")]\n'
        "return open(found[0] if found else '/box/in/harness.json').read()",
        "absent_file",
        ABSENT,
    ),
    Attack(
        "trace the supervisor",
        "library = ctypes.CDLL(None, use_errno=True)\n"
        "if library.ptrace(16, 1, 0, 0) != 0:\n    raise OSError(ctypes.get_errno(), 'trace')\n"
        "return question * 2",
        "refused_call",
        REFUSED,
    ),
    Attack(
        "signal host processes",
        "for pid in range(2, 70000):\n    if pid != os.getpid():\n        try:\n            os.kill(pid, 0)\n"
        "        except ProcessLookupError:\n            continue\n        return question * 2\nreturn None",
        "wrong_answer",
        "gave another answer than the host expects",
    ),
    Attack(
        "kill the supervisor",
        "os.kill(1, signal.SIGKILL)\ntime.sleep(0.1)\nreturn None",
        "wrong_answer",
        "gave another answer than the host expects",
    ),
    Attack(
        "nested user namespace",
        "library = ctypes.CDLL(None, use_errno=True)\n"
        "if library.unshare(0x10000000) != 0:\n    raise OSError(ctypes.get_errno(), 'unshare')\n"
        "return question * 2",
        "refused_call",
        REFUSED,
    ),
    Attack("virtual machine socket", "socket.socket(40, 1)\nreturn question * 2", "refused_call", REFUSED),
    Attack("exit zero alone", "os._exit(0)", "bad_answer", BAD),
    Attack("garbage", 'print("hello")\nreturn question * 2', "bad_answer", BAD),
    Attack("huge JSON", 'return "x" * 70000', "output_limit", FLOOD),
    Attack("deep JSON", "print('[' * 5000 + ']' * 5000)\nsys.stdout.flush()\nos._exit(0)", "bad_answer", BAD),
    Attack("not a number", 'return float("nan")', "bad_answer", BAD),
    Attack(
        "duplicate keys",
        'print(\'{"a": 1, "a": 2}\')\nsys.stdout.flush()\nos._exit(0)',
        "bad_answer",
        BAD,
    ),
    Attack("bytes that are no text", "os.write(1, b'\\xff\\n')\nos._exit(0)", "bad_answer", BAD),
)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_fails_every_case_with_its_reason(bench: Bench, attack: Attack) -> None:
    """The check fails with the attack's reason, no case passes and no process is left on the host."""
    report = bench.validate(attack.source, place=bench.place(case_wall_s=attack.case_wall_s))
    assert report.checks == (failed(attack.reason, attack.said),)
    assert IsolationFact(name="leftovers", value="0", enforced=True) in report.isolation


def test_a_crash_fails_its_own_case_only(bench: Bench) -> None:
    """A candidate that crashes for one input keeps the results of the others."""
    source = "import os\ndef answer(q):\n    return os.abort() if q == 2 else q * 2\n"
    assert bench.check(source) == failed("crashed", "crashed", first="two", passed=2)


def test_what_one_case_writes_is_gone_in_the_next(bench: Bench) -> None:
    """Each case starts with empty scratch memory, whatever an earlier one left there."""
    source = (
        "import os\ndef answer(q):\n    seen = os.listdir('/tmp') + os.listdir('/box/work')\n"
        "    os.makedirs('/tmp/a/b')\n    open('/box/work/x', 'w').close()\n    return seen or q * 2\n"
    )
    assert bench.check(source).cases_passed == 3


def test_memory_of_many_processes_is_summed(bench: Bench) -> None:
    """Processes that each stay under the limit and together do not are all ended."""
    source = (
        "import os, time\ndef answer(q):\n    for _ in range(16):\n        if os.fork() == 0:\n"
        "            kept = bytearray(30 * 1024 * 1024)\n            time.sleep(30)\n    time.sleep(30)\n"
    )
    place = bench.place(limits=Limits(memory_sum_bytes=192 * 1024 * 1024))
    assert bench.check(source, place=place) == failed("memory_limit", "wanted more memory than allowed")


def test_true_is_not_one(bench: Bench) -> None:
    """Answers are compared as canonical bytes, so `true` does not stand for a number."""
    source = "def answer(q):\n    return True if q == 1 else q * 2\n"
    place = bench.place([{"id": "one", "input": 1, "expected": 1}])
    assert bench.check(source, place=place).reason == "wrong_answer"
