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
    """Names the step."""
    node_id: str
    """The node's new id."""
    kind: NodeKind
    """What it is."""
    title: Words
    """Its title, one line."""
    description: Words | None = None
    """More words about it."""
    visibility: Visibility
    """Whether it may leave this machine, and be seen by people who are not owners."""
    phase: Phase
    """Its work phase; `none` for what is no Task."""
    profile_id: str | None = None
    """A delegation profile, for a Task."""
    artifact_path: str | None = None
    """The path it stands for, for an Artifact."""
    source_ids: tuple[str, ...]
    """The captures it came from."""


class NodePatch(Recorded):
    """Change fields of an active node; a field that is None stays as it is."""

    op: Literal["node.patch"] = "node.patch"
    """Names the step."""
    node_id: str
    """The node."""
    title: Words | None = None
    """Its new title."""
    description: Words | None = None
    """Its new description."""
    visibility: Visibility | None = None
    """Its new visibility."""
    phase: Phase | None = None
    """Its new work phase."""
    verification: Verification | None = None
    """`verified` only in a reconciliation."""
    profile_id: str | None = None
    """Its new delegation profile."""
    artifact_path: str | None = None
    """Its new path."""
    add_source_ids: tuple[str, ...] = ()
    """Captures it now also came from."""


class NodeClear(Recorded):
    """Empty fields of an active node that may be empty; a patch can only fill them."""

    op: Literal["node.clear"] = "node.clear"
    """Names the step."""
    node_id: str
    """The node."""
    fields: tuple[Literal["description", "profile_id", "artifact_path"], ...]
    """The fields that become empty, each once and filled until now."""


class NodeRetire(Recorded):
    """Retire an active node that no active relation touches any more."""

    op: Literal["node.retire"] = "node.retire"
    """Names the step."""
    node_id: str
    """The node."""


class RelationAdd(Recorded):
    """Join two active nodes."""

    op: Literal["relation.add"] = "relation.add"
    """Names the step."""
    relation_id: str
    """The relation's new id."""
    kind: RelationKind
    """How the nodes hang together."""
    from_id: str
    """The node it starts from."""
    to_id: str
    """The node it leads to."""
    source_ids: tuple[str, ...] = ()
    """The captures that say so."""


class RelationRetire(Recorded):
    """Retire an active relation."""

    op: Literal["relation.retire"] = "relation.retire"
    """Names the step."""
    relation_id: str
    """The relation."""


Operation: TypeAlias = Annotated[
    NodeAdd | NodePatch | NodeClear | NodeRetire | RelationAdd | RelationRetire, Field(discriminator="op")
]
"""One step of a delta; the steps of a delta apply in order and all or none."""


class Touch(Recorded):
    """A record that a delta changes or points at, with its digest when the delta was made.

    `digest` is None for a record that did not exist then. Two deltas overlap when a touched digest moved.
    """

    kind: Literal["node", "relation"]
    """Which table it is in."""
    id: str
    """The record."""
    digest: str | None
    """Its digest then; none when it did not exist."""
