"""Every refusal of the rules for briefs, runs, candidates, closures and evidence, by name."""

from typing import Any

import pytest

from kernel.commands import (
    AnswerExchange,
    AuthorizeRun,
    CancelRun,
    FailRun,
    LoseRun,
    ProposeCorrection,
    ReportProgress,
    RequestExchange,
)
from kernel.errors import InvalidError, LifecycleError, NotFoundError, RefusedError, StaleError
from kernel.values.words import Words, commit
from kernel.values.work import ManifestEntry
from kernel.vocabulary import CheckResult, Grade
from tests.support.acts import queued
from tests.support.spec import Refusal, before, next_event, refused
from tests.support.story import BASE, HOST, RUNTIME, SEALED, Story
from tests.support.whole import whole_project

INVALID = (InvalidError, "invalid")
CYCLE = (LifecycleError, "lifecycle_conflict")
MISSING = (NotFoundError, "not_found")
STALE = (StaleError, "stale")
NO = (RefusedError, "refused")
UNSIGNED = SEALED.model_copy(update={"signatures": ()})


def words(size: int) -> Words:
    """Return words of this many bytes."""
    return commit("x" * size, b"s" * 32)


def entry(path: str) -> ManifestEntry:
    """Return one modified file."""
    blob = "e" * 40
    return ManifestEntry(
        path=path, status="modified", old_mode="100644", new_mode="100644", old_blob=blob, new_blob=blob
    )


