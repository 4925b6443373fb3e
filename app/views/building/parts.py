# ruff: noqa: RUF001 - the words are typeset
"""From the ledger to the parts of a thread that ask for a decision: choice, authority, progress, gates, the move.

Owns how these are said. What may be decided is the thread's own typed set of acts.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from app.views.building.results import contains
from app.views.moments import moment
from app.views.parts import Fact, IdCopy, Link, Mark, work_mark
from app.views.wording import capital, count, origin_words
from app.views.work.parts import (
    Act,
    Attestation,
    Authority,
    BriefChoice,
    CalloutTone,
    Change,
    Choice,
    Gate,
    Integration,
    Notice,
    Outcome,
    Progress,
    ProgressLine,
    RefMove,
)
from app.views.work.sight import Journal, View, branch_words, brief_words, commit_id, sentence
from kernel.briefs import BriefOrder, Foreseen, foresee_brief
from kernel.errors import RefusedError
from kernel.projections.shape import shape_of
from kernel.projections.threads import gates_of
from kernel.state import PromotionRecord, RunRecord
from kernel.values.records import Node
from kernel.values.work import Profile, SharedNode
from kernel.vocabulary import NodeKind, Phase, PromotionOutcome, RunStatus, Verification

POLLS_MAX: Final = 150
"""How often a page asks by itself before it leaves it to the person: five minutes at one look in two seconds."""
GATE_WORDS: Final[dict[str, str]] = {
    "worldstate": "Worldstate base",
    "lineage": "Lineage",
    "artifact": "Artifact base",
    "evidence": "Evidence",
    "policy": "Policy",
    "completion": "Completion",
}
GATE_MARKS: Final[dict[str, Mark]] = {
    "passed": Mark("circle-check", "Passed", "ok"),
    "blocked": Mark("circle-x", "Closed", "bad"),
    "stale": Mark("clock-alert", "Stale", "stale"),
}
_NEED_WORDS: Final[dict[str, tuple[str, str]]] = {
    "target": ("the task", ""),
    "ancestor": ("the place it stands in", "places it stands in"),
    "goal": ("its goal", "goals"),
    "constraint": ("1 constraint", "constraints"),
    "decision": ("1 decision in force", "decisions in force"),
    "dependency": ("1 thing it needs", "things it needs"),
    "artifact": ("the file it changes", "files it changes"),
    "evidence": ("1 piece of evidence", "pieces of evidence"),
}


def shared_words(shared: tuple[SharedNode, ...]) -> str:
    """Return what is shared, by need, such as `the task, its goal, 2 constraints`."""
    said = []
    for need, (one, many) in _NEED_WORDS.items():
        number = sum(item.reason == need for item in shared)
        if number:
            said.append(one if number == 1 else f"{number} {many}")
    return ", ".join(said)


def withheld_words(omitted: Mapping[str, int]) -> str:
    """Return how many stay here and why, such as `2 private, 23 not needed`."""
    reasons = (("private", "private"), ("out_of_scope", "not needed"), ("over_budget", "over the budget"))
    counted = [(omitted.get(reason, 0), word) for reason, word in reasons]
    return ", ".join(f"{number} {word}" for number, word in counted if number)


def choice(view: View, form_id: str) -> BriefChoice:
    """Return the choice of a profile, and what a brief under the chosen one would hold now.

    Nothing is chosen beforehand but the task's own profile, or one whose files the task stands beside: a profile that
    only happens to be the first one would be a suggestion that nobody made.
    """
    node = view.thread.node
    assert node is not None
    wished = view.sight.chosen or node.profile_id
    previews = {
        item.contract.profile_id: _preview(view, node, item.contract.profile_id)
        for item in view.sight.profiles
        if NodeKind.TASK in item.target_kinds
    }
    files = {name: _files(view, found) for name, found in previews.items()}
    chosen = wished if wished in previews else next((name for name in previews if files[name]), None)
    profiles = tuple(
        _profile_choice(item, node, chosen, files.get(item.contract.profile_id, ()))
        for item in view.sight.profiles
    )
    preview = None if chosen is None else previews[chosen]
    if preview is None:
        return BriefChoice(form_id, profiles, (), "", "")
    shared, omitted = preview.shared, preview.omitted
    return BriefChoice(
        form_id,
        profiles,
        (),
        f"{len(shared)} would be shared: {shared_words(shared)}",
        f"{sum(omitted.values())} would stay here: {withheld_words(omitted)}"
        if any(omitted.values())
        else "Nothing would stay here",
    )


def _files(view: View, preview: Foreseen | None) -> tuple[str, ...]:
    """Return the paths that a profile may change and near which the task stands."""
    shared = () if preview is None else preview.shared
    nodes = (view.state.tables.nodes[item.node_id] for item in shared if item.reason == "artifact")
    return tuple(node.artifact_path for node in nodes if node.artifact_path is not None)


def _profile_choice(profile: Profile, node: Node, chosen: str | None, files: tuple[str, ...]) -> Choice:
    contract = profile.contract
    fits = NodeKind.TASK in profile.target_kinds
    own = f"The task stands beside {listed(files)}. " if files else ""
    if contract.profile_id == node.profile_id:
        own = "It was accepted with the task. "
    hint = f"{own}Version {contract.profile_version}. May change {listed(contract.allowed_paths)}."
    return Choice(
        contract.profile_id,
        profile.title,
        hint,
        is_chosen=contract.profile_id == chosen,
        refused="" if fits else "Fits no task.",
    )


def _preview(view: View, node: Node, profile_id: str) -> Foreseen | None:
    """Return what would be compiled if the profile were already the task's; None when it does not fit."""
    profile = view.sight.profile(profile_id)
    assert profile is not None
    tables = view.state.tables
    task = node.model_copy(update={"profile_id": profile_id})
    state = replace(view.state, tables=replace(tables, nodes=tables.nodes.put(task.id, task)))
    try:
        order, shape = BriefOrder(task.id, profile, ""), shape_of(view.state)
        return foresee_brief(state, order, active=shape.total, private=shape.private)
    except RefusedError:
        return None


