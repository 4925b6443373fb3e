"""Keeps texts secret at rest: the master key, data keys wrapped by it, and blobs sealed by data keys.

AES-256-GCM throughout; each ciphertext starts with its 12-byte nonce and is bound to its place by additional
data, so that a blob or key moved to another row does not open. Owns no table and no randomness of its own.
"""

import hmac
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final, Protocol, TypeAlias

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from kernel.canonical import part_bytes
from kernel.errors import ConfigurationError, HistoryError
from kernel.values.words import Opening, Openings

KEY_BYTES: Final = 32
"""Length of the master key and of every data key."""

MAC_KEY_NAME: Final = "command-material"
"""Name of the data key under which the material of commands is remembered."""

Decrypt: TypeAlias = Callable[[bytes, bytes, bytes], bytes]
"""Nonce, ciphertext and place -> what was encrypted."""

_NONCE_BYTES: Final = 12
_WRAP_INFO: Final = b"odeu.data-key.v1"
_BLOB_DOMAIN: Final = b"odeu.blob.v1"
_MATERIAL_DOMAIN: Final = b"odeu.command.v1"
_OTHERS: Final = 0o077


class Entropy(Protocol):
    """Where fresh random bytes come from."""

    def bytes(self, count: int) -> bytes:
        """Return `count` random bytes."""


@dataclass(frozen=True, slots=True)
class MasterKey:
    """The key that wraps every data key; whoever reads its file reads every text."""

    key: bytes = field(repr=False)

    @classmethod
    def create(cls, path: Path, entropy: Entropy) -> "MasterKey":
        """Write a new key to `path`, readable by this user alone, durably.

        Raises: ConfigurationError when the file exists, or the folder is open to others.
        """
        _require_private(path.parent)
        master = cls(entropy.bytes(KEY_BYTES))
        # Written aside and linked into place, so that a process that dies here leaves no half a key.
        draft = path.with_name(f".{path.name}.new")
        draft.unlink(missing_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(master.key)
            file.flush()
            os.fsync(descriptor)
        try:
            path.hardlink_to(draft)
        except FileExistsError as err:
            raise ConfigurationError(f"the master key {path} exists; it is never overwritten") from err
        finally:
            draft.unlink()
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        return master

    @classmethod
    def load(cls, path: Path) -> "MasterKey":
        """Read the key from `path`.

        Raises: ConfigurationError when there is none, when it or its folder is open to others, or when it is
                not a key.
        """
        _require_private(path.parent)
        try:
            _require_private(path)
            key = path.read_bytes()
        except FileNotFoundError as err:
            raise ConfigurationError(
                f"the master key {path} is missing; without it the texts of this ledger cannot be read. "
                "Restore it from your backup of the key"
            ) from err
        if len(key) != KEY_BYTES:
            raise ConfigurationError(f"{path} is not a master key: it has {len(key)} bytes, not {KEY_BYTES}")
        return cls(key)


def _require_private(path: Path) -> None:
    facts = path.stat(follow_symlinks=False)
    if facts.st_mode & _OTHERS or facts.st_uid != os.geteuid():
        kind = "0700" if path.is_dir() else "0600"
        raise ConfigurationError(
            f"{path} must belong to this user and be closed to others: set its mode to {kind}"
        )


class MasterSource(Protocol):
    """Where master keys come from when they can change while a process runs: see adapters/ledger/master.py."""

    def moved(self) -> bool:
        """Tell whether the key may be another one since `candidates` was asked last."""

    def candidates(self) -> tuple[MasterKey, ...]:
        """Return the keys that may be in force, the likeliest first; more than one only during a change."""


class Vault:
    """Wraps data keys, and seals and opens blobs, under the master key in force.

    An erasure, perhaps by another process, puts a new master key in place of the old one. What does not open is
    therefore tried again with the key as it is now, and before something is wrapped the key is made certain.
    """

    def __init__(self, master: MasterKey | MasterSource, entropy: Entropy) -> None:
        self._source = None if isinstance(master, MasterKey) else master
        keys = (master,) if isinstance(master, MasterKey) else master.candidates()
        self._wrappings = tuple((key, wrapping_of(key)) for key in keys)
        self._entropy = entropy

    def settle(self, sample: Callable[[], tuple[str, bytes] | None]) -> None:
        """Make certain which key is in force, by a wrapped data key; call it inside a writing transaction.

        `sample` returns any (name, wrapped key) of the database, or None while it has none.
        Raises: HistoryError when no key opens it.
        """
        if self._source is None or not self._source.moved():
            return
        self._reload()
        found = sample()
        if found is None:
            return
        opening = [item for item in self._wrappings if _opened(item[1], *found) is not None]
        if not opening:
            raise _closed(found[0])
        self._wrappings = (opening[0], *(item for item in self._wrappings if item is not opening[0]))

    def _reload(self) -> None:
        if self._source is not None:
            # An older key is remembered by this process: a read that began before the change still needs it.
            found = tuple((key, wrapping_of(key)) for key in self._source.candidates())
            fresh = {key.key for key, _wrapping in found}
            self._wrappings = (*found, *(item for item in self._wrappings if item[0].key not in fresh))

    def holds(self, master: MasterKey) -> bool:
        """Tell whether this is the key that things are wrapped under."""
        return self._wrappings[0][0] == master

    def new_key(self) -> bytes:
        """Return a fresh data key."""
        return self._entropy.bytes(KEY_BYTES)

    def wrap(self, name: str, key: bytes) -> bytes:
        """Return the data key called `name`, encrypted under the master key."""
        return self.wrap_under(self._wrappings[0][1], name, key)

    def wrap_under(self, wrapping: AESGCM, name: str, key: bytes) -> bytes:
        """Return the data key called `name`, encrypted under another master key's wrapping."""
        nonce = self._entropy.bytes(_NONCE_BYTES)
        return nonce + wrapping.encrypt(nonce, key, name.encode())

    def unwrap(self, name: str, wrapped: bytes) -> bytes:
        """Return the data key called `name`.

        Raises: HistoryError when it was wrapped under another master key or name, or was altered.
        """
        for _ in range(2):
            for _master, wrapping in self._wrappings:
                key = _opened(wrapping, name, wrapped)
                if key is not None:
                    return key
            if self._source is None or not self._source.moved():
                break
            self._reload()
        raise _closed(name)

    def seal(self, key: bytes, openings: Openings, place: tuple[str, str]) -> bytes:
        """Return the texts and salts of one event as a blob that opens only in its place (ledger, event id)."""
        nonce = self._entropy.bytes(_NONCE_BYTES)
        return nonce + AESGCM(key).encrypt(nonce, _openings_bytes(openings), _place(place))

    def open(self, key: bytes, blob: bytes, place: tuple[str, str]) -> dict[str, Opening]:
        """Return what `seal` was given.

        Raises: HistoryError when the blob was altered or belongs to another event.
        """
        return parsed_openings(opened_blob(decrypting(key), blob, place))


def decrypting(key: bytes) -> Decrypt:
    """Return what decrypts under this data key."""
    return AESGCM(key).decrypt


def opened_blob(decrypt: Decrypt, blob: bytes, place: tuple[str, str]) -> bytes:
    """Return the texts and salts of one event as they were sealed, unread.

    Raises: HistoryError when the blob was altered or belongs to another event.
    """
    try:
        return decrypt(blob[:_NONCE_BYTES], blob[_NONCE_BYTES:], _place(place))
    except (InvalidTag, ValueError) as err:
        raise HistoryError(
            f"the texts of event {place[1]} do not open: the blob is not what was written"
        ) from err


def parsed_openings(data: bytes) -> dict[str, Opening]:
    """Return the openings that these bytes spell; the cipher has shown that they are our own."""
    return {row[0]: Opening(bytes.fromhex(row[1]), row[2]) for row in orjson.loads(data)}


def wrapping_of(master: MasterKey) -> AESGCM:
    """Return the cipher that wraps data keys under this master key."""
    derived = HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=_WRAP_INFO).derive(master.key)
    return AESGCM(derived)


