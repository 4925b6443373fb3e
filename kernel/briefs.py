"""The brief compiler: from an accepted task to the least context a run needs.

Nodes are chosen by need - the target, what it stands in, what it serves, what binds it, what it needs - never
because they are shared. The receipt says of every other active node why it was left out. The proof that the
result is lawful is written independently in `kernel/rules/briefing.py`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from kernel.canonical import canonical_bytes, digest
from kernel.commands import CompileBrief
from kernel.errors import NotFoundError, RefusedError
from kernel.reducer.operations import record_digest
from kernel.rules.briefing import induced_relations, is_inside
from kernel.rules.graph import active_node, ancestors
from kernel.rules.limits import BRIEF_NODES_MAX
from kernel.state import State, Tables
from kernel.values.records import Node
from kernel.values.work import Contract, OmittedNode, Profile, RequirementTerm, SharedNode, Terms
from kernel.vocabulary import NodeKind, RelationKind, Visibility

VIEW_DOMAIN: Final = "odeu.view-head.v1"

Need: TypeAlias = Literal[
    "target", "ancestor", "goal", "constraint", "decision", "dependency", "artifact", "evidence"
]

_BINDING: Final[dict[NodeKind, Need]] = {
    NodeKind.CONSTRAINT: "constraint",
    NodeKind.DECISION: "decision",
}
"""Kinds that bind a task when they stand beside it or beside what it stands in; goals only by what they serve."""

_LINE: Final[dict[NodeKind, Need]] = {NodeKind.GOAL: "goal", NodeKind.ARTIFACT: "artifact"}
"""Why a node that the task stands in is needed, when it is more than an ancestor."""


@dataclass(frozen=True, slots=True)
class BriefOrder:
    """What to compile: the task, the profile accepted with it, and the commit the branch holds now."""

    node_id: str
    profile: Profile
    base_commit: str


def compile_brief(state: State, order: BriefOrder) -> CompileBrief:
    """Return the command that records the brief: shared nodes with needs, receipt, terms and exact payload.

    Shape: the target first, then by need; at most `BRIEF_NODES_MAX` nodes. O(active nodes) for the receipt.
    Raises: RefusedError when the node is no Task under this profile.
    """
    task = active_node(state.tables, order.node_id)
    _require_fit(task, order.profile)
    needs = _needs(state.tables, task, order.profile)
    shared = _shared(needs)
    ids = {item.node_id for item in shared}
    relations = induced_relations(state.tables, ids)
    omitted = _omitted(state.tables, ids, needs.over_budget)
    contract = order.profile.contract
    counted = sum(item.reason != "private" for item in omitted)
    payload = _payload(state, contract, needs.included, relations=relations, omitted=counted)
    return CompileBrief(
        node_id=task.id,
        base_commit=order.base_commit,
        terms=terms_of(contract),
        runtime_ids=order.profile.runtime_ids,
        shared=shared,
        relations=relations,
        omitted=omitted,
        payload=payload,
    )


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What a brief would hold, without a line for each node that stays out of it."""

    shared: tuple[SharedNode, ...]
    omitted: Mapping[str, int]
    """Reason -> how many nodes would be left out for it."""


def foresee_brief(state: State, order: BriefOrder, *, active: int, private: int) -> Foreseen:
    """Return what `compile_brief` would share and how many nodes it would leave out. O(nodes shared).

    `active` and `private` say how many active nodes the worldstate has, and how many of these are private.

    Raises: RefusedError when the node is no Task under this profile.
    """
    task = active_node(state.tables, order.node_id)
    _require_fit(task, order.profile)
    needs = _needs(state.tables, task, order.profile)
    over = len(needs.over_budget)
    omitted = {
        "private": private,
        "out_of_scope": active - private - over - len(needs.included),
        "over_budget": over,
    }
    return Foreseen(_shared(needs), omitted)


def _shared(needs: "_Needs") -> tuple[SharedNode, ...]:
    return tuple(
        SharedNode(node_id=node.id, digest=record_digest(node), reason=need) for node, need in needs.included
    )


def _require_fit(task: Node, profile: Profile) -> None:
    if task.kind not in profile.target_kinds or task.kind is not NodeKind.TASK:
        message = f"the profile {profile.contract.profile_id!r} does not fit a {task.kind.value}"
        raise RefusedError(message)
    if task.visibility is Visibility.PRIVATE:
        message = "this task is private and stays on this machine, so no brief can be made of it"
        raise RefusedError(message, code="private_node")
    if task.profile_id != profile.contract.profile_id:
        named = "no profile" if task.profile_id is None else f"the profile {task.profile_id!r}"
        message = f"the task was accepted with {named}; propose {profile.contract.profile_id!r} on it first"
        raise RefusedError(message, code="profile_not_accepted")


@dataclass(frozen=True, slots=True)
class _Needs:
    included: tuple[tuple[Node, Need], ...]
    over_budget: frozenset[str]


def _needs(tables: Tables, task: Node, profile: Profile) -> _Needs:
    found: dict[str, tuple[Node, Need]] = {}
    beyond: set[str] = set()
    for node_id, need in _wanted(tables, task, profile):
        node = tables.nodes[node_id]
        if node_id in found or node.retired_in is not None or node.visibility is Visibility.PRIVATE:
            continue
        if len(found) >= BRIEF_NODES_MAX:
            beyond.add(node_id)
        else:
            found[node_id] = (node, need)
    return _Needs(tuple(found.values()), frozenset(beyond))


