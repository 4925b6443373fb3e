"""Builds the choices of a proposal: itself and its alternatives, each with its reason and a preview of its own."""

from typing import Final

from app.views.inbox.parts import Choice, Fit
from app.views.opening import Opened
from app.views.wording import Reading, capital, kind_in_words, sentence
from kernel.events.delta import Fit as FitFacts
from kernel.rules.operations import is_belonging
from kernel.state import DeltaRecord
from kernel.values.records import NodeAdd, NodePatch, Operation, RelationAdd
from kernel.vocabulary import ActorKind

_GOOD: Final = 600
_CLOSE: Final = 350
_OWN_MANAGER: Final = "local/"


def place_of(operations: tuple[Operation, ...]) -> str | None:
    """Return the accepted node under which the first added node would stand."""
    belongs = next(
        (item for item in operations if isinstance(item, RelationAdd) and is_belonging(item)), None
    )
    return None if belongs is None else belongs.to_id


def choices(reading: Reading, record: DeltaRecord, opened: Opened) -> tuple[Choice, ...]:
    """Return every way to take a proposal, the one that is shown marked; none when there is only one way."""
    if not record.body.alternatives:
        return ()
    bundles = (record.body.operations, *(item.operations for item in record.body.alternatives))
    href = f"{reading.base}/inbox/{opened.id}"
    shown = record.choice or 0
    return tuple(
        Choice(
            text=_text(reading, operations),
            hint=_hint(record, operations, is_first=not number),
            href=f"{href}?choice={number}" if number else href,
            is_shown=number == shown,
        )
        for number, operations in enumerate(bundles)
    )


def _text(reading: Reading, operations: tuple[Operation, ...]) -> str:
    nodes = reading.state.tables.nodes
    added = next((item for item in operations if isinstance(item, NodeAdd)), None)
    patch = next((item for item in operations if isinstance(item, NodePatch)), None)
    if added is None and patch is not None and patch.node_id in nodes:
        into = f"“{nodes[patch.node_id].title.or_erased()}”"
        return f"Into {into}, which says this already" if patch.description is None else f"Added to {into}"
    kind = "A change" if added is None else capital(kind_in_words(added.kind))
    place = nodes.get(place_of(operations) or reading.state.root_id)
    return kind if place is None else f"{kind} under “{place.title.or_erased()}”"


def _hint(record: DeltaRecord, operations: tuple[Operation, ...], *, is_first: bool) -> str:
    added = next((item for item in operations if isinstance(item, NodeAdd)), None)
    if added is None:
        return "Nothing is added a second time; your words become a source of it."
    first = next((item for item in record.body.operations if isinstance(item, NodeAdd)), None)
    if not is_first and first is not None and added.kind is not first.kind:
        return "The wording could also be read so."
    fit = next((item for item in record.body.fits if item.parent_id == place_of(operations)), None)
    why = "" if fit is None else f"{fit_words(fit.score)}. {reason_of(record, fit)}"
    return f"As proposed. {why}".strip() if is_first else why


def reason_of(record: DeltaRecord, fit: FitFacts) -> str:
    """Return why a place is offered, in a sentence; also when no word of the text points there.

    Only the built-in manager lists every word that points to a place, so only of its places this is known.
    """
    reason = sentence(fit.reason.or_erased())
    author = record.origin.actor
    lists_words = author.kind is ActorKind.MANAGER and author.id.startswith(_OWN_MANAGER)
    return f"No word in common; offered because: {reason}" if lists_words and not fit.matched else reason


def fit_words(score: int) -> str:
    """Return how well a place fits, in words and as a number with its scale; the score is in thousandths."""
    word = "Good fit" if score >= _GOOD else "Close" if score >= _CLOSE else "Weak"
    return f"{word}, {score / 1000:.2f} of 1"


def fits(reading: Reading, record: DeltaRecord) -> tuple[Fit, ...]:
    """Return how well every offered place fits, the best first."""
    nodes = reading.state.tables.nodes
    return tuple(
        Fit(nodes[item.parent_id].title.or_erased(), f"{item.score / 1000:.2f}", fit_words(item.score))
        for item in record.body.fits
        if item.parent_id in nodes
    )