def _closed(name: str) -> HistoryError:
    """Return the refusal of a data key that no master key here opens, with its likeliest cause and the way out."""
    message = (
        f"the data key of {name} does not open under this master key: the database is an older copy than the keys, "
        "from before words were erased, or of another installation. Restore a newer copy of the database, or "
        "master.key and keys of its time"
    )
    return HistoryError(message)


def _opened(wrapping: AESGCM, name: str, wrapped: bytes) -> bytes | None:
    try:
        return wrapping.decrypt(wrapped[:_NONCE_BYTES], wrapped[_NONCE_BYTES:], name.encode())
    except (InvalidTag, ValueError):
        return None


def _place(place: tuple[str, str]) -> bytes:
    return b"\x00".join((_BLOB_DOMAIN, place[0].encode(), place[1].encode()))


def _openings_bytes(openings: Mapping[str, Opening]) -> bytes:
    # Texts alone, which `batch_of` has found to be what was committed to: no other form can stand among them.
    return part_bytes(
        [
            [commitment, openings[commitment].salt.hex(), openings[commitment].text]
            for commitment in sorted(openings)
        ]
    )


def blob_digest(blob: bytes) -> str:
    """Return `sha256:<hex>` of a blob's ciphertext: the name it is stored under."""
    return "sha256:" + sha256(blob).hexdigest()


def material_mac(key: bytes, names: tuple[str, str, str], material: bytes) -> bytes:
    """Return what is remembered of a command's material; `names` are ledger, actor and command id."""
    data = b"\x00".join((_MATERIAL_DOMAIN, *(name.encode() for name in names), material))
    return hmac.new(key, data, sha256).digest()
