"""Decisions about independent evidence and its reconciliation."""

from kernel.commands import ProposeReconciliation, RecordValidation
from kernel.decide.drafts import SYSTEM, Draft
from kernel.errors import NotFoundError
from kernel.events.delta import DeltaProposed
from kernel.events.evidence import CheckedRequirement, ValidationRecorded
from kernel.rules.operations import touched
from kernel.rules.reconciliation import (
    EvidenceNames,
    evidence_text,
    operations_for,
    require_open_gates,
)
from kernel.state import State
from kernel.values.stamp import Stamp
from kernel.vocabulary import Purpose


def record_validation(state: State, command: RecordValidation, stamp: Stamp) -> tuple[Draft, ...]:
    """Record the result, passed or not.

    Raises: NotFoundError when the exchange or its closure is unknown.
    """
    exchange = state.exchanges.get(command.exchange_id)
    closure = None if exchange is None else state.closures.get(exchange.body.subject_id)
    if exchange is None or closure is None:
        message = f"there is no validation request {command.exchange_id}"
        raise NotFoundError(message)
    checks = tuple(
        CheckedRequirement(
            requirement_id=check.requirement_id,
            result=check.result,
            grade=check.grade,
            cases_total=check.cases_total,
            cases_passed=check.cases_passed,
            reason=check.reason,
            detail=stamp.words(check.detail, f"detail {check.requirement_id}"),
        )
        for check in command.checks
    )
    body = ValidationRecorded(
        validation_id=command.validation_id,
        exchange_id=command.exchange_id,
        closure_id=closure.body.closure_id,
        brief_id=closure.body.brief_id,
        candidate_id=closure.body.candidate_id,
        attempt=exchange.body.attempt,
        checks=checks,
        tier=command.tier,
        isolation=command.isolation,
        harness_digests=command.harness_digests,
        wall_ms=command.wall_ms,
        receipt=command.receipt,
    )
    return (Draft(body, SYSTEM),)


def propose_reconciliation(state: State, command: ProposeReconciliation, stamp: Stamp) -> tuple[Draft, ...]:
    """Compile the result into a proposal for a human yes.

    Raises: NotFoundError; EvidenceError when a gate is closed.
    """
    require_open_gates(state, command.closure_id, command.validation_id)
    text = evidence_text(state, command.closure_id, command.validation_id)
    names = EvidenceNames(
        node_id=stamp.id("node", "evidence"),
        belongs_id=stamp.id("relation", "evidence belongs"),
        evidenced_id=stamp.id("relation", "evidenced by"),
        title=stamp.words(text.title, "evidence title"),
        description=stamp.words(text.description, "evidence description"),
    )
    operations = operations_for(state, command.closure_id, command.validation_id, names)
    task = state.tables.nodes[state.briefs[state.closures[command.closure_id].body.brief_id].body.node_id]
    body = DeltaProposed(
        delta_id=stamp.id("delta"),
        purpose=Purpose.RECONCILIATION,
        base_revision=state.revision,
        source_ids=(),
        title=stamp.words(f"Record the result of {task.title.or_erased()}"[:300], "title"),
        operations=operations,
        touches=touched(state.tables, operations),
        closure_id=command.closure_id,
        validation_id=command.validation_id,
    )
    return (Draft(body, SYSTEM),)
