"""What a node could lawfully be joined to, found by title or near."""

from itertools import cycle, permutations

from kernel.commands import AcceptDelta, ImportOutline, Join, OutlineNode, ProposeCorrection
from kernel.errors import StudioError
from kernel.projections.partners import (
    PLACE,
    SHOWN_MAX,
    Partners,
    Verb,
    partners_among,
    partners_for,
    verbs_for,
)
from kernel.rules.graph import check_relation
from kernel.values.records import RelationAdd
from kernel.vocabulary import NodeKind, RelationKind
from tests.support.story import Story

DEPENDS: Verb = (RelationKind.DEPENDS_ON, True)


def _named(found: Partners) -> list[str]:
    return [node.title.or_erased() for node in found.nodes]


def _tree() -> tuple[Story, dict[str, str]]:
    """Tell of a bath with a task and its part, a hall, and a private shed; return ids by title."""
    story = Story().opened()
    ids = {"Birch Lane 7": story.state.root_id}
    for title, under, kind, private in (
        ("Bath", "Birch Lane 7", NodeKind.GOAL, False),
        ("Hall", "Birch Lane 7", NodeKind.GOAL, False),
        ("Shed", "Birch Lane 7", NodeKind.IDEA, True),
        ("Order tiles", "Bath", NodeKind.TASK, False),
        ("Measure tiles", "Order tiles", NodeKind.TASK, False),
        ("Tiles", "Hall", NodeKind.IDEA, False),
        ("Offer for tiles", "Hall", NodeKind.EVIDENCE, False),
    ):
        delta_id = story.captured(title, kind, under=ids[under], private=private)
        ids[title] = story.accepted(delta_id)
    return story, ids


def test_near_places_come_one_level_up_first() -> None:
    """Neither its own place, nor what is below it, nor evidence, nor a private place is offered."""
    story, ids = _tree()
    found = partners_for(story.state, story.state.tables.nodes[ids["Order tiles"]], PLACE, "")
    assert (_named(found), found.total) == (["Birch Lane 7", "Hall"], None)


def test_a_title_is_found_whole_first_then_by_its_words() -> None:
    """Case does not matter, every word counts, and what would close a circle is left out."""
    story, ids = _tree()
    task = story.state.tables.nodes[ids["Order tiles"]]
    found = partners_for(story.state, task, DEPENDS, "  TILES ")
    assert (_named(found), found.total) == (["Tiles", "Measure tiles", "Offer for tiles"], 3)
    (event,) = story.after(
        ProposeCorrection(ids["Measure tiles"], "First", joins=(Join(DEPENDS[0], task.id),))
    )
    story.accepted_as_shown(event)
    assert _named(partners_for(story.state, task, DEPENDS, "tiles")) == ["Tiles", "Offer for tiles"]
    needed = partners_for(story.state, task, (RelationKind.DEPENDS_ON, False), "measure")
    assert (needed.nodes, needed.total) == ((), 0)


def test_what_a_search_found_is_narrowed_to_what_is_lawful() -> None:
    """In the order of the search; what does not exist is passed over."""
    story, ids = _tree()
    task = story.state.tables.nodes[ids["Order tiles"]]
    searched = [ids[title] for title in ("Measure tiles", "Hall", "Shed", "Bath", "Birch Lane 7")]
    found = partners_among(story.state, task, PLACE, ["node_none", *searched])
    assert (_named(found), found.total) == (["Hall", "Birch Lane 7"], 2)


def test_verbs_follow_the_kinds_that_a_relation_may_join() -> None:
    """The project is only where something came from; evidence has no evidence; a conflict is named once."""
    assert verbs_for(NodeKind.PROJECT) == ((RelationKind.ORIGINATED_FROM, False),)
    evidence = verbs_for(NodeKind.EVIDENCE)
    assert (RelationKind.EVIDENCED_BY, True) not in evidence
    assert (RelationKind.EVIDENCED_BY, False) in evidence
    assert [kind for kind, _ in verbs_for(NodeKind.TASK)].count(RelationKind.CONFLICTS_WITH) == 1


def test_what_is_offered_is_what_the_rules_admit() -> None:
    """Over a grown project, every kind of relation and every node: offered exactly when adding it is lawful."""
    story, ids = _tree()
    kinds = cycle((RelationKind.DEPENDS_ON, RelationKind.REFINES, RelationKind.CONFLICTS_WITH))
    pairs = list(permutations(ids.values(), 2))[::4]
    for kind, (start, end) in zip(kinds, pairs, strict=False):
        try:
            (event,) = story.after(ProposeCorrection(start, "So", joins=(Join(kind, end),)))
        except StudioError:
            continue
        story.accepted_as_shown(event)
    tables = story.state.tables
    for node in tables.nodes.rows():
        for verb in verbs_for(node.kind):
            offered = {
                item.id
                for title in ids
                for item in partners_for(story.state, node, verb, title).nodes
                if item.title.text == title
            }
            assert offered == {item for item in ids.values() if _is_lawful(story, node.id, item, verb)}


def _is_lawful(story: Story, node_id: str, other_id: str, verb: Verb) -> bool:
    ends = (node_id, other_id) if verb[1] else (other_id, node_id)
    relation = RelationAdd(
        relation_id=story.stamp().id("relation"), kind=verb[0], from_id=ends[0], to_id=ends[1]
    )
    try:
        check_relation(story.state.tables, relation)
    except StudioError:
        return False
    return True


def test_thousands_of_nodes_are_searched_and_counted() -> None:
    """The first of them stand there, and how many there are."""
    story = Story().opened()
    nodes = tuple(OutlineNode(NodeKind.IDEA, f"Idea number {index}", None, None) for index in range(2000))
    (*_, event) = story.after(ImportOutline("# Many", story.state.root_id, nodes))
    delta_id = event.body.delta_id  # type: ignore[attr-defined]
    story.after(AcceptDelta(delta_id, 0, story.state.revision, story.seen(delta_id)))
    node = next(item for item in story.state.tables.nodes.rows() if item.title.text == "Idea number 77")
    found = partners_for(story.state, node, PLACE, "number idea")
    assert (len(found.nodes), found.total) == (SHOWN_MAX, 1999)
    assert len(partners_for(story.state, node, DEPENDS, "").nodes) == SHOWN_MAX
