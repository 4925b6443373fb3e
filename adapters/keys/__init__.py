"""This host's signing keys: one role each, each behind a signer that builds what it signs."""

from adapters.keys.checkpoints import CheckpointSigner, open_note, read_note
from adapters.keys.private_folder import PrivateFolder
from adapters.keys.ring import KeyRing
from adapters.keys.signers import JournalSigner, RunAuthority, Sealer, ValidatorKey
from adapters.keys.verification import PublicKey, envelope_problems

__all__ = [
    "CheckpointSigner",
    "JournalSigner",
    "KeyRing",
    "PrivateFolder",
    "PublicKey",
    "RunAuthority",
    "Sealer",
    "ValidatorKey",
    "envelope_problems",
    "open_note",
    "read_note",
]
