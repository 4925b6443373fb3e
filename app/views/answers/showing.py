"""What the command line answers about how a worldstate came to be, what changed, and what hangs together."""

from collections.abc import Mapping

from app.views.answers.answering import node_ref
from app.views.answers.records import Answer, NodeRef
from app.views.telling import work_words
from app.views.wording import VERBS, origin_words
from kernel.errors import NotFoundError
from kernel.projections.changes import NodeChange, compare
from kernel.projections.neighbourhood import Around, neighbourhood
from kernel.projections.timeline import Entry, timeline
from kernel.state import State, Tables


class FieldAnswer(Answer):
    """One field of a changed node."""

    name: str
    before: str | None
    after: str | None


class LinkAnswer(Answer):
    """A relation that came or went."""

    kind: str
    node: NodeRef


class ChangeAnswer(Answer):
    """One node that is not as it was."""

    node_id: str
    title: str
    kind: str
    change: str
    """`added`, `changed` or `retired`."""
    fields: tuple[FieldAnswer, ...]
    was_under: NodeRef | None
    is_under: NodeRef | None
    joined: tuple[LinkAnswer, ...]
    parted: tuple[LinkAnswer, ...]


class ComparisonAnswer(Answer):
    """What differs between two revisions."""

    project_id: str
    earlier: int
    later: int
    changes: tuple[ChangeAnswer, ...]

    def lines(self) -> list[str]:
        """Return the answer as lines for a person."""
        lines = [f"From revision {self.earlier} to revision {self.later}: {len(self.changes)} nodes differ"]
        for item in self.changes:
            lines.append(f"{item.change:<8} {item.title} ({item.kind})  {item.node_id}")
            lines.extend(
                f"         {field.name}: {field.before or '-'} -> {field.after or '-'}"
                for field in item.fields
            )
        return lines


class WorkAnswer(Answer):
    """One thing that happened in the work on a task."""

    at: str
    what: str
    said: str
    node: NodeRef


class EntryAnswer(Answer):
    """One revision of the timeline."""

    revision: int
    at: str
    by: str
    delta_id: str | None
    purpose: str | None
    title: str
    changes: tuple[ChangeAnswer, ...]
    replaced: tuple[str, ...]
    """Proposals that this one took the place of, the latest first."""
    work: tuple[WorkAnswer, ...]


class TimelineAnswer(Answer):
    """A page of revisions, newest first."""

    project_id: str
    node: NodeRef | None
    entries: tuple[EntryAnswer, ...]
    before: int | None
    """Show the page after this one with `--before` this number; none at the end."""

    def lines(self) -> list[str]:
        """Return the answer as lines for a person."""
        lines = []
        for item in self.entries:
            lines.append(f"{item.revision:>5}  {item.at}  {item.title}  ({item.by})")
            lines.extend(f"         {change.change} {change.title}" for change in item.changes[:6])
            lines.extend(f"         work: {work.said}, on {work.node.title}" for work in item.work)
        if self.before is not None:
            lines.append(f"Older: --before {self.before}")
        return lines


class PlaceAnswer(Answer):
    """One node of a map."""

    node_id: str
    title: str
    kind: str
    layer: int
    """0 in the centre; one more for each step along a relation, one less for each against it."""
    is_suggested: bool
    unseen: int
    """How many of its neighbours are not shown."""


class RelationLineAnswer(Answer):
    """One relation of a map."""

    kind: str
    from_id: str
    to_id: str
    is_suggested: bool


class MapAnswer(Answer):
    """What stands around one node."""

    project_id: str
    revision: int
    centre: NodeRef
    nodes: tuple[PlaceAnswer, ...]
    relations: tuple[RelationLineAnswer, ...]

    def lines(self) -> list[str]:
        """Return the answer as lines for a person."""
        titles = {node.node_id: node.title for node in self.nodes}
        verbs = {kind.value: verb for (kind, outgoing), verb in VERBS.items() if outgoing}
        lines = [f"Around {self.centre.title}, revision {self.revision}: {len(self.nodes)} nodes"]
        lines.extend(
            f"{'suggested: ' if item.is_suggested else ''}"
            f"{titles[item.from_id]} {verbs[item.kind]} {titles[item.to_id]}"
            for item in self.relations
        )
        return lines


