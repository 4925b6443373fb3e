"""Decisions about captures and exchanges."""

from dataclasses import dataclass

from kernel.canonical import canonical_bytes, digest
from kernel.commands import (
    AnswerExchange,
    CaptureSource,
    EraseSource,
    FailExchange,
    MarkUnreadable,
    RequestExchange,
    RetryPlacement,
)
from kernel.decide.drafts import SYSTEM, Draft
from kernel.errors import NotFoundError, StaleError
from kernel.events.delta import ClarificationAnswered, DeltaRejected
from kernel.events.source import (
    ExchangeAnswered,
    ExchangeFailed,
    ExchangeRequested,
    ExchangeUnreadable,
    SourceCaptured,
    SourceErased,
)
from kernel.rules.source import (
    REQUEST_DOMAIN,
    RESPONSE_DOMAIN,
    answers_to,
    exchanges_of,
    open_proposals_of,
)
from kernel.state import ExchangeRecord, State
from kernel.values.placement import PlacementRequest, SentQuestion
from kernel.values.stamp import Stamp
from kernel.vocabulary import ActorKind, Boundary, Visibility


def capture_source(state: State, command: CaptureSource, stamp: Stamp) -> tuple[Draft, ...]:
    """Keep the words and, in the same append, the exact question to the manager.

    An answer to a manager's question is read together with what was asked about, and is private when that is.
    What is captured in view of a private node is private too.
    """
    source_id = stamp.id("source")
    words = words_asked(state, command)
    source = SourceCaptured(
        source_id=source_id,
        kind=command.kind,
        content=stamp.words(command.text, "content"),
        size_bytes=len(command.text.encode("utf-8")),
        visibility=words.visibility,
        selected_node_id=command.selected_node_id,
    )
    drafts = [Draft(source)]
    if command.answers is not None:
        drafts.append(Draft(ClarificationAnswered(exchange_id=command.answers, answer_source_id=source_id)))
    asked = _Asked(words, command.manager, command.sent, attempt=1)
    return (*drafts, Draft(_placement_request(state, stamp, source, asked), SYSTEM))


@dataclass(frozen=True, slots=True)
class WordsAsked:
    """What a manager reads for a capture: the words, what was answered to questions about them, and how widely."""

    text: str
    answers: tuple[str, ...]
    visibility: Visibility

    @property
    def whole(self) -> str:
        """All the words, one after the other: what may help to find a place."""
        return "\n\n".join((self.text, *self.answers))


def words_asked(state: State, command: CaptureSource) -> WordsAsked:
    """Return the words a manager reads for a capture, and how widely: an answer stands beside its whole thread.

    Raises: NotFoundError when it answers no readable question.
    """
    if command.answers is None:
        widely = visibility_under(state, command.selected_node_id or "", command.visibility)
        return WordsAsked(command.text, (), widely)
    thread = _thread(state, command.answers)
    is_private = Visibility.PRIVATE in {command.visibility, thread.visibility}
    widely = Visibility.PRIVATE if is_private else Visibility.SHARED
    return WordsAsked(thread.text, (*thread.answers, command.text), widely)


def _thread(state: State, exchange_id: str) -> PlacementRequest:
    """Return the request a question came from: it holds all the words of the thread so far."""
    record = state.exchanges.get(exchange_id)
    if exchange_id not in state.clarifications or record is None:
        message = f"there is no question {exchange_id}"
        raise NotFoundError(message)
    if record.body.request.text is None:
        message = f"the words that question {exchange_id} is about were erased"
        raise NotFoundError(message)
    return PlacementRequest.model_validate_json(record.body.request.text)


@dataclass(frozen=True, slots=True)
class _Asked:
    """One attempt: what a manager reads, which one, and what leaves this machine for it."""

    words: WordsAsked
    manager: str
    sent: SentQuestion | None
    attempt: int


def _placement_request(
    state: State, stamp: Stamp, source: SourceCaptured, asked: _Asked
) -> ExchangeRequested:
    exchange_id = stamp.id("exchange")
    request = PlacementRequest(
        exchange_id=exchange_id,
        source_id=source.source_id,
        base_revision=state.revision,
        manager=asked.manager,
        text=asked.words.text,
        visibility=source.visibility,
        selected_node_id=source.selected_node_id,
        sent=asked.sent,
        answers=asked.words.answers,
    )
    exact = canonical_bytes(request.recorded())
    return ExchangeRequested(
        exchange_id=exchange_id,
        boundary=Boundary.PLACEMENT,
        subject_id=source.source_id,
        source_id=source.source_id,
        attempt=asked.attempt,
        request=stamp.words(exact.decode(), "request"),
        request_digest=digest(REQUEST_DOMAIN, exact),
    )


def retry_placement(state: State, command: RetryPlacement, stamp: Stamp) -> tuple[Draft, ...]:
    """Ask again about the kept words, under the next attempt number.

    Raises: NotFoundError when there is no such source or its words were erased.
    """
    words = words_asked_again(state, command.source_id)
    attempt = len(exchanges_of(state, command.source_id, Boundary.PLACEMENT)) + 1
    asked = _Asked(words, command.manager, command.sent, attempt)
    return (Draft(_placement_request(state, stamp, state.sources[command.source_id].body, asked), SYSTEM),)


