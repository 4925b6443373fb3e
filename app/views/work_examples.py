"""A work thread in every state it can be in: what the pattern page and the tests render.

One story throughout: a calculator for tiles on a planner page. Owns example words only.
"""

from dataclasses import replace

from app.views.parts import (
    DRAFT,
    RUNNING,
    Binding,
    Fact,
    FamilyFact,
    IdCopy,
    Link,
    Mark,
    Moment,
    Refusal,
    governance_mark,
    work_mark,
)
from app.views.shell import Shell
from app.views.work import TASK_KIND, Stage, WorkThreadPage
from app.views.work_parts import (
    Act,
    Attestation,
    Authority,
    BriefChoice,
    Candidate,
    Change,
    Check,
    Checks,
    Choice,
    Confinement,
    FileLine,
    Gate,
    Integration,
    Notice,
    Outcome,
    Progress,
    ProgressLine,
    Question,
    RefMove,
    Reported,
    Seen,
)
from kernel.vocabulary import Governance, Phase, Verification

HERE = "/p/birch-lane/work/node_01jdz8q3v4m5n6p7q8r9s0t1v2"
PASSED = Mark("circle-check", "Passed", "ok")
FAILED = Mark("circle-x", "Failed", "bad")
MORNING = Moment("today 11:20", "2026-11-30T10:20:00Z")
LATER = Moment("today 11:31", "2026-11-30T10:31:00Z")
NAMES = ("Captured", "Adopted", "Briefed", "Authorised", "Returned", "Validated", "Integrated", "Promoted")
_RECEIPTS = (
    ("by Mira", "Kept word for word from her note."),
    ("revision 13", "Accepted by Mira as a task under Bathroom."),
    ("6 shared, 25 kept", "Compiled by Jonas for the profile “Page change”."),
    ("by Jonas", "Scripted worker (no model), no network, 10 minutes."),
    ("2 files, sealed", "The candidate was sealed while the lease was held."),
    ("3 of 3 passed", "Judged on the sealed files, in a sandbox without network."),
    ("revision 19", "Accepted by Jonas with every gate passed."),
    ("by operator Mira", "main is the candidate."),
)
_WAITS = (
    "needs a place",
    "needs your yes",
    "needs a brief",
    "needs one run",
    "waits for the worker",
    "needs evidence",
    "needs your yes",
    "needs an operator",
)


def stages_at(number: int, summary: str) -> tuple[Stage, ...]:
    """Return the stepper with stage `number` open and everything before it passed."""
    lines = []
    for index, name in enumerate(NAMES):
        done, text = _RECEIPTS[index]
        if index + 1 < number:
            link = Link("Open the brief", f"{HERE}/brief/brief_1", "file-text") if index == 2 else None
            lines.append(Stage(index + 1, name, done, is_done=True, text=text, when=MORNING, link=link))
        elif index + 1 == number:
            lines.append(Stage(number, name, summary, is_now=True))
        else:
            lines.append(Stage(index + 1, name, _WAITS[index]))
    return tuple(lines)


def families(work: Mark | None, knowledge: Mark = DRAFT) -> tuple[FamilyFact, ...]:
    """Return the three families of the example task."""
    return (
        FamilyFact("Knowledge", knowledge, ""),
        FamilyFact("Governance", governance_mark(Governance.ADOPTED), ""),
        FamilyFact("Work", work, ""),
    )


def act(label: str, icon: str, name: str, says: str = "") -> Act:
    """Return an act of the example thread."""
    return Act(label, icon, f"{HERE}/{name}", f"act-{name}", Binding(command_id="command_01"), says=says)


def _page(number: int, summary: str, heading: str) -> WorkThreadPage:
    places = (Link("Work", "/p/birch-lane/work"), Link("Bathroom", "/p/birch-lane/focus?node=node_2"))
    planned = work_mark(Phase.PLANNED, Verification.UNVERIFIED)
    return WorkThreadPage(
        shell=replace(Shell.example_in("Work", HERE), title="Tile calculator on the planner page"),
        title="Tile calculator on the planner page",
        kind=TASK_KIND,
        places=places,
        families=families(planned),
        stages=stages_at(number, summary),
        heading=heading,
        meta="",
        when=None,
    )


def _choice(*, fits: bool) -> WorkThreadPage:
    page = _page(2, "revision 13", "Adopted: brief this task")
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


