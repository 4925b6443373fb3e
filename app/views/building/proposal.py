"""Builds one open proposal: the words, the readable difference, why, doubts, consequences, and then the acts."""

from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

from app.views.building.acts import KEEPS_CHOICE, decide_bar, edit_form, move_form, reject_form
from app.views.building.added_tree import added_tree
from app.views.building.aside import aside, standing
from app.views.building.choices import choices, fits, place_of, reason_of
from app.views.building.consequences import consequences, is_proven
from app.views.building.difference import before_after
from app.views.building.question import answers
from app.views.building.steps import subject_of
from app.views.inbox.parts import Gate, Moved, Proposal
from app.views.opening import Opened
from app.views.parts import (
    SUGGESTED,
    Fact,
    KindMark,
    Link,
    Mark,
    Quote,
    Sentence,
)
from app.views.wording import (
    MANAGER,
    Reading,
    capital,
    count,
    crumbs,
    quote,
    sentence,
    short_id,
    speaker,
)
from kernel.projections.acts import DECIDERS, Act, acts_for, is_single
from kernel.projections.doubles import doubles
from kernel.projections.inbox import Matter, inbox, is_import
from kernel.rules.dispositions import OPEN
from kernel.rules.operations import moved
from kernel.rules.reconciliation import gates
from kernel.state import DeltaRecord, Revision, State, revision_key
from kernel.values.placement import PlacementRequest
from kernel.values.records import (
    Node,
    NodeAdd,
    NodePatch,
)
from kernel.vocabulary import ActorKind, Disposition, NodeKind, Purpose

_REVISIONS_SHOWN: Final = 5
_NEXT_SHOWN: Final = 36
_RULES: Final = f"{MANAGER} (rules, no model)"
_WHY_TITLES: Final = {Purpose.PLACEMENT: "Why here", Purpose.RECONCILIATION: "Why now"}
_KNOWN: Final = {
    "worldstate": ("The worldstate is what the brief was about", "Compared by digest"),
    "lineage": ("Run, candidate and result belong together", "Compared by id"),
    "artifact": ("The candidate grows from the brief's commit", "Compared by commit"),
    "evidence": ("Required evidence passed", "Recorded by the validator"),
    "policy": ("The profile allows integration", "Read from the contract"),
    "completion": ("The worker reports completion", "Said by the worker, not observed"),
}
_STANDINGS: Final = {
    "passed": Mark("circle-check", "Passed", "ok"),
    "blocked": Mark("circle-x", "Closed", "bad"),
    "stale": Mark("clock-alert", "Out of date", "stale"),
}


def proposal(reading: Reading, opened: Opened) -> Proposal:
    """Return one proposal as this reader may see it and act on it."""
    record = reading.state.deltas[opened.id]
    is_open = record.disposition in OPEN
    acts = acts_for(reading.state, opened.id, reading.role, reading.at)
    act = opened.act if opened.act in {item.value for item in acts} else ""
    is_plain = is_open and not act
    record = _with_choice(record, opened.choice if Act.ACCEPT in acts else 0, act)
    return Proposal(
        mark=_mark(record),
        origin=_origin(reading, record),
        title=record.body.title.or_erased(),
        kind=KindMark.of(_kind(reading, record)),
        description=_description(record),
        quote=_quote(reading, record, opened),
        crumbs=_crumbs(reading, record),
        crumb=_crumb(record) if is_open else "",
        difference=before_after(reading, record),
        record=_record(reading, record),
        consequences=consequences(reading, record) if is_open else (),
        place_title="Where it fits" if record.body.purpose is Purpose.PLACEMENT else "What changes",
        then_title="If you accept" if reading.role in DECIDERS else "If it is accepted",
        why_title=_WHY_TITLES.get(record.body.purpose, "Why"),
        why=_why(reading, record),
        fits=() if _was_moved(reading, record) else fits(reading, record),
        uncertain=_uncertain(reading, record),
        gates=_gates(reading, record) if is_open else (),
        choices=choices(reading, record, opened) if is_plain and Act.ACCEPT in acts else (),
        moved=_moved(reading, record) if is_open else None,
        answers=answers(reading, record.body.source_ids),
        refusal=opened.refusal,
        ways=() if is_open else _ways(reading, record),
        decide=decide_bar(reading, record, opened, acts) if is_plain else None,
        edit=edit_form(reading, record, opened) if act == "edit" else None,
        move=move_form(reading, record, opened) if act == "move" else None,
        reject=reject_form(reading, record, opened) if act == "reject" else None,
        aside=aside(reading, record, opened, act),
        standing=standing(record),
        whole=added_tree(record) if is_open else None,
    )


