"""Who is here: from a session cookie to a `Visitor`, for pages and for the API.

A page without a session leads to the sign-in page; an API call answers 401. What a visitor may not know of does
not exist: every look-up by id ends in the same 404.
"""

from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import Depends, HTTPException, Request

from app.services.desk import Caller
from app.services.sights import sees_all
from app.services.studio import Studio
from app.web.errors_http import Problem
from app.web.origin import SESSION_COOKIE
from app.web.requests import FORM_FIELD, FormTokens
from kernel.errors import AuthorityError, InvalidError, NotFoundError
from kernel.events.envelope import Event
from kernel.ids import is_id
from kernel.projections.visible import knows
from kernel.state import State
from kernel.values.people import Person, Session
from kernel.vocabulary import Role, Via

FIELDS_MAX: Final = 64
WORDS_MAX: Final = 200_000
"""Characters of the longest field of a form."""


class SignInFirstError(Exception):
    """A page was asked for without a session; the answer leads to the sign-in page."""


class ProblemError(Exception):
    """A refusal of the edge itself, such as a rate or a form token."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.code)
        self.problem = problem


def studio_of(request: Request) -> Studio:
    """Return the product this application serves."""
    studio: Studio = request.app.state.studio
    return studio


async def _studio(request: Request) -> Studio:
    return studio_of(request)


StudioHere = Annotated[Studio, Depends(_studio)]


@dataclass(frozen=True, slots=True)
class Visitor:
    """A signed-in person at one door."""

    studio: Studio
    person: Person
    session: Session
    form_token: str
    via: Via

    def role(self, ledger_id: str) -> Role | None:
        """Return the person's role in a ledger, or None when it does not exist for them."""
        return self.studio.directory.role_of(self.person.id, ledger_id)

    def still_is(self, role: Role | None, ledger_id: str) -> bool:
        """Return whether the session goes on and the person still has this role there."""
        now = self.studio.clock.now()
        open_now = {session.id for session in self.studio.directory.sessions(self.person.id, now)}
        return self.session.id in open_now and self.role(ledger_id) is role

    def may_write(self, ledger_id: str) -> bool:
        """Return whether forms for acts should be shown; the kernel decides again when they are sent."""
        may = self.role(ledger_id) in {Role.OWNER, Role.REVIEWER}
        return may and self.studio.access.imported(ledger_id) is None

    def state(self, ledger_id: str) -> State:
        """Return what the person may read of a ledger, caught up: all of it for an owner, else what is visible.

        Raises: NotFoundError, in the same words for a foreign ledger and for none.
        """
        role = self.role(ledger_id) if is_id(ledger_id, "project") else None
        if role is None:
            message = f"there is no project {ledger_id:.64}"
            raise NotFoundError(message)
        return self.studio.desk.state_for(ledger_id, role)

    def whole(self, ledger_id: str, what: str) -> State:
        """Return the whole of a ledger, for an owner; `what` completes "only an owner of the project ...".

        Raises: NotFoundError; AuthorityError for everybody else who may read of it.
        """
        state = self.state(ledger_id)
        if not sees_all(self.role(ledger_id)):
            message = f"the ledger names private captures too: only an owner of the project {what}"
            raise AuthorityError(message)
        return state

    def events(self, ledger_id: str, before: int | None, limit: int) -> tuple[Event, ...]:
        """Return events of a ledger, newest first, as far as the person sees them and under the numbers they see.

        Raises: NotFoundError.
        """
        desk, end = self.studio.desk, before or self.state(ledger_id).seq + 1
        if sees_all(self.role(ledger_id)):
            return tuple(item.event for item in desk.ledger.page(ledger_id, end, limit))
        return desk.sights.page(ledger_id, end, limit)

    def known_as(self, ledger_id: str, delta_id: str) -> str:
        """Return what a proposal is called in the part of the ledger that the person sees."""
        return self.studio.desk.name_for(ledger_id, self.role(ledger_id) or Role.NONE, delta_id)

    def project(self, project_id: str) -> State:
        """Return a project the person may read, caught up; the world ledger is none.

        Raises: NotFoundError.
        """
        if project_id == self.studio.world_id:
            message = f"there is no project {project_id}"
            raise NotFoundError(message)
        return self.state(project_id)

    def state_of(self, subject_id: str) -> State:
        """Return the state of the ledger in which an id came into being.

        Raises: NotFoundError, in the same words for a foreign record and for none.
        """
        ledger_id = self.studio.desk.ledger.ledger_of(subject_id)
        role = None if ledger_id is None else self.role(ledger_id)
        state = None if ledger_id is None or role is None else self.studio.desk.state_for(ledger_id, role)
        if state is None or not knows(state, subject_id):
            message = f"there is no record {subject_id}"
            raise NotFoundError(message)
        return state

    def caller(self, ledger_id: str, key: str | None = None) -> Caller:
        """Return the person as an actor; `key` names the command, so that a repeated send is the same act.

        Raises: NotFoundError; AuthorityError when this door is closed to people; InvalidError for the key.
        """
        return self.studio.access.caller(ledger_id, self.person.id, self.via, key=key)


