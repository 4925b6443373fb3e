"""Builds the World page and the capture boxes from state. Pure: no clock, no service."""

from collections import Counter
from textwrap import shorten

from app.views.answers.answering import node_ref, project_answer, proposed
from app.views.building.elsewhere import pointing
from app.views.capture import BetterPlace, CaptureBox, CaptureResult
from app.views.moments import moment
from app.views.parts import Binding, KindMark, Link, NodeLink, Option, Refusal
from app.views.wording import Reading, capital, kind_in_words, number_word, quote
from app.views.world import ProjectCard
from kernel.projections.doubles import doubles
from kernel.projections.inbox import waiting_number
from kernel.projections.shape import shape_of
from kernel.state import State, revision_key
from kernel.values.placement import ManagerFacts
from kernel.vocabulary import Disposition, NodeKind, PromotionStatus, RunStatus

_NAME_MAX = 48
"""Characters of a project's name on a button."""
_OVER = frozenset({RunStatus.RETURNED, RunStatus.FAILED, RunStatus.CANCELLED, RunStatus.OUTCOME_UNKNOWN})


def waiting_count(state: State, at: str) -> int:
    """Return how many things wait in a project, the same number everywhere."""
    return waiting_number(state, at)


def waiting_words(count: int) -> str:
    """Return how many things wait, in words."""
    if not count:
        return "Nothing waits"
    return f"{count} {'waits' if count == 1 else 'wait'} for a yes"


def apart(states: tuple[State, ...]) -> dict[str, str]:
    """Return what tells projects of one title apart, by their ids; empty for a title that only one has."""
    titles = Counter(project_answer(state).title for state in states)
    return {
        state.ledger: f"opened {moment(_opened_at(state)).day}, id ends in {state.ledger[-4:].upper()}"
        if titles[project_answer(state).title] > 1
        else ""
        for state in states
    }


def project_names(states: tuple[State, ...]) -> dict[str, str]:
    """Return the titles of projects by their ids, each told apart from others of the same title."""
    told = apart(states)
    return {
        state.ledger: f"{title} ({state.ledger[-4:].upper()}, {moment(_opened_at(state)).day})"
        if told[state.ledger]
        else title
        for state in states
        for title in (project_answer(state).title,)
    }


def _opened_at(state: State) -> str:
    return state.revisions[revision_key(0)].origin.at


def project_card(state: State, at: str, told: str = "") -> ProjectCard:
    """Return a project with what waits in it; `told` tells it from others of its title."""
    waiting = waiting_count(state, at)
    root = state.tables.nodes[state.root_id]
    return ProjectCard(
        title=project_answer(state).title,
        href=f"/p/{state.ledger}/inbox",
        about="" if root.description is None else root.description.or_erased(),
        waiting=waiting_words(waiting),
        work=work_words(state),
        revision=f"Revision {state.revision},",
        changed=moment(state.revisions[revision_key(state.revision)].origin.at),
        is_waiting=waiting > 0,
        apart=capital(told),
    )


def work_words(state: State) -> str:
    """Return what is being done and what was done in a project: completed tasks, and what is known of them."""
    working = sum(run.status not in _OVER for run in state.runs.rows())
    shape = shape_of(state)
    promoted = sum(item.status is PromotionStatus.PROMOTED for item in state.promotions.rows())
    counted = (
        (working, "in work"),
        (shape.completed, "completed"),
        (shape.verified, "verified"),
        (promoted, "promoted"),
    )
    return ", ".join(f"{number} {word}" for number, word in counted if number) or "No work"


def closed_words(states: tuple[State, ...], *, is_imported: bool = False) -> str:
    """Return in a sentence why a person who may read these projects may not write in any of them."""
    if not states:
        return "You have no project yet. Whoever owns one can give you a role in it."
    if is_imported:
        return "This is an imported copy: it is here to be read, and nobody writes in it."
    if all(state.archived is not None for state in states):
        return "This is put away: it can be read, and written in once it is restored."
    what, whose = ("this project", "Its owner and its reviewers write in it.")
    if len(states) > 1:
        what, whose = ("these projects", "Their owners and reviewers write in them.")
    return f"You read {what}. {whose}"


def world_summary(states: tuple[State, ...], at: str) -> str:
    """Return the sentence under the title."""
    waiting = sum(waiting_count(state, at) for state in states)
    projects = f"{number_word(len(states))} {'project' if len(states) == 1 else 'projects'}."
    if not waiting:
        return f"{projects} Nothing waits for a yes."
    return f"{projects} {waiting} thing{'s wait' if waiting > 1 else ' waits'} for a yes."


