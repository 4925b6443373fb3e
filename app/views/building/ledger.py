"""Builds the Ledger page from one page of events. Pure: what services read and found comes in as plain values."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from app.views.building.about import about, note
from app.views.ledger.page import LedgerPage
from app.views.ledger.parts import (
    EventRow,
    LedgerFilter,
    LedgerHead,
    OptionGroup,
    Verified,
)
from app.views.ledger.words import FAMILIES, bare_type, family_of, type_words, types_in
from app.views.parts import IdCopy, Link, Moment, Option
from app.views.shell import Shell
from app.views.wording import MANAGER, Reading, capital, count, moment, short_id, speaker
from kernel.events.envelope import Event
from kernel.state import State, revision_key
from kernel.vocabulary import ActorKind, Role, Via

PART: Final = (
    "You see what is shared with you, counted as you see it. The whole ledger, its checkpoints and its export are for "
    "the owners of the project."
)
_DOORS: Final = {
    Via.BROWSER: "in the browser",
    Via.CLI: "on the command line",
    Via.API: "through the API",
    Via.MCP: "through MCP",
    Via.WORKER: "by the worker",
}
_KINDS: Final = {
    ActorKind.HUMAN: "Any person",
    ActorKind.MANAGER: capital(MANAGER),
    ActorKind.AGENT: "Any agent",
    ActorKind.OPERATOR: "Any operator",
    ActorKind.SYSTEM: "The host",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """Which events a reader asked for; empty values ask for all."""

    type: str = ""
    """A type without its version, or the name of a family."""
    actor: str = ""
    """A kind of actor, or `kind:id`."""

    @property
    def is_all(self) -> bool:
        """Tell whether everything is asked for."""
        return not self.type and not self.actor

    def sieve(self) -> Callable[[bytes], bool]:
        """Return what tells whether canonical bytes may be those of an event that is asked for; `fits` decides."""
        types = "|".join(re.escape(wire) for wire in _types_of(self.type))
        has_type = re.compile(f'"type":"(?:{types})\\.v'.encode() if self.type else b"").search
        kind, _, actor_id = self.actor.partition(":")
        who = f'"id":"{actor_id}","kind":"{kind}"' if actor_id else f'"kind":"{kind}"'
        mark = who.encode() if self.actor else b""
        return lambda data: mark in data and has_type(data) is not None

    def fits(self, event: Event) -> bool:
        """Tell whether an event is asked for."""
        wanted_type = not self.type or self.type in {bare_type(event.type), family_of(event.type)}
        kind = event.actor.kind.value
        return wanted_type and (not self.actor or self.actor in {kind, f"{kind}:{event.actor.id}"})


def _types_of(asked: str) -> tuple[str, ...]:
    """Return the types without versions that a family or a type stands for."""
    return tuple(wire for wire, _ in types_in(asked)) if asked in FAMILIES else (asked,)


@dataclass(frozen=True, slots=True)
class Read:
    """What was read of the log: some events, newest first, and where the reading ended."""

    events: tuple[Event, ...]
    head: int
    before: int | None
    scanned_from: int


@dataclass(frozen=True, slots=True)
class Asked:
    """What the address asks for."""

    choice: Choice
    before: int | None = None


def ledger_href(base: str, choice: Choice, before: int | None = None) -> str:
    """Return the address of a page of events."""
    said = {"type": choice.type, "actor": choice.actor, "before": "" if before is None else str(before)}
    text = urlencode({name: value for name, value in said.items() if value})
    return f"{base}/ledger" + (f"?{text}" if text else "")


def ledger_page(shell: Shell, reading: Reading, read: Read, asked: Asked) -> LedgerPage:
    """Return one page of what a person sees of the log; for an owner, the rest is added to it."""
    choice = asked.choice
    newest = Link("Newest", ledger_href(reading.base, choice), "arrow-up")
    older = None
    if read.before is not None:
        words = "Older" if choice.is_all else f"Look further back than event {read.before}"
        older = Link(words, ledger_href(reading.base, choice, read.before), "arrow-down")
    return LedgerPage(
        shell=shell,
        summary="Everything that happened, in order. Nothing in it can be changed, only added to.",
        head=None,
        verified=None,
        verify=None,
        ways=(),
        filter=_filter(reading, choice),
        rows=tuple(_row(reading, event) for event in read.events),
        said=_said(read, choice, asked.before),
        newer=None if asked.before is None else newest,
        older=older,
        empty_text="" if read.events else "No such event among those that were looked at.",
        part=PART,
    )


def ledger_ways(base: str, *, may_import: bool) -> tuple[Link, ...]:
    """Return the ways to take a project away and to bring one in."""
    ways = [Link("Export", f"{base}/ledger/export", "download")]
    if may_import:
        ways.append(Link("Import", "/import", "upload"))
    return tuple(ways)


def ledger_head(state: State, root: str, note: str) -> LedgerHead:
    """Return where the whole ledger stands, with its signed checkpoint."""
    size = next(iter(note.split("\n")[1:2]), "")
    return LedgerHead(
        size=f"Event {state.seq}",
        revision=f"Revision {state.revision},",
        when=moment(state.revisions[revision_key(state.revision)].origin.at),
        root=IdCopy(f"{root[:4]} {root[4:8]} … {root[-4:]}", root),
        note_size=f"Event {size}",
        note=note,
    )


def _said(read: Read, choice: Choice, before: int | None) -> str:
    newest = read.head if before is None else min(before - 1, read.head)
    if choice.is_all:
        return f"Events {read.scanned_from} to {newest} of {read.head}"
    found = count(len(read.events), "event")
    return f"{found} of those between {read.scanned_from} and {newest}"


def _filter(reading: Reading, choice: Choice) -> LedgerFilter:
    groups = tuple(
        OptionGroup(
            name,
            (
                Option(family, f"{name}: all", is_chosen=choice.type == family),
                *(Option(wire, words, is_chosen=choice.type == wire) for wire, words in types_in(family)),
            ),
        )
        for family, name in FAMILIES.items()
        if family != "authority"
    )
    known = [(kind.value, words) for kind, words in _KINDS.items()]
    known += [(f"human:{person_id}", name) for person_id, name in sorted(reading.names.items())]
    if choice.actor and choice.actor not in dict(known):
        known.append((choice.actor, choice.actor.partition(":")[2] or choice.actor))
    actors = tuple(Option(value, words, is_chosen=value == choice.actor) for value, words in known)
    clear = None if choice.is_all else Link("Show all events", ledger_href(reading.base, Choice()), "x")
    return LedgerFilter(f"{reading.base}/ledger", groups, (Option("", "Everyone"), *actors), clear)


def _row(reading: Reading, event: Event) -> EventRow:
    subject = about(reading, event)
    role = "" if event.actor.role is Role.NONE else f"{event.actor.role.value}, "
    return EventRow(
        number=str(event.seq),
        what=type_words(event.type),
        type=bare_type(event.type),
        about=subject.link,
        about_text="" if subject.href else subject.text,
        note=note(event.body),
        who=capital(speaker(event.actor, reading.names)),
        door=f"{role}{_DOORS[event.via]}",
        when=moment(event.at),
        exact=f"{event.at[:10]} {event.at[11:-1]} UTC",
        id=short_id(event.id),
    )


def verified_words(
    *, size: int, problems: tuple[str, ...], more: int, is_strict: bool, when: str, took_ms: int
) -> Verified:
    """Return what a verification found, in words."""
    took = f"It took {max(took_ms, 100) / 1000:.1f} s."
    if not problems:
        rules = "every rule applied anew, " if is_strict else ""
        text = f"{count(size, 'event')} read again, {rules}leaves, tree, checkpoints and texts fit. {took}"
        return Verified("ok", "shield-check", "Verified from the first event to the last", text, moment(when))
    total = len(problems) + more
    text = f"{count(total, 'thing does', 'things do')} not fit. Keep the data folder as it is, and restore a backup beside it."
    shown = (*problems, *((f"and {count(more, 'more')}: `odeu verify` lists all",) if more else ()))
    return Verified(
        "bad", "shield-alert", "This is not the ledger that was written", text, moment(when), problems=shown
    )


def verifying_words(base: str, since: str) -> Verified:
    """Return that a verification is under way."""
    again = Link("Look again", f"{base}/ledger")
    text = "It goes on when you leave this page. Its finding will stand here."
    began: Moment = moment(since)
    return Verified("info", "loader", "Reading the ledger again", text, began, again=again)
