"""A registered worker program: the host's own files and the command that starts them, from configuration.

Nothing of it comes from a browser or a run. Its files must belong to this server's user or to root and be
writable by no other, and they travel into the sandbox as bytes.
"""

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from kernel.canonical import digest
from kernel.errors import ConfigurationError
from kernel.values.execution import FileInput, Limits

PROGRAM_ROOT: Final = "program"
"""Where a program's files stand inside, under `/box/in`."""

FILES_MAX: Final = 64
BYTES_MAX: Final = 4 * 1024 * 1024
_DOMAIN: Final = "odeu.program.v1"
_UNSAFE_BITS: Final = 0o022
_LIMITS: Final = Limits(cpu_s=60)


@dataclass(frozen=True, slots=True)
class ScriptedProgram:
    """One configured runtime of kind `scripted`."""

    label: str
    """What it is, truthfully, such as `Scripted worker (no model)`."""
    folder: str
    """The host-owned folder of its files; no folders inside."""
    argv: tuple[str, ...]
    """The command inside the sandbox; `{program}` in a word stands for the folder's place there."""
    deadline_s: int
    limits: Limits = _LIMITS

    def command(self) -> tuple[str, ...]:
        """Return the command with `{program}` filled in."""
        return tuple(word.replace("{program}", f"/box/in/{PROGRAM_ROOT}") for word in self.argv)


def program_files(program: ScriptedProgram) -> tuple[FileInput, ...]:
    """Return the program's files as inputs of a sandbox, in name order.

    Shape:  at least 1 and at most 64 files, 4 MiB together.
    Raises: ConfigurationError when the folder is unreadable, unsafe, empty or over a limit.
    """
    try:
        folder = os.open(program.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            _refuse_unsafe(os.fstat(folder), ".")
            files = tuple(_files(folder))
        finally:
            os.close(folder)
    except OSError as error:
        raise ConfigurationError(f"The worker program's folder cannot be read: {error}.") from error
    if not files or sum(len(file.content) for file in files) > BYTES_MAX:
        raise ConfigurationError(
            f"A worker program has 1 to {FILES_MAX} files of at most {BYTES_MAX} bytes together."
        )
    return files


def program_digest(program: ScriptedProgram) -> str:
    """Return the digest of what a runtime is: its command and its files' bytes.

    Raises: ConfigurationError when the folder cannot be read safely.
    """
    return digest_of(program, program_files(program))


def digest_of(program: ScriptedProgram, files: tuple[FileInput, ...]) -> str:
    """Return the digest of a runtime whose files have been read: of exactly the bytes that will run."""
    listed = [[file.path, hashlib.sha256(file.content).hexdigest()] for file in files]
    return digest(_DOMAIN, {"argv": program.argv, "files": listed})


def _files(folder: int) -> Iterator[FileInput]:
    names = sorted(os.listdir(folder))
    if len(names) > FILES_MAX:
        raise ConfigurationError(f"A worker program has at most {FILES_MAX} files.")
    for name in names:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(name, flags, dir_fd=folder)
        with os.fdopen(descriptor, "rb") as file:
            facts = os.fstat(descriptor)
            if not stat.S_ISREG(facts.st_mode):
                raise ConfigurationError(f"The worker program's entry {name!r} is not a file.")
            _refuse_unsafe(facts, name)
            yield FileInput(f"{PROGRAM_ROOT}/{name}", file.read(BYTES_MAX + 1))


def _refuse_unsafe(facts: os.stat_result, name: str) -> None:
    if facts.st_uid not in (0, os.geteuid()) or facts.st_mode & _UNSAFE_BITS:
        raise ConfigurationError(
            f"The worker program's entry {name!r} can be changed by others; it must belong to this server's user "
            "and be writable by no one else."
        )
