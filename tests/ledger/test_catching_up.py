"""A desk catches a long ledger up page by page, and ends where folding all at once ends."""

import gc
from collections.abc import Generator, Sequence
from pathlib import Path

import pytest

from adapters.keys.ring import KeyRing
from adapters.ledger import MemoryLedger
from adapters.system import SystemClock, SystemEntropy
from app.services import desk as desks
from app.services.desk import Desk
from kernel.errors import LedgerUnavailableError
from kernel.events.stored import Written
from kernel.vocabulary import NodeKind
from tests.ledger.building import NOW, memory_ledger
from tests.support.story import Story


def _long_story() -> Story:
    story = Story().opened()
    while len(story.events) <= desks.PAGE:
        story.accepted(story.captured(f"Step {story.step}", NodeKind.TASK))
    return story


def test_a_ledger_longer_than_a_page_is_caught_up_whole(tmp_path: Path) -> None:
    """No event is left out between two pages, and the search for garbage goes on afterwards."""
    story, ledger = _long_story(), memory_ledger(tmp_path)
    ledger.append(story.ledger, 0, story.events)
    desk = Desk(ledger, SystemClock(), SystemEntropy())
    told: list[int] = []
    desk.listen(lambda _, state: told.append(state.seq))
    assert desk.state(story.ledger) == story.state
    assert told == [len(story.events)]
    assert gc.isenabled()


class BreakingLedger(MemoryLedger):
    """A ledger whose disk fails after the first page."""

    def history(self, ledger_id: str) -> Generator[Sequence[Written], None, None]:
        """Yield the first page, and nothing more."""
        whole = next(super().history(ledger_id))
        yield whole[:100]
        raise LedgerUnavailableError("the disk failed")


def test_the_search_for_garbage_goes_on_after_a_replay_that_failed(tmp_path: Path) -> None:
    """A ledger that cannot be read to its end does not leave the process without its collector."""
    story = _long_story()
    keys = KeyRing.open(str(tmp_path / "keys"), lambda: NOW)
    ledger = BreakingLedger(keys.checkpoint_signer("here"))
    ledger.append(story.ledger, 0, story.events)
    with pytest.raises(LedgerUnavailableError, match="the disk failed"):
        Desk(ledger, SystemClock(), SystemEntropy()).state(story.ledger)
    assert gc.isenabled()
