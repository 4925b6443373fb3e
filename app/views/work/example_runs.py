# ruff: noqa: RUF001 - the words of the examples are typeset
"""The example thread from its capture to a returned candidate, and every way a run can end without one."""

from dataclasses import replace

from app.views.parts import RUNNING, Link, Mark, Moment, Refusal
from app.views.work.example_parts import (
    HERE,
    LATER,
    MORNING,
    act,
    candidate,
    families,
    reported,
    thread_at,
)
from app.views.work.parts import (
    Authority,
    BriefChoice,
    Choice,
    EarlierTry,
    Notice,
    Progress,
    ProgressLine,
    Question,
)
from app.views.work.thread import WorkThread

_ENDINGS = {
    "failed": Notice(
        "bad",
        "circle-x",
        "The run failed: it ran out of time",
        "The worker was ended after 2 minutes. Nothing it wrote was kept and nothing moved.",
        (Link("Authorise another run", f"{HERE}?again=1", "shield-check"),),
    ),
    "lost": Notice(
        "unknown",
        "circle-help",
        "Outcome unknown: the worker’s process is gone",
        "It had taken the run and never answered. It counts neither as done nor as failed, and is not sent again by itself.",
        (Link("Authorise another run", f"{HERE}?again=1", "shield-check"),),
    ),
    "cancelled": Notice(
        "info",
        "ban",
        "Cancelled by Jonas",
        "No worker had taken it, so nothing happened.",
        (Link("Authorise another run", f"{HERE}?again=1", "shield-check"),),
    ),
    "seal refused": Notice(
        "bad",
        "circle-x",
        "Not sealed: the worker changed a file it may not change",
        "package.json is outside the allowed paths. No candidate exists.",
        (Link("Read the brief", f"{HERE}/brief/brief_1", "file-text"),),
    ),
}


def _choice(*, fits: bool) -> WorkThread:
    page = thread_at(2, "revision 13", "Adopted: brief this task")
    profiles = (
        Choice(
            "page-change", "Page change", "Version 3. Changes planner.html and tiles.mjs.", is_chosen=fits
        ),
        Choice("docs", "Documents", "", refused="Fits Artifacts, and this is a Task."),
    )
    runtimes = (
        Choice(
            "scripted", "Scripted worker (no model)", "Live, on this machine, no network.", is_chosen=True
        ),
        Choice("other", "Second worker", "", refused="Unavailable: its program is not installed."),
    )
    compile_act = act(
        "Compile the brief", "file-text", "brief", "Writes down what a worker would see. No run starts."
    )
    choice = BriefChoice(
        compile_act.form_id,
        profiles,
        runtimes,
        "6 would be shared: the task, its goal, 2 constraints, 1 decision in force, the file it changes",
        "25 would stay here: 2 private, 23 not needed",
    )
    if fits:
        return replace(page, choice=choice, primary=replace(compile_act, key="a"))
    notice = Notice(
        "warn",
        "triangle-alert",
        "No profile fits this task yet",
        "A profile needs to know what the task changes: relate it to an Artifact with “implements”.",
        (Link("Add the relation", "/p/birch-lane/focus?node=node_3", "plus"),),
    )
    return replace(page, notice=notice, waits="Waits for a profile that fits.")


def authority() -> Authority:
    """Return what the example run may do."""
    return Authority(
        runtime=Mark("hammer", "Scripted worker (no model)"),
        deadline="10 minutes to start, 2 minutes to work",
        leaves="Nothing leaves this machine: the worker runs here without a network.",
        may=("Read the leased copy", "Change planner.html and tiles.mjs", "Run the tests"),
        asks_first=("Add a dependency",),
        may_not=("Use the network", "Touch other files", "Accept its own work"),
        brief=Link("Read the exact brief", f"{HERE}/brief/brief_1", "file-text"),
        shared="6 shared with reasons",
        withheld="25 stay here",
    )


def _authorising() -> WorkThread:
    page = thread_at(3, "6 shared, 25 kept", "Briefed: authorise exactly one run")
    says = "One run, once. It works in a leased copy; your branch and your worldstate stay as they are."
    return replace(
        page,
        authority=authority(),
        primary=replace(act("Authorise one run", "shield-check", "authorise", says), key="a"),
        links=(Link("Choose another profile", f"{HERE}?choose=1", "pencil"),),
    )


def _two_runtimes() -> WorkThread:
    page = _authorising()
    assert page.primary is not None
    choices = (
        Choice("scripted", "Scripted worker (no model)", "2 minutes to work.", is_chosen=True),
        Choice("other", "Second worker", "", refused="Unavailable: its program is not installed."),
    )
    chosen = replace(authority(), form_id=page.primary.form_id, runtimes=choices)
    return replace(page, authority=chosen)


def _validating() -> WorkThread:
    page = _running(claimed=False)
    assert page.progress is not None
    progress = replace(page.progress, ends_by=None, cancel=None, mark=Mark("loader", "Checking", "accent"))
    checked = thread_at(5, "being checked", "The sealed files are being checked")
    return replace(checked, progress=progress, waits=page.waits)


