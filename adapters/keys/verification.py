"""Testing signatures with public keys alone, as somebody without this host's secrets would."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from adapters.keys._ed25519 import is_signed_by
from kernel.errors import StudioError
from kernel.receipts import decode_base64, pae, payload_of
from kernel.values.work import Envelope, Signature
from kernel.vocabulary import KeyRole

SIGNATURES_MAX: Final = 4
"""Most signatures one envelope may carry."""


class PublicKey(NamedTuple):
    """What others need to know of a key."""

    role: KeyRole
    key_id: str
    """`<role>:` and the first 16 hex digits of SHA-256 over the raw public key."""
    public_key: str
    """The 32 raw bytes, in base64."""
    created_at: str


def envelope_problems(
    envelope: Envelope, role: KeyRole, keys: tuple[PublicKey, ...], revoked: Mapping[str, str]
) -> tuple[str, ...]:
    """Return why this envelope is not signed by a key of this role, one sentence each; empty when it is.

    Every signature must verify: an unknown signer is a problem, never an extra. `revoked` maps the ids of
    revoked keys to when they were; their signatures do not count, since nothing proves when they were made.
    """
    if not 1 <= len(envelope.signatures) <= SIGNATURES_MAX:
        return (f"the envelope has {len(envelope.signatures)} signatures; expected 1 to {SIGNATURES_MAX}",)
    try:
        message = pae(envelope.payload_type, payload_of(envelope, envelope.payload_type))
    except StudioError as err:
        return (err.message,)
    known = {key.key_id: key for key in keys if key.role is role}
    found = (_problem(one, known, revoked, message) for one in envelope.signatures)
    return tuple(problem for problem in found if problem is not None)


def _problem(
    one: Signature, known: Mapping[str, PublicKey], revoked: Mapping[str, str], message: bytes
) -> str | None:
    key = known.get(one.key_id)
    if key is None:
        return f"no key {one.key_id[:80]!r} of this role is known"
    if one.key_id in revoked:
        return f"the key {one.key_id} was revoked at {revoked[one.key_id]}"
    try:
        signature = decode_base64(one.signature)
    except StudioError:
        return f"the signature by {one.key_id} is not base64"
    if not is_signed_by(decode_base64(key.public_key), signature, message):
        return f"the signature by {one.key_id} does not fit the payload"
    return None
