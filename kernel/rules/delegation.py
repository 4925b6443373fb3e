"""Rules for briefs, runs, candidates and closures."""

from datetime import datetime

from kernel.errors import (
    AuthorityError,
    InvalidError,
    LifecycleError,
    NotFoundError,
    RefusedError,
    StaleError,
)
from kernel.events.delegation import (
    BriefCompiled,
    CandidateSealed,
    ClosureStaged,
    RunAuthorized,
    RunBlocked,
    RunCancelled,
    RunFailed,
    RunLost,
    RunProgressed,
)
from kernel.events.envelope import Event
from kernel.events.source import ExchangeRequested
from kernel.ids import is_id
from kernel.rules.briefing import is_inside, moved_context, prove_brief
from kernel.rules.limits import (
    CLAIMS_MAX,
    EXCHANGE_BYTES_MAX,
    OBSERVATIONS_MAX,
    PROGRESS_BYTES_MAX,
    PROGRESS_LINES_MAX,
    REASON_BYTES_MAX,
    START_WINDOW_S_MAX,
)
from kernel.rules.registry import admits
from kernel.rules.text import require_bytes, require_code, require_moment
from kernel.state import BriefRecord, RunRecord, State
from kernel.vocabulary import ActorKind, RunStatus

ACTIVE = frozenset({RunStatus.QUEUED, RunStatus.CLAIMED, RunStatus.WORKING})
"""Statuses of a run that has not ended."""


@admits(BriefCompiled)
def brief_compiled(state: State, body: BriefCompiled, _event: Event) -> None:
    """The brief is about the head and proves itself."""
    if not is_id(body.brief_id, "brief") or body.brief_id in state.briefs:
        message = f"brief id {body.brief_id!r} is malformed or already used"
        raise InvalidError(message)
    if body.base_revision != state.revision:
        message = f"the brief is about revision {body.base_revision}, the head is {state.revision}"
        raise StaleError(message)
    require_bytes(body.payload, EXCHANGE_BYTES_MAX, "brief")
    prove_brief(state, body)


@admits(RunAuthorized)
def run_authorized(state: State, body: RunAuthorized, event: Event) -> None:
    """One run of a brief that is still true, by a runtime the profile allows, to start within minutes."""
    if not is_id(body.run_id, "run") or body.run_id in state.runs:
        message = f"run id {body.run_id!r} is malformed or already used"
        raise InvalidError(message)
    brief = brief_of(state, body.brief_id)
    require_current(state, brief)
    if body.runtime_id not in brief.body.runtime_ids:
        message = f"the profile does not allow the runtime {body.runtime_id!r}"
        raise RefusedError(message)
    if body.base_commit != brief.body.base_commit:
        message = "the target ref moved since the brief was compiled; compile a new brief"
        raise StaleError(message)
    _check_attempt(state, body)
    if not 0 < seconds_between(event.at, body.start_before) <= START_WINDOW_S_MAX:
        message = f"a run starts within {START_WINDOW_S_MAX} seconds of being authorised"
        raise InvalidError(message)
    if body.deadline_s < 1:
        message = f"a run needs time to work: a deadline of {body.deadline_s} seconds is none"
        raise InvalidError(message)
    if not body.capability.signatures:
        message = "a run needs a signed capability"
        raise InvalidError(message)


def _check_attempt(state: State, body: RunAuthorized) -> None:
    if body.base_revision != state.revision:
        message = f"the permission is about revision {body.base_revision}, the head is {state.revision}"
        raise StaleError(message)
    earlier = runs_of(state, body.brief_id)
    if body.attempt != len(earlier) + 1:
        message = f"this is attempt {len(earlier) + 1} of the brief, not {body.attempt}"
        raise LifecycleError(message)
    for run in earlier:
        if run.status in ACTIVE or run.status is RunStatus.RETURNED:
            message = f"the brief already has run {run.body.run_id}, which is {run.status.value}"
            raise LifecycleError(message)


def seconds_between(earlier: str, later: str) -> float:
    """Return the seconds from one exact moment to another; negative when the order is reversed.

    Raises: InvalidError when one is no moment or is spelled another way.
    """
    require_moment(earlier, "moment")
    require_moment(later, "moment")
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds()


