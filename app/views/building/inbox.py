"""Builds the Inbox: the queue of everything that waits, with at most one item open."""

from dataclasses import replace
from typing import Final

from app.views.building.proposal import proposal
from app.views.building.question import question
from app.views.inbox.page import InboxPage
from app.views.inbox.parts import Meanwhile, Queue, QueueGroup, QueueItem
from app.views.moments import moment
from app.views.opening import Opened
from app.views.parts import Link
from app.views.shell import Shell
from app.views.wording import Reading, capital, count, speaker
from kernel.errors import NotFoundError
from kernel.projections.acts import DECIDERS
from kernel.projections.deferred import deferred
from kernel.projections.inbox import Matter, Wait, Waiting, inbox, wait_of
from kernel.rules.dispositions import OPEN
from kernel.state import DeltaRecord, State
from kernel.vocabulary import Disposition

ITEMS_MAX: Final = 40
"""How many items one page of the queue has."""
ASIDE_MAX: Final = 20
"""How many put off ones stand under the queue."""
SENT_BACK: Final = "Sent back, for corrections"
_TITLE_SHOWN: Final = 140
_DECIDED: Final = {
    Disposition.ACCEPTED: "accepted",
    Disposition.REJECTED: "rejected",
    Disposition.SUPERSEDED: "replaced",
}
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


_NOTES_OF_READERS: Final = {
    Wait.QUESTION: "Needs one sentence from an owner or a reviewer,",
    Wait.AUTHORIZATION: "Needs an authorisation, since",
}
"""The same for somebody who may only read."""


def inbox_page(shell: Shell, reading: Reading, opened: Opened | None = None, *, start: int = 0) -> InboxPage:
    """Return the Inbox; `start` is the index of the first item of the queue.

    Raises: NotFoundError when the opened item is no proposal and no question of this project.
    """
    waiting = inbox(reading.state, reading.at)
    queue = _queue(reading, waiting, None if opened is None else opened.id, start)
    page = InboxPage(shell, queue, is_empty=not waiting and opened is None)
    if opened is None:
        return page
    page = replace(page, meanwhile_href=f"{reading.base}/inbox/{opened.id}?meanwhile=1")
    if opened.id in reading.state.deltas:
        return replace(page, proposal=proposal(reading, opened))
    if opened.id in reading.state.exchanges:
        return replace(page, question=question(reading, opened))
    message = f"nothing in this project is called {opened.id}"
    raise NotFoundError(message)


def first_to_open(state: State, at: str) -> str | None:
    """Return the first waiting item that the Inbox itself can open; a promotion is decided in its thread."""
    return next((item.id for item in inbox(state, at) if item.matter is not Matter.ARTIFACTS), None)


def decided_words(reading: Reading, item_id: str) -> str:
    """Return who decided a proposal, how and when, in sentences; empty while it is open."""
    told = _decision(reading, item_id)
    return f"{told} Your act changed nothing." if told else ""


def meanwhile(reading: Reading, item_id: str) -> Meanwhile | None:
    """Return what became of an item for somebody who still fills in a form of it; None while it waits."""
    told = _decision(reading, item_id)
    if not told:
        return None
    text = f"{told} What you typed is still here, and nothing waits for it any more."
    way = Link("See what became of it", f"{reading.base}/inbox/{item_id}", "arrow-right")
    return Meanwhile("Decided meanwhile", text, way)


def _decision(reading: Reading, item_id: str) -> str:
    question = reading.state.clarifications.get(item_id)
    answer = None if question is None else reading.state.sources.get(question.answer_source_id or "")
    if answer is not None:
        who = capital(speaker(answer.origin.actor, reading.names))
        return f"{who} answered this on {moment(answer.origin.at).text}."
    record = reading.state.deltas.get(item_id)
    if record is None or record.decided is None or record.disposition in OPEN:
        return ""
    who = capital(speaker(record.decided.actor, reading.names))
    made = f", as revision {record.revision}" if record.disposition is Disposition.ACCEPTED else ""
    word = _DECIDED[record.disposition]
    return f"{who} {word} this on {moment(record.decided.at).text}{made}."


