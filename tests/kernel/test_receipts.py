"""What a signature says: encodings, statements, capabilities and journal records, without any key."""

import base64
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from securesystemslib.dsse import Envelope as OtherEnvelope

from kernel.canonical import canonical_bytes, plain
from kernel.errors import CanonicalError, InvalidError, StudioError
from kernel.receipts import (
    ATTEMPT_PAYLOAD,
    CAPABILITY_PAYLOAD,
    OUTCOME_OF_CODE,
    PAYLOAD_BYTES_MAX,
    STATEMENT_PAYLOAD,
    PromotionBinding,
    PromotionStatusRecord,
    RunCapability,
    RunGrant,
    SealBinding,
    ValidationBinding,
    as_dsse,
    attempt_of,
    candidate_digest,
    candidate_statement,
    capability_of,
    capability_problems,
    envelope_digest,
    pae,
    promotion_statement,
    record_payload,
    require_moment,
    sealed,
    statement_of,
    status_of,
    validation_statement,
)
from kernel.values.execution import ValidationReport
from kernel.values.work import (
    CandidateFacts,
    CheckFacts,
    Envelope,
    IsolationFact,
    ManifestEntry,
    Signature,
)
from kernel.vocabulary import CheckResult, Grade, PromotionOutcome

AT = "2026-01-02T03:04:05.000006Z"
BASE, COMMIT, OTHER, TREE = "b" * 40, "c" * 40, "d" * 40, "e" * 40
SHA = "sha256:" + "12" * 32
UNSIGNED = Signature(key_id="sealer:0000000000000000", signature="")

CANDIDATE = CandidateFacts(
    candidate_id="candidate_01k0000000000000000000000a",
    repository_id="sandbox",
    target_ref="refs/heads/main",
    object_format="sha1",
    base_commit=BASE,
    base_tree="f" * 40,
    commit=COMMIT,
    tree=TREE,
    ref="refs/odeu/candidates/candidate_01k0000000000000000000000a",
    manifest=(
        ManifestEntry(
            path="a.txt", status="added", old_mode=None, new_mode="100644", old_blob=None, new_blob="1" * 40
        ),
    ),
    manifest_digest=SHA,
    patch_digest=SHA,
    patch_bytes=10,
)
NETWORK = IsolationFact(name="network", value="none", enforced=True)
SEALING = SealBinding(
    run_id="run_01k0000000000000000000000a",
    brief_id="brief_01k0000000000000000000000a",
    brief_digest=SHA,
    profile_digest=SHA,
    runtime_id="scripted",
    runtime_digest=SHA,
    base_revision=3,
    sealed_at=AT,
    isolation=(NETWORK,),
)
VALIDATING = ValidationBinding(
    validation_id="validation_01k0000000000000000000000a",
    run_id=SEALING.run_id,
    brief_id=SEALING.brief_id,
    brief_digest=SHA,
    profile_digest=SHA,
    candidate_receipt=SHA,
    validated_at=AT,
)
GRANT = RunGrant(
    run_id=SEALING.run_id,
    brief_id=SEALING.brief_id,
    brief_digest=SHA,
    runtime_id="scripted",
    runtime_digest=SHA,
    base_commit=BASE,
    base_revision=3,
)
BINDING = PromotionBinding(
    promotion_id="promotion_01k0000000000000000000000a",
    ledger_id="project_01k0000000000000000000000a",
    authorized_size=9,
    authorized_root="ab" * 32,
    revision=3,
    repository_id="sandbox",
    target_ref="refs/heads/main",
    candidate_id=CANDIDATE.candidate_id,
    candidate_digest=candidate_digest(CANDIDATE),
    candidate_ref=CANDIDATE.ref,
    base_commit=BASE,
    commit=COMMIT,
    tree=TREE,
)


DEFINITION = {
    "buildType": "urn:odeu:sealed-run:v1",
    "externalParameters": {
        "brief_id": SEALING.brief_id,
        "brief_digest": SHA,
        "profile_digest": SHA,
        "repository_id": "sandbox",
        "target_ref": "refs/heads/main",
        "base_revision": 3,
    },
    "internalParameters": {"runtime_id": "scripted", "runtime_digest": SHA},
    "resolvedDependencies": [
        {"uri": "urn:odeu:repository:sandbox", "digest": {"gitCommit": BASE, "gitTree": "f" * 40}}
    ],
}
DETAILS = {
    "builder": {"id": "urn:odeu:sealer:v1"},
    "metadata": {"invocationId": SEALING.run_id, "finishedOn": AT},
    "byproducts": [
        {"name": "manifest", "digest": {"sha256": "12" * 32}},
        {"name": "patch", "digest": {"sha256": "12" * 32}},
    ],
}


