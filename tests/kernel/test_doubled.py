"""A text that a node says already: instead of a second node, the words go into the one there is."""

from typing import Any

import pytest

from kernel.commands import AnswerExchange, CaptureSource, EditDelta, ProposePlacement
from kernel.events.delta import DeltaProposed
from kernel.rules.limits import DESCRIPTION_BYTES_MAX
from kernel.values.placement import Place, PlacementAnswer
from kernel.values.records import NodeAdd, NodePatch
from kernel.vocabulary import Disposition, NodeKind, SourceKind, Visibility
from tests.support.acts import accept
from tests.support.story import HOST, Story

TITLE = "Waterproof the shower corner"


def _story(description: str | None = None, visibility: Visibility = Visibility.SHARED) -> tuple[Story, str]:
    """Return a project with a task about the shower corner."""
    story = Story().opened()
    first = story.captured(TITLE, private=visibility is Visibility.PRIVATE)
    if description is not None:
        edit = EditDelta(first, TITLE, description, NodeKind.TASK, story.seen(first))
        first = str(story.after(edit)[-1].body.delta_id)  # type: ignore[attr-defined]
    return story, story.accepted(first)


def _proposed(
    story: Story, text: str, node_id: str, *, visibility: Visibility = Visibility.SHARED, **changes: Any
) -> DeltaProposed:
    """Capture a text that a manager calls the same as a node; return the proposal."""
    asked = story.after(CaptureSource(text, SourceKind.TEXT, visibility, "local/1"))[-1]
    exchange_id = str(asked.body.exchange_id)  # type: ignore[attr-defined]
    plain = PlacementAnswer(
        kind=NodeKind.TASK,
        title=text[:80],
        places=(Place(parent_id=story.state.root_id, score=700, reason="It fits"),),
        kind_reason="It says what to do",
        duplicate_of=node_id,
    )
    answer = plain.model_copy(update=changes)
    story.after(AnswerExchange(exchange_id, answer.model_dump_json()), HOST)
    body = story.after(ProposePlacement(exchange_id, answer))[-1].body
    assert isinstance(body, DeltaProposed)
    return body


@pytest.mark.parametrize("text", [TITLE, "the SHOWER corner: waterproof!"])
def test_where_nothing_new_is_said_only_the_source_is_kept(text: str) -> None:
    """One act adds the capture to the node's sources; its words stay as they are, and no second node appears."""
    story, node_id = _story()
    body = _proposed(story, text, node_id)
    (same,) = body.alternatives
    assert same.label.text == f"Keep the words as a source of {TITLE}"
    assert same.operations == (NodePatch(node_id=node_id, add_source_ids=body.source_ids),)
    before = story.state.tables.nodes[node_id]
    story.after(accept(story, body.delta_id, choice=1, seen=story.seen(body.delta_id, 1)))
    after = story.state.tables.nodes[node_id]
    assert after == before.model_copy(update={"source_ids": (*before.source_ids, *body.source_ids)})
    assert len(story.state.tables.nodes) == 2
    assert story.state.deltas[body.delta_id].disposition is Disposition.ACCEPTED


def test_new_words_go_to_the_end_of_the_description() -> None:
    """What stands there stays word for word; only the sentences that say something new follow it."""
    story, node_id = _story("Two coats. Ask Vogt.")
    body = _proposed(story, f"{TITLE}. Ask Vogt. The membrane costs 84 euros!", node_id)
    (same,) = body.alternatives
    assert same.label.text == f"Add the words to {TITLE}"
    story.after(accept(story, body.delta_id, choice=1, seen=story.seen(body.delta_id, 1)))
    description = story.state.tables.nodes[node_id].description
    assert description is not None
    assert description.text == "Two coats. Ask Vogt.\n\nThe membrane costs 84 euros!"


def test_as_proposed_it_is_still_a_node_of_its_own() -> None:
    """Who says yes to the proposal itself gets the second node that it shows."""
    story, node_id = _story()
    body = _proposed(story, TITLE, node_id)
    assert isinstance(body.operations[0], NodeAdd)
    story.accepted(body.delta_id)
    assert len(story.state.tables.nodes) == 3


def test_it_comes_first_among_at_most_three_alternatives() -> None:
    """With four places and another kind there is room for two places beside it."""
    story, node_id = _story()
    others = [story.accepted(story.captured(title, NodeKind.GOAL)) for title in ("Bath", "Hall", "Attic")]
    places = tuple(
        Place(parent_id=item, score=500, reason="It fits") for item in (story.state.root_id, *others)
    )
    body = _proposed(story, TITLE, node_id, places=places, alternative_kind=NodeKind.IDEA)
    assert [item.label.text for item in body.alternatives] == [
        f"Keep the words as a source of {TITLE}",
        "Task under Bath",
        "Task under Hall",
    ]


@pytest.mark.parametrize(
    ("stands", "said"),
    [(Visibility.SHARED, Visibility.PRIVATE), (Visibility.PRIVATE, Visibility.SHARED)],
)
def test_words_never_change_who_may_read_them(stands: Visibility, said: Visibility) -> None:
    """Private words go into no shared node, and shared ones into none that others do not see."""
    story, node_id = _story(visibility=stands)
    assert _proposed(story, TITLE, node_id, visibility=said).alternatives == ()


def test_the_project_itself_takes_no_words() -> None:
    """A text that repeats the project's title is no description of it."""
    story, _node_id = _story()
    assert _proposed(story, "Birch Lane", story.state.root_id).alternatives == ()


def test_a_description_without_room_keeps_the_source_alone() -> None:
    """Words that would make it too long are kept as a source, which holds them whole."""
    story, node_id = _story("x" * (DESCRIPTION_BYTES_MAX - 4))
    body = _proposed(story, f"{TITLE}, twice", node_id)
    assert body.alternatives[0].operations == (NodePatch(node_id=node_id, add_source_ids=body.source_ids),)
