"""What differs between two states, and how a past state is read."""

from dataclasses import replace

import pytest

from kernel.errors import InvalidError, NotFoundError
from kernel.projections.branches import branches
from kernel.projections.changes import Comparison, NodeChange, changes_of, compare
from kernel.projections.outline import Ask, survey, window
from kernel.projections.past import revision_range, state_at
from kernel.projections.timeline import story
from kernel.state import Tables
from kernel.values.records import NodePatch, NodeRetire, RelationRetire
from kernel.vocabulary import NodeKind, RelationKind
from tests.support.build import add, grown, join, node_id, relation_id, root, under, words
from tests.support.story import Story


def _differences(old: Tables, new: Tables) -> tuple[NodeChange, ...]:
    return changes_of(old, new, new.nodes.newer_than(old.nodes), new.relations.newer_than(old.relations))


def _said(changes: tuple[NodeChange, ...]) -> set[tuple[str, str, bool]]:
    return {(item.after.title.or_erased(), item.mark, item.is_moved) for item in changes}


def test_added_changed_moved_and_retired_are_told_apart() -> None:
    """A node is added, changed or retired; one that only moved is changed, with both places."""
    old = grown(add("Bath"), under("Bath"), add("Tile"), under("Tile", "Bath"), add("Hob"), under("Hob"))
    place = relation_id(f"TileBath{list(RelationKind).index(RelationKind.BELONGS_TO)}")
    hob = relation_id(f"Hobroot{list(RelationKind).index(RelationKind.BELONGS_TO)}")
    new = grown(
        add("Oven"),
        under("Oven"),
        NodePatch(node_id=node_id("Bath"), title=words("Upper bath")),
        RelationRetire(relation_id=place),
        under("Tile"),
        RelationRetire(relation_id=hob),
        NodeRetire(node_id=node_id("Hob")),
        tables=old,
    )
    ids = (*new.nodes.newer_than(old.nodes), node_id("Tile"))
    changes = changes_of(old, new, ids, new.relations.newer_than(old.relations))
    assert _said(changes) == {
        ("Oven", "added", False),
        ("Upper bath", "changed", False),
        ("Tile", "changed", True),
        ("Hob", "retired", False),
    }
    moved = next(item for item in changes if item.is_moved)
    assert (moved.was_under, moved.is_under) == (node_id("Bath"), node_id("root"))


def test_a_new_relation_changes_the_node_that_it_starts_from() -> None:
    """Relations beside the place are told with their node; what stayed is not."""
    old = grown(add("Tile"), under("Tile"), add("Floor"), under("Floor"))
    new = grown(join("Tile", RelationKind.DEPENDS_ON, "Floor"), tables=old)
    (change,) = changes_of(
        old, new, (node_id("Tile"), node_id("Floor")), new.relations.newer_than(old.relations)
    )
    assert (change.mark, [item.to_id for item in change.joined]) == ("changed", [node_id("Floor")])
    assert _differences(new, new) == ()


def test_two_revisions_are_compared_through_everything_in_between() -> None:
    """Only what differs at the ends is told, whatever happened on the way; the same revision differs in nothing."""
    told = Story().opened()
    room = told.accepted(told.captured("Bathroom", NodeKind.IDEA))
    told.accepted(told.captured("Order tiles", under=room))
    told.accepted(told.captured("Kitchen", NodeKind.IDEA))
    assert _said(compare(told.state, 1, 3).changes) == {
        ("Order tiles", "added", False),
        ("Kitchen", "added", False),
    }
    assert compare(told.state, 2, 2).changes == ()
    with pytest.raises(NotFoundError):
        compare(told.state, 0, 4)


def test_a_past_state_shows_its_own_nodes_and_nothing_that_waits() -> None:
    """The outline of a past revision is that revision's; suggestions and later nodes are not in it."""
    told = Story().opened()
    told.accepted(told.captured("Bathroom", NodeKind.IDEA))
    told.accepted(told.captured("Kitchen", NodeKind.IDEA))
    told.captured("Order tiles")
    past = state_at(told.state, 1)
    rows = window(survey(past), Ask()).rows
    assert [row.node.title.text for row in rows if row.node] == ["Birch Lane 7", "Bathroom"]
    assert len(rows) == 2
    assert past.state_root == told.state.revisions["000000000001"].state_root
    for number in (-1, 3):
        with pytest.raises(NotFoundError):
            state_at(told.state, number)


def test_a_range_names_two_revisions_in_either_order() -> None:
    """`16..18` and `18..16` are the same comparison; anything else is refused."""
    assert revision_range("16..18") == revision_range(" 18..16 ") == (16, 18)
    for text in ("", "16", "a..b", "-1..2", "1...2", "1..9999999999999"):
        with pytest.raises(InvalidError):
            revision_range(text)


def test_the_story_leads_back_through_what_a_node_refines_and_replaces() -> None:
    """Ancestors are told nearest first, each once; other relations are no descent."""
    tables = grown(
        *(operation for name in ("New", "Mid", "Old", "Other") for operation in (add(name), under(name))),
        join("New", RelationKind.REFINES, "Mid"),
        join("Mid", RelationKind.SUPERSEDES, "Old"),
        join("New", RelationKind.ORIGINATED_FROM, "Old"),
        join("New", RelationKind.DEPENDS_ON, "Other"),
        tables=root(),
    )
    state = replace(Story().opened().state, tables=tables)
    told = [(item.relation.kind, item.of.title.text) for item in story(state, node_id("New"))]
    assert told == [(RelationKind.REFINES, "Mid"), (RelationKind.ORIGINATED_FROM, "Old")]


def test_a_comparison_stands_in_its_tree() -> None:
    """Changed nodes hang under what holds them, in the tree's order; a retired one where it last stood."""
    told = Story().opened()
    room = told.accepted(told.captured("Bathroom", NodeKind.IDEA))
    told.accepted(told.captured("Kitchen", NodeKind.IDEA))
    before = told.state.revision
    told.accepted(told.captured("Hob", under=told.state.root_id))
    told.accepted(told.captured("Order tiles", under=room))
    tree = branches(compare(told.state, before, told.state.revision))
    assert [(item.depth, item.node.title.text, item.change is not None) for item in tree] == [
        (0, "Birch Lane 7", False),
        (1, "Bathroom", False),
        (2, "Order tiles", True),
        (1, "Hob", True),
    ]


def test_a_retired_branch_hangs_where_it_last_stood() -> None:
    """A node and its child that are both gone stand under the place they had, after what is still there."""
    old = grown(add("Hall"), under("Hall"), add("Hob"), under("Hob"), add("Knob"), under("Knob", "Hob"))
    places = [
        relation_id(f"{name}{list(RelationKind).index(RelationKind.BELONGS_TO)}")
        for name in ("KnobHob", "Hobroot")
    ]
    new = grown(
        RelationRetire(relation_id=places[0]),
        NodeRetire(node_id=node_id("Knob")),
        RelationRetire(relation_id=places[1]),
        NodeRetire(node_id=node_id("Hob")),
        add("Oven"),
        under("Oven"),
        tables=old,
    )
    revision = Story().opened().state.revisions["000000000000"]
    found = Comparison(replace(revision, tables=old), replace(revision, tables=new), _differences(old, new))
    assert [(item.depth, item.node.title.text) for item in branches(found)] == [
        (0, "Root"),
        (1, "Oven"),
        (1, "Hob"),
        (2, "Knob"),
    ]
