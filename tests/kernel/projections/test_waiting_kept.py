"""What the state keeps of what waits is what a look through everything finds, in any ledger."""

import random
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kernel.errors import StudioError
from kernel.projections.inbox import inbox, waiting_number
from kernel.projections.placing import stalled, stalled_attempts
from kernel.reducer import evolve
from kernel.state import INITIAL, ClarificationRecord, ExchangeRecord, State
from kernel.vocabulary import Boundary
from tests.support.acts import copy_of
from tests.support.story import HOST, OWNER, Story
from tests.support.whole import failed_exchange, questioned, requested, whole_project
from tests.support.wild import Wild

LATER = "2027-01-01T00:00:00.000000Z"


def _stalled(state: State) -> tuple[ExchangeRecord, ...]:
    """Return what was never placed, by a look at every exchange there ever was."""
    found = [
        record
        for record in state.exchanges.rows()
        if record.body.boundary is Boundary.PLACEMENT
        and stalled(state, record.body.exchange_id)
        and state.sources[record.body.subject_id].erased is None
    ]
    return tuple(sorted(found, key=lambda record: record.origin.seq))


def _asking(state: State) -> tuple[ClarificationRecord, ...]:
    return tuple(item for item in state.clarifications.rows() if item.answer_source_id is None)


def _hold(state: State) -> None:
    assert stalled_attempts(state) == _stalled(state)
    assert state.asking.keys() == tuple(item.body.exchange_id for item in _asking(state))
    for at in (state.at, LATER):
        assert waiting_number(state, at) == len(inbox(state, at))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32))
def test_what_is_kept_of_what_waits_is_what_a_look_through_everything_finds(seed: int) -> None:
    """After any acts, lawful ones among refused ones, the short way and the long way agree."""
    chance = random.Random(seed)  # noqa: S311 - a made-up ledger, no secret
    story = chance.choice((Story().opened, lambda: copy_of(whole_project())))()
    for _ in range(30):
        try:
            _happens(story, chance)
        except StudioError:
            continue
        _hold(story.state)


def _happens(story: Story, chance: random.Random) -> None:
    draw: Callable[[Sequence[Any]], Any] = chance.choice
    tell = draw((questioned, requested, _failed, _wild, _wild, _wild, _wild, _wild))
    if tell is _wild:
        story.after(Wild(story, draw).meaning(), draw((OWNER, HOST)))
    else:
        tell(story, "Paint the hall")


def _wild(_story: Story, _text: str) -> None:
    """Stand for any command at all."""


def _failed(story: Story, _text: str) -> None:
    failed_exchange(story)


def test_the_whole_project_keeps_what_waits_at_every_step() -> None:
    """Through a ledger with every kind of event, what is kept is right after each of them."""
    state = INITIAL
    for event in whole_project().events:
        state = evolve(state, event)
        _hold(state)
