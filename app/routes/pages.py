"""The World page and the capture page: the worked example of how a page is built and how its act goes out.

See docs/web-edge.md. The rooms of a project have modules of their own.
"""

from dataclasses import replace
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from app.routes.offering import fits_better, may_capture
from app.routes.reading import reading
from app.routes.shelling import Place, binding, page_response, refused, see_other, shell_for
from app.routes.uploading import FilesForm, PostedFiles
from app.routes.visiting import PageVisitor, PostedForm, ProblemError, Visitor
from app.services.capture import Captured
from app.services.elsewhere import capture_elsewhere
from app.services.sights import sees_all
from app.views.building.card import with_standing
from app.views.building.world import (
    apart,
    better_place,
    capture_box,
    capture_result,
    closed_words,
    damage,
    manager_words,
    private_words,
    project_card,
    project_options,
    review_link,
    world_summary,
)
from app.views.capture import BetterPlace, CaptureBox, CapturePage
from app.views.importing import ImportForm
from app.views.parts import Link
from app.views.world import NewProjectForm, ProjectCard, WorldPage
from kernel.errors import NotFoundError, StudioError
from kernel.state import State
from kernel.vocabulary import Role, Visibility

router: Final = APIRouter(include_in_schema=False)

_TITLE_FROM_WORDS: Final = 60
"""Characters of a first sentence that name the project it opens."""

Selected = Annotated[str, Query(max_length=64)]


def world_page(request: Request, visitor: Visitor) -> WorldPage:
    """Return the World page as this visitor sees it now."""
    studio = visitor.studio
    states = studio.projects.seen_by(visitor.person.id)
    damaged = studio.projects.unreadable(visitor.person.id)
    writable = tuple(state for state in states if may_capture(visitor, state))
    may_open = visitor.may_write(studio.world_id)
    fresh = binding(studio)
    box = CaptureBox(
        action="/capture",
        binding=fresh,
        label="What is on your mind?" if states else "What are you working on?",
        button="Capture",
        manager=manager_words(studio.placements.manager.facts),
        private_note=private_words(studio.placements.manager.facts),
        may_be_private=not states or any(sees_all(visitor.role(state.ledger)) for state in writable),
        is_primary=not states,
        projects=project_options(writable),
    )
    told = apart(states)
    cards = {state.ledger: _card(visitor, state, told[state.ledger]) for state in states}
    return WorldPage(
        shell=shell_for(request, visitor, Place("World", "/")),
        summary=world_summary(states, studio.clock.now()),
        projects=tuple(cards[state.ledger] for state in states if state.archived is None),
        shelf=tuple(cards[state.ledger] for state in states if state.archived is not None),
        review=review_link(writable, studio.clock.now()),
        box=box if writable or may_open else None,
        new_project=NewProjectForm("/projects", binding(studio)) if may_open else None,
        outline=ImportForm("/import-outline", binding(studio)) if writable else None,
        outline_projects=project_options(writable),
        is_first_run=not (states or damaged),
        damaged=tuple(damage(project_id) for project_id in damaged),
        bundle=Link("Import a bundle", "/import", "upload")
        if visitor.role(studio.world_id) is Role.OWNER
        else None,
        closed="" if writable or may_open else closed_words(states),
    )


def _card(visitor: Visitor, state: State, told: str) -> ProjectCard:
    studio, now = visitor.studio, visitor.studio.clock.now()
    is_imported = studio.access.imported(state.ledger) is not None
    role = visitor.role(state.ledger) or Role.NONE
    return with_standing(project_card(state, now, told), state, role, now, is_imported=is_imported)


@router.get("/")
def world(request: Request, visitor: PageVisitor) -> Response:
    """Show all projects, one capture box, and the ways to begin."""
    return page_response(request, "world/page.html", world_page(request, visitor))


@router.post("/projects")
def open_project(request: Request, visitor: PageVisitor, form: PostedForm) -> Response:
    """Open an empty project."""
    studio = visitor.studio
    try:
        opened = studio.projects.open(visitor.caller(studio.world_id, form.key), form.text("title").strip())
    except StudioError as error:
        status, refusal = refused(error, "Not opened")
        page = world_page(request, visitor)
        if page.new_project is None:
            raise
        kept = replace(page.new_project, title=form.text("title"), refusal=refusal)
        return page_response(request, "world/page.html", replace(page, new_project=kept), status)
    return see_other(f"/p/{opened}/capture", "opened")


@router.post("/capture")
def capture_in_world(request: Request, visitor: PageVisitor, form: FilesForm) -> Response:
    """Keep words in the chosen project; the very first words open one."""
    try:
        project_id = form.optional("project") or _opened_by_words(visitor, form)
        done = _capture(request, visitor, form, project_id)
    except StudioError as error:
        status, refusal = refused(error, "Not captured")
        page = world_page(request, visitor)
        if page.box is None:
            raise
        kept = _with_typed(page.box, form)
        page = replace(page, box=replace(kept, refusal=refusal))
        return page_response(request, "world/page.html", page, status)
    return see_other(f"/p/{project_id}/capture?of={done.exchange_id}", "captured")


