"""Starting things: init, serve, doctor."""

import logging
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from app import bootstrap
from app.cli.desk import studio
from app.cli.output import PRINTER
from app.cli.people import link_for
from app.config.settings import Settings, read_settings
from app.services.access import OWNER
from app.services.doctor import examine
from app.services.garbage import collecting_no_garbage
from app.services.seeding import seed_sandbox
from kernel.errors import ConfigurationError


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("init")(init)
    app.command("serve")(serve)
    app.command("doctor")(doctor)


def settings() -> Settings:
    """Return the settings of this process."""
    return read_settings()


def prepare() -> tuple[str, ...]:
    """Create whatever is missing, the sandbox project included; return the ids of projects it seeded."""
    os.umask(0o077)
    bootstrap.create_installation(settings())
    bootstrap.install_sandbox(settings())
    title, outline, _sentence = bootstrap.sandbox_texts()
    return seed_sandbox(studio(), title, outline)


def init() -> None:
    """Create the data folder: keys, database, world, the person `owner` and the sandbox project."""
    seeded = prepare()
    here = studio()
    PRINTER.answer(
        {
            "installation_id": here.installation_id,
            "world_id": here.world_id,
            "projects": [state.ledger for state in here.projects.seen_by(OWNER)],
            "problems": list(here.registry.problems),
        },
        f"Installation {here.installation_id} is ready; {len(seeded)} projects were added.",
        *(f"Configuration: {problem}" for problem in here.registry.problems),
    )


def serve(
    host: Annotated[str | None, typer.Option(help="Address; ODEU_HOST by default.")] = None,
    port: Annotated[int | None, typer.Option(help="Port; ODEU_PORT by default.")] = None,
) -> None:
    """Create what is missing, print a one-time sign-in link, and serve."""
    # Here, since only who serves needs the web's libraries: they are a sixth of what a command imports.
    with collecting_no_garbage():
        from app.cli.door import answer_at, open_door
        from app.main import create_app
        from app.web.origin import public_origin

    if host is not None:
        os.environ["ODEU_HOST"] = host
    if port is not None:
        os.environ["ODEU_PORT"] = str(port)
    asked = settings()
    _refuse_open_door(asked)
    public_origin(asked.origin)
    door = open_door(asked.host, asked.port)
    os.environ["ODEU_PORT"] = str(door.getsockname()[1])
    prepare()
    here = studio()
    app = create_app(here)
    address, until = link_for(here, OWNER, here.settings.origin)
    PRINTER.answer(
        {"origin": here.settings.origin, "link": address, "expires_at": until},
        f"Serving on {here.settings.origin}. Sign in once, before {until}:",
        f"  {address}",
        f"A fresh link: {_called()} signin. Stop with Ctrl-C.",
    )
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    answer_at(door, app, here.settings)


def _called() -> str:
    """Return how this program was called, so that what is printed can be typed: its place may be on no PATH."""
    called = sys.argv[0]
    return called if Path(called).name == "odeu" else "odeu"


def _refuse_open_door(found: Settings) -> None:
    if found.host not in {"127.0.0.1", "localhost", "::1"} and not found.public_origin.startswith("https://"):
        message = (
            f"listening on {found.host} needs ODEU_PUBLIC_ORIGIN with https: people would sign in over a line "
            "that others can read"
        )
        raise ConfigurationError(message)


def doctor() -> None:
    """Say what this machine lacks and how to get it. Exits 1 when something needed is missing."""
    here = bootstrap.open_studio(settings()) if bootstrap.exists(settings()) else None
    findings = examine(here, bootstrap.probe_machine(settings()))
    PRINTER.answer(
        {
            "ready": all(item.is_fine for item in findings),
            "findings": [
                {"name": item.name, "fine": item.is_fine, "detail": item.detail, "cure": item.cure}
                for item in findings
            ],
        },
        *(f"{'ok     ' if item.is_fine else 'MISSING'}  {item.name}: {item.detail}" for item in findings),
        *(f"         {item.name}: {item.cure}" for item in findings if not item.is_fine and item.cure),
    )
    if not all(item.is_fine for item in findings):
        raise SystemExit(1)
