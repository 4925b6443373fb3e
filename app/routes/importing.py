"""Importing a Markdown outline from a page: into a project chosen on the World page, or under a node of one."""

from dataclasses import replace
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from app.routes.pages import world_page
from app.routes.reading import offer
from app.routes.shelling import Place, binding, page_response, refused, see_other, shell_for
from app.routes.uploading import FilesForm, PostedFiles
from app.routes.visiting import PageVisitor, Visitor
from app.views.importing import ImportForm, ImportOutlinePage
from app.views.parts import KindMark, Link, NodeLink
from kernel.errors import StudioError
from kernel.projections.acts import Act
from kernel.state import State

router: Final = APIRouter(include_in_schema=False)


def _propose(visitor: Visitor, state: State, form: PostedFiles) -> str:
    """Propose the outline as one change; return the proposal. Raises: StudioError."""
    offer(visitor, state, state.ledger, Act.IMPORT)
    caller = visitor.caller(state.ledger, form.key)
    text = form.outline("text", "file")
    done = visitor.studio.projects.import_outline(state.ledger, caller, text, form.optional("under"))
    return visitor.known_as(state.ledger, done.delta_id)


@router.post("/import-outline")
def import_from_world(request: Request, visitor: PageVisitor, form: FilesForm) -> Response:
    """Propose an outline as one change to the chosen project."""
    try:
        state = visitor.project(form.text("project"))
        _propose(visitor, state, form)
    except StudioError as error:
        status, refusal = refused(error, "Not imported")
        page = world_page(request, visitor)
        if page.outline is None:
            raise
        kept = replace(page.outline, text=form.text("text"), lost_file=form.name("file"), refusal=refusal)
        page = replace(page, outline=kept, is_outline_open=True)
        return page_response(request, "world/page.html", page, status)
    return see_other(f"/p/{state.ledger}/inbox", "imported")


@router.get("/import-outline")
def import_again(request: Request, visitor: PageVisitor) -> Response:
    """Show the World page with this form open: a refused one that is loaded again asks its own address."""
    page = replace(world_page(request, visitor), is_outline_open=True)
    return page_response(request, "world/page.html", page)


@router.get("/p/{project_id}/import-outline")
def import_page(
    project_id: str,
    request: Request,
    visitor: PageVisitor,
    node: Annotated[str, Query(max_length=64)] = "",
) -> Response:
    """Ask for an outline to import into this project."""
    state = visitor.project(project_id)
    offer(visitor, state, state.ledger, Act.IMPORT)
    return page_response(request, "importing/page.html", _page(request, visitor, state, node))


@router.post("/p/{project_id}/import-outline")
def import_here(project_id: str, request: Request, visitor: PageVisitor, form: FilesForm) -> Response:
    """Propose an outline as one change under the node the page named."""
    state = visitor.project(project_id)
    try:
        delta_id = _propose(visitor, state, form)
    except StudioError as error:
        status, refusal = refused(error, "Not imported")
        page = _page(request, visitor, state, form.text("under"))
        kept = replace(page.outline, text=form.text("text"), lost_file=form.name("file"), refusal=refusal)
        return page_response(request, "importing/page.html", replace(page, outline=kept), status)
    return see_other(f"/p/{state.ledger}/inbox/{delta_id}", "imported")


def _page(request: Request, visitor: Visitor, state: State, node_id: str) -> ImportOutlinePage:
    base = f"/p/{state.ledger}"
    node = state.tables.nodes.get(node_id)
    end = "" if node is None else f"?node={node.id}"
    under = None
    if node is not None:
        under = NodeLink(node.title.or_erased(), f"{base}/outline{end}", KindMark.of(node.kind))
    place = Place("Import", f"{base}/import-outline{end}", "Worldstate", project=state)
    return ImportOutlinePage(
        shell=shell_for(request, visitor, place),
        outline=ImportForm(f"{base}/import-outline", binding(visitor.studio)),
        back=Link("Back to the Outline", f"{base}/outline{end}", "arrow-left"),
        under=under,
        under_id="" if node is None else node.id,
    )
