"""Projects, captures and placements."""

from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from app.routes.api.contract import (
    NOT_MODIFIED,
    Body,
    Description,
    ExchangeId,
    Key,
    NodeId,
    Nothing,
    ProjectPath,
    SourcePath,
    Title,
    Words,
    set_tag,
    tag_by_head,
    take_capture,
)
from app.routes.visiting import ApiVisitor
from app.services.capture import Captured
from app.services.intake import NAME_CHARS_MAX, file_words
from app.views.answers.answering import capture_answer, outline_answer, project_answer, waiting_proposals
from app.views.answers.erasing import erase_answer
from app.views.answers.focusing import FocusAnswer, focus_answer
from app.views.answers.records import (
    Answer,
    CaptureAnswer,
    EraseAnswer,
    ImportAnswer,
    OutlineAnswer,
    ProjectAnswer,
    ProposalAnswer,
)
from kernel.state import State
from kernel.vocabulary import SourceKind, Visibility

router: Final = APIRouter(tags=["projects"])


class NewProject(Body):
    """A project to open."""

    title: Title
    description: Description | None = None


class NewImport(Body):
    """An outline to propose."""

    text: Words
    """Markdown: headings and nested lists, with optional kinds such as [Goal]."""
    under_node_id: NodeId | None = None
    """The root when null."""


class NewFile(Body):
    """A file whose text is kept; its name stands in the words, because nothing else records it."""

    name: Annotated[str, Field(min_length=1, max_length=NAME_CHARS_MAX)]
    text: Words


class NewPlacement(Body):
    """A further question about kept words."""

    on_this_machine: bool = False
    """Ask the built-in manager: about private words only, while the active manager works outside."""


class NewSource(Body):
    """Words to keep and to place."""

    text: Words
    private: bool = False
    """True: stays on this machine."""
    selected_node_id: NodeId | None = None
    """The node in view: a hint, never the answer."""
    answers_exchange_id: ExchangeId | None = None
    """The question these words answer."""
    file: NewFile | None = None
    """A text file; `text` goes before it and may then be one blank."""


class ProjectsAnswer(Answer):
    """The projects one may read, the latest change first."""

    projects: tuple[ProjectAnswer, ...]
    damaged: tuple[str, ...]
    """Ids of those that cannot be read: their stored history is not the one that was signed."""


class ProposalsAnswer(Answer):
    """What waits for a yes, oldest first."""

    project_id: str
    proposals: tuple[ProposalAnswer, ...]


@router.get("/projects", responses=NOT_MODIFIED)
def list_projects(request: Request, response: Response, visitor: ApiVisitor) -> ProjectsAnswer:
    """List the projects one may read."""
    seen = visitor.studio.projects.seen_by(visitor.person.id)
    damaged = visitor.studio.projects.unreadable(visitor.person.id)
    heads = (*(f"{state.ledger}-{state.seq}" for state in seen), *damaged)
    set_tag(request, response, '"' + ".".join(heads) + '"')
    now = visitor.studio.clock.now()
    return ProjectsAnswer(projects=tuple(project_answer(state, now) for state in seen), damaged=damaged)


@router.post("/projects", status_code=201)
def open_project(body: NewProject, visitor: ApiVisitor, key: Key) -> ProjectAnswer:
    """Open a project."""
    studio = visitor.studio
    caller = visitor.caller(studio.world_id, key)
    opened = studio.projects.open(caller, body.title, body.description)
    return project_answer(visitor.state(opened))


@router.get("/projects/{project_id}", responses=NOT_MODIFIED)
def read_project(
    project_id: ProjectPath, request: Request, response: Response, visitor: ApiVisitor
) -> ProjectAnswer:
    """Return a project."""
    state = visitor.project(project_id)
    tag_by_head(request, response, visitor, state)
    return project_answer(state)


@router.get("/projects/{project_id}/outline", responses=NOT_MODIFIED)
def read_outline(
    project_id: ProjectPath, request: Request, response: Response, visitor: ApiVisitor
) -> OutlineAnswer:
    """Return the whole outline, with what is only suggested beside it."""
    state = visitor.project(project_id)
    tag_by_head(request, response, visitor, state)
    return outline_answer(state)


