"""The Timeline of a project, and the way from two chosen revisions to their comparison."""

from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from app.routes.reading import reading
from app.routes.shelling import Place, page_response, shell_for
from app.routes.visiting import PageVisitor
from app.views.building_outline import Address
from app.views.building_timeline import timeline_href, timeline_page
from kernel.projections.past import revision_of

router: Final = APIRouter(include_in_schema=False, prefix="/p/{project_id}")

Id = Annotated[str, Query(max_length=64)]
Number = Annotated[int, Query(ge=0, le=999_999_999_999)]


@router.get("/timeline")
def timeline(
    project_id: str,
    request: Request,
    visitor: PageVisitor,
    node: Id = "",
    before: Annotated[int | None, Query(ge=0, le=999_999_999_999)] = None,
) -> Response:
    """Show how the worldstate came to be, newest first, or how one node did."""
    state = visitor.project(project_id)
    here = timeline_href(f"/p/{state.ledger}", node, before)
    shell = shell_for(request, visitor, Place("Timeline", here, "Worldstate", project=state))
    page = timeline_page(shell, reading(visitor, state), node, before)
    return page_response(request, "timeline/page.html", page)


@router.get("/compare")
def compare(
    project_id: str, visitor: PageVisitor, earlier: Number, later: Number, node: Id = ""
) -> RedirectResponse:
    """Lead from two chosen revisions to the Outline of what differs between them."""
    state = visitor.project(project_id)
    first, second = (revision_of(state, number).number for number in sorted((earlier, later)))
    return RedirectResponse(Address(f"/p/{state.ledger}", node=node, between=(first, second)).href(), 303)
