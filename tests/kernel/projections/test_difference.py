"""The neighbourhood before and after a yes."""

from kernel.commands import Below, ImportOutline, Join, OutlineNode, ProposeCorrection
from kernel.projections.difference import LINES_MAX, SIBLINGS_MAX, Difference, Line, difference
from kernel.vocabulary import NodeKind, RelationKind
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


def _two_rooms() -> tuple[Story, str, str, str]:
    """Tell of a task with a part under one of two rooms; return the rooms and the task."""
    story = Story().opened()
    bath = story.accepted(story.captured("Bath", NodeKind.IDEA))
    hall = story.accepted(story.captured("Hall", NodeKind.IDEA))
    task = story.accepted(story.captured("Order tiles", under=bath))
    story.accepted(story.captured("Measure", under=task))
    return story, bath, hall, task


def test_what_moves_stands_where_it_was_and_where_it_would_be() -> None:
    """Both places are shown on both sides; only the new one holds it after."""
    story, bath, hall, task = _two_rooms()
    (event,) = story.after(ProposeCorrection(task, "Nearer", under_id=hall))
    found = _of(story, event.body.delta_id)  # type: ignore[attr-defined]
    assert _shown(found.before) == [(0, "Bath", ""), (1, "Order tiles", ""), (0, "Hall", "")]
    assert _shown(found.after) == [(0, "Bath", ""), (0, "Hall", ""), (1, "Order tiles", "changed")]
    assert [line.left for line in found.after] == [None, None, story.state.tables.nodes[bath]]


def test_what_is_retired_stands_before_only() -> None:
    """What belongs to it moves up on the after side, or goes as well."""
    story, bath, _hall, task = _two_rooms()
    sides = {}
    for below in Below:
        (event,) = story.after(ProposeCorrection(task, "Bought", retires=below))
        sides[below] = _of(story, event.body.delta_id)  # type: ignore[attr-defined]
    before = [(0, "Bath", ""), (1, "Order tiles", ""), (2, "Measure", "")]
    assert {below: _shown(found.before) for below, found in sides.items()} == dict.fromkeys(Below, before)
    assert _shown(sides[Below.LIFTED].after) == [(0, "Bath", ""), (1, "Measure", "changed")]
    assert _shown(sides[Below.RETIRED].after) == [(0, "Bath", "")]
    assert bath in story.state.tables.nodes


def test_a_relation_stands_with_the_node_it_starts_from() -> None:
    """Added or ended, the line says which, and the node is marked as changed."""
    story, _bath, hall, task = _two_rooms()
    (event,) = story.after(ProposeCorrection(task, "So", joins=(Join(RelationKind.REFINES, hall),)))
    found = _of(story, event.body.delta_id)  # type: ignore[attr-defined]
    assert _shown(found.after) == [(0, "Bath", ""), (1, "Order tiles", "changed")]
    assert [item.kind for item in found.after[1].joins] == [RelationKind.REFINES]
    story.accepted_as_shown(event)
    (relation,) = (item for item in story.state.tables.relations.rows() if item.kind is RelationKind.REFINES)
    (event,) = story.after(ProposeCorrection(hall, "Not so", parts=(relation.id,)))
    found = _of(story, event.body.delta_id)  # type: ignore[attr-defined]
    assert (_shown(found.after)[1], found.after[1].parts) == ((1, "Order tiles", "changed"), (relation,))
