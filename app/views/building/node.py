"""Builds the inspector of one node, accepted or only suggested."""

from typing import Final

from app.views.building.change import change_link
from app.views.building.quoting import node_quote
from app.views.moments import moment
from app.views.parts import (
    DRAFT,
    SUGGESTED,
    Fact,
    FamilyFact,
    KindMark,
    Link,
    NodeLink,
    Sentence,
)
from app.views.wording import (
    VERBS,
    Reading,
    capital,
    crumbs,
    families,
    family_words,
    origin_words,
    quote,
    short_id,
    speaker,
)
from app.views.worldstate.outline_parts import HistoryLine, NodeFacts, RelationLine
from kernel.projections.acts import DECIDERS, Act, acts_for
from kernel.projections.focus import Focus, Joined, focus, suggested
from kernel.projections.history import Change, history
from kernel.projections.inbox import first_origin
from kernel.projections.outline import Suggested
from kernel.values.records import Node
from kernel.vocabulary import RelationKind, Visibility

RELATIONS_SHOWN: Final = 20
SOURCES_SHOWN: Final = 5
_HISTORY_SHOWN: Final = 12
SUGGESTED_FAMILIES: Final = (
    FamilyFact("Knowledge", DRAFT, "Nothing tested"),
    FamilyFact("Governance", SUGGESTED, "Nobody has accepted it"),
    FamilyFact("Work", None, ""),
)
"""How something stands that nobody accepted yet."""


def node_facts(reading: Reading, node_id: str) -> NodeFacts | None:
    """Return the inspector of a node; None when neither the worldstate nor a suggestion knows it."""
    if node_id in reading.state.tables.nodes:
        return _accepted(reading, focus(reading.state, node_id))
    item = suggested(reading.state, node_id)
    return None if item is None else _suggested(reading, item)


def _accepted(reading: Reading, found: Focus) -> NodeFacts:
    node = found.node
    return NodeFacts(
        title=node.title.or_erased(),
        kind=KindMark.of(node.kind),
        crumbs=crumbs(reading.base, reading.state.tables, found.path[-1].id) if found.path else (),
        description="" if node.description is None else node.description.or_erased(),
        families=families(reading, node, found.standing),
        acts=node_acts(reading, node),
        relations=tuple(_relation(reading, item) for item in found.joined[:RELATIONS_SHOWN]),
        history=_history(reading, node.id),
        sources=tuple(
            node_quote(reading, item, node.title.or_erased()) for item in found.sources[:SOURCES_SHOWN]
        ),
        record=_record(node),
        is_private=node.visibility is Visibility.PRIVATE,
        note=_note(node),
        waiting=tuple(
            Link(
                record.body.title.or_erased(),
                f"{reading.base}/inbox/{record.body.delta_id}",
                "circle-dashed",
            )
            for record in found.proposals[:RELATIONS_SHOWN]
        ),
    )


def _note(node: Node) -> Sentence | None:
    if node.retired_in is None:
        return None
    return Sentence(f"Retired in revision {node.retired_in}. It stays here to be read.", "archive")


def node_acts(reading: Reading, node: Node) -> tuple[Link, ...]:
    """Return what can be begun from a node, the next step of its work first; empty for a viewer."""
    acts = acts_for(reading.state, node.id, reading.role, reading.at)
    links = []
    if Act.BRIEF in acts:
        has_brief = bool(reading.state.followed_by.get(node.id))
        text = "Go to its work" if has_brief else "Prepare a brief"
        links.append(Link(text, f"{reading.base}/work/{node.id}", "hammer" if has_brief else "send"))
    change = change_link(reading, node.id)
    if change is not None:
        links.append(change)
    if Act.CAPTURE in acts:
        links.append(Link("Capture near this", f"{reading.base}/capture?node={node.id}", "pen-line"))
    return tuple(links)


def _relation(reading: Reading, item: Joined) -> RelationLine:
    node = NodeLink(
        item.other.title.or_erased(),
        f"{reading.base}/outline?node={item.other.id}",
        KindMark.of(item.other.kind),
    )
    return RelationLine(VERBS.get((item.relation.kind, item.is_outgoing), item.relation.kind.value), node)


