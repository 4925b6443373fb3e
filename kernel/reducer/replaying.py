"""Replays a long history to its state: the same state as folding its events, without making the events.

`pages` are events as they were written, each with what opens its words. That they are the history is proved by
whoever reads them (see `kernel/events/proved`), at the latest when the last page was taken.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

import orjson

from kernel.canonical import Json
from kernel.errors import HistoryError
from kernel.events.envelope import Event
from kernel.events.proved import body_reader
from kernel.events.stored import Written
from kernel.reducer.drafting import TablesDraft
from kernel.reducer.registry import EVOLVERS
from kernel.state import INITIAL, Origin, State, StateDraft
from kernel.upcast import STEPS, Steps, upcast
from kernel.values.stamp import Actor
from kernel.values.words import Unseal
from kernel.vocabulary import Via

_VIA: Final = {via.value: via for via in Via}


def replay(pages: Iterable[Sequence[Written]], steps: Steps = STEPS) -> State:
    """Return the state after all these events, its records hashed, so that no later act pays for these.

    Raises: HistoryError when the bytes are no events of this catalogue, or whatever `pages` raises.
    """
    draft, tables = StateDraft.of(INITIAL), TablesDraft.of(INITIAL.tables)
    draft.__dict__["tables"] = tables
    for page in pages:
        try:
            _take(draft, page, steps)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            message = f"the events after {draft.seq} are not such as this version writes: {error!r}"
            raise HistoryError(message) from error
    state = draft.done()
    state.__dict__["tables"] = tables.done()
    state.tables.trie.root()
    return state


def events_of(page: Sequence[Written], steps: Steps = STEPS) -> Iterator[Event]:
    """Yield the events of one page, for whoever needs more of them than the state they lead to.

    Raises: HistoryError when the bytes are no events of this catalogue.
    """
    for raw, data, unseal in _parsed(page, steps):
        try:
            yield _event(raw, data, unseal)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            message = f"the event {raw['seq']} is not such as this version writes: {error!r}"
            raise HistoryError(message) from error


def _event(raw: dict[str, Json], data: bytes, unseal: Unseal | None) -> Event:
    by = raw["actor"]
    return Event(
        ledger=raw["ledger"],
        seq=raw["seq"],
        id=raw["id"],
        at=raw["at"],
        actor=_actor(by["kind"], by["id"], by["role"]),
        via=_VIA[raw["via"]],
        command=raw["command"],
        ordinal=raw["ordinal"],
        body=body_reader(raw["type"])(raw["body"], data, unseal),
    )


def _take(draft: StateDraft, page: Sequence[Written], steps: Steps) -> None:
    fields, raw = draft.__dict__, None
    for raw, data, unseal in _parsed(page, steps):
        body = body_reader(raw["type"])(raw["body"], data, unseal)
        seq, at, by = raw["seq"], raw["at"], raw["actor"]
        origin = Origin(seq, raw["id"], at, _actor(by["kind"], by["id"], by["role"]), _VIA[raw["via"]])
        EVOLVERS[type(body)](draft, body, origin)
        if at < fields["at"]:
            fields["clock_stepped_back"] = seq
        else:
            fields["at"] = at
        fields["seq"] = seq
    if raw is not None:
        fields.update({name: raw[name] for name in ("ledger", "command", "ordinal")})


def _parsed(page: Sequence[Written], steps: Steps) -> Iterator[tuple[dict[str, Json], bytes, Unseal | None]]:
    """Yield each event's JSON data, its bytes and what opens its words, all as this version writes them."""
    # One parse for all: every event is an object of its own, so a comma between them cannot be mistaken.
    raws = orjson.loads(b"[" + b",".join([data for data, _ in page]) + b"]")
    for raw, (data, unseal) in zip(raws, page, strict=True):
        if raw["type"] in steps:
            later = upcast(raw, steps)
            yield later, orjson.dumps(later), unseal
        else:
            yield raw, data, unseal


@lru_cache(maxsize=1024)
def _actor(kind: str, name: str, role: str) -> Actor:
    """Return the actor of these fields; a ledger names few of them, over and over."""
    return Actor.model_validate_json(orjson.dumps({"kind": kind, "id": name, "role": role}))
