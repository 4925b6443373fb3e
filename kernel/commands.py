"""The command catalogue: what somebody asks for, as frozen dataclasses, one union.

Commands carry plain text and ids; who asks and when comes with the `Stamp`. Facts outside history (a signature
checked, a ref observed) are established by the service and carried in.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from kernel.values.execution import BundleFacts, PromotionReceipt
from kernel.values.placement import PlacementAnswer
from kernel.values.work import (
    CandidateFacts,
    CheckFacts,
    Claim,
    Envelope,
    IsolationFact,
    Observation,
    OmittedNode,
    RuntimeFacts,
    SharedNode,
    Terms,
)
from kernel.vocabulary import KeyRole, NodeKind, Phase, Role, SourceKind, Visibility


@dataclass(frozen=True, slots=True)
class OpenProject:
    """Begin a ledger; the id is chosen by the shell because the ledger is created under it."""

    project_id: str
    scope: Literal["world", "project"]
    title: str
    description: str | None = None


@dataclass(frozen=True, slots=True)
class ArchiveProject:
    """Put the project away."""

    reason: str | None = None


@dataclass(frozen=True, slots=True)
class RestoreProject:
    """Take an archived project up again."""

    reason: str | None = None


@dataclass(frozen=True, slots=True)
class AddPrincipal:
    """Make a person known."""

    principal_id: str
    name: str


@dataclass(frozen=True, slots=True)
class GrantRole:
    """Let a person act in a role."""

    principal_id: str
    role: Role
    ledger_id: str | None


@dataclass(frozen=True, slots=True)
class IssueCredential:
    """Record that a credential was handed out."""

    credential_id: str
    principal_id: str
    kind: Literal["operator_token", "signin_link"]
    expires_at: str


@dataclass(frozen=True, slots=True)
class RevokeCredential:
    """Record that a credential stops working."""

    credential_id: str


@dataclass(frozen=True, slots=True)
class ActivateConfig:
    """Record the configuration the server works under."""

    config_digest: str
    problems: int


@dataclass(frozen=True, slots=True)
class RotateKey:
    """Record the current key of a role."""

    role: KeyRole
    key_id: str
    public_key: str


@dataclass(frozen=True, slots=True)
class ImportProject:
    """Record that a verified bundle of another installation may be read here."""

    bundle: BundleFacts


@dataclass(frozen=True, slots=True)
class CaptureSource:
    """Keep words and, with a manager named, ask where they fit."""

    text: str
    kind: SourceKind
    visibility: Visibility
    manager: str
    """The manager to ask, such as `local/1`."""
    selected_node_id: str | None = None
    answers: str | None = None
    """The exchange of a clarification these words answer."""


@dataclass(frozen=True, slots=True)
class RetryPlacement:
    """Ask again where a kept source fits; the words are reused, never lost."""

    source_id: str
    manager: str


@dataclass(frozen=True, slots=True)
class EraseSource:
    """Destroy the words of a capture, and of every answer that repeats them."""

    source_id: str


@dataclass(frozen=True, slots=True)
class AnswerExchange:
    """Keep the exact answer of a boundary."""

    exchange_id: str
    response: str


@dataclass(frozen=True, slots=True)
class FailExchange:
    """Keep how a call failed."""

    exchange_id: str
    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class MarkUnreadable:
    """Keep why a durable answer could not be applied."""

    exchange_id: str
    code: str
    detail: str


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


@dataclass(frozen=True, slots=True)
class ProposeCorrection:
    """A person proposes to change one node; None leaves a field as it is."""

    node_id: str
    rationale: str
    title: str | None = None
    description: str | None = None
    phase: Phase | None = None
    profile_id: str | None = None
    artifact_path: str | None = None


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


@dataclass(frozen=True, slots=True)
class CompileBrief:
    """Record a brief compiled by `kernel.briefs`; the proof is in the rules."""

    node_id: str
    base_commit: str
    terms: Terms
    runtime_ids: tuple[str, ...]
    shared: tuple[SharedNode, ...]
    relations: tuple[str, ...]
    omitted: tuple[OmittedNode, ...]
    payload: str


@dataclass(frozen=True, slots=True)
class AuthorizeRun:
    """Allow exactly one run; the capability was just minted by the run authority for `run_id`."""

    run_id: str
    brief_id: str
    runtime: RuntimeFacts
    base_commit: str
    start_before: str
    capability: Envelope


@dataclass(frozen=True, slots=True)
class RequestExchange:
    """Make a run, validation or promotion request durable before the call."""

    boundary: Literal["run", "validation", "promotion"]
    subject_id: str
    request: str
    base_commit: str | None = None
    """The target ref's commit as observed just now, for a run."""