def words_asked_again(state: State, source_id: str) -> WordsAsked:
    """Return the words a manager reads when it is asked again: those of the attempt before, thread and all.

    Raises: NotFoundError when there is no such source or its words were erased.
    """
    record = state.sources.get(source_id)
    if record is None or record.body.content.text is None:
        message = f"there are no words of source {source_id} to place"
        raise NotFoundError(message)
    earlier = exchanges_of(state, source_id, Boundary.PLACEMENT)
    exact = earlier[-1].body.request.text if earlier else None
    if exact is None:
        return WordsAsked(record.body.content.text, (), record.body.visibility)
    request = PlacementRequest.model_validate_json(exact)
    return WordsAsked(request.text, request.answers, record.body.visibility)


def thread_of(state: State, source_id: str) -> tuple[str, ...]:
    """Return the captures a placement came from: the first words, then the answers about them, this one last."""
    before = {
        record.answer_source_id: record.body.source_id
        for record in state.clarifications.rows()
        if record.answer_source_id is not None
    }
    found = [source_id]
    while found[0] in before:
        found.insert(0, before[found[0]])
    return tuple(found)


def erase_source(state: State, command: EraseSource, _stamp: Stamp) -> tuple[Draft, ...]:
    """Close what waits on these words, and erase them after every answer that repeats them, deepest first.

    Raises: NotFoundError when there is no such source.
    """
    if command.source_id not in state.sources:
        message = f"there is no source {command.source_id}"
        raise NotFoundError(message)
    drafts: list[Draft] = []
    closed: set[str] = set()
    for source_id in erased_together(state, command.source_id):
        for delta_id in open_proposals_of(state, source_id):
            if delta_id not in closed:
                closed.add(delta_id)
                drafts.append(Draft(DeltaRejected(delta_id=delta_id)))
        drafts.append(Draft(SourceErased(source_id=source_id)))
    return tuple(drafts)


def erased_together(state: State, source_id: str) -> tuple[str, ...]:
    """Return the captures whose words go with this one's: unerased answers in its thread first, itself last."""
    found: list[str] = []
    for answer_id in answers_to(state, source_id):
        if state.sources[answer_id].erased is None:
            found.extend(item for item in erased_together(state, answer_id) if item not in found)
    return (*found, source_id)


def request_exchange(state: State, command: RequestExchange, stamp: Stamp) -> tuple[Draft, ...]:
    """Make the request durable; for a promotion it is the operator's own event.

    Raises: StaleError when a run's target ref was observed somewhere else than the run's base.
    """
    boundary = Boundary(command.boundary)
    run = state.runs.get(command.subject_id)
    if run is not None and command.base_commit != run.body.base_commit:
        message = f"the target ref moved away from {run.body.base_commit[:12]} before run {command.subject_id} began"
        raise StaleError(message)
    exact = command.request.encode("utf-8")
    body = ExchangeRequested(
        exchange_id=stamp.id("exchange"),
        boundary=boundary,
        subject_id=command.subject_id,
        attempt=len(exchanges_of(state, command.subject_id, boundary)) + 1,
        request=stamp.words(command.request, "request"),
        request_digest=digest(REQUEST_DOMAIN, exact),
    )
    own = boundary is Boundary.PROMOTION and stamp.actor.kind is ActorKind.OPERATOR
    return (Draft(body, None if own else SYSTEM),)


def _exchange(state: State, exchange_id: str) -> ExchangeRecord:
    record = state.exchanges.get(exchange_id)
    if record is None:
        message = f"there is no exchange {exchange_id}"
        raise NotFoundError(message)
    return record


def answer_exchange(state: State, command: AnswerExchange, stamp: Stamp) -> tuple[Draft, ...]:
    """Keep the exact answer."""
    record = _exchange(state, command.exchange_id)
    body = ExchangeAnswered(
        exchange_id=command.exchange_id,
        source_id=record.body.source_id,
        response=stamp.words(command.response, "response"),
        response_digest=digest(RESPONSE_DOMAIN, command.response.encode("utf-8")),
    )
    return (Draft(body, SYSTEM),)


def fail_exchange(state: State, command: FailExchange, stamp: Stamp) -> tuple[Draft, ...]:
    """Keep how the call failed."""
    record = _exchange(state, command.exchange_id)
    body = ExchangeFailed(
        exchange_id=command.exchange_id,
        source_id=record.body.source_id,
        code=command.code,
        detail=stamp.words(command.detail, "detail"),
    )
    return (Draft(body, SYSTEM),)


def mark_unreadable(state: State, command: MarkUnreadable, stamp: Stamp) -> tuple[Draft, ...]:
    """Keep why the answer could not be applied."""
    record = _exchange(state, command.exchange_id)
    body = ExchangeUnreadable(
        exchange_id=command.exchange_id,
        source_id=record.body.source_id,
        code=command.code,
        detail=stamp.words(command.detail, "detail"),
    )
    return (Draft(body, SYSTEM),)


def visibility_under(state: State, parent_id: str, wished: Visibility) -> Visibility:
    """Return the visibility a new node gets: private under a private parent, else as wished."""
    parent = state.tables.nodes.get(parent_id)
    if parent is not None and parent.visibility is Visibility.PRIVATE:
        return Visibility.PRIVATE
    return wished
