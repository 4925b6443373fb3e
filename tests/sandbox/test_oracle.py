"""The host oracle: what passes, what never does, and what it tells."""

from dataclasses import replace
from pathlib import Path

import pytest

from adapters.sandbox.bubblewrap import Bubblewrap
from adapters.sandbox.harness_files import harness_digest
from adapters.sandbox.oracle import HostOracle
from kernel.errors import ConfigurationError
from kernel.values.execution import RepositoryPlace, ValidationJob, ValidatorPlace
from kernel.values.work import CheckFacts, Requirement
from kernel.vocabulary import CheckResult, Grade
from tests.sandbox.oracle_bench import (
    ORACLE,
    REPOSITORY,
    RIGHT,
    SANDBOX,
    Bench,
    blob_id,
    candidate,
)

ARTIFACT = Requirement(
    id="file",
    label="The file is there",
    kind="artifact",
    path="tool.py",
    grade=Grade.SEALED_OBJECTS,
    required=True,
)


def _check(result: CheckResult, reason: str, detail: str, cases: tuple[int, int] = (0, 0)) -> CheckFacts:
    return CheckFacts(
        requirement_id="doubles",
        result=result,
        grade=Grade.HOST_ORACLE,
        cases_total=cases[0],
        cases_passed=cases[1],
        reason=reason,
        detail=detail,
    )


def test_right_answers_pass(bench: Bench) -> None:
    """A candidate that answers every case as expected passes, and the report says with what and how."""
    place = bench.place()
    report = bench.validate(RIGHT, place=place, requirements=(ORACLE, ARTIFACT))
    artifact = CheckFacts(
        requirement_id="file",
        result=CheckResult.PASSED,
        grade=Grade.SEALED_OBJECTS,
        cases_total=1,
        cases_passed=1,
        reason="ok",
        detail=f"tool.py was modified and is sealed with {len(RIGHT)} bytes.",
    )
    passed = _check(CheckResult.PASSED, "ok", "All 3 cases gave the expected answer.", (3, 3))
    assert report.checks == (passed, artifact)
    assert (report.harness_digests, report.input_blobs) == ((place.digest,), (blob_id(RIGHT.encode()),))
    assert report.tier == SANDBOX.probe().tier
    assert "network" in {fact.name for fact in report.isolation}


def test_the_same_validation_has_the_same_results_twice(tmp_path: Path) -> None:
    """A validation can be repeated: results do not depend on the nonce or the clock."""
    bench = Bench(tmp_path)
    place = bench.place()
    first, second = (bench.validate(RIGHT, place=place) for _ in range(2))
    assert first.checks == second.checks


def test_an_expected_value_appears_nowhere(bench: Bench) -> None:
    """Neither a wrong answer's report nor a broken harness's message repeats what the host expects."""
    place = bench.place([{"id": "one", "input": 1, "expected": "sesame-4711"}])
    report = bench.validate("def answer(q):\n    return q\n", place=place)
    assert report.checks[0].reason == "wrong_answer"
    assert "sesame" not in repr(report)


def test_a_tolerance_loosens_numbers_alone(bench: Bench) -> None:
    """Within the tolerance a number is right, at any depth; text and shape stay exact."""
    place = bench.place(
        [
            {"id": "near", "input": "near", "expected": {"total": 1.0, "unit": "l"}, "tolerance": 0.01},
            {"id": "far", "input": "far", "expected": {"total": 1.0, "unit": "l"}, "tolerance": 0.01},
            {"id": "unit", "input": "unit", "expected": {"total": 1.0, "unit": "l"}, "tolerance": 0.01},
            {"id": "true", "input": "true", "expected": {"total": 1.0, "unit": "l"}, "tolerance": 0.01},
        ]
    )
    source = (
        "def answer(q):\n    total = {'near': 1.005, 'far': 1.02, 'unit': 1.0, 'true': True}[q]\n"
        "    return {'total': total, 'unit': 'ml' if q == 'unit' else 'l'}\n"
    )
    detail = "3 of 4 cases did not pass; the first, far, gave another answer than the host expects."
    assert bench.check(source, place=place) == _check(
        CheckResult.FAILED, "wrong_answer", detail, cases=(4, 1)
    )


def test_a_case_may_count_for_one_requirement(bench: Bench) -> None:
    """A case that names a requirement counts for it alone; one that names none counts for all."""
    place = bench.place(
        [
            {"id": "all", "input": 1, "expected": 2},
            {"id": "special", "requirement": "triples", "input": 1, "expected": 3},
        ]
    )
    triples = ORACLE.model_copy(update={"id": "triples"})
    checks = bench.validate(RIGHT, place=place, requirements=(ORACLE, triples)).checks
    assert [(each.result, each.cases_passed, each.cases_total) for each in checks] == [
        (CheckResult.PASSED, 1, 1),
        (CheckResult.FAILED, 1, 2),
    ]


def test_a_requirement_without_cases_is_missing(bench: Bench) -> None:
    """A requirement that no case speaks to has no evidence, so it is missing and not passed."""
    place = bench.place([{"id": "other", "requirement": "else", "input": 1, "expected": 2}])
    assert bench.check(RIGHT, place=place) == _check(
        CheckResult.MISSING, "no_cases", "The harness has no case for this."
    )


