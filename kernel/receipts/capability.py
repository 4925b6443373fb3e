"""The run capability: one signed, short-lived permission to start exactly one run.

Owns its form and the check against the run that is about to start. Does not own its single use: the claim of the
run in the ledger does.
"""

import re
from datetime import timedelta
from typing import Final, Literal

from pydantic import ValidationError, model_validator

from kernel.errors import InvalidError
from kernel.receipts.dsse import payload_of, record_of, require_moment
from kernel.values.recorded import Recorded
from kernel.values.work import Envelope

CAPABILITY_PAYLOAD: Final = "application/vnd.odeu.run-capability.v1+json"

CAPABILITY_SECONDS_MAX: Final = 600
"""Longest time between the issue of a run capability and the last moment a run may start with it."""

_NONCE: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)


class RunGrant(Recorded):
    """Exactly one run: what it may read, who executes it and from which base."""

    run_id: str
    brief_id: str
    brief_digest: str
    runtime_id: str
    runtime_digest: str
    base_commit: str
    base_revision: int


class RunCapability(Recorded):
    """A short-lived permission to start one run. That it is used once is the claim's rule, not the nonce's."""

    grant: RunGrant
    issued_at: str
    expires_at: str
    """The first moment at which the run may no longer start; at most ten minutes after the issue."""
    nonce: str
    """64 hex digits, fresh for every issue."""
    key_custody: Literal["shared_host"] = "shared_host"

    @classmethod
    def lasting(cls, grant: RunGrant, *, issued_at: str, expires_at: str, nonce: str) -> "RunCapability":
        """Return the capability of a grant.

        Raises: InvalidError when it would live too long, not at all, or has no proper nonce.
        """
        try:
            return cls(grant=grant, issued_at=issued_at, expires_at=expires_at, nonce=nonce)
        except ValidationError as err:
            raise InvalidError(err.errors(include_url=False)[0]["msg"]) from err

    @model_validator(mode="after")
    def _lives_briefly(self) -> "RunCapability":
        life = require_moment(self.expires_at, "expires_at") - require_moment(self.issued_at, "issued_at")
        if not timedelta(0) < life <= timedelta(seconds=CAPABILITY_SECONDS_MAX):
            message = f"a run capability lives more than 0 and at most {CAPABILITY_SECONDS_MAX} seconds"
            raise ValueError(message)
        if _NONCE.fullmatch(self.nonce) is None:
            message = "the nonce of a run capability is 64 hex digits"
            raise ValueError(message)
        return self


def capability_of(envelope: Envelope) -> RunCapability:
    """Return the capability of an envelope, parsed strictly and without trusting its signature.

    Raises: InvalidError when it is none, CanonicalError when its bytes are not canonical.
    """
    return record_of(payload_of(envelope, CAPABILITY_PAYLOAD), RunCapability)


def capability_problems(capability: RunCapability, expected: RunGrant, now: str) -> tuple[str, ...]:
    """Return why this capability does not start the expected run at `now`; empty when it does."""
    moment = require_moment(now, "now")
    problems = [
        f"the capability is for another {name.replace('_', ' ')}"
        for name in RunGrant.model_fields
        if getattr(capability.grant, name) != getattr(expected, name)
    ]
    if moment < require_moment(capability.issued_at, "issued_at"):
        problems.append(f"the capability is valid only from {capability.issued_at}")
    if moment >= require_moment(capability.expires_at, "expires_at"):
        problems.append(f"the capability expired at {capability.expires_at}")
    return tuple(problems)
