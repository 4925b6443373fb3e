"""Run each case in a fresh process and pass its answer outward, unread.

Process 1 of the sandbox: nothing inside can signal it, and it is not dumpable, so nothing inside can open its
memory or its descriptors. It knows the inputs and a nonce, never an expected answer. Between two cases it ends
whatever the last one left. Runs under the system interpreter with the standard library alone.

Standard input: one JSON object {nonce, driver, case_wall_s, answer_bytes, cases: [{id, input}]}.
Standard output: one JSON line per case {nonce, id, end, code, fault, out}; `out` is base64.
"""

import base64
import contextlib
import ctypes
import errno
import json
import os
import re
import selectors
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

PR_SET_DUMPABLE = 4
FAULT_BYTES = 4096
SETTLE_S = 0.25
FAULT_NAME = re.compile(rb"^([A-Za-z_][A-Za-z0-9_.]{0,60})(?::|$)(?: \[Errno (\d{1,3})\])?")


def main() -> None:
    """Run every case in order."""
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    order = json.loads(sys.stdin.buffer.read())
    for case in order["cases"]:
        record = {"nonce": order["nonce"], "id": case["id"], **run_case(order, case["input"])}
        sys.stdout.write(json.dumps(record) + "\n")
        sys.stdout.flush()
        empty_scratch()


def run_case(order: dict[str, object], given: object) -> dict[str, object]:
    """Run one case to its end or its limit and return how it ended and what it printed."""
    try:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", str(order["driver"])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError:
        return {"end": "not_started", "code": None, "fault": None, "out": ""}
    line = json.dumps(given).encode() + b"\n"
    end, out, fault = attend(process, line, float(str(order["case_wall_s"])), int(str(order["answer_bytes"])))
    if end is not None:
        process.kill()
    code = process.wait()
    if end is None and code == 0 and others():
        end = "orphan_process"
    end_others()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
    shown = base64.b64encode(out).decode()
    return {"end": end or "exited", "code": code, "fault": fault_name(fault), "out": shown}


def attend(
    process: "subprocess.Popen[bytes]", line: bytes, wall_s: float, answer_bytes: int
) -> tuple[str | None, bytes, bytes]:
    """Feed one line, collect bounded output; return why it had to be stopped, the output and its complaint."""
    kept = {"out": bytearray(), "fault": bytearray()}
    until = time.monotonic() + wall_s
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        os.set_blocking(process.stdin.fileno(), False)
        feed(process.stdin.fileno(), line, until)
    with contextlib.suppress(OSError):
        process.stdin.close()
    with selectors.DefaultSelector() as ready:
        for pipe, name in ((process.stdout, "out"), (process.stderr, "fault")):
            assert pipe is not None
            ready.register(pipe, selectors.EVENT_READ, name)
        while process.poll() is None or ready.get_map():
            if time.monotonic() > until:
                return "timed_out", bytes(kept["out"]), bytes(kept["fault"])
            for key, _ in ready.select(0.01):
                chunk = os.read(key.fd, 65536)
                if not chunk:
                    ready.unregister(key.fileobj)
                kept[key.data] += chunk
            del kept["fault"][:-FAULT_BYTES]
            if len(kept["out"]) > answer_bytes:
                return "output_limit", b"", bytes(kept["fault"])
            if process.poll() is not None and not ready.select(0):
                break
    return None, bytes(kept["out"]), bytes(kept["fault"])


def feed(descriptor: int, line: bytes, until: float) -> None:
    """Write the line, waiting for a slow reader until the case's time is over."""
    while line and time.monotonic() < until:
        try:
            line = line[os.write(descriptor, line) :]
        except BlockingIOError:
            time.sleep(0.005)


def others() -> bool:
    """Say whether anything but this process still lives here after a moment to settle."""
    until = time.monotonic() + SETTLE_S
    while alive():
        if time.monotonic() > until:
            return True
        time.sleep(0.005)
    return False


def alive() -> bool:
    """Reap what has ended and say whether another process is left."""
    reap()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                state = (entry / "stat").read_bytes().rsplit(b")", 1)[1].split()[0]
                if state not in (b"Z", b"X"):
                    return True
    return False


def end_others() -> None:
    """Kill everything here but this process, until there is nothing left to kill."""
    while True:
        try:
            os.kill(-1, signal.SIGKILL)
        except OSError as error:
            if error.errno == errno.ESRCH:
                return
        if not alive():
            return
        time.sleep(0.002)


def reap() -> None:
    """Take in every adopted process that has ended; the case's own was waited for before."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def empty_scratch() -> None:
    """Remove what a case wrote, so that the next one starts as the first did; best effort."""
    for place in ("/tmp", "/box/work"):  # noqa: S108 - the sandbox's own scratch memory
        for entry in Path(place).iterdir():
            with contextlib.suppress(OSError, RecursionError):
                if entry.is_dir() and not entry.is_symlink():
                    shutil.rmtree(entry, ignore_errors=True)
                else:
                    entry.unlink()


def fault_name(fault: bytes) -> str | None:
    """Return the class of the exception that ended a case, and its error number, from its last line."""
    lines = fault.strip().splitlines()
    match = FAULT_NAME.match(lines[-1]) if lines else None
    if match is None:
        return None
    name = match[1].decode()
    return f"{name} {match[2].decode()}" if match[2] else name


if __name__ == "__main__":
    main()
