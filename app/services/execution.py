"""Doing one authorised run: claim, lease, execute, seal, keep the answer, stage the closure.

1 The branch is observed and the capability verified. 2 The claim is appended: from here on the run is never
started again. 3 The base tree is leased as a plain folder. 4 The runtime works in it. 5 A returned result is
sealed under the lease and the receipt signed. 6 The exact answer is durable. 7 Candidate and closure follow
from the durable answer alone, so that a restart after 6 continues and a restart before it says `lost`.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Literal

from app.ports import Repositories, RunAuthority, Runtime, Sandbox, Sealer, UidPool
from app.services.desk import Caller, Desk
from app.services.registry import Registry
from app.services.runs import grant_of, require_sandbox
from app.services.sentences import cut
from kernel.canonical import canonical_bytes, plain
from kernel.commands import (
    AnswerExchange,
    BlockRun,
    FailExchange,
    FailRun,
    LoseRun,
    ReportProgress,
    RequestExchange,
    StageClosure,
)
from kernel.decide.drafts import SYSTEM
from kernel.errors import BoundaryError, LifecycleError, RefusedError, StudioError
from kernel.events.source import ExchangeRequested
from kernel.receipts import SealBinding
from kernel.rules.delegation import brief_of
from kernel.state import RunRecord, State
from kernel.values.execution import Lease, RepositoryPlace, SealOrder, WorkOrder, WorkReport
from kernel.values.recorded import Recorded
from kernel.values.work import CandidateFacts, Claim, Envelope, IsolationFact, Observation
from kernel.vocabulary import RunStatus, Via

HOST: Final = Caller(SYSTEM, Via.WORKER)
_LINES_MAX: Final = 60
"""Progress lines the host forwards; the kernel keeps 64, the rest are the host's own."""


class RunAnswer(Recorded):
    """The exact answer of a run as it stands in its exchange."""

    outcome: Literal["returned", "blocked", "failed"]
    code: str
    summary: str
    claims: tuple[Claim, ...]
    observations: tuple[Observation, ...]
    claimed_completion: bool
    question: str | None
    candidate: CandidateFacts | None
    receipt: Envelope | None


@dataclass(frozen=True, slots=True)
class _Claimed:
    """A run held by this worker."""

    ledger_id: str
    run: RunRecord
    place: RepositoryPlace
    exchange_id: str
    fence: int


