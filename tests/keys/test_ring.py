"""The keys of a host: created once, private, rotated, revoked, and never a way to sign arbitrary bytes."""

import base64
import hashlib
import inspect
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from adapters.keys import CheckpointSigner, JournalSigner, KeyRing, RunAuthority, Sealer, ValidatorKey
from kernel.errors import ConfigurationError, InvalidError, NotFoundError
from kernel.receipts import RunGrant
from kernel.vocabulary import KeyRole

AT = "2026-01-02T03:04:05.000000Z"
LATER = "2026-02-02T03:04:05.000000Z"
GRANT = RunGrant(
    run_id="run_01k0000000000000000000000a",
    brief_id="brief_01k0000000000000000000000a",
    brief_digest="sha256:" + "12" * 32,
    runtime_id="scripted",
    runtime_digest="sha256:" + "34" * 32,
    base_commit="b" * 40,
    base_revision=3,
)


def opened(root: Path, at: str = AT) -> KeyRing:
    """Return the ring in a folder."""
    return KeyRing.open(str(root / "keys"), lambda: at)


def test_one_key_per_role_is_created_once(tmp_path: Path) -> None:
    """A second opening, with another clock, finds the same keys."""
    first = opened(tmp_path).public_keys()
    assert [key.role for key in first] == list(KeyRole)
    assert {key.created_at for key in first} == {AT}
    assert opened(tmp_path, LATER).public_keys() == first


def test_a_key_is_named_by_its_role_and_its_digest(tmp_path: Path) -> None:
    """The id can be computed by anybody who has the public key."""
    for key in opened(tmp_path).public_keys():
        raw = base64.b64decode(key.public_key)
        assert key.key_id == f"{key.role.value}:{hashlib.sha256(raw).hexdigest()[:16]}"


def test_keys_lie_in_private_files_of_a_private_folder(tmp_path: Path) -> None:
    """0700 and 0600, whatever the umask is."""
    before = os.umask(0)
    try:
        opened(tmp_path)
    finally:
        os.umask(before)
    folder = tmp_path / "keys"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_processes_that_open_at_once_agree(tmp_path: Path) -> None:
    """The first opening of a data folder by server and command line makes one key per role."""
    pids = []
    for _ in range(4):
        pid = os.fork()
        if pid == 0:
            opened(tmp_path)
            os._exit(0)
        pids.append(pid)
    assert [os.waitpid(pid, 0)[1] for pid in pids] == [0] * 4
    assert len(opened(tmp_path).public_keys()) == len(KeyRole)


def _link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to(path.with_name("elsewhere"))


def _open(path: Path) -> None:
    path.chmod(0o640)


