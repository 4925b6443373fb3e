"""A project moves to another installation as a bundle: read there, provable there, and nobody acts on it."""

import shutil
from pathlib import Path

import pytest

from adapters.bundles import examine
from app.bootstrap import create_installation, open_studio
from app.config.settings import Settings
from app.services.importing import Taken
from kernel.errors import AuthorityError, ConflictError, InvalidError, LifecycleError
from kernel.vocabulary import Via
from tests.bundles.building import closed, lines_of
from tests.journey.test_erasure import MARKER, House
from tests.support.sandbox import install, sandbox_texts
from tests.support.walk import Walk


@pytest.fixture
def home(tmp_path: Path) -> House:
    """Return the installation where the project was recorded, with an accepted capture of the marker."""
    settings = install(tmp_path / "home")
    Walk(open_studio(settings), sandbox_texts()).until("capture")
    house = House(settings)
    house.accepted(house.captured()[1])
    return house


class Abroad:
    """Another, empty installation."""

    def __init__(self, folder: Path) -> None:
        settings = Settings(data=folder)
        create_installation(settings)
        self.studio = open_studio(settings)

    def take(self, bundle: Path, trust: Path | None = None) -> Taken:
        """Import a bundle as the owner."""
        caller = self.studio.access.caller(self.studio.world_id, "owner", Via.CLI)
        return self.studio.importing.take(caller, bundle, trust)


@pytest.fixture
def abroad(tmp_path: Path) -> Abroad:
    """Return it."""
    return Abroad(tmp_path / "abroad")


def exported(house: House, path: Path) -> Path:
    """Export the project; return the file."""
    house.studio.leaving.export(house.project_id, "owner", path, path.with_suffix(".trust"))
    return path


def test_an_imported_project_says_and_proves_what_it_said_at_home(
    home: House, abroad: Abroad, tmp_path: Path
) -> None:
    """State, root and texts are the same, strict verification passes, and a second import adds nothing."""
    bundle = exported(home, tmp_path / "bundle")
    size = home.studio.desk.ledger.head(home.project_id).seq
    first = abroad.take(bundle, tmp_path / "bundle.trust")
    assert (first.added, first.size, first.is_foreign) == (size, size, True)
    assert abroad.take(bundle).added == 0
    assert abroad.studio.desk.state(home.project_id) == home.studio.desk.state(home.project_id)
    assert abroad.studio.desk.ledger.head(home.project_id) == home.studio.desk.ledger.head(home.project_id)
    assert MARKER in repr(abroad.studio.desk.state(home.project_id))
    assert abroad.studio.audits.verify(home.project_id, strict=True).problems == ()


def test_more_of_the_same_history_extends_an_import(home: House, abroad: Abroad, tmp_path: Path) -> None:
    """A later bundle adds what is new, an erasure included; an earlier one then adds nothing."""
    early = exported(home, tmp_path / "early")
    abroad.take(early)
    source_id = home.captured()[0]
    home.studio.erasures.erase(home.project_id, home.me, source_id)
    later = exported(home, tmp_path / "later")
    assert abroad.take(later).added > 0
    assert abroad.take(early).added == 0
    assert abroad.studio.audits.verify(home.project_id, strict=True).problems == ()


def test_nobody_acts_on_an_imported_project(home: House, abroad: Abroad, tmp_path: Path) -> None:
    """Its people are not ours, even under the same id; recovery continues nothing in it."""
    abroad.take(exported(home, tmp_path / "bundle"))
    studio, head = abroad.studio, abroad.studio.desk.ledger.head(home.project_id)
    with pytest.raises(AuthorityError, match="recorded by another installation"):
        studio.access.caller(home.project_id, "owner", Via.CLI)
    studio.recover()
    assert studio.desk.ledger.head(home.project_id) == head
    names = studio.access.names(home.project_id)
    assert (names.get("owner"), names["mira"]) == ("imported:owner", "imported:mira")
    assert studio.access.names()["owner"] == "Owner"