def check(requirement: str, result: CheckResult) -> CheckFacts:
    """Return one check."""
    return CheckFacts(
        requirement_id=requirement,
        result=result,
        grade=Grade.HOST_ORACLE,
        cases_total=2,
        cases_passed=1,
        reason="wrong_answer",
        detail="Two cases ran.",
    )


def report(*checks: CheckFacts) -> ValidationReport:
    """Return a validation report with these checks."""
    return ValidationReport(checks, (NETWORK,), (SHA,), ("1" * 40,), "uid_drop", 12, SHA)


def status(code: str, before: str | None, after: str | None, **changes: Any) -> PromotionStatusRecord:
    """Return a status with this code and these observations."""
    fields: dict[str, Any] = {
        "binding": BINDING,
        "number": 1,
        "intent_digest": SHA,
        "attempt_digest": SHA,
        "previous_digest": None,
        "operator_id": "owner",
        "edge": "cli",
        "outcome": OUTCOME_OF_CODE[code],
        "code": code,
        "detail": "Seen.",
        "observed_before": before,
        "observed_after": after,
        "attempted_at": AT,
        "observed_at": AT,
    }
    return PromotionStatusRecord(**{**fields, **changes})


def in_envelope(statement: object, payload_type: str = STATEMENT_PAYLOAD) -> Envelope:
    """Return an unsigned envelope of a payload."""
    payload = statement if isinstance(statement, bytes) else canonical_bytes(statement)
    return sealed(payload_type, payload, UNSIGNED)


@given(st.text(max_size=40), st.binary(max_size=200))
def test_the_encoding_is_that_of_dsse(payload_type: str, payload: bytes) -> None:
    """Another implementation of the specification encodes the same bytes."""
    assert pae(payload_type, payload) == OtherEnvelope(payload, payload_type, {}).pae()


def test_the_encoding_of_the_specification() -> None:
    """The example of the DSSE protocol page."""
    assert pae("http://example.com/HelloWorld", b"hello world") == (
        b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )


def test_a_candidate_is_provenance_that_binds_every_id() -> None:
    """SLSA provenance names the commit, the base as the material, the run, the brief and the confinement."""
    statement = candidate_statement(CANDIDATE, SEALING)
    assert statement_of(in_envelope(statement)) == statement
    ours = {
        "candidate_id": CANDIDATE.candidate_id,
        "candidate_digest": candidate_digest(CANDIDATE),
        "candidate_ref": CANDIDATE.ref,
        "isolation": [{"name": "network", "value": "none", "enforced": True}],
        "key_custody": "shared_host",
    }
    assert statement == {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": "refs/heads/main", "digest": {"gitCommit": COMMIT, "gitTree": TREE}}],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {"buildDefinition": DEFINITION, "runDetails": DETAILS, "odeu_candidate": ours},
    }


def test_a_validation_is_a_test_result_that_binds_every_id() -> None:
    """The result lists requirements by outcome, the harness it was made with and what confined it."""
    statement = validation_statement(CANDIDATE, report(check("sum", CheckResult.PASSED)), VALIDATING)
    ours = statement["predicate"].pop("odeu_validation")
    assert statement["predicate"] == {
        "result": "PASSED",
        "configuration": [{"name": "harness", "digest": {"sha256": "12" * 32}}],
        "passedTests": ["sum"],
        "failedTests": [],
    }
    assert ours == {
        "validation_id": VALIDATING.validation_id,
        "run_id": SEALING.run_id,
        "brief_id": SEALING.brief_id,
        "brief_digest": SHA,
        "profile_digest": SHA,
        "candidate_id": CANDIDATE.candidate_id,
        "candidate_digest": candidate_digest(CANDIDATE),
        "candidate_receipt": SHA,
        "checks": [
            {
                "requirement_id": "sum",
                "result": "passed",
                "grade": "host_oracle",
                "cases_total": 2,
                "cases_passed": 1,
                "reason": "wrong_answer",
            }
        ],
        "input_blobs": ["1" * 40],
        "output_digest": SHA,
        "isolation": [{"name": "network", "value": "none", "enforced": True}],
        "tier": "uid_drop",
        "wall_ms": 12,
        "validated_at": AT,
        "key_custody": "shared_host",
    }


