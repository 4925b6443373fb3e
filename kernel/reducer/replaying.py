"""Replays a long history to its state: the same state as folding its events, without making the events.

`pages` are events as they were written, each with what opens its words. That they are the history is proved by
whoever reads them (see `kernel/events/proved`), at the latest when the last page was taken.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec
import orjson

from kernel.canonical import Json
from kernel.errors import HistoryError
from kernel.events.envelope import Event
from kernel.events.proved import BodyReader, body_reader
from kernel.events.skimmed import Skimmed, event_reader
from kernel.events.stored import Written
from kernel.reducer.drafting import TablesDraft
from kernel.reducer.registry import EVOLVERS
from kernel.state import INITIAL, Origin, State, StateDraft
from kernel.upcast import STEPS, Steps, upcast
from kernel.values.stamp import Actor
from kernel.values.words import Unseal
from kernel.vocabulary import Via

_FOREIGN: Final = (KeyError, TypeError, ValueError, AttributeError, IndexError, msgspec.MsgspecError)
"""What reading bytes raises that no version wrote."""

_VIA: Final = {via.value: via for via in Via}


def replay(pages: Iterable[Sequence[Written]], steps: Steps = STEPS) -> State:
    """Return the state after all these events, its records hashed, so that no later act pays for these.

    Raises: HistoryError when the bytes are no events of this catalogue, or whatever `pages` raises.
    """
    draft, tables = StateDraft.of(INITIAL), TablesDraft.of(INITIAL.tables)
    draft.__dict__["tables"] = tables
    last = b""
    for written in pages:
        try:
            page = _current(written, steps) if steps else written
            _take(draft, page)
            last = page[-1][0] if page else last
        except _FOREIGN as error:
            message = f"the events after {draft.seq} are not such as this version writes: {error!r}"
            raise HistoryError(message) from error
    if last:
        raw = orjson.loads(last)
        draft.__dict__.update({name: raw[name] for name in ("ledger", "command", "ordinal")})
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
        except _FOREIGN as error:
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


class _Way(NamedTuple):
    """How to take in an event of one type that came through one door."""

    skim: Callable[[bytes], Skimmed]
    body: BodyReader
    evolve: Callable[[Any, Any, Origin], State]
    via: Via


class _Ways(dict[bytes, _Way]):
    """End of an event's bytes, from its type on -> the way to take it in; found once for each."""

    def __missing__(self, end: bytes) -> _Way:
        found = _END.fullmatch(end)
        if found is None:
            raise KeyError(end)
        reader = event_reader(found[1].decode())
        way = self[end] = _Way(reader.skim, reader.body, EVOLVERS[reader.body_class], _VIA[found[2].decode()])
        return way


class _Actors(dict[bytes, Actor]):
    """Beginning of an event's bytes, which is its actor -> that actor. A ledger names few of them, over and over."""

    def __missing__(self, beginning: bytes) -> Actor:
        if not beginning.startswith(_BY):
            raise KeyError(beginning)
        actor = Actor.model_validate_json(beginning[len(_BY) :] + b"}")
        if len(self) < _ACTORS_MAX:
            self[beginning] = actor
        return actor


_WAYS: Final = _Ways()
_ACTORS: Final = _Actors()
_ACTORS_MAX: Final = 1024

# Where the fields of an event's bytes lie, whose keys are sorted. No text can hold these, since a quote in it is escaped.
_BY: Final = b'{"actor":'
_AT: Final = b'},"at":"'
_TYPE: Final = b'"type":"'
_TYPE_LENGTH: Final = len(_TYPE)
_END: Final = re.compile(rb'([a-z_.0-9]+)","via":"([a-z]+)"}')


def _take(draft: StateDraft, page: Sequence[Written]) -> None:
    fields, ways, actors, new = draft.__dict__, _WAYS, _ACTORS, tuple.__new__
    latest = fields["at"]
    for data, unseal in page:
        skim, body, evolve, via = ways[data[data.rindex(_TYPE) + _TYPE_LENGTH :]]
        event = skim(data)
        seq, at = event.seq, event.at
        actor = actors[data[: data.index(_AT)]]
        evolve(draft, body(event.body, data, unseal), new(Origin, (seq, event.id, at, actor, via)))
        if at < latest:
            fields["clock_stepped_back"] = seq
        else:
            latest = at
        fields["seq"] = seq
    fields["at"] = latest


def _current(page: Sequence[Written], steps: Steps) -> list[Written]:
    """Return the page with every event as this version writes it."""
    return [(data, unseal) for _, data, unseal in _parsed(page, steps)]


def _parsed(page: Sequence[Written], steps: Steps) -> Iterator[tuple[dict[str, Json], bytes, Unseal | None]]:
    """Yield each event's JSON data, its bytes and what opens its words, all as this version writes them."""
    # One parse for all: every event is an object of its own, so a comma between them cannot be mistaken.
    raws = orjson.loads(b"[" + b",".join([data for data, _ in page]) + b"]")
    for raw, (data, unseal) in zip(raws, page, strict=True):
        if raw["type"] in steps:
            later = upcast(raw, steps)
            yield later, orjson.dumps(later, option=orjson.OPT_SORT_KEYS), unseal
        else:
            yield raw, data, unseal


@lru_cache(maxsize=1024)
def _actor(kind: str, name: str, role: str) -> Actor:
    """Return the actor of these fields; a ledger names few of them, over and over."""
    return Actor.model_validate_json(orjson.dumps({"kind": kind, "id": name, "role": role}))
