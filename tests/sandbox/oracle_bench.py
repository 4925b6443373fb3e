"""A workbench for oracle tests: a small harness on disk, a candidate as text, and one validation of it."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from adapters.sandbox.bubblewrap import Bubblewrap
from adapters.sandbox.harness_files import harness_digest
from adapters.sandbox.oracle import HostOracle
from kernel.errors import GitRefusedError
from kernel.values.execution import (
    Limits,
    RepositoryPlace,
    ValidationJob,
    ValidationReport,
    ValidatorPlace,
)
from kernel.values.work import CandidateFacts, CheckFacts, ManifestEntry, Requirement
from kernel.vocabulary import CheckResult, Grade

SANDBOX = Bubblewrap()
"""One for all tests: it looks around once."""

REPOSITORY = RepositoryPlace(id="tool", path="/nowhere/tool.git", target_refs=("refs/heads/main",))
DRIVER = """
import importlib.util, json, sys
question = json.loads(sys.stdin.readline())
spec = importlib.util.spec_from_file_location("tool", "/box/in/candidate/tool.py")
tool = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tool)
print(json.dumps(tool.answer(question)))
"""
RIGHT = "def answer(question):\n    return question * 2\n"
ORACLE = Requirement(
    id="doubles",
    label="It doubles",
    kind="oracle",
    validator_id="judge",
    grade=Grade.HOST_ORACLE,
    required=True,
)
CASES = [
    {"id": "one", "input": 1, "expected": 2},
    {"id": "two", "input": 2, "expected": 4},
    {"id": "three", "input": 3, "expected": 6},
]


@dataclass(frozen=True, slots=True)
class Bench:
    """A folder for harnesses, and validations in it."""

    folder: Path

    def place(
        self,
        cases: list[dict[str, object]] | None = None,
        *,
        limits: Limits | None = None,
        case_wall_s: float = 4.0,
    ) -> ValidatorPlace:
        """Write a harness and return the validator that is pinned to it."""
        harness = self.folder / "harness"
        harness.mkdir(mode=0o755)
        content = {
            "version": 1,
            "driver": "driver.py",
            "inputs": ["tool.py"],
            "case_wall_s": case_wall_s,
            "cases": CASES if cases is None else cases,
        }
        (harness / "harness.json").write_text(json.dumps(content))
        (harness / "driver.py").write_text(DRIVER)
        for file in harness.iterdir():
            file.chmod(0o644)
        return ValidatorPlace("judge", str(harness), harness_digest(str(harness)), limits or Limits())

    def validate(
        self,
        source: str,
        *,
        place: ValidatorPlace | None = None,
        requirements: tuple[Requirement, ...] = (ORACLE,),
    ) -> ValidationReport:
        """Validate a candidate whose one changed file is this source."""
        sealed = {"tool.py": source.encode()}

        def read_blob(repository: RepositoryPlace, commit: str, path: str, limit: int) -> bytes:
            assert (repository, commit) == (REPOSITORY, "c" * 40)
            if path not in sealed or len(sealed[path]) > limit:
                raise GitRefusedError(f"the commit has no file {path}", code="not_found")
            return sealed[path]

        job = ValidationJob(
            repository=REPOSITORY,
            candidate=candidate(source),
            requirements=requirements,
            validators=(place or self.place(),),
        )
        return HostOracle(SANDBOX).validate(job, read_blob)

    def check(self, source: str, **changes: ValidatorPlace) -> CheckFacts:
        """Return the one result of a validation with the oracle requirement alone."""
        (result,) = self.validate(source, **changes).checks
        return result


def blob_id(content: bytes) -> str:
    """Return the Git id of a blob."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def candidate(source: str) -> CandidateFacts:
    """Return the facts of a candidate that changed `tool.py` and nothing else."""
    entry = ManifestEntry(
        path="tool.py",
        status="modified",
        old_mode="100644",
        new_mode="100644",
        old_blob="0" * 40,
        new_blob=blob_id(source.encode()),
    )
    return CandidateFacts(
        candidate_id="candidate_0",
        repository_id="tool",
        target_ref="refs/heads/main",
        object_format="sha1",
        base_commit="a" * 40,
        base_tree="b" * 40,
        commit="c" * 40,
        tree="d" * 40,
        ref="refs/odeu/candidates/candidate_0",
        manifest=(entry,),
        manifest_digest="sha256:0",
        patch_digest="sha256:0",
        patch_bytes=1,
    )


def failed(reason: str, said: str, *, first: str = "one", passed: int = 0) -> CheckFacts:
    """Return the result of the oracle requirement when cases did not pass."""
    return CheckFacts(
        requirement_id="doubles",
        result=CheckResult.FAILED,
        grade=Grade.HOST_ORACLE,
        cases_total=3,
        cases_passed=passed,
        reason=reason,
        detail=f"{3 - passed} of 3 cases did not pass; the first, {first}, {said}.",
    )
