"""Which acts are offered on what, to whom; and that the same set refuses what it does not offer."""

import pytest

from kernel.commands import (
    AcceptDelta,
    ArchiveProject,
    EraseSource,
    ImportOutline,
    OutlineNode,
    ProposeCorrection,
    RejectDelta,
    RemandDelta,
)
from kernel.errors import AuthorityError, LifecycleError
from kernel.projections.acts import Act, acts_for, closed_because, require_act
from kernel.vocabulary import NodeKind, Role
from tests.support.story import Story, delta_with_profile
from tests.support.whole import failed_exchange, questioned

NOW = "2026-11-30T10:00:00.000000Z"
PLACEMENT_ACTS = frozenset({Act.ACCEPT, Act.EDIT, Act.MOVE, Act.REJECT, Act.DEFER, Act.REMAND, Act.SPLIT})


def test_a_viewer_is_offered_nothing_at_all() -> None:
    """Whatever the thing, a role that may only read gets the empty set."""
    story = Story().opened()
    delta_id = story.captured("Paint the hall")
    things = (story.ledger, delta_id, questioned(story, "What?"), story.state.root_id)
    assert [acts_for(story.state, thing, Role.VIEWER, NOW) for thing in things] == [frozenset()] * 4
    with pytest.raises(AuthorityError, match="owner or reviewer"):
        require_act(story.state, delta_id, Act.ACCEPT, role=Role.VIEWER, at=NOW)


def test_a_placement_offers_its_acts_until_it_is_decided() -> None:
    """A waiting placement can be taken, reworded, moved, split, put off, sent back and refused; then nothing more."""
    story = Story().opened()
    delta_id = story.captured("Paint the hall")
    assert acts_for(story.state, delta_id, Role.REVIEWER, NOW) == PLACEMENT_ACTS
    story.after(RejectDelta(delta_id, None, story.seen(delta_id)))
    assert acts_for(story.state, delta_id, Role.OWNER, NOW) == frozenset()
    with pytest.raises(LifecycleError, match="already rejected"):
        require_act(story.state, delta_id, Act.ACCEPT, role=Role.OWNER, at=NOW)


def test_a_remanded_placement_offers_a_corrected_one_or_a_no() -> None:
    """It takes no yes and no delay; whoever tries hears that it waits for its corrections."""
    story = Story().opened()
    delta_id = story.captured("Paint the hall")
    story.after(RemandDelta(delta_id, "Which hall", ("Name it",), story.seen(delta_id)))
    offered = {Act.EDIT, Act.MOVE, Act.SPLIT, Act.REJECT}
    assert acts_for(story.state, delta_id, Role.OWNER, NOW) == offered
    with pytest.raises(LifecycleError, match="waits for its corrections"):
        require_act(story.state, delta_id, Act.ACCEPT, role=Role.OWNER, at=NOW)


def test_an_archived_project_offers_its_return_and_nothing_else() -> None:
    """Nothing is begun in a project that was put away; its owner takes it up again, and the refusal says so."""
    story = Story().opened()
    delta_id = story.captured("Paint the hall")
    story.after(ArchiveProject())
    things = (delta_id, story.state.root_id)
    assert [acts_for(story.state, thing, Role.OWNER, NOW) for thing in things] == [frozenset()] * 2
    assert acts_for(story.state, story.ledger, Role.OWNER, NOW) == {Act.RESTORE}
    assert acts_for(story.state, story.ledger, Role.REVIEWER, NOW) == frozenset()
    with pytest.raises(LifecycleError, match="Restore it"):
        require_act(story.state, delta_id, Act.ACCEPT, role=Role.OWNER, at=NOW)


def test_an_import_and_a_change_cannot_be_reworded_or_moved() -> None:
    """Only the placement of one node can be edited or moved."""
    story = Story().opened()
    nodes = tuple(OutlineNode(NodeKind.IDEA, title, None, None) for title in ("One", "Two"))
    imported = story.after(ImportOutline("- One\n- Two", story.state.root_id, nodes))[-1].body.delta_id  # type: ignore[attr-defined]
    (change,) = story.after(ProposeCorrection(story.state.root_id, "Better", title="House"))
    for delta_id in (imported, change.body.delta_id):  # type: ignore[attr-defined]
        assert acts_for(story.state, delta_id, Role.OWNER, NOW) == {
            Act.ACCEPT,
            Act.REJECT,
            Act.DEFER,
            Act.REMAND,
        }