@pytest.mark.parametrize("result", [CheckResult.FAILED, CheckResult.MISSING, CheckResult.UNAVAILABLE])
def test_anything_but_passed_fails_the_result(result: CheckResult) -> None:
    """A missing or unavailable check is never a pass, beside however many that passed."""
    checks = report(check("sum", CheckResult.PASSED), check("file", result))
    predicate = validation_statement(CANDIDATE, checks, VALIDATING)["predicate"]
    assert (predicate["result"], predicate["failedTests"]) == ("FAILED", ["file"])


def test_no_check_at_all_is_no_pass() -> None:
    """An empty report proves nothing."""
    assert validation_statement(CANDIDATE, report(), VALIDATING)["predicate"]["result"] == "FAILED"


@pytest.mark.parametrize(
    ("payload", "error"),
    [
        (b'{"_type":"x","_type":"x"}', CanonicalError),
        (b'{"predicate": {}}', CanonicalError),
        (b"[]", InvalidError),
        (b"not json", CanonicalError),
        (canonical_bytes({"_type": "x", "subject": [], "predicateType": "y", "predicate": {}}), InvalidError),
        (b"[" * 70 + b"]" * 70, CanonicalError),
    ],
)
def test_what_is_no_canonical_statement_is_refused(payload: bytes, error: type[StudioError]) -> None:
    """Duplicate keys, spaces, other shapes, deep nesting: none is read two ways."""
    with pytest.raises(error):
        statement_of(in_envelope(payload))


@given(st.binary(max_size=300), st.sampled_from([statement_of, status_of]))
def test_whatever_lies_in_an_envelope_is_read_or_refused_by_name(
    payload: bytes, read: Callable[[Envelope], object]
) -> None:
    """Never another error than our own."""
    with pytest.raises(StudioError):
        read(in_envelope(payload))


@pytest.mark.parametrize("payload", ["e30", "e30=\n", "e31=", "ä", "A" * (PAYLOAD_BYTES_MAX * 2)])
def test_base64_with_a_second_spelling_or_without_bound_is_refused(payload: str) -> None:
    """One payload has one spelling, and a bound."""
    envelope = Envelope(payload_type=STATEMENT_PAYLOAD, payload=payload, signatures=())
    with pytest.raises(InvalidError):
        statement_of(envelope)


def test_a_payload_is_read_only_as_what_it_was_signed_as() -> None:
    """The payload type is under the signature, so a capability is never taken for a statement."""
    envelope = in_envelope(candidate_statement(CANDIDATE, SEALING), CAPABILITY_PAYLOAD)
    with pytest.raises(InvalidError, match="this envelope holds"):
        statement_of(envelope)


def test_an_envelope_travels_under_the_names_of_the_specification() -> None:
    """Outside tools find payload, payloadType and signatures with keyid and sig."""
    envelope = sealed("t", b"{}", Signature(key_id="k", signature=base64.b64encode(b"s").decode()))
    assert as_dsse(envelope) == {
        "payload": "e30=",
        "payloadType": "t",
        "signatures": [{"keyid": "k", "sig": "cw=="}],
    }
    assert envelope_digest(envelope) != envelope_digest(envelope.model_copy(update={"payload_type": "u"}))


def capability(expires_at: str = "2026-01-02T03:14:05.000006Z", nonce: str = "a" * 64) -> RunCapability:
    """Return a capability of the grant."""
    return RunCapability.lasting(GRANT, issued_at=AT, expires_at=expires_at, nonce=nonce)


def test_a_capability_reads_back_as_it_was() -> None:
    """Ten minutes are allowed, and the canonical payload holds every field."""
    envelope = in_envelope(plain(capability()), CAPABILITY_PAYLOAD)
    assert capability_of(envelope) == capability()


@pytest.mark.parametrize(
    ("expires_at", "nonce"),
    [
        ("2026-01-02T03:14:05.000007Z", "a" * 64),
        (AT, "a" * 64),
        ("2026-01-02T03:14:05Z", "a" * 64),
        ("2026-01-02T03:10:05.000006Z", "A" * 64),
        ("2026-01-02T03:10:05.000006Z", ""),
    ],
)
def test_a_capability_that_lives_too_long_or_has_no_nonce_is_none(expires_at: str, nonce: str) -> None:
    """More than ten minutes, no time at all, another spelling of time, a nonce that is not 64 hex digits."""
    with pytest.raises(InvalidError):
        capability(expires_at, nonce)


def test_a_capability_with_an_unknown_field_is_refused() -> None:
    """What we do not know we do not honour."""
    record = {**plain(capability()), "scope": "all"}
    with pytest.raises(InvalidError, match="malformed at scope"):
        capability_of(in_envelope(record, CAPABILITY_PAYLOAD))


