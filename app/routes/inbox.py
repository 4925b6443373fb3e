"""The Inbox: one thing open at a time, and its acts as plain forms.

Every act is checked against the same typed set its page offered, then carried out with what the person saw. A
refusal shows the same item again with its reason and with what was typed.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import RedirectResponse, Response

from app.routes.offering import fits_better
from app.routes.reading import kept, offer, opened, reading
from app.routes.shelling import Place, page_response, refused, see_other, shell_for
from app.routes.visiting import PageVisitor, Posted, PostedForm, ProblemError, Visitor
from app.services.capture import Captured, delta_from
from app.services.desk import Caller
from app.services.elsewhere import capture_elsewhere
from app.services.moments import day_of, zone_of
from app.views.building.aside import ROWS
from app.views.building.elsewhere import elsewhere
from app.views.building.inbox import decided_words, first_to_open, inbox_page
from app.views.building.inbox import meanwhile as told_meanwhile
from app.views.inbox.page import InboxPage
from app.views.opening import Opened
from kernel.commands import (
    AcceptDelta,
    DeferDelta,
    EditDelta,
    MoveDelta,
    Part,
    RebaseDelta,
    RejectDelta,
    RemandDelta,
    SplitDelta,
)
from kernel.errors import InvalidError, LifecycleError, NotFoundError, StudioError
from kernel.projections.acts import Act
from kernel.rules.dispositions import OPEN
from kernel.rules.limits import ALTERNATIVES_MAX
from kernel.rules.seen import delta_seen
from kernel.state import State
from kernel.values.records import Node
from kernel.vocabulary import Disposition, NodeKind, Visibility

router: Final = APIRouter(include_in_schema=False, prefix="/p/{project_id}/inbox")

_TEMPLATE: Final = "inbox/page.html"
_OPENS: Final = frozenset({"edit", "move", "reject", "defer", "remand", "split", "rebase"})

Start = Annotated[int, Query(ge=0, le=100_000)]
Text = Annotated[str, Query(max_length=200)]
Choice = Annotated[int, Query(ge=0, le=ALTERNATIVES_MAX)]


def _respond(
    request: Request,
    visitor: Visitor,
    state: State,
    item: Opened | None,
    *,
    status: int = 200,
    start: int = 0,
    is_chosen: bool = True,
) -> Response:
    here = f"/p/{state.ledger}/inbox" + ("" if item is None else f"/{item.id}")
    if item is not None and item.refusal is None:
        fields = {"act": item.act, "q": item.query, "choice": str(item.choice or "")}
        asked = urlencode({name: value for name, value in fields.items() if value})
        here = f"{here}?{asked}" if asked else here
    shell = shell_for(request, visitor, Place("Inbox", here, project=state))
    seen = reading(visitor, state)
    page = replace(inbox_page(shell, seen, item, start=start), is_chosen=is_chosen)
    if item is not None and item.refusal is None:
        page = _with_elsewhere(visitor, state, page, item)
    if item is not None and item.is_asking:
        page = replace(page, meanwhile=told_meanwhile(seen, item.id))
    return page_response(request, _TEMPLATE, page, status)


def _with_elsewhere(visitor: Visitor, state: State, page: InboxPage, item: Opened) -> InboxPage:
    """Return the page with the offer of another project, while its words wait and this visitor writes in both."""
    record = state.deltas.get(item.id)
    exchange_id = item.id if record is None else record.body.exchange_id
    is_waiting = not item.act and (record is None or record.disposition in OPEN)
    found = fits_better(visitor, state, exchange_id) if exchange_id and is_waiting else None
    if found is None:
        return page
    seen = "" if record is None else delta_seen(state, record)
    offer = elsewhere(
        found.title,
        found.words,
        item=f"/p/{state.ledger}/inbox/{item.id}",
        project_id=found.project_id,
        bound=item.binding(seen=seen),
        is_proposal=record is not None,
    )
    if page.proposal is not None:
        return replace(page, proposal=replace(page.proposal, elsewhere=offer))
    if page.question is not None:
        return replace(page, question=replace(page.question, elsewhere=offer))
    return page


@router.get("")
def inbox(project_id: str, request: Request, visitor: PageVisitor, start: Start = 0) -> Response:
    """Show everything that waits, with the first of it open where there is room beside the queue."""
    state = visitor.project(project_id)
    first = None if start else first_to_open(state, visitor.studio.clock.now())
    item = None if first is None else opened(visitor, first)
    return _respond(request, visitor, state, item, start=start, is_chosen=False)


@router.get("/{item_id}")
def open_item(
    project_id: str,
    item_id: str,
    request: Request,
    visitor: PageVisitor,
    *,
    act: Text = "",
    q: Text = "",
    words: Text = "",
    choice: Choice = 0,
    meanwhile: Text = "",
) -> Response:
    """Open one thing that waits, with one choice of it, or read what became of it.

    What was replaced leads to its replacement; but `meanwhile` asks of the item itself what became of it.
    """
    state = visitor.project(project_id)
    replacement = None if meanwhile else _replacement(state, item_id)
    if replacement is not None:
        return RedirectResponse(f"/p/{project_id}/inbox/{replacement}", 303)
    item = opened(visitor, item_id, act=act if act in _OPENS else "", query=q, whole=words == "all")
    item = replace(item, choice=choice, is_asking=bool(meanwhile))
    return _respond(request, visitor, state, item)


def _replacement(state: State, item_id: str) -> str | None:
    """Return the proposal that an attempt led to, or that took the place of another; None for the item itself."""
    exchange = state.exchanges.get(item_id)
    found = None if exchange is None else delta_from(state, exchange)
    record = state.deltas.get(found or item_id)
    while record is not None and record.disposition is Disposition.SUPERSEDED:
        found = record.replacement_id
        record = state.deltas.get(found or "")
    return found


def _item(visitor: Visitor, project_id: str, item_id: str) -> State:
    """Return the project, when the item is one of its own.

    Raises: NotFoundError.
    """
    state = visitor.project(project_id)
    if item_id not in state.deltas and item_id not in state.exchanges:
        message = f"nothing in this project is called {item_id:.64}"
        raise NotFoundError(message)
    return state


def _offered(visitor: Visitor, state: State, item_id: str, act: Act) -> None:
    """Refuse what the page would not offer; what is decided already goes on, since it may be the same act again.

    The service knows a repeated command from a late one. Raises: AuthorityError; LifecycleError.
    """
    record = state.deltas.get(item_id)
    question = state.clarifications.get(item_id)
    is_over = record is not None and record.disposition not in OPEN
    is_answered = question is not None and question.answer_source_id is not None
    if not is_over and not is_answered:
        offer(visitor, state, item_id, act)


@dataclass(frozen=True, slots=True)
class _Sent:
    """One act on one item, as it was sent."""

    request: Request
    visitor: Visitor
    project_id: str
    item_id: str
    form: Posted

    def refused(self, error: StudioError, what: str, act: str = "") -> Response:
        """Show the item again, with the form of the act when it has one."""
        status, refusal = refused(error, what)
        state = self.visitor.project(self.project_id)
        told = decided_words(reading(self.visitor, state), self.item_id)
        if told and isinstance(error, LifecycleError):
            refusal = replace(refusal, text=told)
        again = kept(self.visitor, self.item_id, act, form=self.form, refusal=refusal)
        again = replace(again, choice=_shown_choice(self.form))
        return _respond(self.request, self.visitor, state, again, status=status)

    def goes_to(self, item_id: str, said: str) -> Response:
        """Lead to an item of the Inbox."""
        return see_other(f"/p/{self.project_id}/inbox/{item_id}", said)


def _shown_choice(form: Posted) -> int:
    """Return the choice that a refused form was about, so that exactly it is shown again."""
    choices = {str(number): number for number in range(ALTERNATIVES_MAX + 1)}
    return choices.get(form.text("choice"), 0)


def _sent(project_id: str, item_id: str, request: Request, visitor: PageVisitor, form: PostedForm) -> _Sent:
    _item(visitor, project_id, item_id)
    return _Sent(request, visitor, project_id, item_id, form)


Sent = Annotated[_Sent, Depends(_sent)]


@router.post("/{item_id}/accept")
def accept(sent: Sent) -> Response:
    """Say yes to exactly what was shown: one new revision."""
    form, visitor = sent.form, sent.visitor
    try:
        _offered(visitor, visitor.project(sent.project_id), sent.item_id, Act.ACCEPT)
        choice = form.number("choice") if form.text("choice") else 0
        command = AcceptDelta(sent.item_id, choice, form.number("expected_revision"), form.text("seen"))
        done = visitor.studio.reviews.accept(visitor.caller(sent.project_id, form.key), command)
    except StudioError as error:
        return sent.refused(error, "Not accepted")
    return sent.goes_to(visitor.known_as(sent.project_id, done.delta_id), "accepted")


@router.post("/{item_id}/reject")
def reject(sent: Sent) -> Response:
    """Say no, with a reason if there is one."""
    form, visitor = sent.form, sent.visitor
    try:
        _offered(visitor, visitor.project(sent.project_id), sent.item_id, Act.REJECT)
        command = RejectDelta(sent.item_id, form.optional("reason"), form.text("seen"))
        visitor.studio.reviews.reject(visitor.caller(sent.project_id, form.key), command)
    except StudioError as error:
        return sent.refused(error, "Not rejected", "reject")
    return sent.goes_to(sent.item_id, "rejected")


@router.post("/{item_id}/edit")
def edit(sent: Sent) -> Response:
    """Replace a placement by one's own wording, kind and profile; it waits again."""
    form, visitor = sent.form, sent.visitor
    try:
        _offered(visitor, visitor.project(sent.project_id), sent.item_id, Act.EDIT)
        kind = _kind(form)
        command = EditDelta(
            delta_id=sent.item_id,
            title=form.text("title").strip(),
            description=form.optional("description"),
            kind=kind,
            seen=form.text("seen"),
            profile_id=form.optional("profile") if kind is NodeKind.TASK else None,
        )
        replacement = visitor.studio.reviews.edit(visitor.caller(sent.project_id, form.key), command)
    except StudioError as error:
        return sent.refused(error, "Not replaced", "edit")
    return sent.goes_to(replacement, "edited")


