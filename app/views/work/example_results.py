"""The example thread from a validation to the four outcomes of a promotion."""

from dataclasses import replace

from app.views.parts import Binding, Fact, IdCopy, Link, Mark, Moment, work_mark
from app.views.work.example_parts import (
    HERE,
    LATER,
    PASSED,
    act,
    candidate,
    checks,
    families,
    reported,
    stages_at,
    thread_at,
)
from app.views.work.parts import Attestation, Change, Gate, Integration, Notice, Outcome, RefMove
from app.views.work.thread import WorkThread
from kernel.vocabulary import Phase, Verification

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


def _validated() -> WorkThread:
    page = thread_at(6, "3 of 3 passed", "Validated: 3 of 3 requirements passed")
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


def _not_validated() -> WorkThread:
    page = thread_at(6, "2 of 3 passed", "Not validated: 1 of 3 requirements failed")
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


def _integration(*, blocked: bool) -> Integration:
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


def _integrating(*, blocked: bool) -> WorkThread:
    page = thread_at(7, "blocked" if blocked else "needs your yes", "Integrate into the worldstate")
    says = "Revision 19. Your branch does not move: that is the next stage."
    accept = replace(act("Integrate", "stamp", "integrate", says), binding=Binding.example(), key="a")
    reject = replace(
        act("Reject", "x", "reject"),
        binding=Binding.example(),
        key="x",
        asks="Why not, in your words (may stay empty)",
        typed="The ceiling is missing",
    )
    if blocked:
        accept = replace(accept, refused="A gate is stale. Prepare the reconciliation again.")
    again = (act("Prepare again", "rotate-ccw", "reconcile"),) if blocked else ()
    return replace(
        page, integration=_integration(blocked=blocked), checks=None if blocked else checks(), primary=accept,
        others=(*again, reject),
    )  # fmt: skip


def move() -> RefMove:
    """Return the example move of main."""
    base, target = IdCopy("a7d3 18f0", "a7d318f0" * 5), IdCopy("c902 5e4b", "c9025e4b" * 5)
    return RefMove("Birch Lane planner", "main", base, target, "2 files, 62 lines")


def _promoting(name: str) -> WorkThread:
    verified = families(
        work_mark(Phase.COMPLETED, Verification.VERIFIED), Mark("circle-check", "Supported", "ok")
    )
    page = replace(thread_at(8, "needs you", "Move the branch"), families=verified, move=move())
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


def _outcome(name: str) -> WorkThread:
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


def result_threads() -> dict[str, WorkThread]:
    """Return the states from a validation to the outcome of a promotion."""
    return {
        "validated": _validated(),
        "not validated": _not_validated(),
        "integrate": _integrating(blocked=False),
        "integrate, stale": _integrating(blocked=True),
        "propose": _promoting("propose"),
        "proposed": _promoting("proposed"),
        "waits for operator": _promoting("authorized"),
        **{name: _outcome(name) for name in _OUTCOMES},
    }
