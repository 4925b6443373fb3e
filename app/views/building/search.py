"""Builds the Search page from what was found."""

import re
from typing import Final
from urllib.parse import urlencode

from app.views.moments import moment
from app.views.parts import SUGGESTED, KindMark, Link, Mark
from app.views.search import SearchGroup, SearchHit, SearchPage
from app.views.shell import Shell
from app.views.wording import Reading, capital, path_words, speaker
from kernel.projections.placing import latest_attempt, stalled
from kernel.projections.search import HITS_MAX, Ask, Found, Group, Hit, Results
from kernel.state import SourceRecord
from kernel.vocabulary import Disposition, Purpose, SourceKind, Visibility

EXTRACT_SHOWN: Final = 160
"""How many characters of a description or of captured words are shown."""
TITLE_SHOWN: Final = 110
"""How many characters of captured words stand as their title."""
_BEFORE: Final = 40
"""How many characters are shown before the words that were looked for."""
_HINT: Final = "Try other or fewer words. A kind such as “task” and the end of an id count as words too."
_TITLES: Final = {
    Group.ACCEPTED: "Accepted",
    Group.WAITING: "Waiting for review",
    Group.QUESTIONS: "Questions",
    Group.CAPTURED: "Captured text",
}
_MARKS: Final = {
    Disposition.PENDING: SUGGESTED,
    Disposition.DEFERRED: Mark("hourglass", "Put off"),
    Disposition.REMANDED: Mark("undo-2", "Sent back"),
}
_ABOUT: Final = {
    Purpose.CORRECTION: "A change that is proposed",
    Purpose.COMPENSATION: "Would take a revision back",
    Purpose.RECONCILIATION: "Results that would be integrated",
}
_VERBS: Final = {SourceKind.FILE: "brought this file in", SourceKind.IMPORT: "imported this outline"}


def search_href(base: str, query: str, group: Group | None = None, start: int = 0) -> str:
    """Return the address of a page of results: of every group, or of one from a hit on."""
    said = {"q": query, "in": "" if group is None else group.value, "start": str(start) if start else ""}
    text = urlencode({name: value for name, value in said.items() if value})
    return f"{base}/search" + (f"?{text}" if text else "")


def search_page(shell: Shell, reading: Reading, ask: Ask, results: Results) -> SearchPage:
    """Return what was found, group by group, with where each answer leads."""
    words, said, misread = " ".join(ask.query.split()), "", ""
    if words:
        said = f"{results.total} found" if results.total else f"Nothing found for “{words}”"
    if results.misread:
        unknown = " or ".join(f"“{word}”" for word, _ in results.misread)
        misread = f"Nothing here says {unknown}. Showing results for “{results.read_as}”."
    everything = Link("Show every group", search_href(reading.base, ask.query), "arrow-left")
    return SearchPage(
        shell=shell,
        query=ask.query,
        said=said,
        misread=misread,
        groups=tuple(_group(reading, ask, found, results.begins) for found in results.found if found.total),
        hint="" if results.total else _HINT,
        everything=None if ask.group is None else everything,
    )


def _group(reading: Reading, ask: Ask, found: Found, begins: tuple[str, ...]) -> SearchGroup:
    left = found.total - found.start - len(found.hits)
    more = earlier = None
    if left > 0:
        is_paged = len(found.hits) == HITS_MAX
        start = found.start + HITS_MAX if is_paged else 0
        text = (
            f"Show the next {min(left, HITS_MAX)} of {found.total}" if is_paged else f"Show all {found.total}"
        )
        more = Link(text, search_href(reading.base, ask.query, found.group, start), "arrow-down")
    if found.start:
        start = max(0, found.start - HITS_MAX)
        href = search_href(reading.base, ask.query, found.group, start)
        earlier = Link("Show what comes before", href, "arrow-up")
    return SearchGroup(
        id=found.group.value,
        title=_TITLES[found.group],
        said=str(found.total),
        hits=tuple(_hit(reading, hit, begins) for hit in found.hits),
        earlier=earlier,
        more=more,
    )


def _hit(reading: Reading, hit: Hit, begins: tuple[str, ...]) -> SearchHit:
    if hit.group is Group.ACCEPTED:
        return _node(reading, hit, begins)
    if hit.group is Group.WAITING:
        return _proposal(reading, hit, begins)
    if hit.group is Group.QUESTIONS:
        return _question(reading, hit, begins)
    return _capture(reading, reading.state.sources[hit.id], begins)


