"""Rules for captures and for crossing boundaries."""

from collections.abc import Callable
from typing import Final

from kernel.canonical import digest
from kernel.errors import AuthorityError, InvalidError, LifecycleError, NotFoundError, RefusedError
from kernel.events.envelope import Event
from kernel.events.source import (
    ExchangeAnswered,
    ExchangeFailed,
    ExchangeRequested,
    ExchangeUnreadable,
    SourceCaptured,
    SourceErased,
)
from kernel.ids import is_id
from kernel.rules.delegation import check_claim, check_validation_request
from kernel.rules.limits import EXCHANGE_BYTES_MAX, REASON_BYTES_MAX, SOURCE_BYTES_MAX
from kernel.rules.promotion import check_promotion_request
from kernel.rules.registry import admits
from kernel.rules.text import require_bytes, require_code
from kernel.state import ExchangeRecord, State
from kernel.values.placement import PlacementRequest, SentQuestion
from kernel.vocabulary import Boundary, Role, Visibility

REQUEST_DOMAIN: Final = "odeu.exchange-request.v1"
RESPONSE_DOMAIN: Final = "odeu.exchange-response.v1"


@admits(SourceCaptured)
def source_captured(state: State, body: SourceCaptured, _event: Event) -> None:
    """The words are new, not empty, within bounds, and the selected node exists."""
    if not is_id(body.source_id, "source") or body.source_id in state.sources:
        message = f"source id {body.source_id!r} is malformed or already used"
        raise InvalidError(message)
    require_bytes(body.content, SOURCE_BYTES_MAX, "text")
    text = body.content.text
    if text is not None and not text.strip():
        message = "there is nothing to capture: the text is empty"
        raise InvalidError(message)
    if text is not None and len(text.encode("utf-8")) != body.size_bytes:
        message = "the recorded size is not that of the text"
        raise InvalidError(message)
    selected = body.selected_node_id
    if selected is not None and selected not in state.tables.nodes:
        message = f"the selected node {selected} does not exist"
        raise NotFoundError(message)


@admits(SourceErased)
def source_erased(state: State, body: SourceErased, event: Event) -> None:
    """By its own author or an owner, once, after every answer that repeats the words and every open proposal."""
    record = state.sources.get(body.source_id)
    if record is None:
        message = f"there is no source {body.source_id}"
        raise NotFoundError(message)
    if record.erased is not None:
        message = f"the words of source {body.source_id} are already erased"
        raise LifecycleError(message, code="source_erased")
    if event.actor.role is not Role.OWNER and event.actor.id != record.origin.actor.id:
        message = "words are erased by who captured them, or by an owner"
        raise AuthorityError(message)
    repeated = [item for item in answers_to(state, body.source_id) if state.sources[item].erased is None]
    if repeated:
        message = f"the answer {repeated[0]} was asked about together with these words; it is erased first"
        raise LifecycleError(message)
    waiting = open_proposals_of(state, body.source_id)
    if waiting:
        message = f"the proposal {waiting[0]} still waits, and would have no words; it is closed first"
        raise LifecycleError(message)


def answers_to(state: State, source_id: str) -> tuple[str, ...]:
    """Return the captures that answer a question about this one: what they asked the manager repeats its words."""
    followers = state.followed_by.get(source_id) or ()
    return tuple(item for item in followers if item in state.sources)


def open_proposals_of(state: State, source_id: str) -> tuple[str, ...]:
    """Return the proposals from this capture that wait for a person, in order."""
    followers = state.followed_by.get(source_id) or ()
    return tuple(item for item in followers if item in state.open_deltas)


@admits(ExchangeRequested)
def exchange_requested(state: State, body: ExchangeRequested, event: Event) -> None:
    """The subject may cross this boundary now, as attempt n after n - 1 ended attempts."""
    if not is_id(body.exchange_id, "exchange") or body.exchange_id in state.exchanges:
        message = f"exchange id {body.exchange_id!r} is malformed or already used"
        raise InvalidError(message)
    require_bytes(body.request, EXCHANGE_BYTES_MAX, "request")
    _require_digest(REQUEST_DOMAIN, body.request.text, body.request_digest)
    _SUBJECT_RULES[body.boundary](state, body, event)
    earlier = exchanges_of(state, body.subject_id, body.boundary)
    if body.attempt != len(earlier) + 1:
        message = f"this is attempt {len(earlier) + 1} of {body.subject_id}, not {body.attempt}"
        raise LifecycleError(message)
    if earlier and earlier[-1].status == "requested" and body.boundary is not Boundary.PLACEMENT:
        message = f"attempt {len(earlier)} of {body.subject_id} has no observed outcome yet"
        raise LifecycleError(message)


def exchanges_of(state: State, subject_id: str, boundary: Boundary) -> tuple[ExchangeRecord, ...]:
    """Return the subject's exchanges at one boundary, in order."""
    records = (state.exchanges.get(item) for item in state.followed_by.get(subject_id) or ())
    return tuple(record for record in records if record is not None and record.body.boundary is boundary)


