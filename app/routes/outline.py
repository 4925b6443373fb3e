"""The views of a project's worldstate, Outline and Focus.

The selection (`node`) is kept from view to view; what else an address says belongs to the view.
"""

import re
from dataclasses import replace
from typing import Annotated, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from app.routes.reading import opened, past_reading, reading
from app.routes.shelling import Place, page_response, shell_for
from app.routes.visiting import PageVisitor, Visitor
from app.views.building.comparison import difference_of
from app.views.building.focus import focus_page
from app.views.building.outline import OPENED_MAX, Address, outline_page
from app.views.building.search import search_href
from app.views.dating import in_the_past
from kernel.projections.past import revision_range
from kernel.state import State

router: Final = APIRouter(include_in_schema=False, prefix="/p/{project_id}")

_KEY: Final = re.compile(r"[0-9a-z]{1,26}", re.ASCII)

_COMPARED: Final = "What differs between two accepted revisions, under the nodes it belongs to."

Id = Annotated[str, Query(max_length=64)]
Keys = Annotated[str, Query(max_length=1000)]
Text = Annotated[str, Query(max_length=200)]
Revision = Annotated[int | None, Query(ge=0, le=999_999_999_999)]
Start = Annotated[int | None, Query(ge=0, le=1_000_000)]


def _keys(text: str) -> tuple[str, ...]:
    return tuple(item for item in text.split(".") if _KEY.fullmatch(item))[-OPENED_MAX:]


def _respond(request: Request, visitor: Visitor, state: State, at: Address) -> Response:
    place = Place("Worldstate", at.href(), project=state)
    shell = shell_for(request, visitor, place)
    if at.between is not None:
        page = outline_page(shell, past_reading(visitor, state, at.between[1]), at)
        page = replace(page, summary=_COMPARED, difference=difference_of(state, at))
    elif at.past is not None:
        page = outline_page(shell, past_reading(visitor, state, at.past), at)
        page = in_the_past(page, state, replace(at, past=None).href(), at.past)
    else:
        page = outline_page(shell, reading(visitor, state), at)
    return page_response(request, "outline/page.html", page)


@router.get("/outline")
def outline(
    project_id: str,
    request: Request,
    visitor: PageVisitor,
    *,
    node: Id = "",
    q: Text = "",
    show: Text = "",
    start: Start = None,
    opened_rows: Annotated[Keys, Query(alias="open")] = "",
    shut: Keys = "",
    suggestions: Text = "",
    at: Revision = None,
    diff: Annotated[str, Query(max_length=30)] = "",
) -> Response:
    """Show the tree, what a filter left, a past state or what differs between two; words lead to the search."""
    state = visitor.project(project_id)
    if q.strip():
        return RedirectResponse(search_href(f"/p/{state.ledger}", q), 303)
    where = Address(
        base=f"/p/{state.ledger}",
        node=node,
        opened=_keys(opened_rows),
        shut=_keys(shut),
        show=show,
        start=start,
        hides_suggestions=suggestions == "no",
        past=at,
        between=revision_range(diff) if diff else None,
    )
    return _respond(request, visitor, state, where)


@router.get("/focus")
def focus(
    project_id: str,
    request: Request,
    visitor: PageVisitor,
    *,
    node: Id = "",
    at: Revision = None,
    diff: Annotated[str, Query(max_length=30)] = "",
) -> Response:
    """Show one node or one suggestion alone; what differs between two revisions is the Outline's to show."""
    state = visitor.project(project_id)
    if diff:
        compared = Address(f"/p/{state.ledger}", node=node, between=revision_range(diff))
        return RedirectResponse(compared.href(), 303)
    newest = f"/p/{state.ledger}/focus?" + urlencode({"node": node} if node else {})
    here = (newest if at is None else f"{newest}&at={at}").rstrip("?").replace("?&", "?")
    shell = shell_for(request, visitor, Place("Focus", here, "Worldstate", project=state))
    shown = reading(visitor, state) if at is None else past_reading(visitor, state, at)
    page = focus_page(shell, shown, node, opened(visitor, node), past=at)
    if at is not None:
        page = in_the_past(page, state, newest.rstrip("?"), at)
    return page_response(request, "focus/page.html", page)
