"""Making what was written survive a power cut: objects, refs, and the folders that name them.

libgit2 syncs a new object, but neither an object that a crashed attempt left unsynced nor the fan-out folder it
created. So after a write everything it relies on is synced here once more, by name.
"""

import os
import stat
from collections.abc import Iterable
from pathlib import Path


def sync_path(path: Path) -> None:
    """Sync one regular file or folder; a path that does not exist is fine, it is in a pack then."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_objects(git_dir: str, object_ids: Iterable[str]) -> None:
    """Sync loose objects, then their fan-out folders, then the object folder."""
    store = Path(git_dir, "objects")
    files = {store / object_id[:2] / object_id[2:] for object_id in object_ids}
    for path in (*sorted(files), *sorted({file.parent for file in files}), store):
        sync_path(path)


def sync_ref(git_dir: str, ref: str) -> None:
    """Sync a loose ref and every folder from it up to the repository's root."""
    path = Path(git_dir, ref)
    sync_path(path)
    while path != Path(git_dir):
        path = path.parent
        sync_path(path)
