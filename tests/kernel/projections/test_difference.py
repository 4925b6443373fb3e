"""The neighbourhood before and after a yes."""

from kernel.commands import ImportOutline, OutlineNode, ProposeCorrection
from kernel.projections.difference import LINES_MAX, SIBLINGS_MAX, Difference, Line, difference
from kernel.vocabulary import NodeKind
from tests.support.story import Story, delta_with_profile


def _shown(lines: tuple[Line, ...]) -> list[tuple[int, str, str]]:
    return [(line.depth, line.node.title.or_erased(), line.mark) for line in lines]


def _of(story: Story, delta_id: str) -> Difference:
    return difference(story.state.tables, story.state.revision, story.state.deltas[delta_id].body.operations)


def test_a_placement_adds_one_line_after_its_newest_siblings() -> None:
    """The place and its newest children stand on both sides; the rest is counted."""
    story = Story().opened()
    room = story.accepted(story.captured("Bathroom", NodeKind.IDEA))
    for index in range(SIBLINGS_MAX + 2):
        story.accepted(story.captured(f"Thing {index}", NodeKind.IDEA, under=room))
    found = _of(story, story.captured("Check the floor", under=room))
    assert _shown(found.before) == [(0, "Bathroom", ""), *((1, f"Thing {n}", "") for n in range(2, 6))]
    assert _shown(found.after) == [*_shown(found.before), (1, "Check the floor", "added")]
    assert (found.before[0].hidden, found.after[0].hidden) == (2, 2)


def test_a_change_stands_in_its_place_beside_what_it_was() -> None:
    """A corrected node is marked on the after side and knows its earlier record."""
    story = Story().opened()
    room = story.accepted(story.captured("Bathroom", NodeKind.IDEA))
    (event,) = story.after(ProposeCorrection(room, "Which one", title="Upper bathroom"))
    found = _of(story, event.body.delta_id)  # type: ignore[attr-defined]
    assert _shown(found.before) == [(0, "Birch Lane 7", ""), (1, "Bathroom", "")]
    assert _shown(found.after) == [(0, "Birch Lane 7", ""), (1, "Upper bathroom", "changed")]
    assert found.after[1].was == story.state.tables.nodes[room]


def test_an_import_keeps_its_nesting_and_is_cut_with_its_number() -> None:
    """Nested additions are set in; more lines than fit are counted."""
    story = Story().opened()
    nodes = (
        OutlineNode(NodeKind.GOAL, "Goal", None, None),
        *(OutlineNode(NodeKind.IDEA, f"Idea {index}", None, 0) for index in range(99)),
    )
    (*_, event) = story.after(ImportOutline("# Goal", story.state.root_id, nodes))
    found = _of(story, event.body.delta_id)  # type: ignore[attr-defined]
    assert _shown(found.after)[:3] == [(0, "Birch Lane 7", ""), (1, "Goal", "added"), (2, "Idea 0", "added")]
    assert (len(found.after), found.after_more) == (LINES_MAX, 101 - LINES_MAX)


def test_a_result_completes_its_task_and_hangs_the_evidence_under_it() -> None:
    """A reconciliation shows the task changed and the evidence added below it."""
    story = Story().opened()
    task = story.accepted(delta_with_profile(story, story.captured("Work out the cost")))
    closure = story.returned(story.authorized(story.briefed(task)))
    found = _of(story, story.reconciled(closure, story.validated(closure)))
    assert _shown(found.after)[-2:] == [
        (1, "Work out the cost", "changed"),
        (2, "Evidence: Work out the cost", "added"),
    ]
