# ruff: noqa: RUF001 - the words are typeset
"""What the open stage of a thread shows up to the end of a run: heading, parts, acts, ways out.

Each function takes the frame of the thread and returns it filled. Acts come from the thread's own typed set; an act
that is not in it is not on the page, or stands there with its reason.
"""

from dataclasses import replace
from typing import Final

from app.views.building.parts import authority, choice, run_progress
from app.views.moments import moment
from app.views.parts import Link
from app.views.wording import capital
from app.views.work.acts import (
    ONE_RUN,
    ONLY_LOOK,
    brief_again,
    brief_field,
    choose_again,
    compile_act,
    moved_words,
)
from app.views.work.parts import Notice, Question
from app.views.work.sight import View, sentence
from app.views.work.thread import WorkThread
from kernel.projections.threads import WorkAct
from kernel.state import RunRecord

CAN_LEAVE: Final = "You can leave this page; the work goes on and is found here again."


def captured(view: View, page: WorkThread) -> WorkThread:
    """A proposal waits in the Inbox."""
    proposal = view.thread.proposal
    assert proposal is not None
    review = Link("Review it", f"{view.project}/inbox/{proposal.body.delta_id}", "inbox")
    notice = Notice(
        "info", "inbox", "Waits in the Inbox", "It has a suggested place and nobody has accepted it yet.", (review,)
    )  # fmt: skip
    return replace(page, heading="Captured, not adopted yet", notice=notice, waits="Waits for a yes.")


def adopted(view: View, page: WorkThread) -> WorkThread:
    """The task can be briefed, or the page says why not."""
    if view.thread.is_private:
        notice = Notice(
            "info",
            "lock",
            "Private: stays on this machine",
            "No brief can be made of a private task, so nobody can be sent to do it. Its owner can do it and say so.",
            (Link("Open it in Focus", f"{view.project}/focus?node={view.thread.task_id}", "target"),),
        )
        return replace(page, heading="Adopted, kept private", notice=notice, waits="Stays with you.")
    if not view.offers(WorkAct.COMPILE):
        return replace(page, heading="Adopted: not briefed yet", waits=ONLY_LOOK)
    return choosing(view, page, "Adopted: brief this task")


def choosing(view: View, page: WorkThread, heading: str) -> WorkThread:
    """Return the choice of a profile and the act that compiles a brief under it."""
    act = compile_act(view)
    choices = choice(view, act.form_id)
    if all(item.refused for item in choices.profiles):
        notice = Notice(
            "warn",
            "triangle-alert",
            "No profile fits a task here",
            "A profile says which repository, which worker and which proof. Settings shows what is configured "
            "and every problem with it.",
            (Link("Open Settings", "/settings", "settings"),),
        )
        return replace(page, heading=heading, notice=notice, waits="Waits for a profile that fits.")
    if not any(item.is_chosen for item in choices.profiles):
        page = replace(page, notice=_unsure(view))
    says = act.says
    node = view.thread.node
    if node is not None and node.profile_id is not None and len(choices.profiles) > 1:
        says = f"{says} Another profile than the task’s own is first recorded on it as a revision."
    return replace(page, heading=heading, choice=choices, primary=replace(act, says=says, key="a"))


def _unsure(view: View) -> Notice:
    """Say that no profile is known to be meant for this task, and what else can be done with it."""
    return Notice(
        "info",
        "circle-help",
        "Nothing says yet that a worker can do this",
        "A profile lets a worker change files of a repository, and this task stands beside none of them. Choose one "
        "if these files are what it is about. If not, do it yourself and say so: nothing has to be briefed.",
        (Link("Open it in Focus", f"{view.project}/focus?node={view.thread.task_id}", "target"),),
    )


def said_done(view: View, page: WorkThread) -> WorkThread:
    """Somebody said it is done; nothing has been shown."""
    node = view.thread.node
    who = (
        "Somebody"
        if node is None or node.said_by is None
        else view.sight.names.get(node.said_by, node.said_by)
    )
    notice = Notice("info", "check", f"Completed, said by {who}", "Nothing was briefed, run or checked.")
    page = replace(page, notice=notice, waits="Nothing waits here.")
    if view.sight.is_choosing:
        return choosing(view, page, "Brief it all the same")
    return replace(
        page, heading="Completed by a person’s word", links=choose_again(view, "Brief it all the same")
    )


def briefed(view: View, page: WorkThread) -> WorkThread:
    """A brief waits for the authorisation of exactly one run."""
    act = view.act(WorkAct.AUTHORIZE, "Authorise one run", "shield-check", ONE_RUN)
    act = replace(act, key="a", fields=brief_field(view), refused=moved_words(view))
    brief = view.thread.trail.brief
    assert brief is not None
    page = replace(
        page,
        heading="Briefed: authorise exactly one run",
        meta=f"{capital(view.sight.by(brief.origin))},",
        when=moment(brief.origin.at),
        authority=authority(view, act.form_id),
        links=choose_again(view),
    )
    if not view.offers(WorkAct.AUTHORIZE):
        return replace(page, waits=ONLY_LOOK)
    others = (brief_again(view),) if act.refused else ()
    return replace(page, primary=act, others=others)


