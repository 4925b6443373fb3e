"""Which steps of a change are visible: what touches a private node is not, and what becomes private is taken away."""

from dataclasses import replace
from functools import cache

from kernel.events.delta import DeltaAccepted, DeltaProposed, DeltaRejected
from kernel.events.envelope import Event
from kernel.projections.sight import Sight, look
from kernel.projections.visible import is_clear, knows, visible
from kernel.values.records import NodePatch, NodeRetire, Operation, RelationAdd, RelationRetire
from kernel.vocabulary import NodeKind, RelationKind, Visibility
from tests.support.story import Story


@cache
def grown() -> tuple[Story, str, str, str]:
    """Tell of a shared goal, an idea under it and a private idea; return them."""
    story = Story().opened()
    goal = story.accepted(story.captured("Renovate the hall", NodeKind.GOAL))
    inside = story.accepted(story.captured("Paint the walls", NodeKind.IDEA, under=goal))
    own = story.accepted(story.captured("My zebra", NodeKind.IDEA, under=goal, private=True))
    return story, goal, inside, own


def sight_of(events: list[Event]) -> Sight:
    """Return the sight after these events."""
    sight = Sight()
    for event in events:
        sight, _added = look(sight, event)
    return sight


def test_a_step_is_visible_as_it_is_or_not_at_all() -> None:
    """Steps on shared nodes stay the same objects; those on a private node, and relations to it, are left out."""
    story, goal, inside, own = grown()
    state = sight_of(story.events).state
    shared = NodePatch(node_id=inside, title=state.tables.nodes[goal].title)
    hidden = NodePatch(node_id=own, title=state.tables.nodes[goal].title)
    joined = RelationAdd(relation_id="relation_1", kind=RelationKind.DEPENDS_ON, from_id=inside, to_id=own)
    operations: tuple[Operation, ...] = (shared, hidden, joined)
    seen = visible(state, operations)
    assert len(seen) == 1
    assert seen[0] is shared
    assert (is_clear(state, operations), is_clear(state, (shared,))) == (False, True)
    assert (knows(state, own), knows(state, inside), knows(state, state.ledger)) == (False, True, True)


def test_what_becomes_private_is_retired_with_what_hangs_under_it() -> None:
    """The deepest goes first, each after its relations, so that the visible state stays whole."""
    story, goal, inside, _own = grown()
    state = sight_of(story.events).state
    taken = visible(state, (NodePatch(node_id=goal, visibility=Visibility.PRIVATE),))
    place = {item.from_id: item.id for item in state.tables.relations.rows()}
    assert taken == (
        RelationRetire(relation_id=place[inside]),
        NodeRetire(node_id=inside),
        RelationRetire(relation_id=place[goal]),
        NodeRetire(node_id=goal),
    )


def _mixed(story: Story, inside: str, title: str) -> list[Event]:
    """Return the events of a private capture whose proposal also changes a shared node, and its yes."""
    told = Story(story.ledger, story.state, list(story.events), story.step)
    told.accepted(told.captured(title, NodeKind.IDEA, private=True))
    node = story.state.tables.nodes[inside]
    more = NodePatch(node_id=inside, description=node.title)
    events = []
    for event in told.events[len(story.events) :]:
        if isinstance(event.body, DeltaProposed | DeltaAccepted):
            body = event.body.model_copy(update={"operations": (*event.body.operations, more)})
            events.append(replace(event, body=body))
        else:
            events.append(event)
    return events


def test_of_a_mixed_change_the_visible_part_is_seen_once_it_is_accepted() -> None:
    """Until then nothing is seen; then it is proposed and accepted at once, without the words it came from."""
    story, _goal, inside, _own = grown()
    events = _mixed(story, inside, "Another zebra")
    before = sight_of([*story.events, *events[:-1]])
    assert before.state == sight_of(story.events).state
    after, added = look(before, events[-1])
    proposed, accepted = (event.body for event in added)
    assert isinstance(proposed, DeltaProposed)
    assert isinstance(accepted, DeltaAccepted)
    (step,) = accepted.operations
    assert step == NodePatch(node_id=inside, description=story.state.tables.nodes[inside].title)
    assert (proposed.source_ids, proposed.title.text, proposed.reasons) == ((), "Paint the walls", ())
    assert after.state.revision == before.state.revision + 1
    assert after.numbers.is_visible(after.numbers.whole_of(after.state.revision) or 0) is False
    assert [event.at for event in added] == [events[-1].at] * 2


def test_a_hidden_proposal_that_is_turned_down_leaves_nothing() -> None:
    """Neither the proposal nor the no is seen, and nothing is kept of it."""
    story, _goal, inside, _own = grown()
    events = _mixed(story, inside, "Another zebra")
    before = sight_of([*story.events, *events[:-1]])
    (delta_id,) = before.held.keys()
    no = replace(events[-1], body=DeltaRejected(delta_id=delta_id))
    after, added = look(before, no)
    assert (added, after.held.keys(), after.state) == ((), (), before.state)
