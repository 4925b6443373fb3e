"""What a page of work rests on: one thread of the ledger, who looks at it, and what was read outside just now.

Everything outside the ledger (the branch, the patch, the journal) is read by whoever asks for the page and handed
in with the moment of reading; nothing here guesses what it does not know.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from app.views.parts import Binding, IdCopy, Link, Refusal
from app.views.shell import Shell
from app.views.wording import capital, origin_words
from app.views.work.parts import Act
from kernel.canonical import decode_canonical
from kernel.errors import CanonicalError
from kernel.projections.threads import Thread, WorkAct
from kernel.state import BriefRecord, Origin, State
from kernel.values.execution import JournalState
from kernel.values.work import Profile, RuntimeFacts

ADDRESS: Final[dict[WorkAct, str]] = {
    WorkAct.COMPILE: "brief",
    WorkAct.AUTHORIZE: "authorise",
    WorkAct.CANCEL: "cancel",
    WorkAct.VALIDATE: "validate",
    WorkAct.RECONCILE: "reconcile",
    WorkAct.INTEGRATE: "integrate",
    WorkAct.REJECT: "reject",
    WorkAct.PROPOSE: "promote",
    WorkAct.AUTHORIZE_PROMOTION: "promote/authorise",
}
"""The last part of the address an act is sent to; also the name of its form."""


_OBJECT_ID: Final = re.compile(r"\b([0-9a-f]{8})[0-9a-f]{32}(?:[0-9a-f]{24})?\b")


@dataclass(frozen=True, slots=True)
class Branch:
    """What a target branch held when it was read for this page."""

    commit: str | None
    """None when it could not be read."""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Patch:
    """A candidate's patch as text, and what is to be said about it."""

    text: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Journal:
    """What the promotion journal said when it was read for this page; `state` None: it could not be trusted."""

    state: JournalState | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Sight:
    """Who looks, when, and what is configured and was read for the page."""

    shell: Shell
    now: str
    names: Mapping[str, str]
    """Person id -> name."""
    profiles: tuple[Profile, ...]
    runtimes: tuple[RuntimeFacts, ...]
    can_act: bool
    """False for a person who may only look."""
    new_command: Callable[[], str]
    """Returns a fresh command id; every form gets one of its own."""
    branch: Branch | None = None
    patch: Patch = field(default_factory=Patch)
    journal: Journal | None = None
    refusal: Refusal | None = None
    chosen: str = ""
    """The profile the person chose before, kept after a refusal."""
    reason: str = ""
    """The reason that was typed, kept after a refusal."""
    is_choosing: bool = False
    """True when another profile is to be chosen although the task has a brief."""
    polls: int = 0
    """How often the page has already asked by itself."""

    def by(self, origin: Origin) -> str:
        """Return who did it through which door, such as `by Mira, on the command line`."""
        return f"by {origin_words(origin, self.names)}"

    def runtime(self, runtime_id: str) -> RuntimeFacts | None:
        """Return a configured runtime; None when it is configured no more."""
        return next((item for item in self.runtimes if item.id == runtime_id), None)

    def runtime_words(self, runtime_id: str) -> str:
        """Return what a runtime truthfully is, or its id when it is configured no more."""
        found = self.runtime(runtime_id)
        return runtime_id if found is None else found.label

    def profile(self, profile_id: str | None) -> Profile | None:
        """Return a configured profile; None when it is configured no more."""
        return next((item for item in self.profiles if item.contract.profile_id == profile_id), None)

    def profile_words(self, profile_id: str) -> str:
        """Return a profile's title, or its id when it is configured no more."""
        found = self.profile(profile_id)
        return profile_id if found is None else found.title


@dataclass(frozen=True, slots=True)
class View:
    """One thread as one person sees it now."""

    state: State
    thread: Thread
    sight: Sight

    @property
    def project(self) -> str:
        """The address of the project."""
        return f"/p/{self.state.ledger}"

    @property
    def here(self) -> str:
        """The address of the thread."""
        return f"{self.project}/work/{self.thread.task_id}"

    def offers(self, act: WorkAct) -> bool:
        """Tell whether the act may be offered now."""
        return act in self.thread.acts

    def act(self, act: WorkAct, label: str, icon: str, says: str = "", *, seen: str = "") -> Act:
        """Return the form of an act. With `seen` it is an act on meaning and carries the revision that was shown."""
        revision = str(self.state.revision) if seen else ""
        binding = Binding(revision, seen, self.sight.new_command())
        name = ADDRESS[act]
        return Act(label, icon, f"{self.here}/{name}", f"act-{name.replace('/', '-')}", binding, says)

    def acts(self, *offered: tuple[WorkAct, str, str]) -> tuple[Act, ...]:
        """Return those of the acts (act, label, icon) that may be offered now."""
        return tuple(self.act(act, label, icon) for act, label, icon in offered if self.offers(act))

    def brief_link(self, text: str = "Read the exact brief") -> Link:
        """Return the way to the current brief."""
        assert self.thread.trail.brief is not None
        return Link(text, f"{self.here}/brief/{self.thread.trail.brief.body.brief_id}", "file-text")

    def done_by(self, origin: Origin) -> str:
        """Return who did it, as the beginning of a sentence."""
        return capital(origin_words(origin, self.sight.names))


@dataclass(frozen=True, slots=True)
class BriefWords:
    """The words of a brief's contract, read from its exact payload; empty once the payload is erased."""

    goal: str = ""
    done_means: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    confirm: tuple[str, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    """(requirement id, label)."""

    def label(self, requirement_id: str) -> str:
        """Return a requirement's sentence, or its id once the words are gone."""
        return dict(self.labels).get(requirement_id, requirement_id)


def brief_words(record: BriefRecord) -> BriefWords:
    """Return the contract's words as the worker receives them."""
    payload = _payload(record)
    if payload is None:
        return BriefWords(goal=record.body.payload.or_erased())
    actions = payload["actions"]
    return BriefWords(
        goal=str(payload["goal"]),
        done_means=_texts(payload["done_means"]),
        constraints=_texts(payload["constraints"]),
        allowed=_texts(actions["allowed"]),
        denied=_texts(actions["denied"]),
        confirm=_texts(actions["confirm"]),
        labels=tuple((str(item["id"]), str(item["label"])) for item in payload["evidence"]),
    )


def _payload(record: BriefRecord) -> Any | None:  # noqa: ANN401 - JSON the kernel has proved
    text = record.body.payload.text
    if text is None:
        return None
    try:
        return decode_canonical(text.encode("utf-8"))
    except CanonicalError:
        return None


def _texts(items: Any) -> tuple[str, ...]:  # noqa: ANN401 - JSON the kernel has proved
    return tuple(str(item) for item in items)


def sentence(text: str) -> str:
    """Return the host's words as one sentence: a capital, a full stop, and Git objects short.

    What begins with a name, such as a path, keeps its first letter. The whole ids stand in the facts beside it.
    """
    text = _OBJECT_ID.sub(r"\1", text)
    first = text.partition(" ")[0]
    return (capital(text) if first.isalpha() else text).rstrip(".") + "."


def branch_words(ref: str) -> str:
    """Return a branch by its short name, as people say it."""
    return ref.removeprefix("refs/heads/")


def commit_id(commit: str | None) -> IdCopy | None:
    """Return a commit short to read and whole to copy; None when it was not observed."""
    return None if commit is None else IdCopy.of_object(commit)
