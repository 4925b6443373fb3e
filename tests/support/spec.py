"""Ask the rules whether an event, altered so, would be admitted where the ledger stood then."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from kernel.commands import Command
from kernel.errors import StudioError
from kernel.events.body import Body
from kernel.events.envelope import Event
from kernel.reducer import evolve
from kernel.rules import check
from kernel.state import INITIAL, State
from kernel.values.stamp import Actor
from tests.support.story import OWNER, Story

Refusal = tuple[type[StudioError], str, str]
"""The class, the code and the sentence of a refusal."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A ledger just before one of its events, and that event."""

    state: State
    event: Event

    def but(self, *, actor: Actor | None = None, at: str | None = None, **changes: Any) -> "Moment":
        """Return the same moment with another body, actor or time of the event."""
        body = self.event.body.model_copy(update=changes)
        event = replace(self.event, body=body, actor=actor or self.event.actor, at=at or self.event.at)
        return Moment(self.state, event)

    def refusal(self) -> Refusal | None:
        """Return how the rules refuse the event here; None when they admit it."""
        return refusal_of(lambda: check(self.state, self.event))


_STATES: dict[tuple[str, int], list[State]] = {}
"""(ledger, length) of a told story -> the state before each of its events; folding it once keeps tables fast."""


def before(story: Story, event_type: str, nth: int = 0) -> Moment:
    """Return the moment before the nth event of this type (negative counts from the end)."""
    found = [event for event in story.events if event.type == event_type]
    event = found[nth]
    key = (story.ledger, len(story.events))
    if key not in _STATES:
        _STATES[key] = list(accumulate(story.events, evolve, initial=INITIAL))
    return Moment(_STATES[key][event.seq - 1], event)


def next_event(story: Story, body: Body, actor: Actor = OWNER) -> Moment:
    """Return the moment in which a body would be the story's next event."""
    stamp = story.stamp(actor)
    event = Event(
        ledger=story.ledger,
        seq=story.state.seq + 1,
        id=stamp.id("event"),
        at=stamp.at,
        actor=actor,
        via=stamp.via,
        command=stamp.command_id,
        ordinal=0,
        body=body,
    )
    return Moment(story.state, event)


def refusal_of(act: Callable[[], object]) -> Refusal | None:
    """Return the class, code and sentence with which something is refused; None when it is not."""
    try:
        act()
    except StudioError as error:
        return type(error), error.reason_code, error.message
    return None


def refused(story: Story, command: Command, actor: Actor = OWNER) -> Refusal | None:
    """Return how a story refuses a command; a refusal leaves it as it was."""
    seq = story.state.seq
    refusal = refusal_of(lambda: story.after(command, actor))
    assert refusal is None or story.state.seq == seq
    return refusal
