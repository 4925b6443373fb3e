"""What happened to one node, newest first, and what surrounds it in focus."""

import pytest

from kernel.commands import AcceptDelta, ProposeCorrection
from kernel.errors import NotFoundError
from kernel.projections.focus import focus, suggested
from kernel.projections.history import history
from kernel.vocabulary import NodeKind, RelationKind
from tests.support.story import Story


def _renamed(story: Story, node_id: str, title: str) -> None:
    (event,) = story.after(ProposeCorrection(node_id, "Better", title=title))
    delta_id = event.body.delta_id  # type: ignore[attr-defined]
    story.after(AcceptDelta(delta_id, 0, story.state.revision, story.seen(delta_id)))


def test_only_revisions_that_touched_the_node_are_told() -> None:
    """Additions elsewhere are passed over; renames and new children are told, newest first."""
    story = Story().opened()
    room = story.accepted(story.captured("Bathroom", NodeKind.IDEA))
    for index in range(5):
        story.accepted(story.captured(f"Elsewhere {index}", NodeKind.IDEA))
    _renamed(story, room, "Upper bathroom")
    story.accepted(story.captured("Elsewhere again", NodeKind.IDEA))
    child = story.accepted(story.captured("Check the floor", under=room))
    told = history(story.state, room)
    assert [change.revision.number for change in told] == [9, 7, 1]
    assert [story.state.tables.relations[item].from_id for item in told[0].joined] == [child]
    assert told[1].before is not None
    assert (told[1].before.title.text, told[1].after.title.text) == ("Bathroom", "Upper bathroom")
    assert told[2].before is None
    assert [change.revision.number for change in history(story.state, room, most=1)] == [9]
    assert history(story.state, "node_nothing") == ()


def test_focus_gathers_place_relations_words_and_what_waits() -> None:
    """A node in focus knows its path, the words it came from and the proposals that would change it."""
    story = Story().opened()
    room = story.accepted(story.captured("Bathroom", NodeKind.IDEA))
    child = story.accepted(story.captured("Check the floor", under=room))
    (event,) = story.after(ProposeCorrection(child, "Better", title="Level the floor"))
    found = focus(story.state, child)
    assert [node.title.text for node in found.path] == ["Birch Lane 7", "Bathroom"]
    assert [(item.relation.kind, item.other.id) for item in found.joined] == [(RelationKind.BELONGS_TO, room)]
    assert [source.body.content.text for source in found.sources] == ["Check the floor"]
    assert [record.body.delta_id for record in found.proposals] == [event.body.delta_id]  # type: ignore[attr-defined]
    with pytest.raises(NotFoundError):
        focus(story.state, "node_nothing")


def test_a_suggested_node_is_known_while_its_proposal_waits() -> None:
    """A suggestion can be looked up by the node it would add, until it is accepted."""
    story = Story().opened()
    delta_id = story.captured("Check the floor")
    add = story.state.deltas[delta_id].body.operations[0]
    item = suggested(story.state, add.node_id)  # type: ignore[union-attr]
    assert item is not None
    assert (item.delta_id, item.parent_id) == (delta_id, story.state.root_id)
    node_id = story.accepted(delta_id)
    assert suggested(story.state, node_id) is None
