"""A large project as years of use make it: 10,000 nodes, the proposals that wait, work that was done, and its history.

What a smaller number of events cannot tell one by one comes in as imported outlines. Same size, same ledger.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from bench.ledgers import SEED, WORDS
from kernel.commands import (
    AnswerExchange,
    CaptureSource,
    ImportOutline,
    OutlineNode,
    ProposeCorrection,
    ProposePlacement,
    RejectDelta,
)
from kernel.values.placement import Place, PlacementAnswer, SuggestedRelation
from kernel.vocabulary import NodeKind, Phase, RelationKind, SourceKind, Visibility
from tests.support.story import HOST, Story, delta_with_profile

NODES: Final = 10_000
WAITING: Final = 500
WORKED: Final = 60
"""How many tasks were briefed, run, validated and integrated."""
AREAS: Final = 14
WIDE: Final = 2_000
"""How many nodes stand right under one of the areas."""
_IMPORTED: Final = 500
_PER_NODE: Final = 6
"""Events of one node that is told by itself, the things around it included."""
_KINDS: Final = (
    *(NodeKind.GOAL, NodeKind.IDEA, NodeKind.IDEA, NodeKind.DECISION, NodeKind.CONSTRAINT),
    *(NodeKind.TASK, NodeKind.TASK, NodeKind.TASK, NodeKind.OPEN_QUESTION, NodeKind.ARTIFACT),
)


@dataclass
class Large:
    """A growing large project, and what of it a reader may want to look at."""

    story: Story
    chance: random.Random
    areas: list[str] = field(default_factory=list)
    inner: list[str] = field(default_factory=list)
    """Nodes under which others may stand."""
    tasks: list[str] = field(default_factory=list)

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self.story.state.tables.nodes)

    @property
    def worked(self) -> str:
        """A task on which work was done."""
        return self.story.state.briefs[self.brief].body.node_id

    @property
    def brief(self) -> str:
        """The brief of that work."""
        return self.story.state.briefs.keys()[-1]

    def text(self) -> str:
        """Return words for one thought."""
        return f"{' '.join(self.chance.choices(WORDS, k=6)).capitalize()}, number {self.story.step}"

    def place(self) -> str:
        """Return where the next node goes: a fifth of all stand under one wide area."""
        if self.chance.random() < WIDE / NODES:
            return self.areas[0]
        return self.chance.choice(self.inner[-400:])


def large(events: int, nodes: int = NODES) -> Large:
    """Return a project of this many nodes and about this many events."""
    project = Large(Story().opened(), random.Random(SEED))  # noqa: S311 - a made-up project, no secret
    root = project.story.state.root_id
    for _ in range(AREAS):
        project.areas.append(_kept(project, NodeKind.GOAL, root))
    project.inner = list(project.areas)
    told = min(nodes, max(0, events - 3_000) // _PER_NODE)
    while project.nodes < nodes - told:
        _import(project, min(_IMPORTED, nodes - told - project.nodes))
    works = [_work] * min(WORKED, nodes // 20)
    steps: list[Callable[[Large], object]] = [
        *works,
        *[_add] * max(0, nodes - project.nodes - 2 * len(works)),
    ]
    waiting = min(WAITING, nodes // 4)
    spare = events - len(project.story.events) - 5 * len(steps) - 4 * waiting - 20 * len(works)
    steps += [_correct] * (spare // 3) + [_reject] * (spare // 15)
    project.chance.shuffle(steps)
    for step in steps:
        step(project)
    for _ in range(waiting):
        _proposed(project, project.chance.choice(_KINDS), project.place())
    return project


def _import(project: Large, count: int) -> None:
    """Bring an outline of this many nodes in: heads with a few items each."""
    story, nodes, head = project.story, [], 0
    for index in range(count):
        is_head = index % 6 == 0
        head = index if is_head else head
        kind = NodeKind.GOAL if is_head else project.chance.choice(_KINDS)
        nodes.append(OutlineNode(kind, f"{project.text()} {index}", None, None if is_head else head))
    story.after(ImportOutline("An outline", project.chance.choice(project.areas), tuple(nodes)))
    delta_id = str(story.events[-1].body.delta_id)  # type: ignore[attr-defined]
    story.accepted(delta_id)
    record = story.state.deltas[delta_id]
    added = [item for item in record.body.operations if item.op == "node.add"]
    project.inner.extend(item.node_id for item in added[::6])
    project.tasks.extend(item.node_id for item in added if item.kind is NodeKind.TASK)


def _add(project: Large) -> None:
    """Capture a thought and accept its place."""
    kind = project.chance.choice(_KINDS)
    node_id = _kept(project, kind, project.place())
    if kind in {NodeKind.GOAL, NodeKind.IDEA}:
        project.inner.append(node_id)
    elif kind is NodeKind.TASK:
        project.tasks.append(node_id)


def _kept(project: Large, kind: NodeKind, under: str) -> str:
    return project.story.accepted(_proposed(project, kind, under))


def _proposed(project: Large, kind: NodeKind, under: str) -> str:
    """Capture a thought and let it be placed; every eighth one needs or refines another node."""
    story, text = project.story, project.text()
    events = story.after(CaptureSource(text, SourceKind.TEXT, Visibility.SHARED, "local/1"))
    exchange_id = str(events[-1].body.exchange_id)  # type: ignore[attr-defined]
    relations: tuple[SuggestedRelation, ...] = ()
    if kind is NodeKind.TASK and project.tasks and project.chance.random() < 0.25:  # noqa: PLR2004 - a share
        other = project.chance.choice(project.tasks[-200:])
        relations = (SuggestedRelation(kind=RelationKind.DEPENDS_ON, to_id=other, reason="It says so"),)
    answer = PlacementAnswer(
        kind=kind,
        title=text,
        places=(Place(parent_id=under, score=700, reason="It fits"),),
        relations=relations,
        kind_reason="It says what to do",
    )
    story.after(AnswerExchange(exchange_id, answer.model_dump_json()), HOST)
    (proposed,) = story.after(ProposePlacement(exchange_id, answer))
    return str(proposed.body.delta_id)  # type: ignore[attr-defined]


def _correct(project: Large) -> None:
    """Change one task, by word."""
    node = project.story.state.tables.nodes[project.chance.choice(project.tasks or project.areas)]
    phases = {Phase.PLANNED: Phase.BLOCKED, Phase.BLOCKED: Phase.PLANNED}
    phase = phases.get(node.phase) if project.chance.random() < 0.1 else None  # noqa: PLR2004 - a share
    command = ProposeCorrection(node.id, "Said better", title=project.text(), phase=phase)
    (event,) = project.story.after(command)
    project.story.accepted(str(event.body.delta_id))  # type: ignore[attr-defined]


def _reject(project: Large) -> None:
    story = project.story
    delta_id = _proposed(project, NodeKind.IDEA, project.place())
    story.after(RejectDelta(delta_id, "Not now", story.seen(delta_id)))


def _work(project: Large) -> None:
    """Brief, run, validate and integrate one new task."""
    story = project.story
    task_id = story.accepted(delta_with_profile(story, _proposed(project, NodeKind.TASK, project.place())))
    closure_id = story.returned(story.authorized(story.briefed(task_id)))
    story.accepted(story.reconciled(closure_id, story.validated(closure_id)))
