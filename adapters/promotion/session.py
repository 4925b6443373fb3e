"""One promotion under way: who may swap, and what each observation means.

Steps of `promote`: 1 the intent is written; 2 candidate and target are checked; 3 the attempt's token is put into the
repository; 4 the attempt is claimed in the journal; 5 the target is observed; 6 the one swap; 7 refs are synced;
8 the status is written. Only the process whose claim created the attempt (4) takes steps 5 to 7. Whoever finds an
attempt deletes its token first, then observes, and never moves the branch.

Owns the table of outcomes. Does not own locks and folders (`promoter`), records (`journal`) or Git (`target`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from adapters.git.places import inspect_place
from adapters.promotion.journal import Chain, Entry, PromotionJournal
from adapters.promotion.target import UNREADABLE, PromotionTarget, Sighting, SwapAnswer
from kernel.errors import ConfigurationError, GitRefusedError, JournalError, OutcomeUnknownError
from kernel.receipts import (
    OUTCOME_OF_CODE,
    PromotionAttempt,
    PromotionIntent,
    PromotionStatusRecord,
    binding_of,
)
from kernel.values.execution import PromotionOrder, PromotionReceipt, RepositoryPlace
from kernel.values.work import CandidateFacts
from kernel.vocabulary import PromotionOutcome


class VerifyCandidate(Protocol):
    """Checks the sealed objects of a candidate raw, and returns what is wrong with them."""

    def __call__(
        self, place: RepositoryPlace, facts: CandidateFacts, *, expect_target_base: bool
    ) -> tuple[str, ...]:
        """Return one sentence per difference; where the target stands is not asked here."""


Clock: TypeAlias = Callable[[], str]
"""Tells the host's wall clock in the one spelling of time."""

Step: TypeAlias = Callable[[str], None]
"""Called with the name of each point at which a crash is tested."""

DETAIL_LENGTH_MAX: Final = 2000


@dataclass(frozen=True, slots=True)
class Finding:
    """What is to be recorded: the code, a sentence, the target before, and the last sight of it."""

    code: str
    detail: str
    before: str | None
    seen: Sighting