def find_visitor(studio: Studio, request: Request, via: Via) -> Visitor | None:
    """Return who the session cookie belongs to now, or None. Reads the directory, so call it in a thread."""
    secret = request.cookies.get(SESSION_COOKIE)
    session = None if secret is None else studio.directory.session(secret, studio.clock.now())
    person = None if session is None else studio.directory.person(session.person_id)
    if session is None or person is None:
        return None
    token = FormTokens(studio.form_key).issue(session.id)
    visitor = Visitor(studio, person, session, token, via)
    request.state.visitor = visitor
    return visitor


def page_visitor(request: Request, studio: StudioHere) -> Visitor:
    """Return the visitor of a page. Raises: SignInFirstError."""
    visitor = find_visitor(studio, request, Via.BROWSER)
    if visitor is None:
        raise SignInFirstError
    return visitor


def api_visitor(request: Request, studio: StudioHere) -> Visitor:
    """Return the visitor of an API call. Raises: HTTPException 401."""
    visitor = find_visitor(studio, request, Via.API)
    if visitor is None:
        raise HTTPException(401)
    return visitor


PageVisitor = Annotated[Visitor, Depends(page_visitor)]
ApiVisitor = Annotated[Visitor, Depends(api_visitor)]


@dataclass(frozen=True, slots=True)
class Posted:
    """The text fields of a form; the form token has been checked."""

    fields: dict[str, str]

    def text(self, name: str) -> str:
        """Return a field, empty when it was not sent."""
        return self.fields.get(name, "")

    def optional(self, name: str) -> str | None:
        """Return a field, None when it was not sent or is blank."""
        return self.text(name).strip() or None

    def flag(self, name: str) -> bool:
        """Return whether a box was ticked."""
        return name in self.fields

    def number(self, name: str) -> int:
        """Return a whole number. Raises: InvalidError."""
        text = self.text(name)
        if not (text.isascii() and text.isdigit() and len(text) <= 15):  # noqa: PLR2004 - below 2^53
            message = f"the form's field {name} is not a number; open the page again"
            raise InvalidError(message)
        return int(text)

    @property
    def key(self) -> str | None:
        """The command this form was rendered for."""
        return self.optional("command_id")


async def read_form(request: Request) -> dict[str, str]:
    """Return the text fields of a form; uploaded files are left out."""
    form = await request.form(max_files=0, max_fields=FIELDS_MAX)
    return {name: value.replace("\r\n", "\n") for name, value in form.multi_items() if isinstance(value, str)}


async def posted(request: Request, visitor: PageVisitor) -> Posted:
    """Return the form of a page's act. Raises: ProblemError when it is not from this session."""
    fields = await read_form(request)
    tokens = FormTokens(visitor.studio.form_key)
    problem = tokens.problem(visitor.session.id, fields.get(FORM_FIELD, ""))
    if problem is not None:
        raise ProblemError(problem)
    return Posted(fields)


PostedForm = Annotated[Posted, Depends(posted)]