@dataclass(frozen=True, slots=True)
class Execution:
    """Performs runs; one at a time per call."""

    desk: Desk
    registry: Registry
    repositories: Repositories
    authority: RunAuthority
    sealer: Sealer
    runtime: Runtime
    sandbox: Sandbox
    uids: UidPool
    secrets: tuple[bytes, ...] = field(default=(), repr=False)
    """Byte strings of this host that no sealed file may hold."""

    def perform(self, ledger_id: str, run_id: str, cancelled: Callable[[], bool]) -> None:
        """Do the queued run, or end it with the reason why it cannot begin.

        Raises: LifecycleError when another worker claimed it first; LedgerUnavailableError.
        """
        state = self.desk.state(ledger_id)
        run = state.runs[run_id]
        try:
            claimed = self._claim(ledger_id, state, run)
        except (RefusedError, BoundaryError) as error:
            if self.desk.state(ledger_id).runs[run_id].status is RunStatus.QUEUED:
                failure = FailRun(run_id, None, error.reason_code, cut(error.message))
                self.desk.act(ledger_id, HOST, failure)
                return
            raise
        try:
            answer = self._work(claimed, cancelled)
        except StudioError as error:
            answer = _failed(error.reason_code, cut(error.message))
        exact = canonical_bytes(plain(answer)).decode()
        self.desk.act(ledger_id, HOST, AnswerExchange(claimed.exchange_id, exact))
        self.conclude(ledger_id, run_id)

    def _claim(self, ledger_id: str, state: State, run: RunRecord) -> _Claimed:
        brief = brief_of(state, run.body.brief_id)
        place = self.registry.repository(brief.body.terms.repository_id)
        runtime = self.registry.runtime(run.body.runtime_id).facts
        if runtime.digest != run.body.runtime_digest:
            message = f"runtime {runtime.id!r} was changed since the run was authorised; authorise it again"
            raise RefusedError(message, code="runtime_changed")
        problems = self.authority.verify(run.body.capability, grant_of(state, run), self.desk.clock.now())
        if problems:
            raise RefusedError(
                "the run's permission does not hold: " + "; ".join(problems), code="capability"
            )
        require_sandbox(self.sandbox)
        head = self.repositories.resolve(place, brief.body.terms.target_ref)
        request = canonical_bytes({"run": run.body.run_id, "brief": brief.body.payload_digest}).decode()
        command = RequestExchange("run", run.body.run_id, request, head.commit)
        done = self.desk.act(ledger_id, HOST, command)
        event = next(item for item in done.events if isinstance(item.body, ExchangeRequested))
        exchange_id = event.body.exchange_id  # type: ignore[attr-defined]
        return _Claimed(ledger_id, done.state.runs[run.body.run_id], place, exchange_id, event.seq)

    def _work(self, claimed: _Claimed, cancelled: Callable[[], bool]) -> RunAnswer:
        with self.uids.take() as held:
            lease = self.repositories.lease(
                claimed.run.body.run_id, claimed.place, claimed.run.body.base_commit, uid=held.uid
            )
            try:
                self._say(claimed, "The run folder holds the base commit")
                report = self.runtime.execute(self._order(claimed, lease), cancelled, self._progress(claimed))
                if report.outcome != "returned":
                    return _answer(report)
                self._say(claimed, "The worker returned; sealing what it left")
                lease = self.repositories.absorb(lease)
                candidate, receipt = self._seal(claimed, lease)
                return _answer(report, candidate, receipt)
            finally:
                with suppress(BoundaryError):
                    self.repositories.release(lease)

    def _order(self, claimed: _Claimed, lease: Lease) -> WorkOrder:
        brief = brief_of(self.desk.state(claimed.ledger_id), claimed.run.body.brief_id)
        payload = brief.body.payload.text or ""
        body = claimed.run.body
        return WorkOrder(
            body.run_id, body.runtime_id, payload.encode(), lease, body.deadline_s, body.runtime_digest
        )

    def _seal(self, claimed: _Claimed, lease: Lease) -> tuple[CandidateFacts, Envelope]:
        state = self.desk.state(claimed.ledger_id)
        run, brief = claimed.run.body, brief_of(state, claimed.run.body.brief_id).body
        stamp = self.desk.stamp(HOST)
        order = SealOrder(
            candidate_id=stamp.id("candidate"),
            run_id=run.run_id,
            brief_id=run.brief_id,
            repository=claimed.place,
            target_ref=brief.terms.target_ref,
            base_commit=run.base_commit,
            sealed_at=stamp.at,
            allowed_paths=brief.terms.allowed_paths,
            secrets=self.secrets,
        )
        candidate = self.repositories.seal(lease, order)
        binding = SealBinding(
            run_id=run.run_id,
            brief_id=run.brief_id,
            brief_digest=brief.payload_digest,
            profile_digest=brief.terms.profile_digest,
            runtime_id=run.runtime_id,
            runtime_digest=run.runtime_digest,
            base_revision=run.base_revision,
            sealed_at=stamp.at,
            isolation=self._isolation(),
        )
        return candidate, self.sealer.attest(candidate, binding)

    def _isolation(self) -> tuple[IsolationFact, ...]:
        facts = self.sandbox.probe()
        return (IsolationFact(name="tier", value=facts.tier, enforced=True), *facts.isolation)

    def _progress(self, claimed: _Claimed) -> Callable[[str], None]:
        counted = 0

        def report(text: str) -> None:
            nonlocal counted
            counted += 1
            if counted <= _LINES_MAX:
                self._say(claimed, text, said_by="worker")

        return report

    def _say(self, claimed: _Claimed, text: str, *, said_by: Literal["worker", "host"] = "host") -> None:
        command = ReportProgress(claimed.run.body.run_id, claimed.fence, said_by, text[:500])
        self.desk.act(claimed.ledger_id, HOST, command)

    def conclude(self, ledger_id: str, run_id: str) -> None:
        """Draw the conclusion from a run's durable answer: a closure, a question or a failure.

        Nothing outside the ledger is asked, so it can be repeated after a crash until it is recorded. An answer
        that the rules do not take ends the run as failed: it must not hold up the work behind it.

        Raises: LifecycleError when the run has ended already.
        """
        state = self.desk.state(ledger_id)
        run = state.runs[run_id]
        exchange = next(
            state.exchanges[item] for item in state.followed_by.get(run_id) or () if item in state.exchanges
        )
        text = None if exchange.response is None else exchange.response.text
        assert run.fence is not None
        try:
            answer = RunAnswer.model_validate_json(text or "")
            self.desk.act(ledger_id, HOST, _conclusion(run_id, run.fence, exchange.body.exchange_id, answer))
        except LifecycleError:
            raise
        except (RefusedError, ValueError) as error:
            sentence = cut(f"What the worker answered cannot be kept as a result: {error}")
            self.desk.act(ledger_id, HOST, FailRun(run_id, run.fence, "answer_refused", sentence))

    def recover(self, ledger_id: str) -> None:
        """Settle runs a dead worker left: continue a durable answer, call the rest lost. Starts nothing.

        Call it only while holding the worker's lock, so that no live worker holds these runs.
        """
        state = self.desk.state(ledger_id)
        for run in state.runs.rows():
            if run.status not in {RunStatus.CLAIMED, RunStatus.WORKING} or run.fence is None:
                continue
            exchange = next(
                state.exchanges[item]
                for item in state.followed_by.get(run.body.run_id) or ()
                if item in state.exchanges
            )
            if exchange.status == "answered":
                self.conclude(ledger_id, run.body.run_id)
                continue
            detail = (
                "The worker ended before its answer was kept. What it did is not known; it is not done twice."
            )
            if exchange.status == "requested":
                self.desk.act(ledger_id, HOST, FailExchange(exchange.body.exchange_id, "lost", detail))
            self.desk.act(ledger_id, HOST, LoseRun(run.body.run_id, run.fence, detail))


