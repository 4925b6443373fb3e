"""Builds the act bar of a proposal and the forms it opens: edit, move, reject."""

from itertools import chain, islice
from typing import Final

from app.views.inbox.parts import Act as ActLink
from app.views.inbox.parts import DecideBar, EditForm, MoveForm, RejectForm
from app.views.opening import Opened
from app.views.parts import KIND_WORDS, Binding, Option
from app.views.wording import Reading, path_words, profile_options
from kernel.projections.acts import DECIDERS, Act, closed_because
from kernel.projections.holders import holders
from kernel.rules.operations import is_belonging
from kernel.rules.seen import delta_seen
from kernel.state import DeltaRecord
from kernel.values.records import Node, NodeAdd, RelationAdd
from kernel.vocabulary import Disposition, NodeKind, Purpose

PLACES_MAX: Final = 12
"""How many places the move form offers at a time."""
KINDS: Final = tuple(
    kind for kind in NodeKind if kind not in {NodeKind.WORLD, NodeKind.PROJECT, NodeKind.AGENT_RUN}
)
"""Kinds a person may give a node."""
_LINKS: Final = (
    (Act.EDIT, ActLink("Edit", "edit", "pencil", "e")),
    (Act.MOVE, ActLink("Move", "move", "corner-down-right", "m")),
    (Act.REBASE, ActLink("Renew", "rebase", "git-merge", "u")),
    (Act.SPLIT, ActLink("Split", "split", "waypoints", "s")),
    (Act.DEFER, ActLink("Defer", "defer", "clock", "d")),
    (Act.REMAND, ActLink("Send back", "remand", "rotate-ccw", "r")),
)
KEEPS_CHOICE: Final = frozenset({Act.EDIT, Act.MOVE})
"""Acts on the node that a choice adds: what was shown is what they begin with."""
READING_ONLY: Final = "You may read this, not decide it. That takes the role owner or reviewer."


def _href(reading: Reading, opened: Opened) -> str:
    return f"{reading.base}/inbox/{opened.id}"


def decide_bar(reading: Reading, record: DeltaRecord, opened: Opened, acts: frozenset[Act]) -> DecideBar:
    """Return the bar with the one primary act, bound to the choice that is shown, and the others beside it."""
    href = _href(reading, opened)
    closed = closed_because(reading.state, record, reading.at)
    if reading.role not in DECIDERS:
        closed = READING_ONLY
    links = tuple(
        ActLink(link.name, f"{href}?act={link.href}{_shown(record, act)}", link.icon, link.key)
        for act, link in _LINKS
        if act in acts
    )
    reject = (ActLink("Reject", f"{href}?act=reject", "x", "x", is_danger=True),)
    return DecideBar(
        action=f"{href}/accept",
        binding=_bound(reading, record, opened),
        choice=str(record.choice or 0),
        acts=links,
        can_accept=Act.ACCEPT in acts,
        says=closed or _not_now(record) or f"Makes revision {reading.state.revision + 1}",
        label="Integrate" if record.body.purpose is Purpose.RECONCILIATION else "Accept",
        rejects=reject if Act.REJECT in acts else (),
    )


def _bound(reading: Reading, record: DeltaRecord, opened: Opened) -> Binding:
    """Return what an act is bound to: the revision, and the choice of the proposal that is shown."""
    return opened.binding(reading.state.revision, delta_seen(reading.state, record, record.choice or 0))


def _shown(record: DeltaRecord, act: Act) -> str:
    """Return what leads on to the same choice: an act that replaces the node it adds keeps it."""
    keeps = act in KEEPS_CHOICE and any(isinstance(item, NodeAdd) for item in record.operations)
    return f"&choice={record.choice}" if record.choice and keeps else ""


def _not_now(record: DeltaRecord) -> str:
    remanded = record.disposition is Disposition.REMANDED
    return "Sent back: edit, move or split it to put it right." if remanded else ""