def brief_stale(view: View, page: WorkThread) -> WorkThread:
    """What the brief shares changed since."""
    notice = Notice(
        "warn",
        "clock-alert",
        "Out of date: what the brief shares changed since",
        "Nobody can be sent with it any more. A new brief says what is true now.",
        (view.brief_link("Read the old brief"),),
    )
    page = replace(page, heading="Briefed, and overtaken", notice=notice, links=choose_again(view))
    if not view.offers(WorkAct.COMPILE):
        return replace(page, waits=ONLY_LOOK)
    return replace(page, primary=replace(brief_again(view), key="a"))


def under_way(view: View, page: WorkThread) -> WorkThread:
    """A run is queued or at work."""
    run = view.thread.trail.run
    assert run is not None
    cancel = None
    if view.offers(WorkAct.CANCEL):
        cancel = replace(
            view.act(WorkAct.CANCEL, "Cancel the run", "x"), fields=(("run_id", run.body.run_id),)
        )
    heading = "Waiting for a worker" if run.claimed is None else "A worker has the brief"
    return replace(page, heading=heading, progress=run_progress(view, run, cancel), waits=CAN_LEAVE)


def blocked(view: View, page: WorkThread) -> WorkThread:
    """The worker stopped at a question."""
    run = latest_run(view)
    assert run.ended is not None
    text = "" if run.detail is None else run.detail.or_erased()
    how = (
        "Nothing came back and nothing moved. Capture the answer, accept it where it belongs, then brief the task "
        "again: the new brief carries it."
    )
    ways = (Link("Capture the answer", f"{view.project}/capture", "pen-line"),) if view.sight.can_act else ()
    question = Question(text, moment(run.ended.at), "", how=how, ways=ways)
    page = replace(page, heading="The worker stopped and asks", question=question)
    return _retry(view, page, primary_is_brief=True)


def latest_run(view: View) -> RunRecord:
    """Return the current run."""
    run = view.thread.trail.run
    assert run is not None
    return run


def _retry(view: View, page: WorkThread, *, primary_is_brief: bool = False) -> WorkThread:
    """Offer another run of the same brief, and a new brief; never both as the primary act."""
    again = replace(
        view.act(WorkAct.AUTHORIZE, "Authorise another run", "shield-check", ONE_RUN),
        fields=brief_field(view),
        refused=moved_words(view),
    )
    can_brief, can_run = view.offers(WorkAct.COMPILE), view.offers(WorkAct.AUTHORIZE)
    if can_run and not again.refused and not primary_is_brief:
        others = (brief_again(view),) if can_brief else ()
        shown = authority(view, again.form_id)
        return replace(page, primary=again, others=others, authority=shown, links=(view.brief_link(),))
    if can_brief:
        others = (replace(again, says=""),) if can_run and not again.refused else ()
        anew = brief_again(view)
        if again.refused:
            anew = replace(anew, says=f"{again.refused.removesuffix(' Brief the task again.')} {anew.says}")
        return replace(page, primary=anew, others=others, links=(view.brief_link(),))
    return replace(page, waits=ONLY_LOOK, links=(view.brief_link(),))


_FAILURES: Final[dict[str, str]] = {
    "timed_out": "The run failed: it ran out of time",
    "crashed": "The run failed: the worker crashed",
    "bad_report": "The run failed: the worker’s report cannot be read",
    "unavailable": "The run could not begin: its worker is not available",
    "stale": "The run could not begin: what it rests on moved",
    "capability": "The run could not begin: its permission does not hold",
    "runtime_changed": "The run could not begin: its program was changed",
    "disallowed_path": "Not sealed: the worker changed a file it may not change",
    "no_change": "Not sealed: the worker changed nothing",
    "sandbox_unavailable": "The run could not begin: there is no sandbox",
}


def failed(view: View, page: WorkThread) -> WorkThread:
    """The run ended without a result."""
    run = latest_run(view)
    detail = "" if run.detail is None else f"{sentence(run.detail.or_erased())} "
    title = _FAILURES.get(run.code or "", "The run failed")
    detail = "" if detail.rstrip(". ").lower() in title.lower() else detail
    text = f"{detail}Nothing was kept for use and nothing moved."
    page = replace(page, heading="Nothing came back to use", notice=Notice("bad", "circle-x", title, text))
    return _retry(view, _ended(page, run))


def _ended(page: WorkThread, run: RunRecord) -> WorkThread:
    return page if run.ended is None else replace(page, meta="Ended", when=moment(run.ended.at))


def lost(view: View, page: WorkThread) -> WorkThread:
    """The worker's process is gone, and nobody knows what it did."""
    text = (
        "It had taken the run and never answered. It counts neither as done nor as failed, and is not sent "
        "again by itself."
    )
    notice = Notice("unknown", "circle-help", "Outcome unknown: the worker’s process is gone", text)
    page = replace(page, heading="Nothing came back to use", notice=notice)
    return _retry(view, _ended(page, latest_run(view)))


def cancelled(view: View, page: WorkThread) -> WorkThread:
    """A person withdrew the run."""
    run = latest_run(view)
    who = "" if run.ended is None else f" {view.sight.by(run.ended)}"
    reason = "" if run.detail is None else f" The reason given: “{run.detail.or_erased()}”."
    text = f"No worker had taken it, so nothing happened.{reason}"
    page = replace(
        page, heading="The run was withdrawn", notice=Notice("info", "ban", f"Cancelled{who}", text)
    )
    return _retry(view, _ended(page, run))
