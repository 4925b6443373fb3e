"""Search in a project: one address, one list, no script needed."""

from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from app.routes.reading import reading
from app.routes.shelling import Place, page_response, shell_for
from app.routes.visiting import PageVisitor
from app.services.searching import Searches
from app.services.sights import sees_all
from app.views.building.search import search_href, search_page

router: Final = APIRouter(include_in_schema=False, prefix="/p/{project_id}")


@router.get("/search")
def search(
    project_id: str,
    request: Request,
    visitor: PageVisitor,
    q: Annotated[str, Query(max_length=200)] = "",
    start: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Response:
    """Show what the words find, the best answer first."""
    state = visitor.project(project_id)
    searches: Searches = request.app.state.searches
    here = search_href(f"/p/{state.ledger}", q, start)
    place = Place("Search", here, "Worldstate", search_text=q, project=state)
    is_whole = sees_all(visitor.role(state.ledger))
    found = searches.find(state, q, start, is_whole=is_whole)
    page = search_page(shell_for(request, visitor, place), reading(visitor, state), q, found)
    return page_response(request, "search/page.html", page)
