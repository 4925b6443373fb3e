"""Events of delegated work: briefs, runs, candidates, closures."""

from typing import ClassVar, Literal

from kernel.events.body import Body
from kernel.values.recorded import Recorded
from kernel.values.words import Words
from kernel.values.work import CandidateFacts, Envelope, OmittedNode, SharedNode, Terms
from kernel.vocabulary import RuntimeKind


class BriefCompiled(Body):
    """A least-context brief exists. It grants nothing; it says what a run would get."""

    TYPE: ClassVar[str] = "brief.compiled.v1"
    CREATES: ClassVar[tuple[str, ...]] = ("brief_id",)

    brief_id: str
    node_id: str
    """The task."""
    base_revision: int
    base_commit: str
    """The commit the target ref held when the brief was compiled."""
    terms: Terms
    runtime_ids: tuple[str, ...]
    """Runtimes the profile allows, in its order."""
    shared: tuple[SharedNode, ...]
    relations: tuple[str, ...]
    """Ids of every active relation between shared nodes, sorted."""
    omitted: tuple[OmittedNode, ...]
    """Every other active node, sorted by id."""
    payload: Words
    """The exact worker-visible brief as canonical JSON text."""
    payload_digest: str


class RunAuthorized(Body):
    """A person allowed exactly one run of one brief by one runtime."""

    TYPE: ClassVar[str] = "run.authorized.v1"
    CREATES: ClassVar[tuple[str, ...]] = ("run_id",)

    run_id: str
    brief_id: str
    attempt: int
    runtime_id: str
    runtime_kind: RuntimeKind
    runtime_digest: str
    base_revision: int
    base_commit: str
    deadline_s: int
    start_before: str
    """The capability lapses at this moment if no worker has claimed the run."""
    capability: Envelope
    """The run authority's signed, single-use permission."""


class RunProgressed(Body):
    """A line of progress; a summary, never the whole stream. At most 64 per run."""

    TYPE: ClassVar[str] = "run.progressed.v1"

    run_id: str
    fence: int
    """Sequence number of the claim."""
    said_by: Literal["worker", "host"]
    text: Words


class RunBlocked(Body):
    """The worker stopped at a question; there is evidence, and no closure."""

    TYPE: ClassVar[str] = "run.blocked.v1"

    run_id: str
    fence: int
    question: Words


class RunCancelled(Body):
    """A person withdrew a run that no worker had claimed."""

    TYPE: ClassVar[str] = "run.cancelled.v1"

    run_id: str
    reason: Words | None = None


class RunFailed(Body):
    """The run ended without a result; the code says how."""

    TYPE: ClassVar[str] = "run.failed.v1"

    run_id: str
    fence: int | None
    """None when it failed before any claim."""
    code: str
    detail: Words


class RunLost(Body):
    """A claimed run's worker is gone; what it did is unknown and is never done twice."""

    TYPE: ClassVar[str] = "run.lost.v1"

    run_id: str
    fence: int
    detail: Words


class CandidateSealed(Body):
    """The run's changes became one commit that nobody can alter; the receipt is signed by the sealer."""

    TYPE: ClassVar[str] = "candidate.sealed.v1"
    CREATES: ClassVar[tuple[str, ...]] = ("candidate_id",)

    candidate_id: str
    run_id: str
    fence: int
    candidate: CandidateFacts
    receipt: Envelope


class ObservedFact(Recorded):
    """One fact the host saw itself."""

    kind: Literal["exit", "files", "output", "limit", "timing"]
    text: Words


class ClosureStaged(Body):
    """The run returned. What it claims and what the host observed stand apart; nothing is accepted by it."""

    TYPE: ClassVar[str] = "closure.staged.v1"
    CREATES: ClassVar[tuple[str, ...]] = ("closure_id",)

    closure_id: str
    run_id: str
    brief_id: str
    exchange_id: str
    fence: int
    candidate_id: str
    summary: Words
    claims: tuple[Words, ...]
    observations: tuple[ObservedFact, ...]
    claimed_completion: bool
