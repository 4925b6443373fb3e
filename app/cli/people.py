"""People and sign-in links on the command line."""

from typing import Annotated

import typer

from app.cli.desk import owner, studio
from app.cli.output import PRINTER
from app.config.address import address_in_use
from app.services.access import OWNER
from app.services.studio import Studio
from kernel.vocabulary import Role

_ROLES = "owner, reviewer or viewer"


def register(app: typer.Typer) -> None:
    """Add these commands."""
    person = typer.Typer(help="People of this installation.", no_args_is_help=True)
    person.command("add")(add)
    person.command("list")(list_people)
    app.add_typer(person, name="person")
    app.command("signin")(signin)


def add(
    name: Annotated[str, typer.Argument(help="A lower-case name such as mira.")],
    role: Annotated[Role, typer.Option(help=_ROLES)] = Role.REVIEWER,
) -> None:
    """Make a person known, with one role in every project."""
    here = studio()
    person = here.access.add_person(owner(), name, name.capitalize(), role)
    PRINTER.answer(
        {"person_id": person.id, "role": role.value},
        f"{person.id} may act as {role.value}. A link for them: odeu signin --person {person.id}",
    )


def list_people() -> None:
    """List people and their roles."""
    here = studio()
    roles = {item.person_id: item.role.value for item in here.directory.memberships()}
    found: list[dict[str, object]] = [
        {"person_id": item.id, "name": item.name, "role": roles.get(item.id)}
        for item in here.directory.people()
    ]
    PRINTER.answer({"people": found}, *(f"{item['person_id']}  {item['role']}" for item in found))


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
