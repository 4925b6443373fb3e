"""What crosses the boundary to a manager, and what comes back.

The answer is data about a text, never an instruction: the kernel turns it into a proposal or refuses it.
Scores are integers in thousandths, 0 to 1000.
"""

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from kernel.values.recorded import Recorded
from kernel.vocabulary import NodeKind, RelationKind, Visibility


class SentQuestion(Recorded):
    """What leaves this machine for an outside manager, exactly, and what was withheld; durable before the call.

    Only the body leaves. It holds the captured text and nodes that everybody in the project may see.
    """

    endpoint: str
    """The address it goes to."""
    body: str
    """The exact body of the one call, without any key."""
    places: tuple[str, ...]
    """The nodes the answer may choose as a place."""
    others: tuple[str, ...]
    """Further nodes in the body, which the answer may only point at."""
    withheld_private: int
    """How many private nodes were withheld; this number stays here too."""
    withheld_beyond: int
    """How many shared nodes found no room."""


class PlacementRequest(Recorded):
    """The exact question to a manager; its canonical bytes are durable before the call."""

    exchange_id: str
    source_id: str
    base_revision: int
    manager: str
    """The manager's name and version, such as `local/1`."""
    text: str
    visibility: Visibility
    selected_node_id: str | None = None
    """The node in focus when the text was captured: a prior, never the answer."""
    sent: SentQuestion | None = None
    """What goes to a manager outside; None for one on this machine, and for private words, which never leave."""
    answers: tuple[str, ...] = ()
    """What people answered to questions about the text, in order: a help to find its place, no part of it."""

    def recorded(self) -> dict[str, object]:
        """Return it as it is recorded; a text nobody was asked about is recorded as before there were answers."""
        fields: dict[str, object] = self.model_dump(mode="json")
        if not self.answers:
            del fields["answers"]
        return fields


class Place(Recorded):
    """One possible location: the parent, how well it fits, and why in words."""

    parent_id: str
    score: int = Field(ge=0, le=1000)
    reason: str
    """One sentence a person can check, such as `“bathroom” and “floor” occur in Bathroom`."""
    matched: tuple[str, ...] = ()
    """The words of the text that point there, as written."""


class SuggestedRelation(Recorded):
    """A relation the text itself names, from the new node to an existing one."""

    kind: RelationKind
    to_id: str
    reason: str


class PlacementAnswer(Recorded):
    """What a manager answered. Either `places` is not empty or `question` is set."""

    kind: NodeKind
    title: str
    description: str | None = None
    places: tuple[Place, ...]
    """Best first: the proposal, then up to three alternatives."""
    relations: tuple[SuggestedRelation, ...] = ()
    kind_reason: str
    """Why this kind, in words."""
    alternative_kind: NodeKind | None = None
    """The next likely kind when the cues are close."""
    uncertainty: tuple[str, ...] = ()
    """What is not certain, one sentence each."""
    duplicate_of: str | None = None
    """An existing node that already says this."""
    question: str | None = None
    """A clarification when nothing fits."""


@dataclass(frozen=True, slots=True)
class ManagerFacts:
    """Who answers where a text fits, as every page and command says it: nothing here is a secret."""

    name: str
    """Its name and version, such as `local/1` or `openai/` and the model."""
    mode: Literal["local", "openai", "scripted", "unknown"]
    host: str = ""
    """The host a text goes to; empty on this machine."""
    model: str = ""
    dialect: str = ""
    """How it is spoken to: `responses` or `chat`; empty on this machine."""
    problem: str = ""
    """Why it cannot be asked, in a sentence; nobody else is asked in its place."""

    @property
    def is_outside(self) -> bool:
        """Whether a text leaves this program when it is asked."""
        return self.mode == "openai"


@dataclass(frozen=True, slots=True)
class PlaceableNode:
    """What a manager may know of one node: enough to rank it, nothing about history or authority."""

    id: str
    kind: NodeKind
    title: str
    description: str
    parent_id: str | None
    visibility: Visibility


@dataclass(frozen=True, slots=True)
class OutlineItem:
    """One parsed line of an imported outline; `depth` counts from 0 and grows by at most 1."""

    depth: int
    kind: NodeKind | None
    title: str
    description: str | None
    line: int
    """1-based line number in the imported text."""
    artifact_path: str | None = None
    """The path an `[Artifact: path]` tag names; whether it is a lawful path is for the caller to check."""
    profile_id: str | None = None
    """The delegation profile a `[Task: profile]` tag names; whether it exists is for the caller to check."""
    is_ticked: bool = False
    """Whether its checkbox was ticked; a note, no status."""
    unknown_tag: str | None = None
    """Brackets at its beginning that name no kind, as they stand in the title."""
