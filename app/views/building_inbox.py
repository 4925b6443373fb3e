"""Builds the Inbox: the queue of everything that waits, with at most one item open."""

from typing import Final

from app.views.building_proposal import proposal
from app.views.building_question import question
from app.views.inbox import InboxPage
from app.views.inbox_parts import Queue, QueueGroup, QueueItem
from app.views.moments import moment
from app.views.opening import Opened
from app.views.parts import Link
from app.views.shell import Shell
from app.views.wording import Reading, capital, speaker
from kernel.errors import NotFoundError
from kernel.projections.inbox import Matter, Wait, Waiting, inbox
from kernel.state import State

ITEMS_MAX: Final = 40
"""How many items one page of the queue has."""
_TITLE_SHOWN: Final = 140
_MATTERS: Final = {
    Matter.ARTIFACTS: "Artifacts",
    Matter.EVIDENCE: "Evidence",
    Matter.MEANING: "Meaning",
}
_KINDS: Final = {
    Wait.PLACEMENT: ("Placement", "map-pin"),
    Wait.IMPORT: ("Outline", "upload"),
    Wait.CORRECTION: ("Change", "file-pen-line"),
    Wait.RECONCILIATION: ("Reconciliation", "clipboard-check"),
    Wait.QUESTION: ("Question", "message-circle-question-mark"),
    Wait.UNPLACED: ("Not placed yet", "clock-alert"),
    Wait.AUTHORIZATION: ("Promotion", "rocket"),
    Wait.OPERATOR: ("Promotion", "rocket"),
    Wait.OUTCOME: ("Promotion", "triangle-alert"),
}
_NOTES: Final = {
    Wait.RECONCILIATION: "Compiled from recorded results,",
    Wait.QUESTION: "Needs one sentence from you,",
    Wait.AUTHORIZATION: "Needs your authorisation, since",
    Wait.OPERATOR: "Needs an operator, since",
    Wait.OUTCOME: "Its outcome was not observed, since",
}


def inbox_page(shell: Shell, reading: Reading, opened: Opened | None = None, *, start: int = 0) -> InboxPage:
    """Return the Inbox; `start` is the index of the first item of the queue.

    Raises: NotFoundError when the opened item is no proposal and no question of this project.
    """
    waiting = inbox(reading.state, reading.at)
    queue = _queue(reading, waiting, None if opened is None else opened.id, start)
    page = InboxPage(shell, queue, is_empty=not waiting and opened is None)
    if opened is None:
        return page
    if opened.id in reading.state.deltas:
        return InboxPage(shell, queue, is_empty=False, proposal=proposal(reading, opened))
    if opened.id in reading.state.exchanges:
        return InboxPage(shell, queue, is_empty=False, question=question(reading, opened))
    message = f"nothing in this project is called {opened.id}"
    raise NotFoundError(message)


def first_to_open(state: State, at: str) -> str | None:
    """Return the first waiting item that the Inbox itself can open; a promotion is decided in its thread."""
    return next((item.id for item in inbox(state, at) if item.matter is not Matter.ARTIFACTS), None)


def _queue(reading: Reading, waiting: tuple[Waiting, ...], open_id: str | None, start: int) -> Queue:
    at = next((index for index, item in enumerate(waiting) if item.id == open_id), None)
    if at is not None and not start <= at < start + ITEMS_MAX:
        start = at - at % ITEMS_MAX
    shown = waiting[start : start + ITEMS_MAX]
    groups = tuple(
        QueueGroup(name, tuple(_item(reading, item, open_id) for item in shown if item.matter is matter))
        for matter, name in _MATTERS.items()
        if any(item.matter is matter for item in shown)
    )
    number = len(waiting)
    href = f"{reading.base}/inbox"
    rest = number - start - len(shown)
    return Queue(
        title=f"{number} {'waits' if number == 1 else 'wait'} for a yes" if number else "Nothing waits",
        order="Highest risk first, then oldest." if number > 1 else "",
        groups=groups,
        back=f"All {number} waiting" if number else "Back to the Inbox",
        position=("" if open_id is None else "Decided" if at is None else f"{at + 1} of {number}"),
        href=href,
        older=Link(f"Show {min(rest, ITEMS_MAX)} more", f"{href}?start={start + ITEMS_MAX}", "arrow-down")
        if rest > 0
        else None,
    )


def _item(reading: Reading, item: Waiting, open_id: str | None) -> QueueItem:
    kind, icon = _KINDS[item.wait]
    title = " ".join(item.title.split())
    if item.matter is Matter.ARTIFACTS:
        title = f"Move the branch to “{title}”"
    return QueueItem(
        href=_href(reading, item),
        icon=icon,
        kind=kind,
        title=title if len(title) <= _TITLE_SHOWN else f"{title[:_TITLE_SHOWN].rstrip()} …",
        note=_note(reading, item),
        when=moment(item.since.at),
        is_open=item.id == open_id,
    )


def _href(reading: Reading, item: Waiting) -> str:
    if item.matter is Matter.ARTIFACTS:
        return f"{reading.base}/work/{item.node_id}"
    return f"{reading.base}/inbox/{item.id}"


def _note(reading: Reading, item: Waiting) -> str:
    if item.wait in _NOTES:
        return _NOTES[item.wait]
    source = None if item.source_id is None else reading.state.sources.get(item.source_id)
    actor = item.since.actor if source is None else source.origin.actor
    name = speaker(actor, reading.names)
    tied = "Two places fit equally. " if item.is_tied else ""
    return capital(f"{tied}From {name},")