def _with_choice(record: DeltaRecord, choice: int, act: str) -> DeltaRecord:
    """Return a proposal as it is with one choice of it; unchanged when it, or the open act, offers no such choice."""
    if not 0 < choice <= len(record.body.alternatives):
        return record
    chosen = replace(record, choice=choice)
    may = not act or (act in KEEPS_CHOICE and any(isinstance(item, NodeAdd) for item in chosen.operations))
    return chosen if may else record


def _crumb(record: DeltaRecord) -> str:
    return record.body.title.or_erased() if is_single(record) and _first_added(record) is not None else ""


def _ways(reading: Reading, record: DeltaRecord) -> tuple[Link, ...]:
    """Return where to go on from a decided proposal: the next that waits, and what became of this one."""
    links = []
    following = next(iter(inbox(reading.state, reading.at)), None)
    if following is not None and following.matter is not Matter.ARTIFACTS:
        title = " ".join(following.title.split())
        shown = title if len(title) <= _NEXT_SHOWN else f"{title[:_NEXT_SHOWN].rstrip()} …"
        links.append(Link(f"Next: {shown}", f"{reading.base}/inbox/{following.id}", "arrow-right"))
    subject = _subject(reading, record)
    added = _first_added(record)
    node_id = subject.id if subject is not None else None if added is None else added.node_id
    if record.disposition is Disposition.ACCEPTED and node_id is not None:
        links.append(Link("Show it in the Outline", f"{reading.base}/outline?node={node_id}", "list-tree"))
        node = reading.state.tables.nodes[node_id]
        if Act.BRIEF in acts_for(reading.state, node.id, reading.role, reading.at):
            links.append(Link("Go to its work", f"{reading.base}/work/{node_id}", "hammer"))
    return tuple(links) or (Link("Open the Outline", f"{reading.base}/outline", "list-tree"),)


def _mark(record: DeltaRecord) -> Mark:
    if record.disposition is Disposition.ACCEPTED:
        return Mark("stamp", f"Accepted, revision {record.revision}")
    if record.disposition is Disposition.REJECTED:
        return Mark("x", "Rejected")
    if record.disposition is Disposition.DEFERRED:
        return Mark("clock", "Deferred")
    if record.disposition is Disposition.REMANDED:
        return Mark("rotate-ccw", "Sent back")
    if record.disposition is Disposition.SUPERSEDED:
        return Mark("replace", "Replaced")
    return SUGGESTED


def _origin(reading: Reading, record: DeltaRecord) -> str:
    who = speaker(record.origin.actor, reading.names)
    if record.body.purpose is Purpose.RECONCILIATION:
        return "Reconciliation compiled by the host from recorded results"
    if record.body.compensates is not None:
        return f"Revision {record.body.compensates} taken back, computed for {who}"
    if record.body.purpose is not Purpose.PLACEMENT:
        return f"Change proposed by {who}"
    if is_import(reading.state, record):
        return f"Outline imported by {who}"
    if record.origin.actor.kind is ActorKind.MANAGER:
        return f"Placement by {_RULES if who == MANAGER else who}{_shown_outside(reading.state, record)}"
    why = None if record.body.supersedes is None else reading.state.deltas[record.body.supersedes].why
    ways = {
        "edited": f"Placement, reworded by {who}",
        "moved": f"Placement, moved by {who}",
        "split": f"Placement, parted by {who}",
    }
    return ways.get(why or "", f"Placement, brought up to date by {who}")


