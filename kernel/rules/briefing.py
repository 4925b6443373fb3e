"""The proof of a brief, independent of the compiler: what it shares is true, needed and all it may share."""

from typing import Any

from kernel.canonical import decode_canonical, digest
from kernel.errors import EvidenceError, InvalidError, RefusedError
from kernel.events.delegation import BriefCompiled
from kernel.reducer.operations import record_digest
from kernel.rules.graph import active_node
from kernel.rules.limits import BRIEF_NODES_MAX
from kernel.state import State, Tables
from kernel.values.work import SharedNode
from kernel.vocabulary import NodeKind, Visibility

PAYLOAD_DOMAIN = "odeu.brief-payload.v1"
"""Domain tag of the digest over a brief's exact payload text."""


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
    _prove_shared(state, body)
    _prove_relations(state.tables, body)
    _prove_omissions(state.tables, body)
    _prove_payload(state.tables, body)


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
        if private != (item.reason == "private"):
            message = f"the reason for leaving out node {item.node_id} is not true"
            raise EvidenceError(message)


def _prove_payload(tables: Tables, body: BriefCompiled) -> None:
    text = body.payload.text
    if text is None:
        return
    if digest(PAYLOAD_DOMAIN, text.encode("utf-8")) != body.payload_digest:
        message = "the brief's digest is not that of its payload"
        raise InvalidError(message)
    payload: Any = decode_canonical(text.encode("utf-8"))
    said = {item["id"]: (item["title"], item["description"]) for item in payload["context"]["nodes"]}
    if set(said) != {item.node_id for item in body.shared}:
        message = "the payload speaks of other nodes than the brief shares"
        raise EvidenceError(message)
    for node_id, (title, description) in said.items():
        node = tables.nodes[node_id]
        true_description = None if node.description is None else node.description.or_erased()
        if title != node.title.or_erased() or description != true_description:
            message = f"the payload rewrites the words of node {node_id}"
            raise EvidenceError(message)
    if payload["context"]["omitted_count"] != len(body.omitted):
        message = "the payload miscounts what was left out"
        raise EvidenceError(message)
