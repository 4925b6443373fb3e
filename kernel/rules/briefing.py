"""The proof of a brief, independent of the compiler: what it shares is true, needed and all it may share."""

from typing import Any

from kernel.canonical import decode_canonical, digest
from kernel.errors import CanonicalError, EvidenceError, InvalidError, RefusedError
from kernel.events.delegation import BriefCompiled
from kernel.reducer.operations import record_digest
from kernel.rules.graph import active_node, ancestors
from kernel.rules.limits import BRIEF_NODES_MAX
from kernel.state import State, Tables
from kernel.values.records import Node
from kernel.values.work import SharedNode
from kernel.vocabulary import NodeKind, RelationKind, Visibility

PAYLOAD_DOMAIN = "odeu.brief-payload.v1"
"""Domain tag of the digest over a brief's exact payload text."""

PAYLOAD_FIELDS = frozenset(
    {
        "format",
        "task",
        "goal",
        "done_means",
        "constraints",
        "actions",
        "allowed_paths",
        "expected_artifacts",
        "evidence",
        "context",
        "view_head",
    }
)
"""What a worker-visible brief says, and nothing else."""


def moved_context(tables: Tables, shared: tuple[SharedNode, ...]) -> tuple[str, ...]:
    """Return ids of shared nodes that are no longer what the brief shared."""
    changed = []
    for item in shared:
        node = tables.nodes.get(item.node_id)
        if node is None or record_digest(node) != item.digest:
            changed.append(item.node_id)
    return tuple(changed)


def prove_brief(state: State, body: BriefCompiled) -> None:
    """Refuse a brief that shares a wrong, private or changed node, hides an omission or rewrites a text.

    Raises: RefusedError, InvalidError or EvidenceError.
    """
    task = active_node(state.tables, body.node_id)
    if task.kind is not NodeKind.TASK or task.profile_id != body.terms.profile_id:
        message = "a brief is compiled for a Task under the profile that was accepted with it"
        raise RefusedError(message)
    _check_requirements(body)
    _prove_shared(state, body)
    _prove_needs(state.tables, body)
    _prove_relations(state.tables, body)
    _prove_omissions(state.tables, body)
    _prove_payload(state.tables, body)


def _check_requirements(body: BriefCompiled) -> None:
    ids = [term.id for term in body.terms.requirements]
    if len(set(ids)) != len(ids) or not any(term.required for term in body.terms.requirements):
        message = "a contract demands at least one piece of evidence, each under a name of its own"
        raise InvalidError(message)


def _prove_shared(state: State, body: BriefCompiled) -> None:
    ids = [item.node_id for item in body.shared]
    if len(set(ids)) != len(ids) or len(ids) > BRIEF_NODES_MAX:
        message = f"a brief shares each node once, at most {BRIEF_NODES_MAX}"
        raise InvalidError(message)
    if [item.node_id for item in body.shared if item.reason == "target"] != [body.node_id]:
        message = "a brief shares its task as its one target"
        raise InvalidError(message)
    for item in body.shared:
        node = active_node(state.tables, item.node_id)
        if node.visibility is not Visibility.SHARED:
            message = f"node {node.id} is private and cannot be shared"
            raise RefusedError(message, code="private_node")
        if record_digest(node) != item.digest:
            message = f"node {node.id} is not what the brief says it is"
            raise EvidenceError(message)


def _prove_needs(tables: Tables, body: BriefCompiled) -> None:
    """Refuse a shared node whose stated need is not one the worldstate knows of."""
    line = ancestors(tables, body.node_id)
    near = {child for place in (body.node_id, *line) for child in tables.children.get(place) or ()}
    linked: dict[str, set[RelationKind]] = {}
    for relation_id in tables.links.get(body.node_id) or ():
        relation = tables.relations[relation_id]
        if relation.from_id == body.node_id:
            linked.setdefault(relation.to_id, set()).add(relation.kind)
    for item in body.shared:
        kind, joined = tables.nodes[item.node_id].kind, linked.get(item.node_id, set())
        needed = {
            "target": item.node_id == body.node_id,
            "ancestor": item.node_id in line,
            "goal": RelationKind.REFINES in joined or (kind is NodeKind.GOAL and item.node_id in line),
            "constraint": kind is NodeKind.CONSTRAINT and item.node_id in near,
            "decision": kind is NodeKind.DECISION and item.node_id in near,
            "dependency": RelationKind.DEPENDS_ON in joined,
            "artifact": RelationKind.IMPLEMENTS in joined
            or (kind is NodeKind.ARTIFACT and item.node_id in line)
            or (item.node_id in near and _is_of_the_work(tables.nodes[item.node_id], body)),
            "evidence": RelationKind.EVIDENCED_BY in joined,
        }
        if not needed[item.reason]:
            message = f"the brief shares node {item.node_id} as {item.reason}, which it is not"
            raise EvidenceError(message, code="not_needed")


def _is_of_the_work(node: Node, body: BriefCompiled) -> bool:
    paths = (*body.terms.expected_artifacts, *body.terms.allowed_paths)
    return node.artifact_path is not None and is_inside(paths, node.artifact_path)


