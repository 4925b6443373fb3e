"""The envelope around an event body, and its canonical bytes.

Wire form: `{type, ledger, seq, id, at, actor, via, command, ordinal, body}` as canonical JSON. Words stand
as commitments; `openings_of` lists what opens them.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, TypeAlias

from pydantic import ValidationError

from kernel.canonical import canonical_bytes, decode_canonical, part_bytes
from kernel.errors import CanonicalError, HistoryError, UnknownEventError
from kernel.events import BODIES
from kernel.events.body import Body
from kernel.events.delta import DeltaAccepted
from kernel.events.project import ProjectOpened
from kernel.values.recorded import Recorded
from kernel.values.stamp import Actor
from kernel.values.words import Opening, Openings, Words
from kernel.vocabulary import Via

AT_PATTERN: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)
"""The one spelling of a moment in the ledger."""

_FIELDS: Final = frozenset(
    {"type", "ledger", "seq", "id", "at", "actor", "via", "command", "ordinal", "body"}
)

_PLAIN: Final = {"type": str, "ledger": str, "seq": int, "id": str, "at": str, "command": str, "ordinal": int}
"""Fields of the envelope that are neither a record nor a word of a closed list."""

_WORDLESS: Final = frozenset({str, int, bool, type(None)})
"""Types of what holds no words."""

Upcast: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]
"""Raw event of any version -> raw event of the current one."""


@dataclass(frozen=True, slots=True)
class Event:
    """One fact in a ledger: who, when, through which door, as which step of which command, and what."""

    ledger: str
    seq: int
    """1-based, gapless."""
    id: str
    at: str
    actor: Actor
    via: Via
    command: str
    ordinal: int
    """0-based position among the events of its command's append."""
    body: Body

    @property
    def type(self) -> str:
        """Return the wire name."""
        return self.body.TYPE


def is_moment(text: object) -> bool:
    """Tell whether `text` is a moment that exists, in the one spelling of the ledger."""
    if not isinstance(text, str) or not AT_PATTERN.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def event_bytes(event: Event) -> bytes:
    """Return the canonical bytes of an event: what the log's leaf hash covers."""
    return canonical_bytes(_raw_of(event))


def proved_bytes(event: Event, openings: Openings) -> bytes:
    """Return the same bytes, once it is shown that whoever reads them gets this very event.

    Raises: HistoryError when they would not read, or would read as another event.
    """
    raw = _raw_of(event)
    _require_plain(raw)
    # What has canonical bytes parses to the same values again, so only their meaning is in question.
    data = canonical_bytes(raw)
    if _event_in(raw, openings) != event:
        message = f"event {event.id} does not read back as itself; it was built outside the catalogue"
        raise HistoryError(message)
    return data


def _raw_of(event: Event) -> dict[str, Any]:
    return {
        "type": event.type,
        "ledger": event.ledger,
        "seq": event.seq,
        "id": event.id,
        "at": event.at,
        "actor": event.actor.model_dump(mode="json"),
        "via": event.via.value,
        "command": event.command,
        "ordinal": event.ordinal,
        "body": event.body.model_dump(mode="json"),
    }


def decode_event(data: bytes, openings: Openings, upcast: Upcast | None = None) -> Event:
    """Return the event whose canonical bytes these are, its words opened where an opening is given.

    `upcast` turns a raw event of an earlier version into the current one (see `kernel/upcast`); the bytes, and so
    the leaf in the log, stay those that were written.

    Raises: UnknownEventError for a type this version does not know; HistoryError for anything malformed.
    """
    try:
        raw = decode_canonical(data)
    except CanonicalError as error:
        message = f"an event does not read as canonical JSON: {error}"
        raise HistoryError(message) from error
    if not isinstance(raw, dict) or set(raw) != _FIELDS:
        message = "an event must have exactly the fields of the envelope"
        raise HistoryError(message)
    _require_plain(raw)
    return _event_in(raw if upcast is None else upcast(raw), openings)


def _require_plain(raw: dict[str, Any]) -> None:
    for name, kind in _PLAIN.items():
        if type(raw[name]) is not kind:
            message = f"the field {name} of an event must be {'text' if kind is str else 'a whole number'}"
            raise HistoryError(message)


def _event_in(raw: dict[str, Any], openings: Openings) -> Event:
    body_class = BODIES.get(raw["type"])
    if body_class is None:
        message = f"event type {raw['type']!r} is unknown to this version"
        raise UnknownEventError(message)
    if not AT_PATTERN.fullmatch(raw["at"]):
        message = f"event {raw['id']!r} has a moment in another spelling: {raw['at']!r}"
        raise HistoryError(message)
    try:
        return _read(raw, body_class, openings)
    except (ValidationError, ValueError) as error:
        message = f"event {raw['id']!r} of type {raw['type']} does not fit its catalogue entry: {error}"
        raise HistoryError(message) from error


def _read(raw: dict[str, Any], body_class: type[Body], openings: Openings) -> Event:
    return Event(
        ledger=raw["ledger"],
        seq=raw["seq"],
        id=raw["id"],
        at=raw["at"],
        actor=_actor(part_bytes(raw["actor"])),
        via=Via(raw["via"]),
        command=raw["command"],
        ordinal=raw["ordinal"],
        body=body_class.model_validate_json(part_bytes(raw["body"]), context=openings),
    )


@lru_cache(maxsize=1024)
def _actor(data: bytes) -> Actor:
    """Return the actor these bytes spell; a ledger names few of them, over and over."""
    return Actor.model_validate_json(data)


def openings_of(event: Event) -> dict[str, Opening]:
    """Return commitment -> opening for every opened text in the event's body."""
    return {words.commitment: words.opening for words in words_of(event.body) if words.opening is not None}


def words_of(value: object) -> Iterator[Words]:
    """Yield every `Words` inside a recorded value, in field order."""
    found: list[Words] = []
    _collect(value, found)
    return iter(found)


def _collect(value: object, found: list[Words]) -> None:
    if isinstance(value, Words):
        found.append(value)
    elif isinstance(value, Recorded):
        for name in type(value).model_fields:
            part = getattr(value, name)
            # Most fields are texts and numbers: a call for each would cost more than looking at all of them.
            if part.__class__ not in _WORDLESS:
                _collect(part, found)
    elif isinstance(value, tuple):
        for item in value:
            _collect(item, found)


def data_key_of(event: Event) -> str:
    """Return the name of the data key that protects the event's words: a source's id or the event's own."""
    body = event.body
    if body.KEYED_BY == "source_id":
        source_id: str | None = getattr(body, "source_id", None)
        return source_id or event.id
    if body.KEYED_BY == "source_ids":
        source_ids: tuple[str, ...] = getattr(body, "source_ids", ())
        return source_ids[0] if source_ids else event.id
    return event.id


def subjects_of(event: Event) -> tuple[str, ...]:
    """Return the ids this event brings into being."""
    return tuple(getattr(event.body, name) for name in event.body.CREATES)


def revision_of(event: Event) -> int | None:
    """Return the number of the revision this event makes, or None."""
    if isinstance(event.body, DeltaAccepted):
        return event.body.revision
    return 0 if isinstance(event.body, ProjectOpened) else None
