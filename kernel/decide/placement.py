"""Turn placements, outlines, edits and moves into proposals: what would be added, where, and why."""

from dataclasses import replace

from kernel.commands import (
    EditDelta,
    ImportOutline,
    MoveDelta,
    Part,
    ProposePlacement,
    SplitDelta,
)
from kernel.decide.delta import require_seen
from kernel.decide.doubled import into_same
from kernel.decide.drafts import Draft, manager_actor
from kernel.decide.source import thread_of, visibility_under
from kernel.errors import InvalidError, NotFoundError
from kernel.events.delta import (
    Alternative,
    ClarificationAsked,
    DeltaProposed,
    DeltaSplit,
    DeltaSuperseded,
    Fit,
)
from kernel.events.source import SourceCaptured
from kernel.rules.dispositions import open_delta
from kernel.rules.limits import ALTERNATIVES_MAX
from kernel.rules.operations import is_belonging, touched
from kernel.rules.seen import shown_choice
from kernel.state import DeltaRecord, State
from kernel.values.placement import Place, PlacementAnswer, PlacementRequest
from kernel.values.records import NodeAdd, Operation, RelationAdd
from kernel.values.stamp import Stamp
from kernel.values.words import Words
from kernel.vocabulary import Disposition, NodeKind, Phase, Purpose, RelationKind, SourceKind, Visibility


def _phase_of(kind: NodeKind) -> Phase:
    return Phase.PLANNED if kind is NodeKind.TASK else Phase.NONE


def propose_placement(state: State, command: ProposePlacement, stamp: Stamp) -> tuple[Draft, ...]:
    """Propose the best place with the others as alternatives, or ask when the manager found none.

    Raises: NotFoundError when the exchange is unknown; InvalidError when the answer has neither.
    """
    exchange = state.exchanges.get(command.exchange_id)
    if exchange is None or exchange.body.source_id is None or exchange.body.request.text is None:
        message = f"there is no readable placement request {command.exchange_id}"
        raise NotFoundError(message)
    request = PlacementRequest.model_validate_json(exchange.body.request.text)
    answer, actor = command.answer, manager_actor(request.manager)
    if not answer.places:
        if answer.question is None:
            message = "the manager neither proposed a place nor asked a question"
            raise InvalidError(message)
        question = ClarificationAsked(
            exchange_id=command.exchange_id,
            source_id=exchange.body.source_id,
            question=stamp.words(answer.question, "question"),
        )
        return (Draft(question, actor),)
    return (Draft(_placement(state, request, answer, stamp=stamp), actor),)


def _placement(
    state: State, request: PlacementRequest, answer: PlacementAnswer, *, stamp: Stamp
) -> DeltaProposed:
    title = stamp.words(answer.title, "title")
    description = None if answer.description is None else stamp.words(answer.description, "description")
    bundles = _bundles(state, request, answer, stamp=stamp, texts=(title, description))
    alternatives = tuple(
        Alternative(label=stamp.words(label, f"label {index}"), operations=operations)
        for index, (label, operations) in enumerate(bundles[1:])
    )
    return DeltaProposed(
        delta_id=stamp.id("delta"),
        purpose=Purpose.PLACEMENT,
        base_revision=state.revision,
        source_ids=thread_of(state, request.source_id),
        exchange_id=request.exchange_id,
        title=title,
        operations=bundles[0][1],
        alternatives=alternatives,
        fits=tuple(_fit(place, index, stamp) for index, place in enumerate(answer.places[:4])),
        reasons=(stamp.words(answer.kind_reason, "kind reason"),),
        uncertainty=tuple(
            stamp.words(text, f"uncertainty {index}") for index, text in enumerate(answer.uncertainty)
        ),
        touches=touched(state.tables, *(operations for _, operations in bundles)),
        duplicate_of=answer.duplicate_of,
    )


def _fit(place: Place, index: int, stamp: Stamp) -> Fit:
    return Fit(
        parent_id=place.parent_id,
        score=place.score,
        reason=stamp.words(place.reason, f"fit {index}"),
        matched=tuple(
            stamp.words(word, f"matched {index} {position}") for position, word in enumerate(place.matched)
        ),
    )