def _damage(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"role"', b'"Role"'))


def _exchange(path: Path) -> None:
    other = next(one for one in sorted(path.parent.glob("*.key")) if one != path)
    path.write_bytes(other.read_bytes())


@pytest.mark.parametrize("touch", [_link, _open, _damage, _exchange])
def test_a_touched_key_file_is_refused(tmp_path: Path, touch: Callable[[Path], None]) -> None:
    """A link, an open mode, other bytes, another role's key under this name: nothing is signed with it."""
    opened(tmp_path)
    touch(next((tmp_path / "keys").glob("sealer.*.key")))
    with pytest.raises(ConfigurationError):
        opened(tmp_path)


def test_a_key_file_of_another_owner_is_refused(tmp_path: Path) -> None:
    """A key that somebody else put there is not ours."""
    if os.geteuid() != 0:
        pytest.skip("needs root to give a file away")
    opened(tmp_path)
    os.chown(next((tmp_path / "keys").glob("sealer.*.key")), 12345, 12345)
    with pytest.raises(ConfigurationError, match="belongs to uid 12345"):
        opened(tmp_path)


def test_a_linked_or_open_folder_is_refused(tmp_path: Path) -> None:
    """The folder is reached through real folders only, and by us only."""
    opened(tmp_path)
    (tmp_path / "door").symlink_to(tmp_path)
    with pytest.raises(ConfigurationError, match="without following a link"):
        KeyRing.open(str(tmp_path / "door" / "keys"), lambda: AT)
    (tmp_path / "keys").chmod(0o711)
    with pytest.raises(ConfigurationError, match="open to others"):
        opened(tmp_path)


def test_after_a_rotation_the_new_key_signs_and_both_verify(tmp_path: Path) -> None:
    """Receipts of the old key stay valid."""
    ring = opened(tmp_path)
    old = ring.run_authority().issue(GRANT, AT)
    new_key = ring.rotate(KeyRole.RUN_AUTHORITY, LATER)
    reopened = opened(tmp_path)
    new = reopened.run_authority().issue(GRANT, LATER)
    assert new.signatures[0].key_id == new_key.key_id != old.signatures[0].key_id
    assert reopened.verify_envelope(old, KeyRole.RUN_AUTHORITY) == ()
    assert reopened.verify_envelope(new, KeyRole.RUN_AUTHORITY) == ()


def test_a_rotation_into_the_past_is_refused(tmp_path: Path) -> None:
    """The newest key signs, so a new one is newer."""
    with pytest.raises(InvalidError, match="must be later"):
        opened(tmp_path).rotate(KeyRole.SEALER, AT)


def test_a_revoked_key_neither_signs_nor_verifies(tmp_path: Path) -> None:
    """Nothing proves when a signature was made, so the past of a stolen key does not count either."""
    ring = opened(tmp_path)
    old = ring.run_authority().issue(GRANT, AT)
    key_id = old.signatures[0].key_id
    ring.revoke(key_id, LATER)
    reopened = opened(tmp_path)
    assert reopened.revoked() == ((key_id, LATER),)
    assert reopened.verify_envelope(old, KeyRole.RUN_AUTHORITY) == (
        f"the key {key_id} was revoked at {LATER}",
    )
    with pytest.raises(ConfigurationError, match="every run_authority key is revoked"):
        reopened.run_authority()


def test_a_second_revocation_keeps_the_first_time(tmp_path: Path) -> None:
    """When a key stopped counting does not move."""
    ring = opened(tmp_path)
    key_id = ring.public_keys()[0].key_id
    ring.revoke(key_id, AT)
    ring.revoke(key_id, LATER)
    assert ring.revoked() == ((key_id, AT),)


def test_an_unknown_key_cannot_be_revoked(tmp_path: Path) -> None:
    """A typing error does not look like a success."""
    with pytest.raises(NotFoundError, match="there is no key"):
        opened(tmp_path).revoke("sealer:0000000000000000", AT)


def test_nothing_offers_to_sign_bytes() -> None:
    """Bytes are taken only as the root of a ledger, one line of a checkpoint, and as hashes of a proof."""
    signers = (CheckpointSigner, JournalSigner, KeyRing, RunAuthority, Sealer, ValidatorKey)
    takers = {
        f"{signer.__name__}.{name}({parameter.name})"
        for signer in signers
        for name, method in inspect.getmembers(signer, inspect.isfunction)
        for parameter in inspect.signature(method).parameters.values()
        if not name.startswith("_") and "bytes" in str(parameter.annotation)
    }
    assert takers == {
        "CheckpointSigner.catch_up(proof)",
        "CheckpointSigner.sign_checkpoint(proof)",
        "CheckpointSigner.sign_checkpoint(root)",
    }


def test_a_private_key_is_never_shown(tmp_path: Path) -> None:
    """Neither the ring nor a signer prints one."""
    ring = opened(tmp_path)
    secrets = [
        path.read_bytes().split(b'"private_key":"')[1][:44] for path in (tmp_path / "keys").glob("*.key")
    ]
    shown = repr(vars(ring)) + repr(vars(ring.sealer()))
    assert len(secrets) == len(KeyRole)
    assert not [secret for secret in secrets if secret.decode("ascii") in shown]