TABLE: list[tuple[str, dict[str, Any], Refusal]] = [
    ("brief.compiled.v1", {"brief_id": "b"}, (*INVALID, "brief id 'b' is malformed or already used")),
    ("brief.compiled.v1", {"base_revision": 7}, (*STALE, "the brief is about revision 7, the head is 1")),
    ("run.authorized.v1", {"run_id": "r"}, (*INVALID, "run id 'r' is malformed or already used")),
    ("run.authorized.v1", {"brief_id": "brief_x"}, (*MISSING, "there is no brief brief_x")),
    ("run.authorized.v1", {"runtime_id": "codex"}, (*NO, "the profile does not allow the runtime 'codex'")),
    (
        "run.authorized.v1",
        {"base_commit": "f" * 40},
        (*STALE, "the target ref moved since the brief was compiled; compile a new brief"),
    ),
    (
        "run.authorized.v1",
        {"base_revision": 0},
        (*STALE, "the permission is about revision 0, the head is 1"),
    ),
    ("run.authorized.v1", {"attempt": 2}, (*CYCLE, "this is attempt 1 of the brief, not 2")),
    (
        "run.authorized.v1",
        {"start_before": "2026-11-30T10:00:00.000000Z"},
        (*INVALID, "a run starts within 600 seconds of being authorised"),
    ),
    (
        "run.authorized.v1",
        {"start_before": "2026-11-30T08:00:00.000000Z"},
        (*INVALID, "a run starts within 600 seconds of being authorised"),
    ),
    (
        "run.authorized.v1",
        {"start_before": "2026-13-45T99:99:99.000000Z"},
        (
            *INVALID,
            "the moment '2026-13-45T99:99:99.000000Z' is not a moment such as 2026-11-30T09:00:00.000000Z",
        ),
    ),
    (
        "run.authorized.v1",
        {"deadline_s": 0},
        (*INVALID, "a run needs time to work: a deadline of 0 seconds is none"),
    ),
    ("run.authorized.v1", {"capability": UNSIGNED}, (*INVALID, "a run needs a signed capability")),
    ("run.progressed.v1", {"run_id": "run_x"}, (*MISSING, "there is no run run_x")),
    (
        "run.progressed.v1",
        {"text": words(2049)},
        (*INVALID, "the line of progress has 2049 bytes, at most 2048 are allowed"),
    ),
    (
        "run.blocked.v1",
        {"question": words(8193)},
        (*INVALID, "the question has 8193 bytes, at most 8192 are allowed"),
    ),
    ("run.cancelled.v1", {"run_id": "run_x"}, (*MISSING, "there is no run run_x")),
    (
        "run.cancelled.v1",
        {"reason": words(8193)},
        (*INVALID, "the reason has 8193 bytes, at most 8192 are allowed"),
    ),
    ("run.failed.v1", {"run_id": "run_x"}, (*CYCLE, "run run_x is not queued")),
    (
        "run.failed.v1",
        {"code": "oh no"},
        (*INVALID, "'oh no' is not a code: lower-case letters, digits and underscores, at most 64"),
    ),
    (
        "run.failed.v1",
        {"detail": words(8193)},
        (*INVALID, "the detail has 8193 bytes, at most 8192 are allowed"),
    ),
    (
        "run.lost.v1",
        {"detail": words(8193)},
        (*INVALID, "the detail has 8193 bytes, at most 8192 are allowed"),
    ),
    (
        "candidate.sealed.v1",
        {"candidate_id": "c"},
        (*INVALID, "candidate id 'c' is malformed or already used"),
    ),
    (
        "candidate.sealed.v1",
        {"candidate_id": "candidate_00000000000000000000000001"},
        (*INVALID, "the candidate's facts name another candidate"),
    ),
    (
        "candidate.sealed.v1",
        {"receipt": UNSIGNED},
        (*INVALID, "a candidate needs the sealer's signed receipt"),
    ),
    ("closure.staged.v1", {"closure_id": "c"}, (*INVALID, "closure id 'c' is malformed or already used")),
    (
        "closure.staged.v1",
        {"brief_id": "brief_x"},
        (*NO, "the closure names another brief or another run's candidate"),
    ),
    (
        "closure.staged.v1",
        {"candidate_id": "candidate_x"},
        (*NO, "the closure names another brief or another run's candidate"),
    ),
    ("closure.staged.v1", {"exchange_id": "exchange_x"}, (*CYCLE, "the run's answer is not durable yet")),
    (
        "closure.staged.v1",
        {"claims": (words(1),) * 65},
        (*INVALID, "a closure keeps at most 64 claims and 64 observations"),
    ),
    (
        "closure.staged.v1",
        {"summary": words(8193)},
        (*INVALID, "the summary has 8193 bytes, at most 8192 are allowed"),
    ),
    (
        "closure.staged.v1",
        {"claims": (words(2049),)},
        (*INVALID, "the claim or observation has 2049 bytes, at most 2048 are allowed"),
    ),
    (
        "validation.recorded.v1",
        {"validation_id": "v"},
        (*INVALID, "validation id 'v' is malformed or already used"),
    ),
    ("validation.recorded.v1", {"closure_id": "closure_x"}, (*MISSING, "there is no closure closure_x")),
    (
        "validation.recorded.v1",
        {"candidate_id": "candidate_x"},
        (*NO, "the validation looked at another brief or candidate"),
    ),
    (
        "validation.recorded.v1",
        {"exchange_id": "exchange_x"},
        (*CYCLE, "the validator's answer is not durable yet"),
    ),
    (
        "validation.recorded.v1",
        {"attempt": 2},
        (*CYCLE, "attempt 2 of this validation is already recorded or is another"),
    ),
    (
        "validation.recorded.v1",
        {"checks": ()},
        (*INVALID, "a validation answers each requirement of the brief once, in its order"),
    ),
    (
        "validation.recorded.v1",
        {"tier": "fairly well"},
        (*INVALID, "a machine confines code as one of uid_drop, same_uid, unavailable, not 'fairly well'"),
    ),
    (
        "validation.recorded.v1",
        {"tier": "unavailable"},
        (*INVALID, "nothing that needs a sandbox passes without one"),
    ),
    (
        "validation.recorded.v1",
        {"receipt": UNSIGNED},
        (*INVALID, "a validation needs the validator's signed receipt"),
    ),
]


