"""Run one program confined by bubblewrap, as a user of its own when the server is root.

Root is no boundary to itself: run as root, bubblewrap leaves kernel settings writable and process limits
unbound. So the user id is dropped first; where that cannot be, nothing runs. There is no weaker way in.
"""

import json
import os
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from adapters.sandbox import processes
from adapters.sandbox.command import INPUT_ROOT, prepared
from adapters.sandbox.facts import fact, job_facts, limit_facts
from adapters.sandbox.seccomp import filter_bytes
from adapters.sandbox.uids import UidPool
from adapters.sandbox.watch import Watch, adopt_orphans
from kernel.errors import ConfigurationError, SandboxUnavailableError
from kernel.values.execution import FileInput, Limits, SandboxFacts, SandboxJob, SandboxResult
from kernel.values.work import IsolationFact

INTERPRETER: Final = ("/usr/bin/python3", "-I", "-S", "-B")
"""The interpreter inside: the system's, without site packages, the environment's influence or bytecode files."""

_SELF_CHECK: Final = Path(__file__).parent / "inside" / "self_check.py"
_SELF_CHECK_LIMITS: Final = Limits(processes=12)
_MUST_HOLD: Final = (
    *("capabilities", "no_new_privileges", "seccomp", "nested_user_namespaces", "root_read_only", "network"),
    *("kernel_settings", "host_processes"),
)
_KILLED: Final = range(129, 193)
_SAID: Final = {
    "capabilities": "none",
    "no_new_privileges": "set",
    "seccomp": "deny list loaded",
    "nested_user_namespaces": "refused",
    "root_read_only": "read-only root; /usr and named inputs only",
    "network": "none",
    "kernel_settings": "not writable",
    "host_processes": "not visible",
}


def never() -> bool:
    """Say that nobody asked to stop."""
    return False


def ignored(_: bytes) -> None:
    """Take output that nobody is waiting for."""


