"""Builds the Timeline page: revisions with who and why, the work under them, and the story of the selected node."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from urllib.parse import urlencode

from app.views.building.change import change_link
from app.views.building.outline import view_tabs
from app.views.moments import moment
from app.views.parts import KIND_WORDS, KindMark, Link, Mark, Option, Quote, QuotePiece
from app.views.shell import Shell
from app.views.telling import field_words, work_words
from app.views.wording import VERBS, Reading, capital, count, origin_words, speaker
from app.views.worldstate.timeline import TimelinePage
from app.views.worldstate.timeline_parts import (
    CompareForm,
    RevisionEntry,
    Story,
    StoryStep,
    TimelineFilter,
    Touched,
    WorkLine,
)
from kernel.projections.acts import Act, acts_for
from kernel.projections.changes import NodeChange
from kernel.projections.sieve import ACTS, Sieve
from kernel.projections.timeline import Descent, Entry, story, timeline
from kernel.state import DeltaRecord, Revision, State, revision_key
from kernel.vocabulary import Purpose, RelationKind

TOUCHED_MAX: Final = 6
"""How many nodes stand under one revision."""
WORK_OPEN_MAX: Final = 4
"""Up to how many work events are shown without unfolding."""
QUOTE_SHOWN: Final = 220
"""How many characters of the words a revision came from are shown."""
_MARKS: Final = {"added": "plus", "changed": "pencil-line", "retired": "archive"}
_DESCENT_MARKS: Final = {
    RelationKind.REFINES: Mark("arrow-up-narrow-wide", "Refines"),
    RelationKind.SUPERSEDES: Mark("replace", "Replaces"),
    RelationKind.ORIGINATED_FROM: Mark("split", "Came from another"),
}
_DONE: Final = {
    Purpose.PLACEMENT: "Accepted",
    Purpose.CORRECTION: "Change accepted",
    Purpose.RECONCILIATION: "Integrated",
    Purpose.COMPENSATION: "Taken back",
}
_ACTS: Final = {
    "placement": "Captures placed",
    "import": "Outlines imported",
    "correction": "Changes",
    "reconciliation": "Results integrated",
    "compensation": "Taken back",
    "opened": "The opening",
}
_REPLACED: Final = {"edited": "edited", "moved": "moved", "rebased": "brought up to date", "split": "split"}


@dataclass(frozen=True, slots=True)
class Told:
    """What the address asks for: which revisions, about what, from where on."""

    node_id: str = ""
    before: int | None = None
    act: str = ""
    person_id: str = ""
    since: str = ""
    """A day as it was typed."""
    until: str = ""
    error: str = ""
    """Which day was not understood, in a sentence."""
    zone: str = ""
    """The time zone whose days are meant; empty for UTC."""

    @property
    def is_sieved(self) -> bool:
        """Tell whether only some revisions are asked for."""
        return bool(self.act or self.person_id or self.since or self.until)


def timeline_page(shell: Shell, reading: Reading, asked: Told, sieve: Sieve) -> TimelinePage:
    """Return a page of revisions below `before`, of all or of those that touched one node and pass the sieve."""
    state, node_id, before = reading.state, asked.node_id, asked.before
    told = timeline(state, node_id=node_id, before=before, sieve=sieve)
    node = state.tables.nodes.get(node_id)
    newest = Link("Newest revisions", timeline_href(reading.base, replace(asked, before=None)), "arrow-up")
    older = None
    if told.before is not None:
        href = timeline_href(reading.base, replace(asked, before=told.before))
        older = Link(f"Older than revision {told.before}", href, "arrow-down")
    said = count(state.revision + 1, "revision")
    if node_id:
        title = "a node that is not accepted" if node is None else f"“{node.title.or_erased()}”"
        said = f"Only what touched {title}."
    return TimelinePage(
        shell=shell,
        summary="How it came to be: every accepted revision, who accepted it and why. Newest first.",
        tabs=view_tabs(reading.base, node_id, "Timeline"),
        said=said,
        everything=Link("Show all revisions", timeline_href(reading.base, Told()), "history")
        if node_id
        else None,
        filter=_filter(reading, asked),
        entries=_by_day(_entry(reading, entry, is_narrowed=bool(node_id)) for entry in told.entries),
        compare=_compare(reading, node_id),
        story=None if node is None else _story(reading, node_id),
        newer=None if before is None else newest,
        older=older,
        empty_text="" if told.entries else _empty(asked),
    )


def _empty(asked: Told) -> str:
    if asked.is_sieved:
        return "No revision like that was found. Choose less, or look further back."
    return "No revision touched this node yet."


def _by_day(entries: Iterable[RevisionEntry]) -> tuple[RevisionEntry, ...]:
    """Return the entries, the first of each day with the day over it."""
    said, days = [], ""
    for entry in entries:
        day = entry.when.iso[:10]
        when = datetime.fromisoformat(entry.when.iso)
        said.append(entry if day == days else replace(entry, day=f"{when:%A} {when.day} {when:%B %Y}"))
        days = day
    return tuple(said)


def _filter(reading: Reading, asked: Told) -> TimelineFilter:
    acts = tuple(Option(act, _ACTS[act], is_chosen=act == asked.act) for act in ACTS)
    known = sorted(reading.names.items(), key=lambda item: item[1].casefold())
    if asked.person_id and asked.person_id not in reading.names:
        known.append((asked.person_id, asked.person_id))
    people = tuple(Option(person, name, is_chosen=person == asked.person_id) for person, name in known)
    everything = timeline_href(reading.base, Told(node_id=asked.node_id))
    return TimelineFilter(
        action=f"{reading.base}/timeline",
        acts=(Option("", "Every act"), *acts),
        people=(Option("", "Everyone"), *people),
        since=asked.since,
        until=asked.until,
        zone=asked.zone,
        selected=asked.node_id,
        clear=Link("Show all of them", everything, "x") if asked.is_sieved else None,
        error=asked.error,
    )


def timeline_href(base: str, asked: Told) -> str:
    """Return the address of a page of the Timeline."""
    said = {
        "node": asked.node_id,
        "act": asked.act,
        "by": asked.person_id,
        "since": asked.since,
        "until": asked.until,
        "zone": asked.zone if asked.since or asked.until else "",
        "before": "" if asked.before is None else str(asked.before),
    }
    text = urlencode({name: value for name, value in said.items() if value})
    return f"{base}/timeline" + (f"?{text}" if text else "")


def _compare(reading: Reading, node_id: str) -> CompareForm:
    newest = reading.state.revision
    return CompareForm(f"{reading.base}/compare", str(max(newest - 1, 0)), str(newest), str(newest), node_id)


def _entry(reading: Reading, entry: Entry, *, is_narrowed: bool) -> RevisionEntry:
    number, record = entry.revision.number, entry.record
    done = "Opened" if record is None else _DONE[record.body.purpose]
    quote = None if record is None else _quote(reading, record)
    total = len(entry.work) + entry.work_more
    left = len(entry.changes) - TOUCHED_MAX
    return RevisionEntry(
        id=f"revision-{number}",
        title="The project was opened" if record is None else record.body.title.or_erased(),
        number=f"Revision {number}",
        when=moment(entry.revision.origin.at),
        who=f"{done} by {origin_words(entry.revision.origin, reading.names)}",
        why="" if record is None or quote is not None else _why(record),
        quote=quote,
        marks=_marks(reading.state, entry),
        counts=_counts(entry.changes),
        ways=_ways(reading, entry.revision),
        touched=tuple(_touched(reading, entry, change) for change in entry.changes[:TOUCHED_MAX]),
        more=f"{count(left, 'more node')}, see what changed" if left > 0 else "",
        replaced=tuple(_replaced(reading, item) for item in entry.earlier),
        work=tuple(
            WorkLine(moment(item.origin.at), work_words(item, reading.names), _task(reading, item.node_id))
            for item in entry.work
        ),
        work_title=f"{count(total, 'work event')}" if total else "",
        is_newest=number == reading.state.revision,
        is_work_open=is_narrowed or total <= WORK_OPEN_MAX,
    )


def _task(reading: Reading, node_id: str) -> Link:
    title = reading.state.tables.nodes[node_id].title.or_erased()
    return Link(title, f"{reading.base}/work/{node_id}", "hammer")


def _why(record: DeltaRecord) -> str:
    return " ".join(capital(words.or_erased()) for words in record.body.reasons[:2])


def _quote(reading: Reading, record: DeltaRecord) -> Quote | None:
    """Return the first words a revision came from, before any answers about them; None when it came from none."""
    source = reading.state.sources.get(next(iter(record.body.source_ids), ""))
    is_placement = record.body.purpose is Purpose.PLACEMENT
    if source is None or (len(record.body.source_ids) != 1 and not is_placement):
        return None
    text = " ".join(source.body.content.or_erased().split())
    shown = text if len(text) <= QUOTE_SHOWN else f"{text[:QUOTE_SHOWN].rstrip()} …"
    who = capital(speaker(source.origin.actor, reading.names))
    return Quote((QuotePiece(shown),), f"{who} wrote this", moment(source.origin.at))


def _marks(state: State, entry: Entry) -> tuple[Mark, ...]:
    kinds = {item.relation.kind: None for item in entry.descents}
    marks = [_DESCENT_MARKS[kind] for kind in kinds]
    if entry.record is not None and entry.record.body.purpose is Purpose.RECONCILIATION:
        marks.append(Mark("badge-check", "Verified", "ok"))
    if entry.revision.number == state.revision:
        marks.append(Mark("flag", "Newest", "accent"))
    return tuple(marks)


def _counts(changes: tuple[NodeChange, ...]) -> tuple[str, ...]:
    numbers = {mark: sum(item.mark == mark for item in changes) for mark in _MARKS}
    return tuple(f"{number} {mark}" for mark, number in numbers.items() if number)


def _ways(reading: Reading, revision: Revision) -> tuple[Link, ...]:
    base, number = reading.base, revision.number
    stood = Link("As it stood", f"{base}/outline?at={number}", "history")
    if revision.delta_id is None:
        return (stood,)
    ways = [Link("What changed", f"{base}/outline?diff={number - 1}..{number}", "git-compare-arrows"), stood]
    if Act.TAKE_BACK in acts_for(reading.state, revision.delta_id, reading.role, reading.at):
        ways.append(Link("Take it back", f"{base}/revisions/{number}/take-back", "undo-2"))
    return tuple(ways)


def _touched(reading: Reading, entry: Entry, change: NodeChange) -> Touched:
    node = change.after
    said = [f"{KIND_WORDS[node.kind].lower()}, {change.mark}"]
    if change.mark == "changed":
        said = [f"{KIND_WORDS[node.kind].lower()}, {words}" for words in _changed(entry, change)[:1]]
        said.extend(_changed(entry, change)[1:3])
    said.extend(
        f"{VERBS[item.kind, True]} “{entry.revision.tables.nodes[item.to_id].title.or_erased()}”"
        for item in change.joined[:2]
    )
    return Touched(
        _MARKS[change.mark],
        node.title.or_erased(),
        f"{reading.base}/outline?node={node.id}",
        "; ".join(said),
        is_retired=change.mark == "retired",
    )


def _changed(entry: Entry, change: NodeChange) -> list[str]:
    words = field_words(change)
    if change.is_moved and change.is_under is not None:
        words.append(f"moved under “{entry.revision.tables.nodes[change.is_under].title.or_erased()}”")
    return words or ["relations changed" if change.joined or change.parted else "sources added"]


def _replaced(reading: Reading, record: DeltaRecord) -> str:
    how = _REPLACED.get(record.why or "", "replaced")
    who = "" if record.decided is None else f" by {origin_words(record.decided, reading.names)}"
    return f"“{record.body.title.or_erased()}” was {how}{who}"


def _story(reading: Reading, node_id: str) -> Story:
    state = reading.state
    node = state.tables.nodes[node_id]
    steps = [
        _step(reading, node_id, None),
        *(_step(reading, item.of.id, item) for item in story(state, node_id)),
    ]
    oldest = state.tables.nodes[node_id]
    for item in story(state, node_id):
        oldest = item.of
    source = state.sources.get(next(iter(oldest.source_ids), ""))
    if source is not None:
        text = " ".join(source.body.content.or_erased().split())
        words = text if len(text) <= QUOTE_SHOWN else f"{text[:QUOTE_SHOWN].rstrip()} …"
        who = f"{capital(speaker(source.origin.actor, reading.names))} wrote this"
        steps.append(
            StoryStep(
                "message-square-quote", "Began with", "", "", who, moment(source.origin.at), f"“{words}”"
            )
        )
    return Story(node.title.or_erased(), KindMark.of(node.kind), tuple(steps), change_link(reading, node_id))


def _step(reading: Reading, node_id: str, descent: Descent | None) -> StoryStep:
    node = reading.state.tables.nodes[node_id]
    created = node.created_in if descent is None else descent.relation.created_in
    origin = reading.state.revisions[revision_key(created)].origin
    note = f"{capital(origin_words(origin, reading.names))}, revision {created}"
    if descent is None:
        return StoryStep("circle-dot", "", node.title.or_erased(), "", note, moment(origin.at), is_now=True)
    icon = _DESCENT_MARKS[descent.relation.kind].icon
    said = capital(VERBS[descent.relation.kind, True])
    if descent.node.retired_in is not None or node.retired_in is not None:
        note = f"{note}. Retired since." if node.retired_in is not None else note
    href = timeline_href(reading.base, Told(node_id=node_id))
    return StoryStep(icon, said, node.title.or_erased(), href, note, moment(origin.at))
