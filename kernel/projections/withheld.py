"""What each kind of event looks like to those who see only what is visible: one small function per kind.

An event of a kind that has no function here is seen by owners alone, so that a new kind is private until somebody
decides otherwise. Nothing in what is shown may depend on what is not: not a number, not a digest, not a salt.
"""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

from kernel.canonical import canonical_bytes
from kernel.events import delegation as work
from kernel.events import project, promotion, source
from kernel.events.body import Body
from kernel.events.delta import (
    ClarificationAnswered,
    ClarificationAsked,
    DeltaDeferred,
    DeltaProposed,
    DeltaRejected,
    DeltaRemanded,
)
from kernel.events.evidence import ValidationRecorded
from kernel.projections.visible import knows
from kernel.reducer.operations import record_digest
from kernel.state import State, revision_key
from kernel.table import Table
from kernel.values.placement import PlacementRequest
from kernel.values.words import Opening, Words, commit
from kernel.vocabulary import Boundary, Visibility

_SALT_DOMAIN: Final = b"odeu.visible.v1"
_TAKES_BACK: Final = re.compile(r"Take back revision (\d+):", re.ASCII)
_RETIRED: Final = re.compile(r"was retired in revision (\d+)( already)?\Z", re.ASCII)
NOTHING: Final = Words("sha256:" + "0" * 64)
"""Words that nobody but the owners gets to know."""

B = TypeVar("B", bound=Body)


@dataclass(frozen=True, slots=True)
class Numbers:
    """How revisions are counted by those who do not see all of them."""

    same: int = 0
    """Up to this revision everything is visible, so both count alike and have the same records."""
    latest: int = 0
    """The number of the latest visible revision."""
    seen: Table[int] = field(default_factory=Table)
    """Beyond `same`: whole number -> how many revisions were visible up to it."""
    whole: Table[int] = field(default_factory=Table)
    """Beyond `same`: visible number -> whole number."""
    partial: Table[bool] = field(default_factory=Table)
    """Visible numbers of revisions that changed more than is visible."""

    @property
    def has_parted(self) -> bool:
        """Tell whether any revision so far was not visible, or not in full."""
        return len(self.seen) > 0

    def same_again(self) -> "Numbers":
        """Return the numbers after one more revision that is the same for all; only while all were."""
        return Numbers(self.same + 1, self.latest + 1)

    def made(self, number: int, *, is_whole: bool) -> "Numbers":
        """Return the numbers after a revision that is visible, in full or in part."""
        seen = self.latest + 1
        return Numbers(
            self.same,
            seen,
            self.seen.put(revision_key(number), seen),
            self.whole.put(revision_key(seen), number),
            self.partial if is_whole else self.partial.put(revision_key(seen), value=True),
        )

    def passed(self, number: int) -> "Numbers":
        """Return the numbers after a revision that is not visible."""
        return replace(self, seen=self.seen.put(revision_key(number), self.latest))

    def of(self, number: int) -> int:
        """Return how many revisions were visible when the whole history was at `number`."""
        return number if number <= self.same else self.seen.get(revision_key(number)) or 0

    def whole_of(self, seen: int) -> int | None:
        """Return the number in the whole history of a visible revision; None when there is none."""
        return seen if 0 <= seen <= self.same else self.whole.get(revision_key(seen))

    def is_visible(self, number: int) -> bool:
        """Tell whether a revision of the whole history is visible in full."""
        seen = self.of(number)
        return self.whole_of(seen) == number and revision_key(seen) not in self.partial


def untitled(*parts: str) -> Words:
    """Return words of our own, whose salt depends on nothing but what is visible."""
    return _said("A change", *parts)


def _said(text: str, *parts: str) -> Words:
    seed = b"\x00".join((_SALT_DOMAIN, text.encode(), *(part.encode() for part in parts)))
    return commit(text, hashlib.sha256(seed).digest())


def without_numbers(body: DeltaProposed, numbers: Numbers) -> DeltaProposed:
    """Return a compensation that names revisions as they are counted here; anything else stays as it is."""
    if body.compensates is None:
        return body

    def counted(match: re.Match[str]) -> str:
        said, number = match.group(0), match.group(1)
        return said.replace(f"revision {number}", f"revision {numbers.of(int(number))}")

    def renamed(words: Words, pattern: re.Pattern[str]) -> Words:
        if words.text is None:
            return words
        return _said(pattern.sub(counted, words.text, count=1), body.delta_id)

    changes = {
        "compensates": numbers.of(body.compensates),
        "title": renamed(body.title, _TAKES_BACK),
        "uncertainty": tuple(renamed(item, _RETIRED) for item in body.uncertainty),
    }
    return body.model_copy(update=changes)


SHOWN: Final[dict[type[Body], Callable[[State, Numbers, Any], Body | None]]] = {}
"""Body class -> what is seen of it in a visible state, or None."""


def _shows(
    kind: type[B],
) -> Callable[[Callable[[State, Numbers, B], B | None]], Callable[[State, Numbers, B], B | None]]:
    def register(
        function: Callable[[State, Numbers, B], B | None],
    ) -> Callable[[State, Numbers, B], B | None]:
        SHOWN[kind] = function
        return function

    return register


def _about(name: str) -> Callable[[State, Numbers, Any], Body | None]:
    """Show an event as it is when the record that this field names is visible."""

    def show(state: State, _numbers: Numbers, body: Any) -> Body | None:  # noqa: ANN401 - any body with the field
        shown: Body | None = body if knows(state, getattr(body, name)) else None
        return shown

    return show


def _as_it_is(_state: State, _numbers: Numbers, body: Body) -> Body:
    return body