def test_a_bundle_that_does_not_verify_is_not_taken(home: House, abroad: Abroad, tmp_path: Path) -> None:
    """An altered one, and one that contradicts what somebody keeps, leave nothing behind."""
    bundle = exported(home, tmp_path / "bundle")
    records = lines_of(bundle)
    place = next(
        index for index, record in enumerate(records) if '"delta.accepted.v1"' in record.get("data", "")
    )
    del records[place]
    heads = abroad.studio.desk.ledger.ledgers()
    for file, trust in ((closed(tmp_path / "altered", records), None), (bundle, _foreign_trust(tmp_path))):
        with pytest.raises(InvalidError, match="the bundle does not verify"):
            abroad.take(file, trust)
    assert abroad.studio.desk.ledger.ledgers() == heads


def _foreign_trust(tmp_path: Path) -> Path:
    settings = install(tmp_path / "third")
    Walk(open_studio(settings), sandbox_texts()).until("capture")
    return exported(House(settings), tmp_path / "third-bundle").with_suffix(".trust")


def test_another_history_of_a_known_project_is_refused(home: House, tmp_path: Path) -> None:
    """The bundle of the past adds nothing; one that went another way since, or comes from elsewhere, is refused."""
    past = exported(home, tmp_path / "past")
    caller = home.studio.access.caller(home.studio.world_id, "owner", Via.CLI)
    assert home.studio.importing.take(caller, past).added == 0
    shutil.copytree(home.settings.data_folder, tmp_path / "copy")
    copy = House(Settings(data=tmp_path / "copy"))
    for house in (home, copy):
        house.captured()
    elsewhere = Abroad(tmp_path / "elsewhere")
    elsewhere.take(past)
    elsewhere.studio.leaving.export(home.project_id, "owner", tmp_path / "foreign")
    for bundle, reason in (
        (exported(copy, tmp_path / "other"), "neither begins with the other"),
        (tmp_path / "foreign", "this installation's own"),
    ):
        with pytest.raises(ConflictError, match=reason):
            home.studio.importing.take(caller, bundle)


def test_what_this_installation_lost_comes_back(home: House, tmp_path: Path) -> None:
    """A copy of this very installation that stands further back is caught up from a bundle, and stays its own."""
    shutil.copytree(home.settings.data_folder, tmp_path / "copy")
    home.captured()
    bundle = exported(home, tmp_path / "bundle")
    copy = House(Settings(data=tmp_path / "copy"))
    caller = copy.studio.access.caller(copy.studio.world_id, "owner", Via.CLI)
    taken = copy.studio.importing.take(caller, bundle)
    assert (taken.added > 0, taken.is_foreign) == (True, False)
    assert copy.studio.desk.state(copy.project_id) == home.studio.desk.state(home.project_id)
    assert copy.captured()[0] != home.captured()[0]


def test_a_world_and_live_work_are_not_imported(home: House, abroad: Abroad, tmp_path: Path) -> None:
    """Authority stays where it was given: neither people and keys nor a queued run travel in a bundle."""
    world = tmp_path / "world"
    home.studio.leaving.export(home.studio.world_id, "owner", world)
    with pytest.raises(InvalidError, match="never imported"):
        abroad.take(world)
    walk = Walk(home.studio, sandbox_texts())
    walk.until("authorize_run")
    walk.authorize_run()
    with pytest.raises(LifecycleError, match="is still live there"):
        abroad.take(exported(home, tmp_path / "bundle"))


def test_a_finished_project_travels_with_its_receipts(home: House, abroad: Abroad, tmp_path: Path) -> None:
    """Abroad every receipt verifies under the keys of the installation that signed it, and a new export does too."""
    Walk(home.studio, sandbox_texts()).to_the_end()
    abroad.take(exported(home, tmp_path / "bundle"))
    assert abroad.studio.audits.verify(home.project_id, strict=True).problems == ()
    abroad.studio.leaving.export(home.project_id, "owner", tmp_path / "again")
    assert examine(tmp_path / "again").problems == []
