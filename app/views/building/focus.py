"""Builds Focus: one accepted node or one suggestion, with as little around it as a decision can bear."""

from dataclasses import replace
from itertools import islice
from typing import Final

from app.views.building.acts import decide_bar
from app.views.building.choices import fit_words
from app.views.building.node import node_acts
from app.views.building.outline import view_tabs
from app.views.building.quoting import node_quote
from app.views.inbox.parts import Act as ActLink
from app.views.moments import moment
from app.views.opening import Opened
from app.views.parts import SUGGESTED, KindMark, Link, Mark, Sentence, governance_mark, work_mark
from app.views.shell import Shell
from app.views.wording import (
    VERBS,
    Reading,
    capital,
    crumbs,
    families,
    quote,
    speaker,
)
from app.views.worldstate.focus import ChangeLine, FocusItem, FocusPage
from kernel.errors import NotFoundError
from kernel.projections.acts import DECIDERS, acts_for
from kernel.projections.doubles import doubles
from kernel.projections.focus import Focus, focus, suggested
from kernel.projections.inbox import first_origin
from kernel.projections.outline import Suggested, suggestions
from kernel.projections.standing import comes_from_evidence
from kernel.state import DeltaRecord
from kernel.values.records import NodePatch, RelationAdd
from kernel.vocabulary import (
    Governance,
    RelationKind,
    Verification,
)

CHOICES_MAX: Final = 6
_SUPPORTS_MAX: Final = 6


def focus_page(
    shell: Shell, reading: Reading, node_id: str, opened: Opened, *, past: int | None = None
) -> FocusPage:
    """Return what stands in focus; without a node, a few things to choose from.

    Raises: NotFoundError when neither the worldstate nor a suggestion knows the node.
    """
    tabs = view_tabs(reading.base, node_id, "Focus", past)
    if not node_id:
        return FocusPage(shell, tabs, None, choose=_choices(reading))
    if node_id in reading.state.tables.nodes:
        return replace(_accepted(shell, reading, focus(reading.state, node_id)), tabs=tabs)
    item = suggested(reading.state, node_id)
    if item is None:
        message = f"there is no node {node_id}"
        raise NotFoundError(message)
    return _suggestion(shell, reading, item, opened)


def _choices(reading: Reading) -> tuple[Link, ...]:
    tables = reading.state.tables
    links = [
        Link(item.add.title.or_erased(), f"{reading.base}/focus?node={item.add.node_id}", "circle-dashed")
        for item in islice(suggestions(reading.state), 3)
    ]
    tops = tables.children.get(reading.state.root_id) or ()
    links.extend(
        Link(tables.nodes[item].title.or_erased(), f"{reading.base}/focus?node={item}", "target")
        for item in tops[: CHOICES_MAX - len(links)]
    )
    return tuple(links)


def _accepted(shell: Shell, reading: Reading, found: Focus) -> FocusPage:
    node = found.node
    item = FocusItem(
        title=node.title.or_erased(),
        kind=KindMark.of(node.kind),
        crumbs=crumbs(reading.base, reading.state.tables, found.path[-1].id) if found.path else (),
        description="" if node.description is None else node.description.or_erased(),
        quote=node_quote(
            reading,
            found.sources[0],
            node.title.or_erased(),
            whole=f"{reading.base}/outline?node={node.id}",
        )
        if found.sources
        else None,
        families=families(reading, node, found.standing),
        supports=_supports(reading, found),
        changes=(),
        since=None,
    )
    everything = Link("Everything about it", f"{reading.base}/outline?node={node.id}", "list-tree")
    acts = node_acts(reading, node)
    primary, others = (acts[0], (*acts[1:2], everything)) if acts else (everything, ())
    waiting = found.proposals[:1]
    if waiting and reading.role in DECIDERS:
        review = Link(
            "Review what would change it", f"{reading.base}/inbox/{waiting[0].body.delta_id}", "map-pin"
        )
        primary, others = review, (*acts[:1], everything)
    tabs = view_tabs(reading.base, node.id, "Focus")
    return FocusPage(shell, tabs, item, next=primary, others=others)


