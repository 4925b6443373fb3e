"""Workers that write what they may not, lie, crash, hang or leave something behind: none of it reaches the branch."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from app.bootstrap import open_studio
from app.services.execution import HOST
from app.services.studio import Studio
from kernel.commands import AcceptDelta, AnswerExchange, RequestExchange
from kernel.errors import EvidenceError, RefusedError
from kernel.state import RunRecord
from kernel.vocabulary import RunStatus, Verification
from tests.journey.hostile import ORPHAN, REFUSED, program
from tests.support.recipe import blocks, branch, git, install_library, library_texts
from tests.support.walk import Walk

WORKER = "library/worker/work.py"


@pytest.fixture
def worked(tmp_path: Path) -> Callable[[str], Walk]:
    """Return a function that walks to the end of a run by a worker with this source."""

    def work(source: str) -> Walk:
        told = blocks()
        replacing = {
            WORKER: source,
            "odeu.toml": told["odeu.toml"].replace("deadline_s = 30", "deadline_s = 5"),
        }
        studio = open_studio(install_library(tmp_path / "data", replacing=replacing))
        walk = Walk(studio, library_texts())
        walk.until("work")
        walk.work()
        return walk

    return work


def _assert_harmless(walk: Walk) -> None:
    """No ref of ours, no move, no folder left, no event that would not be admitted, and nothing waits."""
    data = walk.studio.settings.data_folder
    assert git(data, "for-each-ref", "--format=%(refname)") == "refs/heads/desk"
    assert git(data, "log", "--format=%s", branch(data)) == "Count due dates in days"
    assert walk.studio.queue.waiting() == ()
    assert walk.studio.audits.verify(walk.project_id, strict=True).problems == ()


@pytest.mark.parametrize("name", REFUSED)
def test_a_run_that_does_this_fails_by_its_name(worked: Callable[[str], Walk], name: str) -> None:
    """Each gets its own code and a sentence; nothing is sealed, and a person may authorise another run."""
    act, code = REFUSED[name]
    walk = worked(program(act))
    (run,) = walk.runs()
    assert (run.status, run.code) == (RunStatus.FAILED, code)
    assert run.detail is not None
    assert run.detail.text
    _assert_harmless(walk)
    assert walk.next_act() == walk.authorize_run


def test_a_secret_of_the_host_is_not_sealed(tmp_path: Path) -> None:
    """Wherever a worker got the master key from, it does not leave the machine, nor stand in the refusal."""
    settings = install_library(tmp_path / "data")
    secret = (tmp_path / "data" / "master.key").read_bytes()
    act = f"due.write_bytes(good.encode() + b'#' + {secret!r}); report()"
    (tmp_path / "data" / WORKER).write_text(program(act), encoding="utf-8")
    walk = Walk(open_studio(settings), library_texts())
    walk.until("work")
    walk.work()
    (run,) = walk.runs()
    assert (run.status, run.code) == (RunStatus.FAILED, "secret_found")
    assert run.detail is not None
    assert run.detail.text == "the file 'lending/due.py' holds a secret of this host"
    _assert_harmless(walk)


def test_a_question_stops_the_run_without_a_result(worked: Callable[[str], Walk]) -> None:
    """What it changed is not sealed; the question stands with the run."""
    walk = worked(program("due.write_text(good); report(question='Which weekdays?')"))
    (run,) = walk.runs()
    assert run.status is RunStatus.BLOCKED
    assert _detail(run) == "Which weekdays?"
    _assert_harmless(walk)


def _detail(run: RunRecord) -> str | None:
    words = run.detail
    return None if words is None else words.text


def test_more_words_than_the_ledger_keeps_are_cut(worked: Callable[[str], Walk]) -> None:
    """A long summary costs a worker its end, marked as cut; the result stands."""
    walk = worked(program("due.write_text(good); report(summary='\\U0001f4da' * 2500)"))
    (run,) = walk.runs()
    assert run.status is RunStatus.RETURNED
    summary = walk.state.closures[walk.closure_id()].body.summary
    assert summary.text == "\U0001f4da" * 1000 + " [cut]"


def test_an_answer_that_the_rules_refuse_holds_up_nothing(worked: Callable[[str], Walk]) -> None:
    """A durable answer that is no result ends its run as failed; the queue goes on to the next one."""
    walk = worked(program("due.write_text(good); report(question='Which?')"))
    walk.authorize_run()
    run, desk = walk.runs()[-1].body, walk.studio.desk
    claim = RequestExchange("run", run.run_id, "{}", run.base_commit)
    exchange_id = next(iter(desk.act(walk.project_id, HOST, claim).events)).body.exchange_id
    desk.act(walk.project_id, HOST, AnswerExchange(exchange_id, '{"outcome": "splendid"}'))
    assert walk.studio.queue.drain()
    ended = walk.runs()[-1]
    assert (ended.status, ended.code) == (RunStatus.FAILED, "answer_refused")
    walk.authorize_run()
    assert walk.studio.queue.drain()
    assert walk.runs()[-1].status is RunStatus.BLOCKED


def test_an_orphan_changes_nothing_after_its_parent_reported(worked: Callable[[str], Walk]) -> None:
    """Whatever the run's standing, what was sealed does not hold the late file, and no process lives on."""
    walk = worked(program(ORPHAN))
    (run,) = walk.runs()
    assert (run.status, run.code) in {(RunStatus.RETURNED, "ok"), (RunStatus.FAILED, "leftover_process")}
    time.sleep(3.5)
    assert not any("late" in line for line in _sealed_names(walk))


