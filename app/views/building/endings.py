"""What the open stage of a thread shows from a returned candidate to the outcome of a promotion."""

from dataclasses import replace

from app.views.building.parts import integration, outcome, ref_move, validation_progress
from app.views.building.results import candidate, checks, files_words, passed_words, reported
from app.views.building.stages import CAN_LEAVE, latest_run
from app.views.moments import moment
from app.views.parts import Link
from app.views.work.acts import ONLY_LOOK, brief_again, choose_again, propose_act, validate_act, why_not
from app.views.work.parts import Notice
from app.views.work.sight import View, branch_words, brief_words, sentence
from app.views.work.thread import WorkThread
from kernel.projections.threads import WorkAct, WorkStanding, gates_of
from kernel.rules.seen import delta_seen, promotion_seen
from kernel.state import PromotionRecord


def _came_back(view: View, page: WorkThread) -> WorkThread:
    trail = view.thread.trail
    assert trail.closure is not None
    assert trail.candidate is not None
    worker = view.sight.runtime_words(latest_run(view).body.runtime_id)
    return replace(
        page,
        reported=reported(trail.closure, worker),
        candidate=candidate(trail.candidate, view.sight.patch),
    )


def returned(view: View, page: WorkThread) -> WorkThread:
    """A candidate is sealed and nobody has checked it."""
    trail = view.thread.trail
    assert trail.candidate is not None
    heading = f"Returned: {files_words(trail.candidate)}, not checked yet"
    when = moment(trail.candidate.origin.at)
    page = replace(_came_back(view, page), heading=heading, meta="Sealed", when=when)
    if not view.offers(WorkAct.VALIDATE):
        return replace(page, waits=ONLY_LOOK)
    return replace(page, primary=replace(validate_act(view, "Validate"), key="a"))


def validating(view: View, page: WorkThread) -> WorkThread:
    """The sealed files are being checked."""
    page = _came_back(view, page)
    heading = "The sealed files are being checked"
    return replace(page, heading=heading, progress=validation_progress(view), waits=CAN_LEAVE)


def not_judged(view: View, page: WorkThread) -> WorkThread:
    """A validation was asked for and ended without a result."""
    asked = view.thread.trail.asked
    detail = "" if asked is None or asked.detail is None else f"{sentence(asked.detail.or_erased())} "
    notice = Notice(
        "unknown",
        "circle-help",
        "Not checked: the validation ended without a result",
        f"{detail}The candidate stays sealed; it counts neither as passed nor as failed.",
        (Link("What this machine can do", "/settings", "settings"),),
    )
    page = replace(_came_back(view, page), heading="Returned, and still not checked", notice=notice)
    if not view.offers(WorkAct.VALIDATE):
        return replace(page, waits=ONLY_LOOK)
    return replace(page, primary=validate_act(view, "Validate again"))


def _checked(view: View, page: WorkThread) -> WorkThread:
    trail = view.thread.trail
    assert trail.brief is not None
    assert trail.validation is not None
    shown = checks(trail.validation, brief_words(trail.brief))
    when = moment(trail.validation.origin.at)
    return replace(page, checks=shown, meta="On the sealed files,", when=when)


def not_proven(view: View, page: WorkThread) -> WorkThread:
    """Required evidence is not met."""
    validation = view.thread.trail.validation
    assert validation is not None
    notice = Notice(
        "bad",
        "circle-x",
        "The evidence does not carry this candidate",
        "It stays sealed and goes no further. A new brief can send another run.",
    )
    page = replace(
        _checked(view, _came_back(view, page)),
        heading=f"Not validated: {passed_words(validation)}",
        notice=notice,
        links=(view.brief_link(),),
    )
    if not view.offers(WorkAct.COMPILE):
        others = (validate_act(view, "Validate again"),) if view.offers(WorkAct.VALIDATE) else ()
        return replace(page, waits="Cannot be reconciled.", others=others)
    return replace(page, primary=brief_again(view), others=(validate_act(view, "Validate again"),))