@pytest.mark.parametrize(("event_type", "changes", "expected"), TABLE)
def test_an_altered_event_of_delegated_work_is_refused_by_name(
    event_type: str, changes: dict[str, Any], expected: Refusal
) -> None:
    """Each event on the way from brief to evidence is refused when one field of it is altered, and says why."""
    assert before(whole_project(), event_type).but(**changes).refusal() == expected


CHECKS: list[tuple[dict[str, Any], str]] = [
    ({"cases_passed": 4}, "requirement costs passes more cases than it has"),
    ({"cases_passed": -1}, "requirement costs passes more cases than it has"),
    ({"cases_passed": 2}, "requirement costs cannot pass with 2 of 3"),
    ({"cases_passed": 0, "cases_total": 0}, "requirement costs cannot pass with 0 of 0"),
    ({"reason": "Fine!"}, "'Fine!' is not a code: lower-case letters, digits and underscores, at most 64"),
    ({"detail": words(8193)}, "the detail has 8193 bytes, at most 8192 are allowed"),
]


@pytest.mark.parametrize(("changes", "message"), CHECKS)
def test_a_check_says_only_what_its_cases_bear(changes: dict[str, Any], message: str) -> None:
    """A requirement never passes on fewer cases than it has, on none, or on more."""
    moment = before(whole_project(), "validation.recorded.v1")
    (check,) = moment.event.body.checks  # type: ignore[attr-defined]
    assert moment.but(checks=(check.model_copy(update=changes),)).refusal() == (*INVALID, message)


def test_a_failed_validation_is_recorded_too() -> None:
    """An honest failure is admitted, whatever the machine could confine."""
    moment = before(whole_project(), "validation.recorded.v1")
    (check,) = moment.event.body.checks  # type: ignore[attr-defined]
    failed = check.model_copy(update={"result": CheckResult.UNAVAILABLE, "cases_passed": 0})
    weaker = check.model_copy(update={"grade": Grade.SEALED_OBJECTS})
    assert moment.but(checks=(failed,), tier="unavailable").refusal() is None
    assert moment.but(checks=(weaker,)).refusal() is None


PATHS: list[tuple[tuple[str, ...], str]] = [
    ((), ""),
    (("secrets.py",), "secrets.py"),
    (("cost.py", "cost.py.bak"), "cost.py.bak"),
    (("cost.py", "../cost.py"), "../cost.py"),
    (("Cost.py",), "Cost.py"),
]


@pytest.mark.parametrize(("paths", "named"), PATHS)
def test_a_candidate_changes_allowed_paths_only(paths: tuple[str, ...], named: str) -> None:
    """A path beside, above or spelled unlike the allowed one is refused, and so is a change of nothing."""
    moment = before(whole_project(), "candidate.sealed.v1")
    facts = moment.event.body.candidate  # type: ignore[attr-defined]
    facts = facts.model_copy(update={"manifest": tuple(entry(path) for path in paths)})
    message = f"the candidate changes nothing, or paths the profile does not allow: {named}"
    assert moment.but(candidate=facts).refusal() == (RefusedError, "disallowed_path", message)


@pytest.mark.parametrize("field", ["repository_id", "target_ref", "base_commit"])
def test_a_candidate_is_bound_to_its_run(field: str) -> None:
    """Sealed for another repository, branch or base, it is no candidate of this run."""
    moment = before(whole_project(), "candidate.sealed.v1")
    facts = moment.event.body.candidate.model_copy(update={field: "other"})  # type: ignore[attr-defined]
    message = "the candidate was sealed for another repository, branch or base"
    assert moment.but(candidate=facts).refusal() == (*NO, message)


def test_a_candidates_ref_is_its_own() -> None:
    """A candidate kept under another candidate's ref is refused."""
    moment = before(whole_project(), "candidate.sealed.v1")
    facts = moment.event.body.candidate  # type: ignore[attr-defined]
    facts = facts.model_copy(update={"ref": "refs/heads/main"})
    assert moment.but(candidate=facts).refusal() == (*INVALID, "the candidate's facts name another candidate")


