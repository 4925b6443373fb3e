"""The gate that moves an accepted candidate onto its branch, once, and tells the truth about it afterwards.

Owns the journal folder, the lock per repository and the check of an order. Does not own authority: the caller has
checked the operator and re-run the gates; the journal only records what it was told.
"""

import contextlib
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from adapters.git.refs import ref_problem
from adapters.keys.private_folder import PrivateFolder
from adapters.keys.signers import JournalSigner
from adapters.promotion.journal import PromotionJournal
from adapters.promotion.session import Clock, PromotionSession, VerifyCandidate, receipt_of
from kernel.errors import ConfigurationError, JournalError
from kernel.ids import parse_id
from kernel.values.execution import JournalState, PromotionOrder, PromotionReceipt


@dataclass(frozen=True, slots=True)
class PromoterWaits:
    """How long to wait for another process that works on the same repository. Seconds."""

    promote_s: float = 30.0
    reconcile_s: float = 5.0


DEFAULT_WAITS: Final = PromoterWaits()


def _no_step(_name: str) -> None:
    """Do nothing: in the product no point of the sequence is special."""


class Promoter:
    """Promotes, tells and reconciles.

    `step` is the crash-test seam: it is called with `before_intent`, `after_intent`, `after_token`,
    `after_attempt`, `before_swap`, `after_swap` and `after_status`, so that a test can end the process exactly
    there. The product never passes one.
    """

    def __init__(
        self,
        journal_folder: str,
        signer: JournalSigner,
        verify_candidate: VerifyCandidate,
        *,
        waits: PromoterWaits = DEFAULT_WAITS,
        step: Callable[[str], None] = _no_step,
    ) -> None:
        self._journal_folder = journal_folder
        self._signer = signer
        self._verify_candidate = verify_candidate
        self._waits = waits
        self._step = step

    def promote(self, order: PromotionOrder, now: Clock) -> PromotionReceipt:
        """Move the target from the candidate's base to the candidate, at most once, and say what was observed.

        An attempt that is already there is observed, not repeated; a status that is already there is returned.

        Raises: ConfigurationError for an order or repository that cannot be used, before anything is written;
                JournalError when the journal is unsafe, bound otherwise or busy (code `busy`): nothing was
                moved by this call; OutcomeUnknownError when the outcome could not be recorded.
        """
        self._require_order(order)
        with self._folder() as folder, folder.locked(_lock_name(order), wait_s=self._waits.promote_s):
            return self._session(folder, order, now).promote()

    def status(self, promotion_id: str) -> JournalState:
        """Return what the journal alone says: it looks at no repository and needs no lock.

        Raises: JournalError when the folder itself is unsafe; damage inside it stands in `problems`.
        """
        parse_id(promotion_id, "promotion")
        with self._folder() as folder:
            chain = PromotionJournal(folder, self._signer, promotion_id).read()
        receipt = receipt_of(chain.latest) if chain.latest is not None and not chain.problems else None
        return JournalState(promotion_id, chain.state, receipt, chain.problems)

    def reconcile(self, order: PromotionOrder, now: Clock) -> PromotionReceipt:
        """Observe what became of a promotion and record it; the branch is never moved.

        It deletes the attempt's token first: a creator that was stopped and wakes later cannot swap any more.
        That is why it goes on even when a stopped process still holds the repository's lock.

        Raises: as `promote`, except that a busy lock is no reason to fail.
        """
        self._require_order(order)
        with self._folder() as folder, _locked_or_stopped(folder, order, self._waits.reconcile_s):
            return self._session(folder, order, now).reconcile()

    def _session(self, folder: PrivateFolder, order: PromotionOrder, now: Clock) -> PromotionSession:
        journal = PromotionJournal(folder, self._signer, order.promotion_id)
        return PromotionSession(
            order, journal, verify_candidate=self._verify_candidate, now=now, step=self._step
        )

    def _folder(self) -> PrivateFolder:
        return PrivateFolder.open(self._journal_folder, refusal=JournalError)

    def _require_order(self, order: PromotionOrder) -> None:
        parse_id(order.promotion_id, "promotion")
        candidate, place = order.candidate, order.repository
        if order.target_ref not in place.target_refs or (ref_problem(order.target_ref) is not None):
            message = f"{order.target_ref[:100]!r} is no configured target of the repository {place.id!r}"
            raise ConfigurationError(message)
        if (candidate.repository_id, candidate.target_ref) != (place.id, order.target_ref):
            raise ConfigurationError("the candidate was sealed for another repository or another branch")
        journal, repository = PurePosixPath(self._journal_folder), PurePosixPath(place.path)
        if journal.is_relative_to(repository) or repository.is_relative_to(journal):
            raise ConfigurationError(
                "the promotion journal and the repository must not lie inside each other"
            )


def _lock_name(order: PromotionOrder) -> str:
    place = hashlib.sha256(order.repository.path.encode("utf-8")).hexdigest()
    return f"repository-{place[:32]}.lock"


@contextlib.contextmanager
def _locked_or_stopped(folder: PrivateFolder, order: PromotionOrder, wait_s: float) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(folder.locked(_lock_name(order), wait_s=wait_s))
        except JournalError as err:
            if err.reason_code != "busy":
                raise
        yield
