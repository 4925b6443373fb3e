"""What people who are not owners see of a ledger: a history of its own, folded from the visible part of the whole.

`look(sight, event)` takes every event in order and adds what may be seen of it, as an event that continues the
visible history: with its own sequence, its own revision numbers and its own state roots. So two ledgers that
differ only in private activity have the same visible history, and every page made from it is the same page.

Private are: a capture that was marked so, its exchanges, questions and proposals; a private node, everything under
it, and every relation that touches it; a brief of such a node and all work that follows. A proposal that touches
any of these waits with the owners; once it is accepted, what is visible of it is seen as proposed and accepted at
that moment. Numbers count what is visible. The exact requests and answers of exchanges are the owners'.
"""

import hashlib
from dataclasses import dataclass, field, replace
from typing import Any, Final

from kernel.events.body import Body
from kernel.events.delta import DeltaAccepted, DeltaProposed, DeltaRejected, DeltaSplit, DeltaSuperseded
from kernel.events.envelope import Event
from kernel.projections.visible import are_same, is_clear, visible
from kernel.projections.withheld import SHOWN, Numbers, untitled, without_numbers
from kernel.reducer import evolve
from kernel.reducer.operations import Acceptance, foresee, state_root
from kernel.rules.operations import touched
from kernel.state import INITIAL, State, changed, revision_key
from kernel.table import Table
from kernel.values.records import NodeAdd, NodeClear, NodePatch, NodeRetire, Operation
from kernel.values.words import Words
from kernel.vocabulary import Purpose

_MOMENT: Final = len("event_") + 10
"""Characters of an event's id that say its kind and its moment."""
_DIGITS: Final = b"0123456789abcdefghjkmnpqrstvwxyz" * 8
"""Byte -> the digit of an id that stands for it."""
NO_DIGEST: Final = "sha256:" + "0" * 64
"""Stands where the true digest would cover what is not visible."""


@dataclass(frozen=True)
class Sight:
    """The visible history after event `seq` of the whole one."""

    seq: int = 0
    """How many events of the whole history it takes in."""
    state: State = INITIAL
    """What is seen: a state like any other, folded from visible events."""
    numbers: Numbers = field(default_factory=Numbers)
    held: Table[Event] = field(default_factory=Table)
    """Proposals that only owners see, by their ids: shown in part if they are accepted."""
    closing: Event | None = None
    """A visible proposal that was replaced, while its replacements still follow."""
    parts: tuple[Event, ...] = ()
    """The visible replacements so far, not yet part of the history."""
    awaited: int = 0
    """How many replacements still follow."""
    aliases: Table[str] = field(default_factory=Table)
    """Proposals that were renewed though nothing visible had moved -> the visible proposal they still are."""
    renewed: Table[str] = field(default_factory=Table)
    """The other way round: a visible proposal -> what it is called in the whole history by now."""

    def whole_name(self, delta_id: str) -> str:
        """Return what a visible proposal is called in the whole history."""
        return self.renewed.get(delta_id) or delta_id

    def seen_name(self, delta_id: str) -> str:
        """Return what a proposal of the whole history is called here."""
        return self.aliases.get(delta_id) or delta_id


Looked = tuple[Sight, tuple[Event, ...]]
"""The sight after an event, and the events that it added to the visible history."""


def look(sight: Sight, event: Event) -> Looked:
    """Return the sight one event later, with what was added to the visible history."""
    event = _named(sight, event)
    body = event.body
    if isinstance(body, DeltaProposed):
        after, added = _proposed(sight, event, body)
    elif isinstance(body, DeltaAccepted):
        after, added = _accepted(sight, event, body)
    elif isinstance(body, DeltaSuperseded | DeltaSplit):
        after, added = _replaced(sight, event, body)
    else:
        after, added = _other(sight, event)
    return changed(after, seq=event.seq), added


def _named(sight: Sight, event: Event) -> Event:
    """Return the event about the visible proposal, when it is about one that is only another name of it."""
    field_name = "supersedes" if isinstance(event.body, DeltaProposed) else "delta_id"
    seen = sight.aliases.get(getattr(event.body, field_name, None) or "")
    return event if seen is None else replace(event, body=event.body.model_copy(update={field_name: seen}))


