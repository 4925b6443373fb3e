"""What takes an accepted revision back: inverse operations on the head, and what later records lose by them.

Nothing is undone: a compensation is a new revision. What came after stays wherever it can - a field that was
changed again, a node that hangs under one that goes - and what cannot come back as it was is said in a sentence
each, for the person who decides.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, cast

from kernel.canonical import plain
from kernel.errors import InvalidError, NotFoundError, RefusedError, StaleError
from kernel.events.delta import DeltaProposed
from kernel.reducer.operations import Acceptance, apply
from kernel.rules.graph import ancestors
from kernel.rules.operations import refusal_of_step
from kernel.state import DeltaRecord, Revision, State, revision_key
from kernel.values.records import (
    Node,
    NodeAdd,
    NodeClear,
    NodePatch,
    NodeRetire,
    Operation,
    Relation,
    RelationAdd,
    RelationRetire,
)
from kernel.vocabulary import Purpose, RelationKind, Verification

Naming = Callable[[str], str]
"""Record kind, `node` or `relation` -> the next fresh id."""

_FIELDS: Final = ("title", "description", "visibility", "phase", "profile_id", "artifact_path")


@dataclass(frozen=True, slots=True)
class Inverse:
    """The operations that take a revision back, in order, and what they cost or leave, a sentence each."""

    operations: tuple[Operation, ...]
    remarks: tuple[str, ...]


def inverse_of(state: State, number: int, name: Naming) -> Inverse:
    """Return what takes this revision back from the head. O(records it made or changed, and what hangs on them).

    Raises: NotFoundError when there is no such revision, or it is the one that opened the ledger; RefusedError
    when nothing of it can be taken back.
    """
    revision = state.revisions.get(revision_key(number)) if number > 0 else None
    if revision is None or revision.delta_id is None:
        message = f"there is no revision {number} that could be taken back"
        raise NotFoundError(message)
    undoing = _Undoing(state, revision, state.deltas[revision.delta_id], name)
    undoing.run()
    if not undoing.operations:
        message = f"nothing of revision {number} is left to take back: {'; '.join(undoing.remarks) or 'it is undone'}"
        raise RefusedError(message, code="nothing_to_compensate")
    return Inverse(tuple(undoing.operations), tuple(undoing.remarks))


class _Undoing:
    """One inverse in the making: the tables as they would be by now, what was done, what has to be said."""

    def __init__(self, state: State, revision: Revision, record: DeltaRecord, name: Naming) -> None:
        self.head = state.tables
        self.before = state.revisions[revision_key(revision.number - 1)].tables
        self.after = revision.tables
        self.tables = state.tables
        self.name = name
        self.acceptance = Acceptance(state.revision + 1, "")
        self.steps = record.operations
        self.going = {step.node_id for step in self.steps if isinstance(step, NodeAdd)}
        self.again: dict[str, str] = {}
        self.operations: list[Operation] = []
        self.remarks: list[str] = []

    def run(self) -> None:
        """Take back every step, the last one first."""
        undo: dict[type, Callable[[Any], None]] = {
            NodeAdd: self._node_added,
            NodePatch: self._node_changed,
            NodeClear: self._node_changed,
            NodeRetire: self._node_retired,
            RelationAdd: self._relation_added,
            RelationRetire: self._relation_retired,
        }
        for step in reversed(self.steps):
            undo[type(step)](step)

    def _do(self, operation: Operation) -> bool:
        refusal = refusal_of_step(self.tables, operation, self.acceptance)
        if refusal is not None:
            self._say(f"Cannot be taken back: {refusal}")
            return False
        self.tables = apply(self.tables, (operation,), self.acceptance)
        self.operations.append(operation)
        return True

    def _say(self, sentence: str) -> None:
        if sentence not in self.remarks:
            self.remarks.append(sentence)

    def _title(self, node_id: str) -> str:
        return f"“{self.tables.nodes[node_id].title.or_erased()}”"

    def _linked(self, node_id: str) -> Iterator[Relation]:
        for relation_id in tuple(self.tables.links.get(node_id) or ()):
            yield self.tables.relations[relation_id]

    def _node_added(self, step: NodeAdd) -> None:
        node = self.tables.nodes[step.node_id]
        if node.retired_in is not None:
            self._say(f"{self._title(node.id)} was retired in revision {node.retired_in} already")
            return
        place = next((item for item in ancestors(self.head, node.id) if item not in self.going), None)
        for relation in self._linked(node.id):
            self._do(RelationRetire(relation_id=relation.id))
            if relation.kind is RelationKind.BELONGS_TO and relation.to_id == node.id and place is not None:
                self._join(RelationKind.BELONGS_TO, relation.from_id, place)
                self._say(
                    f"{self._title(relation.from_id)} was placed under {self._title(node.id)} later and would "
                    f"move up to {self._title(place)}"
                )
            elif relation.kind is not RelationKind.BELONGS_TO:
                self._say(f"{self._sentence(relation)}: that was said later and would end")
        self._do(NodeRetire(node_id=node.id))

    def _sentence(self, relation: Relation) -> str:
        words = relation.kind.value.replace("_", " ")
        return f"{self._title(relation.from_id)} {words} {self._title(relation.to_id)}"

    def _join(self, kind: RelationKind, from_id: str, to_id: str) -> bool:
        relation_id = self.name("relation")
        return self._do(RelationAdd(relation_id=relation_id, kind=kind, from_id=from_id, to_id=to_id))

    def _node_changed(self, step: NodePatch | NodeClear) -> None:
        old = self.before.nodes.get(step.node_id)
        if old is None or self.tables.nodes[step.node_id].retired_in is not None:
            return
        named = step.fields if isinstance(step, NodeClear) else _FIELDS
        cleared: list[str] = []
        patched: dict[str, Any] = {}
        for name in named:
            if not self._is_ours(step.node_id, name):
                continue
            value = getattr(old, name)
            if value is None:
                cleared.append(name)
            else:
                patched[name] = value
        if self._verified_by_it(step.node_id):
            patched["verification"] = Verification.UNVERIFIED
        if patched:
            self._do(NodePatch(node_id=step.node_id, **patched))
        if cleared:
            self._do(NodeClear(node_id=step.node_id, fields=cast("Any", tuple(cleared))))

    def _is_ours(self, node_id: str, name: str) -> bool:
        """Tell whether a field is as the revision left it, and was another before; say it when a later one changed it."""
        old, ours = getattr(self.before.nodes[node_id], name), getattr(self.after.nodes[node_id], name)
        now = getattr(self.tables.nodes[node_id], name)
        if old in (ours, now):
            return False
        if now != ours:
            self._say(
                f"The {name.replace('_', ' ')} of {self._title(node_id)} was changed again since; it stays"
            )
            return False
        return True

    def _verified_by_it(self, node_id: str) -> bool:
        """Tell whether the revision verified the node and it still is; only evidence makes a node verified again."""
        verified = Verification.VERIFIED
        old, ours = self.before.nodes[node_id].verification, self.after.nodes[node_id].verification
        if old is verified and ours is not verified:
            self._say(f"{self._title(node_id)} was verified before; only evidence verifies it again")
        now = self.tables.nodes[node_id].verification
        return old is not verified and ours is verified and now is verified

    def _node_retired(self, step: NodeRetire) -> None:
        node: Node = self.before.nodes.get(step.node_id) or self.tables.nodes[step.node_id]
        fresh = self.name("node")
        added = NodeAdd(
            node_id=fresh,
            kind=node.kind,
            title=node.title,
            description=node.description,
            visibility=node.visibility,
            phase=node.phase,
            profile_id=node.profile_id,
            artifact_path=node.artifact_path,
            source_ids=node.source_ids,
        )
        if self._do(added):
            self.again[step.node_id] = fresh
            self._say(f"{self._title(fresh)} comes back as a new node; what was verified of it is not")

    def _relation_added(self, step: RelationAdd) -> None:
        relation = self.tables.relations[step.relation_id]
        if relation.retired_in is not None:
            if step.from_id not in self.going and step.kind is not RelationKind.BELONGS_TO:
                self._say(f"{self._sentence(relation)}: that ended already")
            return
        is_place = step.kind is RelationKind.BELONGS_TO and step.from_id not in self.going
        if is_place and not self._has_its_place_still(step.from_id):
            self._say(f"{self._title(step.from_id)} cannot go back to its place, which is gone; it stays")
            return
        self._do(RelationRetire(relation_id=step.relation_id))

    def _has_its_place_still(self, node_id: str) -> bool:
        """Tell whether the place a node had before the revision is there, or comes back with it."""
        place_id = self.before.parent.get(node_id)
        place = None if place_id is None else self.tables.nodes.get(place_id)
        with_it = {step.node_id for step in self.steps if isinstance(step, NodeRetire)}
        return place is not None and (place.retired_in is None or place.id in with_it)

    def _relation_retired(self, step: RelationRetire) -> None:
        relation = self.tables.relations[step.relation_id]
        from_id = self.again.get(relation.from_id, relation.from_id)
        to_id = self.again.get(relation.to_id, relation.to_id)
        if relation.kind is RelationKind.BELONGS_TO and from_id in self.tables.parent:
            self._say(f"{self._title(from_id)} has another place since; it stays there")
            return
        self._join(relation.kind, from_id, to_id)


def require_inverse(state: State, body: DeltaProposed) -> None:
    """Refuse a compensation whose operations are not those the kernel computes from the revision it names.

    Raises: InvalidError; NotFoundError; StaleError when the head moved so that another inverse is right now.
    """
    if (body.compensates is not None) != (body.purpose is Purpose.COMPENSATION):
        message = "a compensation, and only it, names the revision it takes back"
        raise InvalidError(message)
    if body.compensates is None:
        return
    if body.alternatives or body.source_ids or body.fits:
        message = "a compensation is computed from a revision: it has no sources, places or alternatives"
        raise InvalidError(message)
    expected = inverse_of(state, body.compensates, _names_in(body.operations))
    same = plain(list(body.operations)) == plain(list(expected.operations))
    if not same or len(body.uncertainty) != len(expected.remarks):
        message = f"this is not what takes revision {body.compensates} back from here; propose it again"
        raise StaleError(message, code="conflict")


def _names_in(operations: tuple[Operation, ...]) -> Naming:
    """Return the naming that gives the fresh ids of these operations out again, in their order."""
    nodes = iter([item.node_id for item in operations if isinstance(item, NodeAdd)])
    relations = iter([item.relation_id for item in operations if isinstance(item, RelationAdd)])
    return lambda kind: next(nodes if kind == "node" else relations, "")
