"""Leaving and proving on the command line: erase, export, verify a bundle, import, back up."""

import os
from pathlib import Path
from typing import Annotated

import typer

from app import bootstrap
from app.cli.desk import owner, project_id, studio
from app.cli.output import PRINTER
from app.cli.proving import print_verdicts
from app.config.settings import read_settings
from app.services.access import OWNER
from app.views.answers.erasing import erase_answer, erase_lines


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("erase")(erase)
    app.command("export")(export)
    app.command("verify-bundle")(verify_bundle)
    app.command("import")(import_bundle)
    app.command("backup")(backup)
    app.command("restore")(restore)


def erase(source: Annotated[str, typer.Argument(help="The capture's id.")]) -> None:
    """Destroy the words of a capture for good. What was accepted stays; the answer lists it."""
    here = studio()
    ledger = here.desk.ledger_of(source)
    done = here.erasures.erase(ledger, owner(ledger), source)
    answer = erase_answer(ledger, done.source_ids, done.left, closed=done.closed, is_folded=done.is_folded)
    PRINTER.answer(answer, *erase_lines(answer))


def export(
    file: Annotated[Path, typer.Argument(help="New file for the bundle.")],
    project: Annotated[str, typer.Option("--project", "-p", help="Project id, or its exact title.")],
    trust: Annotated[
        Path | None, typer.Option(help="New file for what to keep: the checkpoint key and the head.")
    ] = None,
) -> None:
    """Write a project with its texts and proofs to one file that anybody can verify. It opens every text."""
    here = studio()
    ledger = project_id(project)
    done = here.leaving.export(ledger, OWNER, file, trust)
    PRINTER.answer(
        {
            "project_id": ledger,
            "file": str(file),
            "sha256": done.sha256,
            "size": done.size,
            "trust": trust and str(trust),
        },
        f"{done.size} events of {ledger} in {file}, {done.sha256}",
        "It opens every text of the project, private ones too: keep it as you keep the texts.",
    )


def verify_bundle(
    file: Annotated[Path, typer.Argument(help="The bundle.")],
    trust: Annotated[
        Path | None, typer.Option(help="What you keep: pinned keys and known checkpoints.")
    ] = None,
) -> None:
    """Verify a bundle offline. Exits 0 when all that was asked passed, 3 when not, 4 without --trust."""
    print_verdicts(bootstrap.verify_bundle(file, trust))


def import_bundle(
    file: Annotated[Path, typer.Argument(help="The bundle.")],
    trust: Annotated[
        Path | None, typer.Option(help="What you keep: pinned keys and known checkpoints.")
    ] = None,
) -> None:
    """Take in a verified bundle to read it here, or to bring back what this installation lost."""
    done = studio().importing.take(owner(), file, trust)
    PRINTER.answer(
        {
            "project_id": done.project_id,
            "installation_id": done.installation_id,
            "size": done.size,
            "added": done.added,
            "imported": done.is_foreign,
        },
        f"{done.added} of {done.size} events of {done.project_id} are new here",
        *(
            ["Its people are shown as imported: and their id; nobody acts on it here."]
            if done.is_foreign
            else []
        ),
    )


def backup(
    file: Annotated[Path, typer.Argument(help="New tar file.")],
    with_master_key: Annotated[
        bool, typer.Option("--with-master-key", help="Add the key that opens every text.")
    ] = False,
) -> None:
    """Write database, keys and configuration of this moment to one file; the server may go on running."""
    names = studio().leaving.back_up(OWNER, file, with_master_key=with_master_key)
    warning = (
        "It holds the master key: whoever reads it reads every text and can sign as this installation."
        if with_master_key
        else "The master key is not in it: without your own copy of master.key no text can be read from it."
    )
    PRINTER.answer(
        {"file": str(file), "contents": list(names), "with_master_key": with_master_key},
        f"{len(names)} entries in {file}",
        warning,
    )


def restore(file: Annotated[Path, typer.Argument(help="The backup.")]) -> None:
    """Put a backup into a new data folder and an empty database. Then put master.key and tombstones beside it."""
    os.umask(0o077)
    settings = read_settings()
    names = bootstrap.restore(settings, file)
    has_key = "master.key" in names
    PRINTER.answer(
        {"data": str(settings.data_folder), "contents": list(names), "with_master_key": has_key},
        f"{len(names)} entries restored into {settings.data_folder}",
        *([] if has_key else ["Put your copy of master.key there, mode 0600, before you start."]),
        "Put the tombstones of what was erased since into the folder `erased`, then run odeu verify --strict.",
    )
