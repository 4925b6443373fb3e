"""Briefs, runs, candidates, validations, reconciliations."""

from typing import Annotated, Final

from fastapi import APIRouter, Request, Response
from pydantic import Field

from app.routes.api.contract import (
    NOT_MODIFIED,
    Body,
    BriefId,
    BriefPath,
    CandidatePath,
    ClosurePath,
    ExchangePath,
    Key,
    NodeId,
    Nothing,
    ProjectPath,
    RunPath,
    Slug,
    ValidationId,
    tag_by_head,
)
from app.routes.visiting import ApiVisitor, Visitor
from app.views.answers.answering import (
    brief_answer,
    candidate_answer,
    proposal_answer,
    run_answer,
    validation_answer,
)
from app.views.answers.records import (
    BriefAnswer,
    CandidateAnswer,
    ProposalAnswer,
    RunAnswer,
    ValidationAnswer,
)
from kernel.errors import NotFoundError
from kernel.rules.limits import REASON_BYTES_MAX
from kernel.state import BriefRecord, CandidateRecord, State
from kernel.vocabulary import Boundary, Role

router: Final = APIRouter(tags=["work"])

PATCH_BYTES_MAX: Final = 4 * 1024 * 1024


class NewBrief(Body):
    """A task to brief an agent on."""

    node_id: NodeId
    profile_id: Slug | None = None
    """The task's own profile when null."""


class NewRun(Body):
    """Exactly one run of a brief."""

    brief_id: BriefId
    runtime_id: Slug | None = None
    """The profile's first runtime when null."""


class Cancellation(Body):
    """Why a run is withdrawn."""

    reason: Annotated[str, Field(min_length=1, max_length=REASON_BYTES_MAX)] | None = None


class NewReconciliation(Body):
    """Which validation a result is compiled from."""

    validation_id: ValidationId | None = None
    """The latest one when null."""


def _missing(record_id: str) -> NotFoundError:
    return NotFoundError(f"there is no record {record_id}")


def _brief(visitor: Visitor, state: State, record: BriefRecord) -> BriefAnswer:
    """Return a brief; what was withheld and why is the owner's to see."""
    answer = brief_answer(state.ledger, record)
    return answer if visitor.role(state.ledger) is Role.OWNER else answer.model_copy(update={"withheld": ()})


@router.post("/projects/{project_id}/briefs", status_code=201)
def compile_brief(project_id: ProjectPath, body: NewBrief, visitor: ApiVisitor, key: Key) -> BriefAnswer:
    """Compile and prove a brief for a task. Nothing is allowed by it."""
    caller = visitor.caller(visitor.project(project_id).ledger, key)
    record = visitor.studio.briefs.compile(project_id, caller, body.node_id, body.profile_id)
    state = visitor.state(project_id)
    return _brief(visitor, state, state.briefs[record.body.brief_id])


@router.get("/briefs/{brief_id}", responses=NOT_MODIFIED)
def read_brief(brief_id: BriefPath, request: Request, response: Response, visitor: ApiVisitor) -> BriefAnswer:
    """Return a brief."""
    state = visitor.state_of(brief_id)
    record = state.briefs.get(brief_id)
    if record is None:
        raise _missing(brief_id)
    tag_by_head(request, response, visitor, state)
    return _brief(visitor, state, record)


@router.post("/runs/authorize", status_code=201)
def authorize_run(body: NewRun, visitor: ApiVisitor, key: Key) -> RunAnswer:
    """Allow exactly one run and queue it."""
    state = visitor.state_of(body.brief_id)
    record = visitor.studio.runs.authorize(visitor.caller(state.ledger, key), body.brief_id, body.runtime_id)
    after = visitor.state(state.ledger)
    return run_answer(after, after.runs[record.body.run_id])


@router.get("/runs/{run_id}", responses=NOT_MODIFIED)
def read_run(run_id: RunPath, request: Request, response: Response, visitor: ApiVisitor) -> RunAnswer:
    """Return a run, its progress and what came from it."""
    state = visitor.state_of(run_id)
    record = state.runs.get(run_id)
    if record is None:
        raise _missing(run_id)
    tag_by_head(request, response, visitor, state)
    return run_answer(state, record)


