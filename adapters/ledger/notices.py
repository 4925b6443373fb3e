"""How one process tells the others of a PostgreSQL database that it wrote, and hears from them: NOTIFY and LISTEN.

A notice says only that somebody wrote; what changed is read. It is sent after the COMMIT, in a transaction of its own
that waits for no disk: within the writing transaction it would make all commits of the server queue. So a process
that dies in between tells nobody, and a listener asks the database by itself now and then.
"""

import threading
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any, Final

from kernel.errors import LedgerUnavailableError

CHANNEL: Final = "odeu_heads"
PAUSE_S: Final = 0.05
"""A process tells at most this often; what it writes in between is told together."""
SILENCE_S: Final = 2.0
"""After this long without a notice, the database is asked."""
_BACK_S: Final = (0.25, 0.5, 1.0, 2.0, 5.0)
_LOOK_S: Final = 0.5

_TELL: Final = f"BEGIN; SET LOCAL synchronous_commit TO off; NOTIFY {CHANNEL}; COMMIT"

Connect = Callable[[], Any]
"""Returns a connection of the driver that is nobody else's."""


class Telling:
    """Tells the others, at most once a pause; the last notice of a burst is never left out."""

    def __init__(self, send: Callable[[str], None]) -> None:
        self._send = send
        self._lock = threading.Lock()
        self._last = -PAUSE_S
        self._late: threading.Timer | None = None
        self._begun: threading.Timer | None = None
        """The latest timer that may be sending just now."""

    def told(self) -> None:
        """Tell now, or within the pause, that something was written."""
        with self._lock:
            if self._late is not None:
                return
            wait_s = self._last + PAUSE_S - time.monotonic()
            if wait_s > 0:
                # The program waits for it at its end: it is no daemon.
                self._late = threading.Timer(wait_s, self._tell_late)
                self._late.start()
                return
            self._last = time.monotonic()
        self._tell()

    def end(self) -> None:
        """Tell at once what still waits to be told; the last call."""
        with self._lock:
            late, self._late = self._late, None
            begun = self._begun
        if late is not None:
            late.cancel()
            self._tell()
        elif begun is not None and begun is not threading.current_thread():
            # A notice that is on its way uses a connection; whoever closes those comes after it.
            begun.join(_LOOK_S)

    def _tell_late(self) -> None:
        with self._lock:
            if self._late is None:
                return
            self._begun, self._late, self._last = self._late, None, time.monotonic()
        self._tell()

    def _tell(self) -> None:
        try:
            self._send(_TELL)
        except LedgerUnavailableError:
            # What was written is written; listeners look for themselves before long.
            return


class Listening:
    """Hears the others' notices on one connection, which comes back by itself; begins when somebody waits."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._moved = threading.Condition()
        self._heard = 0
        self._hears = False
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def hears(self) -> bool:
        """True while notices arrive; without a connection the database has to be asked."""
        return self._hears

    def wait(self, heard: int, timeout_s: float) -> int:
        """Return the number of notices once it is another than `heard`, or after so many seconds as it is then."""
        with self._moved:
            if self._thread is None and not self._stopped.is_set():
                self._thread = threading.Thread(target=self._run, name="odeu-listening", daemon=True)
                self._thread.start()
            self._moved.wait_for(lambda: self._heard != heard or self._stopped.is_set(), timeout_s)
            return self._heard

    def stop(self) -> None:
        """End the listening and wake whoever waits."""
        self._stopped.set()
        with self._moved:
            self._moved.notify_all()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(2 * _LOOK_S)

    def _run(self) -> None:
        failures = 0
        while not self._stopped.is_set():
            began = time.monotonic()
            try:
                self._listen()
            except Exception:  # noqa: BLE001 - the server may be away in any way; the loop is what comes back
                self._hears = False
            failures = 0 if time.monotonic() - began > _BACK_S[-1] else failures + 1
            self._stopped.wait(_BACK_S[min(failures, len(_BACK_S) - 1)])

    def _listen(self) -> None:
        with closing(self._connect()) as connection:
            connection.execute(f"LISTEN {CHANNEL}")
            self._hears = True
            # What was told while nobody listened was not heard.
            self._note()
            while not self._stopped.is_set():
                for _notice in connection.notifies(timeout=_LOOK_S):
                    self._note()
        self._hears = False

    def _note(self) -> None:
        with self._moved:
            self._heard += 1
            self._moved.notify_all()