def _shown_outside(state: State, record: DeltaRecord) -> str:
    """Return where the words went and how much went with them, when the manager works outside this machine.

    What was withheld as private is not counted here: it is said to the owner alone, on the command line.
    """
    exchange = state.exchanges.get(record.body.exchange_id or "")
    exact = None if exchange is None else exchange.body.request.text
    sent = None if exact is None else PlacementRequest.model_validate_json(exact).sent
    if sent is None:
        return ""
    host = urlsplit(sent.endpoint).netloc
    return f" at {host}, which was shown {count(len(sent.places) + len(sent.others), 'shared entry', 'shared entries')}"


def _first_added(record: DeltaRecord) -> NodeAdd | None:
    return next((item for item in record.operations if isinstance(item, NodeAdd)), None)


def _subject(reading: Reading, record: DeltaRecord) -> Node | None:
    """Return the accepted node that a change or a result is about."""
    nodes, operations = reading.state.tables.nodes, record.operations
    if record.body.purpose in {Purpose.CORRECTION, Purpose.COMPENSATION}:
        return nodes.get(subject_of(reading.state.tables, operations) or "")
    patch = next((item for item in operations if isinstance(item, NodePatch)), None)
    return None if patch is None else nodes.get(patch.node_id)


def _kind(reading: Reading, record: DeltaRecord) -> NodeKind:
    subject = _subject(reading, record)
    if subject is not None:
        return subject.kind
    place_id = place_of(record.operations)
    added = _first_added(record)
    if added is not None and not is_import(reading.state, record):
        return added.kind
    return reading.state.tables.nodes[place_id or reading.state.root_id].kind


def _description(record: DeltaRecord) -> str:
    added = _first_added(record)
    if added is None or added.description is None or record.body.purpose is not Purpose.PLACEMENT:
        return ""
    return added.description.or_erased() if is_single(record) else ""


def _quote(reading: Reading, record: DeltaRecord, opened: Opened) -> Quote | None:
    source = reading.state.sources.get(next(iter(record.body.source_ids), ""))
    if source is None:
        return None
    href = f"{reading.base}/inbox/{opened.id}?words=all"
    matched = tuple(word.or_erased() for fit in record.body.fits[:1] for word in fit.matched)
    verb = "imported this" if is_import(reading.state, record) else "wrote this"
    return quote(
        source,
        reading.names,
        matched=matched,
        verb=verb,
        whole=None if opened.has_whole_words else href,
        base=reading.base,
    )


def _crumbs(reading: Reading, record: DeltaRecord) -> tuple[Link, ...]:
    tables = reading.state.tables
    subject = _subject(reading, record)
    if subject is not None:
        return crumbs(reading.base, tables, subject.id)
    place_id = place_of(record.operations)
    known = place_id if place_id in tables.nodes else reading.state.root_id
    assert known is not None
    return crumbs(reading.base, tables, known)


def _record(reading: Reading, record: DeltaRecord) -> tuple[Fact, ...]:
    body = record.body
    newest = body.base_revision == reading.state.revision
    sources = tuple(Fact("Source", "Kept word for word,", short_id(item)) for item in body.source_ids)
    return (
        Fact("Proposal", "", short_id(body.delta_id)),
        *sources,
        Fact("Made against", f"Revision {body.base_revision}{', still the newest' if newest else ''}"),
    )


