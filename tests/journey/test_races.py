"""Two processes that want the same thing at the same moment: one gets it, the other learns why not."""

from collections import Counter
from pathlib import Path

import pytest

from app.bootstrap import open_studio
from app.config.settings import Settings
from kernel.vocabulary import Disposition, PromotionStatus, RunStatus
from tests.journey.together import at_once
from tests.support.sandbox import branch, install, moves, sandbox_texts
from tests.support.walk import Walk

TEXTS = sandbox_texts()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return an installation with the sandbox project."""
    return install(tmp_path / "data")


def walked(settings: Settings, name: str) -> Walk:
    """Return a walk whose next act is this one."""
    walk = Walk(open_studio(settings), TEXTS)
    walk.until(name)
    return walk


def assert_sound(walk: Walk) -> None:
    """Every ledger re-reads without a finding."""
    for ledger_id in walk.studio.desk.ledger.ledgers():
        assert walk.studio.audits.verify(ledger_id, strict=True).problems == ()


def test_two_accept_the_same_proposal(settings: Settings) -> None:
    """One revision comes of it; the second yes is told that the proposal was decided or had moved."""
    walk = walked(settings, "accept_task")
    before = walk.state.revision
    outcomes = at_once(settings, TEXTS, [lambda theirs: theirs.accept_task() or "yes"] * 2)
    assert outcomes.count("yes") == 1
    assert set(outcomes) - {"yes"} <= {"refused: lifecycle_conflict", "refused: stale"}
    assert walk.state.revision == before + 1
    assert_sound(walk)


def test_two_accept_different_proposals_that_do_not_touch(settings: Settings) -> None:
    """Each yes says what its person saw: both make a revision, or the slower one is asked to look again."""
    walk = walked(settings, "capture")
    here = [
        walk.studio.placements.capture(walk.project_id, walk.owner, text).delta_id
        for text in (TEXTS.sentence, "Compare the prices of three shops.")
    ]
    before = walk.state.revision
    outcomes = at_once(
        settings, TEXTS, [lambda theirs, delta=delta: theirs.accept(str(delta)) for delta in here]
    )
    made = [outcome for outcome in outcomes if outcome.isdigit()]
    assert set(outcomes) - set(made) <= {"refused: stale"}
    assert sorted(map(int, made)) == list(range(before + 1, before + 1 + len(made)))
    assert walk.state.revision == before + len(made)
    for delta in here:
        record = walk.state.deltas[str(delta)]
        if record.disposition is Disposition.PENDING:
            walk.accept(str(delta))
    assert walk.state.revision == before + 2
    assert_sound(walk)


def test_eight_capture_at_once(settings: Settings) -> None:
    """Eight processes that each keep words three times: nobody is refused, and every question is answered."""
    walk = walked(settings, "capture")
    before = len(tuple(walk.state.sources.rows()))

    def three(theirs: Walk) -> str:
        texts = [f"{TEXTS.sentence} {number}" for number in range(3)]
        done = [theirs.studio.placements.capture(theirs.project_id, theirs.owner, text) for text in texts]
        return "told" if any(item.failure for item in done) else "placed"

    assert at_once(settings, TEXTS, [three] * 8) == ["placed"] * 8
    assert len(tuple(walk.state.sources.rows())) == before + 24
    assert_sound(walk)


def test_two_authorise_the_same_brief(settings: Settings) -> None:
    """One run is queued; the other person is told that the brief has one."""
    walk = walked(settings, "authorize_run")
    outcomes = at_once(settings, TEXTS, [lambda theirs: theirs.authorize_run() or "queued"] * 2)
    assert sorted(outcomes) == ["queued", "refused: lifecycle_conflict"]
    assert [run.status for run in walk.runs()] == [RunStatus.QUEUED]


def test_two_workers_on_one_queue(settings: Settings) -> None:
    """One claim, one result; the worker without the lock says that another one works."""
    walk = walked(settings, "work")
    outcomes = at_once(settings, TEXTS, [lambda theirs: theirs.studio.queue.drain()] * 2)
    assert "True" in outcomes
    claims = Counter(
        record.body.subject_id
        for record in walk.state.exchanges.rows()
        if record.body.boundary.value == "run"
    )
    assert list(claims.values()) == [1]
    assert [run.status for run in walk.runs()] == [RunStatus.RETURNED]
    assert_sound(walk)


def test_two_workers_without_the_lock_still_claim_once(settings: Settings) -> None:
    """The lock only avoids idle work: what keeps a run from being done twice is the append of its claim."""
    walk = walked(settings, "work")
    run_id = walk.runs()[-1].body.run_id

    def perform(theirs: Walk) -> str:
        theirs.studio.queue.execution.perform(theirs.project_id, run_id, lambda: False)
        return "done"

    outcomes = at_once(settings, TEXTS, [perform] * 2)
    assert sorted(outcomes) == ["done", "refused: lifecycle_conflict"]
    assert [run.status for run in walk.runs()] == [RunStatus.RETURNED]


def test_a_cancellation_and_a_claim_at_once(settings: Settings) -> None:
    """Either the run was withdrawn and never began, or it was claimed and the withdrawal is refused."""
    walk = walked(settings, "work")
    run_id = walk.runs()[-1].body.run_id
    outcomes = at_once(
        settings,
        TEXTS,
        [
            lambda theirs: theirs.studio.runs.cancel(theirs.owner, run_id).status.value,
            lambda theirs: theirs.studio.queue.drain(),
        ],
    )
    status = walk.runs()[-1].status
    expected = "cancelled" if status is RunStatus.CANCELLED else "refused: lifecycle_conflict"
    assert (outcomes, status in {RunStatus.CANCELLED, RunStatus.RETURNED}) == ([expected, "True"], True)


def test_two_operators_execute_the_same_promotion(settings: Settings) -> None:
    """One swap; both learn the outcome that the journal holds, or that the other one is at it."""
    walk = walked(settings, "execute")
    promotion_id = walk.promotions()[-1].body.promotion_id

    def execute(theirs: Walk) -> str:
        return theirs.studio.promotions.execute(theirs.operator, promotion_id, "cli").status.value

    outcomes = at_once(settings, TEXTS, [execute] * 2)
    assert "promoted" in outcomes
    assert set(outcomes) <= {"promoted", "refused: lifecycle_conflict"}
    (record,) = walk.promotions()
    assert record.status is PromotionStatus.PROMOTED
    data = settings.data_folder
    assert (branch(data), moves(data)) == (record.body.candidate_commit, 1)
    assert walk.studio.audits.commit(branch(data)).holds


def test_an_execution_and_a_reconciliation_at_once(settings: Settings) -> None:
    """Whoever comes first, ledger, journal and branch agree, and the branch moved at most once."""
    walk = walked(settings, "execute")
    promotion_id = walk.promotions()[-1].body.promotion_id
    at_once(
        settings,
        TEXTS,
        [
            lambda theirs: theirs.studio.promotions.execute(theirs.operator, promotion_id, "cli").status,
            lambda theirs: theirs.studio.promotions.reconcile(theirs.operator, promotion_id, "cli").status,
        ],
    )
    data = settings.data_folder
    (record,) = walk.promotions()
    is_promoted = record.status is PromotionStatus.PROMOTED
    assert moves(data) == int(is_promoted)
    assert branch(data) == (record.body.candidate_commit if is_promoted else record.body.base_commit)
    assert_sound(walk)


def test_many_captures_and_a_yes_at_once(settings: Settings) -> None:
    """Four processes write one ledger through the services; every word is kept and placed, in one history."""
    walk = walked(settings, "accept_task")

    def capture(number: int) -> str:
        return f"Look up the price of colour {number}."

    def say(theirs: Walk, number: int) -> str:
        kept = theirs.studio.placements.capture(theirs.project_id, theirs.owner, capture(number))
        return kept.source_id

    acts = [lambda theirs, number=number: say(theirs, number) for number in range(4)]
    outcomes = at_once(settings, TEXTS, [*acts, lambda theirs: theirs.accept_task() or "yes"])
    texts = {record.body.source_id: record.body.content.text for record in walk.state.sources.rows()}
    assert [texts[source_id] for source_id in outcomes[:4]] == [capture(number) for number in range(4)]
    assert outcomes[4] == "yes"
    assert_sound(walk)
