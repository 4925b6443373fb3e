"""The review acts beside yes, no, edit and move on the command line, and projects put away."""

import re
from typing import Annotated, Final

import typer

from app.cli.desk import owner, project_id, studio
from app.cli.output import PRINTER
from app.services.moments import moment_of
from app.views.answers.deciding import (
    RenewedAnswer,
    SplitAnswer,
    archive_answer,
    renewed_answer,
    set_aside_answer,
)
from kernel.commands import (
    DeferDelta,
    Part,
    ProposeCompensation,
    RebaseDelta,
    RemandDelta,
    SplitDelta,
)
from kernel.errors import InvalidError
from kernel.rules.operations import is_belonging
from kernel.state import DeltaRecord, revision_key
from kernel.values.records import RelationAdd
from kernel.vocabulary import NodeKind

Delta = Annotated[str, typer.Argument(help="Proposal id.")]
Reason = Annotated[str | None, typer.Option(help="Why, in your words.")]
_PART: Final = re.compile(r"\s*(?P<kind>\w+)\s*:\s*(?P<title>.+?)(?:\s+@\s+(?P<node>\S+))?\s*", re.DOTALL)


def register(app: typer.Typer, projects: typer.Typer) -> None:
    """Add these commands; `projects` is the group of commands about projects."""
    for name, command in (
        ("defer", defer),
        ("remand", remand),
        ("split", split),
        ("rebase", rebase),
        ("compensate", compensate),
    ):
        app.command(name)(command)
    projects.command("archive")(archive)
    projects.command("restore")(restore)


def defer(
    delta: Delta,
    until: Annotated[
        str | None, typer.Option(help="When it asks again: 2026-12-24 or 2026-12-24T09:00, your time.")
    ] = None,
    reason: Reason = None,
) -> None:
    """Decide later: the proposal leaves the queue until its moment, or until you look for it."""
    here = studio()
    state, _record, seen = here.reviews.shown(delta)
    moment = None if until is None else moment_of(until)
    here.reviews.defer(owner(state.ledger), DeferDelta(delta, moment, reason, seen))
    answer = set_aside_answer(here.desk.state(state.ledger), delta)
    PRINTER.answer(answer, f"Deferred {delta}" + (f" until {moment}" if moment else ""))


def remand(
    delta: Delta,
    reason: Annotated[str, typer.Option(help="Why it cannot be accepted as it is.")],
    correction: Annotated[list[str], typer.Option(help="What has to be put right; give it again for more.")],
) -> None:
    """Send a proposal back with what has to be put right; edit, move or split it to go on."""
    here = studio()
    state, _record, seen = here.reviews.shown(delta)
    here.reviews.remand(owner(state.ledger), RemandDelta(delta, reason, tuple(correction), seen))
    answer = set_aside_answer(here.desk.state(state.ledger), delta)
    PRINTER.answer(answer, f"Sent back {delta}", *(f"  to put right: {item}" for item in answer.corrections))


def split(
    delta: Delta,
    part: Annotated[
        list[str],
        typer.Option(help="“Kind: title @ NODE”, 2 to 8 times; without @ NODE it stays where it was."),
    ],
) -> None:
    """Replace a placement by several, each with its own words, kind and place."""
    here = studio()
    state, record, seen = here.reviews.shown(delta)
    parts = tuple(_part(text, record) for text in part)
    replacements = here.reviews.split(owner(state.ledger), SplitDelta(delta, parts, seen))
    answer = SplitAnswer(project_id=state.ledger, delta_id=delta, replacement_ids=replacements)
    PRINTER.answer(answer, *(f"Replaced by {item}" for item in replacements))


def _part(text: str, record: DeltaRecord) -> Part:
    read = _PART.fullmatch(text)
    kind = None if read is None else next((item for item in NodeKind if item.value == read["kind"]), None)
    if read is None or kind is None:
        message = (
            f"a part reads “Kind: title @ NODE”, such as “Task: Order the tiles @ node_…”, not {text!r:.80}"
        )
        raise InvalidError(message)
    return Part(kind, read["title"], read["node"] or _place(record))


def _place(record: DeltaRecord) -> str:
    places = [
        item.to_id for item in record.body.operations if isinstance(item, RelationAdd) and is_belonging(item)
    ]
    if not places:
        message = "this proposal places nothing; name each part's place with @ NODE"
        raise InvalidError(message)
    return places[0]


def rebase(delta: Delta) -> None:
    """Renew a proposal about the head, for another look: also when what it touches changed since."""
    here = studio()
    state, _record, seen = here.reviews.shown(delta)
    replacement = here.reviews.rebase(owner(state.ledger), RebaseDelta(delta, seen))
    _renewed(renewed_answer(here.desk.state(state.ledger), replacement))


def compensate(
    delta: Annotated[str, typer.Argument(help="The accepted proposal whose revision to take back.")],
    reason: Reason = None,
) -> None:
    """Propose to take an accepted revision back; nothing changes until you accept that."""
    here = studio()
    state, record, _seen = here.reviews.shown(delta)
    if record.revision is None:
        message = f"proposal {delta} is {record.disposition.value}: only an accepted one can be taken back"
        raise InvalidError(message)
    seen = state.revisions[revision_key(record.revision)].state_root
    command = ProposeCompensation(record.revision, seen, reason)
    proposal = here.reviews.compensate(state.ledger, owner(state.ledger), command)
    _renewed(renewed_answer(here.desk.state(state.ledger), proposal))


def _renewed(answer: RenewedAnswer) -> None:
    doubts = (f"  doubt: {item}" for item in answer.uncertainty)
    PRINTER.answer(answer, f"Waits for your yes: odeu accept {answer.delta_id}", *doubts)


def archive(
    project: Annotated[str, typer.Argument(help="Project id, or its exact title.")], reason: Reason = None
) -> None:
    """Put a project away: it takes nothing new, and stays readable."""
    here, ledger = studio(), project_id(project)
    here.projects.archive(ledger, owner(ledger), reason)
    PRINTER.answer(archive_answer(here.desk.state(ledger)), f"Archived {ledger}")


def restore(
    project: Annotated[str, typer.Argument(help="Project id, or its exact title.")], reason: Reason = None
) -> None:
    """Take an archived project up again."""
    here, ledger = studio(), project_id(project)
    here.projects.restore(ledger, owner(ledger), reason)
    PRINTER.answer(archive_answer(here.desk.state(ledger)), f"Restored {ledger}")
