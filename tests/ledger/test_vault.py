"""What keeps texts secret, and what refuses to."""

from pathlib import Path

import pytest

from adapters.ledger.vault import MasterKey, Vault, blob_digest, material_mac
from adapters.system import SystemEntropy
from kernel.errors import ConfigurationError, HistoryError
from kernel.values.words import Opening

PLACE = ("project_1", "event_1")
OPENINGS = {"sha256:" + "0" * 64: Opening(b"s" * 32, "a secret 😀 text")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder that only this user can enter."""
    tmp_path.chmod(0o700)
    return tmp_path


def _vault() -> Vault:
    return Vault(MasterKey(b"m" * 32), SystemEntropy())


def test_a_master_key_is_created_once_and_read_back(folder: Path) -> None:
    """The file is private, holds the key, and is never overwritten."""
    created = MasterKey.create(folder / "master.key", SystemEntropy())
    assert MasterKey.load(folder / "master.key") == created
    assert (folder / "master.key").stat().st_mode & 0o777 == 0o600
    assert created.key.hex() not in repr(created)
    with pytest.raises(ConfigurationError, match="it is never overwritten"):
        MasterKey.create(folder / "master.key", SystemEntropy())


def test_a_master_key_that_others_can_read_is_refused(folder: Path) -> None:
    """Neither an open file, nor an open folder, nor a link, nor a short file is a key."""
    path = folder / "master.key"
    MasterKey.create(path, SystemEntropy())
    path.chmod(0o640)
    with pytest.raises(ConfigurationError, match="set its mode to 0600"):
        MasterKey.load(path)
    path.chmod(0o600)
    (folder / "link").symlink_to(path)
    with pytest.raises(ConfigurationError, match="closed to others"):
        MasterKey.load(folder / "link")
    path.write_bytes(b"short")
    with pytest.raises(ConfigurationError, match="has 5 bytes, not 32"):
        MasterKey.load(path)
    folder.chmod(0o755)
    for act in (MasterKey.load, lambda path: MasterKey.create(path, SystemEntropy())):
        with pytest.raises(ConfigurationError, match="set its mode to 0700"):
            act(path)


def test_a_missing_master_key_is_named(folder: Path) -> None:
    """The sentence says what cannot be read without it."""
    with pytest.raises(ConfigurationError, match="is missing; without it the texts"):
        MasterKey.load(folder / "master.key")


def test_a_data_key_opens_under_its_name_and_master_alone() -> None:
    """A wrapped key does not open under another name, another master key, or altered."""
    vault, key = _vault(), SystemEntropy().bytes(32)
    wrapped = vault.wrap("source_1", key)
    assert vault.unwrap("source_1", wrapped) == key
    assert vault.wrap("source_1", key) != wrapped
    other = Vault(MasterKey(b"n" * 32), SystemEntropy())
    for opener, name, data in (
        (vault, "source_2", wrapped),
        (other, "source_1", wrapped),
        (vault, "source_1", wrapped[:-1]),
        (vault, "source_1", b""),
    ):
        with pytest.raises(HistoryError, match="does not open under this master key"):
            opener.unwrap(name, data)


def test_a_blob_opens_in_its_place_alone() -> None:
    """Texts sealed for one event do not open as another's, under another key, or altered."""
    vault, key = _vault(), b"k" * 32
    blob = vault.seal(key, OPENINGS, PLACE)
    assert vault.open(key, blob, PLACE) == OPENINGS
    assert b"secret" not in blob
    for opener, data, place in (
        (key, blob, ("project_1", "event_2")),
        (key, blob, ("project_2", "event_1")),
        (b"j" * 32, blob, PLACE),
        (key, blob[:-1], PLACE),
        (key, b"", PLACE),
    ):
        with pytest.raises(HistoryError, match="do not open: the blob is not what was written"):
            vault.open(opener, data, place)


def test_names_of_blobs_and_memories_of_commands() -> None:
    """A blob is named by its ciphertext; the memory of a command depends on every part of it."""
    assert blob_digest(b"abc") == "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    seen = {
        material_mac(b"k" * 32, ("ledger", "actor", "command"), b"material"),
        material_mac(b"j" * 32, ("ledger", "actor", "command"), b"material"),
        material_mac(b"k" * 32, ("ledger", "actor", "command"), b"other"),
        material_mac(b"k" * 32, ("other", "actor", "command"), b"material"),
        material_mac(b"k" * 32, ("ledger", "other", "command"), b"material"),
        material_mac(b"k" * 32, ("ledger", "actor", "other"), b"material"),
    }
    assert len(seen) == 6
