"""Projects, captures and reviews on the command line."""

import sys
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from app.cli import deciding
from app.cli.desk import accept, owner, project_id, studio
from app.cli.output import PRINTER
from app.services.access import OWNER
from app.services.elsewhere import better_project
from app.services.intake import file_words
from app.services.logbook import SEQ_MAX
from app.services.studio import Studio
from app.views.answers.answering import (
    capture_answer,
    delta_answer,
    log_answer,
    project_answer,
    waiting_proposals,
)
from app.views.answers.records import CaptureAnswer, FitAnswer, ImportAnswer, ProposalAnswer
from kernel.commands import EditDelta, MoveDelta, RejectDelta
from kernel.errors import InvalidError
from kernel.rules.limits import SOURCE_BYTES_MAX
from kernel.state import State
from kernel.values.placement import SentQuestion
from kernel.values.records import NodeAdd
from kernel.vocabulary import NodeKind, SourceKind, Visibility

Project = Annotated[str, typer.Option("--project", "-p", help="Project id, or its exact title.")]
Delta = Annotated[str, typer.Argument(help="Proposal id.")]


def register(app: typer.Typer) -> None:
    """Add these commands."""
    group = typer.Typer(help="Projects.", no_args_is_help=True)
    group.command("new")(new_project)
    deciding.register(app, group)
    app.add_typer(group, name="project")
    for name, command in (
        ("projects", projects),
        ("import-outline", import_outline),
        ("capture", capture),
        ("place", place),
        ("proposals", proposals),
        ("accept", accept_delta),
        ("reject", reject),
        ("edit", edit),
        ("move", move),
        ("log", log),
    ):
        app.command(name)(command)


def projects() -> None:
    """List the projects."""
    here = studio()
    owner()
    found = [project_answer(state) for state in here.projects.seen_by("owner")]
    damaged = here.projects.unreadable("owner")
    PRINTER.answer(
        {"projects": [item.model_dump(mode="json") for item in found], "damaged": list(damaged)},
        *(
            f"{item.project_id}  revision {item.revision}  {item.waiting} waiting  {item.title}"
            for item in found
        ),
        *(
            f"{item}  its stored history is not the one that was signed: run `odeu verify`"
            for item in damaged
        ),
    )


def new_project(title: Annotated[str, typer.Argument(help="What the project is called.")]) -> None:
    """Open a project."""
    here = studio()
    opened = here.projects.open(owner(), title)
    answer = project_answer(here.desk.state(opened))
    PRINTER.answer(answer, f"Opened {answer.title}: {answer.project_id}")


def import_outline(
    file: Annotated[Path, typer.Argument(help="Markdown file; - for standard input.")],
    project: Project,
    under: Annotated[str | None, typer.Option(help="Node to import under; the root by default.")] = None,
) -> None:
    """Propose all headings and list items of a Markdown outline as one change."""
    text = _read(file)
    ledger = project_id(project)
    done = studio().projects.import_outline(ledger, owner(ledger), text, under)
    answer = ImportAnswer(
        project_id=ledger,
        source_id=done.source_id,
        delta_id=done.delta_id,
        nodes=done.nodes,
        notes=done.notes,
    )
    waiting = f"{done.nodes} nodes wait for your yes: odeu accept {done.delta_id}"
    PRINTER.answer(answer, waiting, *(f"  note: {item}" for item in done.notes))


def _read(file: Path) -> str:
    try:
        data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        return data.decode("utf-8")
    except OSError as error:
        message = f"{file} cannot be read: {error.strerror or error}"
        raise InvalidError(message) from error
    except UnicodeDecodeError as error:
        message = f"{file} is not text in UTF-8: byte {error.start + 1} does not fit. Save it as UTF-8 and try again"
        raise InvalidError(message) from error


def _bytes(file: Path) -> bytes:
    """Return a file's bytes, one more than a capture holds at most."""
    try:
        with file.open("rb") as opened:
            return opened.read(SOURCE_BYTES_MAX + 1)
    except OSError as error:
        message = f"{file} cannot be read: {error.strerror}"
        raise InvalidError(message) from error


