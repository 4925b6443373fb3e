"""The master key's file, and how one key takes the place of another without a moment in which neither opens.

A change writes the new key aside, lets the database be rewritten in one transaction, and then renames the new
file over the old one. Whatever ends the process in between, one of the two files opens the database, and the
next change, or `finish`, settles which. Owns the files; which key is in force is the vault's finding.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from adapters.ledger.vault import Entropy, MasterKey
from kernel.errors import ConfigurationError


class MasterFile:
    """The file of the master key and, during a change, the file of the next one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._next = path.with_name(f"{path.name}.next")
        self._seen: object = None

    def moved(self) -> bool:
        """Tell whether a file is another one since `candidates` was asked last, or a change goes on right now."""
        found = self._look()
        return found[1] is not None or found != self._seen

    def candidates(self) -> tuple[MasterKey, ...]:
        """Return the key, and the next one while a change is not finished.

        Raises: ConfigurationError when there is none, or when a file is not private or not a key.
        """
        self._seen = self._look()
        first = MasterKey.load(self._path)
        try:
            return (first, MasterKey.load(self._next)) if self._next.exists() else (first,)
        except ConfigurationError:
            # The change ended between the two looks.
            if self._next.exists():
                raise
            return self.candidates()

    def _look(self) -> tuple[object, object]:
        return _facts(self._path), _facts(self._next)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Keep every other change out, in any process, for the block."""
        descriptor = os.open(
            self._path.with_name(f"{self._path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
        )
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def begin(self, entropy: Entropy) -> MasterKey:
        """Write the next key aside, durably, and return it."""
        return MasterKey.create(self._next, entropy)

    def abandon(self) -> None:
        """Let go of a next key that never came into force."""
        self._next.unlink(missing_ok=True)

    def finish(self) -> None:
        """Put the next key in place of the old one, whose bytes are overwritten first."""
        if not self._next.exists():
            return
        with self._path.open("r+b") as old:
            old.write(bytes(os.fstat(old.fileno()).st_size))
            old.flush()
            os.fsync(old.fileno())
        self._next.replace(self._path)
        folder = os.open(self._path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _facts(path: Path) -> tuple[int, int, int] | None:
    try:
        facts = path.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    return facts.st_ino, facts.st_mtime_ns, facts.st_size
