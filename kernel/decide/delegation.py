"""Decisions about briefs, runs and what they return."""

from kernel.canonical import digest
from kernel.commands import (
    AuthorizeRun,
    BlockRun,
    CancelRun,
    CompileBrief,
    FailRun,
    LoseRun,
    ReportProgress,
    StageClosure,
)
from kernel.decide.drafts import SYSTEM, Draft
from kernel.events.delegation import (
    BriefCompiled,
    CandidateSealed,
    ClosureStaged,
    ObservedFact,
    RunAuthorized,
    RunBlocked,
    RunCancelled,
    RunFailed,
    RunLost,
    RunProgressed,
)
from kernel.rules.briefing import PAYLOAD_DOMAIN
from kernel.rules.delegation import brief_of, runs_of
from kernel.state import State
from kernel.values.stamp import Stamp


def compile_brief(state: State, command: CompileBrief, stamp: Stamp) -> tuple[Draft, ...]:
    """Record the compiled brief."""
    body = BriefCompiled(
        brief_id=stamp.id("brief"),
        node_id=command.node_id,
        base_revision=state.revision,
        base_commit=command.base_commit,
        terms=command.terms,
        runtime_ids=command.runtime_ids,
        shared=command.shared,
        relations=command.relations,
        omitted=command.omitted,
        payload=stamp.words(command.payload, "payload"),
        payload_digest=digest(PAYLOAD_DOMAIN, command.payload.encode("utf-8")),
    )
    return (Draft(body),)


def authorize_run(state: State, command: AuthorizeRun, _stamp: Stamp) -> tuple[Draft, ...]:
    """Allow the run.

    Raises: NotFoundError when there is no such brief.
    """
    brief_of(state, command.brief_id)
    body = RunAuthorized(
        run_id=command.run_id,
        brief_id=command.brief_id,
        attempt=len(runs_of(state, command.brief_id)) + 1,
        runtime_id=command.runtime.id,
        runtime_kind=command.runtime.kind,
        runtime_digest=command.runtime.digest,
        base_revision=state.revision,
        base_commit=command.base_commit,
        deadline_s=command.runtime.deadline_s,
        start_before=command.start_before,
        capability=command.capability,
    )
    return (Draft(body),)


def report_progress(_state: State, command: ReportProgress, stamp: Stamp) -> tuple[Draft, ...]:
    """Add the line."""
    body = RunProgressed(
        run_id=command.run_id,
        fence=command.fence,
        said_by=command.said_by,
        text=stamp.words(command.text, "text"),
    )
    return (Draft(body, SYSTEM),)


def block_run(_state: State, command: BlockRun, stamp: Stamp) -> tuple[Draft, ...]:
    """End the run at its question."""
    question = stamp.words(command.question, "question")
    return (Draft(RunBlocked(run_id=command.run_id, fence=command.fence, question=question), SYSTEM),)


def cancel_run(_state: State, command: CancelRun, stamp: Stamp) -> tuple[Draft, ...]:
    """Withdraw the run."""
    reason = None if command.reason is None else stamp.words(command.reason, "reason")
    return (Draft(RunCancelled(run_id=command.run_id, reason=reason)),)


def fail_run(_state: State, command: FailRun, stamp: Stamp) -> tuple[Draft, ...]:
    """End the run without a result."""
    body = RunFailed(
        run_id=command.run_id,
        fence=command.fence,
        code=command.code,
        detail=stamp.words(command.detail, "detail"),
    )
    return (Draft(body, SYSTEM),)


def lose_run(_state: State, command: LoseRun, stamp: Stamp) -> tuple[Draft, ...]:
    """End the run with an unknown outcome."""
    detail = stamp.words(command.detail, "detail")
    return (Draft(RunLost(run_id=command.run_id, fence=command.fence, detail=detail), SYSTEM),)


def stage_closure(state: State, command: StageClosure, stamp: Stamp) -> tuple[Draft, ...]:
    """Record the sealed candidate and the return in one append; claims and observations stay apart."""
    run = state.runs.get(command.run_id)
    sealed = CandidateSealed(
        candidate_id=command.candidate.candidate_id,
        run_id=command.run_id,
        fence=command.fence,
        candidate=command.candidate,
        receipt=command.receipt,
    )
    closure = ClosureStaged(
        closure_id=stamp.id("closure"),
        run_id=command.run_id,
        brief_id="" if run is None else run.body.brief_id,
        exchange_id=command.exchange_id,
        fence=command.fence,
        candidate_id=command.candidate.candidate_id,
        summary=stamp.words(command.summary, "summary"),
        claims=tuple(stamp.words(claim.text, f"claim {index}") for index, claim in enumerate(command.claims)),
        observations=tuple(
            ObservedFact(kind=item.kind, text=stamp.words(item.text, f"observation {index}"))
            for index, item in enumerate(command.observations)
        ),
        claimed_completion=command.claimed_completion,
    )
    return (Draft(sealed, SYSTEM), Draft(closure, SYSTEM))
