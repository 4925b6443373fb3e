"""What a ledger remembers of moving a branch."""

from dataclasses import replace

from kernel.events.promotion import (
    PromotionAuthorized,
    PromotionObserved,
    PromotionProposed,
    PromotionReconciled,
)
from kernel.reducer.registry import evolves
from kernel.reducer.source import follow
from kernel.state import Origin, PromotionRecord, State, changed
from kernel.vocabulary import PromotionStatus


@evolves(PromotionProposed)
def promotion_proposed(state: State, body: PromotionProposed, origin: Origin) -> State:
    """Let it wait for a person."""
    state = changed(state, promotions=state.promotions.put(body.promotion_id, PromotionRecord(body, origin)))
    return follow(state, body.closure_id, body.promotion_id)


@evolves(PromotionAuthorized)
def promotion_authorized(state: State, body: PromotionAuthorized, origin: Origin) -> State:
    """Let it wait for an operator, with the head reserved."""
    record = replace(
        state.promotions[body.promotion_id],
        status=PromotionStatus.AUTHORIZED,
        authorization=body,
        authorized=origin,
    )
    return changed(state, promotions=state.promotions.put(body.promotion_id, record))


def _observed(state: State, body: PromotionObserved | PromotionReconciled, origin: Origin) -> State:
    record = replace(
        state.promotions[body.promotion_id],
        status=PromotionStatus(body.outcome.value),
        outcome=body,
        ended=origin,
    )
    return changed(state, promotions=state.promotions.put(body.promotion_id, record))


@evolves(PromotionObserved)
def promotion_observed(state: State, body: PromotionObserved, origin: Origin) -> State:
    """Keep the outcome as observed."""
    return _observed(state, body, origin)


@evolves(PromotionReconciled)
def promotion_reconciled(state: State, body: PromotionReconciled, origin: Origin) -> State:
    """Keep what the unknown outcome turned out to be."""
    return _observed(state, body, origin)
