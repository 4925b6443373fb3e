"""The Work room: the list of threads, one thread, and the acts between a run and an integrated result."""

from dataclasses import replace
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from app.routes.shelling import Place, page_response, shell_for
from app.routes.thread_acts import Acting, Sent, carried_out, find_thread, role_of, sight_of
from app.routes.visiting import PageVisitor, PostedForm
from app.services.studio import Studio
from app.views.building.parts import POLLS_MAX
from app.views.building.work import list_href, list_page, thread_page
from kernel.commands import AcceptDelta, RejectDelta
from kernel.projections.threads import WorkAct
from kernel.projections.worklist import work_list

router: Final = APIRouter(include_in_schema=False)

Poll = Annotated[int, Query(ge=0, le=POLLS_MAX)]
Start = Annotated[int, Query(ge=0, le=1_000_000)]
Choose = Annotated[str, Query(max_length=1)]


@router.get("/p/{project_id}/work")
def show_list(project_id: str, request: Request, visitor: PageVisitor, start: Start = 0) -> Response:
    """Show the threads of the project in pages; those that wait for a person first."""
    state = visitor.project(project_id)
    found = work_list(state, role_of(visitor, state), visitor.studio.clock.now(), start=start)
    shell = shell_for(request, visitor, Place("Work", list_href(state, start), project=state))
    return page_response(request, "work/list.html", list_page(state, found, shell))


@router.get("/p/{project_id}/work/{task_id}")
def work_thread(
    project_id: str, task_id: str, request: Request, visitor: PageVisitor, poll: Poll = 0, choose: Choose = ""
) -> Response:
    """Show one thread with its eight stages."""
    state, thread = find_thread(visitor, project_id, task_id)
    sight = replace(sight_of(request, visitor, state, thread), polls=poll, is_choosing=choose == "1")
    return page_response(request, "work/thread.html", thread_page(state, thread, sight))


def _cancel(studio: Studio, sent: Sent) -> None:
    studio.runs.cancel(sent.caller, sent.own("run_id"))


def _validate(studio: Studio, sent: Sent) -> None:
    studio.evidence.request(sent.caller, sent.own("closure_id"))


def _reconcile(studio: Studio, sent: Sent) -> None:
    studio.evidence.reconcile(sent.caller, sent.own("closure_id"), sent.own("validation_id"))


def _integrate(studio: Studio, sent: Sent) -> None:
    form = sent.form
    command = AcceptDelta(sent.own("delta_id"), 0, form.number("expected_revision"), form.text("seen"))
    studio.reviews.accept(sent.caller, command)


def _reject(studio: Studio, sent: Sent) -> None:
    command = RejectDelta(sent.own("delta_id"), sent.form.optional("reason"), sent.form.text("seen"))
    studio.reviews.reject(sent.caller, command)


@router.post("/p/{project_id}/work/{task_id}/cancel")
def cancel(
    project_id: str, task_id: str, request: Request, visitor: PageVisitor, form: PostedForm
) -> Response:
    """Withdraw a run that no worker has claimed."""
    sent = Sent(request, visitor, form, project_id, task_id)
    return carried_out(sent, Acting(WorkAct.CANCEL, _cancel, "cancelled", "Not cancelled"))


@router.post("/p/{project_id}/work/{task_id}/validate")
def validate(
    project_id: str, task_id: str, request: Request, visitor: PageVisitor, form: PostedForm
) -> Response:
    """Ask an independent validator about the sealed candidate; a worker does it."""
    sent = Sent(request, visitor, form, project_id, task_id)
    return carried_out(sent, Acting(WorkAct.VALIDATE, _validate, "validating", "Not asked"))


@router.post("/p/{project_id}/work/{task_id}/reconcile")
def reconcile(
    project_id: str, task_id: str, request: Request, visitor: PageVisitor, form: PostedForm
) -> Response:
    """Compile the validated result into a proposal for a human yes."""
    sent = Sent(request, visitor, form, project_id, task_id)
    return carried_out(sent, Acting(WorkAct.RECONCILE, _reconcile, "reconciled", "Not prepared"))


@router.post("/p/{project_id}/work/{task_id}/integrate")
def integrate(
    project_id: str, task_id: str, request: Request, visitor: PageVisitor, form: PostedForm
) -> Response:
    """Say yes to exactly the reconciliation that was shown; no branch moves."""
    sent = Sent(request, visitor, form, project_id, task_id)
    return carried_out(sent, Acting(WorkAct.INTEGRATE, _integrate, "integrated", "Not integrated"))


@router.post("/p/{project_id}/work/{task_id}/reject")
def reject(
    project_id: str, task_id: str, request: Request, visitor: PageVisitor, form: PostedForm
) -> Response:
    """Say no to the reconciliation that was shown; the candidate stays sealed."""
    sent = Sent(request, visitor, form, project_id, task_id)
    return carried_out(sent, Acting(WorkAct.REJECT, _reject, "rejected", "Not rejected"))
