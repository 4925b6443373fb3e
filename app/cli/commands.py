"""Every command in one tree. One module per group of commands; what a command does is in the services."""

from typing import Annotated

import typer

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
from app.cli.output import PRINTER

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