def _bundles(
    state: State,
    request: PlacementRequest,
    answer: PlacementAnswer,
    *,
    stamp: Stamp,
    texts: tuple[Words, Words | None],
) -> list[tuple[str, tuple[Operation, ...]]]:
    """Return the proposal and up to three alternatives.

    First comes the node that says this already, when there is one, then other places, then the other kind.
    """
    found: list[tuple[str, tuple[Operation, ...]]] = []
    same = into_same(state, request, answer, stamp)
    room = ALTERNATIVES_MAX + 1 - (same is not None)
    choices = [(place.parent_id, answer.kind) for place in answer.places[:room]]
    if answer.alternative_kind is not None and len(choices) < room:
        choices.append((answer.places[0].parent_id, answer.alternative_kind))
    for parent_id, kind in choices:
        parent = state.tables.nodes.get(parent_id)
        if parent is None:
            message = f"the manager named a place that does not exist: {parent_id}"
            raise NotFoundError(message)
        add = NodeAdd(
            node_id=stamp.id("node", "placed"),
            kind=kind,
            title=texts[0],
            description=texts[1],
            visibility=visibility_under(state, parent_id, request.visibility),
            phase=_phase_of(kind),
            source_ids=thread_of(state, request.source_id),
        )
        label = f"{kind.value} under {parent.title.or_erased()}"
        found.append((label, (add, _belongs(stamp, add.node_id, parent_id), *_named(answer, add, stamp))))
    if same is not None:
        found.insert(1, same)
    return found


def _belongs(stamp: Stamp, node_id: str, parent_id: str) -> RelationAdd:
    return RelationAdd(
        relation_id=stamp.id("relation", f"belongs {node_id}"),
        kind=RelationKind.BELONGS_TO,
        from_id=node_id,
        to_id=parent_id,
    )


def _named(answer: PlacementAnswer, add: NodeAdd, stamp: Stamp) -> tuple[RelationAdd, ...]:
    return tuple(
        RelationAdd(
            relation_id=stamp.id("relation", f"named {index}"),
            kind=relation.kind,
            from_id=add.node_id,
            to_id=relation.to_id,
        )
        for index, relation in enumerate(answer.relations)
    )


def import_outline(state: State, command: ImportOutline, stamp: Stamp) -> tuple[Draft, ...]:
    """Keep the outline's text and propose all its nodes at once.

    Raises: NotFoundError when the place does not exist; InvalidError when the outline holds no node.
    """
    under = state.tables.nodes.get(command.under_id)
    if under is None:
        message = f"node {command.under_id} does not exist"
        raise NotFoundError(message)
    _require_outline(command)
    source_id = stamp.id("source")
    source = SourceCaptured(
        source_id=source_id,
        kind=SourceKind.IMPORT,
        content=stamp.words(command.text, "content"),
        size_bytes=len(command.text.encode("utf-8")),
        visibility=under.visibility,
        selected_node_id=command.under_id,
    )
    operations = _outline_operations(command, stamp, source_id, under.visibility)
    count = len(command.nodes)
    title = f"Import {count} {'node' if count == 1 else 'nodes'} under {under.title.or_erased()}"[:300]
    delta = DeltaProposed(
        delta_id=stamp.id("delta"),
        purpose=Purpose.PLACEMENT,
        base_revision=state.revision,
        source_ids=(source_id,),
        title=stamp.words(title, "title"),
        operations=operations,
        touches=touched(state.tables, operations),
        uncertainty=tuple(
            stamp.words(text, f"uncertainty {index}") for index, text in enumerate(command.notes)
        ),
    )
    return (Draft(source), Draft(delta))


def _require_outline(command: ImportOutline) -> None:
    if not command.nodes:
        message = "the outline holds no heading and no list item"
        raise InvalidError(message)
    for index, node in enumerate(command.nodes):
        if node.parent is not None and not 0 <= node.parent < index:
            message = f"item {index + 1} of the outline names a parent that does not stand before it"
            raise InvalidError(message)


def _outline_operations(
    command: ImportOutline, stamp: Stamp, source_id: str, visibility: Visibility
) -> tuple[Operation, ...]:
    ids = [stamp.id("node", f"outline {index}") for index in range(len(command.nodes))]
    operations: list[Operation] = []
    for index, node in enumerate(command.nodes):
        described = node.description
        operations.append(
            NodeAdd(
                node_id=ids[index],
                kind=node.kind,
                title=stamp.words(node.title, f"title {index}"),
                description=None if described is None else stamp.words(described, f"description {index}"),
                visibility=visibility,
                phase=_phase_of(node.kind),
                profile_id=node.profile_id,
                artifact_path=node.artifact_path,
                source_ids=(source_id,),
            )
        )
        parent_id = command.under_id if node.parent is None else ids[node.parent]
        operations.append(_belongs(stamp, ids[index], parent_id))
    return tuple(operations)


def _single_add(record: DeltaRecord) -> NodeAdd:
    added = [item for item in record.operations if isinstance(item, NodeAdd)]
    if len(added) != 1 or record.body.purpose is not Purpose.PLACEMENT:
        message = "only the placement of a single node can be edited, moved or split; reject it or accept it as it is"
        raise InvalidError(message)
    return added[0]


def _as_shown(state: State, delta_id: str, seen: str) -> DeltaRecord:
    """Return an open proposal with the choice of it that was shown.

    Raises: LifecycleError when it was decided; StaleError when what was shown is not what it is now.
    """
    record = open_delta(state, delta_id, Disposition.SUPERSEDED)
    require_seen(state, record, seen)
    return replace(record, choice=shown_choice(state, record, seen))


