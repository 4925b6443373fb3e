"""What stands around a node: steps, directions, what is left out, what is suggested, and how much is unseen."""

from kernel.commands import ImportOutline, OutlineNode
from kernel.projections.neighbourhood import NODES_MAX, Around, Neighbourhood, neighbourhood
from kernel.vocabulary import NodeKind, RelationKind
from tests.support.story import Story


def _house() -> tuple[Story, dict[str, str]]:
    story = Story().opened()
    ids = {"root": story.state.root_id, "bath": story.accepted(story.captured("Bathroom", NodeKind.IDEA))}
    ids["floor"] = story.accepted(story.captured("Check the floor", under=ids["bath"]))
    ids["hall"] = story.accepted(story.captured("Hall", NodeKind.IDEA))
    return story, ids


def _seen(story: Story, around: Around) -> dict[str, tuple[int, int, int]]:
    found: Neighbourhood = neighbourhood(story.state, around)
    titles = {
        spot.id: (spot.node or spot.suggested.add).title.or_erased()  # type: ignore[union-attr]
        for spot in found.spots
    }
    return {titles[spot.id]: (spot.layer, spot.distance, spot.unseen) for spot in found.spots}


def test_steps_go_along_relations_and_against_them() -> None:
    """What a node rests on lies one layer further, what leads to it one before; beyond the steps is only counted."""
    story, ids = _house()
    assert _seen(story, Around(ids["bath"])) == {
        "Bathroom": (0, 0, 0),
        "Birch Lane 7": (1, 1, 1),
        "Check the floor": (-1, 1, 0),
    }
    assert _seen(story, Around(ids["bath"], steps=2))["Hall"] == (0, 2, 0)


def test_a_node_can_be_opened_beyond_the_steps() -> None:
    """Opening one node shows its neighbours and nobody else's."""
    story, ids = _house()
    shown = _seen(story, Around(ids["floor"], opened=frozenset({ids["bath"]})))
    assert set(shown) == {"Check the floor", "Bathroom", "Birch Lane 7"}


def test_a_relation_kind_that_is_left_out_leads_nowhere() -> None:
    """Without places nothing hangs together here, and nothing is counted as unseen."""
    story, ids = _house()
    hidden = frozenset({RelationKind.BELONGS_TO})
    assert _seen(story, Around(ids["bath"], steps=3, hidden=hidden)) == {"Bathroom": (0, 0, 0)}


def test_what_is_suggested_is_laid_over() -> None:
    """A suggested node and its relation are shown as suggested; an unknown node has no neighbourhood."""
    story, ids = _house()
    story.captured("Order tiles", under=ids["bath"])
    found = neighbourhood(story.state, Around(ids["bath"]))
    assert [spot.suggested.add.title.text for spot in found.spots if spot.suggested] == ["Order tiles"]
    assert [(tie.kind, tie.to_id) for tie in found.ties if tie.is_suggested] == [
        (RelationKind.BELONGS_TO, ids["bath"])
    ]
    assert neighbourhood(story.state, Around("node_nothing")) == Neighbourhood((), ())


def test_a_wide_neighbourhood_is_cut_off_and_counted() -> None:
    """Not more nodes than fit; the centre says how many are unseen; every shown tie joins two shown nodes."""
    story = Story().opened()
    nodes = tuple(OutlineNode(NodeKind.IDEA, f"Idea {index}", None, None) for index in range(90))
    event = story.after(ImportOutline("# many", story.state.root_id, nodes))[-1]
    story.accepted(event.body.delta_id)  # type: ignore[attr-defined]
    found = neighbourhood(story.state, Around(story.state.root_id))
    assert (len(found.spots), found.spots[0].unseen) == (NODES_MAX, 90 - NODES_MAX + 1)
    assert len(found.ties) == NODES_MAX - 1
