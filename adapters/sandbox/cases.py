"""Run a harness's cases in one sandbox and say how each ended; the verdict on an answer is the host's.

What goes in: the supervisor, the driver, the candidate's files and the inputs. What comes out is one framed
record per case, read strictly. A record that does not fit fails its case; cases without a record share the
reason that ended the sandbox.
"""

import base64
import binascii
import json
import secrets
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol

from adapters.sandbox.answers import ANSWER_BYTES, is_right, read_answer
from adapters.sandbox.bubblewrap import INTERPRETER, never
from adapters.sandbox.harness import Case, Harness
from kernel.canonical import Json, parse_foreign
from kernel.errors import CanonicalError
from kernel.values.execution import FileInput, Limits, SandboxFacts, SandboxJob, SandboxResult

CANDIDATE_ROOT: Final = "candidate"
"""Where the candidate's files stand inside, under `/box/in`."""

_SUPERVISOR: Final = Path(__file__).parent / "inside" / "supervisor.py"
_FRAME_BYTES: Final = ANSWER_BYTES * 2
_FAULTS: Final = {
    "MemoryError": "memory_limit",
    "PermissionError": "refused_call",
    "OSError 30": "read_only",
    "FileNotFoundError": "absent_file",
    "BlockingIOError": "process_limit",
}
"""What an exception that ended a case says about the wall it ran into; anything else is a plain crash."""


_SIGNALS: Final = {-signal.SIGXCPU: "cpu_limit", -signal.SIGKILL: "killed"}


class Confinement(Protocol):
    """What this module needs of the sandbox."""

    def probe(self) -> SandboxFacts:
        """Return what this machine can enforce."""

    def run(
        self, job: SandboxJob, cancelled: Callable[[], bool] = never, *, first_process: bool = False
    ) -> SandboxResult:
        """Run one confined program."""


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """How one case ended: `ok`, or the code of why it did not pass."""

    case_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class CasesRun:
    """The outcomes in case order and the confined execution they came from."""

    outcomes: tuple[CaseOutcome, ...]
    result: SandboxResult


def run_cases(
    sandbox: Confinement, harness: Harness, driver: bytes, candidate: Sequence[FileInput], *, limits: Limits
) -> CasesRun:
    """Ask the candidate every case, each in a fresh process of one sandbox.

    Raises: SandboxUnavailableError when nothing could be confined.
    """
    nonce = secrets.token_hex(16)
    job = SandboxJob(
        argv=(*INTERPRETER, "/box/in/supervisor.py"),
        inputs=(
            FileInput("supervisor.py", _SUPERVISOR.read_bytes()),
            FileInput("driver.py", driver),
            *(FileInput(f"{CANDIDATE_ROOT}/{file.path}", file.content) for file in candidate),
        ),
        stdin=_order(harness, nonce),
        limits=replace(limits, output_bytes=len(harness.cases) * _FRAME_BYTES + 4096),
    )
    result = sandbox.run(job, first_process=True)
    records = _records(result.stdout, nonce)
    missing = _reason_without_record(result)
    return CasesRun(
        outcomes=tuple(
            CaseOutcome(case.id, "leftover_process" if result.leftovers else _judged(case, records, missing))
            for case in harness.cases
        ),
        result=result,
    )


def _order(harness: Harness, nonce: str) -> bytes:
    """Return what the supervisor reads: questions, never answers."""
    return json.dumps(
        {
            "nonce": nonce,
            "driver": "/box/in/driver.py",
            "case_wall_s": harness.case_wall_s,
            "answer_bytes": ANSWER_BYTES,
            "cases": [{"id": case.id, "input": case.input} for case in harness.cases],
        }
    ).encode()


def _records(stdout: bytes, nonce: str) -> dict[str, dict[str, Json]]:
    """Return the supervisor's records by case; a line that is not its own, or repeats a case, spoils the case."""
    records: dict[str, dict[str, Json]] = {}
    for line in stdout.split(b"\n"):
        try:
            record = parse_foreign(line, max_bytes=_FRAME_BYTES, max_depth=2)
        except CanonicalError:
            continue
        if (
            not isinstance(record, dict)
            or record.get("nonce") != nonce
            or not isinstance(record.get("id"), str)
        ):
            continue
        records[record["id"]] = {"end": "interfered"} if record["id"] in records else record
    return records


def _judged(case: Case, records: dict[str, dict[str, Json]], missing: str) -> str:
    """Return `ok` only for a case that ended well with the expected answer; else the code of why not."""
    record = records.get(case.id)
    if record is None:
        return missing
    if record.get("end") != "exited":
        return str(record.get("end"))
    if record.get("code") != 0:
        return _crash(record)
    try:
        answer = read_answer(base64.b64decode(str(record.get("out")), validate=True))
    except (CanonicalError, binascii.Error):
        return "bad_answer"
    return "ok" if is_right(answer, case.expected, case.tolerance) else "wrong_answer"


def _crash(record: dict[str, Json]) -> str:
    """Name a crash by the wall it ran into, as far as its last words say."""
    if record.get("code") in _SIGNALS:
        return _SIGNALS[record["code"]]
    fault = str(record.get("fault"))
    return _FAULTS.get(fault) or _FAULTS.get(fault.partition(" ")[0]) or "crashed"


def _reason_without_record(result: SandboxResult) -> str:
    """Return why a case has no record: what stopped the sandbox, or that its supervisor ended early."""
    return "interrupted" if result.termination in ("exited", "signalled") else result.termination
