"""Acts on proposals. A result of work is integrated at its own boundary, never by an ordinary accept."""

from typing import Annotated, Final, Literal

from fastapi import APIRouter, Query
from pydantic import Field

from app.routes.api.contract import (
    Body,
    DeltaId,
    DeltaPath,
    Description,
    Key,
    NodeId,
    Revision,
    Seen,
    Slug,
    Title,
)
from app.routes.visiting import ApiVisitor, Visitor
from app.views.answers.answering import accept_answer, delta_answer, proposal_answer
from app.views.answers.records import AcceptAnswer, DeltaAnswer, ProposalAnswer
from kernel.commands import AcceptDelta, EditDelta, MoveDelta, RejectDelta
from kernel.errors import LifecycleError, NotFoundError
from kernel.rules.limits import ALTERNATIVES_MAX, REASON_BYTES_MAX
from kernel.state import DeltaRecord, State, revision_key
from kernel.values.records import NodeAdd
from kernel.vocabulary import NodeKind, Purpose

router: Final = APIRouter(tags=["reviews"])

Kind = Literal["Goal", "Idea", "Decision", "Constraint", "OpenQuestion", "Task", "Artifact", "Evidence"]
"""Kinds a person may give a node."""


Choice = Annotated[int, Query(ge=0, le=ALTERNATIVES_MAX)]


class Acceptance(Body):
    """A yes to exactly what was shown: `seen` is that of the choice."""

    expected_revision: Revision
    seen: Seen
    choice: Annotated[int, Field(ge=0, le=3)] = 0
    """0 as proposed, n for the n-th alternative."""


class Rejection(Body):
    """A no to what was shown."""

    seen: Seen
    reason: Annotated[str, Field(min_length=1, max_length=REASON_BYTES_MAX)] | None = None


class Edit(Body):
    """The person's own wording in place of what was shown."""

    seen: Seen
    title: Title
    description: Description | None = None
    kind: Kind
    profile_id: Slug | None = None


class Move(Body):
    """Another place for what was shown."""

    seen: Seen
    to_node_id: NodeId


class Integration(Body):
    """A yes to a result of work, bound to its gate list."""

    delta_id: DeltaId
    expected_revision: Revision
    seen: Seen


def found(visitor: Visitor, delta_id: str) -> tuple[State, DeltaRecord]:
    """Return a proposal and its ledger's state. Raises: NotFoundError when the visitor may know of none."""
    state = visitor.state_of(delta_id)
    record = state.deltas.get(delta_id)
    if record is None:
        message = f"there is no record {delta_id}"
        raise NotFoundError(message)
    return state, record


def _accept(visitor: Visitor, key: str, command: AcceptDelta, *, is_result: bool) -> AcceptAnswer:
    state, record = found(visitor, command.delta_id)
    if (record.body.purpose is Purpose.RECONCILIATION) is not is_result:
        where = "/integrations" if not is_result else "/deltas/{delta_id}/accept"
        message = f"a {record.body.purpose.value} is accepted at {where}"
        raise LifecycleError(message, code="other_boundary")
    done = visitor.studio.reviews.accept(visitor.caller(state.ledger, key), command)
    return _accepted(visitor, state.ledger, done.delta_id, shown=command.delta_id)


def _accepted(visitor: Visitor, project_id: str, delta_id: str, *, shown: str) -> AcceptAnswer:
    """Return one yes, in the numbers and roots that the visitor sees."""
    delta_id, state = visitor.known_as(project_id, delta_id), visitor.state(project_id)
    record = state.deltas[delta_id]
    revision = state.revisions[revision_key(record.revision or 0)]
    return accept_answer(
        project_id,
        delta_id=delta_id,
        revision=revision.number,
        state_root=revision.state_root,
        node_ids=tuple(item.node_id for item in record.operations if isinstance(item, NodeAdd)),
        rebased=None if delta_id == shown else shown,
    )


@router.get("/deltas/{delta_id}")
def read_delta(delta_id: DeltaPath, visitor: ApiVisitor, choice: Choice = 0) -> ProposalAnswer:
    """Return one choice of a proposal as it is shown now: 0 as proposed, n the n-th alternative.

    A yes carries the choice together with the `seen` that was returned with it.
    """
    state, record = found(visitor, delta_id)
    return proposal_answer(state, record, choice)


@router.post("/deltas/{delta_id}/accept")
def accept(delta_id: DeltaPath, body: Acceptance, visitor: ApiVisitor, key: Key) -> AcceptAnswer:
    """Say yes: one new revision."""
    command = AcceptDelta(delta_id, body.choice, body.expected_revision, body.seen)
    return _accept(visitor, key, command, is_result=False)


@router.post("/integrations")
def integrate(body: Integration, visitor: ApiVisitor, key: Key) -> AcceptAnswer:
    """Integrate a result of work: one new revision; no artifact moves."""
    command = AcceptDelta(body.delta_id, 0, body.expected_revision, body.seen)
    return _accept(visitor, key, command, is_result=True)


@router.post("/deltas/{delta_id}/reject")
def reject(delta_id: DeltaPath, body: Rejection, visitor: ApiVisitor, key: Key) -> DeltaAnswer:
    """Say no; the words are kept."""
    state, _record = found(visitor, delta_id)
    caller = visitor.caller(state.ledger, key)
    visitor.studio.reviews.reject(caller, RejectDelta(delta_id, body.reason, body.seen))
    return delta_answer(visitor.state(state.ledger), delta_id)


@router.post("/deltas/{delta_id}/edit")
def edit(delta_id: DeltaPath, body: Edit, visitor: ApiVisitor, key: Key) -> DeltaAnswer:
    """Replace a placement by one's own wording; the answer names the replacement."""
    state, _record = found(visitor, delta_id)
    command = EditDelta(
        delta_id=delta_id,
        title=body.title,
        description=body.description,
        kind=NodeKind(body.kind),
        seen=body.seen,
        profile_id=body.profile_id,
    )
    replacement = visitor.studio.reviews.edit(visitor.caller(state.ledger, key), command)
    return delta_answer(visitor.state(state.ledger), replacement)


@router.post("/deltas/{delta_id}/move")
def move(delta_id: DeltaPath, body: Move, visitor: ApiVisitor, key: Key) -> DeltaAnswer:
    """Replace a placement by the same one under another node; the answer names the replacement."""
    state, _record = found(visitor, delta_id)
    command = MoveDelta(delta_id, body.to_node_id, body.seen)
    replacement = visitor.studio.reviews.move(visitor.caller(state.ledger, key), command)
    return delta_answer(visitor.state(state.ledger), replacement)
