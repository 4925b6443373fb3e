"""Read a host-owned harness folder once, safely, and digest exactly the bytes that were read.

A harness judges; whoever can write it can pass anything. So every file and folder must belong to this server's
user or to root, be writable by no other, and be no link. What is used later is what was digested here, from
memory. This module does not know what the files mean.
"""

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from kernel.canonical import digest
from kernel.errors import ConfigurationError

FILES_MAX: Final = 128
BYTES_MAX: Final = 8 * 1024 * 1024
DEPTH_MAX: Final = 8
_DOMAIN: Final = "odeu.harness.v1"
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class HarnessFiles:
    """The bytes of a harness folder by relative path, in path order, and their digest."""

    files: tuple[tuple[str, bytes], ...]
    digest: str

    def content(self, path: str) -> bytes:
        """Return one file's bytes.

        Raises: ConfigurationError when the harness has no such file.
        """
        for name, content in self.files:
            if name == path:
                return content
        raise ConfigurationError(f"The harness has no file {path!r}.", code="harness_invalid")


def harness_digest(folder: str) -> str:
    """Return the digest of a harness folder: what configuration pins it to.

    Raises: ConfigurationError when the folder is unsafe, unreadable or over a limit.
    """
    return read_harness(folder).digest


def read_harness(folder: str) -> HarnessFiles:
    """Read a whole harness folder through descriptors that follow no link.

    Shape:  at most 128 files of 8 MiB together, 8 folders deep.
    Raises: ConfigurationError when the folder is unsafe, unreadable or over a limit.
    """
    try:
        root = os.open(folder, _FOLDER)
        try:
            files = tuple(sorted(_within_limits(_walk(root, "", 0))))
        finally:
            os.close(root)
    except OSError as error:
        raise ConfigurationError(
            f"The harness folder cannot be read: {error}.", code="harness_invalid"
        ) from error
    listed = [[path, len(content), hashlib.sha256(content).hexdigest()] for path, content in files]
    return HarnessFiles(files=files, digest=digest(_DOMAIN, listed))


def _walk(folder: int, prefix: str, depth: int) -> Iterator[tuple[str, bytes]]:
    """Yield every file under an open folder; anything that is neither file nor folder is refused."""
    _refuse_unsafe(os.fstat(folder), prefix or ".")
    if depth > DEPTH_MAX:
        raise ConfigurationError("The harness folder is too deep.", code="harness_invalid")
    for name in os.listdir(folder):
        path = f"{prefix}{name}"
        kind = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        if stat.S_ISDIR(kind):
            inner = os.open(name, _FOLDER, dir_fd=folder)
            try:
                yield from _walk(inner, f"{path}/", depth + 1)
            finally:
                os.close(inner)
        else:
            yield path, _read_file(folder, name, path)


def _read_file(folder: int, name: str, path: str) -> bytes:
    descriptor = os.open(name, _FILE, dir_fd=folder)
    with os.fdopen(descriptor, "rb") as file:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise ConfigurationError(f"The harness entry {path!r} is not a file.", code="harness_invalid")
        _refuse_unsafe(facts, path)
        return file.read(BYTES_MAX + 1)


def _refuse_unsafe(facts: os.stat_result, path: str) -> None:
    if facts.st_uid not in (0, os.geteuid()) or facts.st_mode & 0o022:
        raise ConfigurationError(
            f"The harness entry {path!r} can be changed by others; it must belong to this server's user and be "
            "writable by no one else.",
            code="harness_unsafe",
        )


def _within_limits(files: Iterator[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    total = 0
    for count, (path, content) in enumerate(files, start=1):
        total += len(content)
        if count > FILES_MAX or total > BYTES_MAX:
            raise ConfigurationError(
                f"The harness folder holds more than {FILES_MAX} files or {BYTES_MAX} bytes.",
                code="harness_invalid",
            )
        yield path, content
