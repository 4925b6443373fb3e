"""The card of a project on the World page says what was done as truly as what waits."""

import pytest

from app.views.building.world import closed_words, work_words
from app.views.wording import capital
from kernel.commands import ArchiveProject, ProposeCorrection
from kernel.vocabulary import Phase, PromotionOutcome
from tests.support.acts import integrated
from tests.support.story import Story


def test_work_is_counted_from_the_run_to_the_moved_branch() -> None:
    """Integrated work is completed and verified; promoted only once the branch was seen to have moved."""
    story, _task, delta_id = integrated()
    assert work_words(story.state) == "1 completed, 1 verified"
    story.promoted(story.promotable(delta_id), PromotionOutcome.FAILED)
    assert work_words(story.state) == "1 completed, 1 verified"
    story.promoted(story.promotable(delta_id))
    assert work_words(story.state) == "1 completed, 1 verified, 1 promoted"


def test_work_completed_by_word_is_not_called_verified() -> None:
    """A task that somebody says is completed is done and nothing more; a task that only stands there is no work."""
    story = Story().opened()
    task = story.accepted(story.captured("Paint the hall"))
    assert work_words(story.state) == "No work"
    story.after(ProposeCorrection(task, "I painted it", phase=Phase.COMPLETED))
    delta_id = str(story.events[-1].body.delta_id)  # type: ignore[attr-defined]
    story.accepted(delta_id)
    assert work_words(story.state) == "1 completed"


def test_a_project_says_why_nobody_writes_in_it() -> None:
    """Somebody who reads, a project put away, an imported copy, and somebody without any project."""
    story = Story().opened()
    reading = closed_words((story.state,))
    copied = closed_words((story.state,), is_imported=True)
    story.after(ArchiveProject("Winter"))
    assert (reading, copied, closed_words((story.state,)), closed_words(())) == (
        "You read this project. Its owner and its reviewers write in it.",
        "This is an imported copy: it is here to be read, and nobody writes in it.",
        "This is put away: it can be read, and written in once it is restored.",
        "You have no project yet. Whoever owns one can give you a role in it.",
    )


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("paint/tins.py was modified", "paint/tins.py was modified"),
        ("tool.py was modified", "tool.py was modified"),
        ("the file was modified", "The file was modified"),
        ("done.", "Done."),
        ("", ""),
    ],
)
def test_a_sentence_that_begins_with_a_path_keeps_it(said: str, shown: str) -> None:
    """Paths tell case: only a plain first word gets a capital."""
    assert capital(said) == shown
