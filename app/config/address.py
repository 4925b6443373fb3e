"""Where the running server answers: its origin and process in one small private file, so that links name the right port."""

import json
import os
from pathlib import Path
from typing import Final

FILE: Final = "serving.json"


def record_address(data_folder: Path, origin: str) -> None:
    """Say that this process serves the data folder at `origin`, until `forget_address`."""
    draft = data_folder / f".{FILE}.new"
    draft.write_text(json.dumps({"origin": origin, "pid": os.getpid()}) + "\n", encoding="utf-8")
    draft.chmod(0o600)
    draft.rename(data_folder / FILE)


def forget_address(data_folder: Path) -> None:
    """Take back what this process said; what another one said since stays."""
    said = _read(data_folder)
    if said is not None and said[1] == os.getpid():
        (data_folder / FILE).unlink(missing_ok=True)


def address_in_use(data_folder: Path) -> str | None:
    """Return the origin of the server that runs now, or None.

    A server that was killed leaves its file behind; it counts only while its process lives.
    """
    said = _read(data_folder)
    return said[0] if said is not None and _is_alive(said[1]) else None


def _read(data_folder: Path) -> tuple[str, int] | None:
    try:
        record = json.loads((data_folder / FILE).read_text(encoding="utf-8"))
        return str(record["origin"]), int(record["pid"])
    except (OSError, ValueError, KeyError, TypeError):
        # It only makes a link convenient: one that cannot be read is as good as none.
        return None


def _is_alive(pid: int) -> bool:
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
