"""Later, not like this, in parts, the same again, and back: the review acts that make no revision."""

from typing import Annotated, Final

from fastapi import APIRouter, Path
from pydantic import Field

from app.routes.api.contract import (
    REVISION_MAX,
    Body,
    DeltaPath,
    Description,
    Key,
    NodeId,
    ProjectPath,
    Seen,
    Title,
)
from app.routes.api.reviews import Kind, found
from app.routes.visiting import ApiVisitor
from app.views.answers.deciding import (
    ArchiveAnswer,
    RenewedAnswer,
    SetAsideAnswer,
    SplitAnswer,
    archive_answer,
    renewed_answer,
    set_aside_answer,
)
from kernel.commands import (
    DeferDelta,
    Part,
    ProposeCompensation,
    RebaseDelta,
    RemandDelta,
    SplitDelta,
)
from kernel.rules.limits import CORRECTIONS_MAX, PARTS_MAX, PARTS_MIN, REASON_BYTES_MAX
from kernel.vocabulary import NodeKind

router: Final = APIRouter(tags=["reviews"])

_Reason = Annotated[str, Field(min_length=1, max_length=REASON_BYTES_MAX)]
_Moment = Annotated[
    str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$", min_length=27, max_length=27)
]


class Deferral(Body):
    """A decision put off."""

    seen: Seen
    until: _Moment | None = None
    """When it asks again, such as 2026-12-24T09:00:00.000000Z; null until somebody looks for it."""
    reason: _Reason | None = None


class Remand(Body):
    """A proposal sent back."""

    seen: Seen
    reason: _Reason
    corrections: Annotated[tuple[_Reason, ...], Field(min_length=1, max_length=CORRECTIONS_MAX, strict=False)]
    """What a replacement has to put right."""


class SplitPart(Body):
    """One of several placements."""

    kind: Kind
    title: Title
    to_node_id: NodeId
    description: Description | None = None


class Split(Body):
    """Several placements in place of one."""

    seen: Seen
    parts: Annotated[tuple[SplitPart, ...], Field(min_length=PARTS_MIN, max_length=PARTS_MAX, strict=False)]


class Renewal(Body):
    """The same proposal about the head."""

    seen: Seen


class Compensation(Body):
    """A revision to take back."""

    seen: Seen
    """The revision's state root, as shown."""
    reason: _Reason | None = None


class Reasoned(Body):
    """An act with a reason, if one wants to say it."""

    reason: _Reason | None = None


@router.post("/deltas/{delta_id}/defer")
def defer(delta_id: DeltaPath, body: Deferral, visitor: ApiVisitor, key: Key) -> SetAsideAnswer:
    """Decide later: the proposal leaves the queue until its moment, and can be decided all the while."""
    state, _record = found(visitor, delta_id)
    command = DeferDelta(delta_id, body.until, body.reason, body.seen)
    visitor.studio.reviews.defer(visitor.caller(state.ledger, key), command)
    return set_aside_answer(visitor.state(state.ledger), delta_id)


@router.post("/deltas/{delta_id}/remand")
def remand(delta_id: DeltaPath, body: Remand, visitor: ApiVisitor, key: Key) -> SetAsideAnswer:
    """Send a proposal back with what has to be put right: it can only be replaced or rejected from now on."""
    state, _record = found(visitor, delta_id)
    command = RemandDelta(delta_id, body.reason, body.corrections, body.seen)
    visitor.studio.reviews.remand(visitor.caller(state.ledger, key), command)
    return set_aside_answer(visitor.state(state.ledger), delta_id)


@router.post("/deltas/{delta_id}/split")
def split(delta_id: DeltaPath, body: Split, visitor: ApiVisitor, key: Key) -> SplitAnswer:
    """Replace a placement by several, each with its own words, kind and place; the sources stay."""
    state, _record = found(visitor, delta_id)
    parts = tuple(
        Part(NodeKind(part.kind), part.title, part.to_node_id, part.description) for part in body.parts
    )
    command = SplitDelta(delta_id, parts, body.seen)
    replacements = visitor.studio.reviews.split(visitor.caller(state.ledger, key), command)
    return SplitAnswer(project_id=state.ledger, delta_id=delta_id, replacement_ids=replacements)


@router.post("/deltas/{delta_id}/rebase")
def rebase(delta_id: DeltaPath, body: Renewal, visitor: ApiVisitor, key: Key) -> RenewedAnswer:
    """Replace a proposal by the same one about the head, for review; refused with every step that no longer applies."""
    state, _record = found(visitor, delta_id)
    caller = visitor.caller(state.ledger, key)
    replacement = visitor.studio.reviews.rebase(caller, RebaseDelta(delta_id, body.seen))
    return renewed_answer(visitor.state(state.ledger), replacement)


@router.post("/projects/{project_id}/revisions/{number}/compensate", status_code=201)
def compensate(
    project_id: ProjectPath,
    number: Annotated[int, Path(ge=1, le=REVISION_MAX)],
    body: Compensation,
    visitor: ApiVisitor,
    key: Key,
) -> RenewedAnswer:
    """Propose to take an accepted revision back; the answer says what later records would lose by it."""
    ledger_id = visitor.project(project_id).ledger
    command = ProposeCompensation(number, body.seen, body.reason)
    proposal = visitor.studio.reviews.compensate(ledger_id, visitor.caller(ledger_id, key), command)
    return renewed_answer(visitor.state(ledger_id), proposal)


@router.post("/projects/{project_id}/archive")
def archive(project_id: ProjectPath, body: Reasoned, visitor: ApiVisitor, key: Key) -> ArchiveAnswer:
    """Put a project away: it takes nothing new, and stays readable and exportable."""
    ledger_id = visitor.project(project_id).ledger
    visitor.studio.projects.archive(ledger_id, visitor.caller(ledger_id, key), body.reason)
    return archive_answer(visitor.state(ledger_id))


@router.post("/projects/{project_id}/restore")
def restore(project_id: ProjectPath, body: Reasoned, visitor: ApiVisitor, key: Key) -> ArchiveAnswer:
    """Take an archived project up again."""
    ledger_id = visitor.project(project_id).ledger
    visitor.studio.projects.restore(ledger_id, visitor.caller(ledger_id, key), body.reason)
    return archive_answer(visitor.state(ledger_id))
