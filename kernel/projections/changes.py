"""What differs between two accepted states: nodes added, changed, moved and retired, relations joined and parted."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from kernel.projections.kept import Kept
from kernel.projections.past import revision_of
from kernel.state import Revision, State, Tables, revision_key
from kernel.values.records import Node, Relation, RelationAdd, RelationRetire
from kernel.values.words import Words
from kernel.vocabulary import RelationKind

Mark = Literal["added", "changed", "retired"]
DESCENT: Final = frozenset({RelationKind.REFINES, RelationKind.SUPERSEDES, RelationKind.ORIGINATED_FROM})
"""Relations by which one thought came out of another."""


FIELDS: Final = (
    "title",
    "description",
    "visibility",
    "governance",
    "phase",
    "verification",
    "profile_id",
    "artifact_path",
)
"""The fields of a node that a comparison shows, in this order."""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field with its words before and after; None where it was or is empty."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class NodeChange:
    """One node that is not as it was."""

    before: Node | None
    """None when it was not there."""
    after: Node
    was_under: str | None
    """The node it belonged to before; None for an added or loose one."""
    is_under: str | None
    """The node it belongs to now; None for a retired one and for the root."""
    joined: tuple[Relation, ...] = ()
    """Relations that start from it now and did not, its place left out."""
    parted: tuple[Relation, ...] = ()
    """Relations that started from it and do no more, its place left out."""

    @property
    def mark(self) -> Mark:
        """How the node is marked. What came and went in between is retired."""
        if self.after.retired_in is not None:
            return "retired"
        return "added" if self.before is None else "changed"

    @property
    def fields(self) -> tuple[FieldChange, ...]:
        """The fields that differ from before; none for an added node."""
        if self.before is None:
            return ()
        pairs = ((name, getattr(self.before, name), getattr(self.after, name)) for name in FIELDS)
        return tuple(FieldChange(name, _said(old), _said(new)) for name, old, new in pairs if old != new)

    @property
    def is_moved(self) -> bool:
        """Whether it belongs to another node than before."""
        return self.before is not None and self.mark == "changed" and self.was_under != self.is_under


def _said(value: Words | str | None) -> str | None:
    return value.or_erased() if isinstance(value, Words) else value


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that differs between two revisions."""

    earlier: Revision
    later: Revision
    changes: tuple[NodeChange, ...]
    """By node id."""
    counts: Mapping[Mark, int] = field(default_factory=dict)
    """How many nodes are marked how; a mark that none has may be absent."""


TOLD_MAX: Final = 1000
"""Over how many revisions a comparison follows what they named; over more it looks at every record."""
_COMPARED: Final = Kept[Comparison](8)


def compare(state: State, earlier: int, later: int) -> Comparison:
    """Return what differs between two revisions of a state. Kept; else O(what they named), at most O(records).

    Raises: NotFoundError.
    """
    first, second = revision_of(state, earlier), revision_of(state, later)
    return _COMPARED.of((first, second), lambda: _compared(state, first, second))


def _compared(state: State, first: Revision, second: Revision) -> Comparison:
    old, new = first.tables, second.tables
    if 0 <= second.number - first.number <= TOLD_MAX:
        touched, moved = touched_between(state, first.number, second.number)
    else:
        touched, moved = set(new.nodes.newer_than(old.nodes)), set(new.relations.newer_than(old.relations))
    touched |= {new.relations[item].from_id for item in moved}
    changes = changes_of(old, new, touched, moved)
    return Comparison(first, second, changes, Counter(item.mark for item in changes))


def changes_of(
    old: Tables, new: Tables, node_ids: Iterable[str], relation_ids: Iterable[str]
) -> tuple[NodeChange, ...]:
    """Return which of these nodes differ, by id; `relation_ids` are relations that may have come or gone."""
    joined: dict[str, tuple[Relation, ...]] = {}
    parted: dict[str, tuple[Relation, ...]] = {}
    for relation in (new.relations[item] for item in sorted(relation_ids)):
        was = old.relations.get(relation.id)
        if relation.kind is RelationKind.BELONGS_TO or was is relation:
            continue
        if relation.retired_in is None:
            joined[relation.from_id] = (*joined.get(relation.from_id, ()), relation)
        elif was is not None:
            parted[relation.from_id] = (*parted.get(relation.from_id, ()), relation)
    found = []
    for node_id in sorted(set(node_ids)):
        change = NodeChange(
            before=old.nodes.get(node_id),
            after=new.nodes[node_id],
            was_under=old.parent.get(node_id),
            is_under=new.parent.get(node_id),
            joined=joined.get(node_id, ()),
            parted=parted.get(node_id, ()),
        )
        if _differs(change):
            found.append(change)
    return tuple(found)


def _differs(change: NodeChange) -> bool:
    if change.before is change.after and change.was_under == change.is_under:
        return bool(change.joined or change.parted)
    return True


def touched_between(state: State, earlier: int, later: int) -> tuple[set[str], set[str]]:
    """Return the nodes and relations that the revisions after `earlier` and up to `later` named. O(their operations).

    Whatever differs between the two is among them; what came and went in between is too.

    Raises: KeyError when there is no such revision.
    """
    nodes: set[str] = set()
    relations: set[str] = set()
    for number in range(earlier + 1, later + 1):
        revision = state.revisions[revision_key(number)]
        if revision.delta_id is None:
            continue
        for operation in state.deltas[revision.delta_id].operations:
            if isinstance(operation, RelationAdd | RelationRetire):
                relations.add(operation.relation_id)
            else:
                nodes.add(operation.node_id)
    return nodes, relations


def changes_in(state: State, revision: Revision) -> tuple[NodeChange, ...]:
    """Return what one revision changed; the opening itself changed nothing. O(its operations)."""
    if revision.delta_id is None:
        return ()
    old = revision_of(state, revision.number - 1).tables
    nodes, relations = touched_between(state, revision.number - 1, revision.number)
    nodes |= {revision.tables.relations[item].from_id for item in relations}
    return changes_of(old, revision.tables, nodes, relations)
