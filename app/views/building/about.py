"""Says what an event is about, in words with a way there: from the ids in its body to the records of the state.

Asks the body for the ids it names instead of knowing every type, so that a new type is about something at once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from app.views.parts import Link
from app.views.wording import Reading, count
from kernel.events.body import Body
from kernel.events.delegation import RunProgressed
from kernel.events.delta import DeltaAccepted, DeltaProposed
from kernel.events.envelope import Event
from kernel.events.evidence import ValidationRecorded
from kernel.events.project import ProjectOpened
from kernel.events.source import ExchangeRequested, SourceCaptured
from kernel.projections.inbox import task_of
from kernel.vocabulary import CheckResult, Visibility

SHOWN: Final = 120
"""How many characters of a title or of captured words stand in a line."""


@dataclass(frozen=True, slots=True)
class About:
    """What an event is about; without `href` there is nowhere to go."""

    text: str
    href: str = ""

    @property
    def link(self) -> Link | None:
        """The way there, or None."""
        return Link(self.text, self.href) if self.href else None


def about(reading: Reading, event: Event) -> About:
    """Return what an event is about; of what the state does not know, its own project."""
    for name, find in _FINDERS:
        subject = getattr(event.body, name, None)
        found = None if subject is None else find(reading, subject)
        if found is not None:
            return found
    return About(reading.title, f"{reading.base}/outline")


def note(body: Body) -> str:
    """Return what the line says beside what it is about; empty when nothing."""
    if isinstance(body, DeltaAccepted):
        return f"revision {body.revision}"
    if isinstance(body, ProjectOpened):
        return "revision 0"
    if isinstance(body, DeltaProposed) and body.compensates is not None:
        return f"takes revision {body.compensates} back"
    if isinstance(body, SourceCaptured):
        private = ", private" if body.visibility is Visibility.PRIVATE else ""
        return f"{count(body.size_bytes, 'byte')}{private}"
    if isinstance(body, ExchangeRequested):
        return f"{body.boundary.value}, attempt {body.attempt}"
    if isinstance(body, ValidationRecorded):
        passed = sum(check.result is CheckResult.PASSED for check in body.checks)
        return f"{passed} of {len(body.checks)} requirements passed"
    if isinstance(body, RunProgressed):
        return shortened(body.text.or_erased())
    return str(getattr(body, "code", "") or getattr(body, "why", "") or "").replace("_", " ")


def shortened(text: str) -> str:
    """Return a text in one line, cut where the line ends."""
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else f"{line[:SHOWN].rstrip()} …"


def _delta(reading: Reading, delta_id: str) -> About | None:
    record = reading.state.deltas.get(delta_id)
    if record is None:
        return None
    return About(shortened(record.body.title.or_erased()), f"{reading.base}/inbox/{delta_id}")


def _source(reading: Reading, source_id: str) -> About | None:
    record = reading.state.sources.get(source_id)
    if record is None:
        return None
    return About(shortened(record.body.content.or_erased()), f"{reading.base}/sources/{source_id}")


def _task(reading: Reading, node_id: str | None) -> About | None:
    node = None if node_id is None else reading.state.tables.nodes.get(node_id)
    if node is None:
        return None
    return About(shortened(node.title.or_erased()), f"{reading.base}/work/{node.id}")


def _brief(reading: Reading, brief_id: str) -> About | None:
    record = reading.state.briefs.get(brief_id)
    return None if record is None else _task(reading, record.body.node_id)


def _run(reading: Reading, run_id: str) -> About | None:
    record = reading.state.runs.get(run_id)
    return None if record is None else _brief(reading, record.body.brief_id)


def _closure(reading: Reading, closure_id: str) -> About | None:
    record = reading.state.closures.get(closure_id)
    return None if record is None else _brief(reading, record.body.brief_id)


def _promotion(reading: Reading, promotion_id: str) -> About | None:
    record = reading.state.promotions.get(promotion_id)
    return None if record is None else _task(reading, task_of(reading.state, record))


def _exchange(reading: Reading, exchange_id: str) -> About | None:
    """Return what a question that left the process is about: words, a run, a result or a promotion."""
    record = reading.state.exchanges.get(exchange_id)
    if record is None:
        return None
    subject = record.body.subject_id
    return next((item for find in _SUBJECTS if (item := find(reading, subject)) is not None), None)


_SUBJECTS: Final = (_source, _run, _closure, _promotion)
_FINDERS: Final[tuple[tuple[str, Callable[[Reading, str], About | None]], ...]] = (
    ("delta_id", _delta),
    ("promotion_id", _promotion),
    ("node_id", _task),
    ("brief_id", _brief),
    ("run_id", _run),
    ("closure_id", _closure),
    ("source_id", _source),
    ("exchange_id", _exchange),
)
"""The field of a body that names a subject, the nearest first -> what finds it."""
