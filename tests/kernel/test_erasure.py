"""Erasing a capture: what is forgotten, what stays, and who may."""

import pytest

from kernel.canonical import open_form
from kernel.commands import AnswerExchange, EraseSource, RetryPlacement
from kernel.errors import AuthorityError, LifecycleError, NotFoundError
from kernel.events.envelope import words_of
from kernel.projections.inbox import inbox
from kernel.reducer import fold
from kernel.values.stamp import Actor
from kernel.vocabulary import ActorKind, Disposition, Role
from tests.support.spec import refused
from tests.support.story import HOST, OWNER, Story
from tests.support.whole import asked, questioned, requested

MIRA = Actor(kind=ActorKind.HUMAN, id="mira", role=Role.REVIEWER)


def source_of(story: Story, delta_id: str) -> str:
    """Return the capture a proposal came from."""
    return story.state.deltas[delta_id].body.source_ids[0]


def known_texts(story: Story) -> set[str]:
    """Return every text that the operational part of the state still knows."""
    state = story.state
    tables = (state.sources, state.exchanges, state.deltas, state.clarifications)
    bodies = [record.body for table in tables for record in table.rows()]
    answers = [record.response for record in state.exchanges.rows() if record.response is not None]
    words = [*answers, *(item for body in bodies for item in words_of(body))]
    return {item.text for item in words if item.text is not None}


def test_erasing_forgets_the_capture_its_exchange_and_its_proposal() -> None:
    """No text of the thread is left; commitments, digests and the replayed state are as before."""
    story = Story().opened()
    delta_id = story.captured("Call the plumber about the damp wall")
    other = story.captured("Paint the hall")
    story.accepted(delta_id)
    before = story.state
    events = story.after(EraseSource(source_of(story, delta_id)))
    assert [event.type for event in events] == ["source.erased.v1"]
    assert not [text for text in known_texts(story) if "plumber" in text]
    assert [text for text in known_texts(story) if "hall" in text]
    assert story.state.deltas == before.deltas
    assert story.state.deltas[other].disposition is Disposition.PENDING
    assert fold(story.events) == story.state


def test_accepted_words_stay() -> None:
    """What a person accepted is theirs to keep: the node keeps its title, and the revision its root."""
    story = Story().opened()
    delta_id = story.captured("Call the plumber about the damp wall")
    node_id = story.accepted(delta_id)
    before = story.state
    story.after(EraseSource(source_of(story, delta_id)))
    assert open_form(story.state.tables.nodes[node_id]) == open_form(before.tables.nodes[node_id])
    assert (story.state.revision, story.state.state_root) == (before.revision, before.state_root)


def test_an_open_proposal_is_closed_first() -> None:
    """A proposal without words cannot be decided on, so the same act closes it with a no."""
    story = Story().opened()
    delta_id = story.captured("Buy a boat")
    events = story.after(EraseSource(source_of(story, delta_id)))
    assert [event.type for event in events] == ["delta.rejected.v1", "source.erased.v1"]
    assert story.state.deltas[delta_id].disposition is Disposition.REJECTED
    assert inbox(story.state, story.later(0)) == ()


def test_an_answer_that_repeats_the_words_goes_with_them() -> None:
    """The question's answer was put to the manager together with the words, so both are erased, the answer first."""
    story = Story().opened()
    exchange_id = asked(story, "Something about the damp room")
    source_id = story.state.exchanges[exchange_id].body.subject_id
    answer_id = story.state.clarifications[exchange_id].answer_source_id
    events = story.after(EraseSource(source_id))
    assert [event.body.source_id for event in events] == [answer_id, source_id]  # type: ignore[attr-defined]
    assert not [text for text in known_texts(story) if "damp" in text or "bathroom" in text]


def test_an_answer_can_be_erased_alone() -> None:
    """The words it answers are not part of it."""
    story = Story().opened()
    exchange_id = asked(story, "Something about the damp room")
    answer_id = story.state.clarifications[exchange_id].answer_source_id
    assert answer_id is not None
    assert len(story.after(EraseSource(answer_id))) == 1
    assert "Something about the damp room" in known_texts(story)


def test_a_question_about_erased_words_waits_no_more() -> None:
    """Neither a question nor an unanswered exchange asks for attention once its words are gone."""
    story = Story().opened()
    exchanges = (questioned(story, "Something"), requested(story, "Paint the hall"))
    assert {item.id for item in inbox(story.state, story.later(0))} == set(exchanges)
    for exchange_id in exchanges:
        story.after(EraseSource(story.state.exchanges[exchange_id].body.subject_id))
    assert inbox(story.state, story.later(0)) == ()


def test_nothing_is_said_any_more_under_a_destroyed_key() -> None:
    """A late answer, and another attempt, are refused: they would bring the words back."""
    story = Story().opened()
    exchange_id = requested(story, "Paint the hall")
    source_id = story.state.exchanges[exchange_id].body.subject_id
    story.after(EraseSource(source_id))
    late = refused(story, AnswerExchange(exchange_id, "{}"), HOST)
    again = refused(story, RetryPlacement(source_id, "local/1"))
    assert late is not None
    assert again is not None
    assert (late[:2], again[0]) == ((LifecycleError, "source_erased"), NotFoundError)


@pytest.mark.parametrize(
    ("actor", "expected"),
    [(OWNER, None), (MIRA, AuthorityError), (MIRA.model_copy(update={"role": Role.VIEWER}), AuthorityError)],
)
def test_only_an_owner_or_the_author_erases(actor: Actor, expected: type[Exception] | None) -> None:
    """A reviewer does not destroy what somebody else said."""
    story = Story().opened()
    source_id = source_of(story, story.captured("Paint the hall"))
    refusal = refused(story, EraseSource(source_id), actor)
    assert (None if refusal is None else refusal[0]) is expected


def test_words_are_erased_once_and_only_where_there_are_some() -> None:
    """A second erasure, and one of an unknown capture, are refused by name."""
    story = Story().opened()
    source_id = source_of(story, story.captured("Paint the hall"))
    story.after(EraseSource(source_id))
    second, unknown = refused(story, EraseSource(source_id)), refused(story, EraseSource("source_x"))
    assert second is not None
    assert unknown is not None
    assert (second[:2], unknown[0]) == ((LifecycleError, "source_erased"), NotFoundError)
