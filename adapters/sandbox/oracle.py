"""Validate a sealed candidate: the host asks, confined code answers, the host alone knows and compares.

Inputs are read from sealed Git objects. Oracle requirements are judged by the cases of a pinned harness;
artifact requirements by the sealed manifest and bytes, without running anything. What cannot be checked is
never passed: an absent validator is `missing`, an absent sandbox or a changed harness `unavailable`.
"""

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from adapters.sandbox.cases import CaseOutcome, Confinement, run_cases
from adapters.sandbox.harness import Harness, parse_harness
from adapters.sandbox.harness_files import read_harness
from kernel.canonical import digest
from kernel.errors import BoundaryError, ConfigurationError, SandboxUnavailableError
from kernel.values.execution import (
    FileInput,
    RepositoryPlace,
    ValidationJob,
    ValidationReport,
    ValidatorPlace,
)
from kernel.values.work import CandidateFacts, CheckFacts, IsolationFact, ManifestEntry, Requirement
from kernel.vocabulary import CheckResult, Grade

BLOB_BYTES_MAX: Final = 4 * 1024 * 1024
ReadBlob: TypeAlias = Callable[[RepositoryPlace, str, str, int], bytes]
"""(repository, commit, path, most bytes) -> the blob's bytes; raises a BoundaryError when it cannot."""

_OUTPUT_DOMAIN: Final = "odeu.validation.output.v1"
_SENTENCES: Final = {
    "wrong_answer": "gave another answer than the host expects",
    "crashed": "crashed",
    "timed_out": "did not finish in time",
    "cpu_limit": "used up its processor time",
    "killed": "was killed",
    "memory_limit": "wanted more memory than allowed",
    "process_limit": "wanted more processes than allowed",
    "output_limit": "printed more than allowed",
    "refused_call": "asked for something confined code may not do",
    "read_only": "tried to write where nothing may be written",
    "absent_file": "looked for a file that is not there",
    "bad_answer": "did not print exactly one acceptable JSON line",
    "orphan_process": "left a process behind",
    "leftover_process": "left a process that outlived the sandbox",
    "interfered": "was answered twice",
    "not_started": "could not be started",
    "interrupted": "got no answer: the sandbox ended early",
}


