"""Tombstones: which captures were erased, in small files outside the database.

A database put back from an older copy has the words again; the tombstone says that they must go. A tombstone
holds ids and a moment, never a word of what was erased.
"""

import json
import os
import re
from pathlib import Path
from typing import Final

from kernel.canonical import canonical_bytes
from kernel.errors import ConfigurationError
from kernel.events.stored import Tombstone

_NAME: Final = re.compile(r"(source_[0-9a-z]{26})\.json", re.ASCII)
_FIELDS: Final = {"at", "ledger", "source"}


class Tombstones:
    """The folder of tombstones, one file per erased capture."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, stone: Tombstone) -> None:
        """Write one durably; one that is there stays as it is."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        path = self._folder / f"{stone.source_id}.json"
        if path.exists():
            return
        draft = self._folder / f".{stone.source_id}.new"
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(
                canonical_bytes({"at": stone.at, "ledger": stone.ledger_id, "source": stone.source_id})
            )
            file.flush()
            os.fsync(descriptor)
        draft.replace(path)
        for place in (self._folder, self._folder.parent):
            folder = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def all(self) -> tuple[Tombstone, ...]:
        """Return every tombstone, sorted by capture.

        Raises: ConfigurationError when one cannot be read: forgetting an erasure must be a decision.
        """
        if not self._folder.is_dir():
            return ()
        names = sorted(path.name for path in self._folder.iterdir() if _NAME.fullmatch(path.name))
        return tuple(self._read(name) for name in names)

    def _read(self, name: str) -> Tombstone:
        try:
            record = json.loads((self._folder / name).read_bytes())
            if set(record) != _FIELDS or f"{record['source']}.json" != name:
                raise ValueError(name)
            return Tombstone(str(record["ledger"]), str(record["source"]), str(record["at"]))
        except (OSError, ValueError, TypeError, KeyError) as error:
            message = (
                f"the tombstone {name} cannot be read; restore the folder {self._folder.name!r} from a backup"
            )
            raise ConfigurationError(message) from error
