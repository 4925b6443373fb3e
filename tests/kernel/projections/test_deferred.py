"""What was put off, in the order in which it comes back."""

from kernel.commands import DeferDelta
from kernel.projections.deferred import deferred
from tests.support.story import Story

NOW = "2026-11-30T10:00:00.000000Z"
SOON = "2999-01-01T00:00:00.000000Z"
LATE = "2999-06-01T00:00:00.000000Z"


def test_what_comes_back_soonest_stands_first_and_what_never_does_last() -> None:
    """Only what is put off now stands there: at its moment it waits in the queue again."""
    story = Story().opened()
    never, late, soon, _waits = (story.captured(f"Paint room {index}") for index in range(4))
    for delta_id, until in ((never, None), (late, LATE), (soon, SOON)):
        story.after(DeferDelta(delta_id, until, None, story.seen(delta_id)))
    assert [item.body.delta_id for item in deferred(story.state, NOW)] == [soon, late, never]
    assert [item.body.delta_id for item in deferred(story.state, SOON)] == [late, never]
