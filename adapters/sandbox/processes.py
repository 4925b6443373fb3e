"""What the host sees and ends of a confined process tree, read from /proc.

Trees are followed from the first process of the sandbox's process namespace; every process inside descends
from it, orphans too. Ending by user id is for ids of the pool alone. This module starts nothing.
"""

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def descendants(pid: int) -> Iterator[int]:
    """Yield the process and all below it that were alive when asked; a tree that changes is read as it is."""
    waiting = [pid]
    while waiting:
        current = waiting.pop()
        yield current
        with contextlib.suppress(OSError):
            for thread in Path(f"/proc/{current}/task").iterdir():
                waiting.extend(int(child) for child in (thread / "children").read_bytes().split())


def resident_bytes(pid: int) -> int:
    """Return the sum of resident memory of the process and all below it; shared pages count each time."""
    total = 0
    for member in descendants(pid):
        with contextlib.suppress(OSError, IndexError):
            total += int(Path(f"/proc/{member}/statm").read_bytes().split()[1]) * _PAGE_BYTES
    return total


def alive_in_namespace(namespace: int) -> tuple[int, ...]:
    """Return the live processes in a process namespace, named by its inode number."""
    name = f"pid:[{namespace}]"
    found = []
    for pid in _all():
        with contextlib.suppress(OSError):
            if str(Path(f"/proc/{pid}/ns/pid").readlink()) == name and _state(pid) not in "ZX":
                found.append(pid)
    return tuple(found)


def alive_of_uid(uid: int) -> tuple[int, ...]:
    """Return the live processes whose real, effective or saved user id is this one."""
    return tuple(pid for pid in _all() if _lives_as(pid, uid))


def end_all_of(uid: int, *, patience_s: float = 2.0) -> int:
    """Kill every process of a pool user id until none is left; return how many still live after the patience.

    The caller holds the lock of this id, so these processes can only be what an earlier execution left.
    """
    until = time.monotonic() + patience_s
    while left := alive_of_uid(uid):
        for pid in left:
            _end_as(pid, uid)
        if time.monotonic() > until:
            return len(left)
        time.sleep(0.01)
    return 0


def open_handle(pid: int) -> int | None:
    """Return a descriptor that stands for this very process, whatever becomes of its number; None when gone."""
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def end(handle: int) -> None:
    """Kill the process behind a handle; one that is gone already is no failure."""
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(handle, signal.SIGKILL)


def can_follow_children() -> bool:
    """Say whether this kernel lists a process's children, without which memory cannot be summed."""
    return Path(f"/proc/self/task/{os.getpid()}/children").exists()


def _end_as(pid: int, uid: int) -> None:
    """Kill the process if, once held, it still runs as this user id: numbers are given out again."""
    handle = open_handle(pid)
    if handle is None:
        return
    try:
        if _lives_as(pid, uid):
            end(handle)
    finally:
        os.close(handle)


def _lives_as(pid: int, uid: int) -> bool:
    try:
        with Path(f"/proc/{pid}/status").open("rb") as file:
            status = file.read()
    except OSError:
        return False
    users = status.partition(b"\nUid:")[2].partition(b"\n")[0].split()
    state = status.partition(b"\nState:")[2].lstrip()[:1]
    return state not in (b"Z", b"X") and str(uid).encode() in users


def _all() -> Iterator[int]:
    with os.scandir("/proc") as entries:
        yield from [int(entry.name) for entry in entries if entry.name.isdigit()]


def _state(pid: int) -> str:
    """Return the one-letter state; the name before it may hold anything, so read from its last bracket."""
    return Path(f"/proc/{pid}/stat").read_bytes().rsplit(b")", 1)[1].split()[0].decode()
