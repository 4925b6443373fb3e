"""What services need of the outside, as protocols. They speak kernel types only; adapters fit by shape.

Errors a service may catch are declared in `kernel/errors.py`.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from kernel.events.envelope import Event
from kernel.events.stored import (
    Appended,
    AuditReport,
    CommandMaterial,
    Head,
    InclusionPath,
    ReadBundle,
    RecordedCommand,
    StoredEvent,
    Tombstone,
)
from kernel.merkle import LogHead
from kernel.receipts import RunGrant, SealBinding, ValidationBinding
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
from kernel.values.people import Issued, Membership, OperatorToken, Person, Session
from kernel.values.placement import OutlineItem, PlaceableNode, PlacementAnswer, PlacementRequest
from kernel.values.work import CandidateFacts, Envelope
from kernel.vocabulary import KeyRole, Role


class Clock(Protocol):
    """The host's wall clock."""

    def now(self) -> str:
        """Return this moment in the ledger's exact spelling."""
        ...


class Entropy(Protocol):
    """Fresh random bytes."""

    def bytes(self, count: int) -> bytes:
        """Return `count` random bytes."""
        ...


class Ledger(Protocol):
    """The append-only store of every ledger of the installation."""

    def append(
        self,
        ledger_id: str,
        expected_seq: int,
        events: Sequence[Event],
        command: CommandMaterial | None = None,
    ) -> Appended:
        """Write the events after `expected_seq`, all or none, durably. Raises: LedgerConflictError."""
        ...

    def find_command(
        self, ledger_id: str, actor_id: str, command_id: str, material: bytes
    ) -> RecordedCommand | None:
        """Return what the command recorded, or None. Raises: CommandConflictError."""
        ...

    def head(self, ledger_id: str) -> Head:
        """Return where the ledger stands; an unknown one is empty."""
        ...

    def read(self, ledger_id: str, after_seq: int = 0, limit: int | None = None) -> list[StoredEvent]:
        """Return the events after `after_seq`, in order."""
        ...

    def page(self, ledger_id: str, before_seq: int | None, limit: int) -> list[StoredEvent]:
        """Return at most `limit` events before a sequence number (None: from the head), newest first."""
        ...

    def ledgers(self) -> list[str]:
        """Return every ledger's id."""
        ...

    def ledger_of(self, subject_id: str) -> str | None:
        """Return the ledger in which this id came into being."""
        ...

    def changed(self) -> int:
        """Return a number that differs when anybody wrote since."""
        ...

    def checkpoint(self, ledger_id: str) -> str:
        """Return the latest signed note."""
        ...

    def path(self, ledger_id: str, seq: int) -> InclusionPath:
        """Return the inclusion proof of one event against the head."""
        ...

    def audit(self, ledger_id: str) -> AuditReport:
        """Re-read everything and report what does not fit."""
        ...


class Eraser(Protocol):
    """Destroys the data keys of captures, and remembers that it did outside the database."""

    def erase(self, ledger_id: str, source_ids: Sequence[str], at: str) -> bool:
        """Make the words unreadable for good; tell whether no remains lie in the database's log either."""
        ...

    def unfinished(self, source_ids: Sequence[str]) -> tuple[str, ...]:
        """Return those whose data key or ciphertext is still there."""
        ...

    def tombstones(self) -> tuple[Tombstone, ...]:
        """Return what was ever erased here. Raises: ConfigurationError."""
        ...

    def settle(self) -> None:
        """Finish a change of the master key that a dead process left."""
        ...


class BundleWriter(Protocol):
    """Writes one ledger as a bundle that can be verified without this product."""

    def __call__(self, ledger_id: str, target: Path, trust: Path | None) -> str:
        """Write the file, and a trust file beside it when named; return its SHA-256. Raises: InvalidError."""
        ...


class BundleReader(Protocol):
    """Reads a bundle and tests all of it."""

    def __call__(self, source: Path, trust: Path | None) -> ReadBundle:
        """Return what it says; what fails, also against the trust file, is among the problems."""
        ...


class BackupWriter(Protocol):
    """Writes the installation's database and keys of one moment."""

    def __call__(self, target: Path, *, with_master_key: bool) -> tuple[str, ...]:
        """Write the file and return the names of what is in it. Raises: InvalidError."""
        ...


