"""People, their roles and their sign-in links on the command line."""

import sys
from getpass import getpass
from typing import Annotated

import typer

from app.cli.desk import owner, project_id, studio
from app.cli.output import PRINTER
from app.config.address import address_in_use
from app.services.access import OWNER
from app.services.people import GRANTED
from app.services.signin import require_account
from app.services.studio import Studio
from app.views.building.account import browser_words
from kernel.errors import InvalidError, NotFoundError
from kernel.values.people import Identity
from kernel.vocabulary import Role

_ROLES = "owner, reviewer or viewer"
_Name = Annotated[str, typer.Argument(help="The person's id, such as mira.")]
_Project = Annotated[
    str | None,
    typer.Option("--project", "-p", help="One project, by id or title; without it, every project."),
]
_Chosen = Annotated[str, typer.Option(help=_ROLES)]


def register(app: typer.Typer) -> None:
    """Add these commands."""
    person = typer.Typer(help="People of this installation.", no_args_is_help=True)
    person.command("add")(add)
    person.command("list")(list_people)
    person.command("grant")(grant)
    person.command("revoke")(revoke)
    person.command("password")(password)
    person.command("link")(link)
    person.command("unlink")(unlink)
    person.command("sessions")(sessions)
    app.add_typer(person, name="person")
    app.command("signin")(signin)


def add(
    name: Annotated[str, typer.Argument(help="A lower-case name such as mira.")],
    role: _Chosen = Role.REVIEWER.value,
    project: _Project = None,
) -> None:
    """Make a person known, with one role in every project or in one."""
    chosen, here = _role(role), studio()
    scope = None if project is None else project_id(project)
    person = here.people.add(owner(), name, name.capitalize(), chosen, ledger_id=scope)
    PRINTER.answer(
        {"person_id": person.id, "role": chosen.value, "project_id": scope},
        f"{person.id} may act as {chosen.value}{_where(here, scope)}. "
        f"A link for them: odeu signin --person {person.id}",
    )


def grant(name: _Name, role: _Chosen, project: _Project = None) -> None:
    """Give a person a role in one project, or in every one, in place of the one they have there."""
    chosen, here = _role(role), studio()
    scope = None if project is None else project_id(project)
    here.people.grant(owner(), name, chosen, ledger_id=scope)
    PRINTER.answer(
        {"person_id": name, "role": chosen.value, "project_id": scope},
        f"{name} may act as {chosen.value}{_where(here, scope)}.",
    )


def _role(word: str) -> Role:
    """Return the role of this name.

    Raises: InvalidError when it is none that a person may be given.
    """
    named = {role.value: role for role in GRANTED}
    if word not in named:
        message = f"there are three roles for a person, {_ROLES}; {word!r} is none of them"
        raise InvalidError(message)
    return named[word]


def revoke(name: _Name, project: _Project = None) -> None:
    """End a person's own role in one project; without --project end every role, every session and every token."""
    here = studio()
    if project is not None:
        scope = project_id(project)
        here.people.revoke(owner(), name, ledger_id=scope)
        left = here.directory.role_of(name, scope)
        says = (
            "sees it no longer"
            if left is None
            else f"acts there as {left.value}, the role they have everywhere"
        )
        PRINTER.answer(
            {"person_id": name, "project_ids": [scope], "role": None if left is None else left.value},
            f"{name} has no role of their own{_where(here, scope)} any more and {says}.",
        )
        return
    done = here.people.dismiss(owner(), name)
    PRINTER.answer(
        {"person_id": name, "project_ids": list(done.scopes), "role": None, "sessions_ended": done.sessions},
        f"{name} has no role here any more; {done.sessions} of their sessions ended.",
    )


def password(
    name: _Name,
    remove: Annotated[bool, typer.Option("--remove", help="Do without a password again.")] = False,
) -> None:
    """Give a person a password, read from a prompt or from standard input; their sessions end."""
    here = studio()
    if remove:
        here.sign_in.drop_password(owner(), name)
        PRINTER.answer({"person_id": name, "password": False}, f"{name} has no password any more.")
        return
    ended = here.sign_in.set_password(owner(), name, _typed_password())
    PRINTER.answer(
        {"person_id": name, "password": True, "sessions_ended": ended},
        f"{name} has a new password; {ended} of their sessions ended.",
    )