def _id(event: Event, ordinal: int) -> str:
    """Return an id of the event's moment that tells nothing of where it stands in the whole history."""
    seed = b"\x00".join((b"odeu.visible.v1", event.command.encode(), str(ordinal).encode()))
    return event.id[:_MOMENT] + hashlib.sha256(seed).digest()[:16].translate(_DIGITS).decode()


def _show(sight: Sight, event: Event, *bodies: Body) -> Looked:
    """Return the sight in which these bodies happened, under the event's envelope, and the events they became."""
    state, added = sight.state, []
    for body in bodies:
        ordinal = state.ordinal + 1 if state.seq and state.command == event.command else 0
        seen = Event(
            ledger=event.ledger,
            seq=state.seq + 1,
            id=_id(event, ordinal),
            at=event.at,
            actor=event.actor,
            via=event.via,
            command=event.command,
            ordinal=ordinal,
            body=body,
        )
        state = evolve(state, seen)
        added.append(seen)
    return changed(sight, state=state), tuple(added)


def _other(sight: Sight, event: Event) -> Looked:
    show = SHOWN.get(type(event.body))
    body = None if show is None else show(sight.state, sight.numbers, event.body)
    if isinstance(event.body, DeltaRejected) and event.body.delta_id in sight.held:
        sight = changed(sight, held=sight.held.without(event.body.delta_id))
    return (sight, ()) if body is None else _show(sight, event, body)


def _proposed(sight: Sight, event: Event, body: DeltaProposed) -> Looked:
    if body.delta_id in sight.aliases:
        return sight, ()
    shown = _clear_proposal(sight, body)
    if shown is None:
        sight = changed(sight, held=sight.held.put(body.delta_id, event))
    closing = sight.closing
    if closing is None:
        return (sight, ()) if shown is None else _show(sight, event, shown)
    parts = sight.parts if shown is None else (*sight.parts, replace(event, body=shown))
    sight = changed(sight, parts=parts, awaited=sight.awaited - 1)
    return (sight, ()) if sight.awaited > 0 else _closed(sight, closing)


def _replaced(sight: Sight, event: Event, body: DeltaSuperseded | DeltaSplit) -> Looked:
    if body.delta_id not in sight.state.deltas:
        return changed(sight, held=sight.held.without(body.delta_id)), ()
    record = sight.state.deltas[body.delta_id]
    is_current = record.body.base_revision == sight.state.revision
    if isinstance(body, DeltaSuperseded) and body.why == "rebased" and is_current:
        # What moved in between is not visible, so nothing was renewed.
        return _same_again(sight, body.delta_id, body.replacement_id), ()
    awaited = len(body.replacement_ids) if isinstance(body, DeltaSplit) else 1
    return changed(sight, closing=event, parts=(), awaited=awaited), ()


def _same_again(sight: Sight, delta_id: str, replacement_id: str) -> Sight:
    return changed(
        sight,
        aliases=sight.aliases.put(replacement_id, delta_id),
        renewed=sight.renewed.put(delta_id, replacement_id),
    )


def _closed(sight: Sight, closing: Event) -> Looked:
    """Show that a proposal was replaced by what is visible of its replacements, or else that it was closed."""
    parts, body = sight.parts, closing.body
    sight = changed(sight, closing=None, parts=(), awaited=0)
    ids = tuple(part.body.delta_id for part in parts if isinstance(part.body, DeltaProposed))
    assert isinstance(body, DeltaSuperseded | DeltaSplit)
    if not ids:
        return _show(sight, closing, DeltaRejected(delta_id=body.delta_id))
    if isinstance(body, DeltaSplit):
        body = body.model_copy(update={"replacement_ids": ids})
    sight, added = _show(sight, closing, body)
    for part in parts:
        sight, more = _show(sight, part, part.body)
        added += more
    return sight, added


