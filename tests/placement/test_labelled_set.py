"""The labelled set: how well the local manager places and reads what it was not tuned on."""

from adapters.manager.local import LocalManager
from adapters.manager.local.kinds import read_kind
from adapters.manager.local.words import tokens
from tests.placement.labels import WORLDS, captures, kind_texts, world_nodes
from tests.placement.measure import by_meaning, measure, relating, request, world_index

CLEAR = 250
"""A first place this many thousandths or more of the text's weight is clear."""
AHEAD = 1.15
"""And it must be ahead of the second by this factor."""


def test_the_set_is_large_enough_and_a_third_is_held_out() -> None:
    """At least 300 captures in two rounds over three worlds of 40 to 80 nodes; about a third is held out."""
    every = captures()
    assert {world: 40 <= len(world_nodes(world)) <= 80 for world in WORLDS} == dict.fromkeys(WORLDS, True)
    assert len(every) >= 300
    assert len({capture.text for capture in every}) == len(every)
    for number in (1, 2):
        one = [capture for capture in every if capture.round == number]
        held_out = sum(capture.held_out for capture in one)
        assert len(one) / 4 <= held_out <= len(one) / 2


def test_held_out_captures_are_placed_and_read_this_often() -> None:
    """The figures as they are: the aims are 80 for the place, 95 for the first three, 85 for the kind.

    Place and kind meet theirs, the first three do not. The second round, written when the manager was there and not run
    on it, holds many sayings that share no word with their place. The whole table, never a single capture of it, was
    looked at four times while areas, clauses and families of words were changed.
    """
    whole, first, second = (measure(held_out=True, rounds=rounds) for rounds in ((1, 2), (1,), (2,)))
    assert (whole.total, first.total, second.total) == (118, 58, 60)
    assert (whole.top_1 >= 80.5, whole.top_3 >= 88.9, whole.kind >= 85.5) == (True, True, True), whole
    assert (first.top_1 >= 87.9, first.top_3 >= 93.1, first.kind >= 86.2) == (True, True, True), first
    assert (second.top_1 >= 73.3, second.top_3 >= 85, second.kind >= 85) == (True, True, True), second


def test_the_sentence_model_finds_more_of_the_first_three() -> None:
    """With the extra on, the aim for the place is met and the first three come near theirs.

    82.2 / 94.1 held out where these floors were set; another processor may give a vector that differs a little.
    """
    answering = by_meaning()
    held_out, tuned = (measure(held_out=part, answering=answering) for part in (True, False))
    assert (held_out.top_1 >= 80, held_out.top_3 >= 93) == (True, True), held_out
    assert (tuned.top_1 >= 85, tuned.top_3 >= 94) == (True, True), tuned


def test_two_readers_agree() -> None:
    """What the figures are held against is no whim: the second reader's first choice is nearly always the first's too."""
    every = captures()
    places = sum(capture.second.parents[0] in capture.first.parents for capture in every)
    kinds = sum(capture.second.kinds[0] in capture.first.kinds for capture in every)
    assert (places >= 0.99 * len(every), kinds >= 0.95 * len(every)) == (True, True), (places, kinds)


def test_the_tuned_part_is_no_worse_than_when_it_was_tuned() -> None:
    """A change of rules or weights that loses on the tuned part is a change for the worse."""
    found = measure(held_out=False)
    assert (found.top_1 >= 83.8, found.top_3 >= 97.5, found.kind >= 88.7) == (True, True, True), found
    texts = kind_texts()
    read = sum(read_kind(tokens(text), text).kind is kind for text, kind in texts)
    assert read >= 0.83 * len(texts), read


def test_stated_relations_are_found_and_no_wrong_one_is_proposed() -> None:
    """A wrong relation is worse than a missing one; each part has sayings that only sound as if they stated one.

    The sayings have one author, who knew the phrases of the table from the second round on: what people say in other
    words is found less often. The second round was such a one, and 14 % of it were found before it was tuned on.
    """
    held_out, tuned = relating(held_out=True), relating(held_out=False)
    assert (held_out.stated, tuned.stated) == (42, 57)
    assert (held_out.precision >= 95, held_out.recall >= 95) == (True, True), held_out
    assert (tuned.precision >= 98, tuned.recall >= 87) == (True, True), tuned


def test_texts_of_other_walks_of_life_state_no_relation_to_these_worlds() -> None:
    """Phrases such as `after` and `instead of` stand in many of these texts; none of them names a node here."""
    manager = LocalManager()
    for world in WORLDS:
        index = world_index(world)
        stated = [text for text, _ in kind_texts() if manager.place(request(text), index).relations]
        assert stated == [], world


def test_selecting_a_wrong_node_first_does_not_move_a_clear_text() -> None:
    """Whatever node was in focus, a text that clearly belongs somewhere is placed there."""
    manager = LocalManager()
    tried = 0
    for world in WORLDS:
        index, nodes = world_index(world), world_nodes(world)
        for capture in (capture for capture in captures() if capture.world == world):
            places = manager.place(request(capture.text), index).places
            if not places or places[0].score < CLEAR:
                continue
            if len(places) > 1 and places[0].score < AHEAD * places[1].score:
                continue
            for node in nodes[1::7]:
                selected = manager.place(request(capture.text, selected=node.id), index)
                assert selected.places[0].parent_id == places[0].parent_id, (capture.text, node.title)
                tried += 1
    assert tried > 200


def test_the_selected_node_settles_a_near_tie() -> None:
    """When two places fit almost alike, the one in focus comes first."""
    index = world_index("software")
    manager = LocalManager()
    nodes = {node.title: node.id for node in world_nodes("software")}
    text = "log people out everywhere when they change their mail address"
    places = manager.place(request(text), index).places
    assert places[1].score >= 0.93 * places[0].score
    for place in places[:2]:
        selected = manager.place(request(text, selected=place.parent_id), index)
        assert selected.places[0].parent_id == place.parent_id
    elsewhere = manager.place(request(text, selected=nodes["Operations"]), index)
    assert elsewhere.places[0].parent_id == places[0].parent_id