def _added(record: DeltaRecord) -> NodeAdd:
    return next(item for item in record.operations if isinstance(item, NodeAdd))


def edit_form(reading: Reading, record: DeltaRecord, opened: Opened) -> EditForm:
    """Return the form for one's own wording, kind and profile; after a refusal with what was typed."""
    added = _added(record)
    kind = opened.text("kind", added.kind.value)
    described = "" if added.description is None else added.description.or_erased()
    profile = opened.text("profile", added.profile_id or "") or None
    href = _href(reading, opened)
    title = opened.text("title", added.title.or_erased())
    return EditForm(
        action=f"{href}/edit",
        binding=_bound(reading, record, opened),
        choice=str(record.choice or 0),
        title=title,
        description=opened.text("description", described),
        kinds=tuple(Option(item.value, KIND_WORDS[item], is_chosen=item.value == kind) for item in KINDS),
        says="Replaces the suggestion by your wording. It still waits for a yes.",
        cancel=href,
        title_error="Give it a title of 1 to 300 characters." if opened.typed and not title.strip() else "",
        profiles=profile_options(reading, profile),
    )


def move_form(reading: Reading, record: DeltaRecord, opened: Opened) -> MoveForm:
    """Return the places to choose from: what fits first, or what the search found."""
    tables, places = reading.state.tables, holders(reading.state)
    query = opened.query.strip()
    if query:
        matching = places.titled(query)
        shown, number = matching[:PLACES_MAX], len(matching)
    else:
        shown, number = near(reading, record), len(places.ids - {_place_of(record)})
    chosen = opened.text("parent_id", shown[0].id if shown else "")
    href = _href(reading, opened)
    return MoveForm(
        action=f"{href}/move",
        binding=_bound(reading, record, opened),
        choice=str(record.choice or 0),
        places=tuple(
            Option(node.id, node.title.or_erased(), path_words(tables, node.id), is_chosen=node.id == chosen)
            for node in shown
        ),
        filter_action=href,
        filter_text=opened.query,
        found=_found(len(shown), number, len(places.ids), query),
        says="Suggests the new place. It still waits for a yes.",
        cancel=href,
        can_move=bool(shown),
    )


def near(reading: Reading, record: DeltaRecord, *, is_moving: bool = True) -> list[Node]:
    """Return the first places: what fitted best, the top of the tree, the rest; a move leaves the present place out."""
    tables, places, here = reading.state.tables, holders(reading.state), _place_of(record)
    first = [fit.parent_id for fit in record.body.fits]
    tops = [reading.state.root_id, *(tables.children.get(reading.state.root_id) or ())]
    begin = (*first, *tops) if is_moving else (here, *first, *tops)
    order = dict.fromkeys(
        chain(begin, (node.id for node in islice(places.nodes, PLACES_MAX + len(begin) + 1)))
    )
    allowed = (item for item in order if item in places.ids and not (is_moving and item == here))
    return [tables.nodes[item] for item in islice(allowed, PLACES_MAX)]


def _place_of(record: DeltaRecord) -> str:
    """Return where a placement would put its node."""
    return next(
        item.to_id for item in record.operations if isinstance(item, RelationAdd) and is_belonging(item)
    )


def _found(shown: int, matching: int, total: int, query: str) -> str:
    if query:
        found = f"{matching} of {total} places match “{query}”"
        return f"{found}; the first {shown} stand here" if matching > shown else found
    rest = "" if shown == matching else " Find another one by its title."
    return f"{shown} of {total} places.{rest}"


def reject_form(reading: Reading, record: DeltaRecord, opened: Opened) -> RejectForm:
    """Return the form for a no."""
    href = _href(reading, opened)
    return RejectForm(
        action=f"{href}/reject",
        binding=opened.binding(reading.state.revision, delta_seen(reading.state, record)),
        says="Closes the suggestion. The words it came from stay kept.",
        cancel=href,
        reason=opened.text("reason", ""),
    )
