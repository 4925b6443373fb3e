"""Words that are stored while a step after them is not: the person hears what stands, never "not done"."""

from pathlib import Path
from typing import Any

import pytest

from app import bootstrap
from app.bootstrap import Seams
from app.config.settings import Settings
from app.services.access import OWNER
from app.services.capture import KEPT_ONLY
from app.services.studio import Studio
from kernel.errors import LedgerConflictError, LedgerUnavailableError, StudioError
from kernel.vocabulary import Via
from tests.app.house import House, open_house

LOST = LedgerConflictError("event 4711 was first", head_seq=4711)
GONE = LedgerUnavailableError("the disk is full")


class Failing:
    """A ledger that takes so many appends, and then loses every race or is gone."""

    def __init__(self, ledger: Any) -> None:
        self._ledger = ledger
        self.error: StudioError = LOST
        self.takes = 1_000

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    def head(self, ledger_id: str) -> Any:
        """Return the head; not of a database that is gone."""
        if self.takes == 0 and self.error is GONE:
            raise self.error
        return self._ledger.head(ledger_id)

    def append(self, *given: Any) -> Any:
        """Append while it takes any."""
        if self.takes == 0:
            raise self.error
        self.takes -= 1
        return self._ledger.append(*given)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Return a house."""
    return open_house(Path(tmp_path_factory.mktemp("house")))


def _failing(settings: Settings) -> tuple[Studio, Failing]:
    made: list[Failing] = []

    def wrap(ledger: Any) -> Any:
        made.append(Failing(ledger))
        return made[-1]

    return bootstrap.open_studio(settings, seams=Seams(ledger=wrap)), made[-1]


@pytest.mark.parametrize("error", [LOST, GONE])
@pytest.mark.parametrize("takes", [1, 2])
def test_kept_words_are_told_when_a_later_step_is_not_written(
    house: House, takes: int, error: StudioError
) -> None:
    """Stopped before the answer or before the proposal: the words and their id stand, with why and what now."""
    studio, ledger = _failing(house.studio.settings)
    caller = studio.access.caller(house.project_id, OWNER, Via.CLI)
    ledger.takes, ledger.error = takes, error
    told = studio.placements.capture(house.project_id, caller, "Ask Jonas about the colour of the hall")
    assert (told.delta_id, told.question) == (None, None)
    assert told.failure == f"{KEPT_ONLY} ({error.message})."
    ledger.takes = 1_000
    source = studio.desk.state(house.project_id).sources[told.source_id]
    assert source.body.content.text == "Ask Jonas about the colour of the hall"
    again = studio.placements.retry(house.project_id, caller, told.source_id)
    assert (again.source_id, again.failure, again.delta_id is None) == (told.source_id, None, False)


@pytest.mark.parametrize("error", [LOST, GONE])
def test_words_that_were_not_stored_are_refused(house: House, error: StudioError) -> None:
    """When the words themselves are not taken, that is what the person hears."""
    studio, ledger = _failing(house.studio.settings)
    caller = studio.access.caller(house.project_id, OWNER, Via.CLI)
    before = studio.desk.state(house.project_id).seq
    ledger.takes, ledger.error = 0, error
    with pytest.raises(type(error)):
        studio.placements.capture(house.project_id, caller, "Measure the window")
    ledger.takes = 1_000
    assert studio.desk.state(house.project_id).seq == before
