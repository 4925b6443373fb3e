"""Taking things away, and bringing a backup back: what is in the files, and what a restored copy must not tell."""

import shutil
import subprocess
from pathlib import Path

import pytest

from adapters.bundles import events_of, examine, judge, read_trust
from app.bootstrap import open_studio
from app.config.settings import Settings
from kernel.errors import AuthorityError, ConfigurationError, HistoryError, InvalidError
from kernel.vocabulary import Role
from tests.crash.stage import in_a_process
from tests.journey.entering import NAMES, may_enter, ways_in
from tests.journey.test_erasure import MARKER, House
from tests.support.sandbox import install, sandbox_texts
from tests.support.walk import Walk


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return an installation whose project has an accepted outline and an accepted capture of the marker."""
    settings = install(tmp_path / "data")

    def begin() -> None:
        Walk(open_studio(settings), sandbox_texts()).until("capture")
        house = House(settings)
        house.accepted(house.captured()[1])

    assert in_a_process(begin) == 0
    return settings


def source_of(house: House) -> str:
    """Return the capture that says the marker."""
    sources = house.studio.desk.state(house.project_id).sources.rows()
    return next(item.body.source_id for item in sources if MARKER in (item.body.content.text or ""))


def restored(archive: Path, folder: Path) -> Settings:
    """Unpack a backup the way the documentation says; return the settings of the new data folder."""
    folder.mkdir(mode=0o700)
    subprocess.run(["tar", "-xpf", str(archive), "-C", str(folder)], check=True)
    return Settings(data=folder)


def test_an_exported_project_verifies_and_says_what_its_ledger_says(
    settings: Settings, tmp_path: Path
) -> None:
    """The bundle of a real project is self-consistent, signed by the kept key, and holds the same state."""
    house = House(settings)
    house.studio.leaving.export(house.project_id, "owner", tmp_path / "bundle", tmp_path / "trust")
    found = examine(tmp_path / "bundle")
    verdicts = judge(found, read_trust(tmp_path / "trust"))
    standings = (verdicts.self_consistent, verdicts.signed_by_pinned, verdicts.extends_known)
    assert [item.standing for item in standings] == ["passed"] * 3
    assert found.state == house.studio.desk.state(house.project_id)
    assert any(MARKER in repr(item) for item in events_of(tmp_path / "bundle", found))
    with pytest.raises(InvalidError, match="there is already a file"):
        house.studio.leaving.export(house.project_id, "owner", tmp_path / "bundle")


def test_a_bundle_after_an_erasure_does_not_tell(settings: Settings, tmp_path: Path) -> None:
    """Exported again, the words are gone and every proof is there."""
    house = House(settings)
    house.studio.erasures.erase(house.project_id, house.me, source_of(house))
    house.studio.leaving.export(house.project_id, "owner", tmp_path / "bundle")
    found = examine(tmp_path / "bundle")
    assert found.problems == []
    assert not any(MARKER in repr(item) for item in events_of(tmp_path / "bundle", found))


def test_only_an_owner_takes_things_away(settings: Settings, tmp_path: Path) -> None:
    """A reviewer may read the project and not its every private text in one file."""
    house = House(settings)
    studio = house.studio
    world = studio.access.caller(studio.world_id, "owner", house.me.via)
    studio.access.add_person(world, "mira", "Mira", Role.REVIEWER)
    with pytest.raises(AuthorityError, match="only an owner exports"):
        studio.leaving.export(house.project_id, "mira", tmp_path / "bundle")
    with pytest.raises(AuthorityError, match="only an owner of the installation"):
        studio.leaving.back_up("mira", tmp_path / "backup", with_master_key=True)
    assert not list(tmp_path.glob("b*"))


def test_a_backup_without_the_master_key_holds_nobodys_words(settings: Settings, tmp_path: Path) -> None:
    """It starts only once the kept key is put beside it; then everything is as it was."""
    house = House(settings)
    archive = tmp_path / "backup.tar"
    names = house.studio.leaving.back_up("owner", archive, with_master_key=False)
    assert (archive.stat().st_mode & 0o777, "master.key" in names, "odeu.sqlite3" in names) == (
        0o600,
        False,
        True,
    )
    fresh = restored(archive, tmp_path / "fresh")
    with pytest.raises(ConfigurationError, match=r"the master key .* is missing"):
        open_studio(fresh)
    key = fresh.data_folder / "master.key"
    key.write_bytes((settings.data_folder / "master.key").read_bytes())
    key.chmod(0o600)
    again = House(fresh)
    assert again.studio.desk.state(again.project_id) == house.studio.desk.state(house.project_id)
    assert again.texts() == house.texts()
    assert again.studio.audits.verify(again.project_id, strict=True).problems == ()


def test_a_backup_lets_nobody_in(settings: Settings, tmp_path: Path) -> None:
    """Sessions, links and operator tokens of that moment open nothing in a restored copy, nor stand in the file."""
    house = House(settings)
    archive = tmp_path / "backup.tar"
    secrets = ways_in(house)
    assert may_enter(house, *secrets) == (True, True, True)
    house.studio.leaving.back_up("owner", archive, with_master_key=True)
    again = House(restored(archive, tmp_path / "fresh"))
    assert may_enter(again, *secrets) == (False, False, False)
    assert may_enter(house, *secrets) == (True, True, True)
    held = b"".join(path.read_bytes() for path in settings.data_folder.glob("odeu.sqlite3*"))
    kept = archive.read_bytes()
    assert [(name.encode() in held, name.encode() in kept) for name in NAMES] == [(True, False)] * 2


def test_a_backup_from_before_an_erasure_is_erased_when_it_is_restored(
    settings: Settings, tmp_path: Path
) -> None:
    """The tombstones are laid over the older copy, and the first start erases again before anything is shown."""
    house = House(settings)
    source_id = source_of(house)
    archive = tmp_path / "backup.tar"
    house.studio.leaving.back_up("owner", archive, with_master_key=True)
    house.studio.erasures.erase(house.project_id, house.me, source_id)
    fresh = restored(archive, tmp_path / "fresh")
    stones = fresh.data_folder / "erased"
    stones.mkdir(mode=0o700, exist_ok=True)
    for stone in (settings.data_folder / "erased").iterdir():
        (stones / stone.name).write_bytes(stone.read_bytes())
    again = House(fresh)
    assert not again.tells()
    assert again.studio.audits.verify(again.project_id, strict=True).problems == ()
    assert again.studio.desk.state(again.project_id).sources[source_id].erased is not None


def test_a_backup_is_dead_to_the_master_key_that_followed_an_erasure(
    settings: Settings, tmp_path: Path
) -> None:
    """Without the old master key an older backup tells nothing any more, whoever finds it."""
    house = House(settings)
    archive = tmp_path / "backup.tar"
    house.studio.leaving.back_up("owner", archive, with_master_key=False)
    house.studio.erasures.erase(house.project_id, house.me, source_of(house))
    fresh = restored(archive, tmp_path / "fresh")
    key = fresh.data_folder / "master.key"
    key.write_bytes((settings.data_folder / "master.key").read_bytes())
    key.chmod(0o600)
    with pytest.raises(HistoryError, match="does not open under this master key"):
        House(fresh)


def test_an_older_database_beside_newer_keys_is_refused_with_the_way_out(
    settings: Settings, tmp_path: Path
) -> None:
    """After an erasure, too: the refusal says that one is older than the other, and what to put where."""
    house = House(settings)
    archive = tmp_path / "backup.tar"
    house.studio.leaving.back_up("owner", archive, with_master_key=False)
    house.studio.erasures.erase(house.project_id, house.me, source_of(house))
    mixed = restored(archive, tmp_path / "mixed")
    shutil.copy2(settings.data_folder / "master.key", mixed.data_folder)
    for folder in ("keys", "erased"):
        shutil.rmtree(mixed.data_folder / folder, ignore_errors=True)
        shutil.copytree(settings.data_folder / folder, mixed.data_folder / folder)
    with pytest.raises(HistoryError) as refused:
        House(mixed)
    assert "older copy" in refused.value.message
    assert "Restore a newer copy" in refused.value.message
