"""From the ledger to the page of one brief: what is shared and why, what stays here and why, the contract, the bytes.

The owner sees the titles of what is withheld; the worker learns only their number. Both stand in the same record.
"""

from dataclasses import replace
from typing import Final

from app.views.moments import moment
from app.views.parts import Fact, IdCopy, KindMark, Link
from app.views.wording import capital, short_digest
from app.views.work.acts import ONE_RUN, brief_again, moved_words
from app.views.work.brief import BriefPage, ContractView, SharedLine, WithheldGroup
from app.views.work.parts import Notice
from app.views.work.sight import View, branch_words, brief_words
from kernel.projections.threads import WorkAct, WorkStanding
from kernel.rules.briefing import moved_context
from kernel.rules.delegation import runs_of
from kernel.state import BriefRecord, Tables
from kernel.values.work import SharedNode
from kernel.vocabulary import Grade

NEEDS: Final[dict[str, str]] = {
    "target": "The task itself",
    "ancestor": "Where it stands",
    "goal": "The goal it serves",
    "constraint": "Must hold for the result",
    "decision": "A decision in force",
    "dependency": "What it needs first",
    "artifact": "What gets changed",
    "evidence": "What is known about it",
}
TITLES_MAX: Final = 200
"""How many titles of what is withheld one page lists."""
_GROUPS: Final = (
    ("private", "lock", "private"),
    ("out_of_scope", "minus", "not needed"),
    ("over_budget", "scale", "over the budget"),
)
_PROOF: Final[dict[Grade, str]] = {
    Grade.HOST_ORACLE: "compared on the host",
    Grade.SEALED_OBJECTS: "read from the sealed files",
}


def brief_page(view: View, record: BriefRecord, start: int | None = None) -> BriefPage:
    """Return the page of a brief of the thread; only the current one can be authorised.

    `start` is the index of the first withheld title to list; None lists the first ones, folded.
    """
    body, tables = record.body, view.state.tables
    page = BriefPage(
        shell=view.sight.shell,
        title=f"Brief: {view.thread.title}",
        places=(Link("Work", f"{view.project}/work"), Link(view.thread.title, view.here)),
        when=moment(record.origin.at),
        who=f"Compiled {view.sight.by(record.origin)},",
        shared=tuple(_shared(view, item) for item in body.shared),
        withheld=_withheld(tables, record, start or 0),
        withheld_count=len(body.omitted),
        contract=_contract(view, record),
        payload=body.payload.or_erased(),
        facts=_facts(record),
        refusal=view.sight.refusal,
        links=(Link("Back to the work", view.here, "arrow-left"),),
        is_unfolded=start is not None,
    )
    return _with_acts(view, record, _with_rest(view, record, page, start or 0))


def _with_rest(view: View, record: BriefRecord, page: BriefPage, start: int) -> BriefPage:
    """Return the page with the ways to the withheld titles before and after those it lists."""
    here = f"{view.here}/brief/{record.body.brief_id}?withheld="
    left = len(record.body.omitted) - start - TITLES_MAX
    more = earlier = None
    if left > 0:
        said = f"Show the next {min(left, TITLES_MAX)} of {left}"
        more = Link(said, f"{here}{start + TITLES_MAX}", "arrow-down")
    if start:
        earlier = Link("Show what comes before", f"{here}{max(0, start - TITLES_MAX)}", "arrow-up")
    return replace(page, earlier=earlier, more=more)


def _shared(view: View, item: SharedNode) -> SharedLine:
    node = view.state.tables.nodes[item.node_id]
    href = f"{view.project}/focus?node={node.id}"
    return SharedLine(KindMark.of(node.kind), node.title.or_erased(), href, NEEDS[item.reason])


def _withheld(tables: Tables, record: BriefRecord, start: int) -> tuple[WithheldGroup, ...]:
    """Return what is withheld by reason, with the titles from the `start`-th of all on, as many as a page lists."""
    groups, passed = [], 0
    for reason, icon, word in _GROUPS:
        ids = [item.node_id for item in record.body.omitted if item.reason == reason]
        first, end = max(0, start - passed), max(0, start + TITLES_MAX - passed)
        passed += len(ids)
        if ids:
            some = ", ".join(_titles(tables, ids[:2]))
            groups.append(WithheldGroup(icon, f"{len(ids)} {word}", some, _titles(tables, ids[first:end])))
    return tuple(groups)


def _titles(tables: Tables, ids: list[str]) -> tuple[str, ...]:
    return tuple(tables.nodes[item].title.or_erased() for item in ids)


def _contract(view: View, record: BriefRecord) -> ContractView:
    terms, words = record.body.terms, brief_words(record)
    title = view.sight.profile_words(terms.profile_id)
    proof = tuple(
        f"{words.label(item.id)}: {_PROOF[item.grade]}{'' if item.required else ', not required'}"
        for item in terms.requirements
    )
    paths = f"Change only {', '.join(terms.allowed_paths)}"
    return ContractView(
        profile=f"Profile “{title}”, version {terms.profile_version}",
        goal=words.goal,
        done_means=words.done_means,
        constraints=(*words.constraints, paths),
        may=words.allowed,
        asks_first=words.confirm,
        may_not=words.denied,
        proof=proof,
    )


def _facts(record: BriefRecord) -> tuple[Fact, ...]:
    body = record.body
    text = body.payload.text
    size = "unknown: the words were erased" if text is None else f"{len(text.encode('utf-8'))} bytes"
    return (
        Fact("Digest", "", short_digest("brief", body.payload_digest)),
        Fact("Size", size),
        Fact("Made from", f"revision {body.base_revision}"),
        Fact(f"{branch_words(body.terms.target_ref)} was", "", IdCopy.of_object(body.base_commit)),
    )


def _with_acts(view: View, record: BriefRecord, page: BriefPage) -> BriefPage:
    current = view.thread.trail.brief
    is_current = current is not None and current.body.brief_id == record.body.brief_id
    if not is_current:
        notice = Notice("info", "history", "A later brief took its place", "It stays readable as it was.")
        return replace(page, notice=notice, waits="Cannot start a run.")
    changed = len(moved_context(view.state.tables, record.body.shared))
    if view.thread.standing is WorkStanding.BRIEF_STALE or (
        changed and not runs_of(view.state, record.body.brief_id)
    ):
        notice = Notice(
            "warn",
            "clock-alert",
            f"Out of date: {changed} of the things it shares changed since",
            "Nobody can be sent with it any more. A new brief says what is true now.",
        )
        again = brief_again(view) if view.offers(WorkAct.COMPILE) else None
        return replace(page, notice=notice, primary=again, waits="Cannot start a run.")
    return _with_run(view, record, page)


def _with_run(view: View, record: BriefRecord, page: BriefPage) -> BriefPage:
    used = len(runs_of(view.state, record.body.brief_id))
    if used:
        word = "one run" if used == 1 else f"{used} runs"
        page = replace(
            page,
            notice=Notice(
                "info", "history", f"This brief was used for {word}", "It stays readable as it was."
            ),
        )
    if not view.offers(WorkAct.AUTHORIZE):
        waits = "Its run is in the thread." if used else "You may look here and not act."
        return replace(page, waits=waits)
    label = "Authorise another run" if used else "Authorise one run"
    act = view.act(WorkAct.AUTHORIZE, label, "shield-check", ONE_RUN)
    fields = (("brief_id", record.body.brief_id),)
    return replace(page, primary=replace(act, key="a", fields=fields, refused=capital(moved_words(view))))