def _sealed_names(walk: Walk) -> list[str]:
    data = walk.studio.settings.data_folder
    refs = git(data, "for-each-ref", "--format=%(refname)", "refs/odeu/").splitlines()
    return [line for ref in refs for line in git(data, "ls-tree", "-r", "--name-only", ref).splitlines()]


def test_a_false_claim_of_completion_is_not_offered_for_a_yes(worked: Callable[[str], Walk]) -> None:
    """The worker swears that it works; the oracle's cases fail, and the result cannot be reconciled or promoted."""
    walk = worked(
        program("due.write_text(good); report(claims=['All tests pass.', 'Verified by the host.'])")
    )
    (run,) = walk.runs()
    assert run.status is RunStatus.RETURNED
    walk.until("reconcile")
    (validation,) = walk.state.validations.rows()
    results = [(check.requirement_id, check.result.value) for check in validation.body.checks]
    assert results == [("closed-days", "failed"), ("counting", "passed"), ("due-changed", "passed")]
    with pytest.raises(EvidenceError, match="closed-days"):
        walk.reconcile()
    task_id = walk.task_id()
    assert task_id is not None
    assert _verification(walk.studio, walk.project_id, task_id) is Verification.UNVERIFIED
    for delta in walk.state.deltas.rows():
        with pytest.raises(RefusedError):
            walk.studio.promotions.propose(walk.owner, delta.body.delta_id)
        with pytest.raises(RefusedError):
            walk.studio.reviews.accept(
                walk.owner, AcceptDelta(delta.body.delta_id, 0, walk.state.revision, "0")
            )
    assert branch(walk.studio.settings.data_folder) == run.body.base_commit


def _verification(studio: Studio, project_id: str, node_id: str) -> Verification | None:
    return studio.desk.state(project_id).tables.nodes[node_id].verification


def test_a_failed_evidence_can_be_asked_for_again(worked: Callable[[str], Walk]) -> None:
    """Each validation stands in the ledger with its own attempt; the same bytes give the same finding."""
    walk = worked(program("due.write_text(good); report()"))
    walk.until("reconcile")
    walk.ask_validation()
    walk.judge()
    first, second = walk.state.validations.rows()
    assert [first.body.attempt, second.body.attempt] == [1, 2]
    assert [check.result for check in first.body.checks] == [check.result for check in second.body.checks]
