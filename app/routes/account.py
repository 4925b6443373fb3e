"""Acts of Settings: people and roles that the reader governs, their own password and accounts, their own sessions."""

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from app.routes.sessions import set_session, signed_out
from app.routes.settings import settings_response
from app.routes.shelling import refused, see_other
from app.routes.visiting import PageVisitor, PostedForm, ProblemError, StudioHere, Visitor
from app.services.desk import Caller
from app.views.account import HandedLink
from app.views.building.account import Entry
from app.views.moments import moment
from app.web.origin import FLOW_COOKIE, SESSION_COOKIE
from kernel.errors import InvalidError, NotFoundError, StudioError
from kernel.values.people import Issued
from kernel.vocabulary import Role

router: Final = APIRouter(include_in_schema=False)

_PEOPLE: Final = "/settings#people"
_WAYS: Final = "/settings#ways"


@router.post("/settings/people")
def add_person(request: Request, visitor: PageVisitor, form: PostedForm) -> Response:
    """Make a person known with their first role, and show their sign-in link, once."""
    person_id, name = form.text("person").strip(), form.text("name").strip()
    scope = form.optional("project")
    people = visitor.studio.people
    try:
        role = _role(form.text("role"))
        caller = _owner(visitor)
        people.add(caller, person_id, name, role, ledger_id=scope)
        handed = _handed(request, visitor, people.invite(caller.again(), person_id))
    except StudioError as error:
        status, refusal = refused(error, "Not added")
        typed = Entry("people", refusal, person_id, scope or "", form.text("role"), name)
        return settings_response(request, visitor, typed, status)
    return settings_response(request, visitor, Entry("people", handed=handed), 201)


@router.post("/settings/people/link")
def invite(request: Request, visitor: PageVisitor, form: PostedForm) -> Response:
    """Make a fresh sign-in link for somebody known, and show it, once."""
    try:
        issued = visitor.studio.people.invite(_owner(visitor), form.text("person"))
    except StudioError as error:
        status, refusal = refused(error, "No link was made")
        return settings_response(request, visitor, Entry("people", refusal), status)
    handed = _handed(request, visitor, issued)
    return settings_response(request, visitor, Entry("people", handed=handed), 201)


@router.post("/settings/people/sign-out")
def sign_out_person(request: Request, visitor: PageVisitor, form: PostedForm) -> Response:
    """End somebody else's sessions and the links they did not use."""
    try:
        visitor.studio.people.sign_out(_owner(visitor), form.text("person"))
    except StudioError as error:
        status, refusal = refused(error, "Not signed out")
        return settings_response(request, visitor, Entry("people", refusal), status)
    return see_other(_PEOPLE, "person_signed_out")


def _owner(visitor: Visitor) -> Caller:
    return visitor.studio.access.keeper(None, visitor.person.id, visitor.via)


def _handed(request: Request, visitor: Visitor, issued: Issued | None) -> HandedLink | None:
    if issued is None:
        return None
    person = visitor.studio.directory.person(issued.person_id)
    address = f"{request.app.state.origin.origin}/signin?link={issued.secret}"
    name = issued.person_id if person is None else person.name
    return HandedLink(name, address, moment(issued.expires_at))


@router.post("/settings/roles")
def give_role(request: Request, visitor: PageVisitor, form: PostedForm) -> Response:
    """Give a person a role in one project, or in every one."""
    person_id, scope = form.text("person").strip(), form.optional("project")
    try:
        role = _role(form.text("role"))
        caller = visitor.studio.access.keeper(scope, visitor.person.id, visitor.via, key=form.key)
        visitor.studio.people.grant(caller, person_id, role, ledger_id=scope)
    except StudioError as error:
        status, refusal = refused(error, "Not given")
        typed = Entry("roles", refusal, person_id, scope or "", form.text("role"))
        return settings_response(request, visitor, typed, status)
    return see_other(_PEOPLE, "role_given")


@router.post("/settings/roles/end")
def end_role(request: Request, visitor: PageVisitor, form: PostedForm) -> Response:
    """End a person's role in one project, or the one that holds in every project."""
    scope = form.optional("project")
    try:
        caller = visitor.studio.access.keeper(scope, visitor.person.id, visitor.via, key=form.key)
        visitor.studio.people.revoke(caller, form.text("person"), ledger_id=scope)
    except StudioError as error:
        status, refusal = refused(error, "Not ended")
        return settings_response(request, visitor, Entry("roles", refusal), status)
    return see_other(_PEOPLE, "role_ended")


