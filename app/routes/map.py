"""The Map of a project's worldstate, drawn on the server around one node."""

from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from app.ports import GraphLayout
from app.routes.reading import past_reading, reading
from app.routes.shelling import Place, page_response, shell_for
from app.routes.visiting import PageVisitor
from app.views.building.map import OPENED_MAX, MapAddress, map_page
from app.views.building.outline import Address
from app.views.dating import in_the_past
from kernel.ids import is_id
from kernel.projections.neighbourhood import STEPS_MAX
from kernel.projections.past import revision_range
from kernel.vocabulary import RelationKind

router: Final = APIRouter(include_in_schema=False, prefix="/p/{project_id}")

Id = Annotated[str, Query(max_length=64)]


@router.get("/map")
def show_map(
    project_id: str,
    request: Request,
    visitor: PageVisitor,
    *,
    node: Id = "",
    steps: Annotated[int | None, Query(ge=1, le=STEPS_MAX)] = None,
    opened: Annotated[str, Query(alias="open", max_length=1000)] = "",
    kind: Annotated[list[RelationKind] | None, Query(max_length=16)] = None,
    zoom: Annotated[int, Query(ge=50, le=200)] = 100,
    at: Annotated[int | None, Query(ge=0, le=999_999_999_999)] = None,
    diff: Annotated[str, Query(max_length=30)] = "",
) -> Response:
    """Draw what stands around a node, or around the project; what differs is the Outline's to show."""
    state = visitor.project(project_id)
    if diff:
        there = Address(f"/p/{state.ledger}", node=node, between=revision_range(diff))
        return RedirectResponse(there.href(), 303)
    where = MapAddress(
        base=f"/p/{state.ledger}",
        node=node,
        steps=steps,
        opened=tuple(item for item in opened.split(".") if is_id(item, "node"))[-OPENED_MAX:],
        kinds=tuple(dict.fromkeys(item.value for item in kind or ())),
        zoom=zoom,
        past=at,
    )
    layout: GraphLayout = request.app.state.layout
    shell = shell_for(request, visitor, Place("Map", where.href, "Worldstate", project=state))
    shown = reading(visitor, state) if at is None else past_reading(visitor, state, at)
    page = map_page(shell, shown, where, layout.rows)
    if at is not None:
        page = in_the_past(page, state, where.newest.href, at)
    return page_response(request, "map/page.html", page)