def brief_of(state: State, brief_id: str) -> BriefRecord:
    """Return the brief, or refuse.

    Raises: NotFoundError.
    """
    brief = state.briefs.get(brief_id)
    if brief is None:
        message = f"there is no brief {brief_id}"
        raise NotFoundError(message)
    return brief


def require_current(state: State, brief: BriefRecord) -> None:
    """Refuse when something the brief shares has changed since.

    Raises: StaleError with how many nodes changed.
    """
    changed = moved_context(state.tables, brief.body.shared)
    if changed:
        message = f"{len(changed)} of the nodes the brief shares changed since; compile a new brief"
        raise StaleError(message)


def runs_of(state: State, brief_id: str) -> tuple[RunRecord, ...]:
    """Return the runs of a brief, in order."""
    records = (state.runs.get(item) for item in state.followed_by.get(brief_id) or ())
    return tuple(record for record in records if record is not None)


def check_claim(state: State, body: ExchangeRequested, event: Event) -> None:
    """Admit the claim of a run: still queued, in time, and nothing it rests on has moved.

    Raises: LifecycleError or StaleError. This append is the dispatch: there is at most one per run.
    """
    run = state.runs.get(body.subject_id)
    if run is None:
        message = f"there is no run {body.subject_id}"
        raise NotFoundError(message)
    if run.status is not RunStatus.QUEUED:
        message = f"run {body.subject_id} is {run.status.value} and cannot be claimed"
        raise LifecycleError(message)
    if event.at > run.body.start_before:
        message = f"the permission to start run {body.subject_id} lapsed at {run.body.start_before}"
        raise StaleError(message)
    require_current(state, brief_of(state, run.body.brief_id))


def check_validation_request(state: State, body: ExchangeRequested, _event: Event) -> None:
    """Admit the request to validate a closure that exists.

    Raises: NotFoundError.
    """
    if body.subject_id not in state.closures:
        message = f"there is no closure {body.subject_id} to validate"
        raise NotFoundError(message)


def claimed_run(state: State, run_id: str, fence: int) -> RunRecord:
    """Return the run if this fence holds it and it has not ended.

    Raises: NotFoundError or LifecycleError.
    """
    run = state.runs.get(run_id)
    if run is None:
        message = f"there is no run {run_id}"
        raise NotFoundError(message)
    if run.status not in ACTIVE or run.fence != fence:
        message = f"run {run_id} is {run.status.value} and not held by claim {fence}"
        raise LifecycleError(message)
    return run


def agent_of(run_id: str) -> str:
    """Return the id under which the agent of a run acts: nobody else's progress is its own."""
    return f"agent:{run_id}"


@admits(RunProgressed)
def run_progressed(state: State, body: RunProgressed, event: Event) -> None:
    """Only the claim's holder reports, and at most 64 lines; an agent speaks of its own run, for itself."""
    run = claimed_run(state, body.run_id, body.fence)
    if event.actor.kind is ActorKind.AGENT:
        own = event.actor.id == agent_of(body.run_id)
        if not own or body.said_by != "worker":
            message = f"{event.actor.id!r} may report of its own run only, and not in the host's name"
            raise AuthorityError(message)
    if len(run.progress) >= PROGRESS_LINES_MAX:
        message = f"a run keeps at most {PROGRESS_LINES_MAX} lines of progress"
        raise RefusedError(message)
    require_bytes(body.text, PROGRESS_BYTES_MAX, "line of progress")


@admits(RunBlocked)
def run_blocked(state: State, body: RunBlocked, _event: Event) -> None:
    """Only the claim's holder stops at a question."""
    claimed_run(state, body.run_id, body.fence)
    require_bytes(body.question, REASON_BYTES_MAX, "question")


