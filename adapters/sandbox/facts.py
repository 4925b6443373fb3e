"""How a confinement is said: one isolation fact per thing that was enforced, or could not be."""

from kernel.values.execution import Limits, SandboxJob
from kernel.values.work import IsolationFact

WATCH_INTERVAL_MS = 20


def fact(name: str, value: str, *, enforced: bool = True) -> IsolationFact:
    """Return one isolation fact."""
    return IsolationFact(name=name, value=value, enforced=enforced)


def job_facts(job: SandboxJob, uid: int | None) -> tuple[IsolationFact, ...]:
    """Return what holds for this job beyond what holds for the machine: its user, places and numbers."""
    limits = job.limits
    return (
        _user(uid),
        fact("inputs", f"{len(job.inputs)} files, read-only, by descriptor"),
        fact("writable", _writable(job)),
        *_folder(job),
        fact("memory_per_process", _mib(limits.memory_bytes)),
        fact("cpu_per_process", f"{limits.cpu_s} s"),
        fact("file_size", _mib(limits.file_bytes)),
        fact("open_files", str(limits.open_files)),
        fact("core_dumps", "none"),
        fact("wall_clock", f"{limits.wall_s:g} s, then the whole tree is killed"),
        fact("output", f"{limits.output_bytes} bytes, then the whole tree is killed"),
    )


def limit_facts(limits: Limits, *, processes_bind: bool, memory_watched: bool) -> tuple[IsolationFact, ...]:
    """Return the two limits that depend on what this kernel can do."""
    return (
        fact("processes", str(limits.processes), enforced=processes_bind),
        fact(
            "memory_sum",
            f"watched at {_mib(limits.memory_sum_bytes)} every {WATCH_INTERVAL_MS} ms",
            enforced=memory_watched,
        ),
    )


def _user(uid: int | None) -> IsolationFact:
    if uid is None:
        return fact("user", "the user this server runs as (same_uid)", enforced=False)
    return fact("user", f"{uid}, dropped before bubblewrap")


def _writable(job: SandboxJob) -> str:
    scratch = _mib(job.limits.scratch_bytes)
    work = "the leased folder at /box/work" if job.folder else f"memory of {scratch} at /box/work"
    return f"memory of {scratch} at /tmp; {work}; nothing else"


def _folder(job: SandboxJob) -> tuple[IsolationFact, ...]:
    """Say how the growth of a leased folder is bounded: by looking, since no quota covers it."""
    if job.folder is None:
        return ()
    growth = _mib(job.limits.scratch_bytes)
    return (fact("folder_growth", f"watched at {growth}; no kernel quota", enforced=False),)


def _mib(size_bytes: int) -> str:
    return f"{size_bytes / (1024 * 1024):g} MiB"
