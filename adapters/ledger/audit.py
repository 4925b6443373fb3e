"""Re-reads a whole ledger and says everything that is not as it was written.

Trusts nothing stored: leaf hashes, the tree, its root, the order, commitments and checkpoints are recomputed
from the events' bytes, and so are the rows of the tables that are read beside them. Reports every problem it finds
instead of stopping at the first.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Protocol

from adapters.ledger.derived import Derivation, DerivedRows
from kernel.errors import HistoryError, StudioError
from kernel.events.envelope import revision_of, words_of
from kernel.events.stored import AuditReport, LastAppend
from kernel.merkle import Edge, LogHead, leaf_hash
from kernel.upcast import STEPS, Steps, decode_event
from kernel.values.words import Openings, opens


class CheckpointSigner(Protocol):
    """Signs the heads of ledgers; built elsewhere, given to a ledger."""

    def sign_checkpoint(
        self,
        ledger_id: str,
        size: int,
        root: bytes,
        *,
        after: LogHead | None = None,
        proof: tuple[bytes, ...] | None = None,
    ) -> str:
        """Return the signed note for this head, which extends the committed head `after` as `proof` shows."""

    def beside_commit(self) -> AbstractContextManager[Callable[[], None]]:
        """Let heads signed within the block be made durable beside the COMMIT; at its end they are.

        Yields what begins that: called once all are signed, right before the COMMIT.

        Raises: LedgerUnavailableError, code `commit_unknown`, when the disk did not take one.
        """

    def follow(self, last: LastAppend) -> bool:
        """Move the memory on by one append that the notes prove; tell whether it did. Raises: HistoryError."""

    def verify_note(self, ledger_id: str, note: str) -> LogHead:
        """Return the head a note states.

        Raises: HistoryError when it is malformed, of another ledger, or not signed by a live key.
        """


@dataclass(frozen=True, slots=True)
class StoredRow:
    """One event as it lies in the store."""

    seq: int
    id: str
    data: bytes
    leaf_hash: bytes
    unlock: Callable[[], Openings] = field(repr=False)
    """Opens the event's texts; raises HistoryError with a sentence when they are not what was written."""


@dataclass(frozen=True, slots=True)
class StoredHead:
    """What the store says about a ledger as a whole."""

    seq: int
    revision: int | None
    edge: Edge
    root: bytes


class Audit:
    """One pass over a ledger."""

    def __init__(self, ledger_id: str, signer: CheckpointSigner, steps: Steps = STEPS) -> None:
        self._steps = steps
        self._ledger_id = ledger_id
        self._signer = signer
        self._problems: list[str] = []
        self._edge = Edge()
        self._revision: int | None = None
        self._derivation = Derivation()

    def report(
        self, head: StoredHead, rows: Iterable[StoredRow], checkpoints: Mapping[int, str]
    ) -> AuditReport:
        """Return what a pass over these rows, in their order, found."""
        roots: dict[int, bytes] = {}
        for row in rows:
            self._read(row)
            if self._edge.size in checkpoints:
                roots[self._edge.size] = self._edge.root()
        self._compare_head(head)
        self._compare_checkpoints(checkpoints, roots)
        root = self._edge.root().hex()
        return AuditReport(self._ledger_id, self._edge.size, root, tuple(self._problems))

    def compare(self, report: AuditReport, stored: DerivedRows, *, remembers_all: bool) -> AuditReport:
        """Return the report of this pass with what the derived tables hold amiss added to it."""
        found = self._derivation.problems(stored, remembers_all=remembers_all)
        return replace(report, problems=(*report.problems, *found))

    def _read(self, row: StoredRow) -> None:
        expected = self._edge.size + 1
        if row.seq != expected:
            self._problems.append(f"event {expected} is missing: the next one stored is {row.seq}")
        computed = leaf_hash(row.data)
        # The tree grows by what the bytes say, so that an altered leaf hash cannot hide an altered event.
        self._edge = self._edge.append(computed)
        if computed != row.leaf_hash:
            self._problems.append(f"event {row.seq} was altered: its bytes do not have its leaf hash")
        try:
            openings = row.unlock()
        except StudioError as err:
            self._problems.append(f"event {row.seq}: {err.message}")
            openings = {}
        try:
            self._decode(row, openings)
        except StudioError as err:
            self._problems.append(f"event {row.seq} cannot be read: {err.message}")

    def _decode(self, row: StoredRow, openings: Openings) -> None:
        event = decode_event(row.data, openings, self._steps)
        if (event.ledger, event.seq, event.id) != (self._ledger_id, row.seq, row.id):
            self._problems.append(
                f"event {row.seq} says that it is event {event.seq} of {event.ledger}, under the id {event.id}"
            )
        for words in words_of(event.body):
            if words.opening is not None and not opens(words):
                self._problems.append(f"event {row.seq}: a text does not open {words.commitment}")
        self._derivation.follow(event)
        number = revision_of(event)
        self._revision = self._revision if number is None else number

    def _compare_head(self, head: StoredHead) -> None:
        if head.seq != self._edge.size:
            self._problems.append(f"the ledger says it has {head.seq} events, {self._edge.size} are stored")
        if head.edge != self._edge:
            self._problems.append("the stored edge of the tree is not the one of the stored events")
        if head.root != self._edge.root():
            self._problems.append(
                f"the root of the stored events is {self._edge.root().hex()}, the ledger says {head.root.hex()}"
            )
        if head.revision != self._revision:
            self._problems.append(
                f"the ledger says its latest revision is {head.revision}, its events say {self._revision}"
            )

    def _compare_checkpoints(self, checkpoints: Mapping[int, str], roots: Mapping[int, bytes]) -> None:
        if self._edge.size and self._edge.size not in checkpoints:
            self._problems.append(f"the head at event {self._edge.size} has no checkpoint")
        for size, note in sorted(checkpoints.items()):
            if size not in roots:
                self._problems.append(f"there is a checkpoint for {size} events, but not the events")
                continue
            try:
                stated = self._signer.verify_note(self._ledger_id, note)
            except HistoryError as err:
                self._problems.append(f"the checkpoint for {size} events does not verify: {err.message}")
                continue
            if stated != LogHead(size, roots[size]):
                self._problems.append(f"the checkpoint for {size} events was signed over another history")
