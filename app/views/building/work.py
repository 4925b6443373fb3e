"""From the ledger to the Work room: the list of threads, and one thread with its stepper and its open stage.

Owns the frame that every way of standing shares: crumbs, families, receipts of passed stages, earlier tries.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from app.views.building import endings
from app.views.building import stages as beginnings
from app.views.building.parts import span
from app.views.building.results import files_words, passed_words
from app.views.moments import moment
from app.views.parts import (
    DRAFT,
    RUNNING,
    SUGGESTED,
    SUPPORTED,
    FamilyFact,
    Link,
    Mark,
    governance_mark,
    work_mark,
)
from app.views.shell import Shell
from app.views.wording import count
from app.views.work.page import ThreadLine, WorkListPage, WorkThreadPage
from app.views.work.parts import EarlierTry
from app.views.work.sight import Sight, View, branch_words
from app.views.work.thread import Stage, WorkThread
from kernel.projections.threads import STAGE_OF, Earlier, Receipt, Thread, WorkAct, WorkStanding
from kernel.projections.worklist import THREADS_MAX, WorkList
from kernel.rules.graph import ancestors
from kernel.state import BriefRecord, State
from kernel.vocabulary import SourceKind, Verification

NAMES: Final = (
    "Captured",
    "Adopted",
    "Briefed",
    "Authorised",
    "Returned",
    "Validated",
    "Integrated",
    "Promoted",
)
"""The eight stages; stage n is at index n - 1."""
_VALIDATED: Final = 6
_AHEAD: Final = (
    "needs a place",
    "needs your yes",
    "needs a brief",
    "needs one run",
    "waits for the worker",
    "needs evidence",
    "needs your yes",
    "needs an operator",
)
_QUEUED: Final = Mark("hourglass", "Queued", "accent")
_NEEDS_YOU: Final = Mark("hand", "Needs you", "accent")
WAITS: Final[dict[WorkStanding, Mark]] = {
    WorkStanding.CAPTURED: Mark("hand", "Needs your yes", "accent"),
    WorkStanding.ADOPTED: Mark("hand", "Needs a brief", "accent"),
    WorkStanding.SAID_DONE: Mark("check", "Completed, by word"),
    WorkStanding.BRIEFED: Mark("hand", "Needs one run", "accent"),
    WorkStanding.BRIEF_STALE: Mark("clock-alert", "Brief out of date", "stale"),
    WorkStanding.QUEUED: _QUEUED,
    WorkStanding.RUNNING: RUNNING,
    WorkStanding.BLOCKED: Mark("circle-help", "Asks a question", "warn"),
    WorkStanding.FAILED: Mark("circle-x", "Run failed", "bad"),
    WorkStanding.LOST: Mark("circle-help", "Outcome unknown", "unknown"),
    WorkStanding.CANCELLED: Mark("ban", "Cancelled"),
    WorkStanding.RETURNED: Mark("hand", "Needs evidence", "accent"),
    WorkStanding.VALIDATING: Mark("loader", "Being checked", "accent"),
    WorkStanding.NOT_JUDGED: Mark("circle-help", "Not checked", "unknown"),
    WorkStanding.NOT_PROVEN: Mark("circle-x", "Not proven", "bad"),
    WorkStanding.PROVEN: _NEEDS_YOU,
    WorkStanding.GATE_CLOSED: Mark("clock-alert", "A gate is closed", "stale"),
    WorkStanding.RECONCILED: Mark("hand", "Needs your yes", "accent"),
    WorkStanding.OVERTAKEN: Mark("clock-alert", "Overtaken", "stale"),
    WorkStanding.INTEGRATED: Mark("hand", "Can be promoted", "accent"),
    WorkStanding.OUT_OF_FORCE: Mark("clock-alert", "Out of force", "stale"),
    WorkStanding.PROPOSED: Mark("hand", "Needs your yes", "accent"),
    WorkStanding.LAPSED: Mark("hourglass", "Lapsed", "warn"),
    WorkStanding.AUTHORIZED: Mark("key-round", "Needs an operator"),
    WorkStanding.MOVING: Mark("circle-help", "No outcome yet", "unknown"),
    WorkStanding.PROMOTED: Mark("rocket", "Promoted", "ok"),
    WorkStanding.STALE: Mark("clock-alert", "Stale, nothing moved", "stale"),
    WorkStanding.NOT_PROMOTED: Mark("circle-x", "Failed, nothing moved", "bad"),
    WorkStanding.UNKNOWN: Mark("circle-help", "Outcome unknown", "unknown"),
    WorkStanding.REJECTED: Mark("x", "Rejected"),
}
"""How a standing is said in a list."""
Fill = Callable[[View, WorkThread], WorkThread]
FILL: Final[dict[WorkStanding, Fill]] = {
    WorkStanding.CAPTURED: beginnings.captured,
    WorkStanding.ADOPTED: beginnings.adopted,
    WorkStanding.SAID_DONE: beginnings.said_done,
    WorkStanding.BRIEFED: beginnings.briefed,
    WorkStanding.BRIEF_STALE: beginnings.brief_stale,
    WorkStanding.QUEUED: beginnings.under_way,
    WorkStanding.RUNNING: beginnings.under_way,
    WorkStanding.BLOCKED: beginnings.blocked,
    WorkStanding.FAILED: beginnings.failed,
    WorkStanding.LOST: beginnings.lost,
    WorkStanding.CANCELLED: beginnings.cancelled,
    WorkStanding.RETURNED: endings.returned,
    WorkStanding.VALIDATING: endings.validating,
    WorkStanding.NOT_JUDGED: endings.not_judged,
    WorkStanding.NOT_PROVEN: endings.not_proven,
    WorkStanding.PROVEN: endings.proven,
    WorkStanding.GATE_CLOSED: endings.gate_closed,
    WorkStanding.RECONCILED: endings.reconciled,
    WorkStanding.OVERTAKEN: endings.reconciled,
    WorkStanding.INTEGRATED: endings.integrated,
    WorkStanding.OUT_OF_FORCE: endings.out_of_force,
    WorkStanding.PROPOSED: endings.proposed,
    WorkStanding.LAPSED: endings.proposed,
    WorkStanding.AUTHORIZED: endings.waits_for_operator,
    WorkStanding.MOVING: endings.moving,
    WorkStanding.PROMOTED: endings.ended,
    WorkStanding.STALE: endings.ended,
    WorkStanding.NOT_PROMOTED: endings.ended,
    WorkStanding.UNKNOWN: endings.ended,
}


def list_page(state: State, found: WorkList, shell: Shell) -> WorkListPage:
    """Return one page of the list of a project's threads."""
    lines = tuple(_line(state, thread) for thread in found.threads)
    summary = f"{count(found.total, 'piece of work', 'pieces of work')}"
    summary += (
        f", {found.waiting} {'waits' if found.waiting == 1 else 'wait'} for a person" if found.waiting else ""
    )
    outline = Link("Open the outline", f"/p/{state.ledger}/outline", "list-tree")
    left = found.total - found.start - len(lines)
    more = earlier = None
    if left > 0:
        following = list_href(state, found.start + THREADS_MAX)
        more = Link(f"Show the next {min(left, THREADS_MAX)} of {left}", following, "arrow-down")
    if found.start:
        before = list_href(state, max(0, found.start - THREADS_MAX))
        earlier = Link("Show what comes before", before, "arrow-up")
    if not found.total:
        summary = "From a captured task to a moved branch, in eight stages."
    return WorkListPage(shell, lines, summary, outline, earlier, more)