def _wanted(tables: Tables, task: Node, profile: Profile) -> Iterator[tuple[str, Need]]:
    """Yield node ids by need, the most needed first; a node may come more than once."""
    yield task.id, "target"
    yield from _related(tables, task.id, RelationKind.REFINES, "goal")
    yield from _related(tables, task.id, RelationKind.IMPLEMENTS, "artifact")
    yield from _related(tables, task.id, RelationKind.DEPENDS_ON, "dependency")
    yield from _artifacts(tables, task, profile)
    line = ancestors(tables, task.id)
    for node_id in line:
        yield node_id, _LINE.get(tables.nodes[node_id].kind, "ancestor")
    for node_id in (task.id, *line):
        for child_id in tables.children.get(node_id) or ():
            need = _BINDING.get(tables.nodes[child_id].kind)
            if need is not None:
                yield child_id, need
    yield from _related(tables, task.id, RelationKind.EVIDENCED_BY, "evidence")


def _related(tables: Tables, node_id: str, kind: RelationKind, need: Need) -> Iterator[tuple[str, Need]]:
    for relation_id in tables.links.get(node_id) or ():
        relation = tables.relations[relation_id]
        if relation.kind is kind and relation.from_id == node_id:
            yield relation.to_id, need


def _artifacts(tables: Tables, task: Node, profile: Profile) -> Iterator[tuple[str, Need]]:
    """Yield the artifacts near the task that stand for paths the profile expects or lets the work change."""
    contract = profile.contract
    for node_id in (task.id, *ancestors(tables, task.id)):
        for child_id in tables.children.get(node_id) or ():
            path = tables.nodes[child_id].artifact_path
            if path is not None and is_inside((*contract.expected_artifacts, *contract.allowed_paths), path):
                yield child_id, "artifact"


def _omitted(tables: Tables, shared: set[str], over_budget: frozenset[str]) -> tuple[OmittedNode, ...]:
    receipt = []
    for node in tables.nodes.rows():
        if node.retired_in is not None or node.id in shared:
            continue
        if node.visibility is Visibility.PRIVATE:
            receipt.append(OmittedNode(node_id=node.id, reason="private"))
        elif node.id in over_budget:
            receipt.append(OmittedNode(node_id=node.id, reason="over_budget"))
        else:
            receipt.append(OmittedNode(node_id=node.id, reason="out_of_scope"))
    return tuple(receipt)


def terms_of(contract: Contract) -> Terms:
    """Return the structure of a contract without its words."""
    return Terms(
        profile_id=contract.profile_id,
        profile_version=contract.profile_version,
        profile_digest=contract.profile_digest,
        repository_id=contract.repository_id,
        target_ref=contract.target_ref,
        allowed_paths=contract.allowed_paths,
        expected_artifacts=contract.expected_artifacts,
        requirements=tuple(
            RequirementTerm.model_validate(item.model_dump(exclude={"label"}))
            for item in contract.requirements
        ),
        block_integration=contract.block_integration,
    )


def _payload(
    state: State,
    contract: Contract,
    included: tuple[tuple[Node, Need], ...],
    *,
    relations: tuple[str, ...],
    omitted: int,
) -> str:
    """Return the exact worker-visible brief: no omitted title, no count of private nodes, no head, no secret."""
    nodes = [_node_view(node, need) for node, need in included]
    joined = [_relation_view(state.tables, relation_id) for relation_id in relations]
    context = {"nodes": nodes, "relations": joined, "omitted_count": omitted}
    content = {
        "format": "odeu.brief.v1",
        "task": nodes[0]["id"],
        "goal": contract.goal,
        "done_means": contract.done_means,
        "constraints": contract.constraints,
        "actions": {
            "allowed": contract.allowed_actions,
            "denied": contract.denied_actions,
            "confirm": contract.confirm_actions,
        },
        "allowed_paths": contract.allowed_paths,
        "expected_artifacts": contract.expected_artifacts,
        "evidence": [
            {"id": item.id, "label": item.label, "kind": item.kind, "required": item.required}
            for item in contract.requirements
        ],
        "context": context,
    }
    return canonical_bytes({**content, "view_head": digest(VIEW_DOMAIN, content)}).decode()


def _node_view(node: Node, need: Need) -> dict[str, str | None]:
    return {
        "id": node.id,
        "kind": node.kind.value,
        "title": node.title.or_erased(),
        "description": None if node.description is None else node.description.or_erased(),
        "governance": node.governance.value,
        "phase": node.phase.value,
        "verification": node.verification.value,
        "path": node.artifact_path,
        "because": need,
    }


def _relation_view(tables: Tables, relation_id: str) -> dict[str, str]:
    relation = tables.relations[relation_id]
    return {"kind": relation.kind.value, "from": relation.from_id, "to": relation.to_id}


def profile_for(state: State, node_id: str, profiles: tuple[Profile, ...], wished: str | None) -> Profile:
    """Return the profile to compile under: the wished one, or the one accepted with the task.

    Raises: NotFoundError when there is none of that name.
    """
    task = active_node(state.tables, node_id)
    name = wished or task.profile_id
    for profile in profiles:
        if profile.contract.profile_id == name:
            return profile
    message = "the task names no profile" if name is None else f"no profile {name!r} is configured"
    raise NotFoundError(message)