@router.get("/projects/{project_id}/focus", responses=NOT_MODIFIED)
def read_focus(
    project_id: ProjectPath,
    request: Request,
    response: Response,
    visitor: ApiVisitor,
    node_id: Annotated[NodeId | None, Query()] = None,
) -> FocusAnswer:
    """Return one node in focus; the latest added one when none is named."""
    state = visitor.project(project_id)
    tag_by_head(request, response, visitor, state)
    return focus_answer(state, node_id)


@router.get("/projects/{project_id}/proposals", responses=NOT_MODIFIED)
def list_proposals(
    project_id: ProjectPath,
    request: Request,
    response: Response,
    visitor: ApiVisitor,
    *,
    deferred: Annotated[bool, Query()] = False,
) -> ProposalsAnswer:
    """List what waits for a yes; with `deferred` also what was put off to another day."""
    state = visitor.project(project_id)
    waiting = waiting_proposals(state, visitor.studio.clock.now(), every=deferred)
    # What was deferred comes back by itself, without the head moving.
    tag_by_head(request, response, visitor, state, part=f"-{len(waiting)}")
    return ProposalsAnswer(project_id=state.ledger, proposals=waiting)


@router.post("/projects/{project_id}/import-outline", status_code=201)
def import_outline(project_id: ProjectPath, body: NewImport, visitor: ApiVisitor, key: Key) -> ImportAnswer:
    """Propose all headings and list items of an outline as one change."""
    caller = visitor.caller(visitor.project(project_id).ledger, key)
    done = visitor.studio.projects.import_outline(project_id, caller, body.text, body.under_node_id)
    return ImportAnswer(
        project_id=project_id,
        source_id=done.source_id,
        delta_id=done.delta_id,
        nodes=done.nodes,
        notes=done.notes,
    )


@router.post("/projects/{project_id}/sources", status_code=201)
def capture(
    request: Request, project_id: ProjectPath, body: NewSource, visitor: ApiVisitor, key: Key
) -> CaptureAnswer:
    """Keep words and propose where they fit. Nothing changes until somebody accepts it."""
    caller = visitor.caller(visitor.project(project_id).ledger, key)
    take_capture(request, visitor)
    text, kind = _words_of(body)
    done = visitor.studio.placements.capture(
        project_id,
        caller,
        text,
        visibility=Visibility.PRIVATE if body.private else Visibility.SHARED,
        selected_node_id=body.selected_node_id,
        answers=body.answers_exchange_id,
        kind=kind,
    )
    return captured(visitor.state(project_id), done)


def _words_of(body: NewSource) -> tuple[str, SourceKind]:
    """Return the words to keep and where they came from. Raises: InvalidError when the file is no text."""
    if body.file is None:
        return body.text, SourceKind.TEXT
    words = file_words(body.file.name, body.file.text.encode("utf-8", "surrogatepass"))
    return words.after(body.text), SourceKind.FILE


@router.post("/sources/{source_id}/placements", status_code=201)
def retry_placement(
    request: Request, source_id: SourcePath, body: NewPlacement, visitor: ApiVisitor, key: Key
) -> CaptureAnswer:
    """Ask again where kept words fit."""
    ledger_id = visitor.state_of(source_id).ledger
    caller = visitor.caller(ledger_id, key)
    take_capture(request, visitor)
    placements = visitor.studio.placements
    ask = placements.ask_here if body.on_this_machine else placements.retry
    done = ask(ledger_id, caller, source_id)
    return captured(visitor.state(ledger_id), done)


@router.post("/sources/{source_id}/erasure")
def erase(source_id: SourcePath, body: Nothing, visitor: ApiVisitor, key: Key) -> EraseAnswer:
    """Destroy the words of a capture for good. What was accepted stays; the answer lists it."""
    del body
    ledger_id = visitor.state_of(source_id).ledger
    done = visitor.studio.erasures.erase(ledger_id, visitor.caller(ledger_id, key), source_id)
    return erase_answer(ledger_id, done.source_ids, done.left, closed=done.closed, is_folded=done.is_folded)


def captured(state: State, done: Captured) -> CaptureAnswer:
    """Return a capture and where its placement stands."""
    return capture_answer(
        state, done.source_id, done.exchange_id, delta_id=done.delta_id, failure=done.failure
    )
