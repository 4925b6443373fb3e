"""From any reachable state, any command is refused by name or told as lawful history, and the state stays sound."""

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from kernel.commands import Command
from kernel.errors import HistoryError, RefusedError
from kernel.reducer import fold
from kernel.reducer.operations import state_root
from kernel.reducer.replaying import replay
from kernel.rules.dispositions import OPEN
from kernel.rules.graph import ancestors
from kernel.vocabulary import Verification, Visibility
from tests.support.acts import copy_of, integrated, queued, returned
from tests.support.glimpse import require_sound_glimpse
from tests.support.story import HOST, OPERATOR, OWNER, VIEWER, Story
from tests.support.whole import whole_world
from tests.support.wild import Wild
from tests.support.written import all_said, pages

STARTS: tuple[Callable[[], Story], ...] = (
    lambda: Story().opened(),
    lambda: queued()[0],
    lambda: returned()[0],
    lambda: integrated()[0],
    lambda: copy_of(whole_world()),
)

AREAS = ["meaning", "boundary", "meaning", "boundary", "work", "evidence", "work", "evidence", "authority"]
"""What commands are about; authority's own are rare, for most ledgers take none."""


class Machine(RuleBasedStateMachine):
    """Throws commands at a story that began somewhere along the path."""

    @initialize(start=st.sampled_from(STARTS))
    def begin(self, start: Callable[[], Story]) -> None:
        """Begin with an opened project, a queued, returned or integrated run, or a world."""
        self.story = start()
        self.told = len(self.story.events)
        self.start = fold(self.story.events)

    @rule(data=st.data(), area=st.sampled_from(AREAS))
    def throw(self, data: st.DataObject, area: str) -> None:
        """Let somebody ask for something; it is refused by name or it is history."""

        def draw(options: Sequence[Any]) -> Any:
            return options[data.draw(st.integers(0, len(options) - 1))]

        likely = {"meaning": OWNER, "boundary": HOST, "work": HOST, "evidence": HOST, "authority": OWNER}
        actor = draw([*[likely[area]] * 6, OWNER, HOST, OPERATOR, VIEWER])
        command: Command = getattr(Wild(self.story, draw), area)()
        before, count = self.story.state, len(self.story.events)
        try:
            events = self.story.after(command, actor)
        except (RefusedError, HistoryError):
            events = ()
        assert bool(events) == (self.story.state != before) == (len(self.story.events) > count)
        assert not (events and actor is VIEWER)

    @invariant()
    def sound(self) -> None:
        """Hold the state to what must be true of every state."""
        state, tables = self.story.state, self.story.state.tables
        assert state_root(tables) == state.state_root
        waiting = [row.body.delta_id for row in state.deltas.rows() if row.disposition in OPEN]
        assert list(state.open_deltas.keys()) == waiting
        assert not state.owed
        for node in tables.nodes.rows():
            if node.retired_in is not None or node.id == state.root_id:
                continue
            assert ancestors(tables, node.id)[-1] == state.root_id
            parent = tables.nodes[tables.parent[node.id]]
            assert parent.visibility is Visibility.SHARED or node.visibility is Visibility.PRIVATE
            if node.verification is Verification.VERIFIED:
                assert any(row.body.purpose.value == "reconciliation" for row in state.deltas.rows())

    def teardown(self) -> None:
        """Replay what was told: it means what the state says, folded on or replayed, and others see a sound part."""
        if hasattr(self, "story"):
            assert fold(self.story.events[self.told :], self.start) == self.story.state
            assert all_said(replay(pages(self.story.events))) == all_said(fold(self.story.events))
            require_sound_glimpse(self.story)


Machine.TestCase.settings = settings(
    max_examples=12,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


class TestAnyCommand(Machine.TestCase):  # type: ignore[misc, name-defined]
    """Any command from any reachable state."""
