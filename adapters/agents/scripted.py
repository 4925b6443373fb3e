"""The `scripted` runtime: a registered deterministic program of the host works in the leased folder.

It takes the live path - the same sandbox, folder, deadline and report as any worker - and is no model, which its
label says. What it says about its work are claims; what the host saw of it are observations.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Protocol

from adapters.agents.changes import changes_sentence, folder_state
from adapters.agents.program import ScriptedProgram, digest_of, program_digest, program_files
from adapters.agents.speech import Speech
from kernel.errors import ConfigurationError, SandboxUnavailableError
from kernel.values.execution import FileInput, SandboxFacts, SandboxJob, SandboxResult, WorkOrder, WorkReport
from kernel.values.work import Claim, Observation, RuntimeFacts
from kernel.vocabulary import RuntimeKind

BRIEF_PATH: Final = "brief.json"
"""Where the worker finds its brief, under `/box/in`."""

_SENTENCES: Final = {
    "timed_out": "The worker did not finish before its deadline and was ended.",
    "memory_limit": "The worker wanted more memory than allowed and was ended.",
    "output_limit": "The worker wrote more than allowed and was ended.",
    "cancelled": "The run was cancelled and the worker ended.",
    "leftover_process": "The worker left a process that could not be ended.",
    "crashed": "The worker crashed.",
}

_CHANGED: Final = "The worker's program was changed since the run was authorised; authorise it again."


class Confinement(Protocol):
    """What this runtime needs of the sandbox."""

    def probe(self) -> SandboxFacts:
        """Return what this machine can enforce."""

    def run(
        self, job: SandboxJob, cancelled: Callable[[], bool], *, heard: Callable[[bytes], None]
    ) -> SandboxResult:
        """Run one confined program, passing its output on as it comes."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """One confined execution and what it did to the folder."""

    result: SandboxResult
    changes: str


class ScriptedRuntime:
    """Executes runs with the programs that configuration registers, by runtime id."""

    def __init__(self, sandbox: Confinement, programs: Mapping[str, ScriptedProgram]) -> None:
        self._sandbox = sandbox
        self._programs = dict(programs)

    def describe(self, runtime_id: str) -> RuntimeFacts:
        """Return what the ledger and the pages may know of a runtime, and why it cannot be used now.

        Raises: ConfigurationError when no such runtime is registered.
        """
        program = self._programs.get(runtime_id)
        if program is None:
            raise ConfigurationError(f"No runtime {runtime_id!r} is configured.")
        reason = None
        try:
            digest = program_digest(program)
        except ConfigurationError as error:
            digest, reason = "", error.message
        facts = self._sandbox.probe()
        if reason is None and facts.tier == "unavailable":
            reason = f"This machine cannot confine code; missing: {'; '.join(facts.missing)}."
        return RuntimeFacts(
            id=runtime_id,
            kind=RuntimeKind.SCRIPTED,
            label=program.label,
            digest=digest,
            deadline_s=program.deadline_s,
            available=reason is None,
            reason=reason,
        )

    def execute(
        self, order: WorkOrder, cancelled: Callable[[], bool], progress: Callable[[str], None]
    ) -> WorkReport:
        """Do one run in its leased folder and return what was claimed and what was observed.

        Never raises for what a worker does: every ending is an outcome with a code.
        """
        program = self._programs.get(order.runtime_id)
        if program is None:
            return _failed("unavailable", f"No runtime {order.runtime_id!r} is configured.")
        speech = Speech(progress)
        before = folder_state(order.lease.folder)
        try:
            files = program_files(program)
            if order.runtime_digest not in {None, digest_of(program, files)}:
                return _failed("runtime_changed", _CHANGED)
            job = _job(program, files, order)
            result = self._sandbox.run(job, cancelled, heard=speech.hear)
        except (SandboxUnavailableError, ConfigurationError) as error:
            return _failed("unavailable", error.message)
        speech.end()
        changes = changes_sentence(before, folder_state(order.lease.folder))
        return _reported(_Seen(result, changes), speech)


def _job(program: ScriptedProgram, files: tuple[FileInput, ...], order: WorkOrder) -> SandboxJob:
    """Return the confined execution of one run; the run's deadline bounds the program's own."""
    seconds = min(order.deadline_s, program.deadline_s)
    return SandboxJob(
        argv=program.command(),
        inputs=(*files, FileInput(BRIEF_PATH, order.brief)),
        folder=order.lease.folder,
        uid=order.lease.uid,
        limits=replace(program.limits, wall_s=float(seconds)),
    )


def _reported(seen: _Seen, speech: Speech) -> WorkReport:
    """Turn an execution and its words into an outcome: the host's facts decide first, the words after."""
    code = _failure(seen.result)
    if code is not None:
        return _failed(code, _SENTENCES[code], seen)
    if speech.report is None:
        return _failed("bad_report", f"The worker's report cannot be read: {speech.problem}", seen)
    report = speech.report
    return WorkReport(
        outcome="returned" if report.question is None else "blocked",
        code="ok" if report.question is None else "question",
        summary=report.summary,
        claims=tuple(Claim(text=text) for text in report.claims),
        observations=_observations(seen),
        claimed_completion=report.completed and report.question is None,
        question=report.question,
    )


def _failure(result: SandboxResult) -> str | None:
    """Return why an execution failed whatever it said; None when it ended well."""
    if result.leftovers:
        return "leftover_process"
    if result.termination in _SENTENCES:
        return result.termination
    return None if result.termination == "exited" and result.exit_code == 0 else "crashed"


def _failed(code: str, sentence: str, seen: _Seen | None = None) -> WorkReport:
    return WorkReport(
        outcome="failed",
        code=code,
        summary=sentence,
        claims=(),
        observations=() if seen is None else _observations(seen),
        claimed_completion=False,
    )


def _confinement(result: SandboxResult) -> str:
    """Say under which tier the worker ran and what this machine could not enforce."""
    tier = next((fact.value for fact in result.isolation if fact.name == "tier"), "unknown")
    open_ends = ", ".join(fact.name for fact in result.isolation if not fact.enforced)
    return f"Confined as {tier}; not enforced here: {open_ends or 'nothing'}."


def _observations(seen: _Seen) -> tuple[Observation, ...]:
    """Return what the host saw: the ending, the files, the output's size, the time and any limit that was hit."""
    result = seen.result
    ending = result.termination if result.exit_code is None else f"exit code {result.exit_code}"
    listed = [
        Observation(kind="exit", text=f"The program ended: {ending}."),
        Observation(kind="files", text=seen.changes),
        Observation(
            kind="output", text=f"{len(result.stdout)} bytes of output, {len(result.stderr)} of complaints."
        ),
        Observation(kind="timing", text=f"{result.wall_ms} ms."),
        Observation(kind="limit", text=_confinement(result)),
    ]
    if result.termination in ("timed_out", "memory_limit", "output_limit"):
        listed.append(Observation(kind="limit", text=f"Ended at a limit: {result.termination}."))
    return tuple(listed)