def _queue(reading: Reading, waiting: tuple[Waiting, ...], open_id: str | None, start: int) -> Queue:
    at = next((index for index, item in enumerate(waiting) if item.id == open_id), None)
    if at is not None and not start <= at < start + ITEMS_MAX:
        start = at - at % ITEMS_MAX
    shown = waiting[start : start + ITEMS_MAX]
    returned = [item for item in shown if _sent_back(reading, item) is not None]
    parts = [
        (name, [item for item in shown if item.matter is matter and item not in returned])
        for matter, name in _MATTERS.items()
    ]
    groups = tuple(
        QueueGroup(name, tuple(_item(reading, item, open_id) for item in items))
        for name, items in (*parts, (SENT_BACK, returned))
        if items
    )
    number = len(waiting)
    href = f"{reading.base}/inbox"
    rest = number - start - len(shown)
    away = deferred(reading.state, reading.at)
    return Queue(
        title=f"{number} {'waits' if number == 1 else 'wait'} for a yes" if number else "Nothing waits",
        order="Highest risk first, then oldest." if number > 1 else "",
        groups=groups,
        back=f"All {number} waiting" if number else "Back to the Inbox",
        position=_position(reading, open_id, at, number),
        href=href,
        older=Link(f"Show {min(rest, ITEMS_MAX)} more", f"{href}?start={start + ITEMS_MAX}", "arrow-down")
        if rest > 0
        else None,
        aside=tuple(_put_off(reading, record, open_id) for record in away[:ASIDE_MAX]),
        aside_title=f"{len(away)} put off" if away else "",
        aside_more=f"and {len(away) - ASIDE_MAX} more, found by search" if len(away) > ASIDE_MAX else "",
    )


def _position(reading: Reading, open_id: str | None, at: int | None, number: int) -> str:
    if open_id is None:
        return ""
    if at is not None:
        return f"{at + 1} of {number}"
    record = reading.state.deltas.get(open_id)
    is_away = record is not None and record.disposition is Disposition.DEFERRED
    return "Put off" if is_away else "Decided"


def _put_off(reading: Reading, record: DeltaRecord, open_id: str | None) -> QueueItem:
    """Return a proposal that was put off, with the day on which it comes back."""
    kind, icon = _KINDS[wait_of(reading.state, record)]
    decided = record.origin if record.decided is None else record.decided
    note = "Waits until somebody looks for it, put off" if record.until is None else "Comes back"
    return QueueItem(
        href=f"{reading.base}/inbox/{record.body.delta_id}",
        icon=icon,
        kind=kind,
        title=_shown(record.body.title.or_erased()),
        note=note,
        when=moment(record.until or decided.at),
        is_open=record.body.delta_id == open_id,
    )


def _shown(text: str) -> str:
    title = " ".join(text.split())
    return title if len(title) <= _TITLE_SHOWN else f"{title[:_TITLE_SHOWN].rstrip()} …"


def _sent_back(reading: Reading, item: Waiting) -> DeltaRecord | None:
    record = reading.state.deltas.get(item.id)
    return record if record is not None and record.disposition is Disposition.REMANDED else None


def _item(reading: Reading, item: Waiting, open_id: str | None) -> QueueItem:
    kind, icon = _KINDS[item.wait]
    title = _shown(item.title)
    if item.matter is Matter.ARTIFACTS:
        title = f"Move the branch to “{title}”"
    return QueueItem(
        href=_href(reading, item),
        icon=icon,
        kind=kind,
        title=title,
        note=_note(reading, item),
        when=moment(item.since.at),
        is_open=item.id == open_id,
    )


def _href(reading: Reading, item: Waiting) -> str:
    if item.matter is Matter.ARTIFACTS:
        return f"{reading.base}/work/{item.node_id}"
    return f"{reading.base}/inbox/{item.id}"


def _note(reading: Reading, item: Waiting) -> str:
    returned = _sent_back(reading, item)
    if returned is not None:
        return f"Needs {count(len(returned.corrections), 'correction')}, suggested"
    if item.wait in _NOTES_OF_READERS and reading.role not in DECIDERS:
        return _NOTES_OF_READERS[item.wait]
    if item.wait in _NOTES:
        return _NOTES[item.wait]
    source = None if item.source_id is None else reading.state.sources.get(item.source_id)
    actor = item.since.actor if source is None else source.origin.actor
    name = speaker(actor, reading.names)
    tied = "Two places fit equally. " if item.is_tied else ""
    return capital(f"{tied}From {name},")
