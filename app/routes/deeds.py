"""Acts with a page of their own before them: erase words, take a revision back, put a project away or take it up."""

from typing import Annotated, Final

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from app.routes.reading import offer, reading
from app.routes.shelling import Place, binding, page_response, refused, see_other, shell_for
from app.routes.visiting import PageVisitor, PostedForm, Visitor
from app.views.building.confirm import archive_page, take_back_page
from app.views.building.source import erase_page, source_page
from app.views.confirm import ConfirmPage
from app.views.parts import Refusal
from kernel.commands import ProposeCompensation
from kernel.errors import NotFoundError, StudioError
from kernel.projections.acts import Act
from kernel.projections.past import revision_of
from kernel.state import Revision, State

router: Final = APIRouter(include_in_schema=False, prefix="/p/{project_id}")

Number = Annotated[int, Path(ge=0, le=999_999_999_999)]
_CONFIRM: Final = "confirm/page.html"


@router.get("/sources/{source_id}")
def source(project_id: str, source_id: str, request: Request, visitor: PageVisitor) -> Response:
    """Show one capture: its exact words, and what came from it."""
    state = visitor.project(project_id)
    shell = shell_for(request, visitor, Place("Capture", _source(state, source_id), "Ledger", project=state))
    return page_response(request, "source/page.html", source_page(shell, reading(visitor, state), source_id))


def _source(state: State, source_id: str) -> str:
    return f"/p/{state.ledger}/sources/{source_id}"


@router.get("/sources/{source_id}/erase")
def before_erasing(project_id: str, source_id: str, request: Request, visitor: PageVisitor) -> Response:
    """Say what goes, what stays, and what is out of reach, before anything is destroyed."""
    state = visitor.project(project_id)
    page = _erase_page(request, visitor, state, source_id)
    if state.sources[source_id].erased is not None:
        return see_other(_source(state, source_id))
    offer(visitor, state, source_id, Act.ERASE)
    return page_response(request, _CONFIRM, page)


@router.post("/sources/{source_id}/erase")
def erase(
    project_id: str, source_id: str, request: Request, visitor: PageVisitor, form: PostedForm
) -> Response:
    """Destroy the words for good; the page of the capture then says what stayed."""
    state = visitor.project(project_id)
    if source_id not in state.sources:
        message = f"nothing in this project is called {source_id:.64}"
        raise NotFoundError(message)
    try:
        caller = visitor.caller(state.ledger, form.key)
        visitor.studio.erasures.erase(state.ledger, caller, source_id)
    except StudioError as error:
        status, refusal = refused(error, "Not erased")
        return page_response(
            request, _CONFIRM, _erase_page(request, visitor, state, source_id, refusal), status
        )
    return see_other(_source(state, source_id), "erased")


def _erase_page(
    request: Request, visitor: Visitor, state: State, source_id: str, refusal: Refusal | None = None
) -> ConfirmPage:
    place = Place("Erase", f"{_source(state, source_id)}/erase", "Ledger", project=state)
    shell = shell_for(request, visitor, place)
    seen = binding(visitor.studio)
    return erase_page(shell, reading(visitor, state), source_id, binding=seen, refusal=refusal)


def _revision(state: State, number: int) -> Revision:
    """Return a revision that somebody accepted. Raises: NotFoundError."""
    found = revision_of(state, number)
    if found.delta_id is None:
        message = f"there is no revision {number} that could be taken back"
        raise NotFoundError(message)
    return found


@router.get("/revisions/{number}/take-back")
def before_taking_back(project_id: str, number: Number, request: Request, visitor: PageVisitor) -> Response:
    """Say what taking a revision back would do now."""
    state = visitor.project(project_id)
    offer(visitor, state, _revision(state, number).delta_id or "", Act.TAKE_BACK)
    return page_response(request, _CONFIRM, _take_back_page(request, visitor, state, number))


