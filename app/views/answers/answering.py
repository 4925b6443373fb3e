"""Makes answers from state: pure reading, shared by the API and the command line."""

from collections.abc import Iterator, Sequence

from app.views.answers.records import (
    AcceptAnswer,
    BriefAnswer,
    CandidateAnswer,
    CaptureAnswer,
    CheckAnswer,
    Clarification,
    DeltaAnswer,
    EventAnswer,
    FitAnswer,
    LogAnswer,
    NodeAnswer,
    NodeRef,
    OutlineAnswer,
    ProjectAnswer,
    PromotionAnswer,
    ProposalAnswer,
    Proposed,
    RunAnswer,
    ValidationAnswer,
)
from kernel.events.envelope import Event
from kernel.events.evidence import CheckedRequirement
from kernel.ids import revision_id
from kernel.projections.doubles import doubles
from kernel.rules.delta import chosen
from kernel.rules.dispositions import is_queued
from kernel.rules.operations import moved
from kernel.rules.reconciliation import unmet
from kernel.rules.seen import delta_seen, promotion_seen
from kernel.state import (
    BriefRecord,
    CandidateRecord,
    DeltaRecord,
    PromotionRecord,
    RunRecord,
    State,
    Tables,
)
from kernel.values.execution import JournalState
from kernel.values.records import NodeAdd, NodePatch, RelationAdd
from kernel.values.words import Words
from kernel.vocabulary import LANE_OF, RelationKind


def _text(words: Words | None) -> str | None:
    return None if words is None else words.or_erased()


def project_answer(state: State, at: str = "") -> ProjectAnswer:
    """Return a project; what was deferred waits again when `at` is past its moment."""
    return ProjectAnswer(
        project_id=state.ledger,
        title=_text(state.title) or "",
        revision=state.revision,
        revision_id=revision_id(state.ledger, state.revision, state.state_root),
        head_seq=state.seq,
        waiting=sum(is_queued(state.deltas[item], at) for item in state.open_deltas.keys()),  # noqa: SIM118
        archived=state.archived is not None,
    )


def node_ref(tables: Tables, node_id: str) -> NodeRef:
    """Return a node by id and title."""
    return NodeRef(node_id=node_id, title=tables.nodes[node_id].title.or_erased())


def proposed(state: State, record: DeltaRecord, choice: int = 0) -> Proposed | None:
    """Return what one choice of a proposal would add first, or None when it adds nothing.

    Raises: InvalidError for a choice it does not offer.
    """
    operations = chosen(record, choice)
    added = next((item for item in operations if isinstance(item, NodeAdd)), None)
    if added is None:
        return None
    belongs = next(
        item
        for item in operations
        if isinstance(item, RelationAdd)
        and item.kind is RelationKind.BELONGS_TO
        and item.from_id == added.node_id
    )
    known = belongs.to_id in state.tables.nodes
    return Proposed(
        kind=added.kind.value,
        title=added.title.or_erased(),
        parent=node_ref(state.tables, belongs.to_id) if known else None,
    )


def _other_places(state: State, record: DeltaRecord) -> tuple[NodeRef, ...]:
    places = (fit.parent_id for fit in record.body.fits[1:])
    return tuple(node_ref(state.tables, item) for item in places if item in state.tables.nodes)


def _changed(state: State, record: DeltaRecord, choice: int) -> NodeRef | None:
    """Return the node that one choice of a proposal would change first."""
    patches = (item for item in chosen(record, choice) if isinstance(item, NodePatch))
    node_id = next((item.node_id for item in patches if item.node_id in state.tables.nodes), None)
    return None if node_id is None else node_ref(state.tables, node_id)


def _fits(state: State, record: DeltaRecord) -> tuple[FitAnswer, ...]:
    nodes = state.tables.nodes
    return tuple(
        FitAnswer(
            node_id=item.parent_id,
            title=nodes[item.parent_id].title.or_erased(),
            score=item.score,
            reason=item.reason.or_erased(),
            matched=tuple(word.or_erased() for word in item.matched),
        )
        for item in record.body.fits
        if item.parent_id in nodes
    )


def _choices(record: DeltaRecord) -> tuple[str, ...]:
    return tuple(item.label.or_erased() for item in record.body.alternatives)


def capture_answer(
    state: State, source_id: str, exchange_id: str, *, delta_id: str | None, failure: str | None
) -> CaptureAnswer:
    """Return a capture with its proposal or question."""
    question = state.clarifications.get(exchange_id)
    record = None if delta_id is None else state.deltas[delta_id]
    reasons = () if record is None else (*(fit.reason for fit in record.body.fits[:1]), *record.body.reasons)
    asked = None
    if question is not None:
        asked = Clarification(exchange_id=exchange_id, question=question.body.question.or_erased())
    return CaptureAnswer(
        project_id=state.ledger,
        source_id=source_id,
        delta_id=delta_id,
        proposed=None if record is None else proposed(state, record),
        alternatives=() if record is None else _other_places(state, record),
        choices=() if record is None else _choices(record),
        fits=() if record is None else _fits(state, record),
        duplicate_of=None if record is None else record.body.duplicate_of,
        clarification=asked,
        reasons=tuple(words.or_erased() for words in reasons),
        uncertainty=() if record is None else _uncertainty(state, record),
        failure=failure,
    )


