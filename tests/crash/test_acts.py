"""kill -9 around every append of single acts, on both engines: whole or not there, and doing it again completes it."""

import os
import shutil
import signal
from pathlib import Path

import pytest

from tests.crash.acts import ACTS, Ground, lines
from tests.crash.stage import in_a_process
from tests.crash.watch import Point, Watch
from tests.journey.test_erasure import House

MOMENTS = [
    (name, Point(index, phase))
    for name, act in ACTS.items()
    for index in range(act.appends)
    for phase in ("signed", "after")
]
"""Every moment to die at: when an append's head is signed, and when it is committed but not told.

Before the first append nothing is there; before a later one stands what the append before it left.
"""


def _label(value: object) -> str:
    return f"{value.index}-{value.phase}" if isinstance(value, Point) else str(value)


@pytest.mark.parametrize(("name", "point"), MOMENTS, ids=_label)
def test_an_act_killed_here_is_whole_and_can_be_done_again(
    in_a_file: Ground, tmp_path: Path, name: str, point: Point
) -> None:
    """What was acknowledged is there, nothing else is, and the same act again leaves what it always leaves."""
    _die_and_do_again(in_a_file, tmp_path, name, point)


@pytest.mark.parametrize(("name", "point"), MOMENTS, ids=_label)
def test_an_act_killed_at_a_server_is_whole_and_can_be_done_again(
    at_a_server: Ground, tmp_path: Path, name: str, point: Point
) -> None:
    """The same where the database is a server's, which rolls back what a dead process began."""
    _die_and_do_again(at_a_server, tmp_path, name, point)


def _die_and_do_again(ground: Ground, folder: Path, name: str, point: Point) -> None:
    act, ids = ACTS[name], ground.ids_for(name)
    expected = ground.settings.data_folder.parent / f"left-by-{name}"

    def undisturbed() -> None:
        settings = ground.copy(folder / "undisturbed")
        watch = Watch(folder / "undisturbed-notes")
        house = House(settings, seams=watch.seams())
        act.do(house, ids)
        assert len(watch.names) == act.appends
        expected.write_text(repr(act.left(house, ids)))

    def disturbed() -> None:
        watch = Watch(folder / "notes", point)
        act.do(House(settings, seams=watch.seams()), ids)

    def survive() -> None:
        house = House(settings)
        _assert_exactly_acknowledged(house, ground, folder / "notes", point)
        house.studio.recover()
        if name != "erase" or house.studio.desk.state(house.project_id).sources[ids["erase"]].erased is None:
            act.do(house, ids)
        assert repr(act.left(house, ids)) == expected.read_text()
        for ledger_id in house.studio.desk.ledger.ledgers():
            assert house.studio.audits.verify(ledger_id, strict=True).problems == ()

    if not expected.exists():
        assert in_a_process(undisturbed) == 0
    settings = ground.copy(folder / "data")
    status = in_a_process(disturbed)
    assert os.WIFSIGNALED(status), f"it ended with {os.waitstatus_to_exitcode(status)}"
    assert os.WTERMSIG(status) == signal.SIGKILL
    assert in_a_process(survive) == 0
    shutil.rmtree(folder)


def _assert_exactly_acknowledged(house: House, ground: Ground, notes: Path, point: Point) -> None:
    """The ledgers hold what they held and whole appends since: those acknowledged, no more and no less."""
    told: dict[str, list[list[object]]] = {}
    for record in lines(notes):
        if record["what"] == "acknowledged":
            told.setdefault(record["ledger"], []).extend(record["events"])
    assert sum(map(len, told.values())) > 0 or (point.index, point.phase) == (0, "signed")
    found = {}
    for ledger_id in house.studio.desk.ledger.ledgers():
        stored = house.studio.desk.ledger.read(ledger_id, ground.heads.get(ledger_id, 0))
        if stored:
            found[ledger_id] = [[item.event.seq, item.event.id, item.event.type] for item in stored]
    assert found == told
