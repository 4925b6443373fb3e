"""Proposing to change an accepted node: other words, another place, relations, or its end."""

from typing import Annotated, Final, Literal

from fastapi import APIRouter
from pydantic import Field

from app.routes.api.contract import (
    Body,
    Description,
    Key,
    NodeId,
    NodePath,
    ProjectPath,
    RelationId,
    Revision,
    Slug,
    Title,
)
from app.routes.visiting import ApiVisitor
from app.views.answers.answering import proposal_answer
from app.views.answers.records import ProposalAnswer
from kernel.commands import Below, Join, ProposeCorrection
from kernel.rules.limits import REASON_BYTES_MAX
from kernel.vocabulary import Phase, RelationKind

router: Final = APIRouter(tags=["reviews"])

RELATIONS_MAX: Final = 32
"""How many relations one proposal may add, and how many it may end."""
_Joins = Literal[
    "refines",
    "depends_on",
    "conflicts_with",
    "supersedes",
    "implements",
    "evidenced_by",
    "originated_from",
]


class Relating(Body):
    """One relation to add."""

    kind: _Joins
    node_id: NodeId
    """The other node."""
    direction: Literal["to", "from"] = "to"
    """`to`: from the changed node to the other one; `from`: the other way round."""


class Change(Body):
    """What to propose for one node; what is null stays as it is, an empty text empties a field that may be empty."""

    expected_revision: Revision | None = None
    """The revision that was looked at: refused when something it is about changed since; null when that is all one."""
    reason: Annotated[str, Field(min_length=1, max_length=REASON_BYTES_MAX)] | None = None
    """Why, in the person's words."""
    title: Title | None = None
    description: Description | None = None
    phase: Literal["planned", "blocked", "completed"] | None = None
    """The work phase of a Task; `completed` is then shown as said by whoever accepts."""
    profile_id: Slug | Literal[""] | None = None
    """A delegation profile, for a Task."""
    under_node_id: NodeId | None = None
    """The node to belong to from now on."""
    relate: Annotated[tuple[Relating, ...], Field(max_length=RELATIONS_MAX, strict=False)] = ()
    unrelate: Annotated[tuple[RelationId, ...], Field(max_length=RELATIONS_MAX, strict=False)] = ()
    """Relations of the node to end."""
    retire: Literal["lifted", "retired"] | None = None
    """Retire the node, alone in the proposal; what belongs to it moves up to its place, or is retired too."""


@router.post("/projects/{project_id}/nodes/{node_id}/changes", status_code=201)
def change(
    project_id: ProjectPath, node_id: NodePath, body: Change, visitor: ApiVisitor, key: Key
) -> ProposalAnswer:
    """Propose to change an accepted node; nothing changes until the proposal is accepted."""
    ledger_id = visitor.project(project_id).ledger
    caller = visitor.caller(ledger_id, key)
    delta_id = visitor.studio.reviews.correct(ledger_id, caller, _command(node_id, body))
    state = visitor.state(ledger_id)
    return proposal_answer(state, state.deltas[visitor.known_as(ledger_id, delta_id)])


def _command(node_id: str, body: Change) -> ProposeCorrection:
    joins = (
        Join(RelationKind(item.kind), item.node_id, is_outgoing=item.direction == "to")
        for item in body.relate
    )
    return ProposeCorrection(
        node_id=node_id,
        rationale=body.reason,
        title=body.title,
        description=body.description,
        phase=None if body.phase is None else Phase(body.phase),
        profile_id=body.profile_id,
        under_id=body.under_node_id,
        joins=tuple(joins),
        parts=body.unrelate,
        retires=None if body.retire is None else Below(body.retire),
        expected_revision=body.expected_revision,
    )
