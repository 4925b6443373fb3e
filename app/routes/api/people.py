"""People, how they come in and are shown out, the roles they hold and the sessions of oneself."""

from typing import Annotated, Final, Literal

from fastapi import APIRouter, Request
from fastapi import Path as InPath
from pydantic import Field

from app.routes.api.contract import Body, Key, Nothing, ProjectId
from app.routes.visiting import ApiVisitor
from app.views.answers.records import Answer
from kernel.vocabulary import Role

router: Final = APIRouter(tags=["people"])

PersonPath = Annotated[str, InPath(pattern="^[a-z][a-z0-9-]{0,39}$", min_length=1, max_length=40)]


class NewPerson(Body):
    """Somebody to make known, with their first role."""

    person_id: Annotated[str, Field(pattern="^[a-z][a-z0-9-]{0,39}$", min_length=1, max_length=40)]
    name: Annotated[str, Field(min_length=1, max_length=200)]
    role: Literal["owner", "reviewer", "viewer"]
    project_id: ProjectId | None = None
    """Every project when null."""


class NewRole(Body):
    """A role to give, in place of the one the person has there."""

    role: Literal["owner", "reviewer", "viewer"]
    project_id: ProjectId | None = None
    """Every project when null."""


class EndedRole(Body):
    """A role to end."""

    project_id: ProjectId | None = None
    """The role that holds in every project when null."""


class PersonAnswer(Answer):
    """A person and their roles."""

    person_id: str
    name: str
    roles: tuple[tuple[str | None, str], ...]
    """(project or null for every project, role)."""


class PeopleAnswer(Answer):
    """The people of this installation."""

    people: tuple[PersonAnswer, ...]


class LinkAnswer(Answer):
    """A one-time sign-in link of a person."""

    person_id: str
    link: str | None
    """Null when the same request is sent again: a link is shown once."""
    expires_at: str | None


class SignedOutAnswer(Answer):
    """What signing a person out did."""

    person_id: str
    sessions_ended: int


class RoleAnswer(Answer):
    """The role that a person now has in a project, or in every one."""

    person_id: str
    project_id: str | None
    role: str | None
    """Null when they have none there, nor one that holds everywhere."""


class SessionAnswer(Answer):
    """A browser in which one is signed in."""

    session_id: str
    label: str
    created_at: str
    last_used_at: str
    expires_at: str
    this_one: bool


class SessionsAnswer(Answer):
    """Where one is signed in, the newest first."""

    sessions: tuple[SessionAnswer, ...]


@router.get("/people")
def list_people(visitor: ApiVisitor) -> PeopleAnswer:
    """List people and roles to an owner of the installation; anybody else sees themselves."""
    directory = visitor.studio.directory
    is_owner = visitor.role(visitor.studio.world_id) is Role.OWNER
    shown = directory.people() if is_owner else (visitor.person,)
    return PeopleAnswer(
        people=tuple(
            PersonAnswer(
                person_id=person.id,
                name=person.name,
                roles=tuple((item.ledger_id, item.role.value) for item in directory.memberships(person.id)),
            )
            for person in shown
        )
    )


@router.post("/people", status_code=201)
def add_person(body: NewPerson, visitor: ApiVisitor, key: Key) -> RoleAnswer:
    """Make a person known, with one role in one project or in every one; only an owner of the installation may."""
    studio = visitor.studio
    caller = studio.access.keeper(None, visitor.person.id, visitor.via, key=key)
    studio.people.add(caller, body.person_id, body.name, Role(body.role), ledger_id=body.project_id)
    return _role_answer(visitor, body.person_id, body.project_id)


@router.post("/people/{person_id}/links", status_code=201)
def invite(
    person_id: PersonPath, _body: Nothing, request: Request, visitor: ApiVisitor, key: Key
) -> LinkAnswer:
    """Make a one-time sign-in link for a person, shown once; only an owner of the installation may."""
    studio = visitor.studio
    caller = studio.access.keeper(None, visitor.person.id, visitor.via, key=key)
    issued = studio.people.invite(caller, person_id)
    if issued is None:
        return LinkAnswer(person_id=person_id, link=None, expires_at=None)
    address = f"{request.app.state.origin.origin}/signin?link={issued.secret}"
    return LinkAnswer(person_id=person_id, link=address, expires_at=issued.expires_at)


@router.post("/people/{person_id}/sessions/end")
def sign_out(person_id: PersonPath, _body: Nothing, visitor: ApiVisitor, _key: Key) -> SignedOutAnswer:
    """End every session and unused link of a person; only an owner of the installation may."""
    studio = visitor.studio
    caller = studio.access.keeper(None, visitor.person.id, visitor.via)
    return SignedOutAnswer(person_id=person_id, sessions_ended=studio.people.sign_out(caller, person_id))


@router.post("/people/{person_id}/roles", status_code=201)
def give_role(person_id: PersonPath, body: NewRole, visitor: ApiVisitor, key: Key) -> RoleAnswer:
    """Give a person a role in one project, or in every one; only whoever owns it may."""
    studio = visitor.studio
    caller = studio.access.keeper(body.project_id, visitor.person.id, visitor.via, key=key)
    studio.people.grant(caller, person_id, Role(body.role), ledger_id=body.project_id)
    return _role_answer(visitor, person_id, body.project_id)


@router.post("/people/{person_id}/roles/end")
def end_role(person_id: PersonPath, body: EndedRole, visitor: ApiVisitor, key: Key) -> RoleAnswer:
    """End a person's role in one project, or the one that holds in every project."""
    studio = visitor.studio
    caller = studio.access.keeper(body.project_id, visitor.person.id, visitor.via, key=key)
    studio.people.revoke(caller, person_id, ledger_id=body.project_id)
    return _role_answer(visitor, person_id, body.project_id)


def _role_answer(visitor: ApiVisitor, person_id: str, project_id: str | None) -> RoleAnswer:
    role = visitor.studio.directory.role_of(person_id, project_id or visitor.studio.world_id)
    return RoleAnswer(person_id=person_id, project_id=project_id, role=None if role is None else role.value)


@router.get("/sessions")
def list_sessions(visitor: ApiVisitor) -> SessionsAnswer:
    """List where one is signed in. Sessions are ended in Settings, or where the server runs."""
    found = visitor.studio.directory.sessions(visitor.person.id, visitor.studio.clock.now())
    return SessionsAnswer(
        sessions=tuple(
            SessionAnswer(
                session_id=item.id,
                label=item.label,
                created_at=item.created_at,
                last_used_at=item.last_used_at,
                expires_at=item.expires_at,
                this_one=item.id == visitor.session.id,
            )
            for item in found
        )
    )