@router.post("/revisions/{number}/take-back")
def take_back(
    project_id: str, number: Number, request: Request, visitor: PageVisitor, form: PostedForm
) -> Response:
    """Propose what takes a revision back; it waits for a yes like any other change."""
    state = visitor.project(project_id)
    try:
        offer(visitor, state, _revision(state, number).delta_id or "", Act.TAKE_BACK)
        command = ProposeCompensation(number, form.text("seen"), form.optional("reason"))
        caller = visitor.caller(state.ledger, form.key)
        proposal = visitor.studio.reviews.compensate(state.ledger, caller, command)
    except StudioError as error:
        status, refusal = refused(error, "Not proposed")
        page = _take_back_page(request, visitor, state, number, reason=form.text("reason"), refusal=refusal)
        return page_response(request, _CONFIRM, page, status)
    known = visitor.known_as(state.ledger, proposal)
    return see_other(f"/p/{state.ledger}/inbox/{known}", "taking_back")


def _take_back_page(
    request: Request,
    visitor: Visitor,
    state: State,
    number: int,
    *,
    reason: str = "",
    refusal: Refusal | None = None,
) -> ConfirmPage:
    revision = _revision(state, number)
    here = f"/p/{state.ledger}/revisions/{number}/take-back"
    return take_back_page(
        shell_for(request, visitor, Place("Take back", here, "Worldstate", project=state)),
        reading(visitor, state),
        revision,
        binding=binding(visitor.studio, seen=revision.state_root),
        reason=reason,
        refusal=refusal,
    )


@router.get("/archive")
def before_archiving(project_id: str, request: Request, visitor: PageVisitor) -> Response:
    """Ask before a project is put away; one that is away leads to its return."""
    state = visitor.project(project_id)
    if state.archived is not None:
        return see_other(f"/p/{state.ledger}/restore")
    offer(visitor, state, state.ledger, Act.ARCHIVE)
    return page_response(request, _CONFIRM, _archive_page(request, visitor, state))


@router.get("/restore")
def before_restoring(project_id: str, request: Request, visitor: PageVisitor) -> Response:
    """Ask before a project is taken up again; one that is worked on leads to putting it away."""
    state = visitor.project(project_id)
    if state.archived is None:
        return see_other(f"/p/{state.ledger}/archive")
    offer(visitor, state, state.ledger, Act.RESTORE)
    return page_response(request, _CONFIRM, _archive_page(request, visitor, state))


@router.post("/archive")
def archive(project_id: str, request: Request, visitor: PageVisitor, form: PostedForm) -> Response:
    """Put a project away: it takes nothing new and stays readable."""
    state = visitor.project(project_id)
    try:
        caller = visitor.caller(state.ledger, form.key)
        visitor.studio.projects.archive(state.ledger, caller, form.optional("reason"))
    except StudioError as error:
        status, refusal = refused(error, "Not put away")
        page = _archive_page(request, visitor, state, reason=form.text("reason"), refusal=refusal)
        return page_response(request, _CONFIRM, page, status)
    return see_other("/", "archived")


@router.post("/restore")
def restore(project_id: str, request: Request, visitor: PageVisitor, form: PostedForm) -> Response:
    """Take a project up again."""
    state = visitor.project(project_id)
    try:
        caller = visitor.caller(state.ledger, form.key)
        visitor.studio.projects.restore(state.ledger, caller, form.optional("reason"))
    except StudioError as error:
        status, refusal = refused(error, "Not taken up again")
        page = _archive_page(request, visitor, state, reason=form.text("reason"), refusal=refusal)
        return page_response(request, _CONFIRM, page, status)
    return see_other(f"/p/{state.ledger}/inbox", "restored")


def _archive_page(
    request: Request, visitor: Visitor, state: State, *, reason: str = "", refusal: Refusal | None = None
) -> ConfirmPage:
    act = "archive" if state.archived is None else "restore"
    shell = shell_for(request, visitor, Place("Put away", f"/p/{state.ledger}/{act}", "World", project=state))
    seen = binding(visitor.studio)
    return archive_page(shell, reading(visitor, state), binding=seen, reason=reason, refusal=refusal)
