"""What a ledger remembers of proposals, decisions on them, and questions."""

from dataclasses import replace

from kernel.events.delta import (
    ClarificationAnswered,
    ClarificationAsked,
    DeltaAccepted,
    DeltaDeferred,
    DeltaProposed,
    DeltaRejected,
    DeltaRemanded,
    DeltaSplit,
    DeltaSuperseded,
)
from kernel.reducer.operations import Acceptance, apply
from kernel.reducer.registry import evolves
from kernel.reducer.source import follow, placed
from kernel.state import (
    ClarificationRecord,
    DeltaRecord,
    Origin,
    Revision,
    State,
    begun,
    changed,
    revision_key,
)
from kernel.vocabulary import Disposition, Purpose


@evolves(DeltaProposed)
def delta_proposed(state: State, body: DeltaProposed, origin: Origin) -> State:
    """Let the proposal wait; link it to its sources and, for a reconciliation, to its closure."""
    state = changed(
        state,
        deltas=state.deltas.put(body.delta_id, begun(DeltaRecord, body, origin)),
        open_deltas=state.open_deltas.put(body.delta_id, origin.seq),
        owed=state.owed[1:],
    )
    for source_id in body.source_ids:
        state = follow(state, source_id, body.delta_id)
    return placed(follow(state, body.closure_id, body.delta_id), body.exchange_id)


def _close(state: State, record: DeltaRecord) -> State:
    delta_id = record.body.delta_id
    return changed(
        state, deltas=state.deltas.put(delta_id, record), open_deltas=state.open_deltas.without(delta_id)
    )


@evolves(DeltaDeferred)
def delta_deferred(state: State, body: DeltaDeferred, origin: Origin) -> State:
    """Keep the proposal open, out of the queue until its moment."""
    record = changed(
        state.deltas[body.delta_id],
        disposition=Disposition.DEFERRED,
        decided=origin,
        reason=body.reason,
        until=body.until,
    )
    return changed(state, deltas=state.deltas.put(body.delta_id, record))


@evolves(DeltaRemanded)
def delta_remanded(state: State, body: DeltaRemanded, origin: Origin) -> State:
    """Keep the proposal open for a corrected one in its place."""
    record = changed(
        state.deltas[body.delta_id],
        disposition=Disposition.REMANDED,
        decided=origin,
        reason=body.reason,
        until=None,
        corrections=body.corrections,
    )
    return changed(state, deltas=state.deltas.put(body.delta_id, record))


@evolves(DeltaRejected)
def delta_rejected(state: State, body: DeltaRejected, origin: Origin) -> State:
    """Close the proposal with its reason."""
    record = changed(
        state.deltas[body.delta_id], disposition=Disposition.REJECTED, decided=origin, reason=body.reason
    )
    return _close(state, record)


@evolves(DeltaSuperseded)
def delta_superseded(state: State, body: DeltaSuperseded, origin: Origin) -> State:
    """Close the proposal in favour of its replacement, which has to follow at once."""
    record = changed(state.deltas[body.delta_id], decided=origin, why=body.why)
    return _replaced(state, record, (body.replacement_id,))


@evolves(DeltaSplit)
def delta_split(state: State, body: DeltaSplit, origin: Origin) -> State:
    """Close the proposal in favour of its parts, which have to follow at once."""
    record = changed(state.deltas[body.delta_id], decided=origin, why="split")
    return _replaced(state, record, body.replacement_ids)


def _replaced(state: State, record: DeltaRecord, replacement_ids: tuple[str, ...]) -> State:
    record = changed(record, disposition=Disposition.SUPERSEDED, replacement_ids=replacement_ids)
    return changed(_close(state, record), owed=replacement_ids)


@evolves(DeltaAccepted)
def delta_accepted(state: State, body: DeltaAccepted, origin: Origin) -> State:
    """Make the revision: apply the operations, adopt what they add, close the proposal."""
    record = state.deltas[body.delta_id]
    by_evidence = record.body.purpose is Purpose.RECONCILIATION
    tables = apply(state.tables, body.operations, Acceptance(body.revision, origin.actor.id, by_evidence))
    revision = Revision(body.revision, body.state_root, body.delta_id, origin, tables.kept())
    state = _close(
        state,
        changed(
            record,
            disposition=Disposition.ACCEPTED,
            decided=origin,
            choice=body.choice,
            revision=body.revision,
        ),
    )
    return changed(
        state,
        tables=tables,
        revision=body.revision,
        state_root=body.state_root,
        revisions=state.revisions.put(revision_key(body.revision), revision),
    )


@evolves(ClarificationAsked)
def clarification_asked(state: State, body: ClarificationAsked, origin: Origin) -> State:
    """Let the question wait."""
    record = ClarificationRecord(body, origin)
    state = changed(
        state,
        clarifications=state.clarifications.put(body.exchange_id, record),
        asking=state.asking.put(body.exchange_id, origin.seq),
    )
    return placed(state, body.exchange_id)


@evolves(ClarificationAnswered)
def clarification_answered(state: State, body: ClarificationAnswered, _origin: Origin) -> State:
    """Link the answer to the question."""
    record = replace(state.clarifications[body.exchange_id], answer_source_id=body.answer_source_id)
    state = changed(
        state,
        clarifications=state.clarifications.put(body.exchange_id, record),
        asking=state.asking.without(body.exchange_id),
    )
    return follow(state, record.body.source_id, body.answer_source_id)
