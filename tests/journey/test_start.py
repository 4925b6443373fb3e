"""What a start finds: an older copy, a damaged one, lost or open keys. Nothing is served over it in silence."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.bootstrap import Seams, create_installation, open_studio
from app.config.settings import Settings
from kernel.errors import ConfigurationError, HistoryError, StudioError
from tests.crash.stage import in_a_process
from tests.support.sandbox import install, sandbox_texts
from tests.support.walk import Walk

DATABASE = ("odeu.sqlite3", "odeu.sqlite3-wal", "odeu.sqlite3-shm")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return an installation whose project has an accepted outline; nobody has it open any more."""
    settings = install(tmp_path / "data")
    _walk_apart(settings, "capture")
    return settings


def _walk_apart(settings: Settings, until: str) -> None:
    """Walk in a process that ends, so that no connection of ours keeps the database open."""
    assert in_a_process(lambda: Walk(open_studio(settings), sandbox_texts()).until(until)) == 0


def _copy_database(source: Path, target: Path) -> None:
    target.mkdir(exist_ok=True)
    for name in DATABASE:
        (target / name).unlink(missing_ok=True)
        if (source / name).exists():
            shutil.copy2(source / name, target / name)


def test_yesterdays_database_is_refused_with_the_way_out(settings: Settings, tmp_path: Path) -> None:
    """Neither opened nor served: the keys know a later head, and the sentence says what can be done."""
    data = settings.data_folder
    _copy_database(data, tmp_path / "yesterday")
    _walk_apart(settings, "compile_brief")
    _copy_database(data, tmp_path / "today")
    _copy_database(tmp_path / "yesterday", data)
    for begin in (open_studio, create_installation):
        with pytest.raises(
            HistoryError, match=r"it is an older copy or another history\. Restore a newer copy"
        ):
            begin(settings)
    _copy_database(tmp_path / "today", data)
    assert open_studio(settings).registry.problems == ()


def test_the_way_out_of_a_lost_newer_copy_works(settings: Settings, tmp_path: Path) -> None:
    """Whoever decides to go on from the older copy puts the named file aside, and the ledger goes on from there."""
    data = settings.data_folder
    _copy_database(data, tmp_path / "yesterday")
    _walk_apart(settings, "compile_brief")
    _copy_database(tmp_path / "yesterday", data)
    with pytest.raises(HistoryError) as caught:
        open_studio(settings)
    name = next(word for word in caught.value.message.split() if word.endswith(".head"))
    (data / "keys" / "heads" / name).rename(tmp_path / name)
    walk = Walk(open_studio(settings), sandbox_texts())
    walk.until("compile_brief")
    assert walk.studio.audits.verify(walk.project_id, strict=True).problems == ()


def test_a_database_without_a_project_that_was_signed_is_refused(settings: Settings, tmp_path: Path) -> None:
    """A copy from before the project was opened misses a whole ledger, which no head in it could tell."""
    data = settings.data_folder
    other = install(tmp_path / "other")
    for name in ("installation.json", "master.key", "keys"):
        target = other.data_folder / name
        shutil.rmtree(target) if target.is_dir() else target.unlink()
        source = data / name
        shutil.copytree(source, target) if source.is_dir() else shutil.copy2(source, target)
    with pytest.raises(StudioError, match="older copy or another history"):
        open_studio(other)


def test_a_database_that_is_gone_is_not_begun_anew(settings: Settings) -> None:
    """With keys that signed a world, an empty database is a loss and not a fresh installation."""
    for name in DATABASE:
        (settings.data_folder / name).unlink(missing_ok=True)
    with pytest.raises(HistoryError, match="Restore a newer copy"):
        create_installation(settings)


def test_a_database_of_no_schema_says_how_to_migrate_it(settings: Settings) -> None:
    """Opening never migrates; the sentence names what does."""
    for name in DATABASE:
        (settings.data_folder / name).unlink(missing_ok=True)
    with pytest.raises(ConfigurationError, match="migrate it; start it with `odeu serve`"):
        open_studio(settings)


def _flip(database: Path, statement: str, arguments: tuple[object, ...] = ()) -> None:
    """Change stored bytes as a disk or an intruder would, past the triggers."""
    connection = sqlite3.connect(database)
    triggers = [row[0] for row in connection.execute("select name from sqlite_master where type = 'trigger'")]
    for trigger in triggers:
        connection.execute(f'drop trigger "{trigger}"')
    assert connection.execute(statement, arguments).rowcount == 1
    connection.commit()
    connection.close()


READ = {
    "data": "select data from events where ledger_id = ? and seq = 2",
    "leaf_hash": "select leaf_hash from events where ledger_id = ? and seq = 2",
}
WRITE = {
    "data": "update events set data = ? where ledger_id = ? and seq = 2",
    "leaf_hash": "update events set leaf_hash = ? where ledger_id = ? and seq = 2",
}