def is_inside(named: tuple[str, ...], path: str) -> bool:
    """Tell whether the path is named, or lies in a named folder (a name ending in `/`).

    A path that climbs out of its folder is never inside, whatever it begins with.
    """
    if any(part in {"", ".", ".."} for part in path.split("/")):
        return False
    return any(path == name or (name.endswith("/") and path.startswith(name)) for name in named)


def _prove_relations(tables: Tables, body: BriefCompiled) -> None:
    if body.relations != induced_relations(tables, {item.node_id for item in body.shared}):
        message = "a brief carries exactly the relations between the nodes it shares"
        raise EvidenceError(message)


def induced_relations(tables: Tables, node_ids: set[str]) -> tuple[str, ...]:
    """Return the ids of active relations with both ends among `node_ids`, sorted."""
    found = {
        relation_id
        for node_id in node_ids
        for relation_id in tables.links.get(node_id) or ()
        if tables.relations[relation_id].from_id in node_ids
        and tables.relations[relation_id].to_id in node_ids
    }
    return tuple(sorted(found))


def _prove_omissions(tables: Tables, body: BriefCompiled) -> None:
    shared = {item.node_id for item in body.shared}
    expected = [node.id for node in tables.nodes.rows() if node.retired_in is None and node.id not in shared]
    if [item.node_id for item in body.omitted] != expected:
        message = "a brief's receipt lists every active node it leaves out, and no other"
        raise EvidenceError(message)
    for item in body.omitted:
        private = tables.nodes[item.node_id].visibility is Visibility.PRIVATE
        crowded = item.reason != "over_budget" or len(body.shared) == BRIEF_NODES_MAX
        if private != (item.reason == "private") or not crowded:
            message = f"the reason for leaving out node {item.node_id} is not true"
            raise EvidenceError(message)


def _prove_payload(tables: Tables, body: BriefCompiled) -> None:
    text = body.payload.text
    if text is None:
        return
    if digest(PAYLOAD_DOMAIN, text.encode("utf-8")) != body.payload_digest:
        message = "the brief's digest is not that of its payload"
        raise InvalidError(message)
    payload = _read_payload(text)
    nodes, relations = payload["context"]["nodes"], payload["context"]["relations"]
    if [item.get("id") for item in nodes] != [item.node_id for item in body.shared]:
        message = "the payload speaks of other nodes than the brief shares"
        raise EvidenceError(message)
    for said, item in zip(nodes, body.shared, strict=True):
        if said != _true_node(tables.nodes[item.node_id], item.reason):
            message = f"the payload rewrites the words of node {item.node_id}"
            raise EvidenceError(message)
    if relations != [_true_relation(tables, item) for item in body.relations]:
        message = "the payload speaks of other relations than the brief carries"
        raise EvidenceError(message)
    # Private nodes are not counted: not even how many there are is an agent's to know. Earlier briefs did.
    counted = sum(item.reason != "private" for item in body.omitted)
    if payload["context"]["omitted_count"] not in {counted, len(body.omitted)}:
        message = "the payload miscounts what was left out"
        raise EvidenceError(message)
    _prove_terms(payload, body)


def _read_payload(text: str) -> Any:  # noqa: ANN401 - JSON of the shape it checks
    try:
        payload = decode_canonical(text.encode("utf-8"))
    except CanonicalError as error:
        message = f"the brief's payload is not canonical: {error}"
        raise InvalidError(message) from error
    context = payload.get("context") if isinstance(payload, dict) else None
    shaped = (
        isinstance(context, dict)
        and set(payload) == PAYLOAD_FIELDS
        and set(context) == {"nodes", "relations", "omitted_count"}
        and isinstance(context["nodes"], list)
        and all(isinstance(item, dict) for item in context["nodes"])
    )
    if not shaped:
        message = "the brief's payload does not have exactly the fields of a brief"
        raise InvalidError(message)
    return payload


def _true_node(node: Node, reason: str) -> dict[str, str | None]:
    return {
        "id": node.id,
        "kind": node.kind.value,
        "title": node.title.or_erased(),
        "description": None if node.description is None else node.description.or_erased(),
        "governance": node.governance.value,
        "phase": node.phase.value,
        "verification": node.verification.value,
        "path": node.artifact_path,
        "because": reason,
    }


def _true_relation(tables: Tables, relation_id: str) -> dict[str, str]:
    relation = tables.relations[relation_id]
    return {"kind": relation.kind.value, "from": relation.from_id, "to": relation.to_id}


def _prove_terms(payload: Any, body: BriefCompiled) -> None:  # noqa: ANN401 - JSON
    said = (payload["task"], payload["allowed_paths"], payload["expected_artifacts"], payload["evidence"])
    evidence = [
        {"id": term.id, "kind": term.kind, "required": term.required} for term in body.terms.requirements
    ]
    unlabelled = (
        [{key: value for key, value in item.items() if key != "label"} for item in said[3]]
        if isinstance(said[3], list) and all(isinstance(item, dict) for item in said[3])
        else None
    )
    true = (body.node_id, list(body.terms.allowed_paths), list(body.terms.expected_artifacts))
    if said[:3] != true or unlabelled != evidence:
        message = "the payload promises other terms than the brief's contract"
        raise EvidenceError(message)
