"""What the API and the command line answer: one strict shape per act, made from state.

Both edges share these models, so a program reads the same names everywhere. Nothing here decides.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict


class Answer(BaseModel):
    """The base of every answer."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class NodeRef(Answer):
    """A node by id and title."""

    node_id: str
    title: str


class ProjectAnswer(Answer):
    """A project."""

    project_id: str
    title: str
    revision: int
    revision_id: str
    head_seq: int
    waiting: int
    """Proposals that wait for a yes."""
    archived: bool
    """Put away: it takes nothing new."""


class Proposed(Answer):
    """What a proposal would add."""

    kind: str
    title: str
    parent: NodeRef | None


class FitAnswer(Answer):
    """How well one offered place fits, and why."""

    node_id: str
    title: str
    score: int
    """In thousandths, 0 to 1000."""
    reason: str
    matched: tuple[str, ...]
    """The words of the text that point there; empty when none does, or when the manager lists none."""


class Clarification(Answer):
    """A question back to the person."""

    exchange_id: str
    question: str


class CaptureAnswer(Answer):
    """A capture and where its placement stands."""

    project_id: str
    source_id: str
    delta_id: str | None
    proposed: Proposed | None
    alternatives: tuple[NodeRef, ...]
    """Other places, best first."""
    choices: tuple[str, ...]
    """Labels of choices 1, 2, 3."""
    fits: tuple[FitAnswer, ...]
    """How well each offered place fits, the best first."""
    duplicate_of: str | None
    clarification: Clarification | None
    reasons: tuple[str, ...]
    uncertainty: tuple[str, ...]
    failure: str | None
    """Why there is neither proposal nor question; the words are kept."""


class LeftCommitAnswer(Answer):
    """A commit that outlives erased words; `target_ref` when it was offered to a branch."""

    commit: str
    target_ref: str | None


class EraseAnswer(Answer):
    """What an erasure took, and what came from the words and stays."""

    project_id: str
    source_ids: tuple[str, ...]
    """Captures whose words are gone: the one named last, before it the answers that repeated its words."""
    closed_deltas: tuple[str, ...]
    """Proposals that waited and were closed."""
    accepted: tuple[NodeRef, ...]
    """Nodes that came from the words; what was accepted stays until it is changed."""
    brief_ids: tuple[str, ...]
    """Briefs for work on those nodes; they hold accepted words."""
    commits: tuple[LeftCommitAnswer, ...]
    """Commits that work on those nodes made."""
    remains: tuple[str, ...]
    """What else may hold the words and is out of reach from here, one sentence each."""


class ProposalAnswer(Answer):
    """A proposal that waits, with what an act on it must carry."""

    delta_id: str
    purpose: str
    title: str
    choice: int
    """Which choice this answer is about: 0 as proposed, n the n-th alternative."""
    proposed: Proposed | None
    """What this choice adds first; null when it adds nothing."""
    changed: NodeRef | None
    """The node that this choice changes first; null when it changes none."""
    alternatives: tuple[NodeRef, ...]
    """Other places, best first."""
    choices: tuple[str, ...]
    """Labels of choices 1, 2, 3."""
    fits: tuple[FitAnswer, ...]
    """How well each offered place fits, the best first."""
    duplicate_of: str | None
    """A node that may already say this."""
    reasons: tuple[str, ...]
    uncertainty: tuple[str, ...]
    base_revision: int
    revision: int
    """The head; an act carries it as `expected_revision`."""
    seen: str
    """What was shown with this choice; a yes carries it together with the choice."""
    conflict: bool
    """True when a record it touches changed since, so it cannot be accepted as it is."""
    operations: int
    closure_id: str | None
    validation_id: str | None
    disposition: str
    until: str | None
    """When a deferred one asks again; null when it waits until somebody looks for it."""
    corrections: tuple[str, ...]
    """What a remanded one has to put right."""
    compensates: int | None
    """The revision a compensation takes back."""


class ImportAnswer(Answer):
    """An import as one proposal."""

    project_id: str
    source_id: str
    delta_id: str
    nodes: int
    notes: tuple[str, ...]
    """What to know beside the nodes, such as that a tick completes nothing."""