def _kind(form: Posted, name: str = "kind") -> NodeKind:
    try:
        return NodeKind(form.text(name))
    except ValueError as error:
        message = "choose one of the kinds"
        raise InvalidError(message) from error


@router.post("/{item_id}/move")
def move(sent: Sent) -> Response:
    """Replace a placement by the same one under another node; it waits again."""
    form, visitor = sent.form, sent.visitor
    try:
        _offered(visitor, visitor.project(sent.project_id), sent.item_id, Act.MOVE)
        command = MoveDelta(sent.item_id, form.text("parent_id"), form.text("seen"))
        replacement = visitor.studio.reviews.move(visitor.caller(sent.project_id, form.key), command)
    except StudioError as error:
        return sent.refused(error, "Not moved", "move")
    return sent.goes_to(replacement, "moved")


@router.post("/{item_id}/defer")
def defer(sent: Sent) -> Response:
    """Decide on another day."""
    form, visitor = sent.form, sent.visitor
    try:
        _offered(visitor, visitor.project(sent.project_id), sent.item_id, Act.DEFER)
        day = form.optional("until")
        until = None if day is None else day_of(day, zone_of(form.text("zone")))
        command = DeferDelta(sent.item_id, until, form.optional("reason"), form.text("seen"))
        visitor.studio.reviews.defer(visitor.caller(sent.project_id, form.key), command)
    except StudioError as error:
        return sent.refused(error, "Not deferred", "defer")
    return sent.goes_to(sent.item_id, "deferred")


