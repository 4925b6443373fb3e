"""Turn what a person wants of an accepted node into a proposal: other words, another place, relations, or its end.

The operations are computed from the head: what has to end so that the rest is lawful - the old place of a node that
moves, the relations of one that is retired, what its evidence verified - stands in the proposal too, for whoever
decides to read.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from kernel.commands import Below, Join, ProposeCorrection
from kernel.decide.drafts import Draft
from kernel.errors import InvalidError, NotFoundError, StaleError
from kernel.events.delta import DeltaProposed
from kernel.reducer.operations import Acceptance, apply
from kernel.rules.limits import OPERATIONS_MAX, TITLE_CHARS_MAX
from kernel.rules.operations import moved, touched, unproven
from kernel.state import State, Tables, revision_key
from kernel.values.records import (
    Node,
    NodeClear,
    NodePatch,
    NodeRetire,
    Operation,
    Relation,
    RelationAdd,
    RelationRetire,
    Touch,
)
from kernel.values.stamp import Stamp
from kernel.vocabulary import Purpose, RelationKind, Verification

_TEXTS: Final = ("title", "description", "profile_id", "artifact_path")


def propose_correction(state: State, command: ProposeCorrection, stamp: Stamp) -> tuple[Draft, ...]:
    """Propose to change one node as a person asks.

    Raises: NotFoundError when a node or relation does not exist; InvalidError when parts of the wish exclude each
    other; StaleError when what it is about changed since the person looked.
    """
    node = _known(state.tables, command.node_id)
    operations = _operations(state.tables, node, command, stamp)
    _require_unmoved(state, command, operations)
    body = DeltaProposed(
        delta_id=stamp.id("delta"),
        purpose=Purpose.CORRECTION,
        base_revision=state.revision,
        source_ids=(),
        title=stamp.words(_title(state.tables, node, command)[:TITLE_CHARS_MAX], "title"),
        operations=operations,
        reasons=() if command.rationale is None else (stamp.words(command.rationale, "rationale"),),
        touches=touched(state.tables, operations),
    )
    return (Draft(body),)


def _known(tables: Tables, node_id: str) -> Node:
    node = tables.nodes.get(node_id)
    if node is None:
        message = f"node {node_id} does not exist"
        raise NotFoundError(message)
    return node


def _operations(
    tables: Tables, node: Node, command: ProposeCorrection, stamp: Stamp
) -> tuple[Operation, ...]:
    if command.retires is not None:
        if _changes(command):
            message = "a node that is retired is not changed as well; propose one of the two"
            raise InvalidError(message)
        operations = tuple(_retired(tables, node.id, command.retires, stamp))
    else:
        operations = (
            *_reworded(node, command, stamp),
            *_placed(tables, node, command.under_id, stamp),
            *_parted(tables, node, command.parts),
            *_joined(tables, node, command.joins, stamp),
        )
    # A wish for nothing is a change that changes nothing, which the rules refuse in their words.
    return (*operations, *_no_longer_verified(tables, operations)) or (NodePatch(node_id=node.id),)


def _changes(command: ProposeCorrection) -> bool:
    """Tell whether anything but its end is wished for a node."""
    fields = (*(getattr(command, name) for name in _TEXTS), command.phase, command.under_id)
    return bool(command.joins or command.parts) or any(item is not None for item in fields)


def _reworded(node: Node, command: ProposeCorrection, stamp: Stamp) -> Iterator[Operation]:
    """Yield the patch, and what empties fields; an empty title stays, for the rules to refuse."""
    emptied = [name for name in _TEXTS[1:] if getattr(command, name) == ""]
    title, described = command.title, command.description or None
    patch = NodePatch(
        node_id=node.id,
        title=None if title is None else stamp.words(title, "new title"),
        description=None if described is None else stamp.words(described, "new description"),
        phase=command.phase,
        profile_id=command.profile_id or None,
        artifact_path=command.artifact_path or None,
    )
    if patch != NodePatch(node_id=node.id):
        yield patch
    fields = tuple(name for name in ("description", "profile_id", "artifact_path") if name in emptied)
    if fields:
        yield NodeClear.model_validate({"node_id": node.id, "fields": fields})


def _placed(tables: Tables, node: Node, under_id: str | None, stamp: Stamp) -> Iterator[Operation]:
    if under_id is None:
        return
    place = _known(tables, under_id)
    if tables.parent.get(node.id) == place.id:
        message = f"“{node.title.or_erased()}” stands under “{place.title.or_erased()}” already"
        raise InvalidError(message)
    for relation in _links(tables, node.id):
        if relation.kind is RelationKind.BELONGS_TO and relation.from_id == node.id:
            yield RelationRetire(relation_id=relation.id)
    yield _belongs(stamp, node.id, place.id)


def _belongs(stamp: Stamp, node_id: str, place_id: str) -> RelationAdd:
    return RelationAdd(
        relation_id=stamp.id("relation", f"belongs {node_id}"),
        kind=RelationKind.BELONGS_TO,
        from_id=node_id,
        to_id=place_id,
    )


def _links(tables: Tables, node_id: str) -> tuple[Relation, ...]:
    """Return the active relations of a node, its place and what belongs to it among them."""
    return tuple(tables.relations[item] for item in tables.links.get(node_id) or ())


def _parted(tables: Tables, node: Node, parts: Iterable[str]) -> Iterator[Operation]:
    for relation_id in dict.fromkeys(parts):
        relation = tables.relations.get(relation_id)
        if relation is None or relation_id not in (tables.links.get(node.id) or ()):
            message = f"“{node.title.or_erased()}” has no relation {relation_id:.64}"
            raise NotFoundError(message)
        if relation.kind is RelationKind.BELONGS_TO:
            message = "the place of a node is changed by moving it, or by retiring it"
            raise InvalidError(message)
        yield RelationRetire(relation_id=relation_id)


def _joined(tables: Tables, node: Node, joins: Iterable[Join], stamp: Stamp) -> Iterator[Operation]:
    for index, join in enumerate(joins):
        other = _known(tables, join.other_id)
        if join.kind is RelationKind.BELONGS_TO:
            message = "the place of a node is changed by moving it"
            raise InvalidError(message)
        ends = (node.id, other.id) if join.is_outgoing else (other.id, node.id)
        relation_id = stamp.id("relation", f"join {index}")
        yield RelationAdd(relation_id=relation_id, kind=join.kind, from_id=ends[0], to_id=ends[1])


def _retired(tables: Tables, node_id: str, below: Below, stamp: Stamp) -> Iterator[Operation]:
    """Yield what ends a node: the relations of everything that goes, then the nodes, the one that is meant first."""
    going = _whole(tables, node_id) if below is Below.RETIRED else (node_id,)
    place_id = tables.parent.get(node_id)
    relations = dict.fromkeys(relation for item in going for relation in tables.links.get(item) or ())
    for relation_id in relations:
        yield RelationRetire(relation_id=relation_id)
    if below is Below.LIFTED and place_id is not None:
        for child_id in tables.children.get(node_id) or ():
            yield _belongs(stamp, child_id, place_id)
    for item in going:
        yield NodeRetire(node_id=item)


def _whole(tables: Tables, node_id: str) -> tuple[str, ...]:
    """Return a node and everything that belongs to it. O(nodes below it).

    Raises: InvalidError when it is more than one proposal can hold.
    """
    found = [node_id]
    for item in found:
        found.extend(tables.children.get(item) or ())
        if len(found) > OPERATIONS_MAX:
            message = f"more than {OPERATIONS_MAX} nodes belong to it: retire its parts one after the other"
            raise InvalidError(message)
    return tuple(found)


def _no_longer_verified(tables: Tables, operations: tuple[Operation, ...]) -> Iterator[Operation]:
    """Yield what says so of work whose last evidence goes with these operations."""
    after = apply(tables, operations, Acceptance(0, ""))
    for node_id in unproven(after, operations):
        yield NodePatch(node_id=node_id, verification=Verification.UNVERIFIED)


def _require_unmoved(state: State, command: ProposeCorrection, operations: tuple[Operation, ...]) -> None:
    """Refuse a wish that is about something else than what the person looked at.

    Raises: StaleError.
    """
    seen = command.expected_revision
    if seen is None or seen == state.revision:
        return
    past = state.revisions.get(revision_key(seen)) if 0 <= seen < state.revision else None
    if past is None:
        message = f"there is no revision {seen} yet; look at it again"
        raise StaleError(message)
    changed = moved(state.tables, touched(past.tables, operations))
    if changed:
        message = f"{_named(state.tables, changed[0])} changed since revision {seen}, which you saw; look at it again"
        raise StaleError(message)


def _named(tables: Tables, touch: Touch) -> str:
    node = tables.nodes.get(touch.id)
    return "a relation of it" if node is None else f"“{node.title.or_erased()}”"


def _title(tables: Tables, node: Node, command: ProposeCorrection) -> str:
    """Return what the proposal is about in a line: the one thing that is wished, or that there are several."""
    said = [] if command.retires is None else [f"Retire {node.title.or_erased()}"]
    if command.under_id is not None:
        place = _known(tables, command.under_id)
        said.append(f"Move {node.title.or_erased()} under {place.title.or_erased()}")
    for join in command.joins:
        other = tables.nodes[join.other_id]
        said.append(_relation_title(join.kind, *((node, other) if join.is_outgoing else (other, node))))
    for relation_id in dict.fromkeys(command.parts):
        relation = tables.relations[relation_id]
        ends = tables.nodes[relation.from_id], tables.nodes[relation.to_id]
        said.append(f"End: {_relation_title(relation.kind, *ends)}")
    is_reworded = any(getattr(command, name) is not None for name in (*_TEXTS, "phase"))
    return said[0] if len(said) == 1 and not is_reworded else f"Change {node.title.or_erased()}"


def _relation_title(kind: RelationKind, start: Node, end: Node) -> str:
    return f"{start.title.or_erased()} {kind.value.replace('_', ' ')} {end.title.or_erased()}"