def test_a_run_seals_one_candidate() -> None:
    """A second candidate of the same claim is refused: a result is one commit."""
    story = whole_project()
    first = before(story, "candidate.sealed.v1").event
    sealed = before(story, "closure.staged.v1")
    other = "candidate_00000000000000000000000001"
    facts = first.body.candidate.model_copy(  # type: ignore[attr-defined]
        update={"candidate_id": other, "ref": f"refs/odeu/candidates/{other}"}
    )
    body = first.body.model_copy(update={"candidate_id": other, "candidate": facts})
    told = Story(story.ledger, sealed.state, [], 900)
    run_id = first.body.run_id  # type: ignore[attr-defined]
    assert next_event(told, body, HOST).refusal() == (
        *CYCLE,
        f"run {run_id} already has its sealed candidate",
    )


def test_a_run_is_claimed_once() -> None:
    """The second worker is refused: a run is never started twice."""
    story, _, run_id = queued()
    story.claimed(run_id)
    assert refused(story, RequestExchange("run", run_id, "{}", BASE), HOST) == (
        *CYCLE,
        f"run {run_id} is claimed and cannot be claimed",
    )


def test_no_run_is_claimed_that_does_not_exist() -> None:
    """A claim names a run of this ledger."""
    assert refused(Story().opened(), RequestExchange("run", "run_x", "{}", BASE), HOST) == (
        *MISSING,
        "there is no run run_x",
    )


def test_a_lapsed_permission_starts_nothing() -> None:
    """After its moment passed, a queued run cannot be claimed any more."""
    story, _, run_id = queued()
    story.step += 301
    until = story.state.runs[run_id].body.start_before
    assert refused(story, RequestExchange("run", run_id, "{}", BASE), HOST) == (
        *STALE,
        f"the permission to start run {run_id} lapsed at {until}",
    )


def test_a_moved_branch_starts_nothing() -> None:
    """The claim is refused when the target ref was just observed elsewhere."""
    story, _, run_id = queued()
    assert refused(story, RequestExchange("run", run_id, "{}", "f" * 40), HOST) == (
        *STALE,
        f"the target ref moved away from {'a' * 12} before run {run_id} began",
    )


def test_a_changed_task_starts_nothing() -> None:
    """When something the brief shares changed, neither a new run nor the queued one begins."""
    story, brief_id, run_id = queued()
    task_id = story.state.briefs[brief_id].body.node_id
    story.after(ProposeCorrection(task_id, "Clearer", title="Work out all costs"))
    (waiting,) = story.state.open_deltas.keys()
    story.accepted(waiting)
    message = "1 of the nodes the brief shares changed since; compile a new brief"
    other = AuthorizeRun(story.stamp().id("run"), brief_id, RUNTIME, BASE, story.later(60), SEALED)
    assert refused(story, RequestExchange("run", run_id, "{}", BASE), HOST) == (*STALE, message)
    assert refused(story, other) == (*STALE, message)


def test_a_brief_has_one_live_run() -> None:
    """While a run is queued or has returned, the brief gets no other."""
    story, brief_id, run_id = queued()
    command = AuthorizeRun(story.stamp().id("run"), brief_id, RUNTIME, BASE, story.later(60), SEALED)
    first = refused(story, command)
    story.returned(run_id)
    command = AuthorizeRun(story.stamp().id("run"), brief_id, RUNTIME, BASE, story.later(60), SEALED)
    assert (first, refused(story, command)) == (
        (*CYCLE, f"the brief already has run {run_id}, which is queued"),
        (*CYCLE, f"the brief already has run {run_id}, which is returned"),
    )


