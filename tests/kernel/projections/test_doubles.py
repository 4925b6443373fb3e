"""What a waiting proposal would say a second time, read anew at every look."""

from kernel.commands import EditDelta, RejectDelta
from kernel.projections.doubles import STANDS, WAITS, doubles
from kernel.vocabulary import NodeKind
from tests.support.story import Story


def _twice(story: Story, delta_id: str) -> tuple[str, ...]:
    return doubles(story.state, story.state.deltas[delta_id])


def test_the_same_words_that_wait_already_are_named_on_the_later_one() -> None:
    """Case and white space make no difference; the first one waits for nothing, and neither do other words."""
    story = Story().opened()
    first = story.captured("Paint the hall")
    later, other = story.captured("paint  the HALL"), story.captured("Paint the door")
    assert [_twice(story, item) for item in (first, later, other)] == [(), (WAITS,), ()]


def test_a_no_to_the_first_one_ends_the_doubt() -> None:
    """Only what still waits counts, and what was decided is not asked about."""
    story = Story().opened()
    first, later = story.captured("Paint the hall"), story.captured("Paint the hall")
    story.after(RejectDelta(first, None, story.seen(first)))
    assert [_twice(story, item) for item in (first, later)] == [(), ()]


def test_a_yes_to_the_first_one_leaves_the_doubt_that_it_stands_there() -> None:
    """The title that was accepted since, under the same parent, is seen when the later one is looked at again."""
    story = Story().opened()
    room = story.accepted(story.captured("Hall", NodeKind.IDEA))
    first, later = story.captured("Paint it", under=room), story.captured("Paint it", under=room)
    elsewhere = story.captured("Paint it")
    story.accepted(first)
    assert [_twice(story, item) for item in (first, later, elsewhere)] == [(), (STANDS,), (WAITS,)]


def test_other_wording_ends_the_doubt() -> None:
    """What replaces the later one is compared by its own words."""
    story = Story().opened()
    story.captured("Paint the hall")
    later = story.captured("Paint the hall")
    edit = EditDelta(later, "Paint the hall again", None, NodeKind.TASK, story.seen(later))
    (_closing, proposed) = story.after(edit)
    assert _twice(story, proposed.body.delta_id) == ()  # type: ignore[attr-defined]