def _uncertainty(state: State, record: DeltaRecord) -> tuple[str, ...]:
    """Return what was not certain when it was proposed, and what it would say twice by now."""
    return (*doubles(state, record), *(item.or_erased() for item in record.body.uncertainty))


def proposal_answer(state: State, record: DeltaRecord, choice: int = 0) -> ProposalAnswer:
    """Return one choice of a proposal with what an act on it must carry.

    Raises: InvalidError for a choice it does not offer.
    """
    body = record.body
    return ProposalAnswer(
        delta_id=body.delta_id,
        purpose=body.purpose.value,
        title=body.title.or_erased(),
        choice=choice,
        proposed=proposed(state, record, choice),
        changed=_changed(state, record, choice),
        alternatives=_other_places(state, record),
        choices=_choices(record),
        fits=_fits(state, record),
        duplicate_of=body.duplicate_of,
        reasons=tuple(words.or_erased() for words in (*(fit.reason for fit in body.fits[:1]), *body.reasons)),
        uncertainty=_uncertainty(state, record),
        base_revision=body.base_revision,
        revision=state.revision,
        seen=delta_seen(state, record, choice),
        conflict=bool(moved(state.tables, body.touches)),
        operations=len(body.operations),
        closure_id=body.closure_id,
        validation_id=body.validation_id,
        disposition=record.disposition.value,
        until=record.until,
        corrections=tuple(item.or_erased() for item in record.corrections),
        compensates=body.compensates,
    )


def waiting_proposals(state: State, at: str = "", *, every: bool = False) -> tuple[ProposalAnswer, ...]:
    """Return the proposals that wait, oldest first; the deferred ones too when `every`, or when `at` is past."""
    ids = sorted(state.open_deltas.keys(), key=lambda item: state.open_deltas[item])
    records = (state.deltas[item] for item in ids)
    return tuple(proposal_answer(state, record) for record in records if every or is_queued(record, at))


def accept_answer(
    project_id: str,
    *,
    delta_id: str,
    revision: int,
    state_root: str,
    node_ids: tuple[str, ...],
    rebased: str | None,
) -> AcceptAnswer:
    """Return one yes."""
    return AcceptAnswer(
        project_id=project_id,
        delta_id=delta_id,
        revision=revision,
        revision_id=revision_id(project_id, revision, state_root),
        state_root=state_root,
        node_id=node_ids[0] if len(node_ids) == 1 else None,
        node_ids=node_ids,
        rebased_from=rebased,
    )


def delta_answer(state: State, delta_id: str) -> DeltaAnswer:
    """Return where a proposal stands."""
    record = state.deltas[delta_id]
    return DeltaAnswer(project_id=state.ledger, delta_id=delta_id, disposition=record.disposition.value)


def outline_nodes(tables: Tables, root_id: str) -> Iterator[tuple[str, int]]:
    """Yield (node id, depth) of every active node, parents before children, in the order they were added."""
    waiting = [(root_id, 0)]
    while waiting:
        node_id, depth = waiting.pop()
        yield node_id, depth
        waiting.extend((child, depth + 1) for child in reversed(tables.children.get(node_id) or ()))


def node_answer(tables: Tables, node_id: str, depth: int) -> NodeAnswer:
    """Return a node."""
    node = tables.nodes[node_id]
    return NodeAnswer(
        node_id=node.id,
        kind=node.kind.value,
        lane=LANE_OF[node.kind].value,
        title=node.title.or_erased(),
        description=_text(node.description),
        parent_id=tables.parent.get(node_id),
        depth=depth,
        visibility=node.visibility.value,
        governance=node.governance.value,
        phase=node.phase.value,
        verification=node.verification.value,
        profile_id=node.profile_id,
        artifact_path=node.artifact_path,
    )


def outline_answer(state: State) -> OutlineAnswer:
    """Return a project's whole outline, with what is only suggested beside it."""
    nodes = tuple(
        node_answer(state.tables, item, depth) for item, depth in outline_nodes(state.tables, state.root_id)
    )
    return OutlineAnswer(
        project_id=state.ledger,
        title=_text(state.title) or "",
        revision=state.revision,
        revision_id=revision_id(state.ledger, state.revision, state.state_root),
        state_root=state.state_root,
        nodes=nodes,
        provisional=waiting_proposals(state),
    )


