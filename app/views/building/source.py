"""Builds the page of one capture, and the page before its words are erased."""

from typing import Final

from app.views.answers.erasing import ELSEWHERE
from app.views.building.about import shortened
from app.views.building.change import change_href
from app.views.confirm import ConfirmPage, Lines
from app.views.parts import Binding, Fact, Link, Quote, Refusal, Sentence
from app.views.shell import Shell
from app.views.source import Erasure, SourcePage
from app.views.wording import Reading, capital, count, moment, origin_words, quote, short_id, speaker
from kernel.decide.source import erased_together
from kernel.errors import NotFoundError
from kernel.projections.acts import Act, acts_for
from kernel.projections.leftovers import leftovers
from kernel.rules.source import open_proposals_of
from kernel.state import SourceRecord
from kernel.vocabulary import SourceKind, Visibility

_KINDS: Final = {
    SourceKind.TEXT: "Text",
    SourceKind.FILE: "File",
    SourceKind.IMPORT: "Imported outline",
    SourceKind.AGENT: "From an agent",
    SourceKind.SYSTEM: "From the host",
}
_VERBS: Final = {SourceKind.FILE: "brought this file in", SourceKind.IMPORT: "imported this outline"}
LINKS_MAX: Final = 40
"""How many things one list names."""


def source_page(shell: Shell, reading: Reading, source_id: str) -> SourcePage:
    """Return one capture with what came from it. Raises: NotFoundError."""
    record = _record(reading, source_id)
    acts = acts_for(reading.state, source_id, reading.role, reading.at, person_id=reading.me)
    came = [*_proposals(reading, source_id), *_left(reading, (source_id,))]
    if record.erased is not None:
        came.append(_elsewhere())
    elif not came:
        came.append(Lines("What came from it", "Nothing yet."))
    erase = Link("Erase these words", f"{_href(reading, source_id)}/erase", "trash-2")
    return SourcePage(
        shell=shell,
        quote=None if record.erased is not None else _quote(reading, record),
        facts=_facts(reading, record),
        came=tuple(came),
        erased=_erasure(reading, record),
        erase=erase if Act.ERASE in acts else None,
    )


def erase_page(
    shell: Shell, reading: Reading, source_id: str, *, binding: Binding, refusal: Refusal | None = None
) -> ConfirmPage:
    """Return the page that lists what an erasure takes and what it leaves. Raises: NotFoundError."""
    record = _record(reading, source_id)
    href = _href(reading, source_id)
    together = erased_together(reading.state, source_id)
    return ConfirmPage(
        shell=shell,
        title="Erase these words",
        lead="They are destroyed for good: the capture, what was asked about it, what was answered, and its proposals.",
        action=f"{href}/erase",
        binding=Binding(command_id=binding.command_id),
        button="Erase for good",
        icon="trash-2",
        says="This cannot be undone.",
        cancel=Link("Keep them", href, "arrow-left"),
        is_danger=True,
        quote=None if record.erased is not None else _quote(reading, record),
        lists=(
            *_answers(reading, together[:-1]),
            *_closed(reading, together),
            *_left(reading, together),
            _elsewhere(),
        ),
        refusal=refusal,
    )


def _record(reading: Reading, source_id: str) -> SourceRecord:
    record = reading.state.sources.get(source_id)
    if record is None:
        message = f"nothing in this project is called {source_id:.64}"
        raise NotFoundError(message)
    return record


def _href(reading: Reading, source_id: str) -> str:
    return f"{reading.base}/sources/{source_id}"


def _quote(reading: Reading, record: SourceRecord) -> Quote:
    return quote(record, reading.names, verb=_VERBS.get(record.body.kind, "wrote this"))