def review_link(states: tuple[State, ...], at: str) -> Link | None:
    """Return the way to the project in which most waits, or None."""
    if not states:
        return None
    fullest = max(states, key=lambda state: waiting_count(state, at))
    count = waiting_count(fullest, at)
    if not count:
        return None
    where = project_names(states)[fullest.ledger] if len(states) > 1 else ""
    said = f"Review {count} in {shorten(where, _NAME_MAX, placeholder=' …')}" if where else f"Review {count}"
    return Link(said, f"/p/{fullest.ledger}/inbox", "inbox")


def project_options(states: tuple[State, ...], chosen: str = "") -> tuple[Option, ...]:
    """Return projects as the entries of a select; the first one when none is chosen."""
    wanted = chosen or (states[0].ledger if states else "")
    return tuple(Option(key, name, is_chosen=key == wanted) for key, name in project_names(states).items())


def manager_words(facts: ManagerFacts) -> str:
    """Return whom a captured text would go to, in words."""
    if facts.mode == "local" and not facts.problem:
        what = f"rules, and the sentence model {facts.model}" if facts.model else "rules, no model"
        return f"the built-in manager on this machine ({what})"
    if facts.mode == "scripted" and not facts.problem:
        return "the scripted manager on this machine (prepared answers, for tests and demonstrations)"
    if facts.problem:
        return "nobody: the manager that is configured cannot be asked, as Settings says"
    return f"the model {facts.model} at {facts.host}, outside this program, with the titles around its place"


def private_words(facts: ManagerFacts) -> str:
    """Return what Private changes about who is asked, in a sentence; empty when nobody outside is."""
    return "With it, that model is not asked either: nothing is sent." if facts.is_outside else ""


def capture_box(state: State, binding: Binding, manager: ManagerFacts, selected_id: str = "") -> CaptureBox:
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
        private_note=private_words(manager),
        selected=selected,
        selected_id="" if node is None else node.id,
        has_focus=True,
    )


def capture_result(
    reading: Reading, source_id: str, exchange_id: str, delta_id: str | None = None
) -> CaptureResult:
    """Return what became of a capture: placed, asked about, or only kept so far."""
    state = reading.state
    words = quote(
        state.sources[source_id], reading.names, whole=f"{reading.base}/inbox/{exchange_id}?words=all"
    )
    inbox_href = f"{reading.base}/inbox"
    if delta_id is not None:
        link = Link("Review the suggestion", f"{inbox_href}/{delta_id}", "map-pin")
        return CaptureResult(words, "Placed for your review", _placed(state, delta_id), link)
    href = f"{inbox_href}/{exchange_id}"
    if exchange_id in state.clarifications:
        text = "Your words are kept. Nothing in this project fits them yet, so there is a question to you."
        link = Link("Answer the question", href, "message-circle-question-mark")
        return CaptureResult(words, "One question first", text, link)
    text = "Your words are kept. There is no suggestion yet; the Inbox says why and asks again."
    return CaptureResult(words, "Kept, not placed yet", text, Link("See what happened", href, "inbox"))


def _placed(state: State, delta_id: str) -> str:
    record = state.deltas[delta_id]
    if record.disposition is not Disposition.PENDING:
        return "It was decided since then."
    found = proposed(state, record)
    if found is None or found.parent is None:
        return "It is suggested in the Inbox. Nothing changes until you accept it."
    kind = kind_in_words(NodeKind(found.kind))
    twice = "".join(f" {words}." for words in doubles(state, record))
    return f"Suggested as {kind} under {found.parent.title}. Nothing changes until you accept it.{twice}"


def better_place(
    title: str, words: tuple[str, ...], *, here: str, there: str, exchange_id: str, bound: Binding
) -> BetterPlace:
    """Return the offer to capture words of the project `here` in `there`, which speaks of them more clearly."""
    return BetterPlace(
        text=pointing(title, words),
        action=f"/p/{here}/capture/elsewhere",
        binding=Binding(command_id=bound.command_id),
        project_id=there,
        exchange_id=exchange_id,
        button="Capture it there",
    )


def damage(project_id: str) -> Refusal:
    """Return that a project cannot be shown, and the way out."""
    return Refusal(
        f"The project {project_id} cannot be shown",
        "Its stored history is not the one that was signed. `odeu verify` says where; restore it from a backup.",
    )