def _supports(reading: Reading, found: Focus) -> tuple[Sentence, ...]:
    """Return what stands for and against the node, observed before said."""
    lines = []
    for item in found.joined:
        title = item.other.title.or_erased()
        if item.relation.kind is RelationKind.EVIDENCED_BY and item.is_outgoing:
            observed = comes_from_evidence(reading.state, item.other)
            how = "Observed on the sealed files" if observed else "Said to be evidence"
            lines.append(
                Sentence(
                    f"{how}: “{title}”.",
                    "badge-check" if observed else "circle-help",
                    "ok" if observed else "muted",
                )
            )
        elif item.relation.kind is RelationKind.CONFLICTS_WITH:
            lines.append(Sentence(f"Conflicts with “{title}”.", "triangle-alert", "warn"))
        elif item.relation.kind in {RelationKind.DEPENDS_ON, RelationKind.REFINES, RelationKind.IMPLEMENTS}:
            verb = capital(VERBS[item.relation.kind, item.is_outgoing])
            lines.append(Sentence(f"{verb} “{title}”.", "arrow-right"))
    for source in found.sources[:2]:
        who = capital(speaker(source.origin.actor, reading.names))
        lines.append(
            Sentence(f"{who} said it. That is a statement, not an observation.", "message-square-quote")
        )
    lines.extend(
        Sentence(f"Waiting: “{record.body.title.or_erased()}”.", "circle-dashed", "accent")
        for record in found.proposals[:2]
    )
    return tuple(dict.fromkeys(lines))[:_SUPPORTS_MAX]


def _suggestion(shell: Shell, reading: Reading, found: Suggested, opened: Opened) -> FocusPage:
    record = reading.state.deltas[found.delta_id]
    add = found.add
    tables = reading.state.tables
    source = reading.state.sources.get(next(iter(add.source_ids), ""))
    href = f"{reading.base}/inbox/{found.delta_id}"
    item = FocusItem(
        title=add.title.or_erased(),
        kind=KindMark.of(add.kind),
        crumbs=crumbs(reading.base, tables, found.parent_id) if found.parent_id in tables.nodes else (),
        description="" if add.description is None else add.description.or_erased(),
        quote=None if source is None else quote(source, reading.names, whole=f"{href}?words=all"),
        families=(),
        supports=_reasons(reading, record, found),
        changes=_changes(reading, record, found),
        since=moment(first_origin(reading.state, record).at),
        mark=SUGGESTED,
        refusal=opened.refusal,
    )
    acts = acts_for(reading.state, found.delta_id, reading.role, reading.at)
    within = Opened(found.delta_id, opened.command_id)
    bar = decide_bar(reading, record, within, acts)
    everything = (ActLink("Everything about it", href, "list-tree", "e"),)
    decide = type(bar)(
        action=bar.action, binding=bar.binding, acts=everything, can_accept=bar.can_accept, says=bar.says
    )
    return FocusPage(shell, view_tabs(reading.base, add.node_id, "Focus"), item, decide=decide)


def _reasons(reading: Reading, record: DeltaRecord, found: Suggested) -> tuple[Sentence, ...]:
    lines = [Sentence(f"{words}.", "copy", "warn") for words in doubles(reading.state, record)]
    fits = {fit.parent_id: fit for fit in record.body.fits}
    fit = fits.get(found.parent_id)
    if fit is not None:
        lines.append(Sentence(f"{capital(fit.reason.or_erased())} ({fit_words(fit.score)}).", "map-pin"))
    lines.extend(
        Sentence(capital(words.or_erased()), "message-square-quote") for words in record.body.reasons
    )
    lines.extend(
        Sentence(capital(words.or_erased()), "circle-help", "warn") for words in record.body.uncertainty
    )
    return tuple(lines)[:_SUPPORTS_MAX]


def _changes(reading: Reading, record: DeltaRecord, found: Suggested) -> tuple[ChangeLine, ...]:
    lines = [ChangeLine(found.add.title.or_erased(), SUGGESTED, governance_mark(Governance.ADOPTED))]
    nothing = Mark("minus", "Nothing")
    for operation in record.body.operations:
        if isinstance(operation, RelationAdd) and operation.kind is not RelationKind.BELONGS_TO:
            other = reading.state.tables.nodes.get(operation.to_id)
            if other is not None:
                verb = VERBS[operation.kind, False]
                lines.append(
                    ChangeLine(other.title.or_erased(), nothing, Mark("arrow-left", capital(verb) + " this"))
                )
        elif isinstance(operation, NodePatch) and operation.phase is not None:
            node = reading.state.tables.nodes[operation.node_id]
            now = work_mark(node.phase, node.verification) or nothing
            then = work_mark(operation.phase, operation.verification or Verification.UNVERIFIED) or nothing
            lines.append(ChangeLine(node.title.or_erased(), now, then))
    return tuple(lines)[:CHOICES_MAX]
