"""Removing a folder that hostile code filled: no link followed, no recursion, few descriptors.

A tree may be ten thousand folders deep, beyond what recursion or open descriptors bear. So a folder met inside
another is first lifted to the top under a fresh name, and the top is emptied until nothing is left: one descriptor
for the top and one for the folder in hand, however deep the tree was.
"""

import os
import stat
from itertools import count
from pathlib import Path
from typing import Final

_OPEN_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_folder(path: Path) -> None:
    """Remove the folder at `path` and all it holds; `path` itself lies where only we can write.

    Raises: OSError when an entry cannot be removed.
    """
    top = os.open(path, _OPEN_FOLDER)
    try:
        numbers = count()
        while names := _names(top):
            for name in names:
                if _is_folder(top, name):
                    _empty_one(top, name, numbers)
                else:
                    os.unlink(name, dir_fd=top)
    finally:
        os.close(top)
    path.rmdir()


def _names(folder: int) -> list[str]:
    with os.scandir(folder) as entries:
        return [entry.name for entry in entries]


def _is_folder(folder: int, name: str) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)


def _empty_one(top: int, name: str, numbers: "count[int]") -> None:
    """Remove the files of a folder, lift its folders to the top, and remove it."""
    _open_up(top, name)
    folder = os.open(name, _OPEN_FOLDER, dir_fd=top)
    try:
        for inner in _names(folder):
            if _is_folder(folder, inner):
                _open_up(folder, inner)
                os.rename(inner, _fresh_name(top, numbers), src_dir_fd=folder, dst_dir_fd=top)
            else:
                os.unlink(inner, dir_fd=folder)
    finally:
        os.close(folder)
    os.rmdir(name, dir_fd=top)


def _open_up(folder: int, name: str) -> None:
    """Give ourselves every right on a folder: an ordinary user's run may have taken them away.

    Only root crosses uids, and root needs no rights; an own folder was just seen to be one, with no process left
    that could put a link in its place.
    """
    os.chmod(name, 0o700, dir_fd=folder)


def _fresh_name(top: int, numbers: "count[int]") -> str:
    for number in numbers:
        name = f".lifted-{number}"
        try:
            os.stat(name, dir_fd=top, follow_symlinks=False)
        except FileNotFoundError:
            return name
    raise AssertionError("unreachable: the counter does not end")