def _why(reading: Reading, record: DeltaRecord) -> tuple[str, ...]:
    body = record.body
    if body.purpose is Purpose.RECONCILIATION:
        if is_proven(record):
            return ("Every requirement of the brief has a passing result on the sealed files.",)
        return ("Required evidence is not met; the profile lets the result in all the same.",)
    reasons = tuple(words.or_erased() for words in body.reasons)
    if body.purpose is not Purpose.PLACEMENT:
        who = capital(speaker(record.origin.actor, reading.names))
        return tuple(f"{who} says: “{reason}”" for reason in reasons) or (f"{who} gave no reason.",)
    if is_import(reading.state, record):
        return ("Headings and lists keep the order and the nesting they have in the text.",)
    if _was_moved(reading, record):
        who = speaker(record.origin.actor, reading.names)
        return (f"{capital(who)} chose this place.", *map(sentence, reasons))
    fit = next((item for item in body.fits if item.parent_id == place_of(record.operations)), None)
    placed = () if fit is None else (reason_of(record, fit),)
    return tuple(map(sentence, (*placed, *reasons)))


def _was_moved(reading: Reading, record: DeltaRecord) -> bool:
    while record.body.supersedes is not None:
        record = reading.state.deltas[record.body.supersedes]
        if record.why == "moved":
            return True
    return False


def _uncertain(reading: Reading, record: DeltaRecord) -> tuple[Sentence, ...]:
    doubts = [Sentence(sentence(words.or_erased())) for words in record.body.uncertainty]
    same = reading.state.tables.nodes.get(record.body.duplicate_of or "")
    doubts[:0] = (Sentence(f"{words}.", "copy", "warn") for words in doubles(reading.state, record))
    if same is not None:
        doubts.insert(0, Sentence(f"“{same.title.or_erased()}” may already say this.", "copy", "warn"))
    return tuple(doubts)


def _gates(reading: Reading, record: DeltaRecord) -> tuple[Gate, ...]:
    body = record.body
    if body.closure_id is None or body.validation_id is None:
        return ()
    listed = gates(reading.state, body.closure_id, body.validation_id)
    return tuple(
        Gate(_KNOWN[gate.name][0], _STANDINGS[gate.standing], _KNOWN[gate.name][1], sentence(gate.detail))
        for gate in listed
    )


def _moved(reading: Reading, record: DeltaRecord) -> Moved | None:
    base, head = record.body.base_revision, reading.state.revision
    if base == head:
        return None
    revisions = [reading.state.revisions[revision_key(number)] for number in range(base + 1, head + 1)]
    touched = {touch.id for touch in moved(reading.state.tables, record.body.touches)}
    if not touched:
        whose = "Your" if reading.role in DECIDERS else "A"
        none = "it does not touch this" if head - base == 1 else "none touches this"
        return Moved(
            f"{count(head - base, 'revision')} since; {none}",
            f"{whose} yes brings the suggestion up to date and accepts it, as one step.",
            is_conflict=False,
            changes=_said(reading, revisions),
        )
    titles = [
        reading.state.tables.nodes[item].title.or_erased()
        for item in touched
        if item in reading.state.tables.nodes
    ]
    what = f"“{titles[0]}”" if titles else "A relation"
    guilty = [item for item in revisions if _touches(reading, item, touched)]
    return Moved(
        f"{what} changed since this was suggested",
        f"The suggestion was made against revision {base}. What it touches is different now, so read it again.",
        is_conflict=True,
        changes=_said(reading, guilty),
    )


def _touches(reading: Reading, revision: Revision, ids: set[str]) -> bool:
    record = reading.state.deltas.get(revision.delta_id or "")
    if record is None:
        return False
    return any(
        getattr(item, "node_id", None) in ids or getattr(item, "relation_id", None) in ids
        for item in record.operations
    )


def _said(reading: Reading, revisions: list[Revision]) -> tuple[str, ...]:
    lines = []
    for revision in revisions[-_REVISIONS_SHOWN:]:
        record = reading.state.deltas.get(revision.delta_id or "")
        what = "a change" if record is None else f"“{record.body.title.or_erased()}”"
        who = capital(speaker(revision.origin.actor, reading.names))
        lines.append(f"Revision {revision.number}: {who} accepted {what}.")
    left = len(revisions) - len(lines)
    return (f"{count(left, 'earlier revision')}.", *lines) if left else tuple(lines)
