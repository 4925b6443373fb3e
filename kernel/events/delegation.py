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
    """The brief's new id."""
    node_id: str
    """The task."""
    base_revision: int
    """The head it was compiled from."""
    base_commit: str
    """The commit the target ref held when the brief was compiled."""
    terms: Terms
    """What the run must show and may change."""
    runtime_ids: tuple[str, ...]
    """Runtimes the profile allows, in its order."""
    shared: tuple[SharedNode, ...]
    """Every node the worker gets to know, with the need for it."""
    relations: tuple[str, ...]
    """Ids of every active relation between shared nodes, sorted."""
    omitted: tuple[OmittedNode, ...]
    """Every other active node, sorted by id."""
    payload: Words
    """The exact worker-visible brief as canonical JSON text."""
    payload_digest: str
    """Digest of the exact payload."""


class RunAuthorized(Body):
    """A person allowed exactly one run of one brief by one runtime."""

    TYPE: ClassVar[str] = "run.authorized.v1"
    CREATES: ClassVar[tuple[str, ...]] = ("run_id",)

    run_id: str
    """The run's new id."""
    brief_id: str
    """The brief it works from."""
    attempt: int
    """1 for the first run of the brief."""
    runtime_id: str
    """The configured runtime that executes it."""
    runtime_kind: RuntimeKind
    """What kind of runtime that is."""
    runtime_digest: str
    """Digest of the runtime's configuration."""
    base_revision: int
    """The head when it was allowed."""
    base_commit: str
    """The commit the run starts from."""
    deadline_s: int
    """Seconds the worker gets."""
    start_before: str
    """The capability lapses at this moment if no worker has claimed the run."""
    capability: Envelope
    """The run authority's signed, single-use permission."""


class RunProgressed(Body):
    """A line of progress; a summary, never the whole stream. At most 64 per run."""

    TYPE: ClassVar[str] = "run.progressed.v1"

    run_id: str
    """The run."""
    fence: int
    """Sequence number of the claim."""
    said_by: Literal["worker", "host"]
    """`worker` for its own report, `host` for what the host saw."""
    text: Words
    """The line."""


class RunBlocked(Body):
    """The worker stopped at a question; there is evidence, and no closure."""

    TYPE: ClassVar[str] = "run.blocked.v1"

    run_id: str
    """The run."""
    fence: int
    """Sequence number of the claim."""
    question: Words
    """What the worker needs to know."""


class RunCancelled(Body):
    """A person withdrew a run that no worker had claimed."""

    TYPE: ClassVar[str] = "run.cancelled.v1"

    run_id: str
    """The run."""
    reason: Words | None = None
    """Why, if the person said."""


class RunFailed(Body):
    """The run ended without a result; the code says how."""

    TYPE: ClassVar[str] = "run.failed.v1"

    run_id: str
    """The run."""
    fence: int | None
    """None when it failed before any claim."""
    code: str
    """The machine's name for how it ended."""
    detail: Words
    """How it ended, in a sentence."""


class RunLost(Body):
    """A claimed run's worker is gone; what it did is unknown and is never done twice."""

    TYPE: ClassVar[str] = "run.lost.v1"

    run_id: str
    """The run."""
    fence: int
    """Sequence number of the claim."""
    detail: Words
    """What is known, in a sentence."""


class CandidateSealed(Body):
    """The run's changes became one commit that nobody can alter; the receipt is signed by the sealer."""

    TYPE: ClassVar[str] = "candidate.sealed.v1"
    CREATES: ClassVar[tuple[str, ...]] = ("candidate_id",)

    candidate_id: str
    """The candidate's new id."""
    run_id: str
    """The run it came from."""
    fence: int
    """Sequence number of the claim."""
    candidate: CandidateFacts
    """The commit and all that identifies it."""
    receipt: Envelope
    """The sealer's signed statement."""


class ObservedFact(Recorded):
    """One fact the host saw itself."""

    kind: Literal["exit", "files", "output", "limit", "timing"]
    """What kind of fact it is."""
    text: Words
    """The fact, in a sentence."""


class ClosureStaged(Body):
    """The run returned. What it claims and what the host observed stand apart; nothing is accepted by it."""

    TYPE: ClassVar[str] = "closure.staged.v1"
    CREATES: ClassVar[tuple[str, ...]] = ("closure_id",)

    closure_id: str
    """The closure's new id."""
    run_id: str
    """The run that returned."""
    brief_id: str
    """The brief it worked from."""
    exchange_id: str
    """The exchange that holds the exact answer."""
    fence: int
    """Sequence number of the claim."""
    candidate_id: str
    """The candidate sealed from it."""
    summary: Words
    """What the worker says it did."""
    claims: tuple[Words, ...]
    """What the worker says about its work, one sentence each."""
    observations: tuple[ObservedFact, ...]
    """What the host itself saw."""
    claimed_completion: bool
    """Whether the worker says the task is complete."""
