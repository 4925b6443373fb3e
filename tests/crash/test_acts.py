"""kill -9 around every append of single acts, on both engines: whole or not there, and doing it again completes it."""

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from app.bootstrap import open_studio
from app.config.settings import Settings
from tests.crash.acts import ACTS, Ground, lines, prepare, seen
from tests.crash.stage import in_a_process
from tests.crash.watch import Point, Watch
from tests.journey.test_erasure import House
from tests.ledger.postgres_server import Server
from tests.support.sandbox import install, sandbox_texts
from tests.support.walk import Walk

ON_POSTGRESQL = ("capture", "accept", "split", "erase")


def _ground(data: Path, database_url: str, copied: Callable[[], str]) -> Ground:
    """Make the installation in a process of its own, so that nothing of it stays open; return it at rest."""
    ids_file = data.parent / "ids"
    settings = Settings(data=data, database_url=database_url)

    def make() -> None:
        install(data, database_url)
        Walk(open_studio(settings), sandbox_texts()).until("capture")
        house = House(settings)
        ids = prepare(house, data.parent / "abroad")
        ids |= {
            f"seen {name}": seen(house, ids[name])
            for name in ("accept", "defer", "remand", "split", "rebase")
        }
        ledger = house.studio.desk.ledger
        heads = {f"head {item}": str(ledger.head(item).seq) for item in ledger.ledgers()}
        ids_file.write_text("\n".join(f"{key}={value}" for key, value in (ids | heads).items()))

    assert in_a_process(make) == 0
    found = dict(line.split("=", 1) for line in ids_file.read_text().splitlines())
    heads = {key.removeprefix("head "): int(value) for key, value in found.items() if key.startswith("head ")}
    return Ground(settings, found, heads, copied)


@pytest.fixture(scope="module")
def in_a_file(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    """Return a prepared installation with a SQLite database."""
    return _ground(tmp_path_factory.mktemp("file") / "data", "", str)


@pytest.fixture(scope="module")
def at_a_server(tmp_path_factory: pytest.TempPathFactory, postgres_server: Server) -> Ground:
    """Return a prepared installation with a PostgreSQL database."""
    url = postgres_server.fresh_database()
    return _ground(tmp_path_factory.mktemp("server") / "data", url, lambda: postgres_server.copy_of(url))


def _moments(names: tuple[str, ...]) -> list[tuple[str, Point]]:
    """Return every moment to die at: when an append's head is signed, and when it is committed but not told.

    Before the first append nothing is there; before a later one stands what the append before it left.
    """
    return [
        (name, Point(index, phase))
        for name in names
        for index in range(ACTS[name].appends)
        for phase in ("signed", "after")
    ]


def _label(value: object) -> str:
    return f"{value.index}-{value.phase}" if isinstance(value, Point) else str(value)


@pytest.mark.parametrize(("name", "point"), _moments(tuple(ACTS)), ids=_label)
def test_an_act_killed_here_is_whole_and_can_be_done_again(
    in_a_file: Ground, tmp_path: Path, name: str, point: Point
) -> None:
    """What was acknowledged is there, nothing else is, and the same act again leaves what it always leaves."""
    _die_and_do_again(in_a_file, tmp_path, name, point)


@pytest.mark.parametrize(("name", "point"), _moments(ON_POSTGRESQL), ids=_label)
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
