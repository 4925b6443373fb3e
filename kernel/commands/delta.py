"""What somebody asks of proposals: to make them, and to decide on them."""

from dataclasses import dataclass
from enum import StrEnum

from kernel.values.placement import PlacementAnswer
from kernel.vocabulary import NodeKind, Phase, RelationKind


@dataclass(frozen=True, slots=True)
class ProposePlacement:
    """Turn a manager's durable answer into a proposal or a question."""

    exchange_id: str
    answer: PlacementAnswer


@dataclass(frozen=True, slots=True)
class OutlineNode:
    """One node of an import; `parent` is the index of its parent in the import, None for the chosen place."""

    kind: NodeKind
    title: str
    description: str | None
    parent: int | None
    artifact_path: str | None = None
    profile_id: str | None = None


@dataclass(frozen=True, slots=True)
class ImportOutline:
    """Keep an outline's text and propose all its nodes as one reviewable delta."""

    text: str
    under_id: str
    nodes: tuple[OutlineNode, ...]
    notes: tuple[str, ...] = ()
    """What whoever decides should know beside the nodes."""


@dataclass(frozen=True, slots=True)
class Join:
    """One relation that a person wants: from the node to the other one or, not `is_outgoing`, the other way round."""

    kind: RelationKind
    other_id: str
    is_outgoing: bool = True


class Below(StrEnum):
    """What becomes of what belongs to a node that is retired."""

    LIFTED = "lifted"
    """It moves up to where the node stood."""
    RETIRED = "retired"
    """It is retired together with the node, whole."""


@dataclass(frozen=True, slots=True)
class ProposeCorrection:
    """A person proposes to change one accepted node; None leaves a field as it is, an empty text empties it."""

    node_id: str
    rationale: str | None
    """Why, in the person's words."""
    title: str | None = None
    description: str | None = None
    phase: Phase | None = None
    profile_id: str | None = None
    artifact_path: str | None = None
    under_id: str | None = None
    """The node to belong to from now on."""
    joins: tuple[Join, ...] = ()
    """Relations to add."""
    parts: tuple[str, ...] = ()
    """Ids of relations of the node to end; its place is no such relation."""
    retires: Below | None = None
    """Whether the node is retired; then nothing else of it is changed."""
    expected_revision: int | None = None
    """The revision the person looked at; None when it does not matter what changed since."""


@dataclass(frozen=True, slots=True)
class AcceptDelta:
    """Say yes to what was shown."""

    delta_id: str
    choice: int
    expected_revision: int
    seen: str


@dataclass(frozen=True, slots=True)
class RejectDelta:
    """Say no."""

    delta_id: str
    reason: str | None
    seen: str


@dataclass(frozen=True, slots=True)
class DeferDelta:
    """Decide later: at a moment, or when somebody looks for it."""

    delta_id: str
    until: str | None
    reason: str | None
    seen: str


@dataclass(frozen=True, slots=True)
class RemandDelta:
    """Send a proposal back with what has to be put right."""

    delta_id: str
    reason: str
    corrections: tuple[str, ...]
    seen: str


@dataclass(frozen=True, slots=True)
class Part:
    """One of the placements that a proposal is split into."""

    kind: NodeKind
    title: str
    parent_id: str
    description: str | None = None


@dataclass(frozen=True, slots=True)
class SplitDelta:
    """Replace a placement by several, each with words, kind and place of its own."""

    delta_id: str
    parts: tuple[Part, ...]
    seen: str


@dataclass(frozen=True, slots=True)
class RebaseDelta:
    """Replace a proposal by the same one about the head, for review, also where touched records moved."""

    delta_id: str
    seen: str


@dataclass(frozen=True, slots=True)
class ProposeCompensation:
    """Propose to take an accepted revision back."""

    revision: int
    seen: str
    """The revision's state root, as shown."""
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class EditDelta:
    """Replace a placement by one with the person's own title, description or kind."""

    delta_id: str
    title: str
    description: str | None
    kind: NodeKind
    seen: str
    profile_id: str | None = None


@dataclass(frozen=True, slots=True)
class MoveDelta:
    """Replace a placement by the same one under another node."""

    delta_id: str
    to_id: str
    seen: str
