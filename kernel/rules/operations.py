"""Lawfulness of a delta's operations over the canonical tables, checked one by one in their order."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from kernel.errors import InvalidError, RefusedError
from kernel.ids import is_id
from kernel.reducer.operations import Acceptance, apply, record_digest
from kernel.rules.graph import active_node, check_relation
from kernel.rules.limits import DESCRIPTION_BYTES_MAX, OPERATIONS_MAX, TITLE_CHARS_MAX
from kernel.rules.text import require_bytes, require_name, require_title
from kernel.state import Tables
from kernel.values.records import (
    NodeAdd,
    NodeClear,
    NodePatch,
    NodeRetire,
    Operation,
    RelationAdd,
    RelationRetire,
    Touch,
)
from kernel.vocabulary import NodeKind, Phase, RelationKind, Verification, Visibility

PHASES: Final[dict[Phase, frozenset[Phase]]] = {
    Phase.NONE: frozenset(),
    Phase.PLANNED: frozenset({Phase.BLOCKED, Phase.COMPLETED}),
    Phase.BLOCKED: frozenset({Phase.PLANNED, Phase.COMPLETED}),
    Phase.COMPLETED: frozenset({Phase.PLANNED, Phase.BLOCKED}),
}
"""Work phase -> phases an accepted delta may set next. Leaving `completed` also ends `verified`."""

_PLACEABLE: Final = frozenset(NodeKind) - {NodeKind.WORLD, NodeKind.PROJECT, NodeKind.AGENT_RUN}


def checked(tables: Tables, operations: tuple[Operation, ...], acceptance: Acceptance) -> Tables:
    """Return the tables after lawful operations; refuse the first unlawful one.

    Raises: RefusedError or InvalidError naming the step.
    """
    if not operations or len(operations) > OPERATIONS_MAX:
        message = f"a delta has 1 to {OPERATIONS_MAX} operations, this one has {len(operations)}"
        raise InvalidError(message)
    for operation in operations:
        _CHECKS[operation.op](tables, operation, acceptance)
        tables = apply(tables, (operation,), acceptance)
    _check_places(tables, operations)
    _check_evidence(tables, operations)
    return tables


def _check_evidence(tables: Tables, operations: tuple[Operation, ...]) -> None:
    for node_id in unproven(tables, operations):
        title = tables.nodes[node_id].title.or_erased()
        message = (
            f"“{title}” would be called verified without its evidence; say that it is not verified any more"
        )
        raise RefusedError(message, code="evidence_gate_blocked")


def unproven(tables: Tables, operations: tuple[Operation, ...]) -> Iterator[str]:
    """Yield the work that is still called verified, though the operations ended its last relation to evidence.

    `tables` are those after the operations.
    """
    ended = (
        tables.relations.get(item.relation_id) for item in operations if isinstance(item, RelationRetire)
    )
    started = {item.from_id: None for item in ended if item and item.kind is RelationKind.EVIDENCED_BY}
    for node_id in started:
        node = tables.nodes[node_id]
        links = (tables.relations[item] for item in tables.links.get(node_id) or ())
        is_proven = any(item.kind is RelationKind.EVIDENCED_BY and item.from_id == node_id for item in links)
        if node.retired_in is None and node.verification is Verification.VERIFIED and not is_proven:
            yield node_id


def _check_places(tables: Tables, operations: tuple[Operation, ...]) -> None:
    for node_id in _loosened(tables, operations):
        if tables.nodes[node_id].retired_in is None and node_id not in tables.parent:
            message = f"node {node_id} would belong nowhere"
            raise RefusedError(message, code="no_parent")


def _loosened(tables: Tables, operations: tuple[Operation, ...]) -> Iterator[str]:
    """Yield the nodes that the operations added or took from their place."""
    for operation in operations:
        if isinstance(operation, NodeAdd):
            yield operation.node_id
        elif isinstance(operation, RelationRetire):
            relation = tables.relations[operation.relation_id]
            if relation.kind is RelationKind.BELONGS_TO:
                yield relation.from_id


def _node_add(tables: Tables, operation: NodeAdd, acceptance: Acceptance) -> None:
    if not is_id(operation.node_id, "node") or operation.node_id in tables.nodes:
        message = f"node id {operation.node_id!r} is malformed or already used"
        raise InvalidError(message)
    if operation.kind not in _PLACEABLE:
        message = f"{operation.kind.value} is no kind that a proposal can add"
        raise RefusedError(message, code="kind_not_placeable")
    if operation.kind is NodeKind.EVIDENCE and operation.phase is not Phase.NONE:
        message = "evidence has no work phase"
        raise InvalidError(message)
    if (operation.kind is NodeKind.TASK) != (operation.phase is not Phase.NONE):
        message = "a Task has a work phase, and only a Task"
        raise InvalidError(message)
    if operation.phase is Phase.COMPLETED and acceptance.by_evidence:
        message = "a reconciliation adds no completed work of its own"
        raise RefusedError(message)
    if len(set(operation.source_ids)) != len(operation.source_ids):
        message = f"node {operation.node_id} names a source twice"
        raise InvalidError(message)
    _check_fields(operation.kind, operation)


def _check_fields(kind: NodeKind, operation: NodeAdd | NodePatch) -> None:
    require_title(operation.title, TITLE_CHARS_MAX, "title")
    require_bytes(operation.description, DESCRIPTION_BYTES_MAX, "description")
    if operation.profile_id is not None and kind is not NodeKind.TASK:
        message = "only a Task carries a delegation profile"
        raise InvalidError(message)
    if operation.profile_id is not None:
        require_name(operation.profile_id, "delegation profile")
    if operation.artifact_path is None:
        return
    if kind is not NodeKind.ARTIFACT:
        message = "only an Artifact stands for a path"
        raise InvalidError(message)
    parts = operation.artifact_path.split("/")
    if any(part in {"", ".", ".."} for part in parts) or "\\" in operation.artifact_path:
        message = f"the path {operation.artifact_path!r} is not relative and normalised"
        raise InvalidError(message)


def _node_patch(tables: Tables, operation: NodePatch, acceptance: Acceptance) -> None:
    node = active_node(tables, operation.node_id)
    changes = operation.model_dump(exclude={"op", "node_id"}, exclude_none=True)
    if not changes.pop("add_source_ids") and not changes:
        message = f"the change of node {operation.node_id} changes nothing"
        raise InvalidError(message)
    _check_fields(node.kind, operation)
    if operation.verification is Verification.VERIFIED and not acceptance.by_evidence:
        message = "verified enters only through a reconciliation of evidence"
        raise RefusedError(message, code="evidence_gate_blocked")
    same_phase = operation.phase is None or operation.phase is node.phase
    if not same_phase and operation.phase not in PHASES[node.phase]:
        wished = "" if operation.phase is None else operation.phase.value
        message = f"work cannot go from {node.phase.value} to {wished}"
        raise RefusedError(message, code="phase_transition")
    if operation.visibility is not None:
        _check_visibility(tables, operation)


def _node_clear(tables: Tables, operation: NodeClear, _acceptance: Acceptance) -> None:
    node = active_node(tables, operation.node_id)
    filled = all(getattr(node, name) is not None for name in operation.fields)
    if not operation.fields or len(set(operation.fields)) != len(operation.fields) or not filled:
        message = f"the fields to empty of node {operation.node_id} are each named once and filled"
        raise InvalidError(message)


def _check_visibility(tables: Tables, operation: NodePatch) -> None:
    parent_id = tables.parent.get(operation.node_id)
    if parent_id is None:
        message = "the root is always shared"
        raise RefusedError(message, code="visibility_mismatch")
    if operation.visibility is Visibility.SHARED:
        if tables.nodes[parent_id].visibility is Visibility.PRIVATE:
            message = "a shared node cannot stand under a private one"
            raise RefusedError(message, code="visibility_mismatch")
        return
    for child_id in tables.children.get(operation.node_id) or ():
        if tables.nodes[child_id].visibility is Visibility.SHARED:
            message = "a private node cannot hold shared ones; make those private first"
            raise RefusedError(message, code="visibility_mismatch")


def _node_retire(tables: Tables, operation: NodeRetire, _acceptance: Acceptance) -> None:
    node = active_node(tables, operation.node_id)
    if node.kind in {NodeKind.WORLD, NodeKind.PROJECT}:
        message = (
            f"“{node.title.or_erased()}” is the {node.kind.value.lower()} itself: it is archived, not retired"
        )
        raise RefusedError(message, code="root_not_retired")
    if tables.links.get(operation.node_id):
        message = f"node {operation.node_id} still has active relations; retire those first"
        raise RefusedError(message, code="still_related")


def _relation_add(tables: Tables, operation: RelationAdd, _acceptance: Acceptance) -> None:
    if not is_id(operation.relation_id, "relation") or operation.relation_id in tables.relations:
        message = f"relation id {operation.relation_id!r} is malformed or already used"
        raise InvalidError(message)
    check_relation(tables, operation)


def _relation_retire(tables: Tables, operation: RelationRetire, _acceptance: Acceptance) -> None:
    relation = tables.relations.get(operation.relation_id)
    if relation is None or relation.retired_in is not None:
        message = f"relation {operation.relation_id} does not exist or is retired"
        raise RefusedError(message, code="reference_missing")


_CHECKS: Final[dict[str, Callable[[Tables, Any, Acceptance], None]]] = {
    "node.add": _node_add,
    "node.patch": _node_patch,
    "node.clear": _node_clear,
    "node.retire": _node_retire,
    "relation.add": _relation_add,
    "relation.retire": _relation_retire,
}


def refusal_of_step(tables: Tables, operation: Operation, acceptance: Acceptance) -> str | None:
    """Return in a sentence why one step is not lawful on these tables; None when it is."""
    try:
        _CHECKS[operation.op](tables, operation, acceptance)
    except RefusedError as error:
        return error.message
    return None


def unlawful(tables: Tables, operations: tuple[Operation, ...], acceptance: Acceptance) -> tuple[str, ...]:
    """Return, in a sentence each, the steps that are not lawful on these tables; what they would make is passed over.

    Steps that only fail because an earlier one did are not told again. O(operations).
    """
    told: list[str] = []
    lost: set[str] = set()
    for operation in operations:
        if lost.intersection(_pointed_at(operation)):
            lost.update(_made_by(operation))
            continue
        refusal = refusal_of_step(tables, operation, acceptance)
        if refusal is not None:
            told.append(refusal)
            lost.update(_made_by(operation))
            continue
        tables = apply(tables, (operation,), acceptance)
    if not told:
        try:
            _check_places(tables, operations)
            _check_evidence(tables, operations)
        except RefusedError as error:
            told.append(error.message)
    return tuple(told)


def _made_by(operation: Operation) -> tuple[str, ...]:
    return (operation.node_id,) if isinstance(operation, NodeAdd) else ()


def _pointed_at(operation: Operation) -> tuple[str, ...]:
    if isinstance(operation, RelationAdd):
        return (operation.from_id, operation.to_id)
    return () if isinstance(operation, NodeAdd | RelationRetire) else (operation.node_id,)


def touched(tables: Tables, *bundles: tuple[Operation, ...]) -> tuple[Touch, ...]:
    """Return every record the operations change or point at, with its digest now, sorted by kind and id.

    A record that the operations themselves add has no digest yet.
    """
    nodes: set[str] = set()
    relations: set[str] = set()
    for operation in (item for bundle in bundles for item in bundle):
        if isinstance(operation, RelationAdd):
            nodes.update((operation.from_id, operation.to_id))
            relations.add(operation.relation_id)
        elif isinstance(operation, RelationRetire):
            relations.add(operation.relation_id)
        else:
            nodes.add(operation.node_id)
    return tuple(
        [Touch(kind="node", id=item, digest=_digest_now(tables.nodes.get(item))) for item in sorted(nodes)]
        + [
            Touch(kind="relation", id=item, digest=_digest_now(tables.relations.get(item)))
            for item in sorted(relations)
        ]
    )


def _digest_now(record: Any) -> str | None:  # noqa: ANN401 - a Node or a Relation
    return None if record is None else record_digest(record)


def moved(tables: Tables, touches: tuple[Touch, ...]) -> tuple[Touch, ...]:
    """Return the touches whose record is no longer what it was."""
    return tuple(
        touch
        for touch in touches
        if _digest_now((tables.nodes if touch.kind == "node" else tables.relations).get(touch.id))
        != touch.digest
    )


def is_belonging(operation: Operation) -> bool:
    """Tell whether the operation places a node under another."""
    return isinstance(operation, RelationAdd) and operation.kind is RelationKind.BELONGS_TO