def proven(view: View, page: WorkThread) -> WorkThread:
    """Every requirement passed; a proposal can be compiled from it."""
    trail = view.thread.trail
    assert trail.validation is not None
    assert trail.closure is not None
    page = replace(
        _checked(view, _came_back(view, page)), heading=f"Validated: {passed_words(trail.validation)}"
    )
    if not view.offers(WorkAct.RECONCILE):
        return replace(page, waits=ONLY_LOOK)
    says = "Writes a proposal. Nothing changes until someone accepts it."
    act = view.act(WorkAct.RECONCILE, "Prepare the reconciliation", "clipboard-check", says)
    fields = (
        ("closure_id", trail.closure.body.closure_id),
        ("validation_id", trail.validation.body.validation_id),
    )
    return replace(
        page, primary=replace(act, key="a", fields=fields), others=(validate_act(view, "Validate again"),)
    )


def gate_closed(view: View, page: WorkThread) -> WorkThread:
    """The evidence passed and something else keeps the result out."""
    closed = [gate.detail for gate in gates_of(view.state, view.thread.trail) if gate.standing != "passed"]
    validation = view.thread.trail.validation
    assert validation is not None
    notice = Notice(
        "warn", "clock-alert", "Proven, and cannot be integrated", f"{'. '.join(closed)}. Brief the task again.",
        (view.brief_link(),),
    )  # fmt: skip
    page = replace(
        _checked(view, _came_back(view, page)),
        heading=f"Validated: {passed_words(validation)}",
        notice=notice,
    )
    return (
        replace(page, primary=brief_again(view))
        if view.offers(WorkAct.COMPILE)
        else replace(page, waits=ONLY_LOOK)
    )


def reconciled(view: View, page: WorkThread) -> WorkThread:
    """A reconciliation waits for a human yes."""
    trail = view.thread.trail
    record = trail.reconciliation
    assert record is not None
    page = replace(
        _checked(view, page),
        heading="Integrate into the worldstate",
        integration=integration(view),
        meta="Proposed",
        when=moment(record.origin.at),
    )
    if not view.sight.can_act:
        return replace(page, waits=ONLY_LOOK)
    seen, delta = delta_seen(view.state, record), (("delta_id", record.body.delta_id),)
    says = f"Makes revision {view.state.revision + 1}. Your branch does not move: that is the next stage."
    accept = replace(
        view.act(WorkAct.INTEGRATE, "Integrate", "stamp", says, seen=seen), key="a", fields=delta
    )
    reject = replace(
        view.act(WorkAct.REJECT, "Reject", "x", seen=seen),
        fields=delta,
        key="x",
        asks="Why not, in your words (may stay empty)",
        typed=view.sight.reason,
    )
    if not view.offers(WorkAct.INTEGRATE):
        accept = replace(accept, refused=why_not(view))
    again = (brief_again(view),) if view.offers(WorkAct.COMPILE) else ()
    return replace(page, primary=accept, others=(*again, reject))


def _elsewhere(view: View) -> Notice | None:
    """Return that the branch is not where the candidate starts from, as read just now; None when it is."""
    candidate, branch = view.thread.trail.candidate, view.sight.branch
    if candidate is None or branch is None:
        return None
    facts = candidate.body.candidate
    ref = branch_words(facts.target_ref)
    if branch.commit is None:
        return Notice("unknown", "circle-help", f"{ref} cannot be read now", sentence(branch.problem))
    if branch.commit in {facts.base_commit, facts.commit}:
        return None
    text = "The move would end as stale and move nothing. A new brief starts from where the branch is now."
    return Notice("warn", "clock-alert", f"{ref} moved since the candidate was made", text)


def integrated(view: View, page: WorkThread) -> WorkThread:
    """The worldstate has the result; the branch has not moved."""
    record = view.thread.trail.reconciliation
    assert record is not None
    assert record.decided is not None
    page = replace(
        page,
        heading="Integrated, not promoted",
        notice=_elsewhere(view),
        move=ref_move(view),
        meta=f"{view.done_by(record.decided)},",
        when=moment(record.decided.at),
    )
    if not view.offers(WorkAct.PROPOSE):
        return replace(page, waits=ONLY_LOOK)
    propose = propose_act(view, "Propose the promotion")
    if page.notice is not None and view.offers(WorkAct.COMPILE):
        return replace(page, primary=brief_again(view), others=(propose,))
    return replace(page, primary=replace(propose, key="a"))


