"""The keys of this host: one file per key, several per role, the newest signs and all verify.

Owns creating, listing, rotating and revoking keys. Does not own what is signed: each role has a signer of its own
(`signers`, `checkpoints`) that builds the statement itself, and no object here takes bytes to sign. With one
process and one uid that is no boundary against the server; receipts record it as `key_custody: shared_host`.
"""

import base64
import hashlib
from collections.abc import Callable, Sequence
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from adapters.keys._ed25519 import HeldKey
from adapters.keys.checkpoints import CheckpointSigner
from adapters.keys.private_folder import PrivateFolder
from adapters.keys.signers import JournalSigner, RunAuthority, Sealer, ValidatorKey
from adapters.keys.verification import PublicKey, envelope_problems
from kernel.canonical import canonical_bytes, decode_canonical
from kernel.errors import CanonicalError, ConfigurationError, InvalidError, NotFoundError
from kernel.receipts import decode_base64, require_moment
from kernel.values.work import Envelope
from kernel.vocabulary import KeyRole

LOCK_WAIT_S: Final = 30.0
"""Longest wait for another process that is creating keys. Seconds."""

_REVOKED: Final = "revoked.json"
_LOCK: Final = "keys.lock"
_FIELDS: Final = {"created_at", "private_key", "public_key", "role"}


class KeyRing:
    """Every key of this host. Open it with `KeyRing.open`; signers it handed out keep the key they were given."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._held: dict[KeyRole, list[tuple[PublicKey, HeldKey]]] = {role: [] for role in KeyRole}
        self._revoked: dict[str, str] = {}

    @classmethod
    def open(cls, path: str, now: Callable[[], str]) -> "KeyRing":
        """Read the keys in a private folder, creating the folder, and a key for each role that has none.

        Raises: ConfigurationError when the folder or a file in it is not private, not ours or malformed.
        """
        ring = cls(path)
        with PrivateFolder.open(path) as folder, folder.locked(_LOCK, wait_s=LOCK_WAIT_S):
            ring._read(folder)
            for role in KeyRole:
                if not ring._held[role]:
                    ring._add(folder, role, now())
        return ring

    def public_keys(self) -> tuple[PublicKey, ...]:
        """Return every key's public part, by role in the order of `KeyRole`, the oldest first."""
        return tuple(public for role in KeyRole for public, _ in self._held[role])

    def revoked(self) -> tuple[tuple[str, str], ...]:
        """Return the ids of revoked keys with the time of their revocation, sorted by id."""
        return tuple(sorted(self._revoked.items()))

    def verify_envelope(self, envelope: Envelope, role: KeyRole) -> tuple[str, ...]:
        """Return why this envelope is not signed by a key of this role; empty when it is."""
        return envelope_problems(envelope, role, self.public_keys(), self._revoked)

    def verify_foreign(
        self, envelope: Envelope, role: KeyRole, keys: Sequence[tuple[KeyRole, str, str]]
    ) -> tuple[str, ...]:
        """Return why this envelope is not signed by one of these keys of another installation."""
        named = tuple(PublicKey(of, key_id, public, "") for of, key_id, public in keys)
        return envelope_problems(envelope, role, named, {})

    def rotate(self, role: KeyRole, at: str) -> PublicKey:
        """Add a key that signs for this role from now on; older ones keep verifying.

        Raises: InvalidError when `at` is not later than the creation of the role's newest key.
        """
        with PrivateFolder.open(self._path) as folder, folder.locked(_LOCK, wait_s=LOCK_WAIT_S):
            self._read(folder)
            newest = max((public.created_at for public, _ in self._held[role]), default="")
            if at <= newest:
                message = f"the newest {role.value} key is of {newest}; a new one must be later"
                raise InvalidError(message)
            return self._add(folder, role, at)

    def revoke(self, key_id: str, at: str) -> None:
        """Stop a key from signing and from verifying. A second revocation keeps the first time.

        Raises: NotFoundError when there is no such key.
        """
        require_moment(at, "at")
        with PrivateFolder.open(self._path) as folder, folder.locked(_LOCK, wait_s=LOCK_WAIT_S):
            self._read(folder)
            if key_id not in {public.key_id for public in self.public_keys()}:
                message = f"there is no key {key_id[:80]!r}"
                raise NotFoundError(message)
            self._revoked.setdefault(key_id, at)
            records = [{"key_id": name, "revoked_at": when} for name, when in sorted(self._revoked.items())]
            folder.replace(_REVOKED, canonical_bytes(records))

    def checkpoint_signer(self, installation_id: str) -> CheckpointSigner:
        """Return the signer of ledger heads of this installation."""
        keys = tuple(public for public, _ in self._held[KeyRole.CHECKPOINT])
        live = tuple(key for key in keys if key.key_id not in self._revoked)
        return CheckpointSigner(installation_id, self._newest(KeyRole.CHECKPOINT), live, folder=self._path)

    def run_authority(self) -> RunAuthority:
        """Return the issuer of run capabilities."""
        return RunAuthority(self._newest(KeyRole.RUN_AUTHORITY), self.verify_envelope)

    def sealer(self) -> Sealer:
        """Return the signer of candidate receipts."""
        return Sealer(self._newest(KeyRole.SEALER))

    def validator(self) -> ValidatorKey:
        """Return the signer of validation receipts."""
        return ValidatorKey(self._newest(KeyRole.VALIDATOR))

    def journal_signer(self) -> JournalSigner:
        """Return the signer of the promotion journal."""
        return JournalSigner(self._newest(KeyRole.PROMOTION_JOURNAL), self.verify_envelope)

    def _newest(self, role: KeyRole) -> HeldKey:
        live = [held for public, held in self._held[role] if public.key_id not in self._revoked]
        if not live:
            message = f"every {role.value} key is revoked; rotate the role before it signs again"
            raise ConfigurationError(message)
        return live[-1]

    def _add(self, folder: PrivateFolder, role: KeyRole, at: str) -> PublicKey:
        require_moment(at, "created_at")
        private = Ed25519PrivateKey.generate()
        public, held = _named(role, private, at)
        record = {
            "created_at": at,
            "private_key": base64.b64encode(private.private_bytes_raw()).decode("ascii"),
            "public_key": public.public_key,
            "role": role.value,
        }
        folder.create(_file_name(public), canonical_bytes(record))
        self._held[role].append((public, held))
        return public

    def _read(self, folder: PrivateFolder) -> None:
        self._held = {role: [] for role in KeyRole}
        for name in folder.names():
            if name.endswith(".key"):
                public, held = _key_in(folder, name)
                self._held[public.role].append((public, held))
        for role in KeyRole:
            self._held[role].sort(key=lambda pair: (pair[0].created_at, pair[0].key_id))
        self._revoked = _revocations_in(folder)


