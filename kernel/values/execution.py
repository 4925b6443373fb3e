"""What services ask of Git, the sandbox, workers and the promoter, and what these answer.

Plain frozen dataclasses: they travel between `app` and `adapters` and never stand in an event. Paths are
strings, because the kernel knows no file system.
"""

from dataclasses import dataclass

from kernel.values.work import (
    CandidateFacts,
    CheckFacts,
    Claim,
    Envelope,
    IsolationFact,
    Observation,
    Requirement,
)
from kernel.vocabulary import KeyRole, PromotionOutcome


@dataclass(frozen=True, slots=True)
class RepositoryPlace:
    """A configured bare repository: where it is and which refs may be targets."""

    id: str
    path: str
    target_refs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RefFacts:
    """A direct ref read raw: the commit it holds and that commit's tree."""

    ref: str
    commit: str
    tree: str


@dataclass(frozen=True, slots=True)
class Lease:
    """A plain run folder holding the base tree, owned by the uid the run executes as (None: this user)."""

    run_id: str
    repository_id: str
    base_commit: str
    folder: str
    uid: int | None


@dataclass(frozen=True, slots=True)
class SealOrder:
    """What to seal and under which envelope of changes."""

    candidate_id: str
    run_id: str
    brief_id: str
    repository: RepositoryPlace
    target_ref: str
    base_commit: str
    sealed_at: str
    allowed_paths: tuple[str, ...]
    secrets: tuple[bytes, ...] = ()
    """Byte strings that must not occur in a sealed file."""


@dataclass(frozen=True, slots=True)
class FileInput:
    """One read-only file to put into a sandbox, at a relative path under `/box/in`."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one sandboxed process tree. Sizes in bytes, times in seconds."""

    wall_s: float = 15.0
    cpu_s: int = 10
    memory_bytes: int = 512 * 1024 * 1024
    memory_sum_bytes: int = 768 * 1024 * 1024
    file_bytes: int = 16 * 1024 * 1024
    scratch_bytes: int = 32 * 1024 * 1024
    processes: int = 24
    open_files: int = 64
    output_bytes: int = 64 * 1024


@dataclass(frozen=True, slots=True)
class SandboxJob:
    """One confined execution. `folder`, when given, is bound read-write at `/box/work` (a leased run folder)."""

    argv: tuple[str, ...]
    inputs: tuple[FileInput, ...]
    stdin: bytes = b""
    folder: str | None = None
    uid: int | None = None
    """The uid to drop to when root; None lets the sandbox take a fresh one."""
    environment: tuple[tuple[str, str], ...] = ()
    limits: Limits = Limits()


@dataclass(frozen=True, slots=True)
class SandboxResult:
    """How a confined execution ended. `termination` says who ended it."""

    exit_code: int | None
    termination: str
    """`exited`, `signalled`, `timed_out`, `memory_limit`, `output_limit` or `cancelled`."""
    stdout: bytes
    stderr: bytes
    truncated: bool
    wall_ms: int
    leftovers: int
    """Processes of the tree still alive after the kill: 0, or the run is not trusted."""
    isolation: tuple[IsolationFact, ...]


@dataclass(frozen=True, slots=True)
class SandboxFacts:
    """What this machine can enforce: `uid_drop`, `same_uid` or `unavailable`, and what is missing."""

    tier: str
    missing: tuple[str, ...]
    isolation: tuple[IsolationFact, ...]


@dataclass(frozen=True, slots=True)
class WorkOrder:
    """What a runtime gets to do one run: the brief as bytes, a leased folder, a deadline."""

    run_id: str
    runtime_id: str
    brief: bytes
    lease: Lease
    deadline_s: int
    runtime_digest: str | None = None
    """What the permission says the runtime is; other bytes do not run. None: whatever is there."""


@dataclass(frozen=True, slots=True)
class WorkReport:
    """What came back from a runtime: claims and observations apart."""

    outcome: str
    """`returned`, `blocked` or `failed`."""
    code: str
    """`ok`, or why it failed: `crashed`, `timed_out`, `bad_report`, `unavailable`, `cancelled`, ..."""
    summary: str
    claims: tuple[Claim, ...]
    observations: tuple[Observation, ...]
    claimed_completion: bool
    question: str | None = None


@dataclass(frozen=True, slots=True)
class ValidatorPlace:
    """A configured validator: a host-owned harness folder and the digest it is pinned to."""

    id: str
    folder: str
    digest: str
    limits: Limits


@dataclass(frozen=True, slots=True)
class ValidationJob:
    """One validation: sealed Git objects in, requirement results out."""

    repository: RepositoryPlace
    candidate: CandidateFacts
    requirements: tuple[Requirement, ...]
    validators: tuple[ValidatorPlace, ...]


@dataclass(frozen=True, slots=True)
class ValidationReport:
    """What a validation found; recorded also when it failed."""

    checks: tuple[CheckFacts, ...]
    isolation: tuple[IsolationFact, ...]
    harness_digests: tuple[str, ...]
    input_blobs: tuple[str, ...]
    tier: str
    wall_ms: int
    output_digest: str


@dataclass(frozen=True, slots=True)
class PromotionOrder:
    """Everything one promotion attempt is bound to. Root is the hex log root at `authorized_size` leaves."""

    promotion_id: str
    ledger_id: str
    authorized_size: int
    authorized_root: str
    revision: int
    operator_id: str
    edge: str
    """`http` or `cli`: the door the operator's Bearer came through."""
    repository: RepositoryPlace
    target_ref: str
    candidate: CandidateFacts


@dataclass(frozen=True, slots=True)
class PromotionReceipt:
    """What the journal holds of one finished attempt. Commits are hex ids; None: could not be observed."""

    promotion_id: str
    outcome: PromotionOutcome
    code: str
    """`cas_updated`, `already_promoted`, `target_ref_mismatch`, `candidate_verification_failed`,
    `target_ref_checked_out`, `update_ref_rejected`, `target_ref_unobservable` or `status_recovery_conflict`."""
    detail: str
    observed_before: str | None
    observed_after: str | None
    attempted_at: str
    observed_at: str
    intent_digest: str
    attempt_digest: str
    status_digest: str
    receipt: Envelope


@dataclass(frozen=True, slots=True)
class JournalState:
    """What the journal says about a promotion: `absent`, `intent_only`, `attempt_only` or `completed`."""

    promotion_id: str
    state: str
    receipt: PromotionReceipt | None
    problems: tuple[str, ...]
    """Broken signatures or links, one sentence each; empty when the chain verifies."""


@dataclass(frozen=True, slots=True)
class BundleFacts:
    """What a verified bundle of another installation holds."""

    project_id: str
    installation_id: str
    size: int
    """How many events."""
    root: str
    """The root over them, in hex."""
    keys: tuple[tuple[KeyRole, str, str], ...]
    """(role, key id, public key in base64) of the keys it was verified with."""
