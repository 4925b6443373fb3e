"""What the sealer and the validator state about a candidate, as in-toto statements.

A candidate is SLSA provenance v1, a validation a test result v0.1; both name the candidate's commit and tree as
their subject. Fields of our own carry the prefix `odeu_`, as SLSA asks of extensions. Does not own the summary of
a promotion (`kernel/receipts/journal`).

Sources: in-toto attestation `spec/v1/statement.md` and `spec/predicates/test-result.md`; slsa.dev `provenance/v1`.
"""

from dataclasses import dataclass
from typing import Any, Final

from kernel.canonical import digest, plain
from kernel.receipts.dsse import KEY_CUSTODY, STATEMENT_TYPE, Statement, require_moment
from kernel.values.execution import ValidationReport
from kernel.values.work import CandidateFacts, IsolationFact
from kernel.vocabulary import CheckResult

PROVENANCE: Final = "https://slsa.dev/provenance/v1"
TEST_RESULT: Final = "https://in-toto.io/attestation/test-result/v0.1"
BUILD_TYPE: Final = "urn:odeu:sealed-run:v1"
SEALER_ID: Final = "urn:odeu:sealer:v1"


@dataclass(frozen=True, slots=True)
class SealBinding:
    """Which run a candidate came from, and how that run was confined."""

    run_id: str
    brief_id: str
    brief_digest: str
    profile_digest: str
    runtime_id: str
    runtime_digest: str
    base_revision: int
    sealed_at: str
    isolation: tuple[IsolationFact, ...]


@dataclass(frozen=True, slots=True)
class ValidationBinding:
    """Which brief a validation answers, and which sealed receipt it judged."""

    validation_id: str
    run_id: str
    brief_id: str
    brief_digest: str
    profile_digest: str
    candidate_receipt: str
    """`envelope_digest` of the candidate's receipt."""
    validated_at: str


def candidate_digest(candidate: CandidateFacts) -> str:
    """Return the digest of all facts of a candidate, its manifest included."""
    return digest("odeu.candidate.v1", plain(candidate))


def candidate_statement(candidate: CandidateFacts, binding: SealBinding) -> Statement:
    """State that this run produced this commit: SLSA provenance v1.

    It says which bytes were sealed under which brief; it never says that a model authored them.
    """
    require_moment(binding.sealed_at, "sealed_at")
    definition = {
        "buildType": BUILD_TYPE,
        "externalParameters": {
            "brief_id": binding.brief_id,
            "brief_digest": binding.brief_digest,
            "profile_digest": binding.profile_digest,
            "repository_id": candidate.repository_id,
            "target_ref": candidate.target_ref,
            "base_revision": binding.base_revision,
        },
        "internalParameters": {"runtime_id": binding.runtime_id, "runtime_digest": binding.runtime_digest},
        "resolvedDependencies": [
            _commit(f"urn:odeu:repository:{candidate.repository_id}", candidate, base=True)
        ],
    }
    details = {
        "builder": {"id": SEALER_ID},
        "metadata": {"invocationId": binding.run_id, "finishedOn": binding.sealed_at},
        "byproducts": [
            {"name": "manifest", "digest": {"sha256": _bare(candidate.manifest_digest)}},
            {"name": "patch", "digest": {"sha256": _bare(candidate.patch_digest)}},
        ],
    }
    ours = {
        "candidate_id": candidate.candidate_id,
        "candidate_digest": candidate_digest(candidate),
        "candidate_ref": candidate.ref,
        "isolation": plain(binding.isolation),
        "key_custody": KEY_CUSTODY,
    }
    predicate = {"buildDefinition": definition, "runDetails": details, "odeu_candidate": ours}
    return _statement(candidate, PROVENANCE, predicate)


def validation_statement(
    candidate: CandidateFacts, report: ValidationReport, binding: ValidationBinding
) -> Statement:
    """State what a validation of sealed objects found: test result v0.1.

    PASSED needs at least one check and every check passed; whether that is enough is the brief's contract to
    say. Sentences for people and expected values are left out.
    """
    require_moment(binding.validated_at, "validated_at")
    passed = [check.requirement_id for check in report.checks if check.result is CheckResult.PASSED]
    failed = [check.requirement_id for check in report.checks if check.result is not CheckResult.PASSED]
    ours = {
        "validation_id": binding.validation_id,
        "run_id": binding.run_id,
        "brief_id": binding.brief_id,
        "brief_digest": binding.brief_digest,
        "profile_digest": binding.profile_digest,
        "candidate_id": candidate.candidate_id,
        "candidate_digest": candidate_digest(candidate),
        "candidate_receipt": binding.candidate_receipt,
        "checks": [_without_detail(plain(check)) for check in report.checks],
        "input_blobs": list(report.input_blobs),
        "output_digest": report.output_digest,
        "isolation": plain(report.isolation),
        "tier": report.tier,
        "wall_ms": report.wall_ms,
        "validated_at": binding.validated_at,
        "key_custody": KEY_CUSTODY,
    }
    predicate = {
        "result": "PASSED" if passed and not failed else "FAILED",
        "configuration": [
            {"name": "harness", "digest": {"sha256": _bare(harness)}} for harness in report.harness_digests
        ],
        "passedTests": passed,
        "failedTests": failed,
        "odeu_validation": ours,
    }
    return _statement(candidate, TEST_RESULT, predicate)


def _statement(candidate: CandidateFacts, predicate_type: str, predicate: dict[str, Any]) -> Statement:
    return {
        "_type": STATEMENT_TYPE,
        "subject": [_commit(candidate.target_ref, candidate)],
        "predicateType": predicate_type,
        "predicate": predicate,
    }


def _commit(name: str, candidate: CandidateFacts, *, base: bool = False) -> dict[str, Any]:
    commit, tree = (
        (candidate.base_commit, candidate.base_tree) if base else (candidate.commit, candidate.tree)
    )
    where = {"uri": name} if base else {"name": name}
    return {**where, "digest": {"gitCommit": commit, "gitTree": tree}}


def _without_detail(check: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in check.items() if name != "detail"}


def _bare(tagged: str) -> str:
    return tagged.removeprefix("sha256:")
