"""The timeline: revisions newest first with what each did, what it came out of, and the work under it."""

from kernel.commands import AcceptDelta, EditDelta, MoveDelta, ProposeCorrection
from kernel.projections.timeline import ENTRIES_MAX, Timeline, story, timeline
from kernel.vocabulary import NodeKind, PromotionOutcome
from tests.support.story import Story


def _told(told: Timeline) -> list[tuple[int, list[tuple[str, str]]]]:
    return [
        (
            entry.revision.number,
            [(change.mark, change.after.title.or_erased()) for change in entry.changes],
        )
        for entry in told.entries
    ]


def test_each_revision_says_what_it_added_and_changed() -> None:
    """Newest first, down to the opening, which changed nothing."""
    told = Story().opened()
    room = told.accepted(told.captured("Bathroom", NodeKind.IDEA))
    (event,) = told.after(ProposeCorrection(room, "Better", title="Upper bathroom"))
    delta_id = event.body.delta_id  # type: ignore[attr-defined]
    told.after(AcceptDelta(delta_id, 0, told.state.revision, told.seen(delta_id)))
    assert _told(timeline(told.state)) == [
        (2, [("changed", "Upper bathroom")]),
        (1, [("added", "Bathroom")]),
        (0, []),
    ]


def test_pages_follow_each_other_without_gap_or_overlap() -> None:
    """The cursor of one page is where the next begins; the last page has none."""
    told = Story().opened()
    for index in range(ENTRIES_MAX + 3):
        told.accepted(told.captured(f"Idea {index}", NodeKind.IDEA))
    first = timeline(told.state)
    second = timeline(told.state, before=first.before)
    numbers = [entry.revision.number for page in (first, second) for entry in page.entries]
    assert numbers == list(range(ENTRIES_MAX + 3, -1, -1))
    assert (first.before, second.before) == (4, None)
    assert timeline(told.state, before=0) == Timeline((), None)


def test_one_node_is_followed_through_its_own_revisions() -> None:
    """Only revisions that touched the node are told, with its own work alone."""
    told = Story().opened()
    told.integrated()
    room = told.accepted(told.captured("Bathroom", NodeKind.IDEA))
    told.accepted(told.captured("Elsewhere", NodeKind.IDEA))
    tiles = told.accepted(told.captured("Order tiles", under=room))
    page = timeline(told.state, node_id=room)
    assert [entry.revision.number for entry in page.entries] == [5, 3]
    assert [entry.work for entry in page.entries] == [(), ()]
    assert [entry.revision.number for entry in timeline(told.state, node_id=tiles).entries] == [5]
    assert timeline(told.state, node_id=room, before=5).entries == page.entries[1:]
    assert timeline(told.state, node_id="node_nothing") == Timeline((), None)


def test_work_stands_under_the_revision_it_followed() -> None:
    """Brief, run, result and validation follow the task's acceptance; the promotion follows the integration."""
    told = Story().opened()
    task, reconciliation = told.integrated()
    told.promoted(told.promotable(reconciliation), PromotionOutcome.PROMOTED)
    newest, added, opening = timeline(told.state).entries
    assert [item.what for item in newest.work] == ["promoted", "released", "offered"]
    assert [item.what for item in added.work] == ["validated", "returned", "authorized", "briefed"]
    assert opening.work == ()
    assert {item.node_id for item in (*newest.work, *added.work)} == {task}


def test_proposals_that_were_replaced_are_told_with_why() -> None:
    """An edited and moved placement keeps its way here: moved, and before that edited."""
    told = Story().opened()
    room = told.accepted(told.captured("Bathroom", NodeKind.IDEA))
    first = told.captured("Tiles")
    told.after(EditDelta(first, "Order tiles", None, NodeKind.TASK, told.seen(first)))
    second = told.state.deltas[first].replacement_id
    assert second is not None
    told.after(MoveDelta(second, room, told.seen(second)))
    third = told.state.deltas[second].replacement_id
    assert third is not None
    told.accepted(third)
    assert [(item.body.delta_id, item.why) for item in timeline(told.state).entries[0].earlier] == [
        (second, "moved"),
        (first, "edited"),
    ]


def test_the_story_of_a_node_leads_back_to_what_it_came_out_of() -> None:
    """A node without ancestors has no story; nor has one that is not there."""
    told = Story().opened()
    room = told.accepted(told.captured("Bathroom", NodeKind.IDEA))
    assert story(told.state, room) == story(told.state, "node_nothing") == ()