def out_of_force(view: View, page: WorkThread) -> WorkThread:
    """The task was changed after its result was integrated."""
    notice = Notice(
        "warn",
        "clock-alert",
        "Overtaken: the task was changed since",
        "What was integrated stays in the history; it can no longer be promoted.",
    )
    page = replace(page, heading="Integrated once, no longer in force", notice=notice, move=ref_move(view))
    return (
        replace(page, primary=brief_again(view))
        if view.offers(WorkAct.COMPILE)
        else replace(page, waits=ONLY_LOOK)
    )


def _promotion(view: View) -> PromotionRecord:
    record = view.thread.trail.promotion
    assert record is not None
    return record


def proposed(view: View, page: WorkThread) -> WorkThread:
    """One exact move waits for a person's authorisation, again if an earlier one lapsed."""
    record = _promotion(view)
    lapsed = view.thread.standing is WorkStanding.LAPSED
    notice = _elsewhere(view)
    if lapsed and record.authorization is not None:
        until = moment(record.authorization.reserved_until).text
        text = f"It reserved the worldstate until {until} and no operator acted. Nothing moved."
        notice = Notice("warn", "hourglass", "The authorisation lapsed", text)
    page = replace(
        page,
        heading="Lapsed: authorise this one move again" if lapsed else "Proposed: authorise this one move",
        notice=notice,
        move=ref_move(view, record),
        meta="Proposed",
        when=moment(record.origin.at),
    )
    if not view.sight.can_act:
        return replace(page, waits=ONLY_LOOK)
    says = "Reserves the worldstate for an hour for this move. It still needs an operator."
    act = view.act(
        WorkAct.AUTHORIZE_PROMOTION,
        "Authorise the promotion",
        "shield-check",
        says,
        seen=promotion_seen(record),
    )
    act = replace(act, key="a", fields=(("promotion_id", record.body.promotion_id),))
    if not view.offers(WorkAct.AUTHORIZE_PROMOTION):
        act = replace(act, refused=why_not(view))
    return replace(page, primary=act)


def waits_for_operator(view: View, page: WorkThread) -> WorkThread:
    """Authorised; only an operator moves the branch."""
    record = _promotion(view)
    until = "" if record.authorization is None else moment(record.authorization.reserved_until).text
    notice = Notice(
        "info",
        "key-round",
        "Authorised, waits for an operator",
        f"The worldstate is reserved until {until}. Only an operator with a token moves the branch.",
        (Link("Open the operator page", "/operator", "key-round"),),
    )
    heading, waits = "Waiting for an operator", "Nothing to do here."
    return replace(page, heading=heading, notice=notice, move=ref_move(view, record), waits=waits)


def moving(view: View, page: WorkThread) -> WorkThread:
    """An operator asked for the move and nobody has recorded an outcome."""
    record = _promotion(view)
    notice = Notice(
        "unknown",
        "circle-help",
        "Under way: no outcome is recorded",
        "An operator asked for the move. Either it is happening now, or its process ended before it could say. It "
        "counts neither as promoted nor as failed.",
        (Link("Look at it on the operator page", "/operator", "key-round"),),
    )
    return replace(
        page, heading="Waiting for the outcome", notice=notice, move=ref_move(view, record), waits="Waits for an outcome."
    )  # fmt: skip


def ended(view: View, page: WorkThread) -> WorkThread:
    """A promotion has an outcome; the page compares it with the journal before it says so."""
    record = _promotion(view)
    standing = view.thread.standing
    is_done = standing is WorkStanding.PROMOTED
    page = replace(
        page,
        heading="Promotion",
        outcome=outcome(view, record),
    )
    if is_done:
        links = choose_again(view, "Brief this task again")
        return replace(page, waits="Done. The whole way is in the ledger.", links=links)
    if standing is WorkStanding.UNKNOWN:
        return replace(page, waits="Waits for an operator to record what is seen.")
    acts = {
        WorkAct.COMPILE: brief_again(view),
        WorkAct.PROPOSE: propose_act(view, "Propose it again"),
    }
    order = (WorkAct.COMPILE, WorkAct.PROPOSE)
    if standing is WorkStanding.NOT_PROMOTED:
        order = (WorkAct.PROPOSE, WorkAct.COMPILE)
    offered = [acts[item] for item in order if view.offers(item)]
    if not offered:
        return replace(page, waits=ONLY_LOOK)
    return replace(page, primary=offered[0], others=tuple(offered[1:]))