class Bubblewrap:
    """The sandbox: probes what this machine can enforce once, then confines one program per call."""

    def __init__(self, program: str = "/usr/bin/bwrap", uids: UidPool | None = None) -> None:
        self._program = program
        self.uids = uids or UidPool()
        """The pool that a leased run folder and its execution share."""
        self._facts: SandboxFacts | None = None
        self._processes_bind = False

    def probe(self) -> SandboxFacts:
        """Return what this machine can enforce, found out by looking around inside a real sandbox."""
        if self._facts is not None:
            return self._facts
        facts = self._probed()
        if facts.tier != "unavailable":
            # What is missing may be installed, or a busy machine quiet again: only a good answer is kept.
            self._facts = facts
        return facts

    def run(
        self,
        job: SandboxJob,
        cancelled: Callable[[], bool] = never,
        *,
        heard: Callable[[bytes], None] = ignored,
        first_process: bool = False,
    ) -> SandboxResult:
        """Run one program to its end, or to the limit that stops it, and prove that nothing of it is left.

        `heard` is told each piece of standard output as it comes, within the output limit. With
        `first_process` the program is process 1 of its namespace: nothing inside can signal it.

        Raises: SandboxUnavailableError when this machine cannot confine it or it did not start;
        ConfigurationError when the job itself cannot be put inside.
        """
        facts = self.probe()
        if facts.tier == "unavailable":
            raise SandboxUnavailableError(
                f"Nothing was run: this machine cannot confine code. Missing: {'; '.join(facts.missing)}."
            )
        result = self._confined(job, cancelled, heard=heard, first_process=first_process)
        return replace(result, isolation=(*facts.isolation, *result.isolation))

    def _probed(self) -> SandboxFacts:
        missing = tuple(self._missing())
        if missing:
            return _unavailable(missing)
        job = SandboxJob(
            argv=(*INTERPRETER, f"{INPUT_ROOT}/self_check.py", str(_SELF_CHECK_LIMITS.processes)),
            inputs=(FileInput("self_check.py", _SELF_CHECK.read_bytes()),),
            limits=_SELF_CHECK_LIMITS,
        )
        try:
            found = json.loads(self._confined(job, never).stdout)
        except (SandboxUnavailableError, ValueError) as error:
            return _unavailable((f"a sandbox that starts ({error})",))
        broken = tuple(name for name in _MUST_HOLD if found.get(name) is not True)
        if broken:
            return _unavailable(tuple(f"a boundary that holds: {name}" for name in broken))
        self._processes_bind = found.get("processes") is True
        tier = "uid_drop" if os.geteuid() == 0 else "same_uid"
        return SandboxFacts(tier=tier, missing=(), isolation=_machine_facts(tier))

    def _missing(self) -> Iterator[str]:
        """Yield what this machine lacks, in words that say how to get it."""
        if not _is_trusted_program(self._program):
            yield "bubblewrap (install the package bubblewrap)"
        if not _is_trusted_program("/usr/bin/prlimit"):
            yield "prlimit (install the package util-linux)"
        if not os.access(INTERPRETER[0], os.X_OK):
            yield "the system's Python (install the package python3)"
        try:
            filter_bytes()
        except (ImportError, RuntimeError, OSError):
            yield "seccomp filters (install the package libseccomp2)"

    def _confined(
        self,
        job: SandboxJob,
        cancelled: Callable[[], bool],
        *,
        heard: Callable[[bytes], None] = ignored,
        first_process: bool = False,
    ) -> SandboxResult:
        started = time.monotonic()
        with self._user(job) as uid, prepared(self._program, job, first_process=first_process) as command:
            adopt_orphans()
            process = self._started(command.argv, command.descriptors, uid)
            watch = Watch(process, job, status=command.status, cancelled=cancelled, heard=heard)
            watch.see_through()
            left = self._left_after(watch, uid)
            limits = limit_facts(
                job.limits,
                processes_bind=self._processes_bind,
                memory_watched=processes.can_follow_children(),
            )
            if watch.stopped is None and watch.exit_code is None:
                raise SandboxUnavailableError(f"The sandbox did not start: {_first_line(watch.stderr)}.")
            return SandboxResult(
                exit_code=None if watch.stopped else watch.exit_code,
                termination=watch.stopped or _ended_by_itself(watch.exit_code),
                stdout=bytes(watch.stdout),
                stderr=bytes(watch.stderr),
                truncated=watch.stopped == "output_limit",
                wall_ms=int((time.monotonic() - started) * 1000),
                leftovers=left,
                isolation=(*job_facts(job, uid), *limits, fact("leftovers", str(left), enforced=left == 0)),
            )

    def _left_after(self, watch: Watch, uid: int | None) -> int:
        """Return how many processes are left, after ending those of a dropped user id once more."""
        left = watch.leftovers(uid)
        return processes.end_all_of(uid) if left and uid is not None else left

    @contextmanager
    def _user(self, job: SandboxJob) -> Iterator[int | None]:
        """Give the user id to drop to: the job's own, which its lease holder keeps, or a fresh one."""
        if os.geteuid() != 0:
            if job.uid not in (None, os.geteuid()):
                raise ConfigurationError("Only root can run a job as another user.")
            _refuse_unreachable(job.folder, os.geteuid())
            yield None
        elif job.uid is None:
            if job.folder is not None:
                raise ConfigurationError("As root, a job with a leased folder names the folder's user id.")
            with self.uids.take() as held:
                yield held.uid
        else:
            if job.uid not in self.uids:
                raise ConfigurationError(f"User id {job.uid} is not one of the sandbox's own.")
            _refuse_unreachable(job.folder, job.uid)
            yield job.uid

    def _started(
        self, argv: tuple[str, ...], descriptors: tuple[int, ...], uid: int | None
    ) -> subprocess.Popen[bytes]:
        """Start bubblewrap with nothing of the server's: no environment, no descriptors, no groups."""
        groups: list[int] | None = None if uid is None else []
        try:
            return subprocess.Popen(
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=descriptors,
                cwd="/",
                env={},
                user=uid,
                group=uid,
                extra_groups=groups,
                umask=0o077,
                start_new_session=True,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise SandboxUnavailableError(f"The sandbox could not be started: {error}.") from error


def _machine_facts(tier: str) -> tuple[IsolationFact, ...]:
    """Return what the self-check showed to hold, and what this product knows it cannot grant."""
    return (
        fact("tier", tier),
        fact("namespaces", "user, pid, network, mount, ipc, uts, cgroup"),
        *(fact(name, _SAID[name]) for name in _MUST_HOLD),
        fact("environment", "cleared"),
        fact("host_tree", "not mounted"),
        fact("end_with_server", "the tree dies with the server"),
        fact("cgroup_limits", "not used", enforced=False),
        fact("scratch_entries", "file count in scratch memory not limited", enforced=False),
    )


def _unavailable(missing: tuple[str, ...]) -> SandboxFacts:
    return SandboxFacts(tier="unavailable", missing=missing, isolation=(fact("tier", "unavailable"),))


def _is_trusted_program(path: str) -> bool:
    """Say whether a path is an executable that only root can change."""
    try:
        facts = Path(path).stat()
    except OSError:
        return False
    return (
        stat.S_ISREG(facts.st_mode)
        and facts.st_uid == 0
        and not facts.st_mode & 0o022
        and os.access(path, os.X_OK)
    )


def _refuse_unreachable(folder: str | None, uid: int) -> None:
    """Refuse a leased folder that the user inside does not own or cannot reach."""
    if folder is None:
        return
    try:
        facts = os.lstat(folder)
    except OSError as error:
        raise ConfigurationError(f"The run folder cannot be read: {error}.") from error
    if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != uid or os.path.realpath(folder) != folder:
        raise ConfigurationError("A run folder is a real folder, named in full, owned by the run's user id.")
    for parent in Path(folder).parents:
        mode = parent.stat()
        searchable = mode.st_mode & (0o100 if mode.st_uid == uid else 0o001)
        if not searchable:
            raise ConfigurationError(
                "A folder above the run folder cannot be searched by the run's user; set worktree_root to a "
                "place that can.",
                code="run_folder_unreachable",
            )


def _ended_by_itself(exit_code: int | None) -> str:
    """Name an ending by exit code: bubblewrap says 128 and the signal's number for a killed program."""
    return "signalled" if exit_code in _KILLED else "exited"


def _first_line(stderr: bytearray) -> str:
    return bytes(stderr[:300]).decode("utf-8", "replace").strip().partition("\n")[0] or "no reason given"
