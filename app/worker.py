"""The in-process worker: one thread that does what people authorised and asked for, while it holds the lock.

It wakes when this process wrote or another one did. Work that crashes is logged and settled in the ledger, so
that nobody waits for it; when even that fails the worker lets the lock go and begins anew by recovering.
"""

import logging
import threading
from typing import Final

from app.services.execution import HOST
from app.services.queue import Job, WorkQueue
from kernel.commands import FailRun
from kernel.state import State
from kernel.vocabulary import RunStatus

POLL_S: Final = 0.25
"""How often other processes' writes are looked for."""
LOCK_RETRY_S: Final = 1.0
"""How long to wait for a lock that another worker holds, or after a failure."""
STOP_DEADLINE_S: Final = 4.0

_FAULT: Final = "worker_fault"
_log = logging.getLogger(__name__)


class Worker:
    """Drains the queue in a thread of its own."""

    def __init__(self, queue: WorkQueue) -> None:
        self._queue = queue
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        queue.desk.listen(self._on_change)

    def _on_change(self, _ledger_id: str, _state: State) -> None:
        self._wake.set()

    def start(self) -> None:
        """Begin to work as soon as the lock is free."""
        self._queue.stop.clear()
        self._thread = threading.Thread(target=self._run, name="odeu-worker", daemon=True)
        self._thread.start()

    def stop(self, deadline_s: float = STOP_DEADLINE_S) -> bool:
        """End the work at hand and return whether the thread was gone within `deadline_s` seconds.

        A program that runs is ended. What still runs after the deadline dies with the process, and the next
        worker settles it.
        """
        self._queue.stop.set()
        self._wake.set()
        if self._thread is None:
            return True
        self._thread.join(deadline_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        stop = self._queue.stop
        while not stop.is_set():
            try:
                with self._queue.lock.holding() as held:
                    if held:
                        self._work()
            except Exception:  # noqa: BLE001 - the outermost loop of the thread: it logs and begins anew
                _log.exception("the worker failed and begins anew")
            stop.wait(LOCK_RETRY_S)

    def _work(self) -> None:
        """Recover once, then do what waits until told to stop. The lock is held."""
        queue = self._queue
        queue.recover()
        while not queue.stop.is_set():
            self._wake.clear()
            version = queue.desk.ledger.changed()
            for job in queue.waiting():
                if queue.stop.is_set():
                    return
                self._do(job)
            self._sleep(version)

    def _sleep(self, version: int) -> None:
        while not self._queue.stop.is_set():
            if self._wake.wait(POLL_S) or self._queue.desk.ledger.changed() != version:
                return

    def _do(self, job: Job) -> None:
        """Do one job; when it crashes, settle it."""
        try:
            self._queue.do(job)
        except Exception as error:  # noqa: BLE001 - one bad job must not end all the others
            _log.exception("%s %s crashed", job.kind, job.id)
            self._settle(job, type(error).__name__)

    def _settle(self, job: Job, fault: str) -> None:
        """Record that a crashed job has no outcome. The only worker is here, so nobody else holds the job."""
        queue = self._queue
        if job.kind == "validation":
            queue.evidence.recover(job.ledger_id, frozenset({job.id}))
            return
        if queue.desk.state(job.ledger_id).runs[job.id].status is RunStatus.QUEUED:
            detail = f"The worker failed before the run began ({fault}). Nothing was started."
            queue.desk.act(job.ledger_id, HOST, FailRun(job.id, None, _FAULT, detail))
            return
        queue.execution.recover(job.ledger_id)
