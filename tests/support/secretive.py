"""A story with a second life: before each of its steps something private happens that only its owner knows of.

The public steps have the same moments, ids and salts as those of a plain `Story`, so two stories told alike
differ in private activity only.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from kernel.commands import (
    AcceptDelta,
    AuthorizePromotion,
    Command,
    CompileBrief,
    DeferDelta,
    EditDelta,
    EraseSource,
    Part,
    ProposeCorrection,
    RejectDelta,
    RemandDelta,
    SplitDelta,
)
from kernel.events.envelope import Event
from kernel.values.stamp import Actor, Stamp
from kernel.vocabulary import NodeKind, Phase, Via
from tests.support.story import OWNER, Story

CANARY = "zebra"
"""A word that every private text holds, and no public one."""


@dataclass
class Secretive(Story):
    """A story that keeps something to itself before every step."""

    alone: int = 0
    """How many private stamps were used."""
    is_alone: bool = False
    nodes: list[str] = field(default_factory=list)
    """Private nodes that were accepted."""

    def stamp(self, actor: Actor = OWNER, via: Via = Via.BROWSER) -> Stamp:
        """Return the next public stamp, or the next private one: at the moment of the latest public step."""
        if not self.is_alone:
            return super().stamp(actor, via)
        self.alone += 1
        entropy = hashlib.sha256(f"alone {self.alone}".encode()).digest()
        draft = Stamp(self.state.at, actor, via, "", entropy)
        return Stamp(draft.at, actor, via, draft.id("command"), entropy)

    def after(self, command: Command, actor: Actor = OWNER) -> tuple[Event, ...]:
        """Live the second life for a moment, then go on; a brief is compiled from the state it was made for."""
        if not self.is_alone and self.state.seq and not isinstance(command, CompileBrief):
            step, self.is_alone = self.step, True
            self._secret()
            self.step, self.is_alone = step, False
            if isinstance(command, AcceptDelta | AuthorizePromotion):
                command = replace(command, expected_revision=self.state.revision)
        return super().after(command, actor)

    def _secret(self) -> None:
        if self.state.archived is not None or any(
            item.status.value in {"authorized", "requested", "outcome_unknown"}
            for item in self.state.promotions.rows()
        ):
            self._noted()
            return
        acts = (self._grown, self._turned_down, self._reworded, self._parted, self._corrected, self._erased)
        acts[self.step % len(acts)]()

    def _captured(self, kind: NodeKind = NodeKind.IDEA) -> str:
        under = self.nodes[-1] if self.nodes and self.step % 2 else None
        return self.captured(f"A {CANARY} number {self.alone}", kind, under=under, private=True)

    def _noted(self) -> None:
        if self.state.archived is None:
            self._captured()

    def _grown(self) -> None:
        kind = NodeKind.TASK if self.step % 2 else NodeKind.GOAL
        delta_id = self._captured(kind)
        self.after(AcceptDelta(delta_id, 0, self.state.revision, self.seen(delta_id)))
        self.nodes.append(self.events[-1].body.operations[0].node_id)  # type: ignore[attr-defined]

    def _turned_down(self) -> None:
        delta_id = self._captured()
        self.after(DeferDelta(delta_id, None, None, self.seen(delta_id)))
        self.after(RejectDelta(delta_id, f"No {CANARY} here", self.seen(delta_id)))

    def _reworded(self) -> None:
        delta_id = self._captured()
        self.after(EditDelta(delta_id, f"Two {CANARY}s", None, NodeKind.GOAL, self.seen(delta_id)))

    def _parted(self) -> None:
        delta_id = self._captured()
        self.after(RemandDelta(delta_id, "Two in one", (f"Part the {CANARY}s",), self.seen(delta_id)))
        parts = tuple(Part(NodeKind.IDEA, f"{CANARY} {word}", self.state.root_id) for word in ("one", "two"))
        self.after(SplitDelta(delta_id, parts, self.seen(delta_id)))

    def _corrected(self) -> None:
        if not self.nodes:
            return
        node = self.state.tables.nodes[self.nodes[-1]]
        phase = Phase.BLOCKED if node.kind is NodeKind.TASK else None
        command = ProposeCorrection(node.id, "Clearer", title=f"Another {CANARY} {self.alone}", phase=phase)
        delta_id = self.after(command)[0].body.delta_id  # type: ignore[attr-defined]
        self.after(AcceptDelta(delta_id, 0, self.state.revision, self.seen(delta_id)))

    def _erased(self) -> None:
        self._captured()
        source_id = next(
            row.body.source_id
            for row in sorted(self.state.sources.rows(), key=lambda row: row.origin.seq, reverse=True)
            if row.body.visibility.value == "private" and row.erased is None
        )
        self.after(EraseSource(source_id))


Told = Callable[[Story], object]
"""A story, as a function that tells it."""


def told_twice(tell: Told) -> tuple[Story, Secretive]:
    """Tell a story plainly, and once more with a second life."""
    plain, secretive = Story(), Secretive()
    tell(plain)
    tell(secretive)
    return plain, secretive
