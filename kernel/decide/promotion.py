"""Decisions about moving a branch."""

from kernel.canonical import canonical_bytes, digest
from kernel.commands import AuthorizePromotion, ObservePromotion, ProposePromotion, ReconcilePromotion
from kernel.decide.drafts import SYSTEM, Draft
from kernel.errors import NotFoundError, RefusedError
from kernel.events.promotion import (
    PromotionAuthorized,
    PromotionObserved,
    PromotionProposed,
    PromotionReconciled,
)
from kernel.events.source import ExchangeAnswered
from kernel.rules.promotion import promotion_of, promotions_of
from kernel.rules.source import RESPONSE_DOMAIN
from kernel.state import State
from kernel.values.execution import PromotionReceipt
from kernel.values.stamp import Stamp


def propose_promotion(state: State, command: ProposePromotion, stamp: Stamp) -> tuple[Draft, ...]:
    """Offer exactly the integrated result's candidate for the branch it was sealed for.

    Raises: NotFoundError; RefusedError when the delta is no accepted reconciliation.
    """
    delta = state.deltas.get(command.delta_id)
    if delta is None:
        message = f"there is no proposal {command.delta_id}"
        raise NotFoundError(message)
    if delta.body.closure_id is None or delta.body.validation_id is None or delta.revision is None:
        message = f"{command.delta_id} is not an integrated reconciliation"
        raise RefusedError(message)
    closure = state.closures[delta.body.closure_id]
    candidate = state.candidates[closure.body.candidate_id].body.candidate
    body = PromotionProposed(
        promotion_id=stamp.id("promotion"),
        attempt=len(promotions_of(state, delta.body.closure_id)) + 1,
        delta_id=command.delta_id,
        integrated_revision=delta.revision,
        closure_id=delta.body.closure_id,
        validation_id=delta.body.validation_id,
        candidate_id=candidate.candidate_id,
        repository_id=candidate.repository_id,
        target_ref=candidate.target_ref,
        base_commit=candidate.base_commit,
        candidate_commit=candidate.commit,
    )
    return (Draft(body),)


def authorize_promotion(_state: State, command: AuthorizePromotion, _stamp: Stamp) -> tuple[Draft, ...]:
    """Reserve the head and wait for the operator."""
    body = PromotionAuthorized(
        promotion_id=command.promotion_id,
        revision=command.expected_revision,
        seen=command.seen,
        reserved_until=command.reserved_until,
    )
    return (Draft(body),)


def receipt_json(receipt: PromotionReceipt) -> str:
    """Return the journal's receipt as the exact answer of the promotion's exchange."""
    return canonical_bytes(
        {
            "promotion_id": receipt.promotion_id,
            "outcome": receipt.outcome.value,
            "code": receipt.code,
            "detail": receipt.detail,
            "observed_before": receipt.observed_before,
            "observed_after": receipt.observed_after,
            "attempted_at": receipt.attempted_at,
            "observed_at": receipt.observed_at,
            "intent_digest": receipt.intent_digest,
            "attempt_digest": receipt.attempt_digest,
            "status_digest": receipt.status_digest,
            "receipt": receipt.receipt.model_dump(mode="json"),
        }
    ).decode()


def observe_promotion(state: State, command: ObservePromotion, stamp: Stamp) -> tuple[Draft, ...]:
    """Keep the exact receipt as the exchange's answer and the outcome it says, in one append.

    Raises: NotFoundError; RefusedError when no attempt is open.
    """
    record = promotion_of(state, command.promotion_id)
    if record.exchange_id is None:
        message = f"no attempt of promotion {command.promotion_id} is open"
        raise RefusedError(message)
    receipt = command.receipt
    exact = receipt_json(receipt)
    answer = ExchangeAnswered(
        exchange_id=record.exchange_id,
        response=stamp.words(exact, "response"),
        response_digest=digest(RESPONSE_DOMAIN, exact.encode()),
    )
    observed = PromotionObserved(
        promotion_id=command.promotion_id,
        exchange_id=record.exchange_id,
        outcome=receipt.outcome,
        code=receipt.code,
        detail=stamp.words(receipt.detail, "detail"),
        observed_before=receipt.observed_before,
        observed_after=receipt.observed_after,
        status_digest=receipt.status_digest,
        receipt=receipt.receipt,
    )
    return (Draft(answer, SYSTEM), Draft(observed, SYSTEM))


def reconcile_promotion(_state: State, command: ReconcilePromotion, stamp: Stamp) -> tuple[Draft, ...]:
    """Record what the operator's look at the branch found."""
    receipt = command.receipt
    body = PromotionReconciled(
        promotion_id=command.promotion_id,
        outcome=receipt.outcome,
        code=receipt.code,
        detail=stamp.words(receipt.detail, "detail"),
        observed_after=receipt.observed_after,
        status_digest=receipt.status_digest,
        receipt=receipt.receipt,
    )
    return (Draft(body),)