@dataclass(frozen=True, slots=True)
class ReportProgress:
    """Add a summary line to a run."""

    run_id: str
    fence: int
    said_by: Literal["worker", "host"]
    text: str


@dataclass(frozen=True, slots=True)
class BlockRun:
    """End a run at a question."""

    run_id: str
    fence: int
    question: str


@dataclass(frozen=True, slots=True)
class CancelRun:
    """Withdraw a run nobody claimed."""

    run_id: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class FailRun:
    """End a run without a result."""

    run_id: str
    fence: int | None
    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class LoseRun:
    """End a claimed run whose worker is gone."""

    run_id: str
    fence: int
    detail: str


@dataclass(frozen=True, slots=True)
class StageClosure:
    """Record the sealed candidate and the returned run in one append."""

    run_id: str
    fence: int
    exchange_id: str
    candidate: CandidateFacts
    receipt: Envelope
    summary: str
    claims: tuple[Claim, ...]
    observations: tuple[Observation, ...]
    claimed_completion: bool


@dataclass(frozen=True, slots=True)
class RecordValidation:
    """Record what an independent validator found."""

    validation_id: str
    exchange_id: str
    checks: tuple[CheckFacts, ...]
    tier: str
    isolation: tuple[IsolationFact, ...]
    harness_digests: tuple[str, ...]
    wall_ms: int
    receipt: Envelope


@dataclass(frozen=True, slots=True)
class ProposeReconciliation:
    """Offer the compiled result of one closure and one validation for a human yes."""

    closure_id: str
    validation_id: str


@dataclass(frozen=True, slots=True)
class ProposePromotion:
    """Offer an integrated result to an operator."""

    delta_id: str


@dataclass(frozen=True, slots=True)
class AuthorizePromotion:
    """Ask the operator to go ahead and reserve the head."""

    promotion_id: str
    expected_revision: int
    seen: str
    reserved_until: str


@dataclass(frozen=True, slots=True)
class ObservePromotion:
    """Record the journal's receipt of an attempt."""

    promotion_id: str
    receipt: PromotionReceipt


@dataclass(frozen=True, slots=True)
class ReconcilePromotion:
    """Record what an unknown outcome turned out to be."""

    promotion_id: str
    receipt: PromotionReceipt


Command: TypeAlias = (
    OpenProject
    | ArchiveProject
    | RestoreProject
    | AddPrincipal
    | GrantRole
    | IssueCredential
    | RevokeCredential
    | ActivateConfig
    | RotateKey
    | ImportProject
    | CaptureSource
    | RetryPlacement
    | EraseSource
    | AnswerExchange
    | FailExchange
    | MarkUnreadable
    | ProposePlacement
    | ImportOutline
    | ProposeCorrection
    | AcceptDelta
    | RejectDelta
    | DeferDelta
    | RemandDelta
    | SplitDelta
    | RebaseDelta
    | ProposeCompensation
    | EditDelta
    | MoveDelta
    | CompileBrief
    | AuthorizeRun
    | RequestExchange
    | ReportProgress
    | BlockRun
    | CancelRun
    | FailRun
    | LoseRun
    | StageClosure
    | RecordValidation
    | ProposeReconciliation
    | ProposePromotion
    | AuthorizePromotion
    | ObservePromotion
    | ReconcilePromotion
)