def listed(words: tuple[str, ...]) -> str:
    """Return words as a list in a sentence."""
    return " and ".join(words) if len(words) <= 2 else f"{', '.join(words[:-1])} and {words[-1]}"  # noqa: PLR2004


def authority(view: View, form_id: str) -> Authority:
    """Return what exactly one run of the current brief may do, until when, and what leaves this machine."""
    record = view.thread.trail.brief
    assert record is not None
    body, words = record.body, brief_words(record)
    first = view.sight.runtime(body.runtime_ids[0])
    deadline = "" if first is None else f", {span(first.deadline_s)} to work"
    runtimes = tuple(
        _runtime_choice(view, item, is_chosen=item == body.runtime_ids[0]) for item in body.runtime_ids
    )
    return Authority(
        runtime=Mark("hammer", view.sight.runtime_words(body.runtime_ids[0])),
        deadline=f"5 minutes to start{deadline}",
        leaves="Nothing leaves this machine: the worker runs here, without a network.",
        may=words.allowed,
        asks_first=words.confirm,
        may_not=words.denied,
        brief=view.brief_link(),
        shared=f"{len(body.shared)} shared with reasons",
        withheld=f"{len(body.omitted)} stay here",
        form_id=form_id,
        runtimes=runtimes if len(runtimes) > 1 else (),
    )


def _runtime_choice(view: View, runtime_id: str, *, is_chosen: bool) -> Choice:
    facts = view.sight.runtime(runtime_id)
    if facts is None:
        return Choice(runtime_id, runtime_id, "", refused="It is configured no more.")
    refused = "" if facts.available else f"Unavailable: {facts.reason}"
    return Choice(runtime_id, facts.label, f"{span(facts.deadline_s)} to work.", is_chosen, refused)