SHOWN.update(
    dict.fromkeys(
        (
            project.ProjectOpened,
            project.ProjectArchived,
            project.ProjectRestored,
            project.PrincipalAdded,
            project.RoleGranted,
            project.RoleRevoked,
            project.CredentialIssued,
            project.CredentialRevoked,
            project.ConfigActivated,
            project.KeyRotated,
            project.ProjectImported,
        ),
        _as_it_is,
    )
)
SHOWN.update(dict.fromkeys((DeltaDeferred, DeltaRemanded, DeltaRejected), _about("delta_id")))
SHOWN.update(dict.fromkeys((source.ExchangeFailed, source.ExchangeUnreadable), _about("exchange_id")))
SHOWN.update(dict.fromkeys((work.RunCancelled,), _about("run_id")))
SHOWN.update(
    dict.fromkeys((promotion.PromotionObserved, promotion.PromotionReconciled), _about("promotion_id"))
)
SHOWN[source.SourceErased] = _about("source_id")
SHOWN[ClarificationAsked] = _about("exchange_id")
SHOWN[ValidationRecorded] = _about("closure_id")


@_shows(source.SourceCaptured)
def _source_captured(
    state: State, _numbers: Numbers, body: source.SourceCaptured
) -> source.SourceCaptured | None:
    if body.visibility is Visibility.PRIVATE:
        return None
    return body.model_copy(update={"selected_node_id": _seen_node(state, body.selected_node_id)})


def _seen_node(state: State, node_id: str | None) -> str | None:
    return node_id if node_id is not None and node_id in state.tables.nodes else None


@_shows(source.ExchangeRequested)
def _exchange_requested(
    state: State, numbers: Numbers, body: source.ExchangeRequested
) -> source.ExchangeRequested | None:
    if not knows(state, body.subject_id):
        return None
    request = Words(_said("", body.exchange_id).commitment)
    text = body.request.text if body.boundary is Boundary.PLACEMENT else None
    if text is not None:
        if numbers.has_parted:
            asked = _asked(state, PlacementRequest.model_validate_json(text))
            text = canonical_bytes(asked.recorded()).decode()
        # Nobody proves these words by their commitment, and it has to be the same when the text is erased.
        request = Words(_said("", body.exchange_id).commitment, Opening(b"", text))
    return body.model_copy(update={"request": request, "request_digest": NOTHING.commitment})


def _asked(state: State, asked: PlacementRequest) -> PlacementRequest:
    """Return a question as it is seen: it is read again when somebody answers, and names the head it was asked at."""
    sent = None if asked.sent is None else asked.sent.model_copy(update={"withheld_private": 0})
    changes = {
        "base_revision": state.revision,
        "selected_node_id": _seen_node(state, asked.selected_node_id),
        "sent": sent,
    }
    return asked.model_copy(update=changes)


@_shows(source.ExchangeAnswered)
def _exchange_answered(
    state: State, _numbers: Numbers, body: source.ExchangeAnswered
) -> source.ExchangeAnswered | None:
    if body.exchange_id not in state.exchanges:
        return None
    return body.model_copy(update={"response": NOTHING, "response_digest": NOTHING.commitment})


@_shows(ClarificationAnswered)
def _clarification_answered(
    state: State, _numbers: Numbers, body: ClarificationAnswered
) -> ClarificationAnswered | None:
    return body if body.exchange_id in state.clarifications and knows(state, body.answer_source_id) else None


@_shows(work.BriefCompiled)
def _brief_compiled(state: State, numbers: Numbers, body: work.BriefCompiled) -> work.BriefCompiled | None:
    nodes = state.tables.nodes
    if body.node_id not in nodes:
        return None
    if numbers.same == body.base_revision:
        return body
    changes = {
        "base_revision": state.revision,
        "shared": tuple(
            item.model_copy(update={"digest": record_digest(nodes[item.node_id])})
            for item in body.shared
            if item.node_id in nodes
        ),
        "relations": tuple(item for item in body.relations if item in state.tables.relations),
        "omitted": tuple(item for item in body.omitted if item.node_id in nodes),
    }
    return body.model_copy(update=changes)


@_shows(work.RunAuthorized)
def _run_authorized(state: State, _numbers: Numbers, body: work.RunAuthorized) -> work.RunAuthorized | None:
    if body.brief_id not in state.briefs:
        return None
    return body.model_copy(update={"base_revision": state.revision})


def _of_a_run(state: State, _numbers: Numbers, body: Any) -> Body | None:  # noqa: ANN401 - any body with a fence
    """Show what a visible run does, under the sequence number its claim has here."""
    run = state.runs.get(body.run_id)
    if run is None:
        return None
    shown: Body = body.model_copy(update={"fence": run.fence})
    return shown


SHOWN.update(
    dict.fromkeys(
        (
            work.RunProgressed,
            work.RunBlocked,
            work.RunFailed,
            work.RunLost,
            work.CandidateSealed,
            work.ClosureStaged,
        ),
        _of_a_run,
    )
)


@_shows(promotion.PromotionProposed)
def _promotion_proposed(
    state: State, numbers: Numbers, body: promotion.PromotionProposed
) -> promotion.PromotionProposed | None:
    if not (knows(state, body.closure_id) and knows(state, body.delta_id)):
        return None
    return body.model_copy(update={"integrated_revision": numbers.of(body.integrated_revision)})


@_shows(promotion.PromotionAuthorized)
def _promotion_authorized(
    state: State, _numbers: Numbers, body: promotion.PromotionAuthorized
) -> promotion.PromotionAuthorized | None:
    if body.promotion_id not in state.promotions:
        return None
    return body.model_copy(update={"revision": state.revision, "seen": NOTHING.commitment})