class Directory(Protocol):
    """People, roles, sessions, links and tokens: who may act now."""

    def add_person(self, person_id: str, name: str, now: str) -> Person:
        """Add a person without a role. Raises: ConflictError."""
        ...

    def person(self, person_id: str) -> Person | None:
        """Return the person, or None."""
        ...

    def people(self) -> tuple[Person, ...]:
        """Return everybody."""
        ...

    def grant(self, person_id: str, role: Role, *, ledger_id: str | None) -> None:
        """Let the person act in a role."""
        ...

    def memberships(self, person_id: str | None = None) -> tuple[Membership, ...]:
        """Return roles of one person or of all."""
        ...

    def role_of(self, person_id: str, ledger_id: str) -> Role | None:
        """Return the role that holds in a ledger."""
        ...

    def issue_link(self, person_id: str, now: str) -> Issued:
        """Make a one-time sign-in link."""
        ...

    def link_holder(self, secret: str, now: str) -> tuple[str, str] | None:
        """Return whom a link would sign in and until when, without spending it; or None."""
        ...

    def sign_in(self, secret: str, now: str, *, label: str) -> Issued:
        """Spend a link and open a session. Raises: AuthorityError."""
        ...

    def session(self, secret: str, now: str) -> Session | None:
        """Return the live session of this secret."""
        ...

    def sessions(self, person_id: str, now: str) -> tuple[Session, ...]:
        """Return a person's live sessions."""
        ...

    def end_session(self, session_id: str, now: str, *, person_id: str) -> None:
        """End one of the person's sessions."""
        ...

    def issue_operator_token(self, person_id: str, name: str, now: str, *, lifetime_s: int = ...) -> Issued:
        """Make a Bearer for an operator."""
        ...

    def operator(self, secret: str, now: str) -> OperatorToken | None:
        """Return the live operator token of this secret."""
        ...

    def operator_tokens(self, person_id: str | None = None) -> tuple[OperatorToken, ...]:
        """Return tokens ever made."""
        ...

    def revoke_token(self, token_id: str, now: str) -> None:
        """Stop a token from working."""
        ...


class Shelf(Protocol):
    """A manager's searchable view of one worldstate, kept up to date, that answers "where does this fit"."""

    def put(self, node: PlaceableNode) -> None:
        """Add or replace one node."""
        ...

    def remove(self, node_id: str) -> None:
        """Forget one node."""
        ...

    def place(self, request: PlacementRequest) -> PlacementAnswer:
        """Answer. Raises: ManagerUnavailableError."""
        ...


class Manager(Protocol):
    """Whoever answers where a text fits: its name, and a view for each worldstate."""

    @property
    def name(self) -> str:
        """Return the name and version, such as `local/1`."""
        ...

    def __call__(self) -> Shelf:
        """Return an empty view of one worldstate."""
        ...


class GraphLayout(Protocol):
    """Places for the nodes of a drawing; nothing of it is kept as meaning."""

    def rows(self, layers: Sequence[int], lines: Sequence[tuple[int, int]]) -> tuple[float, ...]:
        """Return a row for every node of a layered graph, the smallest 0, with few crossings of lines."""
        ...


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


class RunAuthority(Protocol):
    """Signs permissions to start one run."""

    def issue(self, grant: RunGrant, at: str, *, lifetime_s: int = ...) -> Envelope:
        """Sign the capability."""
        ...

    def verify(self, envelope: Envelope, expected: RunGrant, now: str) -> tuple[str, ...]:
        """Return what is wrong with a capability."""
        ...


class Sealer(Protocol):
    """Signs what was sealed."""

    def attest(self, candidate: CandidateFacts, binding: SealBinding) -> Envelope:
        """Sign the candidate's provenance."""
        ...


class ValidatorKey(Protocol):
    """Signs what was found."""

    def attest(
        self, candidate: CandidateFacts, report: ValidationReport, binding: ValidationBinding
    ) -> Envelope:
        """Sign the test result."""
        ...


class PublicKey(Protocol):
    """A signing key's public half."""

    @property
    def role(self) -> KeyRole:
        """Return the role it signs for."""
        ...

    @property
    def key_id(self) -> str:
        """Return its id."""
        ...

    @property
    def public_key(self) -> str:
        """Return it in base64."""
        ...

    @property
    def created_at(self) -> str:
        """Return when it was made."""
        ...


class Keys(Protocol):
    """The installation's public keys and the verification of what they signed."""

    def public_keys(self) -> Sequence[PublicKey]:
        """Return every key, revoked ones included."""
        ...

    def revoked(self) -> tuple[tuple[str, str], ...]:
        """Return (key id, moment) of revoked keys."""
        ...

    def verify_envelope(self, envelope: Envelope, role: KeyRole) -> tuple[str, ...]:
        """Return what is wrong with an envelope's signatures."""
        ...

    def verify_foreign(
        self, envelope: Envelope, role: KeyRole, keys: Sequence[tuple[KeyRole, str, str]]
    ) -> tuple[str, ...]:
        """Return what is wrong with an envelope under (role, key id, public key) of another installation."""
        ...


class CheckpointKeeper(Protocol):
    """Remembers outside the database which head was signed last."""

    def head_problems(self, ledger_id: str, head: LogHead) -> tuple[str, ...]:
        """Return how a ledger contradicts what was signed."""
        ...


class OutlineReader(Protocol):
    """Reads a Markdown outline."""

    def __call__(self, text: str) -> tuple[OutlineItem, ...]:
        """Return its items. Raises: InvalidError with the line."""
        ...
