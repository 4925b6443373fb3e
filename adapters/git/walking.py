"""Reading a folder that hostile code wrote, without being led anywhere.

Every step is taken by descriptor from the folder's own descriptor and follows no link, so no name can lead out.
Only regular files with one link are read, and the bytes returned here are the bytes that get hashed and stored: a
file is opened once and read once. Caps are enforced before the work they bound.
Does not own: which changes a run may make (`sealing`).
"""

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from adapters.git.objects import EXECUTABLE, REGULAR
from adapters.git.paths import colliding_paths, path_problem, shown
from kernel.errors import SealRefusedError

_OPEN_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OPEN_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_SPECIAL_BITS: Final = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX
_BLOCK_BYTES: Final = 512
_SPARSE_SLACK_BYTES: Final = 1024 * 1024

_KINDS: Final = (
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISBLK, "a block device"),
    (stat.S_ISCHR, "a character device"),
)


@dataclass(frozen=True, slots=True)
class FolderLimits:
    """How much a run may leave behind. Entries count files and folders; sizes in bytes."""

    entries: int = 10_000
    total_bytes: int = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class FoundFile:
    """One file as read: the Git mode its owner's execute bit means, and its bytes."""

    mode: int
    content: bytes


def read_folder(path: Path, limits: FolderLimits) -> dict[str, FoundFile]:
    """Return every file under `path` by its relative path.

    Shape:  safe, unique paths that no file system confuses; empty folders leave no trace.
    Raises: SealRefusedError: `unsafe_path`, `unsupported_file`, `unsupported_mode`, `too_many_files`, `too_large`,
            `git_failed` when the disk fails.
    """
    reading = _Reading(limits)
    try:
        top = os.open(path, _OPEN_FOLDER)
        try:
            reading.folder(top, "")
        finally:
            os.close(top)
    except OSError as err:
        if err.errno in {errno.ELOOP, errno.ENOTDIR}:
            raise SealRefusedError("the run folder is a link or no folder", code="unsupported_file") from err
        raise SealRefusedError(f"the run folder cannot be read: {err.strerror}", code="git_failed") from err
    if pair := colliding_paths(reading.files):
        message = f"the paths {shown(pair[0])} and {shown(pair[1])} differ only in case or Unicode form"
        raise SealRefusedError(message, code="unsafe_path")
    return reading.files


class _Reading:
    """One walk: what was found so far and what is left of the limits. The depth of a lawful path bounds the descriptors."""

    def __init__(self, limits: FolderLimits) -> None:
        self.files: dict[str, FoundFile] = {}
        self._limits = limits
        self._entries_left = limits.entries
        self._bytes_left = limits.total_bytes

    def folder(self, descriptor: int, prefix: str) -> None:
        """Read what one open folder holds, in name order so that the first refusal is always the same."""
        for name in self._names(descriptor):
            path = prefix + name
            if problem := path_problem(path):
                raise SealRefusedError(problem, code="unsafe_path")
            facts = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            if stat.S_ISDIR(facts.st_mode):
                self._inner_folder(descriptor, name, path)
            else:
                self._file(descriptor, name, path)

    def _names(self, descriptor: int) -> list[str]:
        names = []
        with os.scandir(descriptor) as entries:
            for entry in entries:
                self._entries_left -= 1
                if self._entries_left < 0:
                    message = f"the run left more than {self._limits.entries} files and folders"
                    raise SealRefusedError(message, code="too_many_files")
                names.append(entry.name)
        return sorted(names)

    def _inner_folder(self, parent: int, name: str, path: str) -> None:
        try:
            descriptor = os.open(name, _OPEN_FOLDER, dir_fd=parent)
        except PermissionError as err:
            message = f"the folder {shown(path)} takes away the right to read it"
            raise SealRefusedError(message, code="unsupported_mode") from err
        try:
            self.folder(descriptor, f"{path}/")
        finally:
            os.close(descriptor)

    def _file(self, parent: int, name: str, path: str) -> None:
        try:
            _require_plain(os.stat(name, dir_fd=parent, follow_symlinks=False), path)
            descriptor = os.open(name, _OPEN_FILE, dir_fd=parent)
        except PermissionError as err:
            message = f"the file {shown(path)} takes away the right to read it"
            raise SealRefusedError(message, code="unsupported_mode") from err
        try:
            before = os.fstat(descriptor)
            _require_plain(before, path)
            self._take_room(before, path)
            content = _read_exactly(descriptor, before.st_size)
            after = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        if content is None or _state(before) != _state(after):
            message = f"the file {shown(path)} changed while it was read"
            raise SealRefusedError(message, code="unsupported_file")
        executable = bool(before.st_mode & stat.S_IXUSR)
        self.files[path] = FoundFile(EXECUTABLE if executable else REGULAR, content)

    def _take_room(self, facts: os.stat_result, path: str) -> None:
        """Refuse a file before a byte of it is read: too large, or mostly holes that cost its maker nothing."""
        if facts.st_size > self._bytes_left:
            message = f"with the file {shown(path)} the run left more than {self._limits.total_bytes} bytes"
            raise SealRefusedError(message, code="too_large")
        if facts.st_size > facts.st_blocks * _BLOCK_BYTES + _SPARSE_SLACK_BYTES:
            raise SealRefusedError(f"the file {shown(path)} is mostly holes", code="unsupported_file")
        self._bytes_left -= facts.st_size


def _require_plain(facts: os.stat_result, path: str) -> None:
    """Refuse everything but a regular file that no other name shares, without special mode bits."""
    if not stat.S_ISREG(facts.st_mode):
        kind = next((words for test, words in _KINDS if test(facts.st_mode)), "no plain file")
        raise SealRefusedError(f"the path {shown(path)} is {kind}", code="unsupported_file")
    if facts.st_nlink != 1:
        message = f"the file {shown(path)} has {facts.st_nlink} links; only a file with one name is sealed"
        raise SealRefusedError(message, code="unsupported_file")
    if facts.st_mode & _SPECIAL_BITS:
        message = f"the file {shown(path)} has mode {stat.S_IMODE(facts.st_mode):o}; set-id and sticky bits are refused"
        raise SealRefusedError(message, code="unsupported_mode")


def _read_exactly(descriptor: int, size: int) -> bytes | None:
    """Return `size` bytes, or None when the file is shorter or longer."""
    content = bytearray()
    while len(content) <= size:
        part = os.read(descriptor, min(1024 * 1024, size + 1 - len(content)))
        if not part:
            break
        content += part
    return bytes(content) if len(content) == size else None


def _state(facts: os.stat_result) -> tuple[int, ...]:
    return (facts.st_dev, facts.st_ino, facts.st_mode, facts.st_nlink, facts.st_size, facts.st_mtime_ns)
