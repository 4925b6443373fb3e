"""What delegated work needs: repositories, confinement, runtimes, a validator and the promoter."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

from kernel.values.execution import (
    JournalState,
    Lease,
    PromotionOrder,
    PromotionReceipt,
    RefFacts,
    RepositoryPlace,
    SandboxFacts,
    SealOrder,
    ValidationJob,
    ValidationReport,
    WorkOrder,
    WorkReport,
)
from kernel.values.work import CandidateFacts


class Repositories(Protocol):
    """Git, hardened: what repositories hold, run folders, sealing."""

    def inspect(self, place: RepositoryPlace) -> tuple[str, ...]:
        """Return what makes the repository unsafe, one sentence each."""
        ...

    def resolve(self, place: RepositoryPlace, ref: str) -> RefFacts:
        """Read a direct ref raw. Raises: GitRefusedError."""
        ...

    def read_blob(self, place: RepositoryPlace, commit: str, path: str, *, max_bytes: int) -> bytes:
        """Return a file's bytes in a commit. Raises: GitRefusedError."""
        ...

    def patch(self, place: RepositoryPlace, base: str, commit: str, *, max_bytes: int) -> str:
        """Return a readable patch, cut and marked at the bound."""
        ...

    def lease(self, run_id: str, place: RepositoryPlace, base_commit: str, *, uid: int | None) -> Lease:
        """Write the base tree into a plain folder of the run's own."""
        ...

    def absorb(self, lease: Lease) -> Lease:
        """Move the folder where only this process reaches it."""
        ...

    def seal(self, lease: Lease, order: SealOrder) -> CandidateFacts:
        """Make the folder one retained commit. Raises: SealRefusedError."""
        ...

    def release(self, lease: Lease) -> None:
        """Remove the folder."""
        ...

    def verify_candidate(
        self, place: RepositoryPlace, facts: CandidateFacts, *, expect_target_base: bool = True
    ) -> tuple[str, ...]:
        """Recompute a candidate from raw objects; return what differs."""
        ...


class Sandbox(Protocol):
    """Confinement of untrusted programs."""

    def probe(self) -> SandboxFacts:
        """Return what this machine can enforce."""
        ...


class UidPool(Protocol):
    """Unprivileged users to drop to, one per run."""

    def take(self) -> AbstractContextManager["HeldUid"]:
        """Hold a clean uid until the context ends."""
        ...


class HeldUid(Protocol):
    """A uid that nobody else holds."""

    @property
    def uid(self) -> int | None:
        """Return the number; None where an ordinary user has no other to drop to."""
        ...


class Runtime(Protocol):
    """Whoever does a run."""

    def execute(
        self, order: WorkOrder, cancelled: Callable[[], bool], progress: Callable[[str], None]
    ) -> WorkReport:
        """Do the run in its leased folder and report; never raises for the program's own failures."""
        ...


class Validator(Protocol):
    """Independent evidence from sealed objects."""

    def validate(
        self, job: ValidationJob, read_blob: Callable[[RepositoryPlace, str, str, int], bytes]
    ) -> ValidationReport:
        """Judge the candidate; a missing sandbox gives `unavailable`, never a pass."""
        ...


class Promoter(Protocol):
    """The only writer of target refs."""

    def promote(self, order: PromotionOrder, now: Callable[[], str]) -> PromotionReceipt:
        """Journal, swap at most once, observe. Raises: JournalError, OutcomeUnknownError."""
        ...

    def status(self, promotion_id: str) -> JournalState:
        """Return what the journal says."""
        ...

    def reconcile(self, order: PromotionOrder, now: Callable[[], str]) -> PromotionReceipt:
        """Observe and record; never move the branch."""
        ...
