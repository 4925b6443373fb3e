"""What waits, in which order, and what does not wait any more."""

from kernel.commands import AcceptDelta, EditDelta, ImportOutline, OutlineNode, ProposeCorrection
from kernel.projections.inbox import Matter, Wait, inbox
from kernel.vocabulary import NodeKind, PromotionOutcome
from tests.support.story import Story, delta_with_profile
from tests.support.whole import asked, failed_exchange, questioned, requested

NOW = "2026-11-30T09:00:30.000000Z"


def _waits(story: Story, at: str = NOW) -> list[tuple[Matter, Wait, str]]:
    return [(item.matter, item.wait, item.title) for item in inbox(story.state, at)]


def test_everything_that_waits_stands_there_the_riskiest_matter_first() -> None:
    """Promotions come before evidence, evidence before meaning, and within each the oldest first."""
    story = Story().opened()
    placed = story.captured("Paint the hall")
    questioned(story, "Something about the room")
    failed_exchange(story)
    requested(story, "Never answered")
    story.after(ImportOutline("- One", story.state.root_id, (OutlineNode(NodeKind.IDEA, "One", None, None),)))
    story.after(ProposeCorrection(story.state.root_id, "Better", title="House"))
    assert _waits(story) == [
        (Matter.MEANING, Wait.PLACEMENT, "Paint the hall"),
        (Matter.MEANING, Wait.QUESTION, "Which room do you mean?"),
        (Matter.MEANING, Wait.UNPLACED, "Paint the hall"),
        (Matter.MEANING, Wait.UNPLACED, "Never answered"),
        (Matter.MEANING, Wait.IMPORT, "Import 1 node under Birch Lane 7"),
        (Matter.MEANING, Wait.CORRECTION, "Change Birch Lane 7"),
    ]
    assert inbox(story.state, NOW)[0].id == placed


def test_a_result_waits_before_meaning_and_its_promotion_before_both() -> None:
    """A reconciliation stands under evidence; once authorised, its promotion waits for an operator."""
    story = Story().opened()
    story.captured("An idea", NodeKind.IDEA)
    task = story.accepted(delta_with_profile(story, story.captured("Work out the cost")))
    closure = story.returned(story.authorized(story.briefed(task)))
    reconciliation = story.reconciled(closure, story.validated(closure))
    assert [item[:2] for item in _waits(story)] == [
        (Matter.EVIDENCE, Wait.RECONCILIATION),
        (Matter.MEANING, Wait.PLACEMENT),
    ]
    story.after(AcceptDelta(reconciliation, 0, story.state.revision, story.seen(reconciliation)))
    promotion = story.promotable(reconciliation)
    assert _waits(story)[0] == (Matter.ARTIFACTS, Wait.OPERATOR, "Work out the cost")
    assert inbox(story.state, NOW)[0].node_id == task
    assert _waits(story, story.later(4000))[0][1] is Wait.AUTHORIZATION
    story.promoted(promotion, PromotionOutcome.OUTCOME_UNKNOWN)
    assert _waits(story)[0][1] is Wait.OUTCOME


def test_what_was_decided_answered_or_promoted_waits_no_more() -> None:
    """Accepted proposals, answered questions and promoted results leave the Inbox."""
    story = Story().opened()
    _, reconciliation = story.integrated()
    story.promoted(story.promotable(reconciliation))
    asked(story, "Something about the room")
    assert [item[1] for item in _waits(story)] == [Wait.UNPLACED]


def test_editing_a_proposal_does_not_make_it_younger() -> None:
    """A reworded proposal keeps its place in the queue."""
    story = Story().opened()
    first, second = story.captured("One"), story.captured("Two")
    story.after(EditDelta(first, "One, better", None, NodeKind.IDEA, story.seen(first)))
    assert [item[2] for item in _waits(story)] == ["One, better", "Two"]
    assert inbox(story.state, NOW)[1].id == second
