"""Signing in with a one-time link, a password or an account at the provider, and signing out.

Opening a link changes nothing: only the button spends it. A sign-in always makes a new session with a new
secret, and ends the one the browser brought along. What is refused is said in one way for every reason.
"""

from dataclasses import dataclass, replace
from typing import Annotated, Final

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.routes.returning import BACK_COOKIE, way_back
from app.routes.shelling import outside_shell, page_response, refused, see_other
from app.routes.visiting import PageVisitor, PostedForm, ProblemError, StudioHere, find_visitor
from app.services.studio import Studio
from app.views.moments import moment
from app.views.parts import Binding, Link, Refusal
from app.views.signin import PasswordEntry, SigninOffer, SigninPage
from app.web.origin import FLOW_COOKIE, SESSION_COOKIE, PublicOrigin
from kernel.errors import AuthorityError, StudioError
from kernel.values.people import Identity
from kernel.vocabulary import Via

router: Final = APIRouter(include_in_schema=False)

_SECRET_MAX: Final = 200
_FLOW_S: Final = 600
_COMMAND: Final = "odeu signin"
_USED: Final = Refusal(
    "This link does not work any more",
    "A sign-in link works once and for a short time. This one was used or has expired; nothing is lost.",
)
_UNSAID: Final = Refusal(
    "Not signed in",
    "The provider signed nobody in. Begin again, or use another way.",
)


@dataclass(frozen=True, slots=True)
class _Tried:
    """What stands on the page after an attempt."""

    refusal: Refusal | None = None
    person_id: str = ""
    offer: SigninOffer | None = None


_FRESH: Final = _Tried()


def _page(studio: Studio, tried: _Tried = _FRESH) -> SigninPage:
    provider = studio.sign_in.provider
    return SigninPage(
        shell=outside_shell("Sign in", "/signin"),
        binding=Binding(),
        command=_COMMAND,
        password=PasswordEntry("/signin/password", tried.person_id),
        provider=None if provider is None else Link(provider.label, "/signin/oidc", "key-round"),
        offer=tried.offer,
        refusal=tried.refusal,
    )


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
def offer_ways(
    request: Request, studio: StudioHere, link: Annotated[str, Query(max_length=_SECRET_MAX)] = ""
) -> HTMLResponse:
    """Show whom a link would sign in, and the other ways."""
    offer = _offer(studio, link) if link else None
    refusal = _USED if link and offer is None else None
    page = _page(studio, _Tried(refusal, offer=offer))
    return page_response(request, "signin/page.html", page, 200 if refusal is None else 403)


@router.post("/signin")
def sign_in(
    request: Request, studio: StudioHere, link: Annotated[str, Form(max_length=_SECRET_MAX)] = ""
) -> Response:
    """Spend a link and begin a session."""
    _take(request)
    try:
        issued = studio.directory.sign_in(link, studio.clock.now(), label=_label(request))
    except AuthorityError:
        return page_response(request, "signin/page.html", _page(studio, _Tried(_USED)), 403)
    return _begun(request, studio, issued.secret)


@router.post("/signin/password")
def sign_in_by_password(
    request: Request,
    studio: StudioHere,
    person: Annotated[str, Form(max_length=_SECRET_MAX)] = "",
    password: Annotated[str, Form(max_length=4096)] = "",
) -> Response:
    """Begin a session for whoever knows the password; attempts count by address and by person."""
    person_id = person.strip()
    _take(request)
    problem = request.app.state.password_rate.problem(person_id[:64])
    if problem is not None:
        raise ProblemError(problem)
    try:
        issued = studio.sign_in.by_password(person_id, password, label=_label(request))
    except AuthorityError as error:
        tried = _Tried(_not_signed_in(error)[1], person_id)
        return page_response(request, "signin/page.html", _page(studio, tried), 403)
    return _begun(request, studio, issued.secret)


