"""Capture and placement: the words first, then the question, the exact answer, and what comes of it.

Order of writing: source and request in one append, then the call, then the exact answer, then the proposal or
the question. Killed at any point the words are kept, and what is durable is continued, never called again.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from app.ports import AnswerReader, Manager, Shelf
from app.services.desk import Caller, Desk
from app.services.sentences import cut
from kernel.commands import (
    AnswerExchange,
    CaptureSource,
    Command,
    FailExchange,
    MarkUnreadable,
    ProposePlacement,
    RetryPlacement,
)
from kernel.decide.drafts import SYSTEM
from kernel.decide.source import WordsAsked, words_asked, words_asked_again
from kernel.errors import (
    ConflictError,
    LedgerConflictError,
    LedgerUnavailableError,
    NotFoundError,
    RefusedError,
    StudioError,
)
from kernel.events.source import ExchangeRequested
from kernel.rules.source import applied
from kernel.state import ExchangeRecord, State, Tables, revision_key
from kernel.values.placement import Place, PlaceableNode, PlacementAnswer, PlacementRequest, SentQuestion
from kernel.vocabulary import Boundary, SourceKind, Via, Visibility

_SYSTEM: Final = Caller(SYSTEM, Via.WORKER)
KEPT_ONLY: Final = "Your words are kept; ask again. What came of the question could not be written"
"""What a person is told when the ledger did not take a step after the words; why stands in brackets after it."""
NO_READERS: Final[Mapping[str, AnswerReader]] = MappingProxyType({})
"""By a manager's mode, who reads its answers; without one, they have the product's own form."""


@dataclass(frozen=True, slots=True)
class Captured:
    """What a capture left: the kept words, and where their placement stands."""

    project_id: str
    source_id: str
    exchange_id: str
    delta_id: str | None
    question: str | None
    failure: str | None
    """Why there is neither proposal nor question yet; the words are kept and can be asked about again."""


@dataclass
class _Indexed:
    index: Shelf
    revision: int = -1
    lock: threading.Lock = field(default_factory=threading.Lock)


class Placements:
    """Captures words and asks the manager where they fit."""

    def __init__(
        self,
        desk: Desk,
        manager: Manager,
        built_in: Manager,
        readers: Mapping[str, AnswerReader] = NO_READERS,
    ) -> None:
        self.desk = desk
        self.manager = manager
        self.built_in = built_in
        """Who answers on this machine, whichever manager is active; asked by an explicit act only."""
        self._readers = readers
        self._indexes: dict[tuple[str, str], _Indexed] = {}
        self._guard = threading.Lock()

    def capture(
        self,
        ledger_id: str,
        caller: Caller,
        text: str,
        *,
        visibility: Visibility = Visibility.SHARED,
        selected_node_id: str | None = None,
        answers: str | None = None,
        kind: SourceKind = SourceKind.TEXT,
    ) -> Captured:
        """Keep the words, ask, keep the answer, propose.

        Raises: InvalidError for empty or overlong words; NotFoundError; AuthorityError.
        """
        plain = CaptureSource(text, kind, visibility, self.manager.facts.name, selected_node_id, answers)
        material = {
            "text": text,
            "kind": kind.value,
            "visibility": visibility.value,
            "selected": selected_node_id,
            "answers": answers,
        }

        def command(state: State) -> CaptureSource:
            words = words_asked(state, plain)
            return replace(plain, sent=self._sent(state, words, selected_node_id))

        return self._keep_and_ask(ledger_id, caller, command, material=material)

    def retry(self, ledger_id: str, caller: Caller, source_id: str) -> Captured:
        """Ask again about kept words, as a new attempt.

        Raises: NotFoundError when there is no such source.
        """

        def command(state: State) -> RetryPlacement:
            words = words_asked_again(state, source_id)
            selected = state.sources[source_id].body.selected_node_id
            sent = self._sent(state, words, selected)
            return RetryPlacement(source_id, self.manager.facts.name, sent)

        return self._keep_and_ask(ledger_id, caller, command, material={"retry": source_id})

    def ask_here(self, ledger_id: str, caller: Caller, source_id: str) -> Captured:
        """Ask the built-in manager about kept private words, while the active manager works outside.

        Only by this act: an outside manager that cannot be asked has no substitute. The exchange names who was asked.
        Raises: NotFoundError when there is no such source; RefusedError when the active manager may read the words.
        """

        def command(state: State) -> RetryPlacement:
            words_asked_again(state, source_id)
            is_private = state.sources[source_id].body.visibility is Visibility.PRIVATE
            if not (is_private and self.manager.facts.is_outside):
                message = (
                    "the active manager may read these words, so it is the one to ask; the built-in one is asked "
                    "about private words only, while the active one works outside"
                )
                raise RefusedError(message, code="not_private_outside")
            return RetryPlacement(source_id, self.built_in.facts.name, None)

        return self._keep_and_ask(ledger_id, caller, command, material={"ask_here": source_id})

    def _sent(self, state: State, words: WordsAsked, selected_node_id: str | None) -> SentQuestion | None:
        """Return what will leave this machine, for it to be durable before it does."""
        if not self.manager.facts.is_outside:
            return None
        with self._index(state) as shelf:
            sent = shelf.prepare(words.whole, words.visibility, selected_node_id)
        if sent is None:
            return None
        private = sum(
            node.visibility is Visibility.PRIVATE and node.retired_in is None
            for node in state.tables.nodes.rows()
        )
        return sent.model_copy(update={"withheld_private": private})

    def nearest(self, ledger_id: str, text: str) -> Place | None:
        """Return the shared place of a project whose words cover most of a text, by the words alone."""
        with self._index(self.desk.state(ledger_id)) as shelf:
            return shelf.nearest(text, Visibility.SHARED)

    def _keep_and_ask(
        self, ledger_id: str, caller: Caller, command: Callable[[State], Command], *, material: object
    ) -> Captured:
        """Make words and question durable in one append, then call; a repeated command calls nobody again."""
        done = self.desk.act(ledger_id, caller, command, material=material)
        requested = next(event.body for event in done.events if isinstance(event.body, ExchangeRequested))
        if done.repeated:
            return self.standing(ledger_id, requested.exchange_id)
        try:
            return self._ask(ledger_id, requested.exchange_id)
        except (LedgerConflictError, LedgerUnavailableError) as error:
            # The words are stored. "Not done" would have them written down twice, so the person hears what stands.
            return self._kept(ledger_id, requested, error)

    def _kept(self, ledger_id: str, requested: ExchangeRequested, error: StudioError) -> Captured:
        """Return where a placement stands whose later step could not be written, the database gone or not."""
        try:
            left = self.standing(ledger_id, requested.exchange_id)
        except LedgerUnavailableError:
            source_id = requested.source_id or requested.subject_id
            left = Captured(ledger_id, source_id, requested.exchange_id, None, None, "")
        if left.failure is None:
            return left
        return replace(left, failure=f"{KEPT_ONLY} ({error.message}).")

    def _ask(self, ledger_id: str, exchange_id: str) -> Captured:
        """Get the exact answer and keep it. The index is held while nodes are read, never during a long call."""
        state = self.desk.state(ledger_id)
        request = request_of(state.exchanges[exchange_id])
        try:
            with self._index(state, self._asked(request)) as shelf:
                call = shelf.begin(request)
            exact = call()
        except StudioError as error:
            failure = FailExchange(exchange_id, error.reason_code, cut(error.message))
            self.desk.act(ledger_id, _SYSTEM, failure)
            return self.standing(ledger_id, exchange_id)
        self.desk.act(ledger_id, _SYSTEM, AnswerExchange(exchange_id, exact))
        return self.interpret(ledger_id, exchange_id)

    def _asked(self, request: PlacementRequest) -> Manager:
        """Return whom a request names: the active manager, or the built-in one."""
        return self.built_in if request.manager == self.built_in.facts.name else self.manager

    def interpret(self, ledger_id: str, exchange_id: str) -> Captured:
        """Turn a durable answer into a proposal or a question, or record why it cannot be applied."""
        record = self.desk.state(ledger_id).exchanges[exchange_id]
        exact = None if record.response is None else record.response.text
        try:
            answer = self._read(request_of(record), exact or "")
            self.desk.act(ledger_id, _SYSTEM, ProposePlacement(exchange_id, answer))
        except (LedgerConflictError, LedgerUnavailableError):
            # The head kept moving or the disk is gone: the durable answer waits for the next start.
            raise
        except (RefusedError, ValueError) as error:
            code = error.reason_code if isinstance(error, RefusedError) else "answer_malformed"
            if not applied(self.desk.state(ledger_id), record):
                self.desk.act(ledger_id, _SYSTEM, MarkUnreadable(exchange_id, code, cut(str(error))))
        return self.standing(ledger_id, exchange_id)

    def _read(self, request: PlacementRequest, exact: str) -> PlacementAnswer:
        """Read an answer in the tongue of whom it came from, whichever manager is active now."""
        mode = request.manager.partition("/")[0]
        return self._readers.get(mode, read_plain)(request, exact)

    def standing(self, ledger_id: str, exchange_id: str) -> Captured:
        """Return where a placement stands."""
        state = self.desk.state(ledger_id)
        record = state.exchanges.get(exchange_id)
        if record is None or record.body.source_id is None:
            message = f"there is no placement {exchange_id}"
            raise NotFoundError(message)
        question = state.clarifications.get(exchange_id)
        asked = None if question is None else question.body.question.or_erased()
        delta_id = delta_from(state, record)
        failure = None if delta_id or question else failure_of(record)
        if state.sources[record.body.source_id].erased is not None:
            failure = "The words were erased; nothing is asked about them any more."
        return Captured(ledger_id, record.body.source_id, exchange_id, delta_id, asked, failure)

    def sent(self, ledger_id: str, exchange_id: str) -> SentQuestion | None:
        """Return what left this machine for an exchange, and what was withheld; for the owner alone."""
        record = self.desk.state(ledger_id).exchanges.get(exchange_id)
        if record is None or record.body.request.text is None:
            return None
        return request_of(record).sent

    def recover(self, ledger_id: str) -> int:
        """Continue every durable answer that led to nothing yet; return how many. Nothing is called again."""
        state = self.desk.state(ledger_id)
        waiting = [
            record.body.exchange_id
            for record in state.exchanges.rows()
            if record.body.boundary is Boundary.PLACEMENT
            and record.status == "answered"
            and not applied(state, record)
            and state.sources[record.body.subject_id].erased is None
        ]
        for exchange_id in waiting:
            self.interpret(ledger_id, exchange_id)
        return len(waiting)

    def _index(self, state: State, asked: Manager | None = None) -> "_Held":
        manager = asked or self.manager
        key = (state.ledger, manager.facts.name)
        with self._guard:
            entry = self._indexes.get(key)
            if entry is None:
                entry = self._indexes.setdefault(key, _Indexed(manager()))
        return _Held(entry, state)


def read_plain(_request: PlacementRequest, exact: str) -> PlacementAnswer:
    """Read the answer of a manager on this machine, which speaks the product's own form."""
    return PlacementAnswer.model_validate_json(exact)


