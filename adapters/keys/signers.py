"""One small signer per role. Each builds the statement it signs; none takes bytes or a finished statement."""

import secrets
from collections.abc import Callable
from datetime import timedelta

from adapters.keys._ed25519 import HeldKey, envelope_of
from kernel.canonical import canonical_bytes, plain
from kernel.errors import StudioError
from kernel.receipts import (
    CAPABILITY_PAYLOAD,
    CAPABILITY_SECONDS_MAX,
    STATEMENT_PAYLOAD,
    JournalRecord,
    RunCapability,
    RunGrant,
    SealBinding,
    ValidationBinding,
    candidate_statement,
    capability_of,
    capability_problems,
    record_payload,
    require_moment,
    validation_statement,
)
from kernel.values.execution import ValidationReport
from kernel.values.work import CandidateFacts, Envelope
from kernel.vocabulary import KeyRole

Verify = Callable[[Envelope, KeyRole], tuple[str, ...]]
"""How a signer that also reads asks the ring about a signature."""


class RunAuthority:
    """Issues the capability that lets one run start, and checks it when the run does."""

    def __init__(self, held: HeldKey, verify: Verify) -> None:
        self._held = held
        self._verify = verify

    def issue(self, grant: RunGrant, at: str, *, lifetime_s: int = CAPABILITY_SECONDS_MAX) -> Envelope:
        """Return a signed capability for exactly this run, with a fresh nonce.

        Units:  `lifetime_s` in seconds, 1 to 600.
        Raises: InvalidError when the time is malformed or the lifetime out of bounds.
        """
        end = require_moment(at, "issued_at") + timedelta(seconds=lifetime_s)
        capability = RunCapability.lasting(
            grant, issued_at=at, expires_at=end.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), nonce=secrets.token_hex(32)
        )
        return envelope_of(self._held, CAPABILITY_PAYLOAD, canonical_bytes(plain(capability)))

    def verify(self, envelope: Envelope, expected: RunGrant, now: str) -> tuple[str, ...]:
        """Return why this capability does not start the expected run at `now`; empty when it does.

        It does not know whether the capability was used: the claim of the run in the ledger does.
        """
        problems = self._verify(envelope, KeyRole.RUN_AUTHORITY)
        if problems:
            return problems
        try:
            return capability_problems(capability_of(envelope), expected, now)
        except StudioError as err:
            return (err.message,)


class Sealer:
    """Attests which run a sealed candidate came from."""

    def __init__(self, held: HeldKey) -> None:
        self._held = held

    def attest(self, candidate: CandidateFacts, binding: SealBinding) -> Envelope:
        """Return the signed provenance of a candidate."""
        statement = candidate_statement(candidate, binding)
        return envelope_of(self._held, STATEMENT_PAYLOAD, canonical_bytes(statement))


class ValidatorKey:
    """Attests what a validation of sealed objects found, a failed one included."""

    def __init__(self, held: HeldKey) -> None:
        self._held = held

    def attest(
        self, candidate: CandidateFacts, report: ValidationReport, binding: ValidationBinding
    ) -> Envelope:
        """Return the signed test result of a validation."""
        statement = validation_statement(candidate, report, binding)
        return envelope_of(self._held, STATEMENT_PAYLOAD, canonical_bytes(statement))


class JournalSigner:
    """Signs the typed records of the promotion journal, and tells whether a record is signed by this role."""

    def __init__(self, held: HeldKey, verify: Verify) -> None:
        self._held = held
        self._verify = verify

    def sign_record(self, record: JournalRecord) -> Envelope:
        """Return the envelope of a journal record; a status becomes a verification summary that carries it."""
        payload_type, payload = record_payload(record)
        return envelope_of(self._held, payload_type, payload)

    def problems(self, envelope: Envelope) -> tuple[str, ...]:
        """Return why this envelope is not signed by the promotion journal; empty when it is."""
        return self._verify(envelope, KeyRole.PROMOTION_JOURNAL)
