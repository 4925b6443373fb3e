"""From what came back to parts of a page: claims, observations, the candidate, its checks and its confinement.

Owns how a result is said, and in particular that nothing a worker claims is said in the host's voice.
"""

from typing import Final

from app.views.moments import moment
from app.views.parts import Fact, IdCopy, Mark
from app.views.wording import count, short_digest
from app.views.work.parts import (
    Candidate,
    Check,
    Checks,
    Confinement,
    FileLine,
    Notice,
    Reported,
    Seen,
)
from app.views.work.sight import BriefWords, Patch, branch_words, sentence
from kernel.events.evidence import CheckedRequirement
from kernel.state import CandidateRecord, ClosureRecord, ValidationRecord
from kernel.values.work import IsolationFact
from kernel.vocabulary import CheckResult, Grade

RESULTS: Final[dict[CheckResult, Mark]] = {
    CheckResult.PASSED: Mark("circle-check", "Passed", "ok"),
    CheckResult.FAILED: Mark("circle-x", "Failed", "bad"),
    CheckResult.MISSING: Mark("circle-help", "Missing", "unknown"),
    CheckResult.UNAVAILABLE: Mark("circle-help", "Not available", "unknown"),
}
_GRADES: Final[dict[Grade, tuple[str, str]]] = {
    Grade.HOST_ORACLE: ("Compared on the host", "scale"),
    Grade.SEALED_OBJECTS: ("Read from the sealed files", "file-search"),
}
_FILES: Final[dict[str, Mark]] = {
    "added": Mark("plus", "Added"),
    "modified": Mark("pencil-line", "Changed"),
    "deleted": Mark("minus", "Removed"),
}
_SEEN: Final[dict[str, str]] = {
    "exit": "Exit",
    "files": "Files",
    "output": "Output",
    "limit": "Limits",
    "timing": "Time",
}
_FACTS: Final[dict[str, str]] = {
    "tier": "Confinement",
    "user": "User",
    "user_namespace": "User namespace",
    "network": "Network",
    "inputs": "Inputs",
    "writable": "May write",
    "memory_per_process": "Memory of one process",
    "memory_sum": "Memory of all processes",
    "cpu_per_process": "Processor time of one process",
    "file_size": "Size of one file",
    "open_files": "Open files",
    "core_dumps": "Core dumps",
    "wall_clock": "Time",
    "output": "Output",
    "processes": "Processes",
    "folder_growth": "Growth of the folder",
    "cgroup_limits": "Kernel limits for all processes together (cgroup)",
    "scratch_entries": "Number of scratch files",
    "end_with_server": "End of the server",
    "leftovers": "Processes left over",
    "seccomp": "System call filter",
}
TIERS: Final[dict[str, str]] = {
    "uid_drop": "a fresh user of its own, then every namespace",
    "same_uid": "every namespace, but the same user as this server",
    "unavailable": "none, so nothing ran",
}
_ENFORCED: Final = Mark("check", "Enforced")
_NOT_ENFORCED: Final = Mark("triangle-alert", "Not enforced", "warn")


def reported(closure: ClosureRecord, worker: str) -> Reported:
    """Return the worker's claims beside what the host saw."""
    body = closure.body
    summary = body.summary.or_erased()
    claims = (*((summary,) if summary else ()), *(words.or_erased() for words in body.claims))
    if not body.claimed_completion:
        claims = (*claims, "It does not report the task as complete.")
    seen = tuple(Seen(_SEEN.get(item.kind, item.kind), item.text.or_erased()) for item in body.observations)
    return Reported(worker, claims, seen)


def candidate(record: CandidateRecord, patch: Patch) -> Candidate:
    """Return the sealed candidate with its files and patch."""
    facts = record.body.candidate
    lines = changed_lines(patch.text)
    files = tuple(
        FileLine(entry.path, _FILES[entry.status], lines.get(entry.path, "")) for entry in facts.manifest
    )
    said = (
        Fact("Commit", "one parent, made by the host", IdCopy.of_object(facts.commit)),
        Fact(
            "Starts from", f"{branch_words(facts.target_ref)} as it was", IdCopy.of_object(facts.base_commit)
        ),
        Fact("Patch", f"{facts.patch_bytes} bytes", short_digest("patch", facts.patch_digest)),
        Fact("Sealed", "by the host,", when=moment(record.origin.at)),
    )
    title = f"{count(len(files), 'file')} changed, sealed as one commit"
    return Candidate(title, said, files, patch.text or "(nothing to show)", patch.note)


