"""Promotion in the browser: propose, authorise, and the Operator room. No page posts an operator's act or token."""

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.routes.shelling import Place, binding, page_response, shell_for
from app.routes.thread_acts import Acting, Sent, carried_out, read_branch, read_journal, read_patch
from app.routes.visiting import PageVisitor, PostedForm
from app.services.studio import Studio
from app.views.building.operator import OperatorSight, Read, operator_page
from app.web.origin import PublicOrigin
from app.web.patterns import patterns_page
from kernel.errors import AuthorityError, NotFoundError, StudioError
from kernel.projections.threads import WorkAct
from kernel.state import PromotionRecord, State
from kernel.vocabulary import PromotionStatus, Role

router: Final = APIRouter(include_in_schema=False)


def _propose(studio: Studio, sent: Sent) -> None:
    studio.promotions.propose(sent.caller, sent.own("delta_id"))


def _authorise(studio: Studio, sent: Sent) -> None:
    form = sent.form
    studio.promotions.authorize(
        sent.caller,
        sent.own("promotion_id"),
        expected_revision=form.number("expected_revision"),
        seen=form.text("seen"),
    )


@router.post("/p/{project_id}/work/{task_id}/promote")
def propose(
    project_id: str, task_id: str, request: Request, visitor: PageVisitor, form: PostedForm
) -> Response:
    """Offer the integrated result to an operator; nothing moves."""
    sent = Sent(request, visitor, form, project_id, task_id)
    return carried_out(sent, Acting(WorkAct.PROPOSE, _propose, "proposed", "Not proposed"))


@router.post("/p/{project_id}/work/{task_id}/promote/authorise")
def authorise(
    project_id: str, task_id: str, request: Request, visitor: PageVisitor, form: PostedForm
) -> Response:
    """Ask an operator for exactly the move that was shown, and reserve the head for it."""
    sent = Sent(request, visitor, form, project_id, task_id)
    acting = Acting(WorkAct.AUTHORIZE_PROMOTION, _authorise, "promotion_authorized", "Not authorised")
    return carried_out(sent, acting)


@router.get("/operator")
def operator(request: Request, visitor: PageVisitor) -> Response:
    """Show what an operator decides on in the projects this person may read; acting needs a token besides."""
    studio = visitor.studio
    states = studio.projects.seen_by(visitor.person.id)
    origin: PublicOrigin = request.app.state.origin
    sight = OperatorSight(
        shell=shell_for(request, visitor, Place("Operator", "/operator")),
        origin=origin.origin,
        now=studio.clock.now(),
        names={person.id: person.name for person in studio.directory.people()},
        read={
            record.body.promotion_id: _read(studio, state, record)
            for state in states
            for record in state.promotions.rows()
            if record.status is not PromotionStatus.PROPOSED
        },
        new_command=lambda: binding(studio).command_id,
    )
    return page_response(request, "operator/page.html", operator_page(states, sight))


def _read(studio: Studio, state: State, record: PromotionRecord) -> Read:
    body = record.body
    branch = read_branch(studio, body.repository_id, body.target_ref)
    journal = read_journal(studio, body.promotion_id)
    if record.status is not PromotionStatus.AUTHORIZED:
        return Read(branch, journal)
    problems = _candidate_problems(studio, state, record)
    return Read(branch, journal, problems, read_patch(studio, state.candidates[body.candidate_id]))


def _candidate_problems(studio: Studio, state: State, record: PromotionRecord) -> tuple[str, ...]:
    """Recompute the sealed candidate from raw objects, as will be done again before anything moves."""
    facts = state.candidates[record.body.candidate_id].body.candidate
    try:
        place = studio.registry.repository(facts.repository_id)
        return studio.repositories.verify_candidate(place, facts, expect_target_base=False)
    except StudioError as error:
        return (error.message,)


@router.get("/-/patterns")
@router.get("/-/patterns/{fragment}")
def patterns(request: Request, visitor: PageVisitor, fragment: str | None = None) -> Response:
    """Show every part of the pages in every state, to an owner."""
    if visitor.role(visitor.studio.world_id) is not Role.OWNER:
        message = "the pattern pages are for owners"
        raise AuthorityError(message)
    page = patterns_page(fragment)
    if page is None:
        message = f"there is no fragment {fragment!r:.80}"
        raise NotFoundError(message)
    return page_response(request, "patterns/page.html", page)
