"""Briefs in the browser: choose a profile and compile, read one brief, authorise exactly one run of it."""

from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from app.routes.shelling import page_response
from app.routes.thread_acts import Acting, Sent, carried_out, find_thread, sight_of
from app.routes.visiting import PageVisitor, PostedForm
from app.services.studio import Studio
from app.views.building.brief import brief_page
from app.views.work.sight import View
from kernel.errors import NotFoundError
from kernel.projections.threads import WorkAct

router: Final = APIRouter(include_in_schema=False)


@router.get("/p/{project_id}/work/{task_id}/brief/{brief_id}")
def read_brief(
    project_id: str,
    task_id: str,
    brief_id: str,
    request: Request,
    visitor: PageVisitor,
    *,
    withheld: Annotated[int | None, Query(ge=0, le=1_000_000)] = None,
) -> Response:
    """Show what one brief shares and withholds, its contract and its exact bytes."""
    state, thread = find_thread(visitor, project_id, task_id)
    record = state.briefs.get(brief_id)
    if record is None or record.body.node_id != task_id:
        message = f"there is no brief {brief_id}"
        raise NotFoundError(message)
    view = View(state, thread, sight_of(request, visitor, state, thread))
    return page_response(request, "brief/page.html", brief_page(view, record, withheld))


def _compile(studio: Studio, sent: Sent) -> None:
    studio.briefs.compile(sent.project_id, sent.caller, sent.task_id, sent.form.optional("profile_id"))


def _authorise(studio: Studio, sent: Sent) -> None:
    studio.runs.authorize(sent.caller, sent.own("brief_id"), sent.form.optional("runtime_id"))


@router.post("/p/{project_id}/work/{task_id}/brief")
def compile_brief(
    project_id: str, task_id: str, request: Request, visitor: PageVisitor, form: PostedForm
) -> Response:
    """Compile a brief; a profile that is not yet the task's is first recorded on it as a revision."""
    sent = Sent(request, visitor, form, project_id, task_id)
    return carried_out(sent, Acting(WorkAct.COMPILE, _compile, "briefed", "Not briefed"))


@router.post("/p/{project_id}/work/{task_id}/authorise")
def authorise(
    project_id: str, task_id: str, request: Request, visitor: PageVisitor, form: PostedForm
) -> Response:
    """Allow exactly one run of the brief that was shown."""
    sent = Sent(request, visitor, form, project_id, task_id)
    return carried_out(sent, Acting(WorkAct.AUTHORIZE, _authorise, "authorized", "Not authorised"))