def _running(*, claimed: bool, polling: bool = True) -> WorkThread:
    page = thread_at(
        4, "running" if claimed else "queued", "A worker has the brief" if claimed else "Waiting for a worker"
    )
    lines = (
        ProgressLine(MORNING, "Started in a leased copy of 4 files."),
        ProgressLine(Moment("today 11:21", "2026-11-30T10:21:10Z"), "Wrote tiles.mjs."),
    )
    progress = Progress(
        mark=RUNNING if claimed else Mark("hourglass", "Queued", "accent"),
        who="Scripted worker (no model)",
        ends_by=Moment("today 11:30", "2026-11-30T10:30:00Z"),
        lines=lines if claimed else (),
        refresh=Link("Look again", f"{HERE}?poll=2", "rotate-ccw"),
        is_polling=polling,
        cancel=None if claimed else act("Cancel the run", "x", "cancel", "The worker has not taken it yet."),
        cancel_refused="A worker has taken it, so it cannot be called back; it ends by itself."
        if claimed
        else "",
    )
    waits = "You can leave this page; the run goes on and is found here again."
    return replace(page, progress=progress, waits=waits, families=families(RUNNING))


def _returned() -> WorkThread:
    page = thread_at(5, "2 files, sealed", "Returned: 2 files, not checked yet")
    says = "Runs the checks on the sealed files, in a sandbox. The worker’s words are not evidence."
    return replace(
        page,
        reported=reported(),
        candidate=candidate(),
        primary=replace(act("Validate", "scale", "validate", says), key="a"),
        when=LATER,
        meta="Sealed",
    )


def _blocked(*, kept: str = "") -> WorkThread:
    page = thread_at(4, "asks a question", "The worker stopped and asks")
    resume = act(
        "Answer and authorise one run",
        "shield-check",
        "authorise",
        "A new run, with your answer in its brief.",
    )
    question = Question("Should the spare be 10 % or 15 %?", LATER, resume.form_id, kept)
    refusal = None
    if kept:
        refusal = Refusal(
            "Not authorised: main moved",
            "The branch is one commit further than the brief says. What you typed is kept.",
            (Link("Compile a new brief", f"{HERE}?choose=1", "file-text"),),
        )
        question = replace(question, error="")
    blocked = Mark("octagon-pause", "Blocked", "warn")
    return replace(
        page,
        question=question,
        refusal=refusal,
        reported=reported(),
        primary=resume,
        families=families(blocked),
    )


def _asks_elsewhere() -> WorkThread:
    page = _blocked()
    capture = Link("Capture the answer", "/p/birch-lane/capture", "pen-line")
    how = "Capture the answer, accept it where it belongs, then brief the task again."
    question = Question("Which file holds the choice of tins?", LATER, "", how=how, ways=(capture,))
    earlier = EarlierTry("Run", Mark("circle-x", "Failed", "bad"), MORNING)
    brief = Link("Read it", f"{HERE}/brief/brief_1", "file-text")
    older = EarlierTry("Brief", Mark("circle-x", "Not proven", "bad"), MORNING, brief)
    return replace(page, question=question, earlier=(earlier, older))


def _ended(name: str) -> WorkThread:
    notice = _ENDINGS[name]
    page = thread_at(4, name, notice.title)
    waits = "This run is over. A new one needs a new authorisation."
    shown = reported() if name in ("failed", "seal refused") else None
    return replace(page, heading="Nothing came back to use", notice=notice, reported=shown, waits=waits)


def _unavailable() -> WorkThread:
    refusal = Refusal(
        "Validation is not available on this machine",
        "Bubblewrap is not installed, and without it we would have to trust the code that is being tested.",
        (Link("What is missing", "/settings", "settings"),),
    )
    return replace(_returned(), refusal=refusal)


def run_threads() -> dict[str, WorkThread]:
    """Return the states up to a candidate, or to the end of a run without one."""
    waiting = Notice(
        "info", "inbox", "Waits in the Inbox", "The proposal has a place and is not accepted yet.",
        (Link("Review it", "/p/birch-lane/inbox", "inbox"),))  # fmt: skip
    return {
        "captured": replace(
            thread_at(1, "by Mira", "Captured, not adopted yet"), notice=waiting, waits="Waits for a yes."
        ),
        "choose": _choice(fits=True),
        "nothing fits": _choice(fits=False),
        "authorise": _authorising(),
        "queued": _running(claimed=False),
        "running": _running(claimed=True),
        "running, no more polls": _running(claimed=True, polling=False),
        "returned": _returned(),
        "blocked": _blocked(),
        "asks, answered elsewhere": _asks_elsewhere(),
        "authorise, two runtimes": _two_runtimes(),
        "validating": _validating(),
        "blocked, refused": _blocked(kept="15 %, because of the diagonal cuts"),
        **{name: _ended(name) for name in _ENDINGS},
        "validation unavailable": _unavailable(),
    }