def comparison_answer(state: State, earlier: int, later: int) -> ComparisonAnswer:
    """Return what differs between two revisions.

    Raises: NotFoundError.
    """
    found = compare(state, earlier, later)
    return ComparisonAnswer(
        project_id=state.ledger,
        earlier=earlier,
        later=later,
        changes=tuple(_change(found.later.tables, item) for item in found.changes),
    )


def _change(tables: Tables, change: NodeChange) -> ChangeAnswer:
    def ref(node_id: str | None) -> NodeRef | None:
        return None if node_id is None else node_ref(tables, node_id)

    return ChangeAnswer(
        node_id=change.after.id,
        title=change.after.title.or_erased(),
        kind=change.after.kind.value,
        change=change.mark,
        fields=tuple(
            FieldAnswer(name=item.name, before=item.before, after=item.after) for item in change.fields
        ),
        was_under=ref(change.was_under),
        is_under=ref(change.is_under),
        joined=tuple(
            LinkAnswer(kind=item.kind.value, node=node_ref(tables, item.to_id)) for item in change.joined
        ),
        parted=tuple(
            LinkAnswer(kind=item.kind.value, node=node_ref(tables, item.to_id)) for item in change.parted
        ),
    )


def timeline_answer(
    state: State, names: Mapping[str, str], *, node_id: str | None = None, before: int | None = None
) -> TimelineAnswer:
    """Return a page of the timeline, of all revisions or of those that touched one node.

    Raises: NotFoundError.
    """
    node = None if node_id is None else _known(state, node_id)
    told = timeline(state, node_id=node_id or "", before=before)
    return TimelineAnswer(
        project_id=state.ledger,
        node=node,
        entries=tuple(_entry(state, names, entry) for entry in told.entries),
        before=told.before,
    )


def _known(state: State, node_id: str) -> NodeRef:
    if node_id not in state.tables.nodes:
        message = f"there is no node {node_id}"
        raise NotFoundError(message)
    return node_ref(state.tables, node_id)


def _entry(state: State, names: Mapping[str, str], entry: Entry) -> EntryAnswer:
    revision, record = entry.revision, entry.record
    return EntryAnswer(
        revision=revision.number,
        at=revision.origin.at,
        by=origin_words(revision.origin, names),
        delta_id=revision.delta_id,
        purpose=None if record is None else record.body.purpose.value,
        title="The project was opened" if record is None else record.body.title.or_erased(),
        changes=tuple(_change(revision.tables, item) for item in entry.changes),
        replaced=tuple(item.body.delta_id for item in entry.earlier),
        work=tuple(
            WorkAnswer(
                at=item.origin.at,
                what=item.what,
                said=work_words(item, names),
                node=node_ref(state.tables, item.node_id),
            )
            for item in entry.work
        ),
    )


def map_answer(state: State, node_id: str | None = None, steps: int = 2) -> MapAnswer:
    """Return what stands around a node, or around the project.

    Raises: NotFoundError when neither the worldstate nor a suggestion knows the node.
    """
    found = neighbourhood(state, Around(node_id or state.root_id, steps))
    if not found.spots:
        message = f"there is no node {node_id}"
        raise NotFoundError(message)
    nodes = tuple(
        PlaceAnswer(
            node_id=spot.id,
            title=spot.record.title.or_erased(),
            kind=spot.record.kind.value,
            layer=spot.layer,
            is_suggested=spot.node is None,
            unseen=spot.unseen,
        )
        for spot in found.spots
    )
    return MapAnswer(
        project_id=state.ledger,
        revision=state.revision,
        centre=NodeRef(node_id=nodes[0].node_id, title=nodes[0].title),
        nodes=nodes,
        relations=tuple(
            RelationLineAnswer(
                kind=tie.kind.value, from_id=tie.from_id, to_id=tie.to_id, is_suggested=tie.is_suggested
            )
            for tie in found.ties
        ),
    )