def _typed_password() -> str:
    """Return a password from the terminal, typed twice and not shown, or the first line of standard input.

    Raises: InvalidError when the two differ, or when what was given is no text.
    """
    try:
        if not sys.stdin.isatty():
            return sys.stdin.buffer.readline().decode("utf-8").rstrip("\r\n")
        first, second = getpass("New password: "), getpass("The same again: ")
    except UnicodeDecodeError as error:
        message = "the password is no text in UTF-8; nothing was changed"
        raise InvalidError(message) from error
    if first != second:
        message = "the two passwords differ; nothing was changed"
        raise InvalidError(message)
    return first


_Issuer = Annotated[str, typer.Option(help="The provider's exact address.")]
_Subject = Annotated[
    str, typer.Option(help="What the provider calls the account; the sign-in page names it.")
]


def link(name: _Name, issuer: _Issuer, subject: _Subject) -> None:
    """Let an account at an OpenID provider sign a person in."""
    studio().sign_in.link(owner(), name, Identity(issuer, subject))
    PRINTER.answer(
        {"person_id": name, "issuer": issuer, "subject": subject},
        f"The account {subject} signs {name} in from now on.",
    )


def unlink(name: _Name, issuer: _Issuer, subject: _Subject) -> None:
    """Stop an account from signing a person in; their sessions end."""
    ways, account = studio().sign_in, Identity(issuer, subject)
    require_account(account)
    linked = ways.credentials.linked(account)
    credential_id = "" if linked is None else linked.credential_id
    ways.unlink(owner(), name, credential_id)
    PRINTER.answer(
        {"person_id": name, "issuer": issuer, "subject": subject},
        f"The account {subject} signs nobody in any more.",
    )


def sessions(
    name: _Name,
    end: Annotated[str | None, typer.Option(help="End this session, by its id, or `all` of them.")] = None,
) -> None:
    """List where a person is signed in, or end it."""
    here = studio()
    now = here.clock.now()
    if here.directory.person(name) is None:
        message = f"there is no person {name}"
        raise NotFoundError(message)
    if end == "all":
        here.people.sign_out(owner(), name)
    elif end is not None:
        here.directory.end_session(end, now, person_id=name)
    found = here.directory.sessions(name, now)
    PRINTER.answer(
        {
            "sessions": [
                {
                    "session_id": item.id,
                    "label": item.label,
                    "began": item.created_at,
                    "used": item.last_used_at,
                }
                for item in found
            ]
        },
        *(
            f"{item.id}  {item.created_at}  {item.last_used_at}  {browser_words(item.label)}"
            for item in found
        ),
    )


def _where(here: Studio, scope: str | None) -> str:
    if scope is None:
        return " in every project"
    title = here.desk.state(scope).title
    return f" in {scope if title is None else title.or_erased()}"


def list_people() -> None:
    """List people and their roles."""
    here = studio()
    found: list[dict[str, object]] = []
    lines = []
    for person in here.directory.people():
        held = here.directory.memberships(person.id)
        everywhere = next((item.role.value for item in held if item.ledger_id is None), None)
        projects = [
            {"project_id": item.ledger_id, "role": item.role.value}
            for item in held
            if item.ledger_id is not None
        ]
        found.append({"person_id": person.id, "name": person.name, "role": everywhere, "projects": projects})
        words = [f"{item.role.value}{_where(here, item.ledger_id)}" for item in held]
        lines.append(f"{person.id}  {', '.join(words) or 'no role'}")
    PRINTER.answer({"people": found}, *lines)


def link_for(here: Studio, person_id: str, origin: str) -> tuple[str, str]:
    """Return a fresh one-time sign-in address at `origin` and the moment it stops working."""
    issued = here.access.issue_link(owner(), person_id)
    return f"{origin}/signin?link={issued.secret}", issued.expires_at


def signin(person: Annotated[str, typer.Option(help="Who signs in.")] = OWNER) -> None:
    """Print a fresh one-time sign-in link, good for fifteen minutes."""
    here = studio()
    origin = address_in_use(here.settings.data_folder) or here.settings.origin
    address, until = link_for(here, person, origin)
    PRINTER.answer(
        {"person_id": person, "link": address, "expires_at": until},
        f"Open this once, before {until}:",
        address,
    )
