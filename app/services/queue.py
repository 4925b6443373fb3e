"""The work that waits: runs people authorised and validations they asked for. One worker does it at a time.

Which worker may is a lock that the machine's kernel releases when its holder dies. A worker that gets it first
settles what a dead one left: durable answers are continued, started work without an answer is lost or failed,
never done twice.
"""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from app.services.desk import Desk
from app.services.evidence import Evidence, validations_waiting
from app.services.execution import Execution
from app.services.promotion import Promotions
from kernel.errors import LedgerConflictError, LifecycleError
from kernel.vocabulary import RunStatus


class WorkerLock(Protocol):
    """Who may work, and which work was begun."""

    def holding(self) -> AbstractContextManager[bool]:
        """Hold the lock if it is free; gives True while held, False when another process has it."""
        ...

    def started(self) -> frozenset[str]:
        """Return the ids of work that was begun and not ended."""
        ...

    def begin(self, work_id: str) -> None:
        """Remember durably that this work begins."""
        ...

    def end(self, work_id: str) -> None:
        """Forget work that ended."""
        ...


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of waiting work."""

    ledger_id: str
    kind: str
    """`run` or `validation`."""
    id: str
    """The run's id, or the validation request's exchange."""


@dataclass(frozen=True, slots=True)
class WorkQueue:
    """Finds and does waiting work under the worker's lock."""

    desk: Desk
    execution: Execution
    evidence: Evidence
    promotions: Promotions
    lock: WorkerLock
    stop: threading.Event

    def waiting(self) -> tuple[Job, ...]:
        """Return the work that waits in every ledger that can be read, oldest ids first."""
        jobs: list[Job] = []
        for ledger_id in self.desk.ledger.ledgers():
            state = self.desk.readable(ledger_id)
            if state is None:
                continue
            jobs.extend(
                Job(ledger_id, "run", run.body.run_id)
                for run in state.runs.rows()
                if run.status is RunStatus.QUEUED
            )
            jobs.extend(
                Job(ledger_id, "validation", record.body.exchange_id)
                for record in validations_waiting(state)
                if record.status == "requested"
            )
        return tuple(sorted(jobs, key=lambda job: job.id.partition("_")[2]))

    def recover(self) -> None:
        """Settle what a dead worker left; call it once after getting the lock."""
        started = self.lock.started()
        for ledger_id in self.desk.ledger.ledgers():
            if self.desk.readable(ledger_id) is None:
                continue
            self.execution.recover(ledger_id)
            self.evidence.recover(ledger_id, started)
            self.promotions.recover(ledger_id)
        for work_id in sorted(started):
            self.lock.end(work_id)

    def do(self, job: Job) -> None:
        """Do one job; work that another process took first is left to it."""
        self.lock.begin(job.id)
        try:
            if job.kind == "run":
                self.execution.perform(job.ledger_id, job.id, self.stop.is_set)
            else:
                self.evidence.perform(job.ledger_id, job.id)
        except (LifecycleError, LedgerConflictError):
            # Cancelled, or claimed elsewhere, between the look and the claim.
            return
        finally:
            self.lock.end(job.id)

    def drain(self, wanted: Callable[[Job], bool] = lambda _job: True) -> bool:
        """Do all waiting work this process may do; return False when another worker holds the lock."""
        with self.lock.holding() as held:
            if not held:
                return False
            self.recover()
            for job in self.waiting():
                if wanted(job):
                    self.do(job)
            return True
