"""One started sandbox from first byte to last process: feed it, drain it, bound it, end it, prove it ended.

The watch never blocks on the program inside: pipes are non-blocking, and every 20 ms it looks at the clock,
the summed memory of the tree, a leased folder's growth and the caller's wish to stop. Whatever ends the run,
the first process of the namespace is killed and reaped here: the kernel ends the rest of a namespace with it.
"""

import contextlib
import ctypes
import json
import os
import selectors
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

from adapters.sandbox import processes
from adapters.sandbox.facts import WATCH_INTERVAL_MS
from kernel.values.execution import SandboxJob

_CHUNK: Final = 64 * 1024
_ENDING_S: Final = 3.0
_STATUS_BYTES_MAX: Final = 4096
_FOLDER_INTERVAL_S: Final = 0.5
_SET_CHILD_SUBREAPER: Final = 36


@dataclass(slots=True)
class Watch:
    """What is known of one running sandbox. Times are monotonic seconds."""

    process: subprocess.Popen[bytes]
    job: SandboxJob
    status: int
    cancelled: Callable[[], bool]
    heard: Callable[[bytes], None]
    """Told each piece of standard output as it comes."""
    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    reported: bytearray = field(default_factory=bytearray)
    stopped: str | None = None
    """Why the host stopped it; None when it ended by itself."""
    first: int | None = None
    namespace: int | None = None
    handle: int | None = None
    exit_code: int | None = None
    """What the program inside ended with; None when it never started or was stopped."""

    def see_through(self) -> None:
        """Run the watch to the end; afterwards no process is left, or `leftovers` says how many."""
        started = time.monotonic()
        try:
            self._attend(started + self.job.limits.wall_s)
        finally:
            self._end()

    def leftovers(self, uid: int | None) -> int:
        """Return how many processes of this sandbox still live: those of its own user id, or its namespace."""
        if uid is not None:
            return len(processes.alive_of_uid(uid))
        return 0 if self.namespace is None else len(processes.alive_in_namespace(self.namespace))

    def _attend(self, deadline: float) -> None:
        """Serve pipes and limits until the process ends or a limit stops it."""
        folder = _FolderGrowth(self.job)
        interval = WATCH_INTERVAL_MS / 1000
        next_look = 0.0
        with selectors.DefaultSelector() as ready:
            self._register(ready)
            with _wakes_at_end(ready, self.process.pid):
                while self.stopped is None and self.process.poll() is None:
                    self._serve(ready, interval)
                    # Output in tiny pieces must not make the host look, and ask the caller, at every piece.
                    if time.monotonic() >= next_look:
                        next_look = time.monotonic() + interval
                        self._read_status()
                        self.stopped = self._limit_reached(deadline, folder)
            self._drain_rest(ready)

    def _limit_reached(self, deadline: float, folder: "_FolderGrowth") -> str | None:
        if self.stopped is not None:
            return self.stopped
        if self.cancelled():
            return "cancelled"
        if time.monotonic() > deadline:
            return "timed_out"
        limit = self.job.limits.memory_sum_bytes
        if self.first is not None and processes.resident_bytes(self.first) > limit:
            return "memory_limit"
        return "output_limit" if folder.exceeded() else None

    def _register(self, ready: selectors.BaseSelector) -> None:
        """Watch the three pipes; input that is empty is closed at once."""
        for pipe, kept in ((self.process.stdout, self.stdout), (self.process.stderr, self.stderr)):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)
            ready.register(pipe, selectors.EVENT_READ, kept)
        assert self.process.stdin is not None
        if self.job.stdin:
            os.set_blocking(self.process.stdin.fileno(), False)
            ready.register(self.process.stdin, selectors.EVENT_WRITE, memoryview(self.job.stdin))
        else:
            self.process.stdin.close()

    def _serve(self, ready: selectors.BaseSelector, timeout_s: float) -> bool:
        """Move what can be moved now; return False when nothing was ready."""
        if not ready.get_map():
            return False
        events = ready.select(timeout_s)
        for key, _ in events:
            if key.data is None:
                continue
            if isinstance(key.data, memoryview):
                self._feed(ready, key)
            else:
                self._take(ready, key)
        return bool(events)

    def _feed(self, ready: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
        """Write some input; a program that closed its input has had enough of it."""
        try:
            written = os.write(key.fd, key.data[:_CHUNK])
        except BlockingIOError:
            return
        except BrokenPipeError:
            written = len(key.data)
        rest = key.data[written:]
        if rest:
            ready.modify(key.fileobj, selectors.EVENT_WRITE, rest)
            return
        ready.unregister(key.fileobj)
        with contextlib.suppress(BrokenPipeError):
            key.fileobj.close()  # type: ignore[union-attr]

    def _take(self, ready: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
        """Read some output and keep it up to the cap; going over the cap ends the run."""
        try:
            chunk = os.read(key.fd, _CHUNK)
        except BlockingIOError:
            return
        if not chunk:
            ready.unregister(key.fileobj)
            return
        room = self.job.limits.output_bytes - len(self.stdout) - len(self.stderr)
        key.data.extend(chunk[:room])
        if key.data is self.stdout:
            self.heard(chunk[:room])
        if len(chunk) > room:
            self.stopped = self.stopped or "output_limit"

    def _drain_rest(self, ready: selectors.BaseSelector) -> None:
        """Take what is already in the pipes; a stopped run's rest is not waited for."""
        while self.stopped is None and self._serve(ready, 0):
            pass

    def _read_status(self) -> None:
        """Take in what bubblewrap reports: the first process and its namespace, later the exit code."""
        if len(self.reported) < _STATUS_BYTES_MAX:
            with contextlib.suppress(BlockingIOError):
                self.reported += os.read(self.status, _STATUS_BYTES_MAX)
        for line in bytes(self.reported).split(b"\n")[:-1]:
            record = json.loads(line)
            if "child-pid" in record and self.first is None:
                self.first = record["child-pid"]
                self.namespace = record.get("pid-namespace")
                self.handle = processes.open_handle(record["child-pid"])
            self.exit_code = record.get("exit-code", self.exit_code)

    def _end(self) -> None:
        """Kill what still runs, reap it, and close every descriptor of the run."""
        self._read_status()
        if self.handle is not None:
            processes.end(self.handle)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(0.2 if self.handle is not None else 0)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        # bubblewrap has ended: nobody else writes, so one more look finds a first process seen too late.
        self._read_status()
        if self.first is not None:
            self._reap_first(self.first)
        if self.handle is not None:
            os.close(self.handle)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()

    def _reap_first(self, first: int) -> None:
        """End and reap the namespace's first process, ours by adoption when bubblewrap ended before it."""
        until = time.monotonic() + _ENDING_S
        if self.handle is not None:
            processes.end(self.handle)
        while time.monotonic() < until:
            try:
                done, _ = os.waitpid(first, os.WNOHANG)
            except ChildProcessError:
                done = 0 if _exists(first) else first
            if done:
                return
            time.sleep(0.002)


@contextlib.contextmanager
def _wakes_at_end(ready: selectors.BaseSelector, pid: int) -> Iterator[None]:
    """Have the selector wake when the process ends, so that no run waits for the next look."""
    handle = processes.open_handle(pid)
    if handle is None:
        yield
        return
    ready.register(handle, selectors.EVENT_READ, None)
    try:
        yield
    finally:
        ready.unregister(handle)
        os.close(handle)


class _FolderGrowth:
    """Looks now and then whether a leased folder grew by more than the scratch limit."""

    def __init__(self, job: SandboxJob) -> None:
        self._folder = job.folder
        self._next = time.monotonic() + _FOLDER_INTERVAL_S
        self._limit = 0 if job.folder is None else _stored_bytes(job.folder) + job.limits.scratch_bytes

    def exceeded(self) -> bool:
        """Say whether the folder is over its limit; looks at most twice a second."""
        if self._folder is None or time.monotonic() < self._next:
            return False
        self._next = time.monotonic() + _FOLDER_INTERVAL_S
        return _stored_bytes(self._folder) > self._limit


def _stored_bytes(folder: str) -> int:
    """Return the bytes stored under a folder, and a little for each entry; links are not followed."""
    total = 0
    waiting = [folder]
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    total += 512 + entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
    return total


def _exists(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


@cache
def adopt_orphans() -> bool:
    """Make this process the parent of its orphaned descendants, once; say whether the kernel agreed.

    bubblewrap can end before the first process of its namespace; adopted, that one is reaped here and no
    longer counts against its user id.
    """
    return bool(ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)
