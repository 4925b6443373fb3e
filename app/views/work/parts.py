"""The parts a work thread is made of: what one stage may show, and the acts it offers.

Plain words, already chosen: a template prints these and decides nothing. Text that a person, a worker or a
manager wrote is carried as it is; the page makes it harmless where it prints it.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from app.views.parts import Binding, Fact, IdCopy, Link, Mark, Moment

CalloutTone: TypeAlias = Literal["info", "ok", "warn", "bad", "unknown"]


@dataclass(frozen=True, slots=True)
class Act:
    """One thing a person may do here: a plain form with one button.

    An act that is listed and not possible now has its reason in `refused`, and its button does not press.
    """

    label: str
    icon: str
    action: str
    """Where the form is sent."""
    form_id: str
    """Unique on the page; fields outside the form belong to it by naming it."""
    binding: Binding
    says: str = ""
    """What the act does and does not do, one sentence."""
    key: str = ""
    """The single key that presses it; empty for none."""
    refused: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    """More hidden fields, such as the brief that is authorised."""
    asks: str = ""
    """What a field above the button asks for; empty for a form that is only its button."""
    typed: str = ""
    """What was typed into it before a refusal."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One radio choice. A choice that is not possible says why."""

    value: str
    text: str
    hint: str
    is_chosen: bool = False
    refused: str = ""


@dataclass(frozen=True, slots=True)
class BriefChoice:
    """Choosing a profile and a runtime before a brief is compiled, and what the brief would hold."""

    form_id: str
    profiles: tuple[Choice, ...]
    runtimes: tuple[Choice, ...]
    """Empty when the runtime is chosen with the authorisation."""
    shared: str
    """Such as `6 shared: the task, its goal, 2 constraints, 1 decision in force, the file it changes`.

    Empty when nothing is chosen.
    """
    withheld: str
    """Such as `25 stay here: 2 private, 23 not needed`."""


@dataclass(frozen=True, slots=True)
class Authority:
    """What exactly one run may do, until when, and what leaves this machine."""

    runtime: Mark
    deadline: str
    leaves: str
    may: tuple[str, ...]
    asks_first: tuple[str, ...]
    may_not: tuple[str, ...]
    brief: Link
    shared: str
    withheld: str
    answer: str = ""
    """The answer to an earlier question that this run would carry; empty when there is none."""
    form_id: str = ""
    """The form a choice among several runtimes belongs to."""
    runtimes: tuple[Choice, ...] = ()
    """Offered only when the profile allows more than one."""


@dataclass(frozen=True, slots=True)
class ProgressLine:
    """One thing the run said or the host noted."""

    when: Moment
    text: str


@dataclass(frozen=True, slots=True)
class Progress:
    """A run on its way. While it is unfinished the part asks for itself, a bounded number of times."""

    mark: Mark
    who: str
    """The runtime, truthfully, such as `Scripted worker (no model)`."""
    ends_by: Moment | None
    """None when only the work's own limits end it."""
    lines: tuple[ProgressLine, ...]
    refresh: Link
    """The same part again; also what a person without JavaScript presses."""
    is_polling: bool
    cancel: Act | None = None
    cancel_refused: str = ""
    """Why it cannot be cancelled any more; empty when it can."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question that stopped a run; the answer goes into the next authorisation."""

    text: str
    when: Moment
    form_id: str
    """The form the answer belongs to; empty when the answer is given elsewhere."""
    answer: str = ""
    """What the person typed before, kept after a refusal."""
    error: str = ""
    how: str = ""
    """How the answer is given elsewhere; empty when there is a form."""
    ways: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that did not go on, or stands in the way: what is known, and the way out."""

    tone: CalloutTone
    icon: str
    title: str
    text: str
    ways: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Seen:
    """One thing the host saw itself."""

    word: str
    """What sort of observation, such as `Exit` or `Files`."""
    text: str


@dataclass(frozen=True, slots=True)
class Reported:
    """What the worker says beside what the host saw; never merged, never judged here."""

    worker: str
    claims: tuple[str, ...]
    observations: tuple[Seen, ...]


@dataclass(frozen=True, slots=True)
class FileLine:
    """One changed path of a candidate."""

    path: str
    mark: Mark
    """Added, changed or removed."""
    lines: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sealed candidate: its commit, its files and its patch as text."""

    title: str
    facts: tuple[Fact, ...]
    files: tuple[FileLine, ...]
    patch: str
    patch_note: str = ""
    """Says so when the patch is cut, and how to read all of it; empty when it is complete."""


@dataclass(frozen=True, slots=True)
class Check:
    """One requirement of the evidence contract with its result and how the result is known."""

    label: str
    result: Mark
    grade: str
    grade_icon: str
    detail: str
    """How strong that is, in words, and what was counted."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """One fact about how the candidate was confined."""

    name: str
    value: str
    mark: Mark
    """Enforced, or not enforced."""


@dataclass(frozen=True, slots=True)
class Checks:
    """One validation: its requirements, how the code was confined and what judged it."""

    rows: tuple[Check, ...]
    confinement: tuple[Confinement, ...]
    unenforced: Notice | None
    """What this machine did not enforce; shown before the list. None when everything was."""
    facts: tuple[Fact, ...]
    """Harness digest, tier, time, sealed inputs."""


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate before integration: passed, blocked or stale, and why."""

    label: str
    mark: Mark
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """One consequence of accepting: a field now and after."""

    what: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Integration:
    """A reconciliation proposal: what accepting changes, its gates, its reason and what it does not say."""

    changes: tuple[Change, ...]
    gates: tuple[Gate, ...]
    rationale: str
    uncertainty: str


@dataclass(frozen=True, slots=True)
class RefMove:
    """Exactly what would move: one ref of one repository from its base to the candidate."""

    repository: str
    ref: str
    base: IdCopy
    candidate: IdCopy
    contains: str
    """Such as `2 files, 31 lines`."""


@dataclass(frozen=True, slots=True)
class Attestation:
    """Whether a recorded receipt was compared with the journal, by whom nobody has to be trusted, and when."""

    mark: Mark
    text: str
    when: Moment
    again: Link


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one attempt, as its receipt says, and whether the receipt is attested."""

    notice: Notice
    facts: tuple[Fact, ...]
    attestation: Attestation


@dataclass(frozen=True, slots=True)
class EarlierTry:
    """A brief, run, validation, reconciliation or promotion that a later one of the same work replaced."""

    name: str
    mark: Mark
    when: Moment
    link: Link | None = None
    """Where it can still be read; None when this line is all there is to see."""