def list_href(state: State, start: int = 0) -> str:
    """Return the address of a page of the list."""
    return f"/p/{state.ledger}/work" + (f"?start={start}" if start else "")


def _line(state: State, thread: Thread) -> ThreadLine:
    return ThreadLine(
        title=thread.title,
        href=f"/p/{state.ledger}/work/{thread.task_id}",
        under=_under(state, thread),
        number=thread.stage,
        stage=NAMES[thread.stage - 1],
        waits=WAITS[thread.standing],
        when=moment(thread.since.at),
    )


def _under(state: State, thread: Thread) -> str:
    """Return the title of what a task belongs to."""
    parent = state.tables.parent.get(thread.task_id)
    if parent is None:
        return "Suggested, not in the worldstate yet"
    return state.tables.nodes[parent].title.or_erased()


def thread_page(state: State, thread: Thread, sight: Sight) -> WorkThreadPage:
    """Return the page of one thread as this person sees it now."""
    view = View(state, thread, sight)
    frame = WorkThread(
        shell=sight.shell,
        title=thread.title,
        places=_places(view),
        families=_families(thread),
        stages=_stages(view),
        heading="",
        meta="",
        when=None,
        refusal=sight.refusal,
        earlier=tuple(_earlier(view, item) for item in thread.earlier),
    )
    return WorkThreadPage.of(_filled(view, frame))


