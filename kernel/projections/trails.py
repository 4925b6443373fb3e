"""The trail of one task: which records of a ledger belong to its current try, from its capture to its promotion.

A task may be briefed, run, validated and promoted several times. The latest of each counts; what it replaced is
listed apart, so that nothing that happened is lost from sight. Owns no judgement of how the work stands.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from kernel.projections.kept import Kept
from kernel.rules.delegation import runs_of
from kernel.rules.promotion import promotions_of
from kernel.state import (
    BriefRecord,
    CandidateRecord,
    ClosureRecord,
    DeltaRecord,
    ExchangeRecord,
    PromotionRecord,
    Revision,
    RunRecord,
    State,
    ValidationRecord,
    revision_key,
)
from kernel.values.records import NodeAdd
from kernel.vocabulary import Boundary, Disposition, NodeKind, Purpose

_Record = TypeVar("_Record")


@dataclass(frozen=True, slots=True)
class Trail:
    """The records of one try, the latest of each kind. None: it did not come that far."""

    brief: BriefRecord | None = None
    run: RunRecord | None = None
    closure: ClosureRecord | None = None
    candidate: CandidateRecord | None = None
    asked: ExchangeRecord | None = None
    """The latest request for a validation."""
    validation: ValidationRecord | None = None
    reconciliation: DeltaRecord | None = None
    promotion: PromotionRecord | None = None

    @property
    def asked_in_vain(self) -> bool:
        """True when the latest request for a validation has no recorded result."""
        if self.asked is None:
            return False
        return self.validation is None or self.validation.body.exchange_id != self.asked.body.exchange_id


def briefs_of(state: State, task_id: str) -> tuple[BriefRecord, ...]:
    """Return the briefs of a task, in order."""
    records = (state.briefs.get(item) for item in state.followed_by.get(task_id) or ())
    return tuple(record for record in records if record is not None)


def validations_of(state: State, closure_id: str) -> tuple[ValidationRecord, ...]:
    """Return the recorded validations of a closure, in order."""
    records = (state.validations.get(item) for item in state.followed_by.get(closure_id) or ())
    return tuple(record for record in records if record is not None)


def reconciliations_of(state: State, closure_id: str) -> tuple[DeltaRecord, ...]:
    """Return the reconciliations of a closure that were not merely rebased into a later one, in order."""
    records = (state.deltas.get(item) for item in state.followed_by.get(closure_id) or ())
    return tuple(
        record
        for record in records
        if record is not None
        and record.body.purpose is Purpose.RECONCILIATION
        and record.disposition is not Disposition.SUPERSEDED
    )


def trail_of(state: State, brief: BriefRecord | None) -> Trail:
    """Return the try that this brief began; an empty one without a brief."""
    if brief is None:
        return Trail()
    run = _last(runs_of(state, brief.body.brief_id))
    closure = None if run is None else _closure_of(state, run)
    if closure is None:
        return Trail(brief, run)
    closure_id = closure.body.closure_id
    exchanges = (state.exchanges.get(item) for item in state.followed_by.get(closure_id) or ())
    asked = [item for item in exchanges if item is not None and item.body.boundary is Boundary.VALIDATION]
    return Trail(
        brief=brief,
        run=run,
        closure=closure,
        candidate=state.candidates[closure.body.candidate_id],
        asked=asked[-1] if asked else None,
        validation=_last(validations_of(state, closure_id)),
        reconciliation=_last(reconciliations_of(state, closure_id)),
        promotion=_last(promotions_of(state, closure_id)),
    )


def _closure_of(state: State, run: RunRecord) -> ClosureRecord | None:
    records = (state.closures.get(item) for item in state.followed_by.get(run.body.run_id) or ())
    return next((record for record in records if record is not None), None)


def _last(records: tuple[_Record, ...]) -> _Record | None:
    return records[-1] if records else None


def adoption_of(state: State, task_id: str) -> Revision | None:
    """Return the revision that added the task; None when it is only proposed."""
    node = state.tables.nodes.get(task_id)
    return None if node is None else state.revisions.get(revision_key(node.created_in))


_PROPOSED: Final = Kept[dict[str, DeltaRecord]](8)


def proposed_tasks(state: State) -> Mapping[str, DeltaRecord]:
    """Return the tasks that open proposals would add, as proposed, oldest proposal first. Kept."""
    return _PROPOSED.of((state.open_deltas, state.deltas), lambda: _proposed_tasks(state))


def _proposed_tasks(state: State) -> dict[str, DeltaRecord]:
    found: dict[str, DeltaRecord] = {}
    for delta_id in sorted(state.open_deltas.keys(), key=lambda item: state.open_deltas[item]):
        record = state.deltas[delta_id]
        for operation in record.body.operations:
            if isinstance(operation, NodeAdd) and operation.kind is NodeKind.TASK:
                found.setdefault(operation.node_id, record)
    return found
