"""Gates between evidence and integration, and the operations a reconciliation compiles to.

A reconciliation is compiled, never written: the same closure and validation always give the same operations
in open form. It touches only the brief's target and its evidence, and never claims who authored the work.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from kernel.canonical import open_form
from kernel.errors import EvidenceError, NotFoundError
from kernel.events.evidence import CheckedRequirement, ValidationRecorded
from kernel.rules.briefing import moved_context
from kernel.state import ClosureRecord, State, ValidationRecord
from kernel.values.records import NodeAdd, NodePatch, Operation, RelationAdd
from kernel.values.words import Words
from kernel.values.work import CheckFacts, Terms
from kernel.vocabulary import CheckResult, Disposition, NodeKind, Phase, RelationKind, Verification


@dataclass(frozen=True, slots=True)
class Gate:
    """One condition for integration and how it stands."""

    name: Literal["worldstate", "lineage", "artifact", "evidence", "policy", "completion"]
    standing: Literal["passed", "blocked", "stale"]
    detail: str
    """One sentence for a person."""


@dataclass(frozen=True, slots=True)
class EvidenceText:
    """The words of a compiled reconciliation, before they get salts."""

    title: str
    description: str


_UNMET: Final = "not met: "
_UNVERIFIED: Final = "the task would be completed on the word of who accepts this, and not verified"


def gates(state: State, closure_id: str, validation_id: str) -> tuple[Gate, ...]:
    """Return the gate list of one closure and one validation, always all six, in a fixed order.

    Raises: NotFoundError when either does not exist.
    """
    closure, validation = _pair(state, closure_id, validation_id)
    return (
        _worldstate(state, closure),
        _lineage(closure, validation),
        _artifact(state, closure),
        _evidence(state, closure, validation),
        _policy(state, closure, validation),
        _completion(closure),
    )


def _pair(state: State, closure_id: str, validation_id: str) -> tuple[ClosureRecord, ValidationRecord]:
    closure = state.closures.get(closure_id)
    validation = state.validations.get(validation_id)
    if closure is None or validation is None:
        message = f"there is no closure {closure_id} with validation {validation_id}"
        raise NotFoundError(message)
    return closure, validation


def _worldstate(state: State, closure: ClosureRecord) -> Gate:
    brief = state.briefs[closure.body.brief_id].body
    changed = moved_context(state.tables, brief.shared)
    if changed:
        detail = f"{len(changed)} of the shared nodes changed since the brief was compiled"
        return Gate("worldstate", "stale", detail)
    if state.revision == brief.base_revision:
        return Gate("worldstate", "passed", f"The worldstate is still at revision {brief.base_revision}")
    later = state.revision - brief.base_revision
    return Gate("worldstate", "passed", f"{later} later revisions; none touches what the brief shared")


def _lineage(closure: ClosureRecord, validation: ValidationRecord) -> Gate:
    body = validation.body
    same = (
        body.closure_id == closure.body.closure_id
        and body.brief_id == closure.body.brief_id
        and body.candidate_id == closure.body.candidate_id
    )
    if same:
        return Gate("lineage", "passed", "Run, closure, candidate and validation belong together")
    return Gate("lineage", "blocked", "The validation looked at another closure or candidate")


def _artifact(state: State, closure: ClosureRecord) -> Gate:
    brief = state.briefs[closure.body.brief_id].body
    candidate = state.candidates[closure.body.candidate_id].body.candidate
    if candidate.base_commit == brief.base_commit and candidate.target_ref == brief.terms.target_ref:
        return Gate("artifact", "passed", "The candidate grows from the commit the brief named")
    return Gate("artifact", "blocked", "The candidate grows from another commit than the brief named")


def unmet(state: State, closure: ClosureRecord, body: ValidationRecorded) -> tuple[str, ...]:
    """Return the ids of required requirements that did not pass at the grade they need, in contract order."""
    return unmet_terms(state, closure, body.checks)


def unmet_terms(
    state: State, closure: ClosureRecord, checks: Sequence[CheckedRequirement | CheckFacts]
) -> tuple[str, ...]:
    """Return the ids of required requirements that these checks do not meet, in contract order."""
    results = {check.requirement_id: check for check in checks}
    terms = state.briefs[closure.body.brief_id].body.terms
    return tuple(
        term.id
        for term in terms.requirements
        if term.required
        and (
            term.id not in results
            or results[term.id].result is not CheckResult.PASSED
            or results[term.id].grade is not term.grade
        )
    )


def _evidence(state: State, closure: ClosureRecord, validation: ValidationRecord) -> Gate:
    missing = unmet(state, closure, validation.body)
    passed = sum(check.result is CheckResult.PASSED for check in validation.body.checks)
    if missing:
        blocks = _terms(state, closure).block_integration
        said = f"Required evidence {_UNMET}{', '.join(missing)}"
        return Gate(
            "evidence", "blocked" if blocks else "passed", said if blocks else f"{said}; {_UNVERIFIED}"
        )
    return Gate("evidence", "passed", f"{passed} of {len(validation.body.checks)} requirements passed")


def _policy(state: State, closure: ClosureRecord, validation: ValidationRecord) -> Gate:
    if not unmet(state, closure, validation.body):
        return Gate("policy", "passed", "The profile's integration policy allows it")
    if _terms(state, closure).block_integration:
        return Gate("policy", "blocked", "The profile blocks integration while required evidence is unmet")
    return Gate("policy", "passed", "The profile lets a result in without its required evidence")


def _terms(state: State, closure: ClosureRecord) -> Terms:
    return state.briefs[closure.body.brief_id].body.terms


def _completion(closure: ClosureRecord) -> Gate:
    if closure.body.claimed_completion:
        return Gate("completion", "passed", "The worker reports the task as complete")
    return Gate("completion", "blocked", "The worker does not report the task as complete")


def require_open_gates(state: State, closure_id: str, validation_id: str) -> None:
    """Refuse unless every gate passed.

    Raises: EvidenceError naming each closed gate.
    """
    closed = [gate for gate in gates(state, closure_id, validation_id) if gate.standing != "passed"]
    if closed:
        message = "integration is not possible: " + "; ".join(gate.detail for gate in closed)
        raise EvidenceError(message)


def evidence_text(state: State, closure_id: str, validation_id: str) -> EvidenceText:
    """Return the words of the evidence node: what was checked, how it is known, what it does not show."""
    closure, validation = _pair(state, closure_id, validation_id)
    task = state.tables.nodes[state.briefs[closure.body.brief_id].body.node_id]
    candidate = state.candidates[closure.body.candidate_id].body.candidate
    title = f"Evidence: {task.title.or_erased()}"[:300]
    lines = [
        f"- {check.requirement_id}: {check.result.value}, {check.cases_passed} of {check.cases_total} cases,"
        f" {check.grade.value}"
        for check in validation.body.checks
    ]
    scope = (
        f"Evaluated on the sealed bytes of commit {candidate.commit}. Who authored them is not shown by this."
    )
    return EvidenceText(title, "\n".join([*lines, scope]))


@dataclass(frozen=True, slots=True)
class EvidenceNames:
    """The fresh ids a reconciliation needs, and its salted words."""

    node_id: str
    belongs_id: str
    evidenced_id: str
    title: Words
    description: Words


def operations_for(
    state: State, closure_id: str, validation_id: str, names: EvidenceNames
) -> tuple[Operation, ...]:
    """Return the four operations: complete the target, add its evidence, place and link it.

    Only met evidence verifies. A profile that lets a result in without it completes the task on the word of the
    person who accepts, whatever an earlier result had verified.
    """
    closure, validation = _pair(state, closure_id, validation_id)
    task = state.tables.nodes[state.briefs[closure.body.brief_id].body.node_id]
    missing = unmet(state, closure, validation.body)
    verification = Verification.UNVERIFIED if missing else Verification.VERIFIED
    patch = NodePatch(node_id=task.id, phase=Phase.COMPLETED, verification=verification)
    evidence = NodeAdd(
        node_id=names.node_id,
        kind=NodeKind.EVIDENCE,
        title=names.title,
        description=names.description,
        visibility=task.visibility,
        phase=Phase.NONE,
        source_ids=(),
    )
    belongs = RelationAdd(
        relation_id=names.belongs_id, kind=RelationKind.BELONGS_TO, from_id=names.node_id, to_id=task.id
    )
    link = RelationAdd(
        relation_id=names.evidenced_id, kind=RelationKind.EVIDENCED_BY, from_id=task.id, to_id=names.node_id
    )
    return (patch, evidence, belongs, link)


def require_compiled(
    state: State, closure_id: str, validation_id: str, operations: tuple[Operation, ...]
) -> None:
    """Refuse operations that do not recompile, in open form, from the closure and the validation.

    Raises: EvidenceError.
    """
    text = evidence_text(state, closure_id, validation_id)
    names = _names_in(operations)
    if names is None:
        message = "a reconciliation completes its target and adds one piece of evidence, nothing else"
        raise EvidenceError(message)
    expected = operations_for(state, closure_id, validation_id, names)
    texts = (names.title.text, names.description.text)
    erased = None in texts
    if not erased and texts != (text.title, text.description):
        message = "the words of the reconciliation are not those its evidence compiles to"
        raise EvidenceError(message)
    if open_form(list(operations)) != open_form(list(expected)):
        message = "the reconciliation is not what its closure and validation compile to"
        raise EvidenceError(message)


def _names_in(operations: tuple[Operation, ...]) -> EvidenceNames | None:
    if len(operations) != 4:  # noqa: PLR2004 - patch, evidence, its place, its link
        return None
    _, evidence, belongs, link = operations
    if not (
        isinstance(evidence, NodeAdd) and isinstance(belongs, RelationAdd) and isinstance(link, RelationAdd)
    ):
        return None
    description = evidence.description
    if description is None:
        return None
    return EvidenceNames(evidence.node_id, belongs.relation_id, link.relation_id, evidence.title, description)


def in_force(state: State, closure_id: str) -> bool:
    """Tell whether the closure's task is still completed and verified, and by this closure's evidence.

    A later result of the same task takes the earlier one out of force: the task's latest evidence counts.
    """
    brief = state.briefs[state.closures[closure_id].body.brief_id].body
    task = state.tables.nodes[brief.node_id]
    if task.phase is not Phase.COMPLETED or task.verification is not Verification.VERIFIED:
        return False
    links = (state.tables.relations[item] for item in state.tables.links.get(task.id) or ())
    evidence = [
        link.to_id for link in links if link.kind is RelationKind.EVIDENCED_BY and link.from_id == task.id
    ]
    return task.retired_in is None and bool(evidence) and evidence[-1] in _evidence_of(state, closure_id)


def _evidence_of(state: State, closure_id: str) -> frozenset[str]:
    """Return the evidence nodes that accepted reconciliations of the closure added."""
    deltas = (state.deltas.get(item) for item in state.followed_by.get(closure_id) or ())
    return frozenset(
        operation.node_id
        for delta in deltas
        if delta is not None and delta.disposition is Disposition.ACCEPTED
        for operation in delta.body.operations
        if isinstance(operation, NodeAdd)
    )
