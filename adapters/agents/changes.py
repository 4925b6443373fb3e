"""What a run changed in its folder, as the host sees it: one sentence, without following a link.

An observation for people to read; what a candidate holds is decided by sealing alone.
"""

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from typing import Final

ENTRIES_MAX: Final = 20_000
NAMED_MAX: Final = 12
HASHED_BYTES_MAX: Final = 8 * 1024 * 1024


def folder_state(folder: str) -> dict[str, str]:
    """Return a mark for every entry under a folder that is no folder: equal marks, unchanged entry.

    Shape:  at most 20,000 entries; what lies beyond is not looked at.
    """
    state: dict[str, str] = {}
    for entry in _entries(folder):
        if len(state) >= ENTRIES_MAX:
            break
        state[os.path.relpath(entry.path, folder)] = _mark(entry)
    return state


def changes_sentence(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Say which paths were added, changed and removed, naming the first dozen."""
    added = sorted(after.keys() - before.keys())
    removed = sorted(before.keys() - after.keys())
    changed = sorted(path for path in before.keys() & after.keys() if before[path] != after[path])
    named = [
        *(f"changed {_shown(path)}" for path in changed),
        *(f"added {_shown(path)}" for path in added),
        *(f"removed {_shown(path)}" for path in removed),
    ]
    if not named:
        return "No file changed."
    more = f", and {len(named) - NAMED_MAX} more" if len(named) > NAMED_MAX else ""
    listed = ", ".join(named[:NAMED_MAX])
    return f"{listed[0].upper()}{listed[1:]}{more}."


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    waiting = [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as found:
                for entry in found:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        yield entry
        except OSError:
            continue


def _mark(entry: os.DirEntry[str]) -> str:
    """Return what stands for an entry's content: its kind and mode, and for a small file its bytes."""
    try:
        facts = entry.stat(follow_symlinks=False)
        kind = f"{facts.st_mode:o}"
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > HASHED_BYTES_MAX:
            return f"{kind} {facts.st_size} {facts.st_mtime_ns}"
        descriptor = os.open(entry.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            return f"{kind} {hashlib.sha256(file.read(HASHED_BYTES_MAX)).hexdigest()}"
    except OSError:
        return "unreadable"


def _shown(path: str) -> str:
    """Return a path as text that cannot mislead: anything but plain printable characters is escaped."""
    shown = path if path.isprintable() else ascii(path)
    return shown if len(shown) <= 200 else f"{shown[:199]}\u2026"  # noqa: PLR2004 - a line's worth
