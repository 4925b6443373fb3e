"""Rules for moving a branch. The human's authorisation reserves the head; authority is the operator's."""

from kernel.errors import EvidenceError, InvalidError, LifecycleError, NotFoundError, RefusedError, StaleError
from kernel.events.envelope import Event
from kernel.events.promotion import (
    PromotionAuthorized,
    PromotionObserved,
    PromotionProposed,
    PromotionReconciled,
)
from kernel.events.source import ExchangeRequested
from kernel.ids import is_id
from kernel.rules.delegation import seconds_between
from kernel.rules.limits import REASON_BYTES_MAX, RESERVATION_S_MAX
from kernel.rules.reconciliation import in_force, unmet
from kernel.rules.registry import admits
from kernel.rules.seen import promotion_seen
from kernel.rules.text import require_bytes, require_code
from kernel.state import PromotionRecord, State
from kernel.vocabulary import Disposition, PromotionOutcome, PromotionStatus, Purpose

RETRYABLE = frozenset({PromotionStatus.STALE, PromotionStatus.FAILED})
"""Outcomes after which a new human decision may try again."""


def require_free_head(state: State, at: str) -> None:
    """Refuse a new revision while an authorised promotion reserves the head or one is under way.

    Raises: LifecycleError naming the promotion.
    """
    for record in state.promotions.rows():
        if record.status is PromotionStatus.REQUESTED:
            message = f"promotion {record.body.promotion_id} is under way; wait for its outcome"
            raise LifecycleError(message, code="head_reserved")
        waiting = record.status is PromotionStatus.AUTHORIZED and not lapsed(record, at)
        if waiting and record.authorization is not None:
            message = (
                f"promotion {record.body.promotion_id} reserves the head until "
                f"{record.authorization.reserved_until}"
            )
            raise LifecycleError(message, code="head_reserved")


def lapsed(record: PromotionRecord, at: str) -> bool:
    """Tell whether the promotion was authorised and no operator acted in time."""
    waiting = record.status is PromotionStatus.AUTHORIZED
    return waiting and record.authorization is not None and record.authorization.reserved_until <= at


def promotion_of(state: State, promotion_id: str) -> PromotionRecord:
    """Return the promotion, or refuse.

    Raises: NotFoundError.
    """
    record = state.promotions.get(promotion_id)
    if record is None:
        message = f"there is no promotion {promotion_id}"
        raise NotFoundError(message)
    return record


def promotions_of(state: State, closure_id: str) -> tuple[PromotionRecord, ...]:
    """Return the promotions of a closure, in order."""
    records = (state.promotions.get(item) for item in state.followed_by.get(closure_id) or ())
    return tuple(record for record in records if record is not None)


@admits(PromotionProposed)
def promotion_proposed(state: State, body: PromotionProposed, _event: Event) -> None:
    """An integrated reconciliation still in force, exactly its candidate, and no other attempt open."""
    if not is_id(body.promotion_id, "promotion") or body.promotion_id in state.promotions:
        message = f"promotion id {body.promotion_id!r} is malformed or already used"
        raise InvalidError(message)
    _require_integrated(state, body)
    earlier = promotions_of(state, body.closure_id)
    if body.attempt != len(earlier) + 1:
        message = f"this is attempt {len(earlier) + 1}, not {body.attempt}"
        raise LifecycleError(message)
    for record in earlier:
        if record.status not in RETRYABLE:
            message = f"promotion {record.body.promotion_id} of this result is {record.status.value}"
            raise LifecycleError(message)


def _require_integrated(state: State, body: PromotionProposed) -> None:
    delta = state.deltas.get(body.delta_id)
    integrated = (
        delta is not None
        and delta.body.purpose is Purpose.RECONCILIATION
        and delta.disposition is Disposition.ACCEPTED
    )
    if delta is None or not integrated:
        message = f"{body.delta_id} is not an integrated reconciliation"
        raise RefusedError(message)
    pinned = (delta.body.closure_id, delta.body.validation_id, delta.revision)
    if pinned != (body.closure_id, body.validation_id, body.integrated_revision):
        message = "the promotion names another closure, validation or revision than was integrated"
        raise RefusedError(message)
    closure = state.closures[body.closure_id]
    candidate = state.candidates[closure.body.candidate_id].body.candidate
    named = (body.candidate_id, body.repository_id, body.target_ref, body.base_commit, body.candidate_commit)
    sealed = (
        candidate.candidate_id,
        candidate.repository_id,
        candidate.target_ref,
        candidate.base_commit,
        candidate.commit,
    )
    if named != sealed:
        message = "the promotion names another candidate, branch or base than was sealed"
        raise RefusedError(message)
    if unmet(state, closure, state.validations[body.validation_id].body):
        message = "required evidence of the integrated result is not met"
        raise EvidenceError(message)
    terms = state.briefs[closure.body.brief_id].body.terms
    changed = {entry.path for entry in candidate.manifest if entry.status != "deleted"}
    if terms.expected_artifacts and not changed & set(terms.expected_artifacts):
        message = "none of the expected artifacts is in the candidate"
        raise EvidenceError(message)
    if not in_force(state, body.closure_id):
        message = "the integrated result is no longer in force: its task was changed since"
        raise StaleError(message)


