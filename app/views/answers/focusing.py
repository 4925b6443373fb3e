"""The Focus answer: one node, what it is, where it sits, what supports it, what would change it."""

from app.views.answers.answering import node_answer, node_ref, waiting_proposals
from app.views.answers.records import Answer, NodeAnswer, NodeRef, ProposalAnswer
from kernel.errors import NotFoundError
from kernel.rules.graph import ancestors
from kernel.state import State
from kernel.values.records import Relation


class RelationAnswer(Answer):
    """A relation as seen from the node in focus."""

    kind: str
    outgoing: bool
    node: NodeRef


class SourceAnswer(Answer):
    """Words a node came from."""

    source_id: str
    by: str
    at: str
    text: str


class FocusAnswer(Answer):
    """One node in focus."""

    project_id: str
    revision: int
    node: NodeAnswer
    path: tuple[NodeRef, ...]
    """From the root down to the parent."""
    relations: tuple[RelationAnswer, ...]
    sources: tuple[SourceAnswer, ...]
    proposals: tuple[ProposalAnswer, ...]
    """Proposals that would change it or stand under it."""

    def lines(self) -> list[str]:
        """Return the answer as lines for a person."""
        where = " > ".join(item.title for item in self.path)
        node = self.node
        lines = [f"{node.title} ({node.kind})", f"in {where}" if where else "the root"]
        lines.append(f"{node.governance}, work {node.phase}, {node.verification}")
        if node.description:
            lines.append(node.description)
        for relation in self.relations:
            arrow = "→" if relation.outgoing else "←"
            lines.append(f"{arrow} {relation.kind} {relation.node.title}")
        lines.extend(f"“{source.text}” - {source.by}, {source.at}" for source in self.sources)
        lines.extend(f"suggested: {item.title}  {item.delta_id}" for item in self.proposals)
        return lines


def focus_answer(state: State, node_id: str | None = None) -> FocusAnswer:
    """Return one node in focus; the latest added one when none is named.

    Raises: NotFoundError.
    """
    tables = state.tables
    wanted = node_id or _latest(state)
    if wanted not in tables.nodes:
        message = f"there is no node {wanted}"
        raise NotFoundError(message)
    line = tuple(reversed(ancestors(tables, wanted)))
    relations = [tables.relations[item] for item in tables.links.get(wanted) or ()]
    touching = [item for item in waiting_proposals(state) if _touches(state, item.delta_id, wanted)]
    return FocusAnswer(
        project_id=state.ledger,
        revision=state.revision,
        node=node_answer(tables, wanted, len(line)),
        path=tuple(node_ref(tables, item) for item in line),
        relations=tuple(_relation(state, item, wanted) for item in relations),
        sources=tuple(
            _source(state, item) for item in tables.nodes[wanted].source_ids if item in state.sources
        ),
        proposals=tuple(touching),
    )


def _latest(state: State) -> str:
    newest = max(state.tables.nodes.rows(), key=lambda node: (node.created_in, node.id))
    return newest.id


def _touches(state: State, delta_id: str, node_id: str) -> bool:
    return any(touch.id == node_id for touch in state.deltas[delta_id].body.touches)


def _relation(state: State, relation: Relation, node_id: str) -> RelationAnswer:
    outgoing = relation.from_id == node_id
    other = relation.to_id if outgoing else relation.from_id
    return RelationAnswer(kind=relation.kind.value, outgoing=outgoing, node=node_ref(state.tables, other))


def _source(state: State, source_id: str) -> SourceAnswer:
    record = state.sources[source_id]
    return SourceAnswer(
        source_id=source_id,
        by=record.origin.actor.id,
        at=record.origin.at,
        text=record.body.content.or_erased(),
    )