def _opened_by_words(visitor: Visitor, form: PostedFiles) -> str:
    """Open a project named by the first line of the words; the command is its own, derived from the form's."""
    first = form.text("text").strip().partition("\n")[0] or form.name("file")
    title = first[:_TITLE_FROM_WORDS].strip()
    key = None if form.key is None else f"open:{form.key}"
    return visitor.studio.projects.open(visitor.caller(visitor.studio.world_id, key), title)


@router.get("/p/{project_id}/capture")
def capture_page(
    project_id: str, request: Request, visitor: PageVisitor, node: Selected = "", of: Selected = ""
) -> Response:
    """Show the capture box, and what became of the last capture."""
    state = visitor.project(project_id)
    page = _capture_page(request, visitor, state, node)
    if of:
        if of not in state.exchanges:
            message = f"there is no placement {of:.64}"
            raise NotFoundError(message)
        done = visitor.studio.placements.standing(project_id, of)
        result = capture_result(reading(visitor, state), done.source_id, of, done.delta_id)
        page = replace(page, result=replace(result, better=_better(visitor, state, of)))
    return page_response(request, "capture/page.html", page)


def _better(visitor: Visitor, state: State, exchange_id: str) -> BetterPlace | None:
    """Return the offer to capture the words in another project in which this visitor may write."""
    found = fits_better(visitor, state, exchange_id)
    if found is None:
        return None
    return better_place(
        found.title,
        found.words,
        here=state.ledger,
        there=found.project_id,
        exchange_id=exchange_id,
        bound=binding(visitor.studio),
    )


@router.post("/p/{project_id}/capture/elsewhere")
def capture_in_another(project_id: str, request: Request, visitor: PageVisitor, form: PostedForm) -> Response:
    """Capture the words of an exchange again in another project; the original stays where it is."""
    state, target = visitor.project(project_id), visitor.project(form.text("project"))
    _check_rate(request, visitor)
    caller = visitor.caller(target.ledger, form.key)
    placements = visitor.studio.placements
    done = capture_elsewhere(placements, state, form.text("of"), project_id=target.ledger, caller=caller)
    return see_other(f"/p/{target.ledger}/capture?of={done.exchange_id}", "captured")


@router.post("/p/{project_id}/capture")
def capture(project_id: str, request: Request, visitor: PageVisitor, form: FilesForm) -> Response:
    """Keep words or a file and propose where they fit. A refusal keeps what was typed."""
    state = visitor.project(project_id)
    try:
        done = _capture(request, visitor, form, project_id)
    except StudioError as error:
        status, refusal = refused(error, "Not captured")
        page = _capture_page(request, visitor, state, form.text("select"))
        if page.box is None:
            raise
        box = replace(_with_typed(page.box, form), refusal=refusal)
        return page_response(request, "capture/page.html", replace(page, box=box), status)
    return see_other(f"/p/{project_id}/capture?of={done.exchange_id}", "captured")


def _capture_page(request: Request, visitor: Visitor, state: State, selected_id: str) -> CapturePage:
    studio, here = visitor.studio, f"/p/{state.ledger}/capture"
    shell = shell_for(request, visitor, Place("Capture", here, project=state))
    if not may_capture(visitor, state):
        is_imported = studio.access.imported(state.ledger) is not None
        return CapturePage(shell, None, closed=closed_words((state,), is_imported=is_imported))
    box = capture_box(state, binding(studio), studio.placements.manager.facts, selected_id)
    return CapturePage(shell, replace(box, may_be_private=sees_all(visitor.role(state.ledger))))


def _with_typed(box: CaptureBox, form: PostedFiles) -> CaptureBox:
    return replace(box, text=form.text("text"), is_private=form.flag("private"), lost_file=form.name("file"))


def _capture(request: Request, visitor: Visitor, form: PostedFiles, project_id: str) -> Captured:
    caller = visitor.caller(visitor.project(project_id).ledger, form.key)
    _check_rate(request, visitor)
    text, kind = form.words("text", "file")
    return visitor.studio.placements.capture(
        project_id,
        caller,
        text,
        visibility=Visibility.PRIVATE if form.flag("private") else Visibility.SHARED,
        selected_node_id=form.optional("select"),
        answers=form.optional("answers"),
        kind=kind,
    )


def _check_rate(request: Request, visitor: Visitor) -> None:
    problem = request.app.state.capture_rate.problem(visitor.person.id)
    if problem is not None:
        raise ProblemError(problem)