@admits(PromotionAuthorized)
def promotion_authorized(state: State, body: PromotionAuthorized, event: Event) -> None:
    """A proposed promotion, as it was shown, at the head, with a bounded reservation; one at a time.

    An authorisation that lapsed before an operator acted may be given again, for the head as it is then.
    """
    record = promotion_of(state, body.promotion_id)
    if record.status is not PromotionStatus.PROPOSED and not lapsed(record, event.at):
        message = f"promotion {body.promotion_id} is {record.status.value}"
        raise LifecycleError(message)
    require_free_head(state, event.at)
    if body.revision != state.revision:
        message = f"the head is at revision {state.revision}, not {body.revision}; look again"
        raise StaleError(message)
    if body.seen != promotion_seen(record):
        message = "what was shown is not what this promotion is now; look again"
        raise StaleError(message)
    if not 0 < seconds_between(event.at, body.reserved_until) <= RESERVATION_S_MAX:
        message = f"the head is reserved for at most {RESERVATION_S_MAX} seconds"
        raise InvalidError(message)
    _require_integrated(state, record.body)


def check_promotion_request(state: State, body: ExchangeRequested, event: Event) -> None:
    """Admit the operator's request, the point of no return: authorised, in time, evidence still standing.

    Raises: LifecycleError, StaleError or EvidenceError.
    """
    record = promotion_of(state, body.subject_id)
    if record.status is not PromotionStatus.AUTHORIZED or record.authorization is None:
        message = f"promotion {body.subject_id} is {record.status.value}, not authorized"
        raise LifecycleError(message)
    if lapsed(record, event.at):
        message = f"the authorisation lapsed at {record.authorization.reserved_until}; authorise it again"
        raise StaleError(message)
    if record.authorization.revision != state.revision:
        message = f"the head moved to revision {state.revision} since it was authorised"
        raise StaleError(message)
    _require_integrated(state, record.body)


@admits(PromotionObserved)
def promotion_observed(state: State, body: PromotionObserved, _event: Event) -> None:
    """The outcome answers the operator's request; only the observed candidate counts as promoted."""
    record = promotion_of(state, body.promotion_id)
    if record.status is not PromotionStatus.REQUESTED or record.exchange_id != body.exchange_id:
        message = f"promotion {body.promotion_id} is {record.status.value}, no attempt of it is open"
        raise LifecycleError(message)
    if state.exchanges[body.exchange_id].status != "answered":
        message = "the promoter's receipt is not durable yet"
        raise LifecycleError(message)
    _require_outcome(record, body)


@admits(PromotionReconciled)
def promotion_reconciled(state: State, body: PromotionReconciled, _event: Event) -> None:
    """Only an unobserved or unknown outcome can be reconciled, also after the head moved."""
    record = promotion_of(state, body.promotion_id)
    if record.status not in {PromotionStatus.REQUESTED, PromotionStatus.OUTCOME_UNKNOWN}:
        message = f"promotion {body.promotion_id} is {record.status.value}; nothing is unknown about it"
        raise LifecycleError(message)
    _require_outcome(record, body)


def _require_outcome(record: PromotionRecord, body: PromotionObserved | PromotionReconciled) -> None:
    require_code(body.code)
    require_bytes(body.detail, REASON_BYTES_MAX, "detail")
    observed = body.observed_after == record.body.candidate_commit
    if body.outcome is PromotionOutcome.PROMOTED and not observed:
        message = "promoted is said only of a branch observed at exactly the candidate"
        raise EvidenceError(message)
    if not body.receipt.signatures:
        message = "an outcome needs the journal's signed record"
        raise InvalidError(message)