def _history(reading: Reading, node_id: str) -> tuple[HistoryLine, ...]:
    changes = history(reading.state, node_id, most=_HISTORY_SHOWN)
    lines = [HistoryLine(moment(change.revision.origin.at), _happened(reading, change)) for change in changes]
    first = changes[-1] if changes else None
    if first is None or first.before is not None or first.revision.delta_id is None:
        return tuple(lines)
    record = reading.state.deltas[first.revision.delta_id]
    origin = first_origin(reading.state, record)
    lines.append(HistoryLine(moment(origin.at), f"Suggested by {origin_words(origin, reading.names)}"))
    return tuple(lines)


def _happened(reading: Reading, change: Change) -> str:
    revision = change.revision
    who = origin_words(revision.origin, reading.names)
    if revision.delta_id is None:
        return f"Opened by {who}"
    if change.before is None:
        return f"Accepted by {who}, revision {revision.number}"
    parts = [*_field_changes(change.before, change.after), *_joins(change)]
    what = ", ".join(parts) or "Sources added"
    return f"{capital(what)}, accepted by {who}, revision {revision.number}"


def _field_changes(before: Node, after: Node) -> list[str]:
    parts = []
    if before.title != after.title:
        parts.append(f"renamed from “{before.title.or_erased()}”")
    if before.description != after.description:
        parts.append("description replaced")
    if family_words(before) != family_words(after):
        parts.append(f"work {family_words(after).lower()}")
    if before.profile_id != after.profile_id:
        parts.append(f"profile “{after.profile_id}” named")
    if before.retired_in != after.retired_in:
        parts.append("retired")
    return parts


def _joins(change: Change) -> list[str]:
    tables = change.revision.tables
    parts = []
    for relation_id in change.joined:
        relation = tables.relations[relation_id]
        outgoing = relation.from_id == change.after.id
        other = tables.nodes[relation.to_id if outgoing else relation.from_id].title.or_erased()
        if relation.kind is RelationKind.BELONGS_TO:
            parts.append(f"moved under “{other}”" if outgoing else f"“{other}” added below")
        else:
            parts.append(f"now {VERBS[relation.kind, outgoing]} “{other}”")
    if change.parted and not change.joined:
        parts.append("a relation retired")
    return parts[:4] if len(parts) <= 4 else [*parts[:3], f"{len(parts) - 3} more added below"]  # noqa: PLR2004


def _record(node: Node) -> tuple[Fact, ...]:
    facts = [Fact("Node", "", short_id(node.id))]
    if node.profile_id is not None:
        facts.append(Fact("Profile", node.profile_id))
    if node.artifact_path is not None:
        facts.append(Fact("Path", node.artifact_path))
    return tuple(facts)


def _suggested(reading: Reading, item: Suggested) -> NodeFacts:
    record = reading.state.deltas[item.delta_id]
    tables = reading.state.tables
    sources = (reading.state.sources.get(source_id) for source_id in item.add.source_ids[:SOURCES_SHOWN])
    origin = first_origin(reading.state, record)
    href = f"{reading.base}/inbox/{item.delta_id}"
    may_decide = reading.role in DECIDERS
    return NodeFacts(
        title=item.add.title.or_erased(),
        kind=KindMark.of(item.add.kind),
        crumbs=crumbs(reading.base, tables, item.parent_id) if item.parent_id in tables.nodes else (),
        description="" if item.add.description is None else item.add.description.or_erased(),
        families=SUGGESTED_FAMILIES,
        acts=(Link("Review the suggestion" if may_decide else "Read the suggestion", href, "map-pin"),),
        relations=(),
        history=(HistoryLine(moment(origin.at), f"Suggested by {speaker(origin.actor, reading.names)}"),),
        sources=tuple(
            quote(source, reading.names, whole=f"{href}?words=all") for source in sources if source
        ),
        record=(Fact("Proposal", "", short_id(item.delta_id)),),
        is_suggested=True,
        is_private=item.add.visibility is Visibility.PRIVATE,
        note=Sentence(
            "This is a suggestion. It is not part of the worldstate yet.", "circle-dashed", "accent"
        ),
    )
