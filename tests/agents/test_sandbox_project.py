"""The shipped sandbox project, walked with real parts: Git, folder, worker, sealing and the host oracle."""

import os
import stat
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from adapters import sandbox_project
from adapters.agents.program import ScriptedProgram
from adapters.agents.scripted import ScriptedRuntime
from adapters.git.repositories import GitRepositories
from adapters.manager.outline import parse_outline
from adapters.sandbox.bubblewrap import Bubblewrap
from adapters.sandbox.harness_files import harness_digest
from adapters.sandbox.oracle import HostOracle
from adapters.sandbox_project import SandboxPlaces
from kernel.values.execution import (
    Lease,
    Limits,
    RepositoryPlace,
    SealOrder,
    ValidationJob,
    ValidatorPlace,
    WorkOrder,
    WorkReport,
)
from kernel.values.work import CandidateFacts, Claim, Observation, Requirement
from kernel.vocabulary import CheckResult, Grade, NodeKind

SANDBOX = Bubblewrap()
AT = "2026-11-30T12:00:00.000000Z"


@dataclass(frozen=True, slots=True)
class Installation:
    """An installed sandbox project and the real parts around it."""

    data: Path
    places: SandboxPlaces
    git: GitRepositories

    @property
    def repository(self) -> RepositoryPlace:
        """Return the project's repository as configured."""
        return RepositoryPlace(
            "paint", str(self.data / self.places.repository), (sandbox_project.TARGET_REF,)
        )

    @contextmanager
    def leased(self, commit: str) -> Iterator[Lease]:
        """Hold a run folder of a commit with a user id of its own."""
        with SANDBOX.uids.take() as held:
            lease = self.git.lease("run_0", self.repository, commit, uid=held.uid)
            try:
                yield lease
            finally:
                self.git.release(lease)

    def work(self, lease: Lease) -> WorkReport:
        """Let the shipped worker do its task in a folder."""
        program = ScriptedProgram(
            label="Scripted worker (no model)",
            folder=str(self.data / self.places.worker),
            argv=("/usr/bin/python3", "-I", "-S", "-B", "{program}/worker.py"),
            deadline_s=60,
        )
        runtime = ScriptedRuntime(SANDBOX, {sandbox_project.RUNTIME_ID: program})
        order = WorkOrder("run_0", sandbox_project.RUNTIME_ID, b'{"goal": "mix"}', lease, deadline_s=60)
        return runtime.execute(order, lambda: False, lambda _: None)

    def seal(self, lease: Lease) -> CandidateFacts:
        """Seal a folder against the profile's paths."""
        order = SealOrder(
            candidate_id="candidate_0",
            run_id="run_0",
            brief_id="brief_0",
            repository=self.repository,
            target_ref=sandbox_project.TARGET_REF,
            base_commit=lease.base_commit,
            sealed_at=AT,
            allowed_paths=("paint/tins.py", "README.md"),
        )
        return self.git.seal(lease, order)

    def validate(self, candidate: CandidateFacts) -> list[tuple[str, CheckResult, str, int, int]]:
        """Validate a candidate against the profile's requirements."""
        harness = str(self.data / self.places.harness)
        validators = (ValidatorPlace("paint-oracle", harness, harness_digest(harness), Limits()),)
        job = ValidationJob(self.repository, candidate, _requirements(), validators)
        report = HostOracle(SANDBOX).validate(
            job,
            lambda place, commit, path, limit: self.git.read_blob(place, commit, path, max_bytes=limit),
        )
        return [
            (each.requirement_id, each.result, each.reason, each.cases_passed, each.cases_total)
            for each in report.checks
        ]


def _requirements() -> tuple[Requirement, ...]:
    """Return the requirements that the shipped configuration asks for."""
    text = sandbox_project.odeu_toml(SandboxPlaces("repository", "worker", "harness"))
    profile = tomllib.loads(text)["profiles"][sandbox_project.PROFILE_ID]
    return tuple(
        Requirement(
            id=each["id"],
            label=each["label"],
            kind=each["kind"],
            validator_id=each.get("validator"),
            path=each.get("path"),
            grade=Grade.HOST_ORACLE if each["kind"] == "oracle" else Grade.SEALED_OBJECTS,
            required=True,
        )
        for each in profile["requirements"]
    )


@pytest.fixture
def installed(tmp_path: Path) -> Installation:
    """Return a fresh installation whose run folders a dropped user can reach."""
    for parent in (tmp_path, *tmp_path.parents):
        if parent.stat().st_uid == os.geteuid() and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o001)
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    git = GitRepositories(str(tmp_path / "runs"))
    return Installation(data, sandbox_project.install(str(data), git.create_bare), git)


def test_the_worker_does_the_task_and_its_candidate_passes(installed: Installation) -> None:
    """From the first commit the worker's edit is sealed and passes every requirement, case by case."""
    base = installed.git.resolve(installed.repository, sandbox_project.TARGET_REF).commit
    with installed.leased(base) as lease:
        report = installed.work(lease)
        candidate = installed.seal(lease)
    assert (report.outcome, report.code, report.claimed_completion) == ("returned", "ok", True)
    assert report.claims == (
        Claim(text="paint/tins.py now chooses the mix of tins that leaves the least paint over."),
        Claim(text="3 examples of my own gave the expected tins."),
        Claim(text="The README says how tins are chosen."),
    )
    assert report.observations[1] == Observation(
        kind="files", text="Changed README.md, changed paint/tins.py."
    )
    assert [entry.path for entry in candidate.manifest] == ["README.md", "paint/tins.py"]
    assert installed.validate(candidate) == [
        ("least-left-over", CheckResult.PASSED, "ok", 16, 16),
        ("still-right", CheckResult.PASSED, "ok", 5, 5),
        ("tins-changed", CheckResult.PASSED, "ok", 1, 1),
    ]


