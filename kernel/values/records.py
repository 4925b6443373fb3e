"""Nodes, relations and the operations that change them: the canonical part of a worldstate."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from kernel.values.recorded import Recorded
from kernel.values.words import Words
from kernel.vocabulary import Governance, NodeKind, Phase, RelationKind, Verification, Visibility


class Node(Recorded):
    """One canonical node. Its digest is a leaf of the revision's state root."""

    id: str
    kind: NodeKind
    title: Words
    description: Words | None = None
    visibility: Visibility
    governance: Governance
    phase: Phase
    verification: Verification
    profile_id: str | None = None
    """A delegation profile selected on a Task; naming one is not authority."""
    artifact_path: str | None = None
    """The path an Artifact stands for in its repository, relative and normalised."""
    source_ids: tuple[str, ...]
    """The captures this node came from, in the order they were added, no duplicates."""
    said_by: str | None = None
    """The person whose accepted correction set `completed`; None when evidence did, or nobody."""
    approved_by: str | None = None
    """The person whose acceptance adopted the node."""
    created_in: int
    """Number of the revision that added the node."""
    retired_in: int | None = None
    """Number of the revision that retired it; a retired node stays addressable."""


class Relation(Recorded):
    """One canonical, directed relation."""

    id: str
    kind: RelationKind
    from_id: str
    to_id: str
    source_ids: tuple[str, ...]
    created_in: int
    retired_in: int | None = None


class NodeAdd(Recorded):
    """Add a node. Governance is always `suggested` here; acceptance makes it `adopted`."""

    op: Literal["node.add"] = "node.add"
    node_id: str
    kind: NodeKind
    title: Words
    description: Words | None = None
    visibility: Visibility
    phase: Phase
    profile_id: str | None = None
    artifact_path: str | None = None
    source_ids: tuple[str, ...]


class NodePatch(Recorded):
    """Change fields of an active node; a field that is None stays as it is."""

    op: Literal["node.patch"] = "node.patch"
    node_id: str
    title: Words | None = None
    description: Words | None = None
    visibility: Visibility | None = None
    phase: Phase | None = None
    verification: Verification | None = None
    profile_id: str | None = None
    artifact_path: str | None = None
    add_source_ids: tuple[str, ...] = ()


class NodeRetire(Recorded):
    """Retire an active node that no active relation touches any more."""

    op: Literal["node.retire"] = "node.retire"
    node_id: str


class RelationAdd(Recorded):
    """Join two active nodes."""

    op: Literal["relation.add"] = "relation.add"
    relation_id: str
    kind: RelationKind
    from_id: str
    to_id: str
    source_ids: tuple[str, ...] = ()


class RelationRetire(Recorded):
    """Retire an active relation."""

    op: Literal["relation.retire"] = "relation.retire"
    relation_id: str


Operation: TypeAlias = Annotated[
    NodeAdd | NodePatch | NodeRetire | RelationAdd | RelationRetire, Field(discriminator="op")
]
"""One step of a delta; the steps of a delta apply in order and all or none."""


class Touch(Recorded):
    """A record that a delta changes or points at, with its digest when the delta was made.

    `digest` is None for a record that did not exist then. Two deltas overlap when a touched digest moved.
    """

    kind: Literal["node", "relation"]
    id: str
    digest: str | None
