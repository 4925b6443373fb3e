"""The same command again, as a browser or script sends it when it did not hear the answer: done once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.bootstrap import Seams, open_studio
from app.services.desk import Caller
from kernel.commands import AcceptDelta
from kernel.errors import CommandConflictError, LedgerUnavailableError
from kernel.events.envelope import Event
from kernel.events.stored import Appended, CommandMaterial
from kernel.vocabulary import Via
from tests.support.sandbox import TARGET, git, install, sandbox_texts
from tests.support.walk import Walk


@pytest.fixture
def walk(tmp_path: Path) -> Walk:
    """Return a walk through a fresh sandbox."""
    return Walk(open_studio(install(tmp_path / "data")), sandbox_texts())


def keyed(walk: Walk, key: str, ledger_id: str | None = None) -> Caller:
    """Return the owner with an idempotency key."""
    return walk.studio.access.caller(ledger_id or walk.project_id, "owner", Via.API, key=key)


def test_opening_a_project_twice_opens_one(walk: Walk) -> None:
    """The retry names no ledger yet and still finds what it opened."""
    opened = [walk.studio.projects.open(keyed(walk, "k1", walk.studio.world_id), "Twice") for _ in range(2)]
    assert opened[0] == opened[1]
    assert [state.ledger for state in walk.studio.projects.seen_by("owner")] == [opened[0]]


def test_capturing_twice_keeps_one_source(walk: Walk) -> None:
    """The second call returns where the first one stands; other words under the same key are refused."""
    walk.until("capture")
    capture = walk.studio.placements.capture
    kept = [capture(walk.project_id, keyed(walk, "k2"), walk.texts.sentence) for _ in range(2)]
    assert kept[0] == kept[1]
    with pytest.raises(CommandConflictError):
        capture(walk.project_id, keyed(walk, "k2"), "Something else")


def test_accepting_twice_makes_one_revision(walk: Walk) -> None:
    """Also when the head moved on since: the recorded revision comes back."""
    walk.until("accept_task")
    delta_id = walk.state.open_deltas.keys()[0]
    state, _, seen = walk.studio.reviews.shown(delta_id)
    command = AcceptDelta(delta_id, 0, state.revision, seen)
    first = walk.studio.reviews.accept(keyed(walk, "k3"), command)
    walk.until("authorize_run")
    again = walk.studio.reviews.accept(keyed(walk, "k3"), command)
    assert again == first
    assert walk.state.revision > first.revision


def test_authorising_twice_queues_one_run_also_after_the_branch_moved(walk: Walk) -> None:
    """What the command did is its answer, whatever became of the world since."""
    walk.until("authorize_run")
    brief_id = walk.state.briefs.keys()[-1]
    first = walk.studio.runs.authorize(keyed(walk, "k4"), brief_id)
    walk.to_the_end()
    assert git(walk.studio.settings.data_folder, "rev-parse", TARGET) != first.body.base_commit
    again = walk.studio.runs.authorize(keyed(walk, "k4"), brief_id)
    assert again.body == first.body


@dataclass
class Unheard:
    """A ledger that writes and does not hear the database's confirmation, or is refused, once."""

    ledger: Any
    writes: bool
    armed: bool = False

    def __getattr__(self, name: str) -> Any:
        """Pass everything else on."""
        return getattr(self.ledger, name)

    def append(
        self,
        ledger_id: str,
        expected_seq: int,
        events: Sequence[Event],
        command: CommandMaterial | None = None,
    ) -> Appended:
        """Append; when armed, leave the caller without an answer."""
        armed, self.armed = self.armed, False
        if armed and not self.writes:
            message = "no confirmation"
            raise LedgerUnavailableError(message, code="commit_unknown")
        appended: Appended = self.ledger.append(ledger_id, expected_seq, events, command)
        if armed:
            message = "no confirmation"
            raise LedgerUnavailableError(message, code="commit_unknown")
        return appended


def _unheard(walk: Walk, *, writes: bool) -> tuple[Walk, Callable[[], None]]:
    made: list[Unheard] = []

    def wrap(ledger: Any) -> Any:
        made.append(Unheard(ledger, writes=writes))
        return made[-1]

    again = Walk(open_studio(walk.studio.settings, seams=Seams(ledger=wrap)), walk.texts)
    return again, lambda: setattr(made[-1], "armed", True)


def test_a_commit_that_nobody_confirmed_and_that_happened_is_the_answer(walk: Walk) -> None:
    """The command is looked up, found, and not written a second time."""
    walk.until("capture")
    unheard, arm = _unheard(walk, writes=True)
    arm()
    unheard.capture()
    assert unheard.source_id() is not None
    assert unheard.next_act() == unheard.accept_task
    assert unheard.studio.audits.verify(unheard.project_id, strict=True).problems == ()


def test_a_commit_that_nobody_confirmed_and_that_did_not_happen_is_said(walk: Walk) -> None:
    """The cache shows nothing that is not stored, and the same act can simply be done again."""
    walk.until("capture")
    unheard, arm = _unheard(walk, writes=False)
    before = unheard.state
    arm()
    with pytest.raises(LedgerUnavailableError, match="nothing was recorded"):
        unheard.capture()
    assert unheard.state == before
    unheard.capture()
    assert unheard.source_id() is not None
