"""The only place that touches a private key. Not for use outside this package: each role has its own signer."""

import base64
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from kernel.receipts import pae, sealed
from kernel.values.work import Envelope, Signature


@dataclass(frozen=True, slots=True)
class HeldKey:
    """A private key of one role. Its representation never shows the key."""

    key_id: str
    public_key: bytes
    private_key: Ed25519PrivateKey = field(repr=False)


def envelope_of(held: HeldKey, payload_type: str, payload: bytes) -> Envelope:
    """Return the DSSE envelope of a payload that a signer of this package has built."""
    signature = held.private_key.sign(pae(payload_type, payload))
    return sealed(payload_type, payload, Signature(key_id=held.key_id, signature=_spell(signature)))


def note_signature(held: HeldKey, text: str) -> bytes:
    """Return the signature over the text of a note that the checkpoint signer has built."""
    return held.private_key.sign(text.encode("utf-8"))


def is_signed_by(public_key: bytes, signature: bytes, message: bytes) -> bool:
    """Tell whether the holder of this public key signed exactly this message."""
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _spell(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
