# ruff: noqa: RUF001 - the words of the examples are typeset
"""The example thread and what its states have in common: a calculator for tiles on a planner page."""

from dataclasses import replace

from app.views.parts import (
    DRAFT,
    Binding,
    Fact,
    FamilyFact,
    IdCopy,
    Link,
    Mark,
    Moment,
    governance_mark,
    work_mark,
)
from app.views.shell import Shell
from app.views.work.parts import Act, Candidate, Check, Checks, Confinement, FileLine, Notice, Reported, Seen
from app.views.work.thread import Stage, WorkThread
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
            link = Link("Open the brief", f"{HERE}/brief/brief_1", "file-text") if name == "Briefed" else None
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


def thread_at(number: int, summary: str, heading: str) -> WorkThread:
    """Return the example thread with stage `number` open and nothing in it yet."""
    places = (Link("Work", "/p/birch-lane/work"), Link("Bathroom", "/p/birch-lane/focus?node=node_2"))
    planned = work_mark(Phase.PLANNED, Verification.UNVERIFIED)
    return WorkThread(
        shell=replace(Shell.example_in("Work", HERE), title="Tile calculator on the planner page"),
        title="Tile calculator on the planner page",
        places=places,
        families=families(planned),
        stages=stages_at(number, summary),
        heading=heading,
        meta="",
        when=None,
    )


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
