"""Which installation a data folder holds: its id and its world ledger, in one small private file."""

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kernel.errors import ConfigurationError

FILE: Final = "installation.json"
_ID: Final = re.compile(r"[a-z0-9]{8,32}")
_WORLD: Final = re.compile(r"project_[0-9a-z]{26}")


@dataclass(frozen=True, slots=True)
class Installation:
    """The identity of a data folder."""

    installation_id: str
    world_id: str


def read_installation(data_folder: Path) -> Installation | None:
    """Return the installation of a data folder, or None when it has none.

    Raises: ConfigurationError when the file is there and says nothing usable.
    """
    path = data_folder / FILE
    if not path.exists():
        return None
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        installation_id, world_id = str(record["installation_id"]), str(record["world_id"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        message = f"{FILE} in the data folder cannot be read: {error}; restore it from a backup"
        raise ConfigurationError(message) from error
    if not _ID.fullmatch(installation_id) or not _WORLD.fullmatch(world_id):
        message = f"{FILE} in the data folder names no installation; restore it from a backup"
        raise ConfigurationError(message)
    return Installation(installation_id, world_id)


def write_installation(data_folder: Path, installation: Installation) -> None:
    """Write the file once, durably."""
    record = {"installation_id": installation.installation_id, "world_id": installation.world_id}
    draft = data_folder / f".{FILE}.new"
    with draft.open("w", encoding="utf-8") as file:
        file.write(json.dumps(record, indent=1, sort_keys=True) + "\n")
        file.flush()
        os.fsync(file.fileno())
    draft.chmod(0o600)
    draft.rename(data_folder / FILE)
    descriptor = os.open(data_folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
