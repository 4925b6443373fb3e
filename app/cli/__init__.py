"""The command line: every act of the path for the owner of the machine, with `--json` for programs.

`main` is the entry point. One module per group of commands; what a command does is in the services.
"""

from typing import Annotated

import typer
from typer.exceptions import Abort, TyperException

from app.cli import (
    audits,
    changing,
    leaving,
    people,
    promotions,
    proving,
    reviewing,
    serving,
    showing,
    touring,
    working,
)
from app.cli.output import PRINTER, refusals

app = typer.Typer(
    name="odeu",
    help="ODEU Worldstate Studio: what is so, what is allowed and what ships, with evidence.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for module in (
    serving,
    people,
    reviewing,
    changing,
    showing,
    working,
    promotions,
    audits,
    leaving,
    proving,
    touring,
):
    module.register(app)


@app.callback()
def options(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a result.")] = False,
) -> None:
    """Read the options that stand before the command."""
    PRINTER.as_json = PRINTER.as_json or as_json


def main() -> None:
    """Run the command line; `--json` may stand anywhere."""
    import sys

    arguments = sys.argv[1:]
    # What follows `--` is somebody's words, `--json` too.
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options = [item for item in arguments[:end] if item != "--json"]
    PRINTER.as_json = len(options) < end
    with refusals():
        try:
            app([*options, *arguments[end:]], prog_name="odeu", standalone_mode=False)
        except Abort:
            PRINTER.refuse("aborted", "stopped before anything was done", status=130)
        except TyperException as error:
            # A missing or malformed argument; its text says which and what would fit.
            said = getattr(error, "format_message", error.__str__)()
            PRINTER.refuse("usage", f"{said} See odeu --help.", status=2)
