"""The heads of a group of ledgers become durable by one sync, and a failure of the power takes none of them."""

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from adapters.keys import CheckpointSigner
from adapters.keys.held_heads import SEATS_MAX
from adapters.keys.recent_heads import CELLS
from kernel.merkle import LogHead, leaf_hash, root_of
from tests.keys.test_checkpoints import signer_in

LEDGERS = tuple(f"project_{number:026d}" for number in range(1, 5))
LEAVES = [leaf_hash(number.to_bytes(2, "big")) for number in range(CELLS // len(LEDGERS) + 20)]


def head(size: int) -> LogHead:
    """Return the head of the first leaves."""
    return LogHead(size, root_of(LEAVES[:size]))


def _sign_group(signer: CheckpointSigner, size: int, begin: Callable[[], None] | None = None) -> None:
    """Sign a head of this size for every ledger, in one block, as a group of appends does."""
    after = head(size - 1)
    with signer.beside_commit() as begin_sync:
        for ledger_id in LEDGERS:
            signer.sign_checkpoint(ledger_id, size, head(size).root, after=after)
        (begin or begin_sync)()


def _heads(root: Path) -> Path:
    return root / "keys" / "heads"


def _recent(root: Path) -> list[Path]:
    return sorted(_heads(root).glob("recent-*"))


def _kept(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in _heads(root).glob("*.head")}


def _knows(root: Path, size: int) -> None:
    """Assert that a process opened now knows exactly this head of every ledger, and no longer the one before."""
    signer = signer_in(root)
    for ledger_id in LEDGERS:
        assert signer.head_problems(ledger_id, head(size)) == ()
        assert len(signer.head_problems(ledger_id, head(size - 2))) == 1


def _in_a_child(act: Callable[[], None]) -> None:
    """Run in a process that dies without any clean-up."""
    pid = os.fork()
    if pid == 0:
        try:
            act()
            os.kill(os.getpid(), signal.SIGKILL)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL


def test_a_group_is_remembered_by_one_file_and_by_each_ledger(tmp_path: Path) -> None:
    """After the block each ledger's own memory holds its head, and one file holds all of them."""
    signer = signer_in(tmp_path)
    for size in (1, 2, 3):
        _sign_group(signer, size)
    (recent,) = _recent(tmp_path)
    content = recent.read_bytes()
    assert content.count(head(3).root.hex().encode()) == len(LEDGERS)
    assert len(content) == CELLS * 512
    assert all(head(3).root.hex().encode() in kept for kept in _kept(tmp_path).values())


def test_what_the_power_took_from_the_ledgers_memories_is_brought_back(tmp_path: Path) -> None:
    """Only the one file was synced: with the others as they were three groups ago, nothing signed is forgotten."""

    def work() -> None:
        signer = signer_in(tmp_path)
        for size in (1, 2, 3, 4, 5):
            _sign_group(signer, size)
            if size == 2:
                shutil.copytree(_heads(tmp_path), tmp_path / "early")

    _in_a_child(work)
    for path in (tmp_path / "early").glob("*.head"):
        shutil.copy(path, _heads(tmp_path) / path.name)
    _knows(tmp_path, 5)
    assert _recent(tmp_path) == []
    _knows(tmp_path, 5)


@pytest.mark.parametrize("torn", [0, 100, 511])
def test_a_torn_last_group_leaves_the_one_before(tmp_path: Path, torn: int) -> None:
    """What was not whole on the disk was not acknowledged; each ledger stands where the group before left it."""

    def work() -> None:
        signer = signer_in(tmp_path)
        for size in (1, 2, 3, 4):
            _sign_group(signer, size)
            if size == 2:
                shutil.copytree(_heads(tmp_path), tmp_path / "early")

    _in_a_child(work)
    for path in (tmp_path / "early").glob("*.head"):
        shutil.copy(path, _heads(tmp_path) / path.name)
    (recent,) = _recent(tmp_path)
    content = bytearray(recent.read_bytes())
    # The first group made the files, so the second one's heads are the first in here: the fourth's are the third.
    start = 2 * len(LEDGERS) * 512
    for cell in range(start, start + len(LEDGERS) * 512, 512):
        content[cell + torn : cell + 512] = b"\0" * (512 - torn)
    recent.write_bytes(content)
    _knows(tmp_path, 3)


def test_a_full_file_begins_anew_once_the_memories_are_synced(tmp_path: Path) -> None:
    """More groups than fit leave one file of the same length, and the last head in it."""

    def work() -> None:
        signer = signer_in(tmp_path)
        for size in range(1, len(LEAVES)):
            _sign_group(signer, size)

    _in_a_child(work)
    (recent,) = _recent(tmp_path)
    content = recent.read_bytes()
    assert len(content) == CELLS * 512
    # The first group made the memories; the ones after it begin anew when they reach the end.
    place = (len(LEAVES) - 3) * len(LEDGERS) % CELLS * 512
    assert head(len(LEAVES) - 1).root.hex().encode() in content[place : place + 512]
    _knows(tmp_path, len(LEAVES) - 1)


def test_a_memory_that_was_put_aside_is_not_brought_back(tmp_path: Path) -> None:
    """Going on from an older copy is a person's decision: what stands elsewhere does not undo it."""

    def work() -> None:
        signer = signer_in(tmp_path)
        for size in (1, 2):
            _sign_group(signer, size)

    _in_a_child(work)
    (_heads(tmp_path) / f"{LEDGERS[0]}.head").unlink()
    signer = signer_in(tmp_path)
    assert signer.ledgers() == LEDGERS[1:]
    assert signer.head_problems(LEDGERS[0], head(1)) == ()


def test_the_file_of_a_living_process_is_left_to_it(tmp_path: Path) -> None:
    """Another signer of the host neither folds nor removes it, and both go on."""
    signer = signer_in(tmp_path)
    for size in (1, 2):
        _sign_group(signer, size)
    other = signer_in(tmp_path)
    assert other.ledgers() == LEDGERS
    assert len(_recent(tmp_path)) == 1
    _sign_group(other, 3)
    _sign_group(signer, 4)
    assert len(_recent(tmp_path)) == 2


def test_a_block_that_never_begins_its_sync_is_durable_at_its_end(tmp_path: Path) -> None:
    """As when the transaction was refused after signing: each ledger's own memory is synced."""
    signer = signer_in(tmp_path)
    _sign_group(signer, 1)
    _sign_group(signer, 2, begin=lambda: None)
    assert _recent(tmp_path) == []
    _sign_group(signer, 3)
    assert len(_recent(tmp_path)) == 1


def test_a_forked_process_takes_locks_of_its_own(tmp_path: Path) -> None:
    """What the parent holds open is not the child's: both sign, one after the other, and lose nothing."""
    signer = signer_in(tmp_path)
    for size in (1, 2):
        _sign_group(signer, size)
    _in_a_child(lambda: _sign_group(signer, 3))
    _sign_group(signer, 4)
    for ledger_id in LEDGERS:
        assert signer.head_problems(ledger_id, head(4)) == ()


def test_a_folder_put_in_place_of_the_open_one_is_used(tmp_path: Path) -> None:
    """A memory that was restored while a process lives is the one that counts from then on."""
    signer = signer_in(tmp_path)
    _sign_group(signer, 1)
    shutil.copytree(_heads(tmp_path), tmp_path / "copy")
    _sign_group(signer, 2)
    _heads(tmp_path).rename(tmp_path / "gone")
    (tmp_path / "copy").rename(_heads(tmp_path))
    assert len(signer.head_problems(LEDGERS[0], head(2))) == 1
    assert signer.head_problems(LEDGERS[0], head(1)) == ()


def test_more_ledgers_than_stay_open_lose_nothing(tmp_path: Path) -> None:
    """Files that nobody uses are closed, and what was not synced of them stands in the process's file."""
    many = [f"project_{number:026d}" for number in range(3 * SEATS_MAX)]

    def work() -> None:
        signer = signer_in(tmp_path)
        for size in (1, 2, 3):
            for start in range(0, len(many), 48):
                with signer.beside_commit() as begin_sync:
                    for ledger_id in many[start : start + 48]:
                        signer.sign_checkpoint(ledger_id, size, head(size).root, after=head(size - 1))
                    begin_sync()
        assert len(list(Path("/proc/self/fd").iterdir())) < 5 * SEATS_MAX

    _in_a_child(work)
    signer = signer_in(tmp_path)
    assert signer.ledgers() == tuple(many)
    assert [signer.head_problems(ledger_id, head(3)) for ledger_id in many] == [()] * len(many)
    assert _recent(tmp_path) == []