def _require_digest(domain: str, text: str | None, expected: str) -> None:
    if text is not None and digest(domain, text.encode("utf-8")) != expected:
        message = "the recorded digest is not that of the exact text"
        raise InvalidError(message)


def _check_placement(state: State, body: ExchangeRequested, _event: Event) -> None:
    if body.subject_id not in state.sources or body.source_id != body.subject_id:
        message = f"there is no source {body.subject_id} to place"
        raise NotFoundError(message)
    sent = _sent_in(body)
    if sent is not None:
        _require_shared(state, sent, body.subject_id)


def _sent_in(body: ExchangeRequested) -> SentQuestion | None:
    """Return what leaves this machine with a placement request, or None; erased words left long ago."""
    if body.request.text is None:
        return None
    try:
        return PlacementRequest.model_validate_json(body.request.text).sent
    except ValueError as error:
        message = f"the request of exchange {body.exchange_id} cannot be read"
        raise InvalidError(message) from error


def _require_shared(state: State, sent: SentQuestion, source_id: str) -> None:
    """Refuse to let a private word or node out, whoever built the question."""
    if state.sources[source_id].body.visibility is Visibility.PRIVATE:
        message = "private words never go to a manager outside this machine"
        raise AuthorityError(message, code="private_not_sent")
    for node_id in (*sent.places, *sent.others):
        node = state.tables.nodes.get(node_id)
        if node is None or node.visibility is Visibility.PRIVATE:
            message = "a question for a manager outside this machine names only nodes that are shared"
            raise AuthorityError(message, code="private_not_sent")


_SUBJECT_RULES: Final[dict[Boundary, Callable[[State, ExchangeRequested, Event], None]]] = {
    Boundary.PLACEMENT: _check_placement,
    Boundary.RUN: check_claim,
    Boundary.VALIDATION: check_validation_request,
    Boundary.PROMOTION: check_promotion_request,
}


def _open_exchange(state: State, exchange_id: str, source_id: str | None) -> ExchangeRecord:
    record = state.exchanges.get(exchange_id)
    if record is None:
        message = f"there is no exchange {exchange_id}"
        raise NotFoundError(message)
    if record.body.source_id != source_id:
        message = f"exchange {exchange_id} is about another source"
        raise InvalidError(message)
    return record


@admits(ExchangeAnswered)
def exchange_answered(state: State, body: ExchangeAnswered, _event: Event) -> None:
    """Exactly one answer, to an exchange that waits for it."""
    record = _open_exchange(state, body.exchange_id, body.source_id)
    if record.status != "requested":
        message = f"exchange {body.exchange_id} already ended as {record.status}"
        raise LifecycleError(message)
    require_bytes(body.response, EXCHANGE_BYTES_MAX, "response")
    _require_digest(RESPONSE_DOMAIN, body.response.text, body.response_digest)


@admits(ExchangeFailed)
def exchange_failed(state: State, body: ExchangeFailed, _event: Event) -> None:
    """Only an exchange without an answer can fail."""
    record = _open_exchange(state, body.exchange_id, body.source_id)
    if record.status != "requested":
        message = f"exchange {body.exchange_id} already ended as {record.status}"
        raise LifecycleError(message)
    require_code(body.code)
    require_bytes(body.detail, REASON_BYTES_MAX, "detail")


@admits(ExchangeUnreadable)
def exchange_unreadable(state: State, body: ExchangeUnreadable, _event: Event) -> None:
    """Only a durable answer can be unreadable, and only if nothing came from it."""
    record = _open_exchange(state, body.exchange_id, body.source_id)
    if record.status != "answered":
        message = f"exchange {body.exchange_id} holds no answer that could be unreadable"
        raise LifecycleError(message)
    if applied(state, record):
        message = f"the answer of exchange {body.exchange_id} was already applied"
        raise RefusedError(message)
    require_code(body.code)
    require_bytes(body.detail, REASON_BYTES_MAX, "detail")


def applied(state: State, record: ExchangeRecord) -> bool:
    """Tell whether something already came from the answer.

    For a placement a proposal or a question, for a run its end, for a validation its record, for a promotion
    its outcome.
    """
    exchange_id, subject_id = record.body.exchange_id, record.body.subject_id
    if record.body.boundary is Boundary.RUN:
        return state.runs[subject_id].ended is not None
    if record.body.boundary is Boundary.PROMOTION:
        return state.promotions[subject_id].ended is not None
    followers = state.followed_by.get(subject_id) or ()
    if record.body.boundary is Boundary.VALIDATION:
        found = (state.validations.get(item) for item in followers)
        return any(item is not None and item.body.exchange_id == exchange_id for item in found)
    if exchange_id in state.clarifications:
        return True
    deltas = (state.deltas.get(item) for item in followers)
    return any(delta is not None and delta.body.exchange_id == exchange_id for delta in deltas)
