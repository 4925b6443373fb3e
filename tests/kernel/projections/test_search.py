"""Search: what is found, in which order, and how long it takes on ten thousand nodes."""

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from kernel.commands import AcceptDelta, ImportOutline, OutlineNode, ProposeCorrection
from kernel.projections.search import _WORD, HITS_MAX, WORDS_MAX, Found, Line, Lines, _score, _term, search
from kernel.vocabulary import NodeKind
from tests.support.story import Story


def _stem(word: str) -> str:
    """Return a word without its plural: enough of a stemmer to see that it is asked."""
    return word.removesuffix("s")


def _found(story: Story, query: str) -> Found:
    return search(story.state, Lines().of(story.state.tables.nodes), query, stem=_stem)


def _titles(story: Story, query: str) -> list[str]:
    return [hit.record.title.or_erased() for hit in _found(story, query).hits]


def _described(story: Story, node_id: str, text: str) -> None:
    (event,) = story.after(ProposeCorrection(node_id, "Clearer", description=text))
    delta_id = event.body.delta_id  # type: ignore[attr-defined]
    story.after(AcceptDelta(delta_id, 0, story.state.revision, story.seen(delta_id)))


def test_the_better_answer_comes_first() -> None:
    """A whole title, then its beginning, a whole word, the beginning of one, a form of one, then descriptions."""
    story = Story().opened()
    for title in (
        "Retile the hall",
        "The tiles are late",
        "Tile",
        "Order one tile",
        "Tiled floors",
        "A tile",
        "Grout",
    ):
        story.accepted(story.captured(title, NodeKind.IDEA))
    _described(story, story.state.tables.children[story.state.root_id][6], "Between tile and tile")
    assert _titles(story, "tile") == [
        "Tile",
        "Tiled floors",
        "A tile",
        "Order one tile",
        "The tiles are late",
        "Grout",
    ]
    assert _titles(story, "TILES") == [
        "The tiles are late",
        "Tile",
        "A tile",
        "Order one tile",
        "Grout",
    ]


def test_every_word_has_to_be_found_and_a_kind_counts_as_one() -> None:
    """A word may be found in the title, in the description or as the kind; one that is nowhere finds nothing."""
    story = Story().opened()
    story.accepted(story.captured("Bathroom tiles", NodeKind.TASK))
    story.accepted(story.captured("Which tiles fit?", NodeKind.OPEN_QUESTION))
    assert _titles(story, "task tiles") == ["Bathroom tiles"]
    assert _titles(story, "open questions") == ["Which tiles fit?"]
    assert _titles(story, "tiles zebra") == _titles(story, " - ") == []


def test_an_id_finds_its_node_whole_or_by_its_end() -> None:
    """The id as it is copied finds one node; its last characters, as a page shows them, find it too."""
    story = Story().opened()
    node_id = story.accepted(story.captured("Bathroom", NodeKind.IDEA))
    assert _titles(story, node_id) == _titles(story, node_id[-4:].upper()) == ["Bathroom"]


def test_what_waits_is_found_after_what_is_accepted() -> None:
    """A suggestion with the same words stands below the accepted node."""
    story = Story().opened()
    story.captured("Order tiles", NodeKind.TASK)
    accepted = story.accepted(story.captured("Order tiles", NodeKind.TASK))
    hits = _found(story, "order tiles").hits
    assert [(hit.id == accepted, hit.suggested is None) for hit in hits] == [(True, True), (False, False)]


def test_lines_follow_what_changed_and_take_over_the_rest() -> None:
    """After a change only the changed node is read again, and the search says what stands now."""
    story = Story().opened()
    floor = story.accepted(story.captured("Floor", NodeKind.IDEA))
    wall = story.accepted(story.captured("Wall", NodeKind.IDEA))
    before = Lines().of(story.state.tables.nodes)
    _described(story, wall, "Painted white")
    after = before.of(story.state.tables.nodes)
    assert after.by_id[floor] is before.by_id[floor]
    assert [hit.id for hit in search(story.state, after, "white", stem=_stem).hits] == [wall]
    assert after.of(story.state.tables.nodes) is after


def test_ten_thousand_nodes_are_searched_at_once() -> None:
    """A word that every title holds, and one that none does, take milliseconds of the processor."""
    story = Story().opened()
    nodes = tuple(
        OutlineNode(NodeKind.IDEA, f"Idea number {index} of all", None, None) for index in range(4999)
    )
    event = story.after(ImportOutline("# many", story.state.root_id, nodes))[-1]
    story.accepted(event.body.delta_id)  # type: ignore[attr-defined]
    lines = Lines().of(story.state.tables.nodes)
    best = {}
    for query, total in (("number", 4999), ("zebra", 0), ("numbers ideas", 4999)):
        times = []
        for _ in range(5):
            began = time.process_time()
            found = search(story.state, lines, query, stem=_stem)
            times.append(time.process_time() - began)
            assert (found.total, len(found.hits)) == (total, min(total, HITS_MAX))
        best[query] = min(times)
    assert max(best.values()) < 0.1, best


_SAID = ("tile", "tiles", "Tile's", "floor", "task", "the", "hall_2", "Größe", "a", "goal", "x")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.sampled_from(_SAID), max_size=5), min_size=1, max_size=12), st.data())
def test_looking_through_one_long_text_finds_what_a_look_at_each_line_finds(
    titles: list[list[str]], data: st.DataObject
) -> None:
    """Whatever is asked, a line is found among others exactly when it answers by itself."""
    story = Story().opened()
    for number, words in enumerate(titles):
        kind = data.draw(st.sampled_from([NodeKind.TASK, NodeKind.GOAL, NodeKind.IDEA]))
        delta_id = story.captured(f"{' '.join(words)} {number}", kind)
        if data.draw(st.booleans()):
            story.accepted(delta_id)
    asked = " ".join(data.draw(st.lists(st.sampled_from(_SAID), max_size=3)))
    query = data.draw(st.sampled_from([asked, story.state.root_id[-6:], asked[:3]]))
    found = _found(story, query)
    nodes = story.state.tables.nodes
    by_itself = {node_id for node_id in nodes.keys() if _scored(story, node_id, query)}  # noqa: SIM118
    assert {hit.id for hit in found.hits if hit.suggested is None} == by_itself


def _scored(story: Story, node_id: str, query: str) -> int:
    """Return how well one line answers, looked at by itself."""
    whole = " ".join(query.casefold().split())
    terms = tuple(_term(word, _stem) for word in _WORD.findall(whole)[:WORDS_MAX])
    line = Line.of(story.state.tables.nodes[node_id])
    return _score(line, node_id, whole, terms=terms, stem=_stem) if terms else 0