def _filled(view: View, page: WorkThread) -> WorkThread:
    """Return the frame with what its open stage shows; choosing another profile takes the place of that."""
    if view.sight.is_choosing and view.offers(WorkAct.COMPILE):
        page = beginnings.choosing(view, page, "Brief this task again")
        return replace(page, links=(Link("Back to the work", view.here, "arrow-left"),))
    return FILL[view.thread.standing](view, page)


def _places(view: View) -> tuple[Link, ...]:
    tables = view.state.tables
    above = ancestors(tables, view.thread.task_id)[:-1] if view.thread.node is not None else ()
    nodes = (
        Link(tables.nodes[item].title.or_erased(), f"{view.project}/focus?node={item}")
        for item in reversed(above)
    )
    return (Link("Work", f"{view.project}/work"), *nodes)


def _families(thread: Thread) -> tuple[FamilyFact, ...]:
    node = thread.node
    if node is None:
        return (FamilyFact("Governance", SUGGESTED, ""),)
    knows = SUPPORTED if node.verification is Verification.VERIFIED else DRAFT
    overlay = {WorkStanding.QUEUED: _QUEUED, WorkStanding.RUNNING: RUNNING}
    work = overlay.get(thread.standing) or work_mark(node.phase, node.verification)
    return (
        FamilyFact("Knowledge", knows, ""),
        FamilyFact("Governance", governance_mark(node.governance), ""),
        FamilyFact("Work", work, ""),
    )


def _stages(view: View) -> tuple[Stage, ...]:
    passed = {item.stage: item for item in view.thread.receipts}
    now = view.thread.stage
    stages = []
    for number, name in enumerate(NAMES, 1):
        if number == now:
            stages.append(Stage(number, name, _summary(view), is_now=True))
        elif number in passed:
            stages.append(_receipt(view, passed[number]))
        elif number < now:
            stages.append(
                Stage(number, name, "not recorded", is_done=True, text="The ledger has no record of it.")
            )
        else:
            stages.append(Stage(number, name, _AHEAD[number - 1]))
    return tuple(stages)


def _summary(view: View) -> str:
    """Return the words beside the open stage: what it holds once it is reached, else what it waits for."""
    trail, node = view.thread.trail, view.thread.node
    standing = view.thread.standing
    if standing is WorkStanding.ADOPTED and node is not None:
        return f"revision {node.created_in}"
    if standing is WorkStanding.BRIEFED and trail.brief is not None:
        return _brief_size(trail.brief)
    if standing is WorkStanding.RETURNED and trail.candidate is not None:
        return f"{files_words(trail.candidate)}, sealed"
    if STAGE_OF[standing] == _VALIDATED and trail.validation is not None:
        return passed_words(trail.validation)
    if standing is WorkStanding.INTEGRATED and trail.reconciliation is not None:
        return f"revision {trail.reconciliation.revision}"
    if standing is WorkStanding.PROMOTED and trail.promotion is not None:
        return f"{branch_words(trail.promotion.body.target_ref)} moved"
    word = WAITS[view.thread.standing].word
    return word[:1].lower() + word[1:]


