"""Runs as people decide them: authorise exactly one, watch it, withdraw it while that is lawful."""

from dataclasses import dataclass
from typing import Final

from app.ports import Repositories, RunAuthority, Sandbox
from app.services.desk import Caller, Desk
from app.services.moments import later
from app.services.registry import Registry
from kernel.commands import AuthorizeRun, CancelRun
from kernel.errors import NotFoundError, RefusedError, SandboxUnavailableError, StaleError
from kernel.events.delegation import RunAuthorized
from kernel.receipts import RunGrant
from kernel.rules.delegation import brief_of
from kernel.state import BriefRecord, RunRecord, State
from kernel.values.work import RuntimeFacts

START_WINDOW_S: Final = 300
"""How long an authorised run may wait for a worker."""


@dataclass(frozen=True, slots=True)
class Runs:
    """Authorises, finds and cancels runs."""

    desk: Desk
    registry: Registry
    repositories: Repositories
    authority: RunAuthority
    sandbox: Sandbox

    def authorize(self, caller: Caller, brief_id: str, runtime_id: str | None = None) -> RunRecord:
        """Allow exactly one run of a brief: re-derive everything, mint the capability, queue it.

        Raises: NotFoundError; StaleError when the branch or the shared context moved; LifecycleError when the
        brief already has a run that counts; RefusedError when the runtime is unavailable;
        SandboxUnavailableError when this machine cannot confine it.
        """
        ledger_id = self.desk.ledger_of(brief_id)
        brief = brief_of(self.desk.state(ledger_id), brief_id)
        runtime = self.registry.runtime(runtime_id or brief.body.runtime_ids[0]).facts
        stamp = self.desk.stamp(caller.again())
        run_id, at = stamp.id("run"), stamp.at

        def command(state: State) -> AuthorizeRun:
            # Derived for the very state that the append builds on, and only when it was not carried out before.
            self._require_available(runtime)
            require_sandbox(self.sandbox)
            self._require_base(brief)
            grant = RunGrant(
                run_id=run_id,
                brief_id=brief_id,
                brief_digest=brief.body.payload_digest,
                runtime_id=runtime.id,
                runtime_digest=runtime.digest,
                base_commit=brief.body.base_commit,
                base_revision=state.revision,
            )
            return AuthorizeRun(
                run_id=run_id,
                brief_id=brief_id,
                runtime=runtime,
                base_commit=brief.body.base_commit,
                start_before=later(at, START_WINDOW_S),
                capability=self.authority.issue(grant, at, lifetime_s=START_WINDOW_S),
            )

        material = {"authorize": brief_id, "runtime": runtime.id}
        done = self.desk.act(ledger_id, caller, command, material=material)
        body = next(event.body for event in done.events if isinstance(event.body, RunAuthorized))
        return done.state.runs[body.run_id]

    def _require_available(self, runtime: RuntimeFacts) -> None:
        if not runtime.available:
            message = f"runtime {runtime.id!r} is unavailable: {runtime.reason}"
            raise RefusedError(message, code="runtime_unavailable")

    def _require_base(self, brief: BriefRecord) -> None:
        terms = brief.body.terms
        head = self.repositories.resolve(self.registry.repository(terms.repository_id), terms.target_ref)
        if head.commit != brief.body.base_commit:
            message = f"{terms.target_ref} moved since the brief was compiled; compile a new brief"
            raise StaleError(message)

    def cancel(self, caller: Caller, run_id: str, reason: str | None = None) -> RunRecord:
        """Withdraw a run that no worker has claimed.

        Raises: LifecycleError when it was claimed or ended; NotFoundError.
        """
        ledger_id = self.desk.ledger_of(run_id)
        material = {"cancel": run_id, "reason": reason}
        done = self.desk.act(ledger_id, caller, CancelRun(run_id, reason), material=material)
        return done.state.runs[run_id]

    def find(self, run_id: str) -> tuple[State, RunRecord]:
        """Return the run and the state of its ledger.

        Raises: NotFoundError.
        """
        state = self.desk.state(self.desk.ledger_of(run_id))
        run = state.runs.get(run_id)
        if run is None:
            message = f"there is no run {run_id}"
            raise NotFoundError(message)
        return state, run


def require_sandbox(sandbox: Sandbox) -> None:
    """Refuse while this machine cannot confine code.

    Raises: SandboxUnavailableError that says what is missing and the way out.
    """
    facts = sandbox.probe()
    if facts.tier == "unavailable":
        missing = "; ".join(facts.missing)
        message = f"nothing runs here: this machine cannot confine code. Missing: {missing}. `odeu doctor` says how to get it"
        raise SandboxUnavailableError(message)


def grant_of(state: State, run: RunRecord) -> RunGrant:
    """Return what a run's capability must say, derived from the ledger alone."""
    brief = brief_of(state, run.body.brief_id)
    return RunGrant(
        run_id=run.body.run_id,
        brief_id=run.body.brief_id,
        brief_digest=brief.body.payload_digest,
        runtime_id=run.body.runtime_id,
        runtime_digest=run.body.runtime_digest,
        base_commit=run.body.base_commit,
        base_revision=run.body.base_revision,
    )
