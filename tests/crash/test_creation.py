"""kill -9 while an installation comes into being: the next start finishes it, and nothing is there twice."""

import os
import shutil
import signal
from pathlib import Path

import pytest

from app.bootstrap import create_installation, open_studio
from kernel.vocabulary import KeyRole, Role
from tests.crash.stage import in_a_process
from tests.crash.watch import Point, Watch
from tests.support.sandbox import settings_for

APPENDS = ("project.opened", "principal.added", "role.granted", *["key.rotated"] * len(KeyRole))


def test_the_list_of_appends_is_what_a_creation_writes(tmp_path: Path) -> None:
    """A new step of the creation must be killed too."""
    watch = Watch(tmp_path / "notes")
    create_installation(settings_for(tmp_path / "data"), seams=watch.seams())
    assert tuple(watch.names) == APPENDS


@pytest.mark.parametrize("phase", ["before", "signed", "after"])
@pytest.mark.parametrize("index", range(len(APPENDS)))
def test_a_creation_killed_here_is_finished_by_the_next_start(tmp_path: Path, index: int, phase: str) -> None:
    """The world has its owner, one role and every key once, and verifies."""
    settings = settings_for(tmp_path / "data")
    watch = Watch(tmp_path / "notes", Point(index, phase))
    status = in_a_process(lambda: create_installation(settings, seams=watch.seams()))
    assert os.WIFSIGNALED(status)
    assert os.WTERMSIG(status) == signal.SIGKILL
    create_installation(settings)
    studio = open_studio(settings)
    types = [item.event.type for item in studio.desk.ledger.read(studio.world_id)]
    assert types == [*(f"{name}.v1" for name in APPENDS), "config.activated.v1"]
    state = studio.desk.state(studio.world_id)
    assert state.authority.principals["owner"].roles == ((None, Role.OWNER),)
    assert studio.directory.role_of("owner", studio.world_id) is Role.OWNER
    assert studio.audits.verify(studio.world_id, strict=True).problems == ()
    shutil.rmtree(tmp_path)


def test_half_a_master_key_is_no_key(tmp_path: Path) -> None:
    """A file that a killed process was still writing is not taken for the key, and does not stop the next start."""
    settings = settings_for(tmp_path / "data")
    settings.data_folder.mkdir(mode=0o700)
    draft = settings.data_folder / ".master.key.new"
    draft.write_bytes(b"half")
    draft.chmod(0o600)
    create_installation(settings)
    assert len((settings.data_folder / "master.key").read_bytes()) == 32
    assert not draft.exists()