class PromotionSession:
    """Carries one order through the journal and the repository."""

    def __init__(
        self,
        order: PromotionOrder,
        journal: PromotionJournal,
        *,
        verify_candidate: VerifyCandidate,
        now: Clock,
        step: Step,
    ) -> None:
        self._order = order
        self._binding = binding_of(order)
        self._journal = journal
        self._target = PromotionTarget(order, now)
        self._verify_candidate = verify_candidate
        self._now = now
        self._step = step

    # ------------------------------------------------------------------------------------------ three ways

    def promote(self) -> PromotionReceipt:
        """Attempt the promotion, or observe what an earlier attempt came to."""
        chain = self._read()
        if chain.latest is not None:
            return receipt_of(chain.latest)
        if chain.attempt is not None:
            return self._adopt(chain)
        self._require_place()
        self._step("before_intent")
        intent = self._intend(chain)
        self._step("after_intent")
        hindrance = self._hindrance()
        token = None
        if hindrance is None:
            try:
                token = self._target.create_token()
            except GitRefusedError as err:
                hindrance = ("update_ref_rejected", err.message)
        self._step("after_token")
        if not self._claim(intent, token):
            return self._adopt(self._read())
        self._step("after_attempt")
        if hindrance is not None or token is None:
            return self._stop(*(hindrance or ("update_ref_rejected", "the attempt has no token")))
        return self._swap_once(token)

    def reconcile(self) -> PromotionReceipt:
        """Observe what became of the promotion and close it if that can be told. Never moves the branch.

        A promotion that nobody attempted is claimed here with no token, so that nobody can attempt it later.
        """
        chain = self._read()
        latest = chain.latest
        if latest is not None and latest.record.outcome is not PromotionOutcome.OUTCOME_UNKNOWN:
            return receipt_of(latest)
        is_ours = chain.attempt is None and self._claim(self._intend(chain), None)
        hindering = self._target.revoke_token()
        problems = self._candidate_problems()
        if is_ours and problems:
            return self._stop("candidate_verification_failed", problems[0])
        seen = self._target.sight()
        return self._record(self._judge(seen, hindering=hindering, problems=problems, is_closing=True))

    def _adopt(self, chain: Chain) -> PromotionReceipt:
        """Observe the target for an attempt that somebody else created."""
        hindering = self._target.revoke_token()
        if chain.latest is not None:
            return receipt_of(chain.latest)
        problems = self._candidate_problems()
        if checked_out := self._target.checked_out_in():
            problems = (*problems, checked_out)
        seen = self._target.sight()
        return self._record(self._judge(seen, hindering=hindering, problems=problems, is_closing=False))

    # ------------------------------------------------------------------------------------------- the creator

    def _swap_once(self, token: str) -> PromotionReceipt:
        before = self._target.sight()
        if before.commit is None:
            return self._finish(Finding("target_ref_unobservable", before.why, None, before))
        if before.commit == self._binding.commit:
            sentence = "the branch already held the candidate; nothing was moved"
            return self._finish(Finding("already_promoted", sentence, before.commit, before))
        if before.commit != self._binding.base_commit:
            return self._finish(_stale(before.commit, before))
        if checked_out := self._target.checked_out_in():
            return self._finish(Finding("target_ref_checked_out", checked_out, before.commit, before))
        self._step("before_swap")
        answer = self._target.swap(token)
        self._step("after_swap")
        try:
            self._target.sync()
        except GitRefusedError as err:
            sentence = f"{err.message}; whether the swap survives a power cut is not known"
            nothing = Sighting(self._now(), None, sentence)
            return self._finish(Finding("status_recovery_conflict", sentence, before.commit, nothing))
        return self._finish(self._judge_swap(before.commit, self._target.sight(), answer))

    def _judge_swap(self, before: str | None, seen: Sighting, answer: SwapAnswer) -> Finding:
        binding = self._binding
        if seen.commit is None:
            return Finding("target_ref_unobservable", seen.why, before, seen)
        if seen.commit == binding.commit:
            if answer.is_done:
                return Finding("cas_updated", "the branch moved from the base to the candidate", before, seen)
            moved = (
                f"somebody else moved the branch to the candidate; our swap was refused: {answer.sentence}"
            )
            return Finding("already_promoted", moved, before, seen)
        trace = "the swap was made" if answer.is_done else self._target.trace_of_swap()
        if trace is not None:
            return _moved_on(trace, before, seen)
        if seen.commit == binding.base_commit:
            return Finding("update_ref_rejected", f"Git refused the swap: {answer.sentence}", before, seen)
        return _stale(before, seen)

    def _stop(self, code: str, sentence: str) -> PromotionReceipt:
        """Finish an attempt of ours that never reaches the swap."""
        seen = self._target.sight()
        if code == "update_ref_rejected":
            refused = SwapAnswer(is_done=False, sentence=sentence)
            return self._finish(self._judge_swap(seen.commit, seen, refused))
        return self._finish(Finding(code, sentence, seen.commit, seen))

    def _finish(self, finding: Finding) -> PromotionReceipt:
        # Our own token has no use any more; a leftover is harmless, since only we could have used it.
        self._target.revoke_token()
        return self._record(finding)

    # ------------------------------------------------------------------------------------------- the adopter

    def _judge(
        self, seen: Sighting, *, hindering: str | None, problems: tuple[str, ...], is_closing: bool
    ) -> Finding:
        """Say what an observation means for an attempt that somebody else created, or nobody."""
        if problems:
            return _unknown(f"an earlier attempt is open, and {problems[0]}", seen)
        if seen.commit is None:
            return _unknown(f"an earlier attempt is open, and {seen.why}", seen)
        if seen.commit == self._binding.commit:
            sentence = "the branch holds the candidate; an earlier attempt moved it, or somebody else did"
            return Finding("already_promoted", sentence, None, seen)
        if hindering is not None:
            return _unknown(f"an earlier attempt could not be stopped: {hindering}", seen)
        if (trace := self._target.trace_of_swap()) is not None:
            return _moved_on(trace, None, seen)
        if seen.commit != self._binding.base_commit:
            return _stale(None, seen)
        if is_closing:
            sentence = "the branch was not moved by this promotion, and cannot be any more"
            return Finding("update_ref_rejected", sentence, None, seen)
        return _unknown("an earlier attempt ended without a status, and the branch is at its base", seen)

    # ------------------------------------------------------------------------------------------- the records

    def _read(self) -> Chain:
        chain = self._journal.read()
        if chain.problems:
            raise JournalError(f"{chain.problems[0]}; nothing was moved, put the journal right first")
        if chain.intent is not None and chain.intent.record.binding != self._binding:
            message = (
                "this promotion was begun for another candidate, ref or authorisation; nothing was moved"
            )
            raise JournalError(message)
        return chain

    def _intend(self, chain: Chain) -> str:
        """Return the digest of the intent, written now unless it is there."""
        if chain.intent is None:
            self._journal.write_intent(PromotionIntent(binding=self._binding, recorded_at=self._now()))
            chain = self._read()
        if chain.intent is None:
            raise JournalError("the intent is gone from the journal right after it was written")
        return chain.intent.digest

    def _claim(self, intent_digest: str, token: str | None) -> bool:
        record = PromotionAttempt(
            promotion_id=self._binding.promotion_id,
            intent_digest=intent_digest,
            operator_id=self._order.operator_id,
            edge=self._order.edge,
            token=token,
            attempted_at=self._now(),
        )
        return self._journal.write_attempt(record)

    def _record(self, finding: Finding) -> PromotionReceipt:
        """Write the status and return it, or the final one that somebody else wrote meanwhile."""
        try:
            chain = self._read()
            if chain.latest is not None and _settles(chain.latest.record, finding):
                return receipt_of(chain.latest)
            self._journal.write_status(self._status(chain, finding))
            self._step("after_status")
            written = self._read().latest
        except JournalError as err:
            message = f"what became of the promotion could not be recorded: {err.message}"
            raise OutcomeUnknownError(message) from err
        if written is None:
            raise OutcomeUnknownError("the status is gone from the journal right after it was written")
        return receipt_of(written)

    def _status(self, chain: Chain, finding: Finding) -> PromotionStatusRecord:
        if chain.intent is None or chain.attempt is None:
            raise JournalError("the journal lost the attempt while it was under way")
        return PromotionStatusRecord(
            binding=self._binding,
            number=len(chain.statuses) + 1,
            intent_digest=chain.intent.digest,
            attempt_digest=chain.attempt.digest,
            previous_digest=None if chain.latest is None else chain.latest.digest,
            operator_id=self._order.operator_id,
            edge=self._order.edge,
            outcome=OUTCOME_OF_CODE[finding.code],
            code=finding.code,
            detail=finding.detail[:DETAIL_LENGTH_MAX],
            observed_before=finding.before,
            observed_after=finding.seen.commit,
            attempted_at=chain.attempt.record.attempted_at,
            observed_at=finding.seen.at,
        )

    # -------------------------------------------------------------------------------------------- the checks

    def _require_place(self) -> None:
        if problems := inspect_place(self._order.repository):
            raise ConfigurationError(problems[0])

    def _hindrance(self) -> tuple[str, str] | None:
        if problems := self._candidate_problems():
            return "candidate_verification_failed", problems[0]
        if checked_out := self._target.checked_out_in():
            return "target_ref_checked_out", checked_out
        return None

    def _candidate_problems(self) -> tuple[str, ...]:
        try:
            return self._verify_candidate(
                self._order.repository, self._order.candidate, expect_target_base=False
            )
        except UNREADABLE as err:
            return (str(err),)


