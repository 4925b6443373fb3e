"""Look around inside the sandbox and print, as one JSON object, what could be done there.

Each entry is true when the boundary held. Runs under the system interpreter with the standard library alone.
"""

import ctypes
import json
import os
import signal
import socket
import sys
from pathlib import Path

OWN_PROCESSES = 3
"""bubblewrap, the limiter that became this program, and room for one more."""


def status_field(name: str) -> str:
    """Return one field of this process's own status."""
    with Path("/proc/self/status").open(encoding="ascii") as file:
        for line in file:
            if line.startswith(f"{name}:"):
                return line.split(":", 1)[1].strip()
    return ""


def refused(attempt: object) -> bool:
    """Say whether an attempt ended in an operating system error."""
    try:
        attempt()  # type: ignore[operator]
    except OSError:
        return True
    return False


def new_user_namespace() -> None:
    """Try to make a user namespace, the first step of most escapes."""
    library = ctypes.CDLL(None, use_errno=True)
    if library.unshare(0x10000000) != 0:
        raise OSError(ctypes.get_errno(), "unshare")


def write_outside() -> None:
    """Try to write to the root of the file system."""
    Path("/written").write_text("x", encoding="ascii")


def internet_socket() -> None:
    """Try to make a network socket at all."""
    socket.socket(socket.AF_INET).close()


def process_limit_binds(limit: int) -> bool:
    """Try to have more live processes than allowed; say whether the kernel said no."""
    children: list[int] = []
    held = False
    for _ in range(limit + 1):
        try:
            child = os.fork()
        except OSError:
            held = True
            break
        if child == 0:
            signal.pause()
            os._exit(0)
        children.append(child)
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return held


def only_loopback() -> bool:
    """Say whether no network device but the loopback exists here."""
    with Path("/proc/net/dev").open(encoding="ascii") as file:
        names = [line.split(":")[0].strip() for line in file if ":" in line]
    return set(names) <= {"lo"}


def main() -> None:
    """Print what was found."""
    found = {
        "capabilities": int(status_field("CapEff") or "1", 16) == 0 and int(status_field("CapBnd"), 16) == 0,
        "no_new_privileges": status_field("NoNewPrivs") == "1",
        "seccomp": status_field("Seccomp") == "2",
        "nested_user_namespaces": refused(new_user_namespace),
        "root_read_only": refused(write_outside),
        "network": only_loopback() and refused(internet_socket),
        "kernel_settings": not os.access("/proc/sys/kernel/core_pattern", os.W_OK),
        "host_processes": sum(path.name.isdigit() for path in Path("/proc").iterdir()) <= OWN_PROCESSES,
        "processes": process_limit_binds(int(sys.argv[1])),
    }
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
