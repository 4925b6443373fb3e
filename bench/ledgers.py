"""Ledgers as people make them, fast: every event proposed through the kernel, appended in batches.

A story captures, proposes, and a person answers: most proposals are accepted, some rejected, some edited first,
some wait. Same size, same ledger.
"""

import random
from pathlib import Path
from typing import Final

from adapters.keys.ring import KeyRing
from adapters.ledger import MasterKey, SqlLedger, Vault, migrate, open_store
from adapters.system import SystemClock, SystemEntropy
from app.services.desk import Desk
from kernel.commands import EditDelta, RejectDelta
from kernel.vocabulary import NodeKind
from tests.support.story import Story

SEED: Final = 20_261_130
BATCH: Final = 500
_KINDS: Final = (NodeKind.GOAL, NodeKind.IDEA, NodeKind.TASK, NodeKind.TASK, NodeKind.DECISION)
WORDS: Final = (
    *("window", "kitchen", "invoice", "heron", "trail", "garden", "quote"),
    *("permit", "socket", "sample", "survey", "meadow", "timber", "plaster"),
)


def told(events: int) -> Story:
    """Return a story of at least this many events."""
    chance = random.Random(SEED)  # noqa: S311 - a made-up project, no secret
    story = Story().opened()
    areas = [story.state.root_id]
    while len(story.events) < events:
        _one_capture(story, chance, areas)
    return story


def _one_capture(story: Story, chance: random.Random, areas: list[str]) -> None:
    text = f"{' '.join(chance.choices(WORDS, k=6)).capitalize()}, number {story.step}"
    kind = chance.choice(_KINDS)
    delta_id = story.captured(text, kind, under=chance.choice(areas[-300:]))
    fate = chance.random()
    if fate < 0.08:  # noqa: PLR2004 - shares of what people do
        story.after(RejectDelta(delta_id, "Not now", story.seen(delta_id)))
        return
    if fate < 0.12:  # noqa: PLR2004
        return
    if fate < 0.20:  # noqa: PLR2004
        story.after(EditDelta(delta_id, f"{text} (said better)", None, kind, story.seen(delta_id)))
        delta_id = story.events[-1].body.delta_id  # type: ignore[attr-defined]
    node_id = story.accepted(delta_id)
    if kind in {NodeKind.GOAL, NodeKind.IDEA}:
        areas.append(node_id)


class House:
    """A data folder with keys and a database, by default a file in it, opened as the product opens it."""

    def __init__(self, folder: Path, url: str | None = None) -> None:
        folder.mkdir(mode=0o700, parents=True)
        entropy, clock = SystemEntropy(), SystemClock()
        MasterKey.create(folder / "master.key", entropy)
        url = url or f"sqlite:///{folder}/odeu.db"
        migrate(url)
        keys = KeyRing.open(str(folder / "keys"), clock.now)
        self.store = open_store(url)
        vault = Vault(MasterKey.load(folder / "master.key"), entropy)
        self.ledger = SqlLedger(self.store, vault, keys.checkpoint_signer("bench"))
        self.desk = Desk(self.ledger, clock, entropy)

    def filled(self, story: Story) -> "House":
        """Append the whole story, many events to a transaction."""
        for start in range(0, len(story.events), BATCH):
            self.ledger.append(story.ledger, start, story.events[start : start + BATCH])
        return self

    def close(self) -> None:
        """Close the database."""
        self.store.close()