def changed_lines(patch: str) -> dict[str, str]:
    """Return how many lines each path of a patch gained and lost, such as `14 added, 1 removed`."""
    return {name: _line_words(*pair) for name, pair in _counted(patch).items()}


def _counted(patch: str) -> dict[str, list[int]]:
    counted: dict[str, list[int]] = {}
    path = ""
    in_hunk = False
    for line in patch.splitlines():
        if line.startswith("diff --git "):
            path, in_hunk = line.rpartition(" b/")[2], False
            counted[path] = [0, 0]
        elif line.startswith("@@"):
            in_hunk = True
        elif in_hunk and path and line[:1] in {"+", "-"}:
            counted[path]["+-".index(line[0])] += 1
    return counted


def _line_words(added: int, removed: int) -> str:
    said = [f"{added} added"] if added else []
    if removed:
        said.append(f"{removed} removed")
    return ", ".join(said)


def checks(record: ValidationRecord, words: BriefWords) -> Checks:
    """Return one validation: each requirement, how it is known, and how the code was confined."""
    body = record.body
    rows = tuple(_check(item, words) for item in body.checks)
    confinement = tuple(_confinement(item) for item in body.isolation)
    digests = tuple(
        Fact("Judged by", "the host’s own harness,", short_digest("harness", item))  # noqa: RUF001 - typeset
        for item in body.harness_digests
    )
    facts = (
        *digests,
        Fact("Confinement", TIERS.get(body.tier, body.tier)),
        Fact("Took", f"{body.wall_ms / 1000:.1f} seconds"),
        Fact("Recorded", "", when=moment(record.origin.at)),
    )
    return Checks(rows, confinement, _unenforced(body.isolation), facts)


def _check(item: CheckedRequirement, words: BriefWords) -> Check:
    grade, icon = _GRADES[item.grade]
    detail = item.detail.or_erased()
    if item.grade is Grade.HOST_ORACLE and item.result is CheckResult.PASSED:
        cases = f"{item.cases_passed} of {count(item.cases_total, 'case')}"
        detail = f"Strong. {cases}; the expected answers never left the host."
    elif item.grade is Grade.HOST_ORACLE and item.cases_total:
        detail = f"{item.cases_passed} of {count(item.cases_total, 'case')} right. {sentence(detail)}"
    elif item.result is CheckResult.PASSED:
        detail = f"Strong. {sentence(detail)}"
    return Check(words.label(item.requirement_id), RESULTS[item.result], grade, icon, detail)


def _confinement(item: IsolationFact) -> Confinement:
    mark = _ENFORCED if item.enforced else _NOT_ENFORCED
    return Confinement(_fact_words(item.name), item.value, mark)


def _fact_words(name: str) -> str:
    return _FACTS.get(name, name.replace("_", " ").capitalize())


def _unenforced(isolation: tuple[IsolationFact, ...]) -> Notice | None:
    missing = [item for item in isolation if not item.enforced]
    if not missing:
        return None
    title = f"{count(len(missing), 'limit was', 'limits were')} not enforced on this machine"
    said = "; ".join(f"{_fact_words(item.name)}: {item.value}" for item in missing)
    return Notice("warn", "triangle-alert", title, f"{said}. It is written into the result.")


def passed_words(record: ValidationRecord) -> str:
    """Return how many requirements passed, such as `3 of 3 passed`."""
    passed = sum(item.result is CheckResult.PASSED for item in record.body.checks)
    return f"{passed} of {len(record.body.checks)} passed"


def files_words(record: CandidateRecord) -> str:
    """Return how many files a candidate changes, such as `2 files`."""
    return count(len(record.body.candidate.manifest), "file")


def contains(record: CandidateRecord, patch: Patch) -> str:
    """Return what a candidate contains, with its lines when the patch was read."""
    changed = sum(added + removed for added, removed in _counted(patch.text).values())
    return f"{files_words(record)}, {count(changed, 'line')}" if changed else files_words(record)
