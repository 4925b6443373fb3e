"""Verifying a ledger from a page: one at a time, beside the requests, its last finding remembered.

The finding lives in this process and nowhere else: it says what was found when somebody looked, and grants nothing.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from app.services.audit import Audits, LedgerVerdict
from kernel.errors import LifecycleError, StudioError

PATIENCE_S: Final = 3.0
"""How long a page waits for the finding before it answers without one."""
PROBLEMS_MAX: Final = 20
"""How many problems are kept of one finding; the command line lists all of them."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What re-reading a ledger found."""

    size: int
    root: str
    problems: tuple[str, ...]
    more: int
    """How many problems are not listed."""
    is_strict: bool
    """Every rule was applied anew as well."""
    at: str
    """When it was found."""
    took_ms: int


class Verifications:
    """Runs verifications and remembers the latest finding of each ledger."""

    def __init__(self, audits: Audits, now: Callable[[], str]) -> None:
        self._audits = audits
        self._now = now
        self._guard = threading.Lock()
        self._running: dict[str, str] = {}
        self._found: dict[str, Finding] = {}

    def running_since(self, ledger_id: str) -> str | None:
        """Return when the verification of this ledger began, None while there is none."""
        with self._guard:
            return self._running.get(ledger_id)

    def finding(self, ledger_id: str) -> Finding | None:
        """Return what was found last in this ledger."""
        with self._guard:
            return self._found.get(ledger_id)

    def begin(self, ledger_id: str, *, is_strict: bool) -> bool:
        """Begin to re-read a ledger; tell whether the finding is there already. Waits PATIENCE_S at most.

        Raises: LifecycleError while another verification is under way.
        """
        with self._guard:
            if self._running:
                message = "a verification is under way already; look again when it is over"
                raise LifecycleError(message, code="verifying")
            self._running[ledger_id] = self._now()
        work = threading.Thread(target=self._run, args=(ledger_id, is_strict), name="verify", daemon=True)
        work.start()
        work.join(PATIENCE_S)
        return not work.is_alive()

    def _run(self, ledger_id: str, is_strict: bool) -> None:  # noqa: FBT001 - a thread's arguments have no names
        began = time.monotonic()
        finding = None
        try:
            verdict = self._verdict(ledger_id, is_strict=is_strict)
            finding = Finding(
                size=verdict.size,
                root=verdict.root,
                problems=verdict.problems[:PROBLEMS_MAX],
                more=max(0, len(verdict.problems) - PROBLEMS_MAX),
                is_strict=is_strict,
                at=self._now(),
                took_ms=int((time.monotonic() - began) * 1000),
            )
        finally:
            with self._guard:
                del self._running[ledger_id]
                if finding is not None:
                    self._found[ledger_id] = finding

    def _verdict(self, ledger_id: str, *, is_strict: bool) -> LedgerVerdict:
        try:
            return self._audits.verify(ledger_id, strict=is_strict)
        except StudioError as error:
            return LedgerVerdict(ledger_id, 0, "", (f"The ledger cannot be re-read: {error.message}",))