def _node(reading: Reading, hit: Hit, begins: tuple[str, ...]) -> SearchHit:
    node = reading.state.tables.nodes[hit.id]
    return SearchHit(
        title=node.title.or_erased(),
        href=f"{reading.base}/outline?node={hit.id}",
        kind=KindMark.of(node.kind),
        path=path_words(reading.state.tables, hit.id),
        extract=extract("" if node.description is None else node.description.or_erased(), begins),
        mark=None if node.retired_in is None else Mark("archive", "Retired"),
    )


def _proposal(reading: Reading, hit: Hit, begins: tuple[str, ...]) -> SearchHit:
    record = reading.state.deltas[hit.id]
    href, mark = f"{reading.base}/inbox/{hit.id}", _MARKS.get(record.disposition)
    if hit.suggested is None:
        about = _ABOUT.get(record.body.purpose, "A proposal")
        return SearchHit(record.body.title.or_erased(), href, None, about, "", mark)
    add, parent = hit.suggested.add, reading.state.tables.nodes.get(hit.suggested.parent_id)
    return SearchHit(
        title=add.title.or_erased(),
        href=href,
        kind=KindMark.of(add.kind),
        path="" if parent is None else f"would stand under {parent.title.or_erased()}",
        extract=extract("" if add.description is None else add.description.or_erased(), begins),
        mark=mark,
    )


def _question(reading: Reading, hit: Hit, begins: tuple[str, ...]) -> SearchHit:
    question = reading.state.clarifications[hit.id]
    source = reading.state.sources[question.body.source_id]
    return SearchHit(
        title=question.body.question.or_erased(),
        href=f"{reading.base}/inbox/{hit.id}",
        kind=None,
        path=f"{capital(speaker(question.origin.actor, reading.names))} asked about this",
        extract=extract(source.body.content.or_erased(), begins),
        when=moment(question.origin.at),
    )


def _capture(reading: Reading, record: SourceRecord, begins: tuple[str, ...]) -> SearchHit:
    """Return captured words; those that were never placed lead to where they wait."""
    source_id, text = record.body.source_id, " ".join(record.body.content.or_erased().split())
    attempt = latest_attempt(reading.state, source_id) if source_id in reading.state.unplaced else None
    waits = attempt is not None and stalled(reading.state, attempt.body.exchange_id)
    mark = Mark("lock", "Private") if record.body.visibility is Visibility.PRIVATE else None
    if waits:
        mark = Mark("clock-alert", "Not placed yet", "warn")
    place = f"inbox/{attempt.body.exchange_id}" if waits and attempt is not None else f"sources/{source_id}"
    title = cut(text, TITLE_SHOWN)
    return SearchHit(
        title=title,
        href=f"{reading.base}/{place}",
        kind=None,
        path=f"{capital(speaker(record.origin.actor, reading.names))} {_VERBS.get(record.body.kind, 'wrote this')}",
        extract="" if title == text else extract(text[len(title) - 2 :], begins, needs_word=True),
        mark=mark,
        when=moment(record.origin.at),
    )


def extract(text: str, begins: tuple[str, ...], *, needs_word: bool = False) -> str:
    """Return some of a text around the first of the words; from its beginning, or nothing, when it holds none."""
    line = " ".join(text.split())
    pattern = "|".join(rf"(?<!\w){re.escape(word)}" for word in begins)
    match = re.search(pattern, line, re.IGNORECASE) if pattern else None
    if match is None and needs_word:
        return ""
    at = 0 if match is None else match.start()
    if at + _BEFORE < EXTRACT_SHOWN:
        return cut(line, EXTRACT_SHOWN)
    start = line.find(" ", at - _BEFORE, at) + 1 or at
    return f"… {cut(line[start:], EXTRACT_SHOWN)}"


def cut(line: str, most: int) -> str:
    """Return a line that is at most this long, cut behind a word; a longer first word is cut within."""
    if len(line) <= most:
        return line
    end = line.rfind(" ", 0, most + 1)
    return f"{line[: end if end > 0 else most].rstrip()} …"
