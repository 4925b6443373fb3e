"""The bubblewrap command for one job: what stands where inside, and every limit that binds it.

Nothing of the host's tree is bound but `/usr`, read-only, and the leased folder when there is one. Inputs
enter by descriptor, so no path of the host has to be readable by the dropped user. The arguments themselves
travel by descriptor too. This module starts nothing.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Final

from adapters.sandbox.seccomp import filter_bytes
from kernel.errors import ConfigurationError
from kernel.values.execution import SandboxJob

INPUT_ROOT: Final = "/box/in"
WORK_ROOT: Final = "/box/work"
SCRATCH_ROOT: Final = "/tmp"  # noqa: S108 - inside the sandbox, where it is fresh and private
INPUTS_MAX: Final = 256
INPUT_BYTES_MAX: Final = 64 * 1024 * 1024

_STACK_BYTES: Final = 8 * 1024 * 1024
_ENVIRONMENT: Final = (
    ("PATH", "/usr/bin:/bin"),
    ("HOME", SCRATCH_ROOT),
    ("TMPDIR", SCRATCH_ROOT),
    ("LANG", "C.UTF-8"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
    ("PYTHONHASHSEED", "0"),
)
_NAMESPACES: Final = (
    *("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"),
    *("--uid", "1000", "--gid", "1000", "--hostname", "sandbox", "--cap-drop", "ALL", "--clearenv"),
)
_ROOT: Final = (
    *("--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/sbin", "/sbin"),
    *("--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64", "--proc", "/proc"),
    *("--dir", "/etc", "--dir", "/dev", "--dir", INPUT_ROOT),
    # Not --dev: its tmpfs has no size, and /dev/zero gives shared memory that no limit counts.
    *("--dev-bind", "/dev/null", "/dev/null", "--dev-bind", "/dev/urandom", "/dev/urandom"),
    *("--symlink", "/proc/self/fd", "/dev/fd", "--symlink", "/proc/self/fd/0", "/dev/stdin"),
    *("--symlink", "/proc/self/fd/1", "/dev/stdout", "--symlink", "/proc/self/fd/2", "/dev/stderr"),
)


@dataclass(frozen=True, slots=True)
class Command:
    """A bubblewrap command ready to start, with the descriptors it inherits."""

    argv: tuple[str, ...]
    descriptors: tuple[int, ...]
    status: int
    """The reading end of bubblewrap's status: lines of JSON."""


@contextmanager
def prepared(bwrap: str, job: SandboxJob, *, first_process: bool) -> Iterator[Command]:
    """Hold the descriptors of one job's command open for the length of the block.

    `first_process`: the command is process 1 inside, which nothing inside can signal, and must reap.

    Raises: ConfigurationError when the job's inputs, argv or environment cannot be put inside.
    """
    _refuse_unusable(job)
    with ExitStack() as held:
        status, status_writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        held.callback(os.close, status)
        held.callback(os.close, status_writer)
        seccomp = _memory_file(held, filter_bytes())
        contents = [_memory_file(held, file.content) for file in job.inputs]
        arguments = (
            *_NAMESPACES,
            *("--json-status-fd", str(status_writer), "--seccomp", str(seccomp)),
            *(("--as-pid-1",) if first_process else ()),
            *_file_system(job, contents),
            *_environment(job),
        )
        listed = _memory_file(held, b"".join(word.encode() + b"\0" for word in arguments))
        yield Command(
            argv=(bwrap, "--args", str(listed), "--", *_limited(job), *job.argv),
            descriptors=(status_writer, seccomp, listed, *contents),
            status=status,
        )


def _file_system(job: SandboxJob, contents: list[int]) -> Iterator[str]:
    """Yield the mounts: the root, each input, the writable places, then the root made read-only."""
    yield from _ROOT
    for file, descriptor in zip(job.inputs, contents, strict=True):
        yield from ("--perms", "0444", "--ro-bind-data", str(descriptor), f"{INPUT_ROOT}/{file.path}")
    scratch = str(job.limits.scratch_bytes)
    yield from ("--perms", "0700", "--size", scratch, "--tmpfs", SCRATCH_ROOT)
    if job.folder is None:
        yield from ("--perms", "0700", "--size", scratch, "--tmpfs", WORK_ROOT)
    else:
        yield from ("--bind", job.folder, WORK_ROOT)
    yield from ("--remount-ro", "/", "--chdir", WORK_ROOT)


def _environment(job: SandboxJob) -> Iterator[str]:
    """Yield the whole environment inside: ours, then what the job adds or changes."""
    for name, value in {**dict(_ENVIRONMENT), **dict(job.environment)}.items():
        yield from ("--setenv", name, value)


def _limited(job: SandboxJob) -> tuple[str, ...]:
    """Return the prefix that sets the limits inside, where they bind the job and not bubblewrap."""
    limits = job.limits
    return (
        "/usr/bin/prlimit",
        f"--as={limits.memory_bytes}",
        f"--cpu={limits.cpu_s}:{limits.cpu_s + 1}",
        f"--fsize={limits.file_bytes}",
        f"--nproc={limits.processes}",
        f"--nofile={limits.open_files}",
        f"--stack={_STACK_BYTES}",
        "--core=0",
        "--memlock=0",
        "--msgqueue=0",
    )


def _refuse_unusable(job: SandboxJob) -> None:
    """Refuse inputs outside the input root, too many or too much, and text no argument can hold."""
    if not job.argv or not job.argv[0].startswith("/"):
        raise ConfigurationError("A sandboxed job needs a command that starts with an absolute path.")
    if len(job.inputs) > INPUTS_MAX or sum(len(file.content) for file in job.inputs) > INPUT_BYTES_MAX:
        raise ConfigurationError(
            f"A sandboxed job takes at most {INPUTS_MAX} inputs of {INPUT_BYTES_MAX} bytes together."
        )
    paths = [file.path for file in job.inputs]
    for path in paths:
        if path.startswith("/") or any(part in ("", ".", "..") for part in path.split("/")):
            raise ConfigurationError(f"The sandbox input path {path!r} is not a plain relative path.")
    if len(set(paths)) != len(paths):
        raise ConfigurationError("Two sandbox inputs have the same path.")
    words = (*job.argv, *paths, *(part for pair in job.environment for part in pair))
    if any("\0" in word for word in words):
        raise ConfigurationError("A sandboxed job's command, paths and environment hold no NUL character.")


def _memory_file(held: ExitStack, content: bytes) -> int:
    """Return a descriptor of an anonymous file with this content, positioned at its start."""
    descriptor = os.memfd_create("odeu-input", os.MFD_CLOEXEC)
    held.callback(os.close, descriptor)
    with os.fdopen(os.dup(descriptor), "wb") as file:
        file.write(content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