def _authorising() -> WorkThreadPage:
    page = _page(3, "6 shared, 25 kept", "Briefed: authorise exactly one run")
    says = "One run, once. It works in a leased copy; your branch and your worldstate stay as they are."
    return replace(
        page,
        authority=authority(),
        primary=replace(act("Authorise one run", "shield-check", "authorise", says), key="a"),
        links=(Link("Choose another profile", f"{HERE}?choose=1", "pencil"),),
    )


def _running(*, claimed: bool, polling: bool = True) -> WorkThreadPage:
    page = _page(
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


def reported() -> Reported:
    """Return claims beside observations of the example run."""
    claims = (
        "Added a calculator and linked it from the planner.",
        "All tests pass.",
        "10 % spare is the default.",
    )
    seen = (
        Seen("Files", "tiles.mjs is new. planner.html changed. Nothing else."),
        Seen("Exit", "The worker ended by itself with 0."),
        Seen("Timing", "It worked for 4.2 seconds."),
    )
    return Reported("Scripted worker (no model)", claims, seen)


def candidate() -> Candidate:
    """Return the sealed candidate of the example run."""
    files = (
        FileLine("planner.html", Mark("pencil-line", "Changed"), "14 added, 1 removed"),
        FileLine("tiles.mjs", Mark("plus", "Added"), "48 added"),
    )
    patch = (
        "--- a/planner.html\n+++ b/planner.html\n@@ -28,3 +28,4 @@\n   <main>\n+  <script type=module src=tiles.mjs>"
        "</script>\n   <h1>Planner</h1>\n"
    )
    facts = (
        Fact("Commit", "one parent, made by the host", IdCopy("c902 5e4b", "c9025e4b" * 5)),
        Fact("Starts from", "main as it was", IdCopy("a7d3 18f0", "a7d318f0" * 5)),
        Fact("Patch", "1 842 bytes", IdCopy("patch 5a5a", "sha256:" + "5a" * 32)),
        Fact("Sealed", "", when=LATER),
    )
    return Candidate("2 files changed, sealed as one commit", facts, files, patch)


def _returned() -> WorkThreadPage:
    page = _page(5, "2 files, sealed", "Returned: 2 files, not checked yet")
    says = "Runs the checks on the sealed files, in a sandbox. The worker’s words are not evidence."
    return replace(
        page,
        reported=reported(),
        candidate=candidate(),
        primary=replace(act("Validate", "scale", "validate", says), key="a"),
        when=LATER,
        meta="Sealed",
    )


def _blocked(*, kept: str = "") -> WorkThreadPage:
    page = _page(4, "asks a question", "The worker stopped and asks")
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


def _ended(name: str) -> WorkThreadPage:
    notice = _ENDINGS[name]
    page = _page(4, name, notice.title)
    waits = "This run is over. A new one needs a new authorisation."
    shown = reported() if name in ("failed", "seal refused") else None
    return replace(page, heading="Nothing came back to use", notice=notice, reported=shown, waits=waits)


def checks(*, passed: bool = True) -> Checks:
    """Return one validation of the example candidate."""
    rows = (
        Check("Boxes for a room are counted right, spare included", PASSED, "Compared on the host", "scale",
              "Strong. 24 of 24 cases, answers never left the host"),
        Check("The page loads the calculator exactly once", PASSED, "Read from the sealed files", "file-search",
              "Strong. planner.html was changed"),
        Check("Part boxes are rounded up", PASSED if passed else FAILED, "Compared on the host", "scale",
              "Strong. 8 of 8 cases" if passed else "Wrong answer in 3 of 8 cases"),
    )  # fmt: skip
    enforced, missing = Mark("check", "Enforced"), Mark("triangle-alert", "Not enforced", "warn")
    confinement = (
        Confinement("User", "a fresh one, only for this run", enforced),
        Confinement("Network", "none", enforced),
        Confinement("Memory of one process", "512 MiB", enforced),
        Confinement("Memory of all processes", "watched at 768 MiB, no kernel limit", missing),
    )
    unenforced = Notice(
        "warn",
        "triangle-alert",
        "One limit was not enforced by the kernel",
        "This machine grants no memory limit for all processes together. The host watched it instead.",
    )
    facts = (
        Fact("Judged by", "the host’s own harness", IdCopy("harness 41f0", "sha256:" + "41f0" * 16)),
        Fact("Confinement", "fresh user, all namespaces"),
        Fact("Ran", "4.2 seconds", when=LATER),
    )
    return Checks(rows, confinement, unenforced, facts)


def _validated() -> WorkThreadPage:
    page = _page(6, "3 of 3 passed", "Validated: 3 of 3 requirements passed")
    says = "Writes a proposal. Nothing changes until someone accepts it."
    return replace(
        page,
        checks=checks(),
        reported=reported(),
        candidate=candidate(),
        meta="On the sealed files,",
        when=LATER,
        primary=replace(act("Prepare the reconciliation", "clipboard-check", "reconcile", says), key="a"),
        others=(act("Validate again", "rotate-ccw", "validate"),),
    )


def _not_validated() -> WorkThreadPage:
    page = _page(6, "2 of 3 passed", "Not validated: 1 of 3 requirements failed")
    notice = Notice(
        "bad",
        "circle-x",
        "The evidence does not carry this candidate",
        "It stays sealed and goes no further. Another run can try again with the same brief.",
        (Link("Authorise another run", f"{HERE}?again=1", "shield-check"),),
    )
    return replace(
        page, notice=notice, checks=checks(passed=False), reported=reported(), waits="Cannot be reconciled.",
        others=(act("Validate again", "rotate-ccw", "validate"),),
    )  # fmt: skip


def _unavailable() -> WorkThreadPage:
    refusal = Refusal(
        "Validation is not available on this machine",
        "Bubblewrap is not installed, and without it we would have to trust the code that is being tested.",
        (Link("What is missing", "/settings", "settings"),),
    )
    return replace(_returned(), refusal=refusal)


def _integration(blocked: bool) -> Integration:
    stale = Mark("clock-alert", "Stale", "stale")
    gates = (
        Gate("Worldstate base", stale if blocked else PASSED, "Revision 18, the head." if not blocked else
             "Jonas accepted a change to this task in revision 19."),
        Gate("Lineage", PASSED, "Brief, run, candidate and validation belong together."),
        Gate("Artifact base", PASSED, "main is where the candidate started from."),
        Gate("Evidence", PASSED, "3 of 3 required, each at its grade or better."),
        Gate("Policy", PASSED, "Profile “Page change”, version 3, unchanged."),
        Gate("Candidate", PASSED, "Objects, manifest and patch read again."),
    )  # fmt: skip
    changes = (
        Change("Work", "Planned", "Completed, verified"),
        Change("Knowledge", "Draft", "Supported"),
        Change("Evidence", "none", "1 validation bound to this task"),
    )
    uncertainty = (
        "That the sealed bytes behave so in these cases; not who wrote them, and not that they are shipped."
    )
    return Integration(changes, gates, "All required evidence passed on the sealed bytes.", uncertainty)


def _integrating(*, blocked: bool) -> WorkThreadPage:
    page = _page(7, "blocked" if blocked else "needs your yes", "Integrate into the worldstate")
    says = "Revision 19. Your branch does not move: that is the next stage."
    accept = replace(act("Integrate", "stamp", "integrate", says), binding=Binding.example(), key="a")
    reject = replace(act("Reject", "x", "reject"), binding=Binding.example(), key="x")
    if blocked:
        accept = replace(accept, refused="A gate is stale. Prepare the reconciliation again.")
    again = (act("Prepare again", "rotate-ccw", "reconcile"),) if blocked else ()
    return replace(
        page, integration=_integration(blocked), checks=None if blocked else checks(), primary=accept,
        others=(*again, reject),
    )  # fmt: skip


def move() -> RefMove:
    """Return the example move of main."""
    base, target = IdCopy("a7d3 18f0", "a7d318f0" * 5), IdCopy("c902 5e4b", "c9025e4b" * 5)
    return RefMove("Birch Lane planner", "main", base, target, "2 files, 62 lines")


def _promoting(name: str) -> WorkThreadPage:
    verified = families(
        work_mark(Phase.COMPLETED, Verification.VERIFIED), Mark("circle-check", "Supported", "ok")
    )
    page = replace(_page(8, "needs you", "Move the branch"), families=verified, move=move())
    if name == "propose":
        page = replace(
            page, stages=stages_at(7, "revision 19"), heading="Integrated: the branch has not moved"
        )
        says = "Writes down exactly what would move. Nothing moves."
        return replace(page, primary=act("Propose the promotion", "rocket", "promote", says))
    if name == "proposed":
        says = "Reserves the head for this move. It still needs an operator."
        sure = replace(
            act("Authorise the promotion", "shield-check", "promote", says), binding=Binding.example()
        )
        return replace(page, heading="Proposed: authorise this one move", primary=sure)
    notice = Notice(
        "info",
        "key-round",
        "Authorised, waits for an operator",
        "The head is reserved. Only an operator with a token moves the branch.",
        (Link("Open the operator page", "/operator", "key-round"),),
    )
    return replace(page, heading="Waiting for an operator", notice=notice, waits="Nothing to do here.")


def attestation(*, holds: bool = True) -> Attestation:
    """Return a receipt compared with the journal just now."""
    again = Link("Attest again", f"{HERE}?attest=1", "rotate-ccw")
    if holds:
        text = "4 records, each signed and chained, compared with the private journal"
        return Attestation(Mark("badge-check", "Attested", "ok"), text, Moment.example(), again)
    text = "The journal could not be read, so this is what the ledger says and nobody compared it"
    return Attestation(Mark("circle-help", "Not attested", "unknown"), text, Moment.example(), again)


_OUTCOMES = {
    "promoted": Notice("ok", "rocket", "Promoted: main is the candidate", "One swap, seen afterwards by reading main itself."),
    "stale": Notice(
        "warn", "clock-alert", "Stale: nothing moved", "main was at another commit than the candidate starts from.",
        (Link("Brief this task again", f"{HERE}?choose=1", "file-text"),)),
    "promotion failed": Notice(
        "bad", "circle-x", "Failed: nothing moved", "main is checked out in a worktree, and a checked-out branch is never moved.",
        (Link("Propose again", f"{HERE}?promote=1", "rocket"),)),
    "outcome unknown": Notice(
        "unknown", "circle-help", "Outcome unknown", "The process ended between the attempt and the answer. It counts neither as promoted nor as failed.",
        (Link("Reconcile on the operator page", "/operator", "key-round"),)),
}  # fmt: skip


def _outcome(name: str) -> WorkThreadPage:
    notice = _OUTCOMES[name]
    facts = (
        Fact("main was", "", IdCopy("a7d3 18f0", "a7d318f0" * 5)),
        Fact("main became", "", IdCopy("c902 5e4b", "c9025e4b" * 5)),
        Fact("By", "operator Mira, through this page"),
        Fact("When", "", when=Moment.example()),
    )
    told = attestation(holds=name != "outcome unknown")
    page = replace(_promoting("propose"), heading="Promotion", primary=None)
    is_done = name == "promoted"
    waits = "Done. The whole way is in the ledger." if is_done else ""
    stages = stages_at(8, name) if not is_done else stages_at(8, "main moved")
    return replace(
        page,
        outcome=Outcome(notice, facts, told),
        waits=waits,
        stages=stages,
        move=None if is_done else page.move,
    )


def thread_examples() -> dict[str, WorkThreadPage]:
    """Return every state of a thread by name, in the order of the stages."""
    waiting = Notice(
        "info", "inbox", "Waits in the Inbox", "The proposal has a place and is not accepted yet.",
        (Link("Review it", "/p/birch-lane/inbox", "inbox"),))  # fmt: skip
    return {
        "captured": replace(
            _page(1, "by Mira", "Captured, not adopted yet"), notice=waiting, waits="Waits for a yes."
        ),
        "choose": _choice(fits=True),
        "nothing fits": _choice(fits=False),
        "authorise": _authorising(),
        "queued": _running(claimed=False),
        "running": _running(claimed=True),
        "running, no more polls": _running(claimed=True, polling=False),
        "returned": _returned(),
        "blocked": _blocked(),
        "blocked, refused": _blocked(kept="15 %, because of the diagonal cuts"),
        **{name: _ended(name) for name in _ENDINGS},
        "validation unavailable": _unavailable(),
        "validated": _validated(),
        "not validated": _not_validated(),
        "integrate": _integrating(blocked=False),
        "integrate, stale": _integrating(blocked=True),
        "propose": _promoting("propose"),
        "proposed": _promoting("proposed"),
        "waits for operator": _promoting("authorized"),
        **{name: _outcome(name) for name in _OUTCOMES},
    }
