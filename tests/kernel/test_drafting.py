"""A replay's own tables end as the tables that grew revision by revision, and so does every one it went through."""

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kernel.projections.history import history
from kernel.reducer import fold
from kernel.reducer.drafting import TablesDraft
from kernel.reducer.replaying import replay
from kernel.state import Tables, revision_key
from kernel.values.records import Node
from tests.support.story import Story
from tests.support.written import all_said, pages

_CHANGES = 5_000
_NAMES = ("links", "parent", "children")


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.lists(st.integers(0, _CHANGES), min_size=1, max_size=12))
def test_whatever_moment_is_asked_for_holds_what_it_held(seed: int, asked: list[int]) -> None:
    """Near or far, in any order and again: the rows of that moment, and the very same tables every time."""
    chance = random.Random(seed)  # noqa: S311 - made-up rows
    draft: Any = TablesDraft.of(Tables())
    rows: dict[str, dict[str, object]] = {name: {} for name in _NAMES}
    held, kept = {}, {}
    for place in range(_CHANGES + 1):
        if place in asked:
            held[place] = {name: dict(rows[name]) for name in _NAMES}
            kept[place] = draft.kept(), draft.kept()
        name, key = chance.choice(_NAMES), f"k{chance.randrange(200)}"
        if rows[name].pop(key, None) is not None and chance.random() < 0.5:
            getattr(draft, name).without(key)
        else:
            rows[name][key] = str(place)
            getattr(draft, name).put(key, str(place))
    after = draft.done()
    assert {name: dict(getattr(after, name).items()) for name in _NAMES} == rows
    for place in asked:
        one, other = kept[place]
        assert {name: dict(getattr(one, name).items()) for name in _NAMES} == held[place]
        assert all(getattr(one, name) is getattr(other, name) for name in _NAMES)


def _grown() -> Story:
    """Return a story with a node that was changed and a node that was left alone."""
    story = Story().opened()
    for number in range(8):
        story.accepted(story.captured(f"Mend the fence {number}"))
    return story


def test_every_revision_of_a_replay_holds_what_accepting_made_of_it() -> None:
    """Asked from the first on, or from the last one back, each revision has its own tables and its own root."""
    story = _grown()
    for step in (1, -1):
        replayed = replay(pages(story.events))
        for number in range(story.state.revision + 1)[::step]:
            past = replayed.revisions[revision_key(number)]
            assert all_said(past) == all_said(story.state.revisions[revision_key(number)])
            assert f"sha256:{past.tables.trie.root().hex()}" == past.state_root


def test_a_record_that_nobody_changed_is_the_same_object_in_every_revision_of_a_replay() -> None:
    """Whole stretches of a history are passed over by identity, after a replay as before it."""
    story = _grown()
    replayed = replay(pages(story.events))
    nodes: list[Node] = list(replayed.tables.nodes.rows())
    for node in nodes:
        for number in range(node.created_in, replayed.revision + 1):
            assert replayed.revisions[revision_key(number)].tables.nodes[node.id] is node
        assert [change.revision.number for change in history(replayed, node.id)] == [
            change.revision.number for change in history(story.state, node.id)
        ]
    assert replayed.revisions[revision_key(replayed.revision)].tables.nodes is replayed.tables.nodes


def test_a_replayed_state_goes_on_above_the_revisions_it_went_through() -> None:
    """What is accepted later keeps its own tables; the earlier ones are still worked out from where the replay ended."""
    story = _grown()
    cut = len(story.events) - 10
    went_on = fold(story.events[cut:], replay(pages(story.events[:cut])))
    assert went_on == story.state
    assert all_said(went_on) == all_said(story.state)
