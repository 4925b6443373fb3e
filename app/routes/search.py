"""Search in a project: one address, one list a group, no script needed."""

from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from app.routes.reading import reading
from app.routes.shelling import Place, page_response, shell_for
from app.routes.visiting import PageVisitor
from app.services.searching import find
from app.services.sights import sees_all
from app.views.building.search import search_href, search_page
from kernel.projections.search import Ask, Group

router: Final = APIRouter(include_in_schema=False, prefix="/p/{project_id}")


@router.get("/search")
def search(
    project_id: str,
    request: Request,
    visitor: PageVisitor,
    *,
    q: Annotated[str, Query(max_length=200)] = "",
    group: Annotated[str, Query(alias="in", max_length=20)] = "",
    start: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Response:
    """Show what the words find in every group, or all of one group; a group that is none means every one."""
    state = visitor.project(project_id)
    alone = Group(group) if group in set(Group) else None
    ask = Ask(q, alone, 0 if alone is None else start)
    here = search_href(f"/p/{state.ledger}", q, alone, ask.start)
    place = Place("Search", here, "Worldstate", search_text=q, project=state)
    found = find(state, ask, is_whole=sees_all(visitor.role(state.ledger)))
    page = search_page(shell_for(request, visitor, place), reading(visitor, state), ask, found)
    return page_response(request, "search/page.html", page)