def test_an_ended_run_can_be_tried_again() -> None:
    """A cancelled, failed, blocked or lost run is followed by a next attempt of a new human decision."""
    attempts = [record.body.attempt for record in whole_project().state.runs.rows()]
    statuses = {record.status.value for record in whole_project().state.runs.rows()}
    assert sorted(attempts) == [1, 1, 2, 3, 4]
    assert statuses == {"returned", "cancelled", "failed", "blocked", "outcome_unknown"}


def test_only_the_holder_of_the_claim_is_heard() -> None:
    """Another fence than the claim's own neither reports nor ends the run."""
    story, _, run_id = queued()
    _, fence = story.claimed(run_id)
    message = f"run {run_id} is claimed and not held by claim {fence + 1}"
    assert [
        refused(story, ReportProgress(run_id, fence + 1, "worker", "Hello"), HOST),
        refused(story, FailRun(run_id, fence + 1, "crashed", "It broke"), HOST),
        refused(story, LoseRun(run_id, fence + 1, "Gone"), HOST),
        refused(story, FailRun(run_id, None, "stale", "Too late"), HOST),
    ] == [
        (*CYCLE, message),
        (*CYCLE, message),
        (*CYCLE, message),
        (*CYCLE, f"run {run_id} is not queued"),
    ]


def test_a_run_keeps_64_lines_of_progress() -> None:
    """The 65th line is refused, not silently dropped by the kernel."""
    story, _, run_id = queued()
    _, fence = story.claimed(run_id)
    for number in range(64):
        story.after(ReportProgress(run_id, fence, "worker", f"Line {number}"), HOST)
    assert refused(story, ReportProgress(run_id, fence, "worker", "One more"), HOST) == (
        *NO,
        "a run keeps at most 64 lines of progress",
    )


def test_only_a_queued_run_is_cancelled() -> None:
    """After the claim, what the worker does cannot be undone by a word."""
    story, _, run_id = queued()
    story.claimed(run_id)
    assert refused(story, CancelRun(run_id)) == (
        *CYCLE,
        f"run {run_id} is claimed; only a queued run can be cancelled",
    )


def test_a_queued_run_is_not_lost() -> None:
    """What nobody claimed has a known outcome: nothing happened."""
    story, _, run_id = queued()
    assert refused(story, LoseRun(run_id, 0, "Gone"), HOST) == (
        *CYCLE,
        f"run {run_id} is queued and not held by claim 0",
    )


def test_a_run_ends_once() -> None:
    """A returned run is neither failed nor lost nor reported on afterwards."""
    story, _, run_id = queued()
    story.returned(run_id)
    fence = story.state.runs[run_id].fence
    assert fence is not None
    expected = (*CYCLE, f"run {run_id} is returned and not held by claim {fence}")
    assert [
        refused(story, ReportProgress(run_id, fence, "worker", "Wait"), HOST),
        refused(story, FailRun(run_id, fence, "crashed", "No"), HOST),
        refused(story, LoseRun(run_id, fence, "Gone"), HOST),
    ] == [expected, expected, expected]


def test_a_validation_waits_for_the_outcome_of_the_one_before() -> None:
    """Two validations of one closure are never under way together; after an outcome, another may follow."""
    story, _, run_id = queued()
    closure_id = story.returned(run_id)
    command = RequestExchange("validation", closure_id, "{}")
    (event,) = story.after(command, HOST)
    exchange_id = event.body.exchange_id  # type: ignore[attr-defined]
    assert refused(story, command, HOST) == (
        *CYCLE,
        f"attempt 1 of {closure_id} has no observed outcome yet",
    )
    story.after(AnswerExchange(exchange_id, "{}"), HOST)
    assert refused(story, command, HOST) is None


def test_no_closure_is_validated_that_does_not_exist() -> None:
    """A validation looks at a closure of this ledger."""
    assert refused(Story().opened(), RequestExchange("validation", "closure_x", "{}"), HOST) == (
        *MISSING,
        "there is no closure closure_x to validate",
    )
