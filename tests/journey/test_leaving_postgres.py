"""Backup, restore, export, import and erasure of an installation whose database is a PostgreSQL server's."""

import shutil
import tarfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import psycopg
import pytest

from adapters.bundles import events_of, examine, judge, read_trust
from app.bootstrap import open_studio, restore
from app.config.settings import Settings
from kernel.canonical import canonical_bytes
from kernel.errors import ConflictError, InvalidError, LedgerUnavailableError
from tests.journey.entering import may_enter, ways_in
from tests.journey.test_erasure import MARKER, House
from tests.ledger.postgres_server import Server
from tests.support.sandbox import install, sandbox_texts, settings_for
from tests.support.walk import Walk


@pytest.fixture
def house(tmp_path: Path, postgres_server: Server) -> House:
    """Return an installation whose project has an accepted outline and an accepted capture of the marker."""
    settings = install(tmp_path / "data", postgres_server.fresh_database())
    Walk(open_studio(settings), sandbox_texts()).until("capture")
    house = House(settings)
    house.accepted(house.captured()[1])
    return house


def source_of(house: House) -> str:
    """Return the capture that says the marker."""
    sources = house.studio.desk.state(house.project_id).sources.rows()
    return next(item.body.source_id for item in sources if MARKER in (item.body.content.text or ""))


def opened(settings: Settings, key: Path) -> House:
    """Return a restored installation with this master key put beside it."""
    target = settings.data_folder / "master.key"
    shutil.copy(key, target)
    target.chmod(0o600)
    return House(settings)


def test_a_backup_is_restored_whole(house: House, tmp_path: Path, postgres_server: Server) -> None:
    """Everything is as it was, in a database of its own; what goes on there is refused at the old place's moment."""
    archive, key = tmp_path / "backup.tar", house.settings.data_folder / "master.key"
    names = house.studio.leaving.back_up("owner", archive, with_master_key=False)
    assert {"installation.json", "database/list.json", "database/events.copy"} <= set(names)
    assert not {"master.key", "odeu.sqlite3"} & set(names)
    assert MARKER.encode() not in archive.read_bytes()
    fresh = settings_for(tmp_path / "fresh", postgres_server.fresh_database())
    assert restore(fresh, archive) == names
    again = opened(fresh, key)
    assert again.studio.desk.state(again.project_id) == house.studio.desk.state(house.project_id)
    assert (again.texts(), again.studio.directory.people()) == (
        house.texts(),
        house.studio.directory.people(),
    )
    for ledger_id in again.studio.desk.ledger.ledgers():
        assert again.studio.audits.verify(ledger_id, strict=True).problems == ()
    again.accepted(again.captured()[1])
    assert again.studio.audits.verify(again.project_id, strict=True).problems == ()
    assert not (fresh.data_folder / "database").exists()
    with pytest.raises(LedgerUnavailableError, match="never changed or removed"):
        _run(again, "DELETE FROM events")


def _run(house: House, statement: str) -> None:
    store = house.studio.erasures.eraser._store  # type: ignore[attr-defined]
    with store.writing() as connection:
        connection.connection.cursor().execute(statement)


def test_a_backup_lets_nobody_in(house: House, tmp_path: Path, postgres_server: Server) -> None:
    """Sessions, links and operator tokens of that moment open nothing in a restored copy."""
    archive = tmp_path / "backup.tar"
    secrets = ways_in(house)
    house.studio.leaving.back_up("owner", archive, with_master_key=True)
    fresh = settings_for(tmp_path / "fresh", postgres_server.fresh_database())
    restore(fresh, archive)
    assert may_enter(House(fresh), *secrets) == (False, False, False)
    assert may_enter(house, *secrets) == (True, True, True)


def test_a_backup_goes_only_where_nothing_is(house: House, tmp_path: Path, postgres_server: Server) -> None:
    """A folder or a database with something in it, and the other engine, are refused; nothing is left behind."""
    archive = tmp_path / "backup.tar"
    house.studio.leaving.back_up("owner", archive, with_master_key=True)
    url, fresh = postgres_server.fresh_database(), tmp_path / "fresh"
    with pytest.raises(ConflictError, match="is not empty"):
        restore(settings_for(house.settings.data_folder, url), archive)
    with pytest.raises(InvalidError, match=r"the table \w+ is not empty"):
        restore(settings_for(fresh, house.settings.database), archive)
    with pytest.raises(InvalidError, match="of a PostgreSQL database"):
        restore(settings_for(fresh), archive)
    other = install(tmp_path / "other")
    open_studio(other).leaving.back_up("owner", tmp_path / "other.tar", with_master_key=True)
    with pytest.raises(InvalidError, match="of a SQLite database"):
        restore(settings_for(fresh, url), tmp_path / "other.tar")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup.tar", "data", "other", "other.tar"]
    names = restore(settings_for(fresh), tmp_path / "other.tar")
    assert "odeu.sqlite3" in names
    assert open_studio(settings_for(fresh)).installation_id == open_studio(other).installation_id