def _role(text: str) -> Role:
    if text not in {role.value for role in Role}:
        message = "choose viewer, reviewer or owner"
        raise InvalidError(message)
    return Role(text)


@router.post("/settings/password")
def set_password(request: Request, visitor: PageVisitor, form: PostedForm) -> Response:
    """Set one's own password; the present one is asked for when there is one. Other sessions end."""
    take_password(request, visitor.person.id)
    try:
        if form.text("new") != form.text("again"):
            message = "the two new passwords differ"
            raise InvalidError(message)
        ways = visitor.studio.sign_in
        ways.require_present(visitor.person.id, form.text("current"))
        caller = ways.myself(visitor.person.id, visitor.via)
        ways.set_password(caller, visitor.person.id, form.text("new"), but=visitor.session.id)
    except StudioError as error:
        return _ways_refused(request, visitor, error)
    return _rotated(request, visitor, see_other(_WAYS, "password_set"))


@router.post("/settings/password/end")
def drop_password(request: Request, visitor: PageVisitor, form: PostedForm) -> Response:
    """Do without a password again."""
    take_password(request, visitor.person.id)
    try:
        ways = visitor.studio.sign_in
        ways.require_present(visitor.person.id, form.text("current"))
        caller = ways.myself(visitor.person.id, visitor.via)
        ways.drop_password(caller, visitor.person.id, but=visitor.session.id)
    except StudioError as error:
        return _ways_refused(request, visitor, error)
    return _rotated(request, visitor, see_other(_WAYS, "password_dropped"))


@router.post("/settings/accounts")
def link_account(request: Request, visitor: PageVisitor, _form: PostedForm) -> Response:
    """Link the account that this browser came back with from the provider."""
    ways, now = visitor.studio.sign_in, visitor.studio.clock.now()
    try:
        identity = ways.flows.take(request.cookies.get(FLOW_COOKIE, ""), now)
        if identity is None:
            message = "no account waits to be linked; begin again with the provider"
            raise NotFoundError(message)
        ways.link(ways.myself(visitor.person.id, visitor.via), visitor.person.id, identity)
    except StudioError as error:
        return _ways_refused(request, visitor, error)
    response = see_other(_WAYS, "account_linked")
    response.delete_cookie(FLOW_COOKIE, path="/")
    return response


@router.post("/settings/accounts/{credential_id}/end")
def unlink_account(credential_id: str, request: Request, visitor: PageVisitor, _form: PostedForm) -> Response:
    """Unlink one of one's own accounts."""
    ways = visitor.studio.sign_in
    try:
        caller = ways.myself(visitor.person.id, visitor.via)
        ways.unlink(caller, visitor.person.id, credential_id, but=visitor.session.id)
    except StudioError as error:
        return _ways_refused(request, visitor, error)
    return see_other(_WAYS, "account_unlinked")


@router.post("/sessions/{session_id}/end")
def end_session(
    session_id: str, studio: StudioHere, visitor: PageVisitor, _form: PostedForm
) -> RedirectResponse:
    """End one of one's own sessions; ending the present one signs out."""
    if session_id == visitor.session.id:
        return signed_out(studio, visitor)
    studio.directory.end_session(session_id, studio.clock.now(), person_id=visitor.person.id)
    return see_other("/settings", "session_ended")


@router.post("/sessions/end-others")
def end_other_sessions(studio: StudioHere, visitor: PageVisitor, _form: PostedForm) -> RedirectResponse:
    """End every session of one's own but the present one."""
    studio.directory.end_sessions(visitor.person.id, studio.clock.now(), but=visitor.session.id)
    return see_other("/settings", "sessions_ended")


def take_password(request: Request, person_id: str) -> None:
    """Count one password that was tried for this person. Raises: ProblemError when there were too many."""
    problem = request.app.state.password_rate.problem(person_id[:64])
    if problem is not None:
        raise ProblemError(problem)


def _ways_refused(request: Request, visitor: Visitor, error: StudioError) -> Response:
    status, refusal = refused(error, "Not changed")
    return settings_response(request, visitor, Entry("ways", refusal), status)


def _rotated(request: Request, visitor: Visitor, response: Response) -> Response:
    """Give the present session a new secret with the change."""
    studio = visitor.studio
    secret = request.cookies.get(SESSION_COOKIE, "")
    issued = studio.directory.rotate(secret, studio.clock.now())
    set_session(response, issued.secret, request.app.state.origin)
    return response
