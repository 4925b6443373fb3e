"""Builds the World page and the capture boxes from state. Pure: no clock, no service."""

from app.views.answering import node_ref, project_answer
from app.views.capture import CaptureBox, CaptureResult
from app.views.moments import moment
from app.views.parts import Binding, KindMark, Link, NodeLink, Option, Quote, QuotePiece
from app.views.world import ProjectCard
from kernel.state import State, revision_key
from kernel.vocabulary import RunStatus, Visibility

_OVER = frozenset({RunStatus.RETURNED, RunStatus.FAILED, RunStatus.CANCELLED, RunStatus.OUTCOME_UNKNOWN})


def waiting_words(count: int) -> str:
    """Return how many things wait, in words."""
    return f"{count} waiting" if count else "Nothing waits"


def project_card(state: State) -> ProjectCard:
    """Return a project with what waits in it."""
    waiting = len(state.open_deltas)
    working = sum(run.status not in _OVER for run in state.runs.rows())
    root = state.tables.nodes[state.root_id]
    return ProjectCard(
        title=project_answer(state).title,
        href=f"/p/{state.ledger}/inbox",
        about="" if root.description is None else root.description.or_erased(),
        waiting=waiting_words(waiting),
        work=f"{working} in work" if working else "No work",
        revision=f"Revision {state.revision},",
        changed=moment(state.revisions[revision_key(state.revision)].origin.at),
        is_waiting=waiting > 0,
    )


def world_summary(states: tuple[State, ...]) -> str:
    """Return the sentence under the title."""
    waiting = sum(len(state.open_deltas) for state in states)
    projects = "One project." if len(states) == 1 else f"{len(states)} projects."
    if not waiting:
        return f"{projects} Nothing waits for a yes."
    return f"{projects} {waiting} thing{'s wait' if waiting > 1 else ' waits'} for a yes."


def review_link(states: tuple[State, ...]) -> Link | None:
    """Return the way to the project in which most waits, or None."""
    if not states:
        return None
    fullest = max(states, key=lambda state: len(state.open_deltas))
    count = len(fullest.open_deltas)
    return Link(f"Review {count} waiting", f"/p/{fullest.ledger}/inbox", "inbox") if count else None


def project_options(states: tuple[State, ...], chosen: str = "") -> tuple[Option, ...]:
    """Return projects as the entries of a select; the first one when none is chosen."""
    wanted = chosen or (states[0].ledger if states else "")
    return tuple(
        Option(state.ledger, project_answer(state).title, is_chosen=state.ledger == wanted)
        for state in states
    )


def manager_words(name: str) -> str:
    """Return whom a captured text would go to, in words."""
    if name.startswith("local"):
        return "the built-in manager on this machine (rules, no model)"
    return name


def capture_box(state: State, binding: Binding, manager: str, selected_id: str = "") -> CaptureBox:
    """Return the empty capture box of a project; a selected node that does not exist is left out."""
    node = state.tables.nodes.get(selected_id) if selected_id else None
    selected = None
    if node is not None:
        href = f"/p/{state.ledger}/outline?node={node.id}"
        selected = NodeLink(node_ref(state.tables, node.id).title, href, KindMark.of(node.kind))
    return CaptureBox(
        action=f"/p/{state.ledger}/capture",
        binding=Binding(command_id=binding.command_id),
        label="What is on your mind?",
        button="Capture",
        manager=manager_words(manager),
        selected=selected,
        selected_id="" if node is None else node.id,
    )


def capture_result(state: State, source_id: str, delta_id: str | None, question: str | None) -> CaptureResult:
    """Return what became of a capture."""
    source = state.sources[source_id]
    quote = Quote(
        (QuotePiece(source.body.content.or_erased()),),
        f"{source.origin.actor.id} wrote this",
        moment(source.origin.at),
        is_private=source.body.visibility is Visibility.PRIVATE,
    )
    inbox = f"/p/{state.ledger}/inbox"
    if delta_id is not None:
        text = "It is suggested in the Inbox. Nothing changes until you accept it."
        link = Link("Review the suggestion", f"{inbox}/{delta_id}", "map-pin")
        return CaptureResult(quote, "Placed for your review", text, link)
    if question is not None:
        text = "Your words are kept. Nothing in this project fits them yet, so there is a question to you."
        link = Link("Answer the question", inbox, "message-circle-question-mark")
        return CaptureResult(quote, "One question first", text, link)
    text = "Your words are kept. There is no suggestion yet; the Inbox says why and asks again."
    return CaptureResult(quote, "Kept, not placed yet", text, Link("Open the Inbox", inbox, "inbox"))