def _altered(member: str, data: bytes) -> bytes:
    if member == "database/events.copy":
        return data.replace(b"\t1\t", b"\t2\t", 1)
    return data


def _renamed(member: str, data: bytes) -> bytes:
    return (
        data.replace(b'"name":"events"', b'"name":"events; DROP"') if member.endswith("list.json") else data
    )


def _of_tomorrow(member: str, data: bytes) -> bytes:
    return data.replace(b'"schema":"2', b'"schema":"3') if member.endswith("list.json") else data


@pytest.mark.parametrize(
    ("alter", "sentence"),
    [
        (_altered, "the table events of the backup was altered"),
        (_renamed, "no tables of the form"),
        (_of_tomorrow, "newer version"),
    ],
)
def test_an_altered_backup_is_not_restored(
    house: House,
    tmp_path: Path,
    postgres_server: Server,
    alter: Callable[[str, bytes], bytes],
    sentence: str,
) -> None:
    """Tables that are not those of the list, names that are none, and a schema of tomorrow are refused."""
    archive, forged = tmp_path / "backup.tar", tmp_path / "forged.tar"
    house.studio.leaving.back_up("owner", archive, with_master_key=True)
    with tarfile.open(archive) as source, tarfile.open(forged, "w") as target:
        for member in source:
            content = source.extractfile(member)
            data = alter(member.name, content.read() if content else b"")
            member.size = len(data)
            target.addfile(member, BytesIO(data))
    fresh = settings_for(tmp_path / "fresh", postgres_server.fresh_database())
    with pytest.raises(Exception, match=sentence):
        restore(fresh, forged)
    assert not fresh.data_folder.exists()


@pytest.mark.parametrize("name", ["../escaped", "/etc/escaped", "keys/../../escaped", "unknown", "keys/link"])
def test_a_backup_writes_nowhere_else(tmp_path: Path, name: str) -> None:
    """Names that lead out of the folder, unknown ones and links are refused."""
    archive = tmp_path / "backup.tar"
    with tarfile.open(archive, "w") as target:
        member = tarfile.TarInfo(name)
        member.type, member.linkname = (
            (tarfile.SYMTYPE, "/etc") if name.endswith("link") else (tarfile.REGTYPE, "")
        )
        target.addfile(member)
    with pytest.raises(InvalidError, match="is no part of a backup"):
        restore(settings_for(tmp_path / "fresh"), archive)
    assert [path.name for path in tmp_path.iterdir()] == ["backup.tar"]
    archive.write_bytes(canonical_bytes({}))
    with pytest.raises(InvalidError, match="is no backup"):
        restore(settings_for(tmp_path / "fresh"), archive)


def test_a_bundle_leaves_and_comes_back(house: House, tmp_path: Path, postgres_server: Server) -> None:
    """Exported from one server's database and imported into another's, the project says and proves the same."""
    bundle, trust = tmp_path / "bundle", tmp_path / "trust"
    house.studio.leaving.export(house.project_id, "owner", bundle, trust)
    verdicts = judge(examine(bundle), read_trust(trust))
    assert (verdicts.holds, verdicts.is_trusted) == (True, True)
    abroad = open_studio(install(tmp_path / "abroad", postgres_server.fresh_database()))
    me = abroad.access.caller(abroad.world_id, "owner", house.me.via)
    done = abroad.importing.take(me, bundle, trust)
    assert (done.is_foreign, done.added) == (True, done.size)
    assert abroad.audits.verify(house.project_id, strict=True).problems == ()
    assert abroad.desk.state(house.project_id) == house.studio.desk.state(house.project_id)


def test_a_marker_is_nowhere_after_it_is_erased(
    house: House, tmp_path: Path, postgres_server: Server
) -> None:
    """Not in a table, the server's files or log, the data folder, memory, a later bundle or a restored backup."""
    archive, later = tmp_path / "backup.tar", tmp_path / "bundle"
    house.studio.leaving.back_up("owner", archive, with_master_key=True)
    other = House(house.settings)
    done = house.studio.erasures.erase(house.project_id, house.me, source_of(house))
    assert (len(done.source_ids), done.is_folded) == (1, False)
    assert not house.tells()
    assert not other.tells()
    house.studio.leaving.export(house.project_id, "owner", later)
    found = examine(later)
    assert (found.problems, any(MARKER in repr(item) for item in events_of(later, found))) == ([], False)
    with psycopg.connect(house.settings.database, autocommit=True) as connection:
        connection.execute("CHECKPOINT")
    for path in postgres_server.files():
        assert MARKER.encode() not in path.read_bytes()
    fresh = settings_for(tmp_path / "fresh", postgres_server.fresh_database())
    restore(fresh, archive)
    shutil.copytree(house.settings.data_folder / "erased", fresh.data_folder / "erased", dirs_exist_ok=True)
    again = House(fresh)
    assert not again.tells()
    for place in (house, again):
        assert place.studio.audits.verify(place.project_id, strict=True).problems == ()