def receipt_of(entry: Entry[PromotionStatusRecord]) -> PromotionReceipt:
    """Return what a status says, as services take it."""
    record = entry.record
    return PromotionReceipt(
        promotion_id=record.binding.promotion_id,
        outcome=record.outcome,
        code=record.code,
        detail=record.detail,
        observed_before=record.observed_before,
        observed_after=record.observed_after,
        attempted_at=record.attempted_at,
        observed_at=record.observed_at,
        intent_digest=record.intent_digest,
        attempt_digest=record.attempt_digest,
        status_digest=entry.digest,
        receipt=entry.envelope,
    )


def _stale(before: str | None, seen: Sighting) -> Finding:
    sentence = f"the branch holds {seen.commit}, which is not the base"
    return Finding("target_ref_mismatch", sentence, before, seen)


def _moved_on(trace: str, before: str | None, seen: Sighting) -> Finding:
    sentence = f"{trace}, but the branch held {seen.commit} when it was observed"
    return Finding("status_recovery_conflict", sentence, before, seen)


def _unknown(sentence: str, seen: Sighting) -> Finding:
    return Finding("status_recovery_conflict", sentence, None, seen)


def _settles(latest: PromotionStatusRecord, finding: Finding) -> bool:
    """Tell whether a status needs no successor: it is final, or it says what was found again."""
    said = (latest.code, latest.detail, latest.observed_after)
    is_final = latest.outcome is not PromotionOutcome.OUTCOME_UNKNOWN
    return is_final or said == (finding.code, finding.detail[:DETAIL_LENGTH_MAX], finding.seen.commit)
