"""What a ledger remembers of briefs, runs, candidates and closures."""

from dataclasses import replace

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
from kernel.reducer.registry import evolves
from kernel.reducer.source import follow
from kernel.state import (
    BriefRecord,
    CandidateRecord,
    ClosureRecord,
    Origin,
    ProgressLine,
    RunRecord,
    State,
    changed,
)
from kernel.values.words import Words
from kernel.vocabulary import RunStatus


@evolves(BriefCompiled)
def brief_compiled(state: State, body: BriefCompiled, origin: Origin) -> State:
    """Keep the brief with its task."""
    state = changed(state, briefs=state.briefs.put(body.brief_id, BriefRecord(body, origin)))
    return follow(state, body.node_id, body.brief_id)


@evolves(RunAuthorized)
def run_authorized(state: State, body: RunAuthorized, origin: Origin) -> State:
    """Queue the run."""
    state = changed(state, runs=state.runs.put(body.run_id, RunRecord(body, origin)))
    return follow(state, body.brief_id, body.run_id)


@evolves(RunProgressed)
def run_progressed(state: State, body: RunProgressed, origin: Origin) -> State:
    """Add the line; the first one means the worker is at work."""
    run = state.runs[body.run_id]
    line = ProgressLine(body.said_by, body.text, origin)
    run = replace(run, status=RunStatus.WORKING, progress=(*run.progress, line))
    return changed(state, runs=state.runs.put(body.run_id, run))


def _end(
    state: State,
    run_id: str,
    status: RunStatus,
    origin: Origin,
    *,
    code: str | None = None,
    detail: Words | None = None,
) -> State:
    run = replace(state.runs[run_id], status=status, code=code, detail=detail, ended=origin)
    return changed(state, runs=state.runs.put(run_id, run))


@evolves(RunBlocked)
def run_blocked(state: State, body: RunBlocked, origin: Origin) -> State:
    """End the run at its question."""
    return _end(state, body.run_id, RunStatus.BLOCKED, origin, code="blocked", detail=body.question)


@evolves(RunCancelled)
def run_cancelled(state: State, body: RunCancelled, origin: Origin) -> State:
    """End the run before it began."""
    return _end(state, body.run_id, RunStatus.CANCELLED, origin, code="cancelled", detail=body.reason)


@evolves(RunFailed)
def run_failed(state: State, body: RunFailed, origin: Origin) -> State:
    """End the run without a result."""
    return _end(state, body.run_id, RunStatus.FAILED, origin, code=body.code, detail=body.detail)


@evolves(RunLost)
def run_lost(state: State, body: RunLost, origin: Origin) -> State:
    """End the run with an outcome nobody observed."""
    return _end(state, body.run_id, RunStatus.OUTCOME_UNKNOWN, origin, code="lost", detail=body.detail)


@evolves(CandidateSealed)
def candidate_sealed(state: State, body: CandidateSealed, origin: Origin) -> State:
    """Keep the sealed candidate."""
    state = changed(state, candidates=state.candidates.put(body.candidate_id, CandidateRecord(body, origin)))
    return follow(state, body.run_id, body.candidate_id)


@evolves(ClosureStaged)
def closure_staged(state: State, body: ClosureStaged, origin: Origin) -> State:
    """End the run as returned, with its claims and observations."""
    state = changed(state, closures=state.closures.put(body.closure_id, ClosureRecord(body, origin)))
    state = _end(state, body.run_id, RunStatus.RETURNED, origin, code="ok")
    return follow(state, body.run_id, body.closure_id)