@router.post("/{item_id}/remand")
def remand(sent: Sent) -> Response:
    """Send it back with what has to be put right, one correction a line."""
    form, visitor = sent.form, sent.visitor
    try:
        _offered(visitor, visitor.project(sent.project_id), sent.item_id, Act.REMAND)
        lines = tuple(line.strip() for line in form.text("corrections").split("\n") if line.strip())
        command = RemandDelta(sent.item_id, form.text("reason").strip(), lines, form.text("seen"))
        visitor.studio.reviews.remand(visitor.caller(sent.project_id, form.key), command)
    except StudioError as error:
        return sent.refused(error, "Not sent back", "remand")
    return sent.goes_to(sent.item_id, "remanded")


@router.post("/{item_id}/rebase")
def rebase(sent: Sent) -> Response:
    """Renew it about the newest revision, for another look."""
    form, visitor = sent.form, sent.visitor
    try:
        _offered(visitor, visitor.project(sent.project_id), sent.item_id, Act.REBASE)
        command = RebaseDelta(sent.item_id, form.text("seen"))
        replacement = visitor.studio.reviews.rebase(visitor.caller(sent.project_id, form.key), command)
    except StudioError as error:
        return sent.refused(error, "Not renewed", "rebase")
    return sent.goes_to(replacement, "renewed")


@router.post("/{item_id}/split")
def split(sent: Sent) -> Response:
    """Replace it by its parts; rows without a title are left out."""
    form, visitor = sent.form, sent.visitor
    try:
        _offered(visitor, visitor.project(sent.project_id), sent.item_id, Act.SPLIT)
        parts = tuple(
            _part(form, number) for number in range(1, ROWS + 1) if form.optional(f"title_{number}")
        )
        command = SplitDelta(sent.item_id, parts, form.text("seen"))
        replacements = visitor.studio.reviews.split(visitor.caller(sent.project_id, form.key), command)
    except StudioError as error:
        return sent.refused(error, "Not split", "split")
    return sent.goes_to(replacements[0], "split")


