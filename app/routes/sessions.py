"""Signing in with a one-time link, signing out, ending one's own sessions.

Opening a link changes nothing: only the button spends it. A sign-in always makes a new session with a new
secret, and ends the one the browser brought along.
"""

from typing import Annotated, Final

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.routes.shelling import outside_shell, page_response, see_other
from app.routes.visiting import PageVisitor, PostedForm, ProblemError, StudioHere, find_visitor
from app.services.studio import Studio
from app.views.moments import moment
from app.views.parts import Binding, Refusal
from app.views.signin import SigninOffer, SigninPage
from app.web.origin import SESSION_COOKIE, PublicOrigin
from kernel.errors import AuthorityError
from kernel.vocabulary import Via

router: Final = APIRouter(include_in_schema=False)

_SECRET_MAX: Final = 200
_COMMAND: Final = "odeu signin"
_USED: Final = Refusal(
    "This link does not work any more",
    "A sign-in link works once and for a short time. This one was used or has expired; nothing is lost.",
)


def _page(offer: SigninOffer | None, refusal: Refusal | None = None) -> SigninPage:
    return SigninPage(outside_shell("Sign in", "/signin"), Binding(), _COMMAND, offer, refusal)


def _offer(studio: Studio, link: str) -> SigninOffer | None:
    holder = studio.directory.link_holder(link, studio.clock.now())
    person = None if holder is None else studio.directory.person(holder[0])
    if holder is None or person is None:
        return None
    role = studio.directory.role_of(person.id, studio.world_id)
    return SigninOffer(
        "/signin", link, person.name, "guest" if role is None else role.value, moment(holder[1])
    )


@router.get("/signin")
def offer_link(
    request: Request, studio: StudioHere, link: Annotated[str, Query(max_length=_SECRET_MAX)] = ""
) -> HTMLResponse:
    """Show whom a link would sign in, or how to get one."""
    offer = _offer(studio, link) if link else None
    refusal = _USED if link and offer is None else None
    return page_response(request, "signin/page.html", _page(offer, refusal), 200 if refusal is None else 403)


@router.post("/signin")
def sign_in(
    request: Request, studio: StudioHere, link: Annotated[str, Form(max_length=_SECRET_MAX)] = ""
) -> Response:
    """Spend a link and begin a session."""
    problem = request.app.state.signin_rate.problem(request.client.host if request.client else "unknown")
    if problem is not None:
        raise ProblemError(problem)
    label = request.headers.get("user-agent", "a browser without a name")
    try:
        issued = studio.directory.sign_in(link, studio.clock.now(), label=label)
    except AuthorityError:
        return page_response(request, "signin/page.html", _page(None, _USED), 403)
    _end_brought_along(studio, request)
    response = see_other("/", "signed_in")
    _set_session(response, issued.secret, request.app.state.origin)
    return response


def _end_brought_along(studio: Studio, request: Request) -> None:
    before = find_visitor(studio, request, Via.BROWSER)
    if before is not None:
        studio.directory.end_session(before.session.id, studio.clock.now(), person_id=before.person.id)


def _set_session(response: Response, secret: str, origin: PublicOrigin) -> None:
    response.set_cookie(
        SESSION_COOKIE, secret, path="/", httponly=True, samesite="lax", secure=origin.is_secure
    )


def _signed_out(studio: Studio, visitor: PageVisitor) -> RedirectResponse:
    studio.directory.end_session(visitor.session.id, studio.clock.now(), person_id=visitor.person.id)
    response = see_other("/signin")
    response.delete_cookie(SESSION_COOKIE, path="/")
    return response


@router.post("/signout")
def sign_out(studio: StudioHere, visitor: PageVisitor, _form: PostedForm) -> RedirectResponse:
    """End this session."""
    return _signed_out(studio, visitor)


@router.post("/sessions/{session_id}/end")
def end_session(
    session_id: str, studio: StudioHere, visitor: PageVisitor, _form: PostedForm
) -> RedirectResponse:
    """End one of one's own sessions; ending the present one signs out."""
    if session_id == visitor.session.id:
        return _signed_out(studio, visitor)
    studio.directory.end_session(session_id, studio.clock.now(), person_id=visitor.person.id)
    return see_other("/settings", "session_ended")