@pytest.mark.parametrize("column", ["data", "leaf_hash"])
def test_one_flipped_bit_is_found(settings: Settings, column: str) -> None:
    """Any changed byte of an event shows in `verify`, which names the event."""
    walk = Walk(open_studio(settings), sandbox_texts())
    project_id, database = walk.project_id, settings.data_folder / "odeu.sqlite3"
    assert walk.studio.audits.verify(project_id).problems == ()
    with sqlite3.connect(database) as connection:
        (stored,) = connection.execute(READ[column], (project_id,)).fetchone()
    flipped = bytearray(stored)
    flipped[len(flipped) // 2] ^= 1
    _flip(database, WRITE[column], (bytes(flipped), project_id))
    problems = walk.studio.audits.verify(project_id, strict=True).problems
    assert any("event 2 was altered" in problem for problem in problems)


def test_a_lost_installation_file_is_not_replaced(settings: Settings) -> None:
    """A new identity beside an old database would orphan every ledger."""
    (settings.data_folder / "installation.json").unlink()
    with pytest.raises(ConfigurationError, match=r"installation\.json of its installation is gone"):
        create_installation(settings)
    with pytest.raises(ConfigurationError, match="there is no installation"):
        open_studio(settings)
    assert not (settings.data_folder / "installation.json").exists()


@pytest.mark.parametrize("content", ["", "{}", '{"installation_id": "x", "world_id": "y"}', "[]", "\u0000"])
def test_a_damaged_installation_file_is_said(settings: Settings, content: str) -> None:
    """It names the file and the way out."""
    (settings.data_folder / "installation.json").write_text(content, encoding="utf-8")
    with pytest.raises(ConfigurationError, match="restore it from a backup"):
        open_studio(settings)


def test_a_lost_master_key_is_not_replaced(settings: Settings) -> None:
    """A new one would read none of the texts."""
    (settings.data_folder / "master.key").unlink()
    for begin in (create_installation, open_studio):
        with pytest.raises(ConfigurationError, match="Restore it from your backup of the key"):
            begin(settings)
    assert not (settings.data_folder / "master.key").exists()


def test_lost_signing_keys_are_missed(settings: Settings) -> None:
    """The world ledger names the keys in force; fresh ones in their place could verify nothing."""
    for file in (settings.data_folder / "keys").glob("sealer.*.key"):
        file.unlink()
    with pytest.raises(ConfigurationError, match=r"the key sealer:\w+, which the world ledger names"):
        open_studio(settings)


@pytest.mark.parametrize("name", [".", "master.key", "keys", "journal"])
def test_what_others_could_read_or_write_is_refused(settings: Settings, name: str) -> None:
    """Keys, journal and the folder around them belong to one user alone."""
    place = settings.data_folder / name
    if name == "journal":
        place.mkdir(mode=0o700)
    place.chmod(place.stat().st_mode | 0o044)
    with pytest.raises(StudioError, match=r"others|mode|private"):
        Walk(open_studio(settings), sandbox_texts()).to_the_end()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Return a folder on a disk of 6 MiB."""
    place = tmp_path / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m,mode=0700", "tmpfs", str(place)], check=True)
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_a_full_disk_is_said_and_leaves_nothing_half_written(small_disk: Path) -> None:
    """Words that found no room are refused, nothing of them stays, and with room again everything goes on."""
    settings = install(small_disk / "data")
    walk = Walk(open_studio(settings), sandbox_texts())
    walk.until("capture")
    before = walk.state.seq
    ballast = small_disk / "ballast"
    _fill(ballast)
    with pytest.raises(StudioError, match=r"disk is full"):
        _say_until_refused(walk)
    assert in_a_process(lambda: _still_sound(settings, before)) == 0
    ballast.unlink()
    again = Walk(open_studio(settings), sandbox_texts())
    again.studio.recover()
    again.to_the_end()
    assert again.studio.audits.verify(again.project_id, strict=True).problems == ()


def _fill(ballast: Path) -> None:
    """Leave no free page on the disk."""
    with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
        while file.write(b"x" * 4096):
            pass


def _say_until_refused(walk: Walk) -> None:
    for number in range(40):
        walk.studio.placements.capture(walk.project_id, walk.owner, f"{number} " + "word " * 20_000)


def _still_sound(settings: Settings, least: int) -> None:
    studio = open_studio(settings)
    walk = Walk(studio, sandbox_texts())
    assert walk.state.seq >= least
    assert studio.audits.verify(walk.project_id, strict=True).problems == ()


def test_creating_an_installation_twice_changes_nothing(settings: Settings) -> None:
    """`init` and `serve` may be called again at any time."""
    studio = open_studio(settings)
    before = {ledger_id: studio.desk.ledger.head(ledger_id) for ledger_id in studio.desk.ledger.ledgers()}
    create_installation(settings, seams=Seams())
    assert {item: studio.desk.ledger.head(item) for item in studio.desk.ledger.ledgers()} == before