def _answer(
    report: WorkReport, candidate: CandidateFacts | None = None, receipt: Envelope | None = None
) -> RunAnswer:
    return RunAnswer.model_validate(
        {
            "outcome": report.outcome,
            "code": report.code,
            "summary": cut(report.summary),
            "claims": report.claims,
            "observations": report.observations,
            "claimed_completion": report.claimed_completion,
            "question": None if report.question is None else cut(report.question),
            "candidate": candidate,
            "receipt": receipt,
        }
    )


def _failed(code: str, detail: str) -> RunAnswer:
    return RunAnswer(
        outcome="failed",
        code=code,
        summary=detail,
        claims=(),
        observations=(),
        claimed_completion=False,
        question=None,
        candidate=None,
        receipt=None,
    )


def _conclusion(
    run_id: str, fence: int, exchange_id: str, answer: RunAnswer
) -> StageClosure | BlockRun | FailRun:
    if answer.outcome == "returned" and answer.candidate is not None and answer.receipt is not None:
        return StageClosure(
            run_id=run_id,
            fence=fence,
            exchange_id=exchange_id,
            candidate=answer.candidate,
            receipt=answer.receipt,
            summary=answer.summary,
            claims=answer.claims,
            observations=answer.observations,
            claimed_completion=answer.claimed_completion,
        )
    if answer.outcome == "blocked" and answer.question is not None:
        return BlockRun(run_id, fence, answer.question)
    return FailRun(run_id, fence, answer.code, answer.summary or "The run ended without a result.")
