"""What somebody asks of captured words and of the boundaries they cross."""

from dataclasses import dataclass
from typing import Literal

from kernel.values.placement import SentQuestion
from kernel.vocabulary import SourceKind, Visibility


@dataclass(frozen=True, slots=True)
class CaptureSource:
    """Keep words and, with a manager named, ask where they fit."""

    text: str
    kind: SourceKind
    visibility: Visibility
    manager: str
    """The manager to ask, such as `local/1`."""
    selected_node_id: str | None = None
    answers: str | None = None
    """The exchange of a clarification these words answer."""
    sent: SentQuestion | None = None
    """What will leave this machine, when the manager works outside it."""


@dataclass(frozen=True, slots=True)
class RetryPlacement:
    """Ask again where a kept source fits; the words are reused, never lost."""

    source_id: str
    manager: str
    sent: SentQuestion | None = None


@dataclass(frozen=True, slots=True)
class EraseSource:
    """Destroy the words of a capture, and of every answer that repeats them."""

    source_id: str


@dataclass(frozen=True, slots=True)
class AnswerExchange:
    """Keep the exact answer of a boundary."""

    exchange_id: str
    response: str


@dataclass(frozen=True, slots=True)
class FailExchange:
    """Keep how a call failed."""

    exchange_id: str
    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class MarkUnreadable:
    """Keep why a durable answer could not be applied."""

    exchange_id: str
    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class RequestExchange:
    """Make a run, validation or promotion request durable before the call."""

    boundary: Literal["run", "validation", "promotion"]
    subject_id: str
    request: str
    base_commit: str | None = None
    """The target ref's commit as observed just now, for a run."""