def _part(form: Posted, number: int) -> Part:
    title = form.text(f"title_{number}").strip()
    return Part(_kind(form, f"kind_{number}"), title, form.text(f"parent_{number}"))


@router.post("/{item_id}/answer")
def answer(sent: Sent) -> Response:
    """Answer a question in one's own words or by naming a place; the words are placed again."""
    form, visitor = sent.form, sent.visitor
    state = visitor.project(sent.project_id)
    try:
        _offered(visitor, state, sent.item_id, Act.ANSWER)
        place = state.tables.nodes.get(form.text("parent_id"))
        text = _answering_words(form.text("text"), place)
        _check_rate(sent)
        done = visitor.studio.placements.capture(
            sent.project_id,
            visitor.caller(sent.project_id, form.key),
            text,
            visibility=_visibility(state, sent.item_id),
            selected_node_id=None if place is None else place.id,
            answers=sent.item_id,
        )
    except StudioError as error:
        return sent.refused(error, "Not answered")
    return sent.goes_to(done.delta_id or done.exchange_id, "captured")


def _answering_words(typed: str, place: Node | None) -> str:
    """Return what answers a question: the typed words, else the title of the chosen place. Raises: InvalidError."""
    text = typed.strip() or ("" if place is None else place.title.or_erased())
    if not text:
        message = "choose a place or say in a sentence where it belongs"
        raise InvalidError(message)
    return text


def _visibility(state: State, exchange_id: str) -> Visibility:
    """Return the visibility of what was asked about: an answer continues the same thread."""
    source_id = state.exchanges[exchange_id].body.source_id
    source = state.sources.get(source_id or "")
    return Visibility.SHARED if source is None else source.body.visibility


@router.post("/{item_id}/again")
def ask_again(sent: Sent) -> Response:
    """Ask once more where kept words fit."""
    return _ask(sent, sent.visitor.studio.placements.retry)


@router.post("/{item_id}/here")
def ask_here(sent: Sent) -> Response:
    """Ask the built-in manager about private words, which the active one outside may not read."""
    return _ask(sent, sent.visitor.studio.placements.ask_here)


@router.post("/{item_id}/elsewhere")
def take_elsewhere(sent: Sent) -> Response:
    """Capture the words in another project, and reject the suggestion that they would belong here.

    Two ledgers, two acts: the words are safe over there before anything is decided here, and no ledger names the other.
    """
    form, visitor, told = sent.form, sent.visitor, "Not moved"
    is_proposal = sent.item_id in visitor.project(sent.project_id).deltas
    try:
        done = _captured_there(sent, is_proposal=is_proposal)
        if is_proposal:
            told = "Captured there, not rejected here"
            command = RejectDelta(sent.item_id, None, form.text("seen"))
            visitor.studio.reviews.reject(visitor.caller(sent.project_id, form.key), command)
    except StudioError as error:
        return sent.refused(error, told)
    return see_other(f"/p/{done.project_id}/inbox/{done.delta_id or done.exchange_id}", "captured")


def _captured_there(sent: _Sent, *, is_proposal: bool) -> Captured:
    """Capture the words of an item in the project that the form names. Raises: StudioError."""
    form, visitor = sent.form, sent.visitor
    state, target = visitor.project(sent.project_id), visitor.project(form.text("project"))
    if target.ledger == state.ledger:
        message = "choose another project than this one"
        raise InvalidError(message)
    exchange_id = sent.item_id
    if is_proposal:
        _offered(visitor, state, sent.item_id, Act.REJECT)
        exchange_id = state.deltas[sent.item_id].body.exchange_id or ""
    _check_rate(sent)
    caller = visitor.caller(target.ledger, form.key)
    placements = visitor.studio.placements
    return capture_elsewhere(placements, state, exchange_id, project_id=target.ledger, caller=caller)


def _ask(sent: _Sent, ask: Callable[[str, Caller, str], Captured]) -> Response:
    form, visitor = sent.form, sent.visitor
    state = visitor.project(sent.project_id)
    try:
        offer(visitor, state, sent.item_id, Act.ASK_AGAIN)
        _check_rate(sent)
        source_id = state.exchanges[sent.item_id].body.subject_id
        caller = visitor.caller(sent.project_id, form.key)
        done = ask(sent.project_id, caller, source_id)
    except StudioError as error:
        return sent.refused(error, "Not asked")
    return sent.goes_to(done.delta_id or done.exchange_id, "captured")


def _check_rate(sent: _Sent) -> None:
    problem = sent.request.app.state.capture_rate.problem(sent.visitor.person.id)
    if problem is not None:
        raise ProblemError(problem)
