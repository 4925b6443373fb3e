"""Evidence: gates, and the reconciliation that is compiled from what was shown, never written."""

from dataclasses import replace
from typing import Any

from kernel.commands import (
    ProposeReconciliation,
    RejectDelta,
)
from kernel.errors import (
    EvidenceError,
    InvalidError,
    LifecycleError,
    NotFoundError,
    RefusedError,
    StaleError,
)
from kernel.events.delta import Alternative, DeltaProposed
from kernel.rules.operations import touched
from kernel.rules.reconciliation import gates
from kernel.vocabulary import Phase, Verification
from tests.support.acts import accept, integrated, renamed, returned
from tests.support.build import words
from tests.support.spec import Moment, Refusal, before, refused
from tests.support.story import (
    CANDIDATE_COMMIT,
    HOST,
    SEALED,
)
from tests.support.whole import whole_project

INVALID = (InvalidError, "invalid")
CYCLE = (LifecycleError, "lifecycle_conflict")
NO = (RefusedError, "refused")
STALE = (StaleError, "stale")
BLOCKED = (EvidenceError, "evidence_gate_blocked")
UNSIGNED = SEALED.model_copy(update={"signatures": ()})


def test_all_gates_pass_on_good_evidence() -> None:
    """The gate list is always the same six gates in the same order."""
    story, _, closure_id = returned()
    validation_id = story.validated(closure_id)
    listed = gates(story.state, closure_id, validation_id)
    assert [(gate.name, gate.standing, gate.detail) for gate in listed] == [
        ("worldstate", "passed", "The worldstate is still at revision 1"),
        ("lineage", "passed", "Run, closure, candidate and validation belong together"),
        ("artifact", "passed", "The candidate grows from the commit the brief named"),
        ("evidence", "passed", "1 of 1 requirements passed"),
        ("policy", "passed", "The profile's integration policy allows it"),
        ("completion", "passed", "The worker reports the task as complete"),
    ]


def test_failed_evidence_closes_the_gate() -> None:
    """Two of three cases are not enough: the result is not even proposed."""
    story, _, closure_id = returned()
    message = (
        "integration is not possible: Required evidence not met: costs; "
        "The profile blocks integration while required evidence is unmet"
    )
    command = ProposeReconciliation(closure_id, story.validated(closure_id, passed=2))
    assert refused(story, command, HOST) == (*BLOCKED, message)


def test_a_second_validation_can_open_the_gate() -> None:
    """Evidence is pinned: the failed validation stays closed, a later good one is another."""
    story, _, closure_id = returned()
    story.validated(closure_id, passed=2)
    assert refused(story, ProposeReconciliation(closure_id, story.validated(closure_id)), HOST) is None


def test_a_task_changed_since_closes_the_gate() -> None:
    """When a shared node is no longer what the brief shared, the result is about another task."""
    story, task_id, closure_id = returned()
    validation_id = story.validated(closure_id)
    renamed(story, task_id, "Work out all costs")
    message = "integration is not possible: 1 of the shared nodes changed since the brief was compiled"
    assert refused(story, ProposeReconciliation(closure_id, validation_id), HOST) == (*BLOCKED, message)


def test_other_work_in_between_closes_nothing() -> None:
    """Revisions that touch nothing the brief shared do not stand in the way."""
    story, _, closure_id = returned()
    validation_id = story.validated(closure_id)
    story.accepted(story.captured("Buy a boat"))
    (worldstate, *_) = gates(story.state, closure_id, validation_id)
    assert worldstate.detail == "1 later revisions; none touches what the brief shared"
    assert refused(story, ProposeReconciliation(closure_id, validation_id), HOST) is None


def test_unknown_evidence_is_not_found() -> None:
    """A closure or validation that does not exist is named."""
    story, _, closure_id = returned()
    assert refused(story, ProposeReconciliation(closure_id, "validation_x"), HOST) == (
        NotFoundError,
        "not_found",
        f"there is no closure {closure_id} with validation validation_x",
    )


def test_a_closure_has_one_open_reconciliation() -> None:
    """While one waits there is no second; after a no there may be."""
    story, _, closure_id = returned()
    command = ProposeReconciliation(closure_id, story.validated(closure_id))
    (event,) = story.after(command, HOST)
    delta_id = event.body.delta_id  # type: ignore[attr-defined]
    first = refused(story, command, HOST)
    story.after(RejectDelta(delta_id, "Not yet", story.seen(delta_id)))
    assert first == (*CYCLE, f"the closure already has the reconciliation {delta_id}")
    assert refused(story, command, HOST) is None


