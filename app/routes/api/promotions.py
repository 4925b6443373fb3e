"""Promotions: people propose and authorise with a session, an operator executes and reconciles with a Bearer.

The operator's two acts have passed `OperatorEdge` before anything here runs: exact origin, Fetch Metadata, token.
"""

import hashlib
from typing import Final

from fastapi import APIRouter, Request

from app.routes.api.contract import Body, DeltaId, Key, Nothing, PromotionPath, Revision, Seen
from app.routes.visiting import ApiVisitor, StudioHere
from app.services.access import command_id_for
from app.services.desk import Caller
from app.services.studio import Studio
from app.views.answers.answering import promotion_answer
from app.views.answers.records import PromotionAnswer
from kernel.canonical import canonical_bytes
from kernel.errors import NotFoundError, StudioError
from kernel.state import State
from kernel.vocabulary import PromotionStatus, Role, Via

router: Final = APIRouter(tags=["promotions"])

_EDGE: Final = "http"


class NewPromotion(Body):
    """An integrated result to offer to an operator."""

    delta_id: DeltaId


class Authorization(Body):
    """A yes to moving exactly this branch to exactly this commit."""

    expected_revision: Revision
    seen: Seen


class ExecutedAnswer(PromotionAnswer):
    """A promotion after an operator's act."""

    outcome: str | None
    """`promoted`, `stale`, `failed` or `outcome_unknown`; null when nothing was observed."""


def _answer(studio: Studio, state: State, promotion_id: str) -> PromotionAnswer:
    record = state.promotions[promotion_id]
    try:
        journal = studio.promotions.status(promotion_id)
    except StudioError:
        journal = None
    return promotion_answer(state, record, journal)


def _executed(studio: Studio, operator: Caller, promotion_id: str) -> ExecutedAnswer:
    """Return the outcome in the numbers that the token's holder sees."""
    ledger_id = studio.desk.ledger_of(promotion_id)
    role = studio.directory.role_of(operator.actor.id, ledger_id) or Role.NONE
    state = studio.desk.state_for(ledger_id, role)
    answer, outcome = _answer(studio, state, promotion_id), state.promotions[promotion_id].outcome
    said = None if outcome is None else outcome.outcome.value
    return ExecutedAnswer.model_validate({**answer.model_dump(), "outcome": said})


@router.post("/promotions", status_code=201)
def propose(body: NewPromotion, visitor: ApiVisitor, key: Key) -> PromotionAnswer:
    """Offer an integrated result to an operator."""
    state = visitor.state_of(body.delta_id)
    record = visitor.studio.promotions.propose(visitor.caller(state.ledger, key), body.delta_id)
    return _answer(visitor.studio, visitor.state(state.ledger), record.body.promotion_id)


@router.post("/promotions/{promotion_id}/authorize")
def authorize(
    promotion_id: PromotionPath, body: Authorization, visitor: ApiVisitor, key: Key
) -> PromotionAnswer:
    """Ask the operator to go ahead; reserves the head for an hour."""
    ledger_id = visitor.state_of(promotion_id).ledger
    caller = visitor.caller(ledger_id, key)
    visitor.studio.promotions.authorize(
        caller, promotion_id, expected_revision=body.expected_revision, seen=body.seen
    )
    return _answer(visitor.studio, visitor.state(ledger_id), promotion_id)


@router.get("/promotions/{promotion_id}")
def read_promotion(promotion_id: PromotionPath, visitor: ApiVisitor) -> PromotionAnswer:
    """Return a promotion with its journal re-verified now; without a tag, since the journal is no ledger."""
    return _answer(visitor.studio, visitor.state_of(promotion_id), promotion_id)


def _operator(studio: Studio, request: Request, act: str, key: str) -> Caller:
    """Return the operator whom the edge found, with the command this key names for this very act."""
    operator_id: str = request.state.operator_id
    caller = studio.access.operator_caller(operator_id, Via.BROWSER)
    scoped = hashlib.sha256(f"{request.url.path}\0{act}\0{key}".encode()).hexdigest()
    return Caller(caller.actor, caller.via, command_id_for(operator_id, scoped))


def _was_done(studio: Studio, promotion_id: str, caller: Caller) -> bool:
    """Return whether this very act came before and has an outcome; then it is answered, never repeated."""
    ledger_id = studio.desk.ledger.ledger_of(promotion_id)
    if ledger_id is None:
        message = f"there is no record {promotion_id}"
        raise NotFoundError(message)
    assert caller.command_id is not None
    nothing = canonical_bytes(None)
    found = studio.desk.ledger.find_command(ledger_id, caller.actor.id, caller.command_id, nothing)
    status = studio.promotions.find(promotion_id)[1].status
    return found is not None and status is not PromotionStatus.REQUESTED


@router.post("/promotions/{promotion_id}/execute")
def execute(
    promotion_id: PromotionPath, body: Nothing, request: Request, studio: StudioHere, key: Key
) -> ExecutedAnswer:
    """Move the branch by one compare-and-swap, once."""
    del body
    caller = _operator(studio, request, "execute", key)
    if not _was_done(studio, promotion_id, caller):
        studio.promotions.execute(caller, promotion_id, _EDGE)
    return _executed(studio, caller, promotion_id)


@router.post("/promotions/{promotion_id}/reconcile")
def reconcile(
    promotion_id: PromotionPath, body: Nothing, request: Request, studio: StudioHere, key: Key
) -> ExecutedAnswer:
    """Record what an unknown outcome turned out to be; the branch is only read."""
    del body
    caller = _operator(studio, request, "reconcile", key)
    if not _was_done(studio, promotion_id, caller):
        studio.promotions.reconcile(caller, promotion_id, _EDGE)
    return _executed(studio, caller, promotion_id)
