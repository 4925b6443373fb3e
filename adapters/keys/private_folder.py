"""A folder that only this user can read, used through its descriptor.

Owns the file discipline of keys and of the promotion journal: no symbolic link anywhere on the path, 0700 and
0600, the owner is the effective uid, writes are durable before they are visible. Does not own what a file means.
"""

import contextlib
import errno
import fcntl
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Final, Self

from kernel.errors import BoundaryError, ConfigurationError

FILE_BYTES_MAX: Final = 1024 * 1024
"""Largest file that is read or written."""

_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]{0,199}", re.ASCII)
_ANCHOR: Final = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: a fifo put in place of a file must not stop us before it is refused.
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_WRITE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_PART: Final = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_LOCK: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_POLL_S: Final = 0.002


class PrivateFolder:
    """An open private folder. Every refusal is an error of the class it was opened with; close it after use."""

    def __init__(self, descriptor: int, refusal: type[BoundaryError]) -> None:
        self._descriptor = descriptor
        self._refusal = refusal
        self._facts = os.fstat(descriptor)

    @classmethod
    def open(cls, path: str, *, refusal: type[BoundaryError] = ConfigurationError) -> "PrivateFolder":
        """Open the folder at an absolute path, creating its last component with mode 0700 when it is absent.

        Raises: the `refusal` class when a component is a symbolic link or no folder, or when the folder is
                another user's or open to others.
        """
        parts = PurePosixPath(path).parts
        if not path.startswith("/") or ".." in parts or len(parts) < 2:  # noqa: PLR2004 - the root and a name
            raise refusal(
                f"the private folder {PurePosixPath(path).name!r} must be named by an absolute path"
            )
        with _translated(refusal, f"the folder {parts[-1]!r} cannot be opened without following a link"):
            parent = os.open("/", _ANCHOR)
            try:
                for part in parts[1:-1]:
                    parent = _step(parent, part)
                return cls(_open_private(parent, parts[-1], refusal), refusal)
            finally:
                os.close(parent)

    def inside(self, name: str) -> "PrivateFolder":
        """Open a folder inside this one under the same rules, creating it when it is absent."""
        self._require_name(name)
        with _translated(self._refusal, f"the folder {name!r} cannot be opened"):
            return PrivateFolder(_open_private(self._descriptor, name, self._refusal), self._refusal)

    def close(self) -> None:
        """Let go of the folder."""
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def names(self) -> tuple[str, ...]:
        """Return the names in the folder, sorted; unfinished temporary files, which start with a dot, left out."""
        with _translated(self._refusal, "the private folder cannot be listed"):
            names = os.listdir(self._descriptor)  # noqa: PTH208 - a path could lead to another folder by now
            return tuple(sorted(name for name in names if not name.startswith(".")))

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a private file, or None when there is no such name.

        Raises: the refusal class for a link, another kind of file, another owner, an open mode or too many bytes.
        """
        self._require_name(name)
        with _translated(self._refusal, f"the private file {name!r} cannot be read safely"):
            try:
                descriptor = os.open(name, _READ, dir_fd=self._descriptor)
            except FileNotFoundError:
                return None
            try:
                self._require_private_file(descriptor, name)
                return _read_bounded(descriptor)
            finally:
                os.close(descriptor)

    def create(self, name: str, content: bytes) -> bool:
        """Write a file durably under a name that is free; return False, and change nothing, when it is taken.

        The bytes are complete and synced before the name exists, and the name is synced before this returns.
        """
        self._require_name(name)
        with _translated(self._refusal, f"the private file {name!r} cannot be written"):
            temporary = self._write_temporary(name, content)
            try:
                os.link(
                    temporary,
                    name,
                    src_dir_fd=self._descriptor,
                    dst_dir_fd=self._descriptor,
                    follow_symlinks=False,
                )
                os.fsync(self._descriptor)
            except FileExistsError:
                return False
            finally:
                os.unlink(temporary, dir_fd=self._descriptor)
            os.fsync(self._descriptor)
            return True

    def replace(self, name: str, content: bytes) -> None:
        """Write a file, or put new bytes in place of the old ones, so that a reader sees one or the other."""
        self._require_name(name)
        with _translated(self._refusal, f"the private file {name!r} cannot be written"):
            temporary = self._write_temporary(name, content)
            os.rename(temporary, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
            os.fsync(self._descriptor)

    @contextlib.contextmanager
    def locked(self, name: str, *, wait_s: float) -> Iterator[None]:
        """Hold an exclusive lock that the machine's kernel releases when this process ends, however it ends.

        Raises: the refusal class with the code `busy` when somebody else holds it for `wait_s` seconds.
        """
        descriptor = self.open_lock(name)
        try:
            self.wait_for(descriptor, name, wait_s=wait_s)
            yield
        finally:
            os.close(descriptor)

    def open_lock(self, name: str) -> int:
        """Open the file of a lock, made when it is absent, and return its descriptor: the caller closes it."""
        self._require_name(name)
        with _translated(self._refusal, f"the lock {name!r} cannot be opened safely"):
            descriptor = os.open(name, _LOCK, 0o600, dir_fd=self._descriptor)
        return self._checked(descriptor, name)

    def open_part(self, name: str) -> int | None:
        """Open an existing file to read and overwrite parts of it; return its descriptor, or None.

        The caller closes it, and asks `leads_to` before it is used again.
        """
        self._require_name(name)
        with _translated(self._refusal, f"the private file {name!r} cannot be opened safely"):
            try:
                descriptor = os.open(name, _PART, dir_fd=self._descriptor)
            except FileNotFoundError:
                return None
        return self._checked(descriptor, name)

    def leads_to(self, name: str, held: os.stat_result) -> bool:
        """Tell whether the name still stands for the open file with these facts, and the file is still private.

        Raises: the refusal class when what the name stands for is open to others.
        """
        try:
            found = os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)
        except OSError:
            # Whoever opens it anew is told why that fails.
            return False
        _require_owned(found, name, self._refusal)
        return os.path.samestat(found, held)

    def is_at(self, path: Path) -> bool:
        """Tell whether this is the folder that now stands at an absolute path, and it is still private."""
        try:
            found = path.stat(follow_symlinks=False)
        except OSError:
            return False
        _require_owned(found, path.name, self._refusal)
        return os.path.samestat(found, self._facts)

    def remove(self, name: str) -> None:
        """Remove a file durably."""
        self._require_name(name)
        with _translated(self._refusal, f"the private file {name!r} cannot be removed"):
            os.unlink(name, dir_fd=self._descriptor)
            os.fsync(self._descriptor)

    def _checked(self, descriptor: int, name: str) -> int:
        try:
            self._require_private_file(descriptor, name)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def wait_for(self, descriptor: int, name: str, *, wait_s: float) -> None:
        """Take the lock of an open file. Raises: the refusal class, code `busy`, when it is not free in time."""
        end = time.monotonic() + wait_s
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError as err:
                if time.monotonic() >= end:
                    message = f"another process holds the lock {name!r}; try again when it is done"
                    raise self._refusal(message, code="busy") from err
            time.sleep(_POLL_S)

    def _write_temporary(self, name: str, content: bytes) -> str:
        if len(content) > FILE_BYTES_MAX:
            raise self._refusal(f"the private file {name!r} would be larger than {FILE_BYTES_MAX} bytes")
        temporary = f".{name}.{os.getpid()}.{secrets.token_hex(8)}.tmp"
        descriptor = os.open(temporary, _WRITE, 0o600, dir_fd=self._descriptor)
        try:
            _write_all(descriptor, content)
            os.fsync(descriptor)
            self._require_private_file(descriptor, name)
            if os.fstat(descriptor).st_size != len(content):
                raise self._refusal(f"the private file {name!r} did not take all its bytes")
        except BaseException:
            os.unlink(temporary, dir_fd=self._descriptor)
            raise
        finally:
            os.close(descriptor)
        return temporary

    def _require_private_file(self, descriptor: int, name: str) -> None:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise self._refusal(f"{name!r} is no regular file; put it aside and look at who made it")
        _require_owned(facts, name, self._refusal)

    def _require_name(self, name: str) -> None:
        if _NAME.fullmatch(name) is None or ".." in name:
            raise self._refusal(f"{name[:80]!r} cannot be the name of a private file")


def _step(parent: int, part: str) -> int:
    try:
        return os.open(part, _ANCHOR, dir_fd=parent)
    finally:
        os.close(parent)


def _open_private(parent: int, name: str, refusal: type[BoundaryError]) -> int:
    try:
        os.mkdir(name, 0o700, dir_fd=parent)
        _sync_folder(parent)
    except FileExistsError:
        pass
    except OSError as err:
        # A folder that is already there on a read-only disk can still be read.
        if err.errno not in {errno.EROFS, errno.EACCES}:
            raise
    descriptor = os.open(name, _FOLDER, dir_fd=parent)
    try:
        _require_owned(os.fstat(descriptor), name, refusal)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _sync_folder(anchor: int) -> None:
    descriptor = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=anchor)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _require_owned(facts: os.stat_result, name: str, refusal: type[BoundaryError]) -> None:
    if facts.st_uid != os.geteuid():
        raise refusal(f"{name!r} belongs to uid {facts.st_uid}, not to this user; nothing in it is trusted")
    if facts.st_mode & 0o077:
        mode = stat.S_IMODE(facts.st_mode)
        raise refusal(
            f"{name!r} is open to others (mode {mode:04o}); make it private and check what it holds"
        )


def _read_bounded(descriptor: int) -> bytes:
    content = bytearray()
    while chunk := os.read(descriptor, 65536):
        content += chunk
        if len(content) > FILE_BYTES_MAX:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return bytes(content)


def _write_all(descriptor: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


@contextlib.contextmanager
def _translated(refusal: type[BoundaryError], sentence: str) -> Iterator[None]:
    try:
        yield
    except OSError as err:
        reason = os.strerror(err.errno) if err.errno else type(err).__name__
        raise refusal(f"{sentence}: {reason}") from err
