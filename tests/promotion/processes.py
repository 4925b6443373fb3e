"""Real processes that promote, stop or die at a named point."""

import os
import signal
import traceback
from collections.abc import Callable

from tests.promotion.scene import Scene


def start(act: Callable[[], object]) -> int:
    """Run `act` in a forked process and return its pid; it exits 0, or 1 when `act` raised."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        act()
        code = 0
    except BaseException:  # noqa: BLE001 - the process ends here; its parent reads the code
        traceback.print_exc()
    finally:
        os._exit(code)


def kill_itself_at(point: str) -> Callable[[str], None]:
    """Return a step that ends its process at once, with no clean-up of any kind."""
    return _signal_itself_at(point, signal.SIGKILL)


def stop_itself_at(point: str) -> Callable[[str], None]:
    """Return a step that stops its process until somebody continues it."""
    return _signal_itself_at(point, signal.SIGSTOP)


def _signal_itself_at(point: str, number: int) -> Callable[[str], None]:
    def step(name: str) -> None:
        if name == point:
            os.kill(os.getpid(), number)

    return step


def killed_at(scene: Scene, point: str) -> None:
    """Promote in a process that is killed at a point, and wait for its end."""
    _, status = os.waitpid(start(lambda: scene.promote(kill_itself_at(point))), 0)
    assert os.WIFSIGNALED(status)
    assert os.WTERMSIG(status) == signal.SIGKILL


def stopped_at(scene: Scene, point: str) -> int:
    """Promote in a process that stops at a point; return its pid once it has."""
    pid = start(lambda: scene.promote(stop_itself_at(point)))
    _, status = os.waitpid(pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    return pid


def woken(pid: int) -> int:
    """Continue a stopped process and return its exit code."""
    os.kill(pid, signal.SIGCONT)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
