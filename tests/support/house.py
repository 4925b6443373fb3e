"""A small worldstate around one task: what a brief must share, may not share, and what has nothing to do with it."""

from dataclasses import dataclass

from kernel.commands import AnswerExchange, EditDelta, ProposePlacement
from kernel.values.placement import Place, PlacementAnswer, SuggestedRelation
from kernel.vocabulary import NodeKind, RelationKind
from tests.support.story import HOST, Story
from tests.support.whole import requested


@dataclass(frozen=True, slots=True)
class House:
    """The story and the ids of its nodes by name."""

    story: Story
    ids: dict[str, str]


def house() -> House:
    """Grow a goal with a task in it, what binds and feeds the task, a secret beside it and a stranger."""
    story = Story().opened()
    ids = {"root": story.state.root_id}
    ids["goal"] = story.accepted(story.captured("Renovate", NodeKind.GOAL))
    ids["rule"] = story.accepted(story.captured("No drilling", NodeKind.CONSTRAINT, under=ids["goal"]))
    ids["choice"] = story.accepted(story.captured("We take vans", NodeKind.DECISION))
    ids["other goal"] = story.accepted(story.captured("Sleep well", NodeKind.GOAL))
    ids["prices"] = story.accepted(story.captured("List of prices", NodeKind.ARTIFACT))
    ids["secret"] = story.accepted(story.captured("My debts", NodeKind.IDEA, under=ids["goal"], private=True))
    ids["stranger"] = story.accepted(story.captured("Buy a boat", NodeKind.IDEA))
    delta_id = _task(story, ids["goal"], {"depends_on": ids["prices"], "refines": ids["other goal"]})
    seen = story.seen(delta_id)
    story.after(EditDelta(delta_id, "Work out the cost", "Of vans", NodeKind.TASK, seen, profile_id="demo"))
    ids["task"] = story.accepted(story.events[-1].body.delta_id)  # type: ignore[attr-defined]
    return House(story, ids)


def _task(story: Story, under: str, joined: dict[str, str]) -> str:
    answer = PlacementAnswer(
        kind=NodeKind.TASK,
        title="Work out the cost",
        places=(Place(parent_id=under, score=900, reason="It fits"),),
        relations=tuple(
            SuggestedRelation(kind=RelationKind(kind), to_id=node_id, reason="It says so")
            for kind, node_id in joined.items()
        ),
        kind_reason="It says what to do",
    )
    exchange_id = requested(story, "Work out the cost")
    story.after(AnswerExchange(exchange_id, answer.model_dump_json()), HOST)
    (event,) = story.after(ProposePlacement(exchange_id, answer))
    return str(event.body.delta_id)  # type: ignore[attr-defined]
