"""kill -9 around every durable write of the path: afterwards the truth is shown, and the journey can be finished."""

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from app.bootstrap import open_studio
from app.services.studio import Studio
from kernel.vocabulary import PromotionStatus, RunStatus
from tests.crash.stage import Recording, Stage, die, in_a_process
from tests.crash.watch import Point, Watch
from tests.crash.writes import APPENDS, WRITES, label, loses_its_attempt, loses_its_run, points
from tests.support.sandbox import branch, git, moves, sandbox_texts, settings_for
from tests.support.walk import Walk

_OUTSIDE = frozenset({"git", "promoter"})
_BEFORE_THE_REQUEST = frozenset({PromotionStatus.PROPOSED, PromotionStatus.AUTHORIZED})


def test_the_list_of_writes_is_what_a_walk_writes(recording: Recording) -> None:
    """No durable write of the path is missing among those that are killed, and every numbered append is there."""
    assert recording.names == tuple(write.name for write in WRITES)
    assert {write.append for write in WRITES} - {None} == set(range(1, APPENDS + 1))


@pytest.mark.parametrize("point", points(), ids=label)
def test_a_walk_killed_here_is_finished(recording: Recording, tmp_path: Path, point: Point) -> None:
    """Nothing acknowledged is lost, nothing is there in part, nothing is done twice, and people can go on."""
    data, notes, stage = tmp_path / "data", tmp_path / "notes", recording.before(point.index)
    die(data, notes, point, stage)
    assert in_a_process(lambda: _survive(data, notes, point, stage)) == 0
    shutil.rmtree(tmp_path)


def _survive(data: Path, notes: Path, point: Point, stage: Stage) -> None:
    """Look at what a killed process left, as the next one does; then walk to the end."""
    watch = Watch(notes)
    studio = open_studio(settings_for(data), seams=watch.seams())
    _assert_exactly_acknowledged(studio, notes, stage.heads)
    _assert_sound(studio)
    studio.recover()
    assert studio.queue.drain()
    walk = Walk(studio, sandbox_texts())
    _assert_branch_is_as_told(walk, data)
    if point.phase in {"signed", "before"} and WRITES[point.index].name.partition(" ")[0] not in _OUTSIDE:
        # The ledger stands where it stood after the write before, whose walk is finished in full. What differs
        # is what was asked and, when it was signed, the memory of signed heads: the next act shows that.
        act = walk.next_act()
        if act is None:
            # Recovery itself recorded the outcome that the journal held.
            assert walk.promotions()[-1].status is PromotionStatus.PROMOTED
        else:
            act()
        _assert_sound(studio)
        return
    promoted = walk.to_the_end()
    assert branch(data) == promoted.body.candidate_commit
    assert moves(data) == 1
    assert studio.audits.commit(promoted.body.candidate_commit).holds
    _assert_nothing_twice(walk, notes, point)
    _assert_sound(studio)


def _assert_exactly_acknowledged(studio: Studio, notes: Path, heads: dict[str, int]) -> None:
    """The ledgers hold what the stage held and what was acknowledged since, whole appends, and nothing else."""
    told: dict[str, list[list[object]]] = {}
    for line in notes.read_text(encoding="utf-8").splitlines() if notes.exists() else []:
        record = json.loads(line)
        if record["what"] == "acknowledged":
            told.setdefault(record["ledger"], []).extend(record["events"])
    found = {}
    for ledger_id in studio.desk.ledger.ledgers():
        stored = studio.desk.ledger.read(ledger_id, heads.get(ledger_id, 0))
        if stored:
            found[ledger_id] = [[item.event.seq, item.event.id, item.event.type] for item in stored]
    assert found == told


def _assert_sound(studio: Studio) -> None:
    for ledger_id in studio.desk.ledger.ledgers():
        assert studio.audits.verify(ledger_id, strict=True).problems == ()


def _assert_branch_is_as_told(walk: Walk, data: Path) -> None:
    """The branch holds what the ledger says; only an unobserved promotion leaves that open."""
    promotions = [] if walk.next_act() == walk.open_project else walk.promotions()
    if not promotions or promotions[-1].status in _BEFORE_THE_REQUEST:
        assert moves(data) == 0
        return
    last = promotions[-1]
    assert last.status in {PromotionStatus.REQUESTED, PromotionStatus.PROMOTED}
    held = {last.body.candidate_commit}
    if last.status is PromotionStatus.REQUESTED:
        held.add(last.body.base_commit)
    assert branch(data) in held


def _assert_nothing_twice(walk: Walk, notes: Path, point: Point) -> None:
    """One capture, one claim per run, one dispatch per run, one swap; a new try only where the old one is lost."""
    assert walk.source_id() is not None
    claims = Counter(
        record.body.subject_id
        for record in walk.state.exchanges.rows()
        if record.body.boundary.value == "run"
    )
    lines = [json.loads(line) for line in notes.read_text(encoding="utf-8").splitlines()]
    dispatched = Counter(record["run"] for record in lines if record["what"] == "dispatched")
    assert set(claims.values()) == {1}
    assert not dispatched or max(dispatched.values()) == 1
    lost = RunStatus.OUTCOME_UNKNOWN
    expected = [lost, RunStatus.RETURNED] if loses_its_run(point) else [RunStatus.RETURNED]
    assert [run.status for run in walk.runs()] == expected
    failed = PromotionStatus.FAILED
    done = PromotionStatus.PROMOTED
    assert [item.status for item in walk.promotions()] == (
        [failed, done] if loses_its_attempt(point) else [done]
    )
    assert "refs/odeu/attempts/" not in git(walk.studio.settings.data_folder, "for-each-ref")