def edit_delta(state: State, command: EditDelta, stamp: Stamp) -> tuple[Draft, ...]:
    """Replace the proposal by the person's own wording and kind; the place that was shown stays.

    Raises: LifecycleError when it was decided; StaleError when what was shown is not what it is now.
    """
    record = _as_shown(state, command.delta_id, command.seen)
    added = _single_add(record)
    described = command.description
    edited = added.model_copy(
        update={
            "title": stamp.words(command.title, "title"),
            "description": None if described is None else stamp.words(described, "description"),
            "kind": command.kind,
            "phase": _phase_of(command.kind),
            "profile_id": command.profile_id,
        }
    )
    operations = tuple(edited if item is added else item for item in record.operations)
    return _replacement(state, record, operations, stamp=stamp, why="edited")


def move_delta(state: State, command: MoveDelta, stamp: Stamp) -> tuple[Draft, ...]:
    """Replace the proposal by the same one under another node.

    Raises: NotFoundError when that node does not exist; StaleError when the proposal is not what was shown.
    """
    record = _as_shown(state, command.delta_id, command.seen)
    added = _single_add(record)
    if command.to_id not in state.tables.nodes:
        message = f"node {command.to_id} does not exist"
        raise NotFoundError(message)
    visibility = visibility_under(state, command.to_id, _wished(state, record))
    moved_add = added.model_copy(update={"visibility": visibility})
    belongs = _belongs(stamp, added.node_id, command.to_id)
    operations = tuple(
        belongs if is_belonging(item) else (moved_add if item is added else item)
        for item in record.operations
        if is_belonging(item) or not isinstance(item, RelationAdd) or item.to_id != command.to_id
    )
    return _replacement(state, record, operations, stamp=stamp, why="moved")


def _wished(state: State, record: DeltaRecord) -> Visibility:
    sources = (state.sources.get(item) for item in record.body.source_ids)
    private = any(source is not None and source.body.visibility is Visibility.PRIVATE for source in sources)
    return Visibility.PRIVATE if private else Visibility.SHARED


def split_delta(state: State, command: SplitDelta, stamp: Stamp) -> tuple[Draft, ...]:
    """Replace the proposal by its parts; each keeps the sources, and has words, a kind and a place of its own.

    Relations that the old proposal suggested go with none of them: only a person can say which part they belong to.

    Raises: NotFoundError when a place does not exist; StaleError when what was shown is not what it is now.
    """
    record = open_delta(state, command.delta_id, Disposition.SUPERSEDED)
    require_seen(state, record, command.seen)
    _single_add(record)
    bodies = tuple(
        _part(state, record, part, stamp=stamp, label=f"part {index}")
        for index, part in enumerate(command.parts)
    )
    closing = DeltaSplit(
        delta_id=record.body.delta_id, replacement_ids=tuple(body.delta_id for body in bodies)
    )
    return (Draft(closing), *(Draft(body) for body in bodies))


def _part(state: State, record: DeltaRecord, part: Part, *, stamp: Stamp, label: str) -> DeltaProposed:
    if part.parent_id not in state.tables.nodes:
        message = f"node {part.parent_id} does not exist"
        raise NotFoundError(message)
    described = part.description
    added = NodeAdd(
        node_id=stamp.id("node", label),
        kind=part.kind,
        title=stamp.words(part.title, f"title {label}"),
        description=None if described is None else stamp.words(described, f"description {label}"),
        visibility=visibility_under(state, part.parent_id, _wished(state, record)),
        phase=_phase_of(part.kind),
        source_ids=record.body.source_ids,
    )
    operations = (added, _belongs(stamp, added.node_id, part.parent_id))
    changes = {"title": added.title, "fits": (), "reasons": (), "uncertainty": (), "duplicate_of": None}
    return _successor(state, record, stamp.id("delta", label), operations).model_copy(update=changes)


def _successor(
    state: State, record: DeltaRecord, delta_id: str, operations: tuple[Operation, ...]
) -> DeltaProposed:
    return record.body.model_copy(
        update={
            "delta_id": delta_id,
            "base_revision": state.revision,
            "operations": operations,
            "alternatives": (),
            "touches": touched(state.tables, operations),
            "supersedes": record.body.delta_id,
        }
    )


def _replacement(
    state: State, record: DeltaRecord, operations: tuple[Operation, ...], *, stamp: Stamp, why: str
) -> tuple[Draft, ...]:
    added = next(item for item in operations if isinstance(item, NodeAdd))
    successor = _successor(state, record, stamp.id("delta"), operations)
    body = successor.model_copy(update={"title": added.title})
    closing = DeltaSuperseded(delta_id=record.body.delta_id, replacement_id=body.delta_id, why=why)
    return (Draft(closing), Draft(body))