def test_an_unknown_validator_is_missing(bench: Bench) -> None:
    """A requirement whose validator is not configured is missing."""
    place = replace(bench.place(), id="another")
    assert bench.check(RIGHT, place=place) == _check(
        CheckResult.MISSING, "no_validator", "No such validator is configured."
    )


def test_a_changed_harness_is_not_used(bench: Bench) -> None:
    """A harness that differs from its pin by one byte gives no verdict."""
    place = bench.place()
    with (Path(place.folder) / "driver.py").open("a") as file:
        file.write("#")
    assert bench.check(RIGHT, place=place) == _check(
        CheckResult.UNAVAILABLE, "harness_changed", "The harness is not the one configured."
    )


def test_a_candidate_without_the_file_fails(bench: Bench) -> None:
    """An input the sealed commit lacks fails the check and runs nothing."""
    place = bench.place()
    harness = Path(place.folder) / "harness.json"
    harness.write_text(harness.read_text().replace('"tool.py"', '"other.py"'))
    pinned = replace(place, digest=harness_digest(place.folder))
    assert bench.check(RIGHT, place=pinned) == _check(
        CheckResult.FAILED, "input_unreadable", "the commit has no file other.py"
    )


def test_bytes_that_are_not_the_sealed_ones_fail(bench: Bench) -> None:
    """A file that differs from the candidate's manifest is not judged in its name."""

    def read_blob(repository: RepositoryPlace, commit: str, path: str, limit: int) -> bytes:
        del repository, commit, path, limit
        return b"def answer(q): return q * 2\n"

    job = ValidationJob(REPOSITORY, candidate(RIGHT), (ORACLE, ARTIFACT), (bench.place(),))
    checks = HostOracle(SANDBOX).validate(job, read_blob).checks
    assert [(each.result, each.reason) for each in checks] == [
        (CheckResult.FAILED, "input_unreadable"),
        (CheckResult.FAILED, "blob_mismatch"),
    ]


def test_an_untouched_artifact_fails(bench: Bench) -> None:
    """An expected artifact that the candidate did not change is not evidence."""
    untouched = ARTIFACT.model_copy(update={"path": "README.md"})
    (check,) = bench.validate(RIGHT, requirements=(untouched,)).checks
    assert (check.result, check.reason, check.detail) == (
        CheckResult.FAILED,
        "not_changed",
        "README.md was not changed.",
    )


def test_without_a_sandbox_nothing_passes(bench: Bench) -> None:
    """A machine that cannot confine code gives `unavailable`, never a weaker run."""
    place = bench.place()
    job = ValidationJob(REPOSITORY, candidate(RIGHT), (ORACLE,), (place,))
    report = HostOracle(Bubblewrap("/usr/bin/no-such-program")).validate(job, lambda *_: RIGHT.encode())
    assert [(each.result, each.reason) for each in report.checks] == [
        (CheckResult.UNAVAILABLE, "sandbox_unavailable")
    ]
    assert report.tier == "unavailable"


def test_a_validation_that_takes_too_long_is_ended(bench: Bench) -> None:
    """The whole validation has a clock too; cases it did not reach share its reason."""
    place: ValidatorPlace = bench.place()
    slow = replace(place, limits=replace(place.limits, wall_s=0.6))
    assert bench.check("import time\ndef answer(q):\n    time.sleep(9)\n", place=slow).reason == "timed_out"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda folder: (folder / "harness.json").chmod(0o666), "harness_unsafe"),
        (lambda folder: folder.chmod(0o777), "harness_unsafe"),
        (lambda folder: (folder / "link").symlink_to("driver.py"), "harness_invalid"),
    ],
    ids=["file others may write", "folder others may write", "symlink"],
)
def test_an_unsafe_harness_has_no_digest(bench: Bench, change: object, code: str) -> None:
    """What others can change, or a link, cannot be pinned."""
    folder = Path(bench.place().folder)
    change(folder)  # type: ignore[operator]
    with pytest.raises(ConfigurationError) as refusal:
        harness_digest(str(folder))
    assert refusal.value.reason_code == code


@pytest.mark.parametrize(
    "text",
    [
        "{",
        '{"version": 1, "version": 1}',
        '{"version": 2, "driver": "driver.py", "inputs": ["a"], "cases": []}',
        '{"version":1,"driver":"../x","inputs":["a"],"cases":[{"id":"a","input":1,"expected":"sesame"}]}',
        '{"version":1,"driver":"driver.py","inputs":["a"],"cases":[{"id":"a","input":1,"expected":"sesame","x":1}]}',
    ],
)
def test_a_harness_outside_the_schema_gives_no_verdict(bench: Bench, text: str) -> None:
    """A malformed harness is unavailable, and its message holds no value of it."""
    place = bench.place()
    (Path(place.folder) / "harness.json").write_text(text)
    check = bench.check(RIGHT, place=replace(place, digest=harness_digest(place.folder)))
    assert (check.result, check.reason) == (CheckResult.UNAVAILABLE, "harness_invalid")
    assert "sesame" not in check.detail