def test_a_conflict_closes_the_yes_and_leaves_the_other_acts() -> None:
    """When the place changed, accept is not offered, and the reason is a sentence."""
    story = Story().opened()
    room = story.accepted(story.captured("Bathroom", NodeKind.IDEA))
    delta_id = story.captured("Check the floor", under=room)
    (change,) = story.after(ProposeCorrection(room, "Which one", title="Upper bathroom"))
    changed = change.body.delta_id  # type: ignore[attr-defined]
    story.after(AcceptDelta(changed, 0, story.state.revision, story.seen(changed)))
    assert acts_for(story.state, delta_id, Role.OWNER, NOW) == PLACEMENT_ACTS - {Act.ACCEPT} | {Act.REBASE}
    record = story.state.deltas[delta_id]
    sentence = (
        "What it touches changed since it was suggested. Edit, move or renew it to bring it up to date."
    )
    assert closed_because(story.state, record, NOW) == sentence
    with pytest.raises(LifecycleError, match="What it touches changed"):
        require_act(story.state, delta_id, Act.ACCEPT, role=Role.OWNER, at=NOW)


def test_a_revision_that_touches_nothing_leaves_every_act_open() -> None:
    """Two captures side by side can be accepted one after another."""
    story = Story().opened()
    first, second = story.captured("One thing"), story.captured("Another thing")
    story.accepted(first)
    assert acts_for(story.state, second, Role.OWNER, NOW) == PLACEMENT_ACTS | {Act.REBASE}


def test_an_authorised_promotion_closes_every_yes_until_it_lapses() -> None:
    """While the newest revision is reserved nothing can be accepted; afterwards it can."""
    story = Story().opened()
    _, reconciliation = story.integrated()
    delta_id = story.captured("Something else")
    story.promotable(reconciliation)
    soon, late = story.later(1), story.later(4000)
    assert Act.ACCEPT not in acts_for(story.state, delta_id, Role.OWNER, soon)
    assert Act.ACCEPT in acts_for(story.state, delta_id, Role.OWNER, late)


def test_a_question_is_answered_once_and_a_failed_placement_is_asked_again() -> None:
    """An open question offers the answer; kept words that came to nothing offer another attempt."""
    story = Story().opened()
    question = questioned(story, "Something about the room")
    source_id = failed_exchange(story)
    attempts = [item for item in story.state.followed_by[source_id] if item in story.state.exchanges]
    assert acts_for(story.state, question, Role.OWNER, NOW) == {Act.ANSWER}
    assert [acts_for(story.state, item, Role.OWNER, NOW) for item in attempts] == [
        frozenset(),
        frozenset({Act.ASK_AGAIN}),
    ]


def test_a_node_offers_a_change_and_a_task_with_a_profile_its_brief() -> None:
    """What can be begun from a node depends on the node; the project itself takes captures and imports."""
    story = Story().opened()
    task = story.accepted(delta_with_profile(story, story.captured("Work out the cost")))
    assert acts_for(story.state, story.state.root_id, Role.OWNER, NOW) == {Act.CAPTURE, Act.CORRECT}
    assert acts_for(story.state, task, Role.OWNER, NOW) == {Act.CAPTURE, Act.CORRECT, Act.BRIEF}
    assert acts_for(story.state, story.ledger, Role.REVIEWER, NOW) == {Act.CAPTURE, Act.IMPORT}
    assert acts_for(story.state, story.ledger, Role.OWNER, NOW) == {Act.CAPTURE, Act.IMPORT, Act.ARCHIVE}
    assert acts_for(story.state, "node_nothing", Role.OWNER, NOW) == frozenset()


def test_what_was_accepted_is_taken_back_and_words_are_erased_by_their_author() -> None:
    """An accepted proposal offers its return; a capture offers erasure to an owner and to who captured it."""
    story = Story().opened()
    delta_id = story.captured("Paint the hall")
    story.accepted(delta_id)
    source_id = story.state.deltas[delta_id].body.source_ids[0]
    author = story.state.sources[source_id].origin.actor.id
    assert acts_for(story.state, delta_id, Role.REVIEWER, NOW) == {Act.TAKE_BACK}
    assert acts_for(story.state, source_id, Role.OWNER, NOW) == {Act.ERASE}
    assert acts_for(story.state, source_id, Role.REVIEWER, NOW, person_id=author) == {Act.ERASE}
    assert acts_for(story.state, source_id, Role.REVIEWER, NOW, person_id="jonas") == frozenset()
    with pytest.raises(AuthorityError, match="erased by who captured them"):
        require_act(story.state, source_id, Act.ERASE, role=Role.REVIEWER, at=NOW, person_id="jonas")
    story.after(EraseSource(source_id))
    with pytest.raises(LifecycleError, match="erased already"):
        require_act(story.state, source_id, Act.ERASE, role=Role.OWNER, at=NOW)