def capture(
    project: Project,
    text: Annotated[str, typer.Argument(help="Your words; - for standard input.")] = "",
    file: Annotated[
        Path | None, typer.Option("--file", help="A text file in UTF-8; your words go before it.")
    ] = None,
    select: Annotated[str | None, typer.Option(help="The node you are looking at.")] = None,
    private: Annotated[bool, typer.Option(help="Private: stays on this machine.")] = False,
    answers: Annotated[
        str | None, typer.Option(help="The exchange of a question these words answer.")
    ] = None,
) -> None:
    """Keep your words and propose where they fit. Nothing changes until you accept it."""
    ledger = project_id(project)
    here = studio()
    words = _read(Path("-")) if text == "-" else text
    kind = SourceKind.TEXT
    if file is not None:
        words, kind = file_words(file.name, _bytes(file)).after(words), SourceKind.FILE
    done = here.placements.capture(
        ledger,
        owner(ledger),
        words,
        visibility=Visibility.PRIVATE if private else Visibility.SHARED,
        selected_node_id=select,
        answers=answers,
        kind=kind,
    )
    state = here.desk.state(ledger)
    answer = capture_answer(
        state, done.source_id, done.exchange_id, delta_id=done.delta_id, failure=done.failure
    )
    sent = here.placements.sent(ledger, done.exchange_id)
    lines = (*_capture_lines(answer), *_receipt_lines(sent), *_elsewhere_lines(here, state, done.exchange_id))
    PRINTER.answer(answer, *lines)


def place(
    source: Annotated[str, typer.Argument(help="The capture's id.")],
    here: Annotated[
        bool,
        typer.Option(
            "--here", help="Ask the built-in manager about private words; the active one is outside."
        ),
    ] = False,
) -> None:
    """Ask again where kept words fit. Nothing changes until you accept it."""
    opened = studio()
    ledger = opened.desk.ledger_of(source)
    ask = opened.placements.ask_here if here else opened.placements.retry
    done = ask(ledger, owner(ledger), source)
    answer = capture_answer(
        opened.desk.state(ledger),
        done.source_id,
        done.exchange_id,
        delta_id=done.delta_id,
        failure=done.failure,
    )
    sent = opened.placements.sent(ledger, done.exchange_id)
    PRINTER.answer(answer, *_capture_lines(answer), *_receipt_lines(sent))


def _elsewhere_lines(here: Studio, state: State, exchange_id: str) -> list[str]:
    """Return which other project of the owner's fits these words better, and how to capture them there."""
    found = better_project(here.placements, state, exchange_id, here.projects.seen_by(OWNER))
    if found is None:
        return []
    return [
        f"“{found.title}” fits these words better ({', '.join(found.words)}).",
        f"Capture them there with --project {found.project_id}",
    ]


def _receipt_lines(sent: SentQuestion | None) -> list[str]:
    """Return what left this machine and what was withheld; nothing when nothing left."""
    if sent is None:
        return []
    shown = len(sent.places) + len(sent.others)
    withheld = f"{sent.withheld_private} private and {sent.withheld_beyond} further shared"
    return [f"Sent to {urlsplit(sent.endpoint).netloc} with {shown} shared entries; withheld: {withheld}."]


def _capture_lines(answer: CaptureAnswer) -> list[str]:
    if answer.clarification is not None:
        return [
            f"Kept. {answer.clarification.question}",
            f"Answer with --answers {answer.clarification.exchange_id}",
        ]
    if answer.proposed is None or answer.delta_id is None:
        return [f"Kept as {answer.source_id}. {answer.failure or ''}".strip()]
    place = "" if answer.proposed.parent is None else f" under {answer.proposed.parent.title}"
    lines = [f"Suggested: {answer.proposed.kind} “{answer.proposed.title}”{place}"]
    lines.extend(f"  why: {reason}" for reason in answer.reasons)
    lines.extend(f"  doubt: {doubt}" for doubt in answer.uncertainty)
    lines.extend(_fit_lines(answer.fits))
    if answer.duplicate_of:
        lines.append(f"  looks like {answer.duplicate_of}")
    lines.extend(
        f"  or {label}: odeu accept {answer.delta_id} --choice {number}"
        for number, label in enumerate(answer.choices, start=1)
    )
    return [*lines, f"Accept it: odeu accept {answer.delta_id}"]


def _fit_lines(fits: tuple[FitAnswer, ...]) -> list[str]:
    """Return every offered place with its score, on a scale of 0 to 1, and the words or the reason for it."""
    return [
        f"  fit {fit.score / 1000:.2f} of 1: {fit.title} ({fit.node_id}), "
        f"{'words ' + ', '.join(fit.matched) if fit.matched else fit.reason}"
        for fit in fits
    ]


