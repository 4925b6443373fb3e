"""What a profile means that does not block integration, and what verification is about."""

from kernel.commands import ProposeCorrection, ProposePromotion, ProposeReconciliation
from kernel.errors import EvidenceError
from kernel.rules.reconciliation import gates
from kernel.vocabulary import Phase, Verification
from tests.support.acts import accept, integrated, renamed
from tests.support.spec import refused
from tests.support.story import HOST, PROFILE, Story, delta_with_profile

LENIENT = PROFILE.model_copy(
    update={"contract": PROFILE.contract.model_copy(update={"block_integration": False})}
)


def let_in() -> tuple[Story, str, str]:
    """Integrate a result whose required evidence is not met, under a lenient profile; return task and proposal."""
    story = Story().opened()
    task_id = story.accepted(delta_with_profile(story, story.captured("Work out the cost of three vans")))
    closure_id = story.returned(story.authorized(story.briefed(task_id, LENIENT)))
    delta_id = story.reconciled(closure_id, story.validated(closure_id, passed=2))
    story.after(accept(story, delta_id))
    return story, task_id, delta_id


def test_a_lenient_profile_lets_a_result_in_and_says_what_is_not_met() -> None:
    """The evidence gate passes with a sentence that names it, and so does the policy."""
    story = Story().opened()
    task_id = story.accepted(delta_with_profile(story, story.captured("Work out the cost of three vans")))
    closure_id = story.returned(story.authorized(story.briefed(task_id, LENIENT)))
    validation_id = story.validated(closure_id, passed=2)
    listed = gates(story.state, closure_id, validation_id)
    unmet = "the task would be completed on the word of who accepts this, and not verified"
    assert [(gate.name, gate.standing, gate.detail) for gate in listed[3:5]] == [
        ("evidence", "passed", f"Required evidence not met: costs; {unmet}"),
        ("policy", "passed", "The profile lets a result in without its required evidence"),
    ]


def test_what_was_let_in_is_completed_and_not_verified() -> None:
    """A person said so by accepting; no evidence did."""
    story, task_id, _ = let_in()
    task = story.state.tables.nodes[task_id]
    assert (task.phase, task.verification, task.said_by) == (
        Phase.COMPLETED,
        Verification.UNVERIFIED,
        "owner",
    )


def test_what_was_let_in_is_not_promoted() -> None:
    """Moving a branch still takes the required evidence."""
    story, _, delta_id = let_in()
    message = "required evidence of the integrated result is not met"
    assert refused(story, ProposePromotion(delta_id)) == (EvidenceError, "evidence_gate_blocked", message)


def test_a_later_good_result_verifies_what_was_let_in() -> None:
    """The next try of the same task, with its evidence met, completes it by evidence."""
    story, task_id, _ = let_in()
    closure_id = story.returned(story.authorized(story.briefed(task_id)))
    command = ProposeReconciliation(closure_id, story.validated(closure_id))
    (proposed,) = story.after(command, HOST)
    story.after(accept(story, proposed.body.delta_id))  # type: ignore[attr-defined]
    task = story.state.tables.nodes[task_id]
    assert (task.verification, task.said_by) == (Verification.VERIFIED, None)


def test_other_words_on_verified_work_are_not_verified() -> None:
    """Evidence was about the old title and description; a new one of either ends the verification."""
    for changes in ({"title": "Work out another cost"}, {"description": "Of four vans"}):
        story, task_id, _ = integrated()
        assert story.state.tables.nodes[task_id].verification is Verification.VERIFIED
        story.after(ProposeCorrection(task_id, "Clearer", **changes))  # type: ignore[arg-type]
        story.after(accept(story, story.events[-1].body.delta_id))  # type: ignore[attr-defined]
        task = story.state.tables.nodes[task_id]
        assert (task.phase, task.verification) == (Phase.COMPLETED, Verification.UNVERIFIED)


def test_a_result_whose_task_was_reworded_is_not_promoted() -> None:
    """What was verified is no longer what the task says."""
    story, task_id, delta_id = integrated()
    renamed(story, task_id, "Work out another cost")
    refusal = refused(story, ProposePromotion(delta_id))
    assert refusal is not None
    assert refusal[2] == "the integrated result is no longer in force: its task was changed since"
