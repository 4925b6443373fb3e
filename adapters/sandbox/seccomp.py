"""The system calls confined code may not make, as filter bytes for bubblewrap.

A deny list over an allowing default: what is refused is what reaches the kernel's administration, other
processes' memory, sockets other than local ones, new namespaces, and memory that no limit counts. Ordinary
programs run unchanged. Other instruction sets are killed by the filter itself.

Source: seccomp(2), syscalls(2).
"""

import errno
import os
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import pyseccomp

_NAMESPACE_FLAGS: Final = (
    0x00020000,  # mount
    0x02000000,  # cgroup
    0x04000000,  # uts
    0x08000000,  # ipc
    0x10000000,  # user
    0x20000000,  # pid
    0x40000000,  # network
)
_AF_UNIX: Final = 1
_SHARED_ANONYMOUS: Final = 0x21
_TERMINAL_INJECTION: Final = (0x5412, 0x541C)

_REFUSED: Final = (
    # namespaces, mounts, roots
    *("unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen"),
    *("fsconfig", "fsmount", "fspick", "mount_setattr", "open_by_handle_at", "name_to_handle_at"),
    # other processes
    *("ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp", "process_madvise"),
    # the kernel's own doors
    *("bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register"),
    *("add_key", "request_key", "keyctl", "kexec_load", "kexec_file_load", "init_module", "finit_module"),
    *("delete_module", "reboot", "swapon", "swapoff", "syslog", "acct", "quotactl", "iopl", "ioperm"),
    *("modify_ldt", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname"),
    *("setdomainname", "vhangup", "fanotify_init", "move_pages", "migrate_pages", "mbind", "set_mempolicy"),
    # memory that belongs to no process and that no limit here counts
    *("memfd_create", "memfd_secret", "shmget", "shmat", "shmctl", "msgget", "msgsnd", "semget", "mq_open"),
)
"""Refused with EPERM, whatever the arguments."""


@cache
def filter_bytes() -> bytes:
    """Return the filter as the bytes bubblewrap loads; made once per process.

    Raises: RuntimeError or ImportError when this machine has no seccomp library; OSError when a rule fails.
    """
    import pyseccomp  # a machine without the library must still start, and say so

    rules = pyseccomp.SyscallFilter(defaction=pyseccomp.ALLOW)
    refused = pyseccomp.ERRNO(errno.EPERM)
    for name in _REFUSED:
        _refuse(rules, refused, name)
    for flag in _NAMESPACE_FLAGS:
        _refuse(rules, refused, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, flag, flag))
    # The C library falls back to clone, whose flags a filter can read; clone3 hides them behind a pointer.
    _refuse(rules, pyseccomp.ERRNO(errno.ENOSYS), "clone3")
    # A network namespace does not cover every family: virtual-machine sockets reach the machine's host.
    _refuse(rules, refused, "socket", pyseccomp.Arg(0, pyseccomp.NE, _AF_UNIX))
    # Shared anonymous pages live on when the process that filled them is gone, out of the watchdog's sight.
    _refuse(
        rules,
        refused,
        "mmap",
        pyseccomp.Arg(3, pyseccomp.MASKED_EQ, _SHARED_ANONYMOUS, _SHARED_ANONYMOUS),
    )
    for request in _TERMINAL_INJECTION:
        _refuse(rules, refused, "ioctl", pyseccomp.Arg(1, pyseccomp.MASKED_EQ, 0xFFFFFFFF, request))
    return _exported(rules)


def _refuse(rules: "pyseccomp.SyscallFilter", action: int, name: str, *arguments: "pyseccomp.Arg") -> None:
    """Add one rule; a call this machine's library does not know cannot be made by its name either."""
    try:
        rules.add_rule(action, name, *arguments)
    except (ValueError, OSError, RuntimeError) as error:
        if name in ("clone", "socket", "mmap", "unshare", "ptrace"):
            raise OSError(f"the filter rule for {name} could not be added") from error


def _exported(rules: "pyseccomp.SyscallFilter") -> bytes:
    """Return the compiled filter, through an anonymous file since the library only writes to one."""
    descriptor = os.memfd_create("odeu-filter", os.MFD_CLOEXEC)
    with os.fdopen(descriptor, "w+b") as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()
