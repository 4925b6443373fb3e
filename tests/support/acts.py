"""Small acts on a story that several tests share, and stories told up to a point, each told once and then copied."""

from functools import cache
from typing import Any

from kernel.commands import AcceptDelta, ProposeCompensation, ProposeCorrection
from kernel.state import revision_key
from kernel.vocabulary import NodeKind, Purpose
from tests.support.story import Story, delta_with_profile


def copy_of(story: Story) -> Story:
    """Return a story that goes on from here by itself; the state is shared, since it never changes."""
    return Story(story.ledger, story.state, list(story.events), story.step)


@cache
def _queued() -> tuple[Story, str, str]:
    story = Story().opened()
    task_id = story.accepted(delta_with_profile(story, story.captured("Work out the cost")))
    brief_id = story.briefed(task_id)
    return story, brief_id, story.authorized(brief_id)


def queued() -> tuple[Story, str, str]:
    """Tell a story up to a queued run; return it with the brief and the run."""
    story, brief_id, run_id = _queued()
    return copy_of(story), brief_id, run_id


@cache
def _returned() -> tuple[Story, str, str]:
    story, brief_id, run_id = queued()
    return story, story.state.briefs[brief_id].body.node_id, story.returned(run_id)


def returned() -> tuple[Story, str, str]:
    """Tell a story up to a returned run; return it with the task and the closure."""
    story, task_id, closure_id = _returned()
    return copy_of(story), task_id, closure_id


@cache
def _integrated() -> tuple[Story, str, str]:
    story = Story().opened()
    return story, *story.integrated()


def integrated() -> tuple[Story, str, str]:
    """Tell a story up to the integrated result; return it with the task and the reconciliation."""
    story, task_id, delta_id = _integrated()
    return copy_of(story), task_id, delta_id


def renamed(story: Story, task_id: str, title: str) -> None:
    """Correct a node's title and accept that."""
    story.after(ProposeCorrection(task_id, "Clearer", title=title))
    waiting = (row.body for row in story.state.deltas.rows() if row.body.delta_id in story.state.open_deltas)
    (delta_id,) = (body.delta_id for body in waiting if body.purpose is Purpose.CORRECTION)
    story.accepted(delta_id)


def accept(story: Story, delta_id: str, **changes: Any) -> AcceptDelta:
    """Return the command that accepts a proposal as shown, with some part of it changed."""
    shown: dict[str, Any] = {
        "delta_id": delta_id,
        "choice": 0,
        "expected_revision": story.state.revision,
        "seen": story.seen(delta_id),
    }
    return AcceptDelta(**{**shown, **changes})


def take_back(story: Story, number: int, reason: str | None = None) -> ProposeCompensation:
    """Return the command that proposes to take a revision back as it was shown."""
    return ProposeCompensation(number, story.state.revisions[revision_key(number)].state_root, reason)


def types(story: Story, count: int) -> list[str]:
    """Return the types of the latest events."""
    return [event.type for event in story.events[-count:]]


def two_places(story: Story) -> tuple[str, str]:
    """Grow two goals under the root; return them."""
    return (
        story.accepted(story.captured("Renovate the bath", NodeKind.GOAL)),
        story.accepted(story.captured("Renovate the hall", NodeKind.GOAL)),
    )