@pytest.mark.parametrize("field", sorted(RunGrant.model_fields))
def test_a_capability_starts_no_other_run(field: str) -> None:
    """Each field of the grant is compared."""
    other: Any = 4 if field == "base_revision" else "another"
    expected = GRANT.model_copy(update={field: other})
    problems = capability_problems(capability(), expected, AT)
    assert problems == (f"the capability is for another {field.replace('_', ' ')}",)


def test_a_capability_is_valid_from_its_issue_until_before_its_end() -> None:
    """The end is the first moment at which it is too late; an earlier clock is too early."""
    assert capability_problems(capability(), GRANT, AT) == ()
    assert capability_problems(capability(), GRANT, "2026-01-02T03:14:05.000005Z") == ()
    assert capability_problems(capability(), GRANT, "2026-01-02T03:14:05.000006Z") == (
        "the capability expired at 2026-01-02T03:14:05.000006Z",
    )
    assert capability_problems(capability(), GRANT, "2026-01-02T03:04:05.000005Z") == (
        f"the capability is valid only from {AT}",
    )


@pytest.mark.parametrize("at", ["", "2026-02-30T00:00:00.000000Z", "2026-01-02 03:04:05.000000Z", AT + "\n"])
def test_a_time_has_one_spelling(at: str) -> None:
    """Everything else is refused by name."""
    with pytest.raises(InvalidError, match="expected a time such as"):
        require_moment(at, "at")


def test_a_promotion_is_a_summary_that_carries_its_record() -> None:
    """The summary passes exactly when the branch was seen to hold the candidate, and reads back whole."""
    record = status("cas_updated", BASE, COMMIT)
    statement = promotion_statement(record)
    assert (statement["predicateType"], statement["predicate"]["verificationResult"]) == (
        "https://slsa.dev/verification_summary/v1",
        "PASSED",
    )
    payload_type, payload = record_payload(record)
    assert status_of(sealed(payload_type, payload, UNSIGNED)) == record


@pytest.mark.parametrize(
    ("code", "before", "after"),
    [
        ("target_ref_mismatch", OTHER, OTHER),
        ("candidate_verification_failed", BASE, BASE),
        ("target_ref_checked_out", BASE, BASE),
        ("update_ref_rejected", BASE, BASE),
        ("target_ref_unobservable", BASE, None),
        ("status_recovery_conflict", None, BASE),
    ],
)
def test_whatever_is_not_promoted_is_summed_up_as_failed(
    code: str, before: str | None, after: str | None
) -> None:
    """An unknown outcome is no pass."""
    statement = promotion_statement(status(code, before, after))
    assert statement["predicate"]["verificationResult"] == "FAILED"


@pytest.mark.parametrize(
    ("code", "before", "after"),
    [
        ("cas_updated", OTHER, COMMIT),
        ("cas_updated", BASE, BASE),
        ("already_promoted", COMMIT, OTHER),
        ("already_promoted", COMMIT, None),
        ("target_ref_mismatch", BASE, BASE),
        ("target_ref_mismatch", BASE, COMMIT),
        ("target_ref_mismatch", BASE, None),
        ("update_ref_rejected", BASE, OTHER),
    ],
)
def test_a_status_that_contradicts_its_observation_cannot_be_written(
    code: str, before: str | None, after: str | None
) -> None:
    """Promoted needs the candidate, stale a third commit, a rejection the base."""
    with pytest.raises(ValueError, match="does not fit what was observed"):
        status(code, before, after)


def test_a_code_has_one_outcome() -> None:
    """A status cannot call a rejection a success."""
    with pytest.raises(ValueError, match="does not fit what was observed"):
        status("update_ref_rejected", BASE, BASE, outcome=PromotionOutcome.PROMOTED)


def test_a_summary_that_says_more_than_its_record_is_refused() -> None:
    """A FAILED record under a PASSED summary, even well signed, is not read."""
    statement = promotion_statement(status("target_ref_mismatch", OTHER, OTHER))
    statement["predicate"]["verificationResult"] = "PASSED"
    with pytest.raises(InvalidError, match="says something else"):
        status_of(in_envelope(statement))


def test_one_journal_record_is_not_read_as_another() -> None:
    """A status under the payload type of an attempt is refused by its shape."""
    with pytest.raises(InvalidError, match="PromotionAttempt is malformed"):
        attempt_of(in_envelope(plain(status("cas_updated", BASE, COMMIT)), ATTEMPT_PAYLOAD))
