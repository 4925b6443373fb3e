"""What a ledger remembers of captures and boundary crossings."""

from dataclasses import replace

from kernel.events.source import (
    ExchangeAnswered,
    ExchangeFailed,
    ExchangeRequested,
    ExchangeUnreadable,
    SourceCaptured,
    SourceErased,
)
from kernel.reducer.forgetting import forgotten
from kernel.reducer.registry import evolves
from kernel.state import ExchangeRecord, Origin, SourceRecord, State, begun, changed
from kernel.vocabulary import Boundary, PromotionStatus, RunStatus


def follow(state: State, cause_id: str | None, record_id: str) -> State:
    """Return the state in which `record_id` is known to come from `cause_id`; None causes nothing."""
    if cause_id is None:
        return state
    known = state.followed_by.get(cause_id) or ()
    return changed(state, followed_by=state.followed_by.put(cause_id, (*known, record_id)))


@evolves(SourceCaptured)
def source_captured(state: State, body: SourceCaptured, origin: Origin) -> State:
    """Keep the words."""
    return changed(state, sources=state.sources.put(body.source_id, begun(SourceRecord, body, origin)))


@evolves(SourceErased)
def source_erased(state: State, body: SourceErased, origin: Origin) -> State:
    """Forget every text that the capture's data key protected; keep that they were there."""
    state = changed(state, unplaced=state.unplaced.without(body.source_id))
    return forgotten(state, body.source_id, origin)


@evolves(ExchangeRequested)
def exchange_requested(state: State, body: ExchangeRequested, origin: Origin) -> State:
    """Open the exchange; for a run this claims it, for a promotion it passes the point of no return."""
    state = changed(
        state, exchanges=state.exchanges.put(body.exchange_id, begun(ExchangeRecord, body, origin))
    )
    state = follow(state, body.subject_id, body.exchange_id)
    if body.boundary is Boundary.RUN:
        run = state.runs[body.subject_id]
        run = replace(run, status=RunStatus.CLAIMED, fence=origin.seq, claimed=origin)
        return changed(state, runs=state.runs.put(body.subject_id, run))
    if body.boundary is Boundary.PROMOTION:
        promotion = replace(
            state.promotions[body.subject_id],
            status=PromotionStatus.REQUESTED,
            exchange_id=body.exchange_id,
            requested=origin,
        )
        return changed(state, promotions=state.promotions.put(body.subject_id, promotion))
    if body.boundary is Boundary.PLACEMENT:
        return changed(state, unplaced=state.unplaced.put(body.subject_id, origin.seq))
    return state


def placed(state: State, exchange_id: str | None) -> State:
    """Return the state in which something came of this attempt to place words."""
    record = None if exchange_id is None else state.exchanges.get(exchange_id)
    if record is None or record.body.subject_id not in state.unplaced:
        return state
    return changed(state, unplaced=state.unplaced.without(record.body.subject_id))


@evolves(ExchangeAnswered)
def exchange_answered(state: State, body: ExchangeAnswered, origin: Origin) -> State:
    """Keep the exact answer."""
    record = changed(
        state.exchanges[body.exchange_id], status="answered", response=body.response, ended=origin
    )
    return changed(state, exchanges=state.exchanges.put(body.exchange_id, record))


@evolves(ExchangeFailed)
def exchange_failed(state: State, body: ExchangeFailed, origin: Origin) -> State:
    """Keep how the call failed."""
    record = changed(
        state.exchanges[body.exchange_id], status="failed", code=body.code, detail=body.detail, ended=origin
    )
    return changed(state, exchanges=state.exchanges.put(body.exchange_id, record))


@evolves(ExchangeUnreadable)
def exchange_unreadable(state: State, body: ExchangeUnreadable, origin: Origin) -> State:
    """Keep why the answer could not be applied; the answer itself stays."""
    record = changed(
        state.exchanges[body.exchange_id],
        status="unreadable",
        code=body.code,
        detail=body.detail,
        ended=origin,
    )
    return changed(state, exchanges=state.exchanges.put(body.exchange_id, record))
