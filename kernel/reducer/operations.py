"""Apply a delta's operations to the canonical tables: pure, in order, trusting.

Lawfulness is `kernel/rules/operations.py`; this module only computes what follows. The cost is that of the
records changed, not of those that exist.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from operator import is_
from typing import Any, Final

from kernel.canonical import digest, record_bytes
from kernel.state import Tables
from kernel.table import Series, Table
from kernel.values.recorded import made
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
from kernel.vocabulary import Governance, Phase, RelationKind, Verification

RECORD_DOMAIN: Final = "odeu.record.v1"
"""Domain tag of a canonical record's digest, the leaf value of the state trie."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What acceptance adds to the operations: the revision, the approver, and whether a person asserts work."""

    revision: int
    approver: str
    by_evidence: bool = False
    """True for a reconciliation: `verified`, and `completed` with it, then rests on evidence, not on a word."""


def records_of(nodes: Table[Node], relations: Table[Relation]) -> Iterator[tuple[str, str, bytes]]:
    """Yield kind, id and digest, as raw bytes, of every canonical record, in no order: what their trie holds."""
    domain = RECORD_DOMAIN.encode("ascii") + b"\x00"
    for node in nodes.unsorted():
        yield "node", node.id, sha256(domain + record_bytes(node)).digest()
    for relation in relations.unsorted():
        yield "relation", relation.id, sha256(domain + record_bytes(relation)).digest()


def record_digest(record: Node | Relation) -> str:
    """Return the digest of one canonical record."""
    return digest(RECORD_DOMAIN, record_bytes(record))


@dataclass(frozen=True, slots=True)
class _Foreseen:
    """What these operations, accepted this way, make of the tables that hold this."""

    operations: tuple[Operation, ...]
    acceptance: Acceptance
    after: Tables


def apply(tables: Tables, operations: tuple[Operation, ...], acceptance: Acceptance) -> Tables:
    """Return the tables after all operations, in order: what was foreseen of just these, else computed now.

    Raises: KeyError when an operation names a record that does not exist (callers check first).
    """
    known = _known(tables, operations, acceptance)
    if known is not None:
        return known
    for operation in operations:
        tables = _STEPS[operation.op](tables, operation, acceptance)
    return tables


def foresee(tables: Tables, operations: tuple[Operation, ...], acceptance: Acceptance) -> Tables:
    """Return the same as `apply`, and let `tables` remember it for whoever checks and remembers the acceptance.

    So deciding, checking and evolving one acceptance share one result, and its records are hashed once.
    """
    # The trie before comes first, so that a chain of acceptances never hashes the same records again.
    tables.trie.root()
    after = apply(tables, operations, acceptance)
    # No part of the value, and anyone would remember the same: the tables stay as frozen as they were.
    object.__setattr__(tables, "foreseen", _Foreseen(operations, acceptance, after))
    return after


def _known(tables: Tables, operations: tuple[Operation, ...], acceptance: Acceptance) -> Tables | None:
    known = tables.foreseen
    if not isinstance(known, _Foreseen) or known.acceptance != acceptance:
        return None
    same = len(known.operations) == len(operations) and all(map(is_, known.operations, operations))
    return known.after if same else None


def state_root(tables: Tables) -> str:
    """Return the root of the state trie as a tagged digest."""
    return f"sha256:{tables.trie.root().hex()}"


def put_node(tables: Tables, node: Node) -> Tables:
    """Return the tables with one node stored and its leaf updated."""
    return tables.having(
        nodes=tables.nodes.put(node.id, node),
        trie=tables.trie.put("node", node.id, partial(record_digest, node)),
    )


def _put_relation(tables: Tables, relation: Relation, links: Table[Series]) -> Tables:
    return tables.having(
        relations=tables.relations.put(relation.id, relation),
        trie=tables.trie.put("relation", relation.id, partial(record_digest, relation)),
        links=links,
    )


def _node_add(tables: Tables, operation: NodeAdd, acceptance: Acceptance) -> Tables:
    fields = {
        "id": operation.node_id,
        "kind": operation.kind,
        "title": operation.title,
        "description": operation.description,
        "visibility": operation.visibility,
        "governance": Governance.ADOPTED,
        "phase": operation.phase,
        "verification": Verification.UNVERIFIED,
        "profile_id": operation.profile_id,
        "artifact_path": operation.artifact_path,
        "source_ids": operation.source_ids,
        "said_by": _said_by(operation.phase, acceptance),
        "approved_by": acceptance.approver,
        "created_in": acceptance.revision,
        "retired_in": None,
    }
    return put_node(tables, made(Node, fields))