@router.post("/runs/{run_id}/cancel")
def cancel_run(run_id: RunPath, body: Cancellation, visitor: ApiVisitor, key: Key) -> RunAnswer:
    """Withdraw a run that no worker has claimed."""
    ledger_id = visitor.state_of(run_id).ledger
    visitor.studio.runs.cancel(visitor.caller(ledger_id, key), run_id, body.reason)
    state = visitor.state(ledger_id)
    return run_answer(state, state.runs[run_id])


def _candidate(visitor: Visitor, candidate_id: str) -> tuple[State, CandidateRecord]:
    state = visitor.state_of(candidate_id)
    record = state.candidates.get(candidate_id)
    if record is None:
        raise _missing(candidate_id)
    return state, record


@router.get("/candidates/{candidate_id}", responses=NOT_MODIFIED)
def read_candidate(
    candidate_id: CandidatePath, request: Request, response: Response, visitor: ApiVisitor
) -> CandidateAnswer:
    """Return a sealed candidate."""
    state, record = _candidate(visitor, candidate_id)
    tag_by_head(request, response, visitor, state)
    return candidate_answer(state, record)


@router.get("/candidates/{candidate_id}/verify")
def verify_candidate(candidate_id: CandidatePath, visitor: ApiVisitor) -> CandidateAnswer:
    """Recompute a candidate from raw Git objects, verify its receipt, and say what differs."""
    studio, (state, record) = visitor.studio, _candidate(visitor, candidate_id)
    facts = record.body.candidate
    place = studio.registry.repository(facts.repository_id)
    found = studio.repositories.verify_candidate(place, facts, expect_target_base=False)
    return candidate_answer(state, record, (*studio.evidence.receipt_problems(record), *found))


@router.get(
    "/candidates/{candidate_id}/patch",
    response_class=Response,
    responses={200: {"description": "The patch as a file", "content": {"text/x-diff": {}}}},
)
def read_patch(candidate_id: CandidatePath, visitor: ApiVisitor) -> Response:
    """Return what a candidate changes, as an attachment."""
    facts = _candidate(visitor, candidate_id)[1].body.candidate
    place = visitor.studio.registry.repository(facts.repository_id)
    patch = visitor.studio.repositories.patch(
        place, facts.base_commit, facts.commit, max_bytes=PATCH_BYTES_MAX
    )
    headers = {"Content-Disposition": f'attachment; filename="{candidate_id}.patch"'}
    return Response(patch.encode("utf-8", "replace"), media_type="text/x-diff", headers=headers)


@router.post("/closures/{closure_id}/validations", status_code=202)
def request_validation(
    closure_id: ClosurePath, body: Nothing, visitor: ApiVisitor, key: Key
) -> ValidationAnswer:
    """Ask the independent validator; the worker does it."""
    del body
    ledger_id = visitor.state_of(closure_id).ledger
    exchange_id = visitor.studio.evidence.request(visitor.caller(ledger_id, key), closure_id)
    return validation_answer(visitor.state(ledger_id), exchange_id)


@router.get("/validations/{exchange_id}", responses=NOT_MODIFIED)
def read_validation(
    exchange_id: ExchangePath, request: Request, response: Response, visitor: ApiVisitor
) -> ValidationAnswer:
    """Return where a requested validation stands."""
    state = visitor.state_of(exchange_id)
    record = state.exchanges.get(exchange_id)
    if record is None or record.body.boundary is not Boundary.VALIDATION:
        raise _missing(exchange_id)
    tag_by_head(request, response, visitor, state)
    return validation_answer(state, exchange_id)


@router.post("/closures/{closure_id}/reconciliations", status_code=201)
def prepare_reconciliation(
    closure_id: ClosurePath, body: NewReconciliation, visitor: ApiVisitor, key: Key
) -> ProposalAnswer:
    """Compile a validated result into a proposal with its gate list."""
    ledger_id = visitor.state_of(closure_id).ledger
    caller = visitor.caller(ledger_id, key)
    delta_id = visitor.studio.evidence.reconcile(caller, closure_id, body.validation_id)
    state = visitor.state(ledger_id)
    return proposal_answer(state, state.deltas[delta_id])