@dataclass(slots=True)
class _Findings:
    """What one validation gathered over its validators."""

    isolation: list[IsolationFact] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)
    blobs: list[str] = field(default_factory=list)
    outputs: list[list[str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Judgement:
    """A validator's outcome: its cases, or the one reason why there are none."""

    harness: Harness | None
    outcomes: tuple[CaseOutcome, ...]
    result: CheckResult
    reason: str
    detail: str


class HostOracle:
    """The `host_oracle` validator: one sandbox per validator and validation, a fresh process per case."""

    def __init__(self, sandbox: Confinement) -> None:
        self._sandbox = sandbox

    def validate(self, job: ValidationJob, read_blob: ReadBlob) -> ValidationReport:
        """Return the result of every requirement, with what was used and how it was confined."""
        started = time.monotonic()
        facts = self._sandbox.probe()
        findings = _Findings()
        wanted = {each.validator_id for each in job.requirements if each.kind == "oracle"}
        judgements = {
            place.id: self._judge(job, place, read_blob, findings)
            for place in job.validators
            if place.id in wanted
        }
        checks = tuple(
            _artifact_check(job, each, read_blob)
            if each.kind == "artifact"
            else _oracle_check(each, judgements.get(each.validator_id or ""))
            for each in job.requirements
        )
        return ValidationReport(
            checks=checks,
            isolation=tuple(findings.isolation) or facts.isolation,
            harness_digests=tuple(findings.digests),
            input_blobs=tuple(dict.fromkeys(findings.blobs)),
            tier=facts.tier,
            wall_ms=int((time.monotonic() - started) * 1000),
            output_digest=digest(_OUTPUT_DOMAIN, findings.outputs),
        )

    def _judge(
        self, job: ValidationJob, place: ValidatorPlace, read_blob: ReadBlob, findings: _Findings
    ) -> _Judgement:
        """Run one validator, or say why it could not run."""
        try:
            files = read_harness(place.folder)
            if files.digest != place.digest:
                return _no_verdict(
                    CheckResult.UNAVAILABLE, "harness_changed", "The harness is not the one configured."
                )
            harness = parse_harness(files)
        except ConfigurationError as error:
            return _no_verdict(CheckResult.UNAVAILABLE, error.reason_code, error.message)
        findings.digests.append(files.digest)
        try:
            inputs = _materialised(job, harness.inputs, read_blob)
        except BoundaryError as error:
            return _no_verdict(CheckResult.FAILED, "input_unreadable", error.message)
        findings.blobs.extend(_blob_id(job.candidate, file.content) for file in inputs)
        try:
            run = run_cases(
                self._sandbox, harness, files.content(harness.driver), inputs, limits=place.limits
            )
        except SandboxUnavailableError as error:
            return _no_verdict(CheckResult.UNAVAILABLE, error.reason_code, error.message)
        findings.isolation.extend(run.result.isolation)
        findings.outputs.append([place.id, digest(_OUTPUT_DOMAIN, run.result.stdout)])
        return _Judgement(harness, run.outcomes, CheckResult.PASSED, "ok", "")


def _materialised(job: ValidationJob, paths: Sequence[str], read_blob: ReadBlob) -> tuple[FileInput, ...]:
    """Read the candidate's files from sealed objects, and hold the changed ones to the sealed manifest."""
    changed = {entry.path: entry for entry in job.candidate.manifest}
    inputs = []
    for path in paths:
        content = read_blob(job.repository, job.candidate.commit, path, BLOB_BYTES_MAX)
        entry = changed.get(path)
        if entry is not None and entry.new_blob != _blob_id(job.candidate, content):
            raise BoundaryError(f"The sealed file {path} is not the one in the candidate's manifest.")
        inputs.append(FileInput(path, content))
    return tuple(inputs)


def _oracle_check(requirement: Requirement, judgement: _Judgement | None) -> CheckFacts:
    if judgement is None:
        return _check(requirement, CheckResult.MISSING, "no_validator", "No such validator is configured.")
    if judgement.harness is None:
        return _check(requirement, judgement.result, judgement.reason, judgement.detail)
    wanted = {case.id for case in judgement.harness.cases_of(requirement.id)}
    outcomes = [outcome for outcome in judgement.outcomes if outcome.case_id in wanted]
    if not outcomes:
        return _check(requirement, CheckResult.MISSING, "no_cases", "The harness has no case for this.")
    failed = [outcome for outcome in outcomes if outcome.reason != "ok"]
    passed = len(outcomes) - len(failed)
    if not failed:
        detail = f"All {passed} cases gave the expected answer."
        return _check(requirement, CheckResult.PASSED, "ok", detail, cases=(passed, passed))
    first = failed[0]
    said = _SENTENCES.get(first.reason, "did not pass")
    detail = f"{len(failed)} of {len(outcomes)} cases did not pass; the first, {first.case_id}, {said}."
    return _check(requirement, CheckResult.FAILED, first.reason, detail, cases=(len(outcomes), passed))


def _artifact_check(job: ValidationJob, requirement: Requirement, read_blob: ReadBlob) -> CheckFacts:
    """Check from the sealed manifest and bytes that an expected artifact was changed and is there."""
    path = requirement.path or ""
    entry = next((each for each in job.candidate.manifest if each.path == path), None)
    if entry is None:
        return _check(requirement, CheckResult.FAILED, "not_changed", f"{path} was not changed.")
    if entry.status == "deleted":
        return _check(requirement, CheckResult.FAILED, "deleted", f"{path} was deleted.")
    return _sealed_check(job, requirement, entry, read_blob)


def _sealed_check(
    job: ValidationJob, requirement: Requirement, entry: ManifestEntry, read_blob: ReadBlob
) -> CheckFacts:
    try:
        content = read_blob(job.repository, job.candidate.commit, entry.path, BLOB_BYTES_MAX)
    except BoundaryError as error:
        return _check(requirement, CheckResult.FAILED, "input_unreadable", error.message)
    if _blob_id(job.candidate, content) != entry.new_blob:
        return _check(
            requirement, CheckResult.FAILED, "blob_mismatch", f"{entry.path} is not the sealed one."
        )
    detail = f"{entry.path} was {entry.status} and is sealed with {len(content)} bytes."
    return _check(requirement, CheckResult.PASSED, "ok", detail, cases=(1, 1))


def _check(
    requirement: Requirement,
    result: CheckResult,
    reason: str,
    detail: str,
    *,
    cases: tuple[int, int] = (0, 0),
) -> CheckFacts:
    grade = Grade.SEALED_OBJECTS if requirement.kind == "artifact" else Grade.HOST_ORACLE
    return CheckFacts(
        requirement_id=requirement.id,
        result=result,
        grade=grade,
        cases_total=cases[0],
        cases_passed=cases[1],
        reason=reason,
        detail=detail,
    )


def _no_verdict(result: CheckResult, reason: str, detail: str) -> _Judgement:
    return _Judgement(None, (), result, reason, detail)


def _blob_id(candidate: CandidateFacts, content: bytes) -> str:
    """Return the Git object id of these bytes as a blob, in the candidate's object format."""
    hashed = hashlib.sha256() if candidate.object_format == "sha256" else hashlib.sha1(usedforsecurity=False)
    hashed.update(b"blob %d\0" % len(content))
    hashed.update(content)
    return hashed.hexdigest()
