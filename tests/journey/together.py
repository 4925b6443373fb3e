"""Several real processes that do something at the same moment, each with the data folder opened for itself."""

import json
import os
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Final

from app.bootstrap import open_studio
from app.config.settings import Settings
from kernel.errors import StudioError
from tests.support.walk import Texts, Walk

_WAIT_S: Final = 60.0

Act = Callable[[Walk], object]


def at_once(settings: Settings, texts: Texts, acts: list[Act]) -> list[str]:
    """Do each act in a process of its own, at the same moment; return what came of each.

    An outcome is what the act returned, as a string, or `refused: CODE`.
    """
    meeting = settings.data_folder.with_name("meeting")
    meeting.mkdir()
    pids = [_start(meeting / str(number), settings, texts, act) for number, act in enumerate(acts)]
    _wait_for(lambda: len(list(meeting.glob("*.ready"))) == len(acts))
    (meeting / "go").touch()
    statuses = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
    assert statuses == [0] * len(acts)
    outcomes = [
        str(json.loads((meeting / f"{number}.outcome").read_text(encoding="utf-8")))
        for number in range(len(acts))
    ]
    for file in meeting.iterdir():
        file.unlink()
    meeting.rmdir()
    return outcomes


def _start(mark: Path, settings: Settings, texts: Texts, act: Act) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        walk = Walk(open_studio(settings), texts)
        assert walk.state.seq > 0
        mark.with_suffix(".ready").touch()
        _wait_for((mark.parent / "go").exists)
        outcome = _outcome(walk, act)
        mark.with_suffix(".outcome").write_text(json.dumps(outcome), encoding="utf-8")
        code = 0
    except BaseException:  # noqa: BLE001 - the process ends here; its parent reads the code
        traceback.print_exc()
    finally:
        os._exit(code)


def _outcome(walk: Walk, act: Act) -> str:
    try:
        return str(act(walk))
    except StudioError as error:
        return f"refused: {error.reason_code}"


def _wait_for(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + _WAIT_S
    while not is_so():
        assert time.monotonic() < until, "the others did not come"
        time.sleep(0.001)
