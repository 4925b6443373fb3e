"""What a ledger forgets when a capture is erased: every text under the capture's data key, in every record.

The commitments stay, so that records compare and prove as before. Accepted words have keys of their own and are
not touched, although a proposal may have said the same.
"""

from dataclasses import replace
from typing import Any, TypeVar

from kernel.state import Origin, Revision, State, changed, revision_key
from kernel.table import Table
from kernel.values.recorded import Recorded
from kernel.values.words import Words

R = TypeVar("R", bound=Recorded)


def forgotten(state: State, source_id: str, origin: Origin) -> State:
    """Return the state without the texts of this capture, its exchanges, its proposals and its questions."""
    source = state.sources[source_id]
    exchanges, deltas, questions = state.exchanges, state.deltas, state.clarifications
    for item in state.followed_by.get(source_id) or ():
        exchange, delta = exchanges.get(item), deltas.get(item)
        if exchange is not None and exchange.body.source_id == source_id:
            exchange = replace(
                exchange,
                body=without_texts(exchange.body),
                response=_closed(exchange.response),
                detail=_closed(exchange.detail),
            )
            exchanges = exchanges.put(item, exchange)
            question = questions.get(item)
            if question is not None:
                questions = questions.put(item, replace(question, body=without_texts(question.body)))
        if delta is not None and delta.body.source_ids[:1] == (source_id,):
            deltas = deltas.put(item, replace(delta, body=without_texts(delta.body)))
    record = replace(source, body=without_texts(source.body), erased=origin)
    state = changed(state, exchanges=exchanges, deltas=deltas, clarifications=questions)
    return _unforeseen(changed(state, sources=state.sources.put(source_id, record)))


def _unforeseen(state: State) -> State:
    """Return the state without what was worked out for an acceptance that may never come."""
    tables = state.tables.having()
    key = revision_key(state.revision)
    latest = state.revisions.get(key)
    revisions: Table[Revision] = state.revisions
    if latest is not None:
        revisions = revisions.put(key, replace(latest, tables=tables.kept()))
    return changed(state, tables=tables, revisions=revisions)


def without_texts(record: R) -> R:
    """Return the same record with every text in it known by its commitment alone."""
    update = {name: _without(getattr(record, name)) for name in type(record).model_fields}
    return record.model_copy(update=update)


def _without(value: Any) -> Any:  # noqa: ANN401 - any field of a record
    if isinstance(value, Words):
        return _closed(value)
    if isinstance(value, Recorded):
        return without_texts(value)
    if isinstance(value, tuple):
        return tuple(_without(item) for item in value)
    return value


def _closed(words: Words | None) -> Words | None:
    return None if words is None else Words(words.commitment)