@router.get("/signin/oidc")
def leave_for_provider(request: Request, studio: StudioHere) -> Response:
    """Send the browser to the provider, with a cookie that ties its return to this browser.

    A link and not a form: the content policy lets no form lead to another origin. Other sites may not begin it.
    """
    if request.headers.get("sec-fetch-site") == "cross-site":
        return see_other("/signin")
    _take(request)
    try:
        secret, address = studio.sign_in.leave()
    except StudioError as error:
        status, refusal = _not_signed_in(error)
        return page_response(request, "signin/page.html", _page(studio, _Tried(refusal)), status)
    response = RedirectResponse(address, 303)
    is_secure = request.app.state.origin.is_secure
    response.set_cookie(
        FLOW_COOKIE, secret, max_age=_FLOW_S, path="/", httponly=True, samesite="lax", secure=is_secure
    )
    return response


@router.get("/signin/oidc/return")
def return_from_provider(
    request: Request,
    studio: StudioHere,
    state: Annotated[str, Query(max_length=512)] = "",
    code: Annotated[str, Query(max_length=4096)] = "",
    iss: Annotated[str | None, Query(max_length=2048)] = None,
) -> Response:
    """Take the provider's answer: a session for a linked account, else the way to link it."""
    _take(request)
    try:
        identity = studio.sign_in.return_from(request.cookies.get(FLOW_COOKIE, ""), state, code, iss)
    except StudioError as error:
        status, refusal = (403, _UNSAID) if not code and state else _not_signed_in(error)
        page = page_response(request, "signin/page.html", _page(studio, _Tried(refusal)), status)
        page.delete_cookie(FLOW_COOKIE, path="/")
        return page
    issued = studio.sign_in.by_identity(identity, label=_label(request))
    if issued is not None:
        response = _begun(request, studio, issued.secret)
        response.delete_cookie(FLOW_COOKIE, path="/")
        return response
    return _unlinked(request, studio, identity)


def _unlinked(request: Request, studio: Studio, identity: Identity) -> Response:
    """Lead a signed-in person to linking; tell everybody else what an owner needs to know."""
    if find_visitor(studio, request, Via.BROWSER) is not None:
        return see_other("/settings#ways")
    sentence = (
        f"The provider says who you are, but this account is linked to nobody here. Give an owner these two lines. "
        f"Issuer: {identity.issuer} Subject: {identity.subject} Where the server runs they type: "
        f"odeu person link NAME --issuer {identity.issuer} --subject {identity.subject}"
    )
    refusal = Refusal("This account is linked to nobody", sentence)
    page = page_response(request, "signin/page.html", _page(studio, _Tried(refusal)), 403)
    page.delete_cookie(FLOW_COOKIE, path="/")
    return page


def _not_signed_in(error: StudioError) -> tuple[int, Refusal]:
    status, refusal = refused(error, "Not signed in")
    return status, replace(refusal, title="Not signed in")


def _take(request: Request) -> None:
    problem = request.app.state.signin_rate.problem(request.client.host if request.client else "unknown")
    if problem is not None:
        raise ProblemError(problem)


def _label(request: Request) -> str:
    return request.headers.get("user-agent", "a browser without a name")


def _begun(request: Request, studio: Studio, secret: str) -> Response:
    """End the session the browser brought along, and give it the new one."""
    before = find_visitor(studio, request, Via.BROWSER)
    if before is not None:
        studio.directory.end_session(before.session.id, studio.clock.now(), person_id=before.person.id)
    response = see_other(way_back(request), "signed_in")
    response.delete_cookie(BACK_COOKIE, path="/")
    set_session(response, secret, request.app.state.origin)
    return response


def set_session(response: Response, secret: str, origin: PublicOrigin) -> None:
    """Give the browser a session's secret."""
    response.set_cookie(
        SESSION_COOKIE, secret, path="/", httponly=True, samesite="lax", secure=origin.is_secure
    )


def signed_out(studio: Studio, visitor: PageVisitor) -> RedirectResponse:
    """End the present session and lead to the sign-in page."""
    studio.directory.end_session(visitor.session.id, studio.clock.now(), person_id=visitor.person.id)
    response = see_other("/signin")
    response.delete_cookie(SESSION_COOKIE, path="/")
    return response


@router.post("/signout")
def sign_out(studio: StudioHere, visitor: PageVisitor, _form: PostedForm) -> RedirectResponse:
    """End this session."""
    return signed_out(studio, visitor)
