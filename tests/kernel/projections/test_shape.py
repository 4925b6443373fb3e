"""The kept shape of a worldstate is the one that a look at every node finds, whichever revision it came from."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kernel.commands import AcceptDelta
from kernel.errors import StudioError
from kernel.projections.changes import changes_of, compare
from kernel.projections.outline import caring, survey
from kernel.projections.past import state_at
from kernel.projections.shape import STEPS_MAX, WIDE, joined, of_kind, order_of, shape_of, taken
from kernel.projections.standing import needs_care
from kernel.state import State
from kernel.vocabulary import NodeKind, Visibility
from tests.support.acts import copy_of
from tests.support.story import OWNER, Story
from tests.support.whole import whole_project
from tests.support.wild import Wild


def _inside(state: State, node_id: str) -> tuple[int, int]:
    """Return how many nodes lie below one and how many are private, counted one by one."""
    found, waiting = [], list(state.tables.children.get(node_id) or ())
    while waiting:
        found.append(waiting.pop())
        waiting.extend(state.tables.children.get(found[-1]) or ())
    nodes = (state.tables.nodes[item] for item in found)
    return len(found), sum(node.visibility is Visibility.PRIVATE for node in nodes)


def _hold(state: State) -> None:
    kept, anew = shape_of(state), taken(state)
    parts = ("kinds", "private", "completed", "verified", "marked", "tasks", "total")
    assert {name: getattr(kept, name) for name in parts} == {name: getattr(anew, name) for name in parts}
    order = order_of(state)
    assert set(order) == {node.id for node in state.tables.nodes.rows() if node.retired_in is None}
    assert [kept.inside(item) for item in order] == [_inside(state, item) for item in order]
    view, nodes = survey(state), state.tables.nodes
    for kind in NodeKind:
        assert of_kind(state, kind) == tuple(item for item in order if nodes[item].kind is kind)
    careful = [item for item in order if needs_care(state, nodes[item], view.runs.get(item))]
    assert list(caring(view)) == careful


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32))
def test_a_shape_that_was_carried_over_is_the_one_taken_anew(seed: int) -> None:
    """After any lawful acts, forwards and back to any revision, kept numbers are counted numbers."""
    chance = random.Random(seed)  # noqa: S311 - a made-up ledger, no secret
    draw: Callable[[Sequence[Any]], Any] = chance.choice
    story = chance.choice((Story().opened, lambda: copy_of(whole_project())))()
    for _ in range(30):
        try:
            _happens(story, draw)
        except StudioError:
            continue
        _hold(story.state)
        earlier, later = sorted(chance.randint(0, story.state.revision) for _ in range(2))
        _hold(state_at(story.state, earlier))
        _hold_difference(story.state, earlier, later)


def _hold_difference(state: State, earlier: int, later: int) -> None:
    """Compare what the revisions between two named with a look at every record of both."""
    found = compare(state, earlier, later)
    old, new = found.earlier.tables, found.later.tables
    moved = new.relations.newer_than(old.relations)
    touched = {*new.nodes.newer_than(old.nodes), *(new.relations[item].from_id for item in moved)}
    assert found.changes == changes_of(old, new, touched, moved)
    assert found.counts == Counter(item.mark for item in found.changes)


def _happens(story: Story, draw: Callable[[Sequence[Any]], Any]) -> None:
    waiting = story.state.open_deltas.keys()
    if waiting and draw((True, False)):
        delta_id = draw(waiting)
        story.after(AcceptDelta(delta_id, 0, story.state.revision, story.seen(delta_id)))
    elif draw((True, False)):
        kind = draw((NodeKind.GOAL, NodeKind.IDEA, NodeKind.TASK))
        nodes = story.state.tables.nodes.keys()
        story.captured("Paint the hall", kind, under=draw(nodes), private=draw((True, False, False)))
    else:
        story.after(Wild(story, draw).meaning(), OWNER)


def test_a_shape_of_long_ago_is_taken_anew() -> None:
    """Beyond the revisions over which a shape is carried, it is counted, and says the same."""
    story = Story().opened()
    _hold(story.state)
    for number in range(STEPS_MAX + 1):
        story.accepted(story.captured(f"Thought {number}", NodeKind.IDEA))
    _hold(story.state)
    _hold(state_at(story.state, 3))


def test_a_wide_node_is_joined_to_what_its_relations_say() -> None:
    """With few relations or very many, all but what belongs to a node are told, in the order they were added."""
    story = Story().opened()
    goal = story.accepted(story.captured("Renovate", NodeKind.GOAL))
    for number in range(WIDE + 2):
        story.accepted(story.captured(f"Thought {number}", NodeKind.IDEA, under=goal))
        tables = story.state.tables
        relations = [tables.relations[item] for item in tables.links[goal]]
        assert joined(tables, goal) == tuple(item for item in relations if item.from_id == goal)
        assert joined(tables, goal) == joined(tables, goal)
