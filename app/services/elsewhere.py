"""Whether captured words belong to another of a person's projects, found when that person looks.

The finding is nobody's record: it is made for the reader, from the projects that this reader may write in, so that no
ledger names a project that some of its members may not know of. Moving a capture is capturing its words again over
there; the original stays where it was said, and no node ever points into another ledger.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from app.services.capture import Captured, Placements, request_of
from app.services.desk import Caller
from kernel.errors import NotFoundError
from kernel.state import ExchangeRecord, State
from kernel.vocabulary import Boundary, Disposition

CLEAR: Final = 300
"""The share of a text's telling words, in thousandths, that a place elsewhere must speak of."""
TIMES: Final = 2
"""And by how much it must outdo the best place here."""
WHOLE: Final = 1000
"""All of a text's telling words."""
PROJECTS_MAX: Final = 20
"""How many other projects are compared, the latest changed first."""


@dataclass(frozen=True, slots=True)
class BetterProject:
    """Another project that speaks of a text more clearly."""

    project_id: str
    title: str
    here: int
    """The share of the text's telling words that the best place here speaks of, in thousandths."""
    there: int
    words: tuple[str, ...]
    """The words that point there."""


def better_project(
    placements: Placements, state: State, exchange_id: str, others: Iterable[State]
) -> BetterProject | None:
    """Return the project among `others` that clearly fits better, or None; nothing once it was decided."""
    record = state.exchanges.get(exchange_id)
    if record is None or record.body.boundary is not Boundary.PLACEMENT or not _is_open(state, record):
        return None
    if record.body.request.text is None:
        return None
    text = request_of(record).text
    here = placements.nearest(state.ledger, text)
    share = 0 if here is None else here.score
    if TIMES * share > WHOLE:
        return None
    found: list[BetterProject] = []
    for other in list(others)[:PROJECTS_MAX]:
        if other.ledger == state.ledger or other.title is None:
            continue
        place = placements.nearest(other.ledger, text)
        if place is not None and place.score >= max(CLEAR, TIMES * share):
            title = other.title.or_erased()
            found.append(BetterProject(other.ledger, title, share, place.score, place.matched))
    return min(found, key=lambda item: (-item.there, item.project_id), default=None)


def capture_elsewhere(
    placements: Placements, state: State, exchange_id: str, *, project_id: str, caller: Caller
) -> Captured:
    """Capture the words of an exchange again in another project, as privately as they were said.

    Raises: NotFoundError when there are no such words.
    """
    record = state.exchanges.get(exchange_id)
    source = None if record is None else state.sources.get(record.body.source_id or "")
    if source is None or source.body.content.text is None:
        message = f"there are no words of {exchange_id} to capture again"
        raise NotFoundError(message)
    return placements.capture(
        project_id,
        caller,
        source.body.content.text,
        visibility=source.body.visibility,
        kind=source.body.kind,
    )


def _is_open(state: State, record: ExchangeRecord) -> bool:
    """Whether nobody decided about these words yet."""
    for item in state.followed_by.get(record.body.subject_id) or ():
        delta = state.deltas.get(item)
        if delta is not None and delta.disposition not in {Disposition.PENDING, Disposition.DEFERRED}:
            return False
    return True
