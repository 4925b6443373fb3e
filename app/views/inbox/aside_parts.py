"""The forms of the Inbox that set a proposal aside or part it: later, not like this, in several."""

from dataclasses import dataclass

from app.views.parts import Binding, Moment, Option


@dataclass(frozen=True, slots=True)
class DeferForm:
    """Decide later: it leaves the queue until a day, or until somebody looks for it."""

    action: str
    binding: Binding
    says: str
    cancel: str
    """Where giving up leads."""
    until: str = ""
    """The day that was typed, as `2026-12-24`."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RemandForm:
    """Send it back with what has to be put right."""

    action: str
    binding: Binding
    says: str
    cancel: str
    reason: str = ""
    corrections: str = ""
    """What was typed, one correction a line."""


@dataclass(frozen=True, slots=True)
class SplitRow:
    """One part: its words, kind and place."""

    number: int
    """From 1; names the fields."""
    title: str
    kinds: tuple[Option, ...]
    places: tuple[Option, ...]
    is_needed: bool = False
    """The first two are; the others may stay empty."""


@dataclass(frozen=True, slots=True)
class SplitForm:
    """Several suggestions in place of one."""

    action: str
    binding: Binding
    rows: tuple[SplitRow, ...]
    says: str
    cancel: str


@dataclass(frozen=True, slots=True)
class RenewForm:
    """The same suggestion about the newest revision, for another look."""

    action: str
    binding: Binding
    says: str
    cancel: str


@dataclass(frozen=True, slots=True)
class Aside:
    """At most one of these forms, open."""

    defer: DeferForm | None = None
    remand: RemandForm | None = None
    split: SplitForm | None = None
    renew: RenewForm | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """How an open proposal was set aside, until it is decided."""

    title: str
    """Such as `Sent back; it waits for its corrections`; with a moment, what leads up to it."""
    text: str
    """The reason in the person's words, or what happens next."""
    corrections: tuple[str, ...] = ()
    """What has to be put right."""
    when: Moment | None = None
    """The moment behind the title, such as the one a decision was put off to."""