def test_a_change_without_the_feature_fails(installed: Installation) -> None:
    """A candidate that only touches the file keeps what worked and fails what the task asks for."""
    base = installed.git.resolve(installed.repository, sandbox_project.TARGET_REF).commit
    with installed.leased(base) as lease:
        target = Path(lease.folder) / "paint" / "tins.py"
        target.write_text(target.read_text() + "# touched\n")
        candidate = installed.seal(lease)
    assert installed.validate(candidate) == [
        ("least-left-over", CheckResult.FAILED, "wrong_answer", 7, 16),
        ("still-right", CheckResult.PASSED, "ok", 5, 5),
        ("tins-changed", CheckResult.PASSED, "ok", 1, 1),
    ]


def test_the_worker_asks_when_the_file_is_not_the_one_it_knows(installed: Installation) -> None:
    """Done twice, the worker changes nothing and asks what should be different."""
    base = installed.git.resolve(installed.repository, sandbox_project.TARGET_REF).commit
    with installed.leased(base) as lease:
        installed.work(lease)
        again = installed.work(lease)
    assert (again.outcome, again.question) == (
        "blocked",
        "paint/tins.py already chooses tins in another way than the one I know. What should be different?",
    )
    assert again.observations[1] == Observation(kind="files", text="No file changed.")


def test_installing_again_touches_nothing(installed: Installation) -> None:
    """A project that is there stays as it is, a half-made one is replaced, and the first commit is the same."""
    marked = installed.data / installed.places.worker / "worker.py"
    marked.write_text("# mine\n")
    again = sandbox_project.install(str(installed.data), installed.git.create_bare)
    assert (again, marked.read_text()) == (installed.places, "# mine\n")
    other = installed.data / "other"
    (other / ".sandbox-in-the-making" / "worker").mkdir(parents=True)
    sandbox_project.install(str(other), installed.git.create_bare)
    commits = {
        installed.git.resolve(
            RepositoryPlace("paint", str(folder / "sandbox/repository.git"), ()), sandbox_project.TARGET_REF
        ).commit
        for folder in (installed.data, other)
    }
    assert len(commits) == 1
    assert [path.name for path in other.iterdir()] == ["sandbox"]


def test_nobody_else_can_change_what_was_installed(installed: Installation) -> None:
    """Worker and harness belong to this user and are writable by no other."""
    for folder in (installed.places.worker, installed.places.harness):
        root = installed.data / folder
        for path in (root, *root.iterdir()):
            facts = path.stat()
            assert (facts.st_uid, stat.S_IMODE(facts.st_mode) & 0o077) == (os.geteuid(), 0)


def test_the_repository_works_by_itself(tmp_path: Path) -> None:
    """The shipped files run their own tests and print a shopping list with the standard library alone."""
    for path, content in sandbox_project.repository_files().items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    command = [sys.executable, "-I", "-S", "-B", "-c"]
    run = "import sys, runpy; sys.path.insert(0, '.'); sys.argv = ['paint', '--room', '420x360x250']; "
    tested = subprocess.run(
        [*command, "import sys, unittest; sys.path.insert(0, '.'); unittest.main('tests.test_paint')"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    bought = subprocess.run(
        [*command, run + "runpy.run_module('paint', run_name='__main__')"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Ran 3 tests" in tested.stderr
    assert bought.stdout.splitlines() == [
        "39.00 m2 to paint, 7800 ml of paint",
        "buy 5000 ml, 5000 ml, 2200 ml left over",
    ]


def test_the_seed_outline_reads_as_meant() -> None:
    """The outline imports with its goal, constraints, decision, artifacts and a place for the first sentence."""
    items = parse_outline(sandbox_project.seed_outline())
    assert [(item.depth, item.kind, item.title) for item in items] == [
        (0, NodeKind.GOAL, "Paint a flat without wasting paint"),
        (1, NodeKind.CONSTRAINT, "Python's standard library only"),
        (1, NodeKind.CONSTRAINT, "Whole centimetres and whole millilitres"),
        (1, NodeKind.DECISION, "One litre covers ten square metres"),
        (1, None, "Rooms"),
        (2, NodeKind.ARTIFACT, "Wall area"),
        (2, NodeKind.OPEN_QUESTION, "How are sloping ceilings measured?"),
        (1, None, "Paint"),
        (2, NodeKind.ARTIFACT, "Paint for an area"),
        (1, None, "Shopping"),
        (2, NodeKind.ARTIFACT, "Tins to buy"),
        (2, NodeKind.IDEA, "Compare prices of two shops"),
    ]
    assert [item.artifact_path for item in items if item.kind is NodeKind.ARTIFACT] == [
        "paint/walls.py",
        "paint/coverage.py",
        "paint/tins.py",
    ]
