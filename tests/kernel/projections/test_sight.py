"""What people who are not owners see: the visible part of a history, and nothing that depends on the rest."""

from functools import cache, reduce
from typing import Any

import pytest

from kernel.commands import RejectDelta
from kernel.events import BODIES
from kernel.events.delta import DeltaAccepted, DeltaProposed, DeltaRejected, DeltaSplit, DeltaSuperseded
from kernel.events.envelope import event_bytes, words_of
from kernel.projections.sight import Sight, look
from kernel.projections.withheld import SHOWN
from kernel.state import State
from kernel.table import Table
from kernel.vocabulary import PromotionOutcome
from tests.support.acts import renamed, take_back, two_places
from tests.support.glimpse import glimpsed, require_sound_glimpse
from tests.support.secretive import CANARY, Secretive, told_twice
from tests.support.story import Story
from tests.support.whole import asked, ended_runs, failed_exchange, put_off_and_split

_BY_HAND = {DeltaProposed, DeltaAccepted, DeltaSuperseded, DeltaSplit}


def tell(story: Story) -> None:
    """Tell of everything that can happen in a project."""
    story.opened()
    rejected = story.captured("Buy a boat")
    story.after(RejectDelta(rejected, "Too expensive", story.seen(rejected)))
    first, _second = two_places(story)
    renamed(story, first, "Renovate the whole bath")
    taken = story.after(take_back(story, story.state.revision, "Not so much"))[0]
    story.accepted_as_shown(taken)
    asked(story, "Something about the room")
    failed_exchange(story)
    put_off_and_split(story)
    task_id, reconciliation = story.integrated()
    ended_runs(story, story.briefed(task_id))
    story.promoted(story.promotable(reconciliation), PromotionOutcome.PROMOTED)


@cache
def both() -> tuple[Story, Secretive]:
    """Return the story told plainly and with a second life."""
    return told_twice(tell)


def test_private_activity_changes_nothing_that_is_seen() -> None:
    """Two histories that differ in private activity only have the same visible events, byte for byte, and texts."""
    (plain, one), (secretive, other) = map(glimpsed, both())
    assert len(both()[1].events) > 2 * len(both()[0].events)
    assert [event_bytes(item) for item in one] == [event_bytes(item) for item in other]
    texts = [[words.text for words in words_of(item.body)] for item in one]
    assert texts == [[words.text for words in words_of(item.body)] for item in other]
    assert plain.state == secretive.state
    assert not any(CANARY in (text or "") for found in texts for text in found)


def test_a_history_without_secrets_is_seen_as_it_is() -> None:
    """Without private activity the visible state has the same head, nodes, roots and proposals as the whole one."""
    plain = both()[0]
    state = glimpsed(plain)[0].state
    whole = plain.state
    assert (state.seq, state.revision, state.state_root) == (whole.seq, whole.revision, whole.state_root)
    assert state.tables.nodes == whole.tables.nodes
    assert state.tables.relations == whole.tables.relations
    assert state.open_deltas == whole.open_deltas
    assert state.runs.keys() == whole.runs.keys()
    assert state.promotions.keys() == whole.promotions.keys()


def test_every_visible_state_is_whole() -> None:
    """After each append nothing is owed, and the visible root is that of the visible records."""
    secretive = both()[1]
    sight = Sight()
    for event, following in zip(secretive.events, [*secretive.events[1:], None], strict=True):
        sight, _added = look(sight, event)
        if following is None or following.command != event.command:
            assert (sight.closing, sight.state.owed) == (None, ())
            assert sight.state.state_root == f"sha256:{sight.state.tables.trie.root().hex()}"


def test_what_is_seen_is_sound() -> None:
    """The visible part of a long story is whole, numbered without a gap and holds nothing private."""
    for story in both():
        require_sound_glimpse(story)


def test_every_kind_of_event_is_decided_on() -> None:
    """A new kind of event is the owners' until this table says what others see of it."""
    assert set(BODIES.values()) == set(SHOWN) | _BY_HAND


def test_numbers_count_what_is_visible() -> None:
    """A visible revision knows its number in the whole history, and the other way round."""
    secretive = both()[1]
    sight = glimpsed(secretive)[0]
    assert secretive.state.revision > sight.state.revision
    for number in range(sight.state.revision + 1):
        whole = sight.numbers.whole_of(number)
        assert whole is not None
        assert sight.numbers.of(whole) == number
    assert sight.numbers.of(secretive.state.revision) == sight.state.revision


def test_nothing_private_can_be_found_by_its_id() -> None:
    """No record that only the second life made stands in any table of the visible state."""
    plain, secretive = both()
    state = glimpsed(secretive)[0].state
    known = _ids(plain.state)
    hidden = _ids(secretive.state) - known
    assert len(hidden) > 20
    assert _ids(state) == known


def _ids(state: State) -> set[str]:
    parts: tuple[Table[Any], ...] = (state.tables.nodes, state.tables.relations, *_records(state))
    return reduce(set.union, (set(part.keys()) for part in parts), set())


def _records(state: State) -> tuple[Table[Any], ...]:
    names = ("sources", "exchanges", "deltas", "clarifications", "briefs", "runs", "candidates", "closures")
    return tuple(getattr(state, name) for name in (*names, "validations", "promotions", "followed_by"))


@pytest.mark.parametrize("under_private", [False, True])
def test_a_shared_proposal_that_moves_out_of_sight_is_closed(*, under_private: bool) -> None:
    """Whoever saw it waiting sees it closed, and not what took its place."""
    story = Story().opened()
    place = story.accepted(story.captured("My own corner", private=under_private))
    delta_id = story.captured("Paint the hall")
    story.move(delta_id, place)
    sight, added = glimpsed(story)
    assert (delta_id in sight.state.open_deltas) is False
    closed = [item.body for item in added if isinstance(item.body, DeltaRejected)]
    assert (closed == [DeltaRejected(delta_id=delta_id)]) is under_private


def test_a_question_names_the_head_that_was_visible() -> None:
    """The exact request is kept with the visible number, also when the revisions since are all hidden."""
    story = Story().opened()
    story.accepted(story.captured("Renovate the hall"))
    story.accepted(story.captured("My own corner", private=True))
    asked(story, "Something about the room")
    state = glimpsed(story)[0].state
    texts = [row.body.request.text or "" for row in state.exchanges.rows()]
    assert sorted('"base_revision":1' in text for text in texts) == [False, True, True]
    assert not any('"base_revision":2' in text for text in texts)
