"""What a waiting proposal would say a second time: read from what waits and what stands now, never recorded.

The manager compares words with the worldstate when it answers. Between its answer and a yes the same words may be
captured or accepted elsewhere, so this is read anew whenever the proposal is shown.
"""

from typing import Final

from kernel.rules.dispositions import OPEN
from kernel.state import DeltaRecord, State
from kernel.values.records import NodeAdd, RelationAdd
from kernel.values.words import Words
from kernel.vocabulary import Purpose, RelationKind

WAITS: Final = "The same words already wait for a yes"
STANDS: Final = "The same title already stands in the same place"


def doubles(state: State, record: DeltaRecord) -> tuple[str, ...]:
    """Return in sentences without a full stop what an open placement of one node would say twice.

    Words are the same when they differ only in case and white space. O(open proposals and the place's children).
    """
    added = [item for item in record.body.operations if isinstance(item, NodeAdd)]
    if record.disposition not in OPEN or record.body.purpose is not Purpose.PLACEMENT or len(added) != 1:
        return ()
    found = []
    if _waits_before(state, record, added[0]):
        found.append(WAITS)
    # A node that the manager found is named already.
    if record.body.duplicate_of is None and _stands(state, record, added[0]):
        found.append(STANDS)
    return tuple(found)


def _waits_before(state: State, record: DeltaRecord, added: NodeAdd) -> bool:
    said = _said(added)
    before = (
        state.deltas[delta_id]
        for delta_id in state.open_deltas.keys()  # noqa: SIM118 - a table has no order of its own
        if state.open_deltas[delta_id] < record.origin.seq
    )
    return said[0] is not None and any(
        _said(item) == said
        for other in before
        if other.body.purpose is Purpose.PLACEMENT
        for item in other.body.operations
        if isinstance(item, NodeAdd)
    )


def _stands(state: State, record: DeltaRecord, added: NodeAdd) -> bool:
    title = _plain(added.title)
    places = [
        item.to_id
        for item in record.body.operations
        if isinstance(item, RelationAdd) and item.kind is RelationKind.BELONGS_TO
    ]
    children = [child for place in places for child in state.tables.children.get(place) or ()]
    nodes = (state.tables.nodes[child] for child in children)
    return title is not None and any(
        node.retired_in is None and _plain(node.title) == title for node in nodes
    )


def _said(added: NodeAdd) -> tuple[str | None, str | None]:
    return _plain(added.title), None if added.description is None else _plain(added.description)


def _plain(words: Words) -> str | None:
    return None if words.text is None else " ".join(words.text.split()).casefold()
