"""What the Ledger page is made of: events, the head with its signed checkpoint, and what a verification found."""

from dataclasses import dataclass
from typing import Literal

from app.views.parts import Binding, IdCopy, Link, Moment, Option, Refusal


@dataclass(frozen=True, slots=True)
class EventRow:
    """One event in a line."""

    number: str
    what: str
    """The type in words, such as `Change accepted`."""
    type: str
    """The type as the record spells it."""
    about: Link | None
    """What it is about; None when that has no page."""
    about_text: str
    """The same without a way there; empty beside a link."""
    note: str
    """More about it, such as `revision 18`; empty when there is nothing to add."""
    who: str
    door: str
    """In which role and through which door, such as `owner, in the browser`."""
    when: Moment
    exact: str
    """The moment as it was recorded, in UTC."""
    id: IdCopy


@dataclass(frozen=True, slots=True)
class LedgerHead:
    """Where the ledger stands."""

    size: str
    """Such as `Event 412`."""
    revision: str
    """Such as `Revision 18,`."""
    when: Moment
    root: IdCopy
    note_size: str
    """The event up to which the signed checkpoint reaches."""
    note: str
    """The signed checkpoint, exactly."""


@dataclass(frozen=True, slots=True)
class Verified:
    """What a verification found, or that one is under way."""

    tone: Literal["ok", "bad", "info", "plain"]
    icon: str
    title: str
    text: str
    when: Moment | None = None
    problems: tuple[str, ...] = ()
    again: Link | None = None
    """Where to look again while it is under way."""


@dataclass(frozen=True, slots=True)
class VerifyForm:
    """Read the whole ledger again."""

    action: str
    binding: Binding
    is_running: bool = False
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class OptionGroup:
    """Some entries of a select under one name."""

    name: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class LedgerFilter:
    """Which events are shown."""

    action: str
    types: tuple[OptionGroup, ...]
    actors: tuple[Option, ...]
    clear: Link | None = None
    """Leads to all events; None when all are shown."""
