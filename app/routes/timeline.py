"""The Timeline of a project, and the way from two chosen revisions to their comparison."""

from dataclasses import replace
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from app.routes.reading import reading
from app.routes.shelling import Place, page_response, shell_for
from app.routes.visiting import PageVisitor
from app.services.moments import day_of, zone_of
from app.views.building.outline import Address
from app.views.building.timeline import Told, timeline_href, timeline_page
from kernel.errors import InvalidError
from kernel.projections.past import revision_of, revision_range
from kernel.projections.sieve import ACTS, Sieve

router: Final = APIRouter(include_in_schema=False, prefix="/p/{project_id}")

Id = Annotated[str, Query(max_length=64)]
Day = Annotated[str, Query(max_length=40)]
Number = Annotated[int, Query(ge=0, le=999_999_999_999)]


@router.get("/timeline")
def timeline(
    project_id: str,
    request: Request,
    visitor: PageVisitor,
    *,
    node: Id = "",
    act: Id = "",
    by: Id = "",
    since: Day = "",
    until: Day = "",
    zone: Id = "",
    before: Annotated[int | None, Query(ge=0, le=999_999_999_999)] = None,
    at: Annotated[int | None, Query(ge=0, le=999_999_999_999)] = None,
    diff: Annotated[str, Query(max_length=30)] = "",
) -> Response:
    """Show how the worldstate came to be, newest first, as far as the filter lets through.

    One past revision, or what differs between two, is the Outline's to show: the address leads there.
    """
    state = visitor.project(project_id)
    if diff or at is not None:
        between = revision_range(diff) if diff else None
        return RedirectResponse(
            Address(f"/p/{state.ledger}", node=node, past=at, between=between).href(), 303
        )
    asked = Told(
        node, before, act if act in ACTS else "", by, since.strip(), until.strip(), zone=zone_of(zone)
    )
    since_at, until_at = _day(asked.since, asked.zone), _day(asked.until, asked.zone, end=True)
    wrong = [text for text, at in ((asked.since, since_at), (asked.until, until_at)) if at is None]
    if wrong:
        error = f"“{wrong[0]}” is no day such as 2026-12-24"
        asked = replace(asked, since="", until="", error=error)
    sieve = Sieve(asked.act, by, since_at or "", until_at or "")
    here = timeline_href(f"/p/{state.ledger}", asked)
    shell = shell_for(request, visitor, Place("Timeline", here, "Worldstate", project=state))
    page = timeline_page(shell, reading(visitor, state), asked, sieve)
    return page_response(request, "timeline/page.html", page)


def _day(text: str, zone: str, *, end: bool = False) -> str | None:
    """Return the moment at which a day begins, or the one after it; empty for no day, None for what is none."""
    try:
        return "" if not text else day_of(text, zone, days_on=1 if end else 0)
    except InvalidError:
        return None


@router.get("/compare")
def compare(
    project_id: str, visitor: PageVisitor, earlier: Number, later: Number, node: Id = ""
) -> RedirectResponse:
    """Lead from two chosen revisions to the Outline of what differs between them."""
    state = visitor.project(project_id)
    first, second = (revision_of(state, number).number for number in sorted((earlier, later)))
    return RedirectResponse(Address(f"/p/{state.ledger}", node=node, between=(first, second)).href(), 303)