def test_an_integrated_result_completes_and_verifies_its_target_alone() -> None:
    """The task is done by evidence; one evidence node hangs on it; nothing else changed."""
    story, task_id, reconciliation = integrated()
    tables, revision = story.state.tables, story.state.revision
    task = tables.nodes[task_id]
    (evidence,) = (tables.nodes[item] for item in tables.children[task_id])
    assert (task.phase, task.verification, task.said_by) == (
        Phase.COMPLETED,
        Verification.VERIFIED,
        None,
    )
    assert evidence.title.text == f"Evidence: {task.title.text}"
    assert evidence.description is not None
    assert evidence.description.text == (
        f"- costs: passed, 3 of 3 cases, host_oracle\nEvaluated on the sealed bytes of commit "
        f"{CANDIDATE_COMMIT}. Who authored them is not shown by this."
    )
    assert [node.id for node in tables.nodes.rows() if node.created_in == revision] == [evidence.id]
    assert story.state.deltas[reconciliation].revision == revision


def reconciliation() -> Moment:
    """Return the moment before the whole project's reconciliation was proposed."""
    return before(whole_project(), "delta.proposed.v1", -1)


def compiled() -> DeltaProposed:
    """Return the reconciliation as it was compiled."""
    body = reconciliation().event.body
    assert isinstance(body, DeltaProposed)
    return body


def altered(*operations: Any) -> Refusal | None:
    """Return how the reconciliation is refused with other operations, its touches made right."""
    moment = reconciliation()
    return moment.but(operations=operations, touches=touched(moment.state.tables, operations)).refusal()


def test_a_reconciliation_is_compiled_and_never_written() -> None:
    """Other operations, other words, another target or one operation less are refused."""
    patch, evidence, belongs, link = compiled().operations
    other = "the reconciliation is not what its closure and validation compile to"
    wording = "the words of the reconciliation are not those its evidence compiles to"
    shape = "a reconciliation completes its target and adds one piece of evidence, nothing else"
    root = reconciliation().state.root_id
    assert [
        altered(patch.model_copy(update={"phase": Phase.BLOCKED}), evidence, belongs, link),
        altered(patch.model_copy(update={"title": words("Other")}), evidence, belongs, link),
        altered(patch, evidence, belongs.model_copy(update={"to_id": root}), link),
        altered(patch, evidence.model_copy(update={"title": words("Great work")}), belongs, link),
        altered(patch, evidence.model_copy(update={"description": None}), belongs, link),
        altered(patch, evidence, belongs),
        altered(patch),
    ] == [
        (*BLOCKED, other),
        (*BLOCKED, other),
        (*BLOCKED, other),
        (*BLOCKED, wording),
        (*BLOCKED, shape),
        (*BLOCKED, shape),
        (*BLOCKED, shape),
    ]


def test_a_reconciliation_offers_no_alternative() -> None:
    """What evidence compiles to is one thing; a second choice would be written, not compiled."""
    alternative = Alternative(label=words("Or"), operations=compiled().operations)
    expected = (*INVALID, "a reconciliation is compiled from evidence and has no alternatives")
    assert reconciliation().but(alternatives=(alternative,)).refusal() == expected


def test_a_reconciliation_names_its_evidence() -> None:
    """Without closure or validation it is refused."""
    expected = (*INVALID, "a reconciliation, and only it, is pinned to a closure and a validation")
    assert reconciliation().but(validation_id=None).refusal() == expected


def test_a_reconciliation_is_rebased_by_the_host_and_not_edited() -> None:
    """After unrelated work one yes still suffices; edited or moved it cannot be."""
    story, _, closure_id = returned()
    delta_id = story.reconciled(closure_id, story.validated(closure_id))
    story.accepted(story.captured("Buy a boat"))
    moment = before(whole_project(), "delta.superseded.v1")
    seen = story.seen(delta_id)
    events = story.after(accept(story, delta_id, seen=seen))
    assert [(event.type, event.actor.id) for event in events] == [
        ("delta.superseded.v1", "owner"),
        ("delta.proposed.v1", "host"),
        ("delta.accepted.v1", "owner"),
    ]
    superseded = replace(events[0], body=events[0].body.model_copy(update={"why": "edited"}))
    state = before(story, "delta.superseded.v1", -1).state
    expected = (*NO, "a reconciliation is compiled from evidence and cannot be edited or moved")
    assert replace(moment, state=state, event=superseded).refusal() == expected


def test_a_gate_that_changed_is_seen_again() -> None:
    """The yes is bound to the gate list: when a gate closes after it was shown, the yes is refused."""
    story, task_id, closure_id = returned()
    delta_id = story.reconciled(closure_id, story.validated(closure_id))
    seen = story.seen(delta_id)
    renamed(story, task_id, "Work out all costs")
    assert story.seen(delta_id) != seen
    refusal = refused(story, accept(story, delta_id, seen=seen))
    assert refusal is not None
    assert refusal[:2] == (StaleError, "conflict")
