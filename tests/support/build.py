"""Operations and tables for tests of the graph's rules: short names for nodes, derived ids, no story."""

import hashlib
from typing import Any

from kernel.reducer.operations import Acceptance, put_node
from kernel.rules.operations import checked
from kernel.state import Tables
from kernel.values.records import Node, NodeAdd, Operation, RelationAdd
from kernel.values.words import Words, commit
from kernel.vocabulary import (
    Governance,
    NodeKind,
    Phase,
    RelationKind,
    Verification,
    Visibility,
)
from tests.support.spec import Refusal, refusal_of

YES = Acceptance(1, "owner")
EVIDENCED = Acceptance(1, "owner", by_evidence=True)


def node_id(name: str) -> str:
    """Return the id of the node with this short name."""
    return "node_" + _tail(name)


def relation_id(name: str) -> str:
    """Return the id of the relation with this short name."""
    return "relation_" + _tail(name)


def _tail(name: str) -> str:
    return "0" + hashlib.sha256(name.encode()).hexdigest()[:25]


def words(text: str) -> Words:
    """Return a text as words under one fixed salt."""
    return commit(text, b"s" * 32)


def root() -> Tables:
    """Return the tables of a fresh project whose root is called `root`."""
    node = Node(
        id=node_id("root"),
        kind=NodeKind.PROJECT,
        title=words("Root"),
        visibility=Visibility.SHARED,
        governance=Governance.ADOPTED,
        phase=Phase.NONE,
        verification=Verification.UNVERIFIED,
        source_ids=(),
        created_in=0,
    )
    return put_node(Tables(), node)


def add(name: str, kind: NodeKind = NodeKind.IDEA, **changes: Any) -> NodeAdd:
    """Return the operation that adds a shared node of this kind."""
    plain = NodeAdd(
        node_id=node_id(name),
        kind=kind,
        title=words(name),
        visibility=Visibility.SHARED,
        phase=Phase.PLANNED if kind is NodeKind.TASK else Phase.NONE,
        source_ids=(),
    )
    return plain.model_copy(update=changes)


def join(start: str, kind: RelationKind, end: str) -> RelationAdd:
    """Return the operation that joins two nodes."""
    name = f"{start}{end}{list(RelationKind).index(kind)}"
    return RelationAdd(relation_id=relation_id(name), kind=kind, from_id=node_id(start), to_id=node_id(end))


def under(name: str, parent: str = "root") -> RelationAdd:
    """Return the operation that places a node under another."""
    return join(name, RelationKind.BELONGS_TO, parent)


def grown(*operations: Operation, tables: Tables | None = None) -> Tables:
    """Return the tables after lawful operations."""
    return checked(root() if tables is None else tables, operations, YES)


def how_refused(tables: Tables, *operations: Operation, acceptance: Acceptance = YES) -> Refusal | None:
    """Return how the rules refuse these operations; None when they are lawful."""
    return refusal_of(lambda: checked(tables, operations, acceptance))