@admits(RunCancelled)
def run_cancelled(state: State, body: RunCancelled, _event: Event) -> None:
    """A run can be withdrawn until a worker claims it."""
    run = state.runs.get(body.run_id)
    if run is None:
        message = f"there is no run {body.run_id}"
        raise NotFoundError(message)
    if run.status is not RunStatus.QUEUED:
        message = f"run {body.run_id} is {run.status.value}; only a queued run can be cancelled"
        raise LifecycleError(message)
    require_bytes(body.reason, REASON_BYTES_MAX, "reason")


@admits(RunFailed)
def run_failed(state: State, body: RunFailed, _event: Event) -> None:
    """A held run fails under its fence; a queued one only without."""
    require_code(body.code)
    require_bytes(body.detail, REASON_BYTES_MAX, "detail")
    if body.fence is not None:
        claimed_run(state, body.run_id, body.fence)
        return
    run = state.runs.get(body.run_id)
    if run is None or run.status is not RunStatus.QUEUED:
        message = f"run {body.run_id} is not queued"
        raise LifecycleError(message)


@admits(RunLost)
def run_lost(state: State, body: RunLost, _event: Event) -> None:
    """Only a claimed run can be lost."""
    claimed_run(state, body.run_id, body.fence)
    require_bytes(body.detail, REASON_BYTES_MAX, "detail")


@admits(CandidateSealed)
def candidate_sealed(state: State, body: CandidateSealed, _event: Event) -> None:
    """The candidate grows from the run's base and changes only allowed paths; the run's claim holds."""
    run = claimed_run(state, body.run_id, body.fence)
    brief = brief_of(state, run.body.brief_id).body
    facts = body.candidate
    if not is_id(body.candidate_id, "candidate") or body.candidate_id in state.candidates:
        message = f"candidate id {body.candidate_id!r} is malformed or already used"
        raise InvalidError(message)
    if any(item in state.candidates for item in state.followed_by.get(body.run_id) or ()):
        message = f"run {body.run_id} already has its sealed candidate"
        raise LifecycleError(message)
    if facts.candidate_id != body.candidate_id or facts.ref != f"refs/odeu/candidates/{body.candidate_id}":
        message = "the candidate's facts name another candidate"
        raise InvalidError(message)
    bound = (facts.repository_id, facts.target_ref, facts.base_commit)
    if bound != (brief.terms.repository_id, brief.terms.target_ref, run.body.base_commit):
        message = "the candidate was sealed for another repository, branch or base"
        raise RefusedError(message)
    outside = [entry.path for entry in facts.manifest if not is_inside(brief.terms.allowed_paths, entry.path)]
    if outside or not facts.manifest:
        message = f"the candidate changes nothing, or paths the profile does not allow: {', '.join(outside)}"
        raise RefusedError(message, code="disallowed_path")
    if not body.receipt.signatures:
        message = "a candidate needs the sealer's signed receipt"
        raise InvalidError(message)


@admits(ClosureStaged)
def closure_staged(state: State, body: ClosureStaged, _event: Event) -> None:
    """The closure ends the claimed run, with its own candidate and a durable answer."""
    run = claimed_run(state, body.run_id, body.fence)
    if not is_id(body.closure_id, "closure") or body.closure_id in state.closures:
        message = f"closure id {body.closure_id!r} is malformed or already used"
        raise InvalidError(message)
    candidate = state.candidates.get(body.candidate_id)
    if body.brief_id != run.body.brief_id or candidate is None or candidate.body.run_id != body.run_id:
        message = "the closure names another brief or another run's candidate"
        raise RefusedError(message)
    exchange = state.exchanges.get(body.exchange_id)
    if exchange is None or exchange.status != "answered" or exchange.body.subject_id != body.run_id:
        message = "the run's answer is not durable yet"
        raise LifecycleError(message)
    if len(body.claims) > CLAIMS_MAX or len(body.observations) > OBSERVATIONS_MAX:
        message = f"a closure keeps at most {CLAIMS_MAX} claims and {OBSERVATIONS_MAX} observations"
        raise InvalidError(message)
    require_bytes(body.summary, REASON_BYTES_MAX, "summary")
    for words in (*body.claims, *(item.text for item in body.observations)):
        require_bytes(words, PROGRESS_BYTES_MAX, "claim or observation")