def proposals(
    project: Project,
    every: Annotated[bool, typer.Option("--all", help="Also what was deferred to another day.")] = False,
) -> None:
    """List what waits for a yes."""
    here = studio()
    state = here.desk.state(project_id(project))
    waiting = waiting_proposals(state, here.clock.now(), every=every)
    PRINTER.answer(
        {"project_id": state.ledger, "proposals": [item.model_dump(mode="json") for item in waiting]},
        *(f"{item.delta_id}  {item.purpose}{_standing(item)}  {item.title}" for item in waiting),
    )


def _standing(item: ProposalAnswer) -> str:
    if item.disposition == "pending":
        return ""
    return f", {item.disposition}" + (f" until {item.until}" if item.until else "")


def accept_delta(
    delta: Delta,
    choice: Annotated[int, typer.Option(min=0, max=3, help="0 as proposed, n for the n-th alternative.")] = 0,
) -> None:
    """Say yes to a proposal as it is shown now: one new revision."""
    here = studio()
    answer = accept(here, owner(here.desk.ledger_of(delta)), delta, choice)
    PRINTER.answer(answer, f"Revision {answer.revision}: {', '.join(answer.node_ids) or 'changed'}")


def reject(
    delta: Delta, reason: Annotated[str | None, typer.Option(help="Why, in your words.")] = None
) -> None:
    """Say no to a proposal."""
    here = studio()
    state, _record, seen = here.reviews.shown(delta)
    here.reviews.reject(owner(state.ledger), RejectDelta(delta, reason, seen))
    answer = delta_answer(here.desk.state(state.ledger), delta)
    PRINTER.answer(answer, f"Rejected {delta}")


def edit(
    delta: Delta,
    title: Annotated[str | None, typer.Option(help="The new title.")] = None,
    description: Annotated[str | None, typer.Option(help="The new description.")] = None,
    kind: Annotated[NodeKind | None, typer.Option(help="The new kind.")] = None,
    profile: Annotated[str | None, typer.Option(help="Delegation profile of a Task.")] = None,
) -> None:
    """Replace a proposal by your own wording, kind or profile."""
    if title is None and description is None and kind is None and profile is None:
        message = "name what to change: --title, --description, --kind or --profile"
        raise InvalidError(message)
    here = studio()
    state, record, seen = here.reviews.shown(delta)
    added = next((item for item in record.body.operations if isinstance(item, NodeAdd)), None)
    if added is None:
        message = "this proposal adds no node that could be edited"
        raise InvalidError(message)
    kept = None if added.description is None else added.description.or_erased()
    command = EditDelta(
        delta_id=delta,
        title=title or added.title.or_erased(),
        description=description if description is not None else kept,
        kind=kind or added.kind,
        seen=seen,
        profile_id=profile or added.profile_id,
    )
    replacement = here.reviews.edit(owner(state.ledger), command)
    answer = delta_answer(here.desk.state(state.ledger), replacement)
    PRINTER.answer(answer, f"Replaced by {replacement}")


def move(delta: Delta, to: Annotated[str, typer.Option("--to", help="Node to place it under.")]) -> None:
    """Replace a proposal by the same one under another node."""
    here = studio()
    state, _record, seen = here.reviews.shown(delta)
    replacement = here.reviews.move(owner(state.ledger), MoveDelta(delta, to, seen))
    answer = delta_answer(here.desk.state(state.ledger), replacement)
    PRINTER.answer(answer, f"Replaced by {replacement}")


def log(
    project: Annotated[
        str | None, typer.Option("--project", "-p", help="Project; the world ledger by default.")
    ] = None,
    before: Annotated[
        int | None, typer.Option(min=1, max=SEQ_MAX, help="Show events before this number.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000)] = 50,
) -> None:
    """List a ledger's events, newest first."""
    here = studio()
    ledger = project_id(project) if project else here.world_id
    page = here.desk.ledger.page(ledger, before, limit)
    is_imported = here.access.imported(ledger) is not None
    events = [item.event for item in page]
    answer = log_answer(ledger, here.desk.ledger.head(ledger).seq, events, is_imported=is_imported)
    PRINTER.answer(
        answer,
        *(f"{item.seq:>6}  {item.at}  {item.type:<26} {item.actor} via {item.via}" for item in answer.events),
    )
