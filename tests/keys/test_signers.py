"""What each role signs, and that another implementation verifies it."""

import base64
from pathlib import Path
from typing import Any

import pytest
from securesystemslib.dsse import Envelope as OtherEnvelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import SSlibKey

from adapters.keys import KeyRing, PublicKey
from kernel.receipts import (
    PromotionIntent,
    as_dsse,
    candidate_statement,
    capability_of,
    intent_of,
    statement_of,
    validation_statement,
)
from kernel.values.work import Envelope
from kernel.vocabulary import CheckResult, KeyRole
from tests.kernel.test_receipts import AT, BINDING, CANDIDATE, GRANT, SEALING, VALIDATING, check, report

END = "2026-01-02T03:14:05.000006Z"


@pytest.fixture
def ring(tmp_path: Path) -> KeyRing:
    """Return a fresh ring."""
    return KeyRing.open(str(tmp_path / "keys"), lambda: AT)


def key_of(ring: KeyRing, role: KeyRole) -> PublicKey:
    """Return the public key of a role."""
    return next(key for key in ring.public_keys() if key.role is role)


def other_key(key: PublicKey) -> SSlibKey:
    """Return a key as another implementation holds it."""
    raw = base64.b64decode(key.public_key).hex()
    return SSlibKey(key.key_id, "ed25519", "ed25519", {"public": raw})


def signed_by_each(ring: KeyRing) -> dict[KeyRole, Envelope]:
    """Return one envelope of each role that signs envelopes."""
    intent = PromotionIntent(binding=BINDING, recorded_at=AT)
    return {
        KeyRole.RUN_AUTHORITY: ring.run_authority().issue(GRANT, AT),
        KeyRole.SEALER: ring.sealer().attest(CANDIDATE, SEALING),
        KeyRole.VALIDATOR: ring.validator().attest(
            CANDIDATE, report(check("sum", CheckResult.PASSED)), VALIDATING
        ),
        KeyRole.PROMOTION_JOURNAL: ring.journal_signer().sign_record(intent),
    }


def test_another_implementation_verifies_every_envelope(ring: KeyRing) -> None:
    """Securesystemslib agrees on encoding, key and signature, and refuses a changed payload."""
    for role, envelope in signed_by_each(ring).items():
        key = key_of(ring, role)
        exported: dict[str, Any] = as_dsse(envelope)
        assert list(OtherEnvelope.from_dict(exported).verify([other_key(key)], 1)) == [key.key_id]
        changed = as_dsse(envelope) | {"payload": base64.b64encode(b"{}").decode("ascii")}
        with pytest.raises(VerificationError):
            OtherEnvelope.from_dict(changed).verify([other_key(key)], 1)


def test_a_signature_counts_for_its_own_role_only(ring: KeyRing) -> None:
    """A validator cannot seal, a sealer cannot write the journal."""
    for signer, envelope in signed_by_each(ring).items():
        accepted = [role for role in KeyRole if not ring.verify_envelope(envelope, role)]
        assert accepted == [signer]


def test_each_signer_signs_what_the_kernel_states(ring: KeyRing) -> None:
    """The payload is the statement that anybody can derive again from the same facts."""
    signed = signed_by_each(ring)
    passed = report(check("sum", CheckResult.PASSED))
    assert statement_of(signed[KeyRole.SEALER]) == candidate_statement(CANDIDATE, SEALING)
    assert statement_of(signed[KeyRole.VALIDATOR]) == validation_statement(CANDIDATE, passed, VALIDATING)
    assert intent_of(signed[KeyRole.PROMOTION_JOURNAL]).binding == BINDING
    assert capability_of(signed[KeyRole.RUN_AUTHORITY]).grant == GRANT


def test_every_capability_has_a_nonce_of_its_own(ring: KeyRing) -> None:
    """Two permissions for one run are still two."""
    authority = ring.run_authority()
    first, second = (capability_of(authority.issue(GRANT, AT)) for _ in range(2))
    assert first.nonce != second.nonce
    assert (first.issued_at, first.expires_at, first.key_custody) == (AT, END, "shared_host")


def test_a_capability_is_checked_against_signature_run_and_time(ring: KeyRing, tmp_path: Path) -> None:
    """A good one passes; another host's, another run's and a late one each say why not."""
    authority = ring.run_authority()
    envelope = authority.issue(GRANT, AT)
    assert authority.verify(envelope, GRANT, AT) == ()
    other_run = GRANT.model_copy(update={"run_id": "run_01k0000000000000000000000b"})
    assert authority.verify(envelope, other_run, AT) == ("the capability is for another run id",)
    assert authority.verify(envelope, GRANT, END) == (f"the capability expired at {END}",)
    foreign = KeyRing.open(str(tmp_path / "foreign"), lambda: AT).run_authority().issue(GRANT, AT)
    (problem,) = authority.verify(foreign, GRANT, AT)
    assert problem.startswith("no key 'run_authority:")


def test_a_candidate_receipt_is_no_capability(ring: KeyRing) -> None:
    """The right role over the wrong payload type is still refused."""
    statement = ring.sealer().attest(CANDIDATE, SEALING)
    assert ring.run_authority().verify(statement, GRANT, AT) != ()


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"signatures": ()}, "the envelope has 0 signatures; expected 1 to 4"),
        ({"payload": "!"}, "this is not base64"),
        ({"payload_type": "text/plain"}, "the signature by {key} does not fit the payload"),
        ({"payload": "e30="}, "the signature by {key} does not fit the payload"),
    ],
)
def test_a_changed_envelope_says_what_is_wrong(ring: KeyRing, changes: dict[str, Any], problem: str) -> None:
    """One sentence a person can act on."""
    envelope = ring.sealer().attest(CANDIDATE, SEALING)
    key = envelope.signatures[0].key_id
    changed = envelope.model_copy(update=changes)
    assert ring.verify_envelope(changed, KeyRole.SEALER) == (problem.format(key=key),)


def test_an_extra_signature_by_a_stranger_is_a_problem(ring: KeyRing, tmp_path: Path) -> None:
    """Every signature must verify; a good one does not excuse a bad one."""
    envelope = ring.sealer().attest(CANDIDATE, SEALING)
    stranger = KeyRing.open(str(tmp_path / "foreign"), lambda: AT).sealer().attest(CANDIDATE, SEALING)
    both = envelope.model_copy(update={"signatures": envelope.signatures + stranger.signatures})
    (problem,) = ring.verify_envelope(both, KeyRole.SEALER)
    assert problem == f"no key {stranger.signatures[0].key_id!r} of this role is known"
