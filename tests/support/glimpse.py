"""What must be true of the visible history of any ledger, whatever was told in it."""

from kernel.events.envelope import Event
from kernel.projections.sight import Sight, look
from kernel.reducer.operations import state_root
from kernel.rules.dispositions import OPEN
from kernel.rules.graph import ancestors
from kernel.state import State
from kernel.vocabulary import Visibility
from tests.support.story import Story


def glimpsed(story: Story) -> tuple[Sight, tuple[Event, ...]]:
    """Return the sight after a whole story, and all visible events."""
    seen: list[Event] = []
    sight = Sight()
    for event in story.events:
        sight, added = look(sight, event)
        seen.extend(added)
    return sight, tuple(seen)


def require_sound_glimpse(story: Story) -> None:
    """Hold what is seen of a story to what must be true of it: whole, numbered without a gap, nothing private."""
    sight, events = glimpsed(story)
    state = sight.state
    assert (sight.seq, sight.closing, state.owed) == (story.state.seq, None, ())
    assert [event.seq for event in events] == list(range(1, state.seq + 1))
    assert state_root(state.tables) == state.state_root
    assert len(state.revisions) == state.revision + 1 == sight.numbers.of(story.state.revision) + 1
    assert all(row.body.visibility is Visibility.SHARED for row in state.sources.rows())
    waiting = [row.body.delta_id for row in state.deltas.rows() if row.disposition in OPEN]
    assert list(state.open_deltas.keys()) == waiting
    assert not set(sight.held.keys()) & set(state.deltas.keys())
    _require_shared_tree(state)


def _require_shared_tree(state: State) -> None:
    tables = state.tables
    for node in tables.nodes.rows():
        assert node.visibility is Visibility.SHARED
        assert all(item in state.sources for item in node.source_ids)
        if node.retired_in is None and node.id != state.root_id:
            assert ancestors(tables, node.id)[-1] == state.root_id
    for relation in tables.relations.rows():
        assert relation.from_id in tables.nodes
        assert relation.to_id in tables.nodes