def span(seconds: int) -> str:
    """Return a length of time in words."""
    return count(seconds, "second") if seconds < 120 else count(seconds // 60, "minute")  # noqa: PLR2004 - 2 minutes


def run_progress(view: View, run: RunRecord, cancel: Act | None) -> Progress:
    """Return a run on its way; the part asks for itself a bounded number of times."""
    claimed = run.claimed is not None
    lapsed = not claimed and run.body.start_before <= view.sight.now
    late = "No worker took it in time. The next one that looks ends it; cancel it to go on at once."
    held = "A worker has taken it, so it cannot be called back; it ends by itself."
    return Progress(
        mark=_run_mark(run),
        who=view.sight.runtime_words(run.body.runtime_id),
        ends_by=moment(_ends_by(run)),
        lines=tuple(
            ProgressLine(moment(line.origin.at), f"{capital(line.said_by)}: {line.text.or_erased()}")
            for line in run.progress
        ),
        refresh=_refresh(view),
        is_polling=view.sight.polls < POLLS_MAX,
        cancel=cancel,
        cancel_refused=late if lapsed else held if claimed else "",
    )


def _ends_by(run: RunRecord) -> str:
    """Return when the worker's time ends: from its claim, or from the last moment it may be claimed."""
    begins = run.body.start_before if run.claimed is None else run.claimed.at
    ends = datetime.fromisoformat(begins) + timedelta(seconds=run.body.deadline_s)
    return ends.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _run_mark(run: RunRecord) -> Mark:
    if run.status is RunStatus.QUEUED:
        return Mark("hourglass", "Queued", "accent")
    return Mark("loader", "Running", "accent")


def _refresh(view: View) -> Link:
    return Link("Look again", f"{view.here}?poll={min(view.sight.polls + 1, POLLS_MAX)}", "rotate-ccw")


def validation_progress(view: View) -> Progress:
    """Return a validation on its way."""
    asked = view.thread.trail.asked
    assert asked is not None
    return Progress(
        mark=Mark("loader", "Being checked", "accent"),
        who="The host’s own validator",
        ends_by=None,
        lines=(ProgressLine(moment(asked.origin.at), "Host: the check was asked for"),),
        refresh=_refresh(view),
        is_polling=view.sight.polls < POLLS_MAX,
        cancel_refused="Each case has its own limit, so it ends by itself.",
    )


def integration(view: View) -> Integration:
    """Return a reconciliation as it is shown for a yes: gates as they stand now, and what would change."""
    record = view.thread.trail.reconciliation
    assert record is not None
    listed_gates = tuple(
        Gate(GATE_WORDS[gate.name], GATE_MARKS[gate.standing], f"{gate.detail}.")
        for gate in gates_of(view.state, view.thread.trail)
    )
    reasons = " ".join(words.or_erased() for words in record.body.reasons)
    doubts = " ".join(words.or_erased() for words in record.body.uncertainty)
    return Integration(
        changes=_changes(view),
        gates=listed_gates,
        rationale=reasons or "All required evidence passed on the sealed bytes.",
        uncertainty=doubts
        or "That the sealed bytes behave so in these cases; not who wrote them, and not that they are shipped.",
    )


def _changes(view: View) -> tuple[Change, ...]:
    node = view.thread.node
    assert node is not None
    mark = work_mark(node.phase, node.verification)
    after = work_mark(Phase.COMPLETED, Verification.VERIFIED)
    assert after is not None
    verified = node.verification is Verification.VERIFIED
    return (
        Change("Work", "Not stated" if mark is None else mark.word, after.word),
        Change("Knowledge", "Supported" if verified else "Draft", "Supported"),
        Change("Evidence", "nothing from this run", "1 validation, as a node under the task"),
    )


def ref_move(view: View, record: PromotionRecord | None = None) -> RefMove:
    """Return exactly what would move: from a promotion when there is one, else from the candidate."""
    candidate = view.thread.trail.candidate
    assert candidate is not None
    facts = candidate.body.candidate
    pair = (facts.base_commit, facts.commit)
    if record is not None:
        pair = (record.body.base_commit, record.body.candidate_commit)
    return RefMove(
        repository=facts.repository_id,
        ref=branch_words(facts.target_ref),
        base=IdCopy.of_object(pair[0]),
        candidate=IdCopy.of_object(pair[1]),
        contains=contains(candidate, view.sight.patch),
    )


_OUTCOME_MARKS: Final[dict[PromotionOutcome, tuple[CalloutTone, str, str]]] = {
    PromotionOutcome.PROMOTED: ("ok", "rocket", "Promoted: {ref} is the candidate"),
    PromotionOutcome.STALE: ("warn", "clock-alert", "Stale: nothing moved"),
    PromotionOutcome.FAILED: ("bad", "circle-x", "Failed: nothing moved"),
    PromotionOutcome.OUTCOME_UNKNOWN: ("unknown", "circle-help", "Outcome unknown"),
}


def outcome(view: View, record: PromotionRecord) -> Outcome:
    """Return what became of an attempt, as its receipt says, and whether the journal says the same now."""
    body = record.outcome
    assert body is not None
    assert record.ended is not None
    ref = branch_words(record.body.target_ref)
    tone, icon, title = _OUTCOME_MARKS[body.outcome]
    ways: tuple[Link, ...] = ()
    if body.outcome is PromotionOutcome.OUTCOME_UNKNOWN:
        ways = (Link("Reconcile on the operator page", "/operator", "key-round"),)
    detail = sentence(body.detail.or_erased())
    requested = record.requested or record.ended
    facts = [Fact(f"{ref} was", "", commit_id(record.body.base_commit))]
    if body.observed_after is None:
        facts.append(Fact(f"{ref} afterwards", "could not be read"))
    else:
        facts.append(Fact(f"{ref} was read as", "", commit_id(body.observed_after)))
    if body.outcome is not PromotionOutcome.PROMOTED:
        facts.append(Fact("should have become", "", commit_id(record.body.candidate_commit)))
    facts.append(Fact("By", f"operator {origin_words(requested, view.sight.names)}"))
    facts.append(Fact("Recorded", "", when=moment(record.ended.at)))
    return Outcome(
        Notice(tone, icon, title.format(ref=ref), detail, ways), tuple(facts), attestation(view, record)
    )  # fmt: skip


def attestation(view: View, record: PromotionRecord) -> Attestation:
    """Return whether the recorded outcome is what the private journal says now."""
    again = Link("Compare again", view.here, "rotate-ccw")
    now = moment(view.sight.now)
    mark, text = attested(view.sight.journal, record)
    return Attestation(mark, text, now, again)


def attested(journal: Journal | None, record: PromotionRecord) -> tuple[Mark, str]:
    """Return the verdict on a recorded outcome and the sentence that goes with it."""
    body = record.outcome
    if journal is None or journal.state is None:
        problem = "" if journal is None else f": {journal.problem}"
        return Mark("circle-help", "Not attested", "unknown"), (
            f"The journal could not be read{problem}. This is what the ledger says and nobody compared it"
        )
    if journal.state.problems:
        return Mark("circle-x", "Journal damaged", "bad"), "; ".join(journal.state.problems)
    receipt = journal.state.receipt
    if body is None or receipt is None or receipt.status_digest != body.status_digest:
        return Mark("circle-x", "Does not match", "bad"), (
            "The private journal holds another status than the ledger recorded"
        )
    return Mark("badge-check", "Attested", "ok"), (
        "Every record is signed and chained, and the last one is what the ledger recorded"
    )