class AcceptAnswer(Answer):
    """One yes, one revision."""

    project_id: str
    delta_id: str
    revision: int
    revision_id: str
    state_root: str
    node_id: str | None
    """The node it added, when it added one."""
    node_ids: tuple[str, ...]
    rebased_from: str | None


class DeltaAnswer(Answer):
    """An act on a proposal that made no revision."""

    project_id: str
    delta_id: str
    disposition: str


class NodeAnswer(Answer):
    """A node as the outline lists it."""

    node_id: str
    kind: str
    lane: str
    title: str
    description: str | None
    parent_id: str | None
    depth: int
    visibility: str
    governance: str
    phase: str
    verification: str
    profile_id: str | None
    artifact_path: str | None


class OutlineAnswer(Answer):
    """A project's outline, parents before children."""

    project_id: str
    title: str
    revision: int
    revision_id: str
    state_root: str
    nodes: tuple[NodeAnswer, ...]
    provisional: tuple[ProposalAnswer, ...]


class EventAnswer(Answer):
    """One line of the log; words are never part of it."""

    seq: int
    event_id: str
    type: str
    at: str
    actor: str
    role: str
    via: str


class LogAnswer(Answer):
    """A page of the log, newest first."""

    project_id: str
    head_seq: int
    events: tuple[EventAnswer, ...]
    next_before: int | None


class BriefAnswer(Answer):
    """A compiled brief."""

    project_id: str
    brief_id: str
    node_id: str
    profile_id: str
    base_revision: int
    base_commit: str
    digest: str
    runtimes: tuple[str, ...]
    shared: tuple[tuple[str, str], ...]
    """(node id, why it is shared)."""
    withheld: tuple[tuple[str, str], ...]
    """(node id, why it is withheld); only the owner sees this."""
    payload: str


class RunAnswer(Answer):
    """A run and where it stands."""

    project_id: str
    brief_id: str
    run_id: str
    runtime_id: str
    status: str
    code: str | None
    detail: str | None
    attempt: int
    start_before: str
    progress: tuple[str, ...]
    candidate_id: str | None
    closure_id: str | None
    validation_ids: tuple[str, ...]


class CandidateAnswer(Answer):
    """A sealed candidate."""

    project_id: str
    candidate_id: str
    run_id: str
    repository_id: str
    target_ref: str
    base_commit: str
    commit: str
    tree: str
    ref: str
    paths: tuple[tuple[str, str], ...]
    """(status, path)."""
    manifest_digest: str
    patch_digest: str
    problems: tuple[str, ...] | None
    """What an independent recomputation found wrong; null when none was asked for."""


class CheckAnswer(Answer):
    """One requirement's result."""

    requirement_id: str
    result: str
    grade: str
    cases_total: int
    cases_passed: int
    reason: str
    detail: str


class ValidationAnswer(Answer):
    """A validation, or a request that still waits."""

    project_id: str
    closure_id: str
    exchange_id: str
    validation_id: str | None
    status: Literal["waiting", "recorded", "failed"]
    passed: bool
    checks: tuple[CheckAnswer, ...]
    tier: str | None
    reason: str | None


class PromotionAnswer(Answer):
    """A promotion from proposal to outcome."""

    project_id: str
    promotion_id: str
    delta_id: str
    status: str
    repository_id: str
    target_ref: str
    base_commit: str
    candidate_commit: str
    revision: int
    seen: str
    code: str | None
    detail: str | None
    observed_after: str | None
    journal: str
    """`absent`, `intent_only`, `attempt_only`, `completed`, or `unreadable`."""
    journal_problems: tuple[str, ...]


class LinkAnswer(Answer):
    """One link of an audit."""

    name: str
    standing: Literal["passed", "failed", "unknown"]
    detail: str


class AuditAnswer(Answer):
    """Why a commit was allowed."""

    commit: str
    promotion_id: str
    project_id: str
    holds: bool
    links: tuple[LinkAnswer, ...]


class VerifyAnswer(Answer):
    """What re-reading a ledger found."""

    ledger_id: str
    size: int
    root: str
    problems: tuple[str, ...]


class TokenAnswer(Answer):
    """An operator token; `token` is shown once."""

    token_id: str
    name: str
    operator: str
    expires_at: str
    revoked_at: str | None
    token: str | None
