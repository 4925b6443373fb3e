"""Leaving and proving on the command line: erase, export, verify a bundle, import, back up."""

from typing import Annotated

import typer

from app.cli.desk import owner, studio
from app.cli.output import PRINTER
from app.views.erasing import erase_answer, erase_lines


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("erase")(erase)


def erase(source: Annotated[str, typer.Argument(help="The capture's id.")]) -> None:
    """Destroy the words of a capture for good. What was accepted stays; the answer lists it."""
    here = studio()
    ledger = here.desk.ledger_of(source)
    done = here.erasures.erase(ledger, owner(ledger), source)
    answer = erase_answer(ledger, done.source_ids, done.left, closed=done.closed, is_folded=done.is_folded)
    PRINTER.answer(answer, *erase_lines(answer))
