"""The pool of user ids: one holder at a time, on the whole machine, freed by a crash."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from adapters.sandbox import processes
from adapters.sandbox.uids import HeldUid, UidPool
from kernel.errors import SandboxUnavailableError

ROOT = Path(__file__).parents[2]
AS_ROOT = os.geteuid() == 0


def _only_one(folder: Path) -> UidPool:
    return UidPool(str(folder / "uids"), first=61_998, count=1)


def test_a_user_id_is_held_once(tmp_path: Path) -> None:
    """A second taker of the only user id is told to try later; after the block it is free again."""
    if not AS_ROOT:
        with _only_one(tmp_path).take() as held:
            assert held == HeldUid(None)
        return
    with _only_one(tmp_path).take() as held:
        assert held == HeldUid(61_998)
        with pytest.raises(SandboxUnavailableError, match="try again later"), _only_one(tmp_path).take():
            pass
    with _only_one(tmp_path).take() as again:
        assert again == HeldUid(61_998)


def test_a_crash_frees_the_user_id_and_the_next_holder_finds_it_clean(tmp_path: Path) -> None:
    """When a holder is killed, the lock is gone, and what still ran under the id is ended first."""
    if not AS_ROOT:
        return
    program = (
        "import os, signal, subprocess, sys\nfrom adapters.sandbox.uids import UidPool\n"
        "with UidPool(sys.argv[1], first=61_998, count=1).take() as held:\n"
        "    subprocess.Popen(['/usr/bin/sleep', '60'], user=held.uid, group=held.uid, extra_groups=[])\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "uids")], cwd=ROOT, check=False)
    assert len(processes.alive_of_uid(61_998)) == 1
    with _only_one(tmp_path).take() as held:
        assert held == HeldUid(61_998)
        assert processes.alive_of_uid(61_998) == ()


def test_a_lock_folder_others_can_write_is_refused(tmp_path: Path) -> None:
    """Locks in a folder that is not private could be stolen."""
    if not AS_ROOT:
        return
    (tmp_path / "uids").mkdir()
    (tmp_path / "uids").chmod(0o777)
    with pytest.raises(SandboxUnavailableError, match="mode 0700"), _only_one(tmp_path).take():
        pass


def test_a_persons_user_id_is_never_lent(tmp_path: Path) -> None:
    """Ids that the machine's user database names, and ids outside the pool, are not the pool's."""
    pool = UidPool(str(tmp_path / "uids"), first=65_534, count=1)
    assert [uid in pool for uid in (65_534, 0, 61_000)] == [False, False, False]
    assert 61_000 in UidPool(str(tmp_path / "uids"))