def _clear_proposal(sight: Sight, body: DeltaProposed) -> DeltaProposed | None:
    """Return a proposal as it is seen, or None when it touches what is not visible."""
    state, tables = sight.state, sight.state.tables
    pinned = body.purpose is not Purpose.RECONCILIATION or body.closure_id in state.closures
    is_named = body.compensates is None or sight.numbers.is_visible(body.compensates)
    if not (pinned and is_named and all(item in state.sources for item in body.source_ids)):
        return None
    bundles = (body.operations, *(item.operations for item in body.alternatives))
    if not all(is_clear(state, operations) for operations in bundles):
        return None
    known = body.duplicate_of in tables.nodes if body.duplicate_of else False
    is_same = sight.numbers.same == body.base_revision
    changes: dict[str, Any] = {
        "base_revision": state.revision,
        "touches": body.touches if is_same else touched(tables, *bundles),
        "fits": tuple(item for item in body.fits if item.parent_id in tables.nodes),
        "duplicate_of": body.duplicate_of if known else None,
        "exchange_id": body.exchange_id if body.exchange_id in state.exchanges else None,
        "supersedes": body.supersedes if body.supersedes in state.deltas else None,
    }
    other = {name: value for name, value in changes.items() if value != getattr(body, name)}
    return without_numbers(body.model_copy(update=other) if other else body, sight.numbers)


def _accepted(sight: Sight, event: Event, body: DeltaAccepted) -> Looked:
    state = sight.state
    shown = visible(state, body.operations)
    held = sight.held.get(body.delta_id)
    if held is not None:
        sight = changed(sight, held=sight.held.without(body.delta_id))
    if not shown:
        sight = changed(sight, numbers=sight.numbers.passed(body.revision))
        is_open = body.delta_id in state.open_deltas
        return _show(sight, event, DeltaRejected(delta_id=body.delta_id)) if is_open else (sight, ())
    if sight.numbers.same == body.revision - 1 and held is None and are_same(shown, body.operations):
        # All of it was visible so far, and this is: the records and their root are those of the whole.
        sight = changed(sight, numbers=sight.numbers.same_again())
        return _show(sight, event, body.model_copy(update={"seen": NO_DIGEST}))
    added: tuple[Event, ...] = ()
    if held is not None:
        proposal = replace(event, actor=held.actor, via=held.via)
        sight, added = _show(sight, proposal, _seen_in_part(state, held.body, shown))
    sight, more = _show(sight, event, _acceptance(sight.state, body, shown, event.actor.id))
    is_whole = len(shown) == len(body.operations)
    return changed(sight, numbers=sight.numbers.made(body.revision, is_whole=is_whole)), added + more


def _acceptance(
    state: State, body: DeltaAccepted, shown: tuple[Operation, ...], approver: str
) -> DeltaAccepted:
    """Return a yes as it is seen: the next visible revision, with the root of what is visible then."""
    by_evidence = state.deltas[body.delta_id].body.purpose is Purpose.RECONCILIATION
    after = foresee(state.tables, shown, Acceptance(state.revision + 1, approver, by_evidence))
    changes = {
        "seen": NO_DIGEST,
        "base_revision": state.revision,
        "revision": state.revision + 1,
        "operations": shown,
        "state_root": state_root(after),
    }
    return body.model_copy(update=changes)


def _seen_in_part(state: State, body: Body, shown: tuple[Operation, ...]) -> DeltaProposed:
    """Return what a proposal that only owners saw looks like to others, once it is accepted."""
    assert isinstance(body, DeltaProposed)
    changes = {
        "base_revision": state.revision,
        "source_ids": tuple(item for item in body.source_ids if item in state.sources),
        "exchange_id": None,
        "title": _title(state, shown),
        "operations": shown,
        "alternatives": (),
        "fits": (),
        "reasons": (),
        "uncertainty": (),
        "touches": touched(state.tables, shown),
        "duplicate_of": None,
        "supersedes": None,
        "compensates": None,
    }
    return body.model_copy(update=changes)


def _title(state: State, shown: tuple[Operation, ...]) -> Words:
    """Return a title from what is visible: the proposal's own may speak of what is not."""
    for item in shown:
        if isinstance(item, NodeAdd):
            return item.title
        if isinstance(item, NodePatch | NodeClear | NodeRetire) and item.node_id in state.tables.nodes:
            return state.tables.nodes[item.node_id].title
    return untitled(state.ledger, revision_key(state.revision))