def _receipt(view: View, receipt: Receipt) -> Stage:
    told = _RECEIPTS[receipt.stage](view, receipt)
    return Stage(
        number=receipt.stage,
        name=NAMES[receipt.stage - 1],
        summary=told[0],
        is_done=True,
        text=told[1],
        when=moment(receipt.origin.at),
        link=told[2],
    )


Told = tuple[str, str, Link | None]
"""The words beside a passed stage, what its receipt says when unfolded, and where to read on."""


def _told_captured(view: View, receipt: Receipt) -> Told:
    source = view.state.sources.get(receipt.record_id)
    by = view.sight.by(receipt.origin)
    focus = Link("Read the words", f"{view.project}/focus?node={view.thread.task_id}")
    if source is None:
        return by, f"Proposed {by}, without captured words.", None
    if source.body.kind is SourceKind.IMPORT:
        return "from an outline", f"Imported {by}, kept word for word.", focus
    return by, f"Captured {by}, kept word for word.", focus


def _told_adopted(view: View, receipt: Receipt) -> Told:
    node = view.thread.node
    assert node is not None
    text = f"{view.done_by(receipt.origin)} accepted it as a task under {_under(view.state, view.thread)}."
    return f"revision {node.created_in}", text, None


def _told_briefed(view: View, receipt: Receipt) -> Told:
    record = view.state.briefs[receipt.record_id]
    profile = view.sight.profile_words(record.body.terms.profile_id)
    text = f"{view.done_by(receipt.origin)} compiled it for the profile “{profile}”."
    return _brief_size(record), text, view.brief_link("Open the brief")


def _brief_size(record: BriefRecord) -> str:
    return f"{len(record.body.shared)} shared, {len(record.body.omitted)} kept"


def _told_authorised(view: View, receipt: Receipt) -> Told:
    body = view.state.runs[receipt.record_id].body
    worker = view.sight.runtime_words(body.runtime_id)
    text = f"One run by {worker}, without a network, {span(body.deadline_s)} to work. Attempt {body.attempt}."
    return view.sight.by(receipt.origin), text, None


def _told_returned(view: View, receipt: Receipt) -> Told:
    closure = view.state.closures[receipt.record_id]
    files = files_words(view.state.candidates[closure.body.candidate_id])
    return f"{files}, sealed", "The host sealed what the worker left as one commit nobody can alter.", None


def _told_validated(view: View, receipt: Receipt) -> Told:
    record = view.state.validations[receipt.record_id]
    return (
        passed_words(record),
        "Judged by the host on the sealed files, in a sandbox without a network.",
        None,
    )


def _told_integrated(view: View, receipt: Receipt) -> Told:
    record = view.state.deltas[receipt.record_id]
    text = f"{view.done_by(receipt.origin)} accepted the result with every gate open. No branch moved."
    return f"revision {record.revision}", text, None


_RECEIPTS: Final[dict[int, Callable[[View, Receipt], Told]]] = {
    1: _told_captured,
    2: _told_adopted,
    3: _told_briefed,
    4: _told_authorised,
    5: _told_returned,
    6: _told_validated,
    7: _told_integrated,
}
_EARLIER: Final = {
    "brief": "Brief",
    "run": "Run",
    "validation": "Validation",
    "reconciliation": "Reconciliation",
    "promotion": "Promotion",
}


def _earlier(view: View, item: Earlier) -> EarlierTry:
    link = None
    if item.kind == "brief":
        link = Link("Read it", f"{view.here}/brief/{item.record_id}", "file-text")
    name = f"{_EARLIER[item.kind]} {view.sight.by(item.origin)}"
    return EarlierTry(name, WAITS[item.standing], moment(item.origin.at), link)