def _facts(reading: Reading, record: SourceRecord) -> tuple[Fact, ...]:
    body, who = record.body, capital(origin_words(record.origin, reading.names))
    is_private = body.visibility is Visibility.PRIVATE
    return (
        Fact("Kind", _KINDS[body.kind]),
        Fact("Kept by", f"{who},", when=moment(record.origin.at)),
        Fact("Size", count(body.size_bytes, "byte")),
        Fact("Seen by", "This machine alone" if is_private else "Shared with the project and its manager"),
        Fact("Capture", "", short_id(body.source_id)),
    )


def _erasure(reading: Reading, record: SourceRecord) -> Erasure | None:
    if record.erased is None:
        return None
    who = capital(speaker(record.erased.actor, reading.names))
    return Erasure("The words are erased", f"{who} destroyed them for good", moment(record.erased.at))


def _proposals(reading: Reading, source_id: str) -> tuple[Lines, ...]:
    followers = reading.state.followed_by.get(source_id) or ()
    records = [reading.state.deltas[item] for item in followers if item in reading.state.deltas]
    links = tuple(
        Link(
            f"{shortened(record.body.title.or_erased())} ({record.disposition.value})",
            f"{reading.base}/inbox/{record.body.delta_id}",
            "map-pin",
        )
        for record in records[:LINKS_MAX]
    )
    return (Lines("Proposed from it", "", links),) if links else ()


def _answers(reading: Reading, source_ids: tuple[str, ...]) -> tuple[Lines, ...]:
    links = tuple(
        Link(
            shortened(reading.state.sources[item].body.content.or_erased()),
            _href(reading, item),
            "message-square-quote",
        )
        for item in source_ids
    )
    text = "What was asked together with an answer repeats both, so the answers go as well."
    return (Lines("Erased with them", text, links),) if links else ()


def _closed(reading: Reading, source_ids: tuple[str, ...]) -> tuple[Lines, ...]:
    waiting = dict.fromkeys(
        delta_id for item in source_ids for delta_id in open_proposals_of(reading.state, item)
    )
    links = tuple(
        Link(
            shortened(reading.state.deltas[item].body.title.or_erased()),
            f"{reading.base}/inbox/{item}",
            "circle-x",
        )
        for item in waiting
    )
    return (Lines("Closed with them", "Proposals that wait would have no words.", links),) if links else ()


def _left(reading: Reading, source_ids: tuple[str, ...]) -> tuple[Lines, ...]:
    """Return what a person accepted or a worker made from these words: it is never erased silently."""
    found = leftovers(reading.state, source_ids)
    nodes = tuple(
        Link(
            shortened(node.title.or_erased()),
            change_href(reading.base, node.id),
            "stamp",
        )
        for node in found.nodes[:LINKS_MAX]
    )
    made = [
        Link(f"The brief of {_task(reading, item)}", _brief_href(reading, item), "send")
        for item in found.brief_ids[:LINKS_MAX]
    ]
    made += [
        Link(
            f"Commit {item.commit[:12]}{f' for {item.target_ref}' if item.target_ref else ''}",
            "",
            "git-merge",
        )
        for item in found.commits[:LINKS_MAX]
    ]
    lists = []
    if nodes:
        text = "Accepted words are kept under a key of their own. Propose a change to replace them."
        lists.append(Lines("Stays, since somebody accepted it", text, nodes))
    if made:
        text = "Briefs and commits hold what was accepted. A commit is removed with Git."
        lists.append(Lines("Stays, in work", text, tuple(made)))
    return tuple(lists)


def _brief_href(reading: Reading, brief_id: str) -> str:
    return f"{reading.base}/work/{reading.state.briefs[brief_id].body.node_id}/brief/{brief_id}"


def _task(reading: Reading, brief_id: str) -> str:
    node_id = reading.state.briefs[brief_id].body.node_id
    return f"“{shortened(reading.state.tables.nodes[node_id].title.or_erased())}”"


def _elsewhere() -> Lines:
    sentences = tuple(Sentence(f"{text}.", "info") for text in ELSEWHERE)
    return Lines("Out of reach from here", "", (), sentences)
