"""The one door to the Git command line, so that no call anywhere can run what a repository suggests.

Owns: the fixed options and environment of every call, and its bounds of time and output. Hooks, fsmonitor,
protocols, replace objects, lazy fetches, prompts, and system and user configuration are off in each of them. What
no option switches off (clean and smudge filters, textconv) is avoided by calling plumbing only: callers use
`update-ref`, `for-each-ref`, `diff-tree`, `config --file`, never `add`, `checkout`, `status` or `diff` on a tree of files.
Does not own: what the answers mean.
"""

import os
import selectors
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from typing import IO, Final

from kernel.errors import GitRefusedError

PROGRAM_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""Where the program is looked for: never the caller's PATH, which a run could have touched."""

_CHUNK: Final = 64 * 1024
_KEPT_ERROR_BYTES: Final = 4 * 1024

_SETTINGS: Final = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.attributesFile=/dev/null",
    "core.alternateRefsCommand=",
    "core.fsync=all",
    "core.fsyncMethod=fsync",
    "credential.helper=",
    "protocol.allow=never",
    "gc.auto=0",
    "maintenance.auto=false",
)

_ENVIRONMENT: Final = {
    "PATH": PROGRAM_PATH,
    "LC_ALL": "C",
    "TZ": "UTC",
    "HOME": "/nonexistent",
    "XDG_CONFIG_HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "/bin/false",
    "GIT_EDITOR": "/bin/false",
    "GIT_PAGER": "cat",
}


@dataclass(frozen=True, slots=True)
class GitBounds:
    """How long one call may take and how much it may say. Times in seconds, sizes in bytes."""

    wall_s: float = 30.0
    output_bytes: int = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class GitAnswer:
    """What a call ended with. `truncated` means it said more than its bound and was stopped there."""

    code: int
    stdout: bytes
    stderr: bytes
    truncated: bool

    def sentence(self) -> str:
        """Return the first line of its complaint, fit to stand in an error."""
        lines = self.stderr.decode("utf-8", "replace").strip().splitlines()
        return lines[0][:300] if lines else f"it ended with code {self.code} and said nothing"


_DEFAULT_BOUNDS: Final = GitBounds()


def git_argv(git_dir: str, *arguments: str) -> tuple[str, ...]:
    """Return the full argument list of a call: the fixed options, then the command.

    Raises: GitRefusedError (`git_failed`) when the machine has no Git.
    """
    program = shutil.which("git", path=PROGRAM_PATH)
    if program is None:
        raise GitRefusedError(
            "no git program was found in the system folders; install git", code="git_failed"
        )
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    here = ("-c", f"safe.directory={git_dir}", f"--git-dir={git_dir}")
    fixed = ("--no-pager", "--literal-pathspecs", "--no-replace-objects", "--no-optional-locks")
    return (program, *fixed, *settings, *here, *arguments)


def run_git(
    git_dir: str,
    *arguments: str,
    stdin: bytes = b"",
    bounds: GitBounds = _DEFAULT_BOUNDS,
    object_folder: str | None = None,
) -> GitAnswer:
    """Run one plumbing command on exactly `git_dir` and return its answer, whatever its exit code is.

    `object_folder` reads objects from another place than `git_dir`, which keeps that place's configuration and
    attributes out of the answer. The caller's environment is not passed on.

    Raises: GitRefusedError (`git_failed`) when it cannot start or outlives its time; it is killed then.
    """
    environment = dict(_ENVIRONMENT)
    if object_folder is not None:
        environment["GIT_OBJECT_DIRECTORY"] = object_folder
    try:
        process = subprocess.Popen(
            git_argv(git_dir, *arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            cwd="/",
            start_new_session=True,
        )
    except OSError as err:
        raise GitRefusedError(f"git could not be started: {err.strerror}", code="git_failed") from err
    with process:
        try:
            return _Conversation(process, stdin, bounds).run()
        finally:
            _stop(process)


def git_output(
    git_dir: str,
    *arguments: str,
    stdin: bytes = b"",
    bounds: GitBounds = _DEFAULT_BOUNDS,
    object_folder: str | None = None,
) -> bytes:
    """Return what a command says on standard output, when it succeeded within its bounds.

    Raises: GitRefusedError (`git_failed`) for another exit code than 0, (`too_large`) for too much output.
    """
    answer = run_git(git_dir, *arguments, stdin=stdin, bounds=bounds, object_folder=object_folder)
    if answer.truncated:
        message = f"git {arguments[0]} said more than {bounds.output_bytes} bytes"
        raise GitRefusedError(message, code="too_large")
    if answer.code != 0:
        raise GitRefusedError(f"git {arguments[0]} failed: {answer.sentence()}", code="git_failed")
    return answer.stdout


class _Conversation:
    """Feeds and drains one process until it ends, says too much, or takes too long."""

    def __init__(self, process: subprocess.Popen[bytes], stdin: bytes, bounds: GitBounds) -> None:
        self._process = process
        self._unsent = memoryview(stdin)
        self._bounds = bounds
        self._deadline = time.monotonic() + bounds.wall_s
        self._stdout = bytearray()
        self._stderr = bytearray()
        self._truncated = False

    def run(self) -> GitAnswer:
        """Return the answer; the process is over, or killed, afterwards."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ, self._take_output)
            selector.register(process.stderr, selectors.EVENT_READ, self._take_error)
            os.set_blocking(process.stdin.fileno(), False)
            selector.register(process.stdin, selectors.EVENT_WRITE, self._send)
            while selector.get_map() and not self._truncated:
                for key, _ in selector.select(self._remaining_s()):
                    stream: IO[bytes] = key.fileobj  # type: ignore[assignment]
                    if not key.data(stream):
                        selector.unregister(stream)
                        stream.close()
        if self._truncated:
            _stop(process)
        code = self._wait()
        return GitAnswer(code, bytes(self._stdout), bytes(self._stderr), self._truncated)

    def _remaining_s(self) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            message = f"git took longer than {self._bounds.wall_s:g} seconds and was stopped"
            raise GitRefusedError(message, code="git_failed")
        return left

    def _wait(self) -> int:
        try:
            return self._process.wait(self._remaining_s())
        except subprocess.TimeoutExpired:
            self._remaining_s()
            return self._process.wait(0)

    def _send(self, stream: IO[bytes]) -> bool:
        try:
            sent = os.write(stream.fileno(), self._unsent[:_CHUNK])
        except BlockingIOError:
            return True
        except BrokenPipeError:
            return False
        self._unsent = self._unsent[sent:]
        return len(self._unsent) > 0

    def _take_output(self, stream: IO[bytes]) -> bool:
        data = os.read(stream.fileno(), _CHUNK)
        room = self._bounds.output_bytes - len(self._stdout)
        self._stdout += data[:room]
        self._truncated = len(data) > room
        return bool(data)

    def _take_error(self, stream: IO[bytes]) -> bool:
        data = os.read(stream.fileno(), _CHUNK)
        self._stderr += data[: _KEPT_ERROR_BYTES - len(self._stderr)]
        return bool(data)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and the session it leads, when it still runs."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return


def git_version() -> str | None:
    """Return what `git --version` says, or None when there is no git."""
    try:
        said = subprocess.run(
            ["git", "--version"], capture_output=True, timeout=10, check=False, env={"PATH": "/usr/bin:/bin"}
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return said.stdout.decode("utf-8", "replace").strip() if said.returncode == 0 else None
