"""Events of captured words and of the boundaries they cross."""

from typing import ClassVar

from kernel.events.body import Body, PartlyRead
from kernel.values.words import Words
from kernel.vocabulary import Boundary, SourceKind, Visibility


class SourceCaptured(PartlyRead):
    """Somebody's words were kept, word for word. They are evidence, not yet meaning."""

    TYPE: ClassVar[str] = "source.captured.v1"
    CREATES: ClassVar[tuple[str, ...]] = ("source_id",)
    KEYED_BY: ClassVar = "source_id"
    AT_ONCE: ClassVar = ("source_id", "visibility")

    source_id: str
    """The capture's new id."""
    kind: SourceKind
    """Where the words came from."""
    content: Words
    """The words, exactly as they came."""
    size_bytes: int
    """Length of the text in UTF-8 bytes."""
    visibility: Visibility
    """Whether the words may leave this machine, and be seen by people who are not owners."""
    selected_node_id: str | None = None
    """The node in focus when it was captured."""


class SourceErased(Body):
    """The words of a capture were destroyed: its data key is gone, and with it every text under that key.

    That is the capture itself, its exchanges, its proposals and the questions about it. Accepted words have keys
    of their own and stay. Structure, kinds, digests and every proof stay valid.
    """

    TYPE: ClassVar[str] = "source.erased.v1"

    source_id: str
    """The capture whose words are gone."""


class ExchangeRequested(PartlyRead):
    """A question is about to leave the process; the attempt is durable before the call.

    For a run this append is the claim of the run and its sequence number the fencing token; for a promotion it
    is the linearisation point.
    """

    TYPE: ClassVar[str] = "exchange.requested.v1"
    CREATES: ClassVar[tuple[str, ...]] = ("exchange_id",)
    KEYED_BY: ClassVar = "source_id"
    AT_ONCE: ClassVar = ("exchange_id", "boundary", "subject_id")

    exchange_id: str
    """The exchange's new id."""
    boundary: Boundary
    """Which process boundary it crosses."""
    subject_id: str
    """The source, run, closure or promotion the question is about."""
    source_id: str | None = None
    """The source whose words the question carries, if any."""
    attempt: int
    """1 for the first try of this subject at this boundary."""
    request: Words
    """The exact request as canonical JSON text."""
    request_digest: str
    """Digest of the exact request, so that it can be proved after the words are gone."""


class ExchangeAnswered(Body):
    """The exact answer arrived and is durable before anyone interprets it."""

    TYPE: ClassVar[str] = "exchange.answered.v1"
    KEYED_BY: ClassVar = "source_id"

    exchange_id: str
    """The exchange that was answered."""
    source_id: str | None = None
    """The source whose data key protects the answer, if any."""
    response: Words
    """The exact answer, as it arrived."""
    response_digest: str
    """Digest of the exact answer."""


class ExchangeFailed(Body):
    """The call ended without a usable answer; bounded transport facts only."""

    TYPE: ClassVar[str] = "exchange.failed.v1"
    KEYED_BY: ClassVar = "source_id"

    exchange_id: str
    """The exchange that failed."""
    source_id: str | None = None
    """The source whose data key protects the detail, if any."""
    code: str
    """The machine's name for the failure."""
    detail: Words
    """What happened, in a sentence, capped."""


class ExchangeUnreadable(Body):
    """A durable answer could not be applied, and why."""

    TYPE: ClassVar[str] = "exchange.unreadable.v1"
    KEYED_BY: ClassVar = "source_id"

    exchange_id: str
    """The exchange whose answer it is."""
    source_id: str | None = None
    """The source whose data key protects the detail, if any."""
    code: str
    """The machine's name for the reason."""
    detail: Words
    """Why it could not be applied, in a sentence."""
