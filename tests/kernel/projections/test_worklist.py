"""The list of work in pages is the list of all threads, cut into pages."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from kernel.errors import StudioError
from kernel.projections.threads import threads
from kernel.projections.worklist import THREADS_MAX, work_list
from kernel.state import State
from kernel.vocabulary import NodeKind, Role
from tests.support.acts import copy_of, integrated, queued, returned
from tests.support.story import HOST, OPERATOR, OWNER, Story
from tests.support.whole import whole_project
from tests.support.wild import Wild

LATER = "2027-01-01T00:00:00.000000Z"


def _hold(state: State) -> None:
    for at in (state.at, LATER):
        listed = threads(state, Role.OWNER, at)
        page = work_list(state, Role.OWNER, at)
        assert page.threads == listed[:THREADS_MAX]
        assert (page.total, page.start) == (len(listed), 0)
        assert page.waiting == sum(item.waits_for == "person" for item in listed)
        later = work_list(state, Role.OWNER, at, start=2)
        assert later.threads == listed[later.start : later.start + THREADS_MAX]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32))
def test_a_page_of_work_is_a_piece_of_all_threads(seed: int) -> None:
    """After any acts, now and when every reservation has lapsed, the pages say what all threads say."""
    chance = random.Random(seed)  # noqa: S311 - a made-up ledger, no secret
    starts = (
        lambda: Story().opened(),
        lambda: queued()[0],
        lambda: returned()[0],
        lambda: integrated()[0],
        lambda: copy_of(whole_project()),
    )
    story = chance.choice(starts)()
    for _ in range(25):
        wild = Wild(story, chance.choice)
        area = chance.choice(("meaning", "boundary", "work", "evidence"))
        try:
            story.after(getattr(wild, area)(), chance.choice((OWNER, HOST, HOST, OPERATOR)))
        except StudioError:
            continue
        _hold(story.state)


def test_a_long_list_of_work_comes_in_pages() -> None:
    """The last page holds the rest, and a start beyond the end shows the end."""
    story = Story().opened()
    for number in range(THREADS_MAX + 3):
        story.accepted(story.captured(f"Task {number}", NodeKind.TASK))
    story.captured("One more", NodeKind.TASK)
    listed = threads(story.state, Role.OWNER, LATER)
    rest = work_list(story.state, Role.OWNER, LATER, start=THREADS_MAX)
    assert rest.threads == listed[THREADS_MAX:]
    assert work_list(story.state, Role.OWNER, LATER, start=1000).threads == listed[-1:]
