"""What somebody asks of delegated work, its evidence and its result."""

from dataclasses import dataclass
from typing import Literal

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