def _said_by(phase: Phase | None, acceptance: Acceptance) -> str | None:
    return acceptance.approver if phase is Phase.COMPLETED else None


_SAID: Final = ("title", "description")
"""What verified work says of itself: evidence is about these words, so other words are not verified by it."""


def _node_patch(tables: Tables, operation: NodePatch, acceptance: Acceptance) -> Tables:
    node = tables.nodes[operation.node_id]
    changes: dict[str, Any] = {
        name: value
        for name in (
            "title",
            "description",
            "visibility",
            "phase",
            "verification",
            "profile_id",
            "artifact_path",
        )
        if (value := getattr(operation, name)) is not None
    }
    added = tuple(item for item in operation.add_source_ids if item not in node.source_ids)
    changes["source_ids"] = node.source_ids + added
    proven = acceptance.by_evidence and operation.verification is Verification.VERIFIED
    if operation.phase is not None and (operation.phase is not node.phase or acceptance.by_evidence):
        changes["said_by"] = None if proven else _said_by(operation.phase, acceptance)
        if operation.phase is not Phase.COMPLETED:
            changes["verification"] = Verification.UNVERIFIED
    if not proven and any(getattr(node, name) != changes.get(name, getattr(node, name)) for name in _SAID):
        changes["verification"] = Verification.UNVERIFIED
    return put_node(tables, node.model_copy(update=changes))


def _node_clear(tables: Tables, operation: NodeClear, _acceptance: Acceptance) -> Tables:
    node = tables.nodes[operation.node_id]
    changes: dict[str, Any] = dict.fromkeys(operation.fields)
    if "description" in operation.fields:
        changes["verification"] = Verification.UNVERIFIED
    return put_node(tables, node.model_copy(update=changes))


def _node_retire(tables: Tables, operation: NodeRetire, acceptance: Acceptance) -> Tables:
    node = tables.nodes[operation.node_id]
    return put_node(tables, node.model_copy(update={"retired_in": acceptance.revision}))


def _relation_add(tables: Tables, operation: RelationAdd, acceptance: Acceptance) -> Tables:
    fields = {
        "id": operation.relation_id,
        "kind": operation.kind,
        "from_id": operation.from_id,
        "to_id": operation.to_id,
        "source_ids": operation.source_ids,
        "created_in": acceptance.revision,
        "retired_in": None,
    }
    relation = made(Relation, fields)
    links = tables.links
    for node_id in _ends(relation):
        links = links.put(node_id, _with(links, node_id, relation.id))
    tables = _put_relation(tables, relation, links)
    if relation.kind is not RelationKind.BELONGS_TO:
        return tables
    siblings = _with(tables.children, relation.to_id, relation.from_id)
    return tables.having(
        parent=tables.parent.put(relation.from_id, relation.to_id),
        children=tables.children.put(relation.to_id, siblings),
    )


def _with(table: Table[Series], key: str, item: str) -> Series:
    """Return the series under this key with one more text."""
    known = table.get(key)
    return (_NONE if known is None else known).added(item)


_NONE: Final = Series()


def _ends(relation: Relation) -> tuple[str, ...]:
    """Return the nodes that the relation joins; one, when it joins a node to itself."""
    one, other = relation.from_id, relation.to_id
    return (one,) if one == other else (one, other)


def _relation_retire(tables: Tables, operation: RelationRetire, acceptance: Acceptance) -> Tables:
    relation = tables.relations[operation.relation_id]
    links = tables.links
    for node_id in _ends(relation):
        links = links.put(node_id, (links.get(node_id) or _NONE).without(relation.id))
    retired = relation.model_copy(update={"retired_in": acceptance.revision})
    tables = _put_relation(tables, retired, links)
    if relation.kind is not RelationKind.BELONGS_TO:
        return tables
    siblings = (tables.children.get(relation.to_id) or _NONE).without(relation.from_id)
    return tables.having(
        parent=tables.parent.without(relation.from_id),
        children=tables.children.put(relation.to_id, siblings),
    )


_STEPS: Final[dict[str, Callable[[Tables, Any, Acceptance], Tables]]] = {
    "node.add": _node_add,
    "node.patch": _node_patch,
    "node.clear": _node_clear,
    "node.retire": _node_retire,
    "relation.add": _relation_add,
    "relation.retire": _relation_retire,
}