class _Held:
    """The index of one ledger, brought up to the state and held while a manager reads it."""

    def __init__(self, entry: _Indexed, state: State) -> None:
        self._entry = entry
        self._state = state

    def __enter__(self) -> Shelf:
        self._entry.lock.acquire()
        if self._entry.revision < self._state.revision:
            for node_id in changed_nodes(self._state, self._entry.revision):
                _refresh(self._entry.index, self._state.tables, node_id)
            self._entry.revision = self._state.revision
        return self._entry.index

    def __exit__(self, *_exc: object) -> None:
        self._entry.lock.release()


def changed_nodes(state: State, since: int) -> Iterator[str]:
    """Yield ids of nodes that revisions after `since` touched, parents before children as accepted; -1 for all."""
    for number in range(since + 1, state.revision + 1):
        revision = state.revisions[revision_key(number)]
        if revision.delta_id is None:
            yield state.root_id
            continue
        for operation in state.deltas[revision.delta_id].operations:
            node_id = getattr(operation, "node_id", None) or getattr(operation, "from_id", None)
            if node_id is not None:
                yield node_id


def _refresh(index: Shelf, tables: Tables, node_id: str) -> None:
    node = tables.nodes[node_id]
    if node.retired_in is not None:
        index.remove(node_id)
        return
    description = "" if node.description is None else node.description.text or ""
    index.put(
        PlaceableNode(
            id=node.id,
            kind=node.kind,
            title=node.title.text or "",
            description=description,
            parent_id=tables.parent.get(node_id),
            visibility=node.visibility,
        )
    )


def request_of(record: ExchangeRecord) -> PlacementRequest:
    """Return the exact request of a placement exchange.

    Raises: ConflictError when its words were erased.
    """
    text = record.body.request.text
    if text is None:
        message = f"the words of exchange {record.body.exchange_id} were erased"
        raise ConflictError(message)
    return PlacementRequest.model_validate_json(text)


def delta_from(state: State, record: ExchangeRecord) -> str | None:
    """Return the proposal that came from a placement exchange, or None."""
    for item in state.followed_by.get(record.body.subject_id) or ():
        delta = state.deltas.get(item)
        if delta is not None and delta.body.exchange_id == record.body.exchange_id:
            return delta.body.delta_id
    return None


def failure_of(record: ExchangeRecord) -> str | None:
    """Return in a sentence why a placement led to nothing; None while it only just began."""
    if record.status == "requested":
        return "The manager's answer was not observed. Your words are kept; ask again."
    if record.status == "answered":
        return "The answer is kept and has not been read yet."
    detail = "" if record.detail is None else record.detail.or_erased()
    return f"{detail} Your words are kept; ask again.".strip()