def log_answer(
    project_id: str, head_seq: int, events: Sequence[Event], *, is_imported: bool = False
) -> LogAnswer:
    """Return a page of the log; actors of an imported project are marked `imported:`."""
    origin = "imported:" if is_imported else ""
    lines = tuple(
        EventAnswer(
            seq=event.seq,
            event_id=event.id,
            type=event.type,
            at=event.at,
            actor=f"{event.actor.kind.value}:{origin}{event.actor.id}",
            role=event.actor.role.value,
            via=event.via.value,
        )
        for event in events
    )
    following = lines[-1].seq if lines and lines[-1].seq > 1 else None
    return LogAnswer(project_id=project_id, head_seq=head_seq, events=lines, next_before=following)


def brief_answer(project_id: str, record: BriefRecord) -> BriefAnswer:
    """Return a brief as its owner may see it."""
    body = record.body
    return BriefAnswer(
        project_id=project_id,
        brief_id=body.brief_id,
        node_id=body.node_id,
        profile_id=body.terms.profile_id,
        base_revision=body.base_revision,
        base_commit=body.base_commit,
        digest=body.payload_digest,
        runtimes=body.runtime_ids,
        shared=tuple((item.node_id, item.reason) for item in body.shared),
        withheld=tuple((item.node_id, item.reason) for item in body.omitted),
        payload=body.payload.or_erased(),
    )


def run_answer(state: State, record: RunRecord) -> RunAnswer:
    """Return a run and what came from it."""
    body = record.body
    followers = state.followed_by.get(body.run_id) or ()
    closure_id = next((item for item in followers if item in state.closures), None)
    validations = state.followed_by.get(closure_id or "") or ()
    return RunAnswer(
        project_id=state.ledger,
        brief_id=body.brief_id,
        run_id=body.run_id,
        runtime_id=body.runtime_id,
        status=record.status.value,
        code=record.code,
        detail=_text(record.detail),
        attempt=body.attempt,
        start_before=body.start_before,
        progress=tuple(f"{line.said_by}: {line.text.or_erased()}" for line in record.progress),
        candidate_id=next((item for item in followers if item in state.candidates), None),
        closure_id=closure_id,
        validation_ids=tuple(item for item in validations if item in state.validations),
    )


def candidate_answer(
    state: State, record: CandidateRecord, problems: tuple[str, ...] | None = None
) -> CandidateAnswer:
    """Return a candidate."""
    facts = record.body.candidate
    return CandidateAnswer(
        project_id=state.ledger,
        candidate_id=facts.candidate_id,
        run_id=record.body.run_id,
        repository_id=facts.repository_id,
        target_ref=facts.target_ref,
        base_commit=facts.base_commit,
        commit=facts.commit,
        tree=facts.tree,
        ref=facts.ref,
        paths=tuple((entry.status, entry.path) for entry in facts.manifest),
        manifest_digest=facts.manifest_digest,
        patch_digest=facts.patch_digest,
        problems=problems,
    )


def validation_answer(state: State, exchange_id: str) -> ValidationAnswer:
    """Return where a validation request stands."""
    exchange = state.exchanges[exchange_id]
    closure_id = exchange.body.subject_id
    followers = (state.validations.get(item) for item in state.followed_by.get(closure_id) or ())
    record = next((item for item in followers if item and item.body.exchange_id == exchange_id), None)
    if record is None:
        failed = exchange.status in {"failed", "unreadable"}
        return ValidationAnswer(
            project_id=state.ledger,
            closure_id=closure_id,
            exchange_id=exchange_id,
            validation_id=None,
            status="failed" if failed else "waiting",
            passed=False,
            checks=(),
            tier=None,
            reason=_text(exchange.detail),
        )
    return ValidationAnswer(
        project_id=state.ledger,
        closure_id=closure_id,
        exchange_id=exchange_id,
        validation_id=record.body.validation_id,
        status="recorded",
        passed=not unmet(state, state.closures[closure_id], record.body),
        checks=tuple(_check_answer(item) for item in record.body.checks),
        tier=record.body.tier,
        reason=None,
    )


def _check_answer(item: CheckedRequirement) -> CheckAnswer:
    return CheckAnswer(
        requirement_id=item.requirement_id,
        result=item.result.value,
        grade=item.grade.value,
        cases_total=item.cases_total,
        cases_passed=item.cases_passed,
        reason=item.reason,
        detail=item.detail.or_erased(),
    )


def promotion_answer(state: State, record: PromotionRecord, journal: JournalState | None) -> PromotionAnswer:
    """Return a promotion; `journal` None means that it could not be read safely."""
    body, outcome = record.body, record.outcome
    return PromotionAnswer(
        project_id=state.ledger,
        promotion_id=body.promotion_id,
        delta_id=body.delta_id,
        status=record.status.value,
        repository_id=body.repository_id,
        target_ref=body.target_ref,
        base_commit=body.base_commit,
        candidate_commit=body.candidate_commit,
        revision=state.revision,
        seen=promotion_seen(record),
        code=None if outcome is None else outcome.code,
        detail=None if outcome is None else outcome.detail.or_erased(),
        observed_after=None if outcome is None else outcome.observed_after,
        journal="unreadable" if journal is None else journal.state,
        journal_problems=() if journal is None else journal.problems,
    )
