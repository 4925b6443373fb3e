"""The sandbox project is seeded once: a start that died is finished, and later starts read no history to know it."""

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from app import bootstrap
from app.bootstrap import Seams
from app.config.settings import Settings
from app.services.access import OWNER
from app.services.desk import Caller
from app.services.seeding import seed_sandbox
from app.services.studio import Studio
from kernel.errors import LedgerUnavailableError
from kernel.events.stored import Written
from kernel.vocabulary import Via


class WithoutHistories:
    """A ledger that reads no history but the world's."""

    def __init__(self, ledger: Any) -> None:
        self._ledger = ledger

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    def history(self, ledger_id: str) -> Generator[Sequence[Written], None, None]:
        """Yield the world's history; refuse every other."""
        if (
            ledger_id.startswith("project_")
            and self._ledger.read(ledger_id, 0, 1)[0].event.body.scope != "world"
        ):
            raise LedgerUnavailableError(f"somebody reads the history of {ledger_id}")
        return self._ledger.history(ledger_id)  # type: ignore[no-any-return]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return the settings of a fresh installation without a project."""
    found = Settings(data=tmp_path / "data")
    bootstrap.create_installation(found)
    bootstrap.install_sandbox(found)
    return found


def _seeded(studio: Studio) -> tuple[str, ...]:
    title, outline, _ = bootstrap.sandbox_texts()
    return seed_sandbox(studio, title, outline)


def _me(studio: Studio) -> Caller:
    return studio.access.caller(studio.world_id, OWNER, Via.CLI)


def test_a_later_start_seeds_nothing_and_reads_no_history_of_a_project(settings: Settings) -> None:
    """How long the histories are does not matter to a start that has nothing to seed."""
    (project_id,) = _seeded(bootstrap.open_studio(settings))
    studio = bootstrap.open_studio(settings, seams=Seams(ledger=WithoutHistories))
    assert _seeded(studio) == ()
    with pytest.raises(LedgerUnavailableError, match="somebody reads the history"):
        studio.desk.state(project_id)


@pytest.mark.parametrize("imported", [False, True])
def test_a_start_that_died_half_way_is_finished(settings: Settings, *, imported: bool) -> None:
    """A sandbox project that was opened, or whose outline waits, gets its first revision, and no second project."""
    studio = bootstrap.open_studio(settings)
    title, outline, _ = bootstrap.sandbox_texts()
    project_id = studio.projects.open(_me(studio), title)
    if imported:
        studio.projects.import_outline(project_id, _me(studio), outline)
    assert _seeded(bootstrap.open_studio(settings)) == (project_id,)
    after = bootstrap.open_studio(settings)
    assert after.projects.ids_seen_by(OWNER) == (project_id,)
    assert (after.desk.state(project_id).revision, after.desk.state(project_id).open_deltas.keys()) == (1, ())


def test_a_project_of_ones_own_keeps_the_sandbox_away(settings: Settings) -> None:
    """Whoever opened a project, even an empty one, finds no second one beside it."""
    studio = bootstrap.open_studio(settings)
    studio.projects.open(_me(studio), "Birch Lane 7")
    assert _seeded(studio) == ()
