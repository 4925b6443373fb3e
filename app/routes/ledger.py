"""The Ledger room: events in pages, the head with its checkpoint, and verification from the page."""

from dataclasses import replace
from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from app.routes.reading import reading
from app.routes.shelling import Place, binding, page_response, refused, see_other, shell_for
from app.routes.visiting import PageVisitor, PostedForm, Visitor
from app.services.logbook import SEQ_MAX, log_page, sifting
from app.services.logbook import Read as LogRead
from app.services.sights import sees_all
from app.services.verifying import Verifications
from app.views.building.ledger import (
    Asked,
    Choice,
    Read,
    ledger_head,
    ledger_href,
    ledger_page,
    ledger_ways,
    verified_words,
    verifying_words,
)
from app.views.ledger.page import LedgerPage
from app.views.ledger.parts import Verified, VerifyForm
from app.views.parts import Refusal
from kernel.errors import StudioError
from kernel.state import State
from kernel.vocabulary import Role

router: Final = APIRouter(include_in_schema=False, prefix="/p/{project_id}/ledger")

Word = Annotated[str, Query(max_length=80)]
Before = Annotated[int | None, Query(ge=1, le=SEQ_MAX)]
_TEMPLATE: Final = "ledger/page.html"


@router.get("")
def ledger(
    project_id: str,
    request: Request,
    visitor: PageVisitor,
    *,
    before: Before = None,
    type: Word = "",
    actor: Word = "",
) -> Response:
    """Show one page of what happened, newest first."""
    state = visitor.project(project_id)
    page = _page(request, visitor, state, choice=Choice(type, actor), before=before)
    return page_response(request, _TEMPLATE, page)


@router.post("/verify")
def verify(project_id: str, request: Request, visitor: PageVisitor, form: PostedForm) -> Response:
    """Read the whole ledger again, as `odeu verify` does, and show what was found."""
    state = visitor.whole(visitor.project(project_id).ledger, "verifies it")
    verifications: Verifications = request.app.state.verifications
    try:
        is_over = verifications.begin(state.ledger, is_strict=form.flag("strict"))
    except StudioError as error:
        status, refusal = refused(error, "Not verified")
        page = _page(request, visitor, state, choice=Choice(), before=None, refusal=refusal)
        return page_response(request, _TEMPLATE, page, status)
    return see_other(f"/p/{state.ledger}/ledger", "verified" if is_over else "verifying")


def _page(
    request: Request,
    visitor: Visitor,
    state: State,
    *,
    choice: Choice,
    before: int | None,
    refusal: Refusal | None = None,
) -> LedgerPage:
    base = f"/p/{state.ledger}"
    here = ledger_href(base, choice, before)
    shell = shell_for(request, visitor, Place("Ledger", here, project=state))
    wanted = None if choice.is_all else choice.fits
    found = log_page(_reader(visitor, state, choice), state.seq, before, wanted=wanted)
    asked = Asked(choice, before)
    read = Read(found.events, found.head, found.before, found.scanned_from)
    page = ledger_page(shell, reading(visitor, state), read, asked)
    if not sees_all(visitor.role(state.ledger)):
        return page
    return _whole(request, visitor, state, page, refusal)


def _reader(visitor: Visitor, state: State, choice: Choice) -> LogRead:
    """Return what reads the visitor's events; an owner's filter looks at bytes before it reads any event."""
    if choice.is_all or not sees_all(visitor.role(state.ledger)):
        return partial(visitor.events, state.ledger)
    return sifting(visitor.studio.desk.ledger, state.ledger, choice.sieve())


def _whole(
    request: Request, visitor: Visitor, state: State, page: LedgerPage, refusal: Refusal | None
) -> LedgerPage:
    """Return the page with what concerns the whole ledger: its head, its checkpoint, and the acts on it."""
    studio, base = visitor.studio, f"/p/{state.ledger}"
    verifications: Verifications = request.app.state.verifications
    since = verifications.running_since(state.ledger)
    root, note = studio.desk.ledger.head(state.ledger).root, studio.desk.ledger.checkpoint(state.ledger)
    may_import = visitor.role(studio.world_id) is Role.OWNER
    return replace(
        page,
        head=ledger_head(state, root, note),
        verified=_verified(verifications, state.ledger, since),
        verify=VerifyForm(
            f"{base}/ledger/verify", binding(studio), is_running=since is not None, refusal=refusal
        ),
        ways=ledger_ways(base, may_import=may_import),
        part="",
    )


def _verified(verifications: Verifications, ledger_id: str, since: str | None) -> Verified | None:
    if since is not None:
        return verifying_words(f"/p/{ledger_id}", since)
    found = verifications.finding(ledger_id)
    if found is None:
        return None
    return verified_words(
        size=found.size,
        problems=found.problems,
        more=found.more,
        is_strict=found.is_strict,
        when=found.at,
        took_ms=found.took_ms,
    )
