"""Says in sentences what a change of accepted nodes does: what moves, what is joined or parted, what is retired."""

from collections.abc import Iterable, Iterator
from typing import Final

from app.views.building.about import shortened
from app.views.parts import Sentence
from app.views.wording import VERBS, count
from kernel.rules.operations import is_belonging
from kernel.state import Tables
from kernel.values.records import (
    NodeAdd,
    NodeClear,
    NodePatch,
    NodeRetire,
    Operation,
    Relation,
    RelationAdd,
    RelationRetire,
)
from kernel.vocabulary import RelationKind, Verification

STEPS_SHOWN: Final = 8
"""How many steps are said one by one; the rest is counted."""


def subject_of(tables: Tables, operations: Iterable[Operation]) -> str | None:
    """Return the accepted node that a change is about: one that is reworded or retired, else one that is joined."""
    joined: str | None = None
    for item in operations:
        if isinstance(item, NodePatch | NodeClear | NodeRetire):
            return item.node_id
        if joined is None and isinstance(item, RelationAdd | RelationRetire):
            start = _start(tables, item)
            joined = start if start in tables.nodes else None
    return joined


def _start(tables: Tables, step: RelationAdd | RelationRetire) -> str:
    if isinstance(step, RelationAdd):
        return step.from_id
    relation = tables.relations.get(step.relation_id)
    return "" if relation is None else relation.from_id


def steps(tables: Tables, operations: tuple[Operation, ...]) -> tuple[Sentence, ...]:
    """Return what happens to places, relations and nodes, a sentence each; new words are said elsewhere.

    `tables` are those before the change, or any later ones: nothing that was there is ever gone from them.
    """
    said = tuple(_Steps(tables, operations).said())
    if len(said) <= STEPS_SHOWN:
        return said
    return (
        *said[:STEPS_SHOWN],
        Sentence(f"{count(len(said) - STEPS_SHOWN, 'more step')} like these.", "minus"),
    )


class _Steps:
    """The steps of one change, with what has to be known of the others to say one."""

    def __init__(self, tables: Tables, operations: tuple[Operation, ...]) -> None:
        self.tables = tables
        self.operations = operations
        self.added = {item.node_id for item in operations if isinstance(item, NodeAdd)}
        self.retired = {item.node_id for item in operations if isinstance(item, NodeRetire)}
        self.places = {
            item.from_id: item.to_id
            for item in operations
            if isinstance(item, RelationAdd) and is_belonging(item)
        }

    def said(self) -> Iterator[Sentence]:
        """Yield the sentences, the retired nodes first."""
        for item in self.operations:
            if isinstance(item, NodeRetire):
                yield Sentence(f"{self._title(item.node_id)} is retired.", "archive")
        for item in self.operations:
            if isinstance(item, RelationRetire):
                yield from self._parted(self.tables.relations.get(item.relation_id))
            elif isinstance(item, RelationAdd) and item.from_id not in self.added:
                yield from self._joined(item)
            elif isinstance(item, NodePatch) and self._loses_its_proof(item):
                yield Sentence(
                    f"{self._title(item.node_id)} is not called verified any more.", "circle-help", "warn"
                )

    def _title(self, node_id: str) -> str:
        node = self.tables.nodes.get(node_id)
        return "A new node" if node is None else f"“{shortened(node.title.or_erased())}”"

    def _parted(self, relation: Relation | None) -> Iterator[Sentence]:
        if relation is None:
            return
        if relation.kind is not RelationKind.BELONGS_TO:
            verb = VERBS[relation.kind, True]
            text = f"{self._title(relation.from_id)} {verb} {self._title(relation.to_id)}: that ends."
            yield Sentence(text, "minus")
        elif relation.from_id in self.places:
            where = f"from {self._title(relation.to_id)} to {self._title(self.places[relation.from_id])}"
            yield Sentence(f"{self._title(relation.from_id)} moves {where}.", "corner-down-right", "accent")
        elif relation.from_id not in self.retired:
            yield Sentence(f"{self._title(relation.from_id)} loses its place.", "minus")

    def _joined(self, step: RelationAdd) -> Iterator[Sentence]:
        if not is_belonging(step):
            text = f"{self._title(step.from_id)} {VERBS[step.kind, True]} {self._title(step.to_id)} from then on."
            yield Sentence(text, "waypoints", "accent")

    def _loses_its_proof(self, step: NodePatch) -> bool:
        is_about_work = step.phase is not None or step.title is not None or step.description is not None
        return step.verification is Verification.UNVERIFIED and not is_about_work
