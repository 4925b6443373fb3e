"""The file discipline of keys and journal."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.keys import PrivateFolder
from adapters.keys.private_folder import FILE_BYTES_MAX
from kernel.errors import ConfigurationError, JournalError


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[PrivateFolder]:
    """Return an open private folder."""
    with PrivateFolder.open(str(tmp_path / "private")) as opened:
        yield opened


def names_in(path: Path) -> list[str]:
    """Return every name in a folder, hidden ones too."""
    return sorted(one.name for one in path.iterdir())


def test_a_file_is_created_once(folder: PrivateFolder, tmp_path: Path) -> None:
    """The second writer is told, and the first bytes stay."""
    assert (folder.create("a.json", b"one"), folder.create("a.json", b"two")) == (True, False)
    assert folder.read("a.json") == b"one"
    assert stat.S_IMODE((tmp_path / "private" / "a.json").stat().st_mode) == 0o600
    assert names_in(tmp_path / "private") == ["a.json"]


def test_what_is_not_there_reads_as_nothing(folder: PrivateFolder) -> None:
    """Absent is no error."""
    assert folder.read("a.json") is None


def test_a_file_is_replaced_whole_and_rewritten_in_part(folder: PrivateFolder) -> None:
    """Both ways keep the name and its privacy."""
    folder.replace("a.json", b"first")
    folder.replace("a.json", b"second")
    descriptor = folder.open_part("a.json")
    assert descriptor is not None
    os.pwrite(descriptor, b"ON", 2)
    os.close(descriptor)
    assert (folder.read("a.json"), folder.names()) == (b"seONnd", ("a.json",))


def test_an_unfinished_file_is_not_listed(folder: PrivateFolder, tmp_path: Path) -> None:
    """What a killed writer left behind is no file yet."""
    (tmp_path / "private" / ".a.json.1.ff.tmp").write_bytes(b"half")
    assert folder.names() == ()


@pytest.mark.parametrize("name", ["", "..", "a/b", ".hidden", "-x", "a\n", "ä", "x" * 300])
def test_a_name_that_leads_elsewhere_is_refused(folder: PrivateFolder, name: str) -> None:
    """A name is one plain component."""
    with pytest.raises(ConfigurationError, match="cannot be the name"):
        folder.read(name)


@pytest.mark.parametrize("path", ["private", "/", "/usr/../etc"])
def test_a_path_that_is_not_plain_is_refused(path: str) -> None:
    """Only absolute paths without steps upward."""
    with pytest.raises(ConfigurationError, match="must be named by an absolute path"):
        PrivateFolder.open(path)


def test_too_many_bytes_are_neither_written_nor_read(folder: PrivateFolder, tmp_path: Path) -> None:
    """The bound holds in both directions."""
    with pytest.raises(ConfigurationError, match="would be larger than"):
        folder.create("a.json", bytes(FILE_BYTES_MAX + 1))
    path = tmp_path / "private" / "b.json"
    path.write_bytes(bytes(FILE_BYTES_MAX + 1))
    path.chmod(0o600)
    with pytest.raises(ConfigurationError, match="File too large"):
        folder.read("b.json")


@pytest.mark.parametrize("kind", ["link", "folder", "fifo"])
def test_what_is_no_regular_file_is_refused(folder: PrivateFolder, tmp_path: Path, kind: str) -> None:
    """Neither followed nor waited for."""
    path = tmp_path / "private" / "a.json"
    makers = {"link": lambda: path.symlink_to("/etc/hostname"), "folder": path.mkdir}
    makers.get(kind, lambda: os.mkfifo(path, 0o600))()
    with pytest.raises(ConfigurationError):
        folder.read("a.json")
    assert folder.create("a.json", b"x") is False


def test_a_lock_is_exclusive_and_ends_with_its_block(folder: PrivateFolder, tmp_path: Path) -> None:
    """Another opening is refused in time, and served afterwards."""
    with PrivateFolder.open(str(tmp_path / "private"), refusal=JournalError) as other:
        with (
            folder.locked("a.lock", wait_s=0.0),
            pytest.raises(JournalError) as caught,
            other.locked("a.lock", wait_s=0.05),
        ):
            pass
        assert caught.value.reason_code == "busy"
        with other.locked("a.lock", wait_s=0.0):
            assert other.names() == ("a.lock",)


def test_a_folder_that_is_moved_away_stays_the_one_that_was_opened(
    folder: PrivateFolder, tmp_path: Path
) -> None:
    """Work goes on in the opened folder, never in one that was put into its place."""
    (tmp_path / "private").rename(tmp_path / "moved")
    (tmp_path / "private").mkdir(mode=0o700)
    folder.create("a.json", b"x")
    assert (names_in(tmp_path / "private"), names_in(tmp_path / "moved")) == ([], ["a.json"])


def test_a_folder_inside_follows_the_same_rules(folder: PrivateFolder, tmp_path: Path) -> None:
    """It is made private, and refused when it is not."""
    folder.inside("heads").close()
    (tmp_path / "private" / "heads").chmod(0o755)
    with pytest.raises(ConfigurationError, match="open to others"):
        folder.inside("heads")