def _named(role: KeyRole, private: Ed25519PrivateKey, at: str) -> tuple[PublicKey, HeldKey]:
    raw = private.public_key().public_bytes_raw()
    key_id = f"{role.value}:{hashlib.sha256(raw).hexdigest()[:16]}"
    public = PublicKey(role, key_id, base64.b64encode(raw).decode("ascii"), at)
    return public, HeldKey(key_id, raw, private)


def _file_name(key: PublicKey) -> str:
    return f"{key.key_id.replace(':', '.')}.key"


def _key_in(folder: PrivateFolder, name: str) -> tuple[PublicKey, HeldKey]:
    content = folder.read(name)
    try:
        record = decode_canonical(content or b"")
        if not isinstance(record, dict) or set(record) != _FIELDS:
            raise ValueError(name)
        require_moment(record["created_at"], "created_at")
        private = Ed25519PrivateKey.from_private_bytes(decode_base64(record["private_key"]))
        public, held = _named(KeyRole(record["role"]), private, record["created_at"])
        if public.public_key != record["public_key"] or _file_name(public) != name:
            raise ValueError(name)
    except (CanonicalError, InvalidError, TypeError, AttributeError, ValueError) as err:
        message = f"the key file {name!r} is damaged; restore it from a backup or put it aside"
        raise ConfigurationError(message) from err
    return public, held


def _revocations_in(folder: PrivateFolder) -> dict[str, str]:
    content = folder.read(_REVOKED)
    if content is None:
        return {}
    try:
        return {str(one["key_id"]): str(one["revoked_at"]) for one in decode_canonical(content)}
    except (CanonicalError, TypeError, KeyError) as err:
        message = f"the list {_REVOKED!r} of revoked keys is damaged; restore it from a backup"
        raise ConfigurationError(message) from err
