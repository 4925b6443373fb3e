"""Keys per role, each of which signs only what it derived itself."""

from collections.abc import Sequence
from typing import Protocol

from kernel.merkle import LogHead
from kernel.receipts import RunGrant, SealBinding, ValidationBinding
from kernel.values.execution import (
    ValidationReport,
)
from kernel.values.work import CandidateFacts, Envelope
from kernel.vocabulary import KeyRole


class RunAuthority(Protocol):
    """Signs permissions to start one run."""

    def issue(self, grant: RunGrant, at: str, *, lifetime_s: int = ...) -> Envelope:
        """Sign the capability."""
        ...

    def verify(self, envelope: Envelope, expected: RunGrant, now: str) -> tuple[str, ...]:
        """Return what is wrong with a capability."""
        ...


class Sealer(Protocol):
    """Signs what was sealed."""

    def attest(self, candidate: CandidateFacts, binding: SealBinding) -> Envelope:
        """Sign the candidate's provenance."""
        ...


class ValidatorKey(Protocol):
    """Signs what was found."""

    def attest(
        self, candidate: CandidateFacts, report: ValidationReport, binding: ValidationBinding
    ) -> Envelope:
        """Sign the test result."""
        ...


class PublicKey(Protocol):
    """A signing key's public half."""

    @property
    def role(self) -> KeyRole:
        """Return the role it signs for."""
        ...

    @property
    def key_id(self) -> str:
        """Return its id."""
        ...

    @property
    def public_key(self) -> str:
        """Return it in base64."""
        ...

    @property
    def created_at(self) -> str:
        """Return when it was made."""
        ...


class Keys(Protocol):
    """The installation's public keys and the verification of what they signed."""

    def public_keys(self) -> Sequence[PublicKey]:
        """Return every key, revoked ones included."""
        ...

    def revoked(self) -> tuple[tuple[str, str], ...]:
        """Return (key id, moment) of revoked keys."""
        ...

    def verify_envelope(self, envelope: Envelope, role: KeyRole) -> tuple[str, ...]:
        """Return what is wrong with an envelope's signatures."""
        ...

    def verify_foreign(
        self, envelope: Envelope, role: KeyRole, keys: Sequence[tuple[KeyRole, str, str]]
    ) -> tuple[str, ...]:
        """Return what is wrong with an envelope under (role, key id, public key) of another installation."""
        ...


class CheckpointKeeper(Protocol):
    """Remembers outside the database which head was signed last."""

    def head_problems(self, ledger_id: str, head: LogHead) -> tuple[str, ...]:
        """Return how a ledger contradicts what was signed."""
        ...
