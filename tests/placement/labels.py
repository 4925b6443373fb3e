"""Loads the worlds and the labelled captures, and says which captures are held out from tuning.

Of the first round a capture is held out when the first byte of the SHA-256 of its text is divisible by 3. That rule was
written with the captures, before the manager. A second round was written later and committed before the manager was
run on any of it; of that one, a capture is held out when the byte is odd. Rules and weights are chosen on the captures
that are not held out, and on texts from other walks of life.

Two people read every text without knowing of each other or of the manager's answers. Right is what either of them called
right; how far they agree is the most that any reader of such texts can be held to.

Sayings that state a relation have a set of their own, labelled by one person. Of its first round a saying is held out
when the byte is divisible by 3. The second round, written in other words when the phrases of the first were read, was
measured once and then tuned on; the third, written after that, is held out as a whole.
"""

import hashlib
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from adapters.manager.outline import parse_outline
from kernel.values.placement import PlaceableNode
from kernel.vocabulary import NodeKind, RelationKind, Visibility

WORLDS: Final = ("house", "software", "field")
_HERE: Final = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Reading:
    """What one reader calls right for a saying: ids of parents and kinds, the best first."""

    parents: tuple[str, ...]
    kinds: tuple[NodeKind, ...]


@dataclass(frozen=True, slots=True)
class Capture:
    """One saying, with what each of two readers would call right."""

    world: str
    text: str
    first: "Reading"
    second: "Reading"
    round: int
    """1 or 2: when it was written."""

    @property
    def parents(self) -> frozenset[str]:
        """Every parent that either reader would file it under."""
        return frozenset((*self.first.parents, *self.second.parents))

    @property
    def kinds(self) -> frozenset[NodeKind]:
        """Every kind that either reader would give it."""
        return frozenset((*self.first.kinds, *self.second.kinds))

    @property
    def held_out(self) -> bool:
        """Whether this capture may be measured but not looked at while tuning."""
        byte = hashlib.sha256(self.text.encode()).digest()[0]
        return byte % 3 == 0 if self.round == 1 else byte % 2 == 1


@dataclass(frozen=True, slots=True)
class Stating:
    """One saying with the relation it states to one of some nodes, or with none."""

    world: str
    text: str
    kind: RelationKind | None
    targets: frozenset[str]
    round: int
    """1, 2 or 3: when it was written."""

    @property
    def held_out(self) -> bool:
        """Whether this saying may be measured but not looked at while tuning."""
        byte = hashlib.sha256(self.text.encode()).digest()[0]
        return self.round == 3 or (self.round == 1 and byte % 3 == 0)


def world_nodes(world: str) -> tuple[PlaceableNode, ...]:
    """The nodes of a world in outline order; ids are `node_` and the position, the root is a Project."""
    nodes: list[PlaceableNode] = []
    path: list[str] = []
    for number, item in enumerate(parse_outline((_HERE / f"{world}.md").read_text(encoding="utf-8"))):
        del path[item.depth :]
        node = PlaceableNode(
            id=f"node_{number:03}",
            kind=item.kind or NodeKind.PROJECT,
            title=item.title,
            description=item.description or "",
            parent_id=path[-1] if path else None,
            visibility=Visibility.SHARED,
        )
        nodes.append(node)
        path.append(node.id)
    return tuple(nodes)


def kind_texts() -> tuple[tuple[str, NodeKind], ...]:
    """Texts from other walks of life with their kind, used for tuning the cues only."""
    tables = (_table(name) for name in ("kinds.toml", "kinds_second.toml", "kinds_third.toml"))
    return tuple((text, NodeKind(kind)) for table in tables for text, kind in table["texts"])


def captures() -> tuple[Capture, ...]:
    """Every labelled capture; a label that names no node of its world is a mistake and raises KeyError."""
    second = _table("second_reader.toml")
    found: list[Capture] = []
    for world in WORLDS:
        ids = {node.title: node.id for node in world_nodes(world)}
        again = {text: _reading(ids, parents, kinds) for text, parents, kinds in second[world]}
        for number, name in enumerate((f"{world}.toml", f"{world}_second.toml"), start=1):
            for text, parents, kind in _table(name)["captures"]:
                found.append(Capture(world, text, _reading(ids, parents, kind), again[text], number))
    return tuple(found)


def statings() -> tuple[Stating, ...]:
    """Every saying of the set of relations; a label that names no node of its world raises KeyError."""
    tables = tuple(_table(f"relations{which}.toml") for which in ("", "_second", "_third"))
    found: list[Stating] = []
    for world in WORLDS:
        ids = {node.title: node.id for node in world_nodes(world)}
        for number, table in enumerate(tables, start=1):
            for text, kind, titles in table[world]:
                targets = frozenset(ids[title.strip()] for title in titles.split("|") if title)
                found.append(Stating(world, text, RelationKind(kind) if kind else None, targets, number))
    return tuple(found)


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads((_HERE / name).read_text(encoding="utf-8"))


def _reading(ids: dict[str, str], parents: str, kinds: str) -> Reading:
    return Reading(
        tuple(ids[title.strip()] for title in parents.split("|")),
        tuple(NodeKind(kind.strip()) for kind in kinds.split("|")),
    )
