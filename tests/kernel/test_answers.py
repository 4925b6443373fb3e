"""Answers: what a manager's answer becomes, once; its alternatives; questions back, and what answers them."""

import json
from typing import Any

import pytest

from kernel.canonical import digest, plain
from kernel.commands import (
    AnswerExchange,
    CaptureSource,
    ProposePlacement,
    RejectDelta,
)
from kernel.errors import (
    InvalidError,
    LifecycleError,
    NotFoundError,
    RefusedError,
    StaleError,
)
from kernel.rules.seen import SEEN_DOMAIN
from kernel.values.placement import Place, PlacementAnswer, SuggestedRelation
from kernel.vocabulary import (
    Disposition,
    NodeKind,
    RelationKind,
    SourceKind,
    Visibility,
)
from tests.support.acts import accept, two_places, types
from tests.support.spec import before, next_event, refused
from tests.support.story import HOST, OWNER, Story
from tests.support.whole import QUESTION, asked, questioned, requested, whole_project

INVALID = (InvalidError, "invalid")
CYCLE = (LifecycleError, "lifecycle_conflict")


def placed(story: Story, answer: PlacementAnswer) -> str:
    """Capture a text, let the manager answer so, and return the proposal."""
    exchange_id = requested(story, "Choose the tiles")
    story.after(AnswerExchange(exchange_id, answer.model_dump_json()), HOST)
    (event,) = story.after(ProposePlacement(exchange_id, answer))
    return str(event.body.delta_id)  # type: ignore[attr-defined]


def answer_at(*parents: str, **changes: Any) -> PlacementAnswer:
    """Return an answer that names these places, the best first."""
    plain = PlacementAnswer(
        kind=NodeKind.TASK,
        title="Choose the tiles",
        places=tuple(Place(parent_id=item, score=500, reason="It fits") for item in parents),
        kind_reason="It says what to do",
    )
    return plain.model_copy(update=changes)


def test_an_alternative_is_chosen_with_one_act() -> None:
    """Choice 2 makes exactly the second alternative, and nothing of the proposal itself."""
    story = Story().opened()
    bath, hall = two_places(story)
    delta_id = placed(story, answer_at(story.state.root_id, bath, hall))
    body = story.state.deltas[delta_id].body
    assert [item.label.text for item in body.alternatives] == [
        "Task under Renovate the bath",
        "Task under Renovate the hall",
    ]
    node_id = story.accepted(delta_id, choice=2)
    record = story.state.deltas[delta_id]
    assert (story.state.tables.parent[node_id], record.choice) == (hall, 2)
    assert types(story, 1) == ["delta.accepted.v1"]


@pytest.mark.parametrize("choice", [-1, 4])
def test_a_choice_that_is_not_offered_is_refused(choice: int) -> None:
    """There is no fourth alternative and none before the first."""
    story = Story().opened()
    delta_id = story.captured("Paint the hall")
    message = f"proposal {delta_id} offers 0 alternatives"
    assert refused(story, accept(story, delta_id, choice=choice)) == (*INVALID, message)


def test_a_yes_to_one_choice_is_about_what_was_shown_with_it() -> None:
    """A digest of another choice is refused by name, in both directions; a no is about either."""
    story = Story().opened()
    bath, hall = two_places(story)
    delta_id = placed(story, answer_at(story.state.root_id, bath, hall))
    way_out = "look at the one you mean and say yes to that"
    said = [
        refused(story, accept(story, delta_id, choice=choice, seen=story.seen(delta_id, shown)))
        for choice, shown in ((2, 0), (0, 1), (1, 2))
    ]
    assert said == [
        (StaleError, "other_choice", f"what was shown is {shown} and the yes is about {meant}; {way_out}")
        for shown, meant in (
            ("the proposal itself", "alternative 2"),
            ("alternative 1", "the proposal itself"),
            ("alternative 2", "alternative 1"),
        )
    ]
    story.after(RejectDelta(delta_id, None, story.seen(delta_id, 2)))
    assert story.state.deltas[delta_id].disposition is Disposition.REJECTED


def test_a_chosen_alternative_is_rebased_like_the_proposal() -> None:
    """What was shown with a choice stays what it was when revisions came between that touch none of it."""
    story = Story().opened()
    bath, hall = two_places(story)
    delta_id = placed(story, answer_at(bath, hall))
    seen = story.seen(delta_id, 1)
    story.accepted(story.captured("Order the tiles"))
    node_id = story.after(accept(story, delta_id, choice=1, seen=seen))[-1].body.operations[0].node_id  # type: ignore[attr-defined]
    assert story.state.tables.parent[node_id] == hall


def test_a_yes_from_before_the_digest_named_the_choice_stays_lawful() -> None:
    """An alternative that was accepted under the digest of a whole page is admitted again, as an import does."""
    story = Story().opened()
    bath, hall = two_places(story)
    delta_id = placed(story, answer_at(bath, hall))
    record = story.state.deltas[delta_id]
    body = record.body
    whole_page = {
        "purpose": body.purpose.value,
        "title": plain(body.title),
        "operations": plain(body.operations),
        "alternatives": plain(body.alternatives),
        "reasons": plain(body.reasons),
        "uncertainty": plain(body.uncertainty),
        "closure": None,
        "validation": None,
    }
    story.after(accept(story, delta_id, choice=1, seen=digest(SEEN_DOMAIN, whole_page)))
    assert story.state.deltas[delta_id].choice == 1


def test_close_cues_offer_the_other_kind() -> None:
    """When the manager names a next likely kind, it is an alternative at the best place."""
    story = Story().opened()
    delta_id = placed(story, answer_at(story.state.root_id, alternative_kind=NodeKind.IDEA))
    node_id = story.accepted(delta_id, choice=1)
    assert story.state.tables.nodes[node_id].kind is NodeKind.IDEA


def test_relations_the_text_names_come_with_the_node() -> None:
    """A relation the manager found in the text is part of the proposal and of what is accepted."""
    story = Story().opened()
    bath, _ = two_places(story)
    named = SuggestedRelation(kind=RelationKind.DEPENDS_ON, to_id=bath, reason="It says after the bath")
    node_id = story.accepted(placed(story, answer_at(story.state.root_id, relations=(named,))))
    tables = story.state.tables
    joined = {(tables.relations[item].kind, tables.relations[item].to_id) for item in tables.links[node_id]}
    assert joined == {
        (RelationKind.BELONGS_TO, story.state.root_id),
        (RelationKind.DEPENDS_ON, bath),
    }


def test_an_answer_about_a_place_that_is_gone_is_not_applied() -> None:
    """A manager that names a node nobody has is refused; the words are kept."""
    story = Story().opened()
    exchange_id = requested(story, "Choose the tiles")
    answer = answer_at("node_x")
    story.after(AnswerExchange(exchange_id, answer.model_dump_json()), HOST)
    assert refused(story, ProposePlacement(exchange_id, answer)) == (
        NotFoundError,
        "not_found",
        "the manager named a place that does not exist: node_x",
    )


def test_an_answer_is_applied_once() -> None:
    """One durable answer leads to one proposal or one question, however often it is read."""
    story = Story().opened()
    story.captured("Paint the hall")
    exchange_id = story.events[-1].body.exchange_id  # type: ignore[attr-defined]
    again = answer_at(story.state.root_id)
    question = questioned(story, "Something")
    assert [
        refused(story, ProposePlacement(exchange_id, again)),
        refused(story, ProposePlacement(exchange_id, QUESTION)),
        refused(story, ProposePlacement(question, QUESTION)),
        refused(story, ProposePlacement(question, again)),
    ] == [
        (*CYCLE, f"the answer of exchange {item} was already applied")
        for item in (exchange_id, exchange_id, question, question)
    ]


def test_nothing_is_proposed_from_an_answer_that_is_not_durable() -> None:
    """Before exchange.answered stands in the ledger, there is nothing to interpret."""
    story = Story().opened()
    exchange_id = requested(story, "Choose the tiles")
    assert [
        refused(story, ProposePlacement(exchange_id, answer_at(story.state.root_id))),
        refused(story, ProposePlacement(exchange_id, QUESTION)),
        refused(story, ProposePlacement("exchange_x", QUESTION)),
    ] == [
        (*CYCLE, f"exchange {exchange_id} holds no durable answer to propose from"),
        (*CYCLE, f"exchange {exchange_id} holds no durable answer to ask from"),
        (NotFoundError, "not_found", "there is no readable placement request exchange_x"),
    ]


def test_an_empty_answer_is_refused() -> None:
    """A manager that neither places nor asks said nothing that could be applied."""
    story = Story().opened()
    exchange_id = requested(story, "Choose the tiles")
    empty = answer_at()
    story.after(AnswerExchange(exchange_id, empty.model_dump_json()), HOST)
    message = "the manager neither proposed a place nor asked a question"
    assert refused(story, ProposePlacement(exchange_id, empty)) == (*INVALID, message)


def test_a_question_and_its_answer_are_one_thread() -> None:
    """The answers stand beside the words, over as many questions as it takes; the node comes from all of them."""
    story = Story().opened()
    first = asked(story, "Something about the room")
    second = story.events[-1].body.exchange_id  # type: ignore[attr-defined]
    story.after(AnswerExchange(second, QUESTION.model_dump_json()), HOST)
    story.after(ProposePlacement(second, QUESTION))
    story.after(CaptureSource("The tiles", SourceKind.TEXT, Visibility.SHARED, "local/1", answers=second))
    request = story.events[-1].body.request.text  # type: ignore[attr-defined]
    exact = json.loads(request)
    assert (exact["text"], exact["answers"]) == ("Something about the room", ["The bathroom", "The tiles"])
    assert types(story, 3) == ["source.captured.v1", "clarification.answered.v1", "exchange.requested.v1"]
    answers = [record.answer_source_id for record in story.state.clarifications.rows()]
    assert first != second
    assert len(set(answers)) == 2
    third = story.events[-1].body.exchange_id  # type: ignore[attr-defined]
    answer = answer_at(story.state.root_id)
    story.after(AnswerExchange(third, answer.model_dump_json()), HOST)
    (proposed,) = story.after(ProposePlacement(third, answer))
    sources = [story.state.sources[item].body.content.text for item in proposed.body.source_ids]  # type: ignore[attr-defined]
    assert sources == ["Something about the room", "The bathroom", "The tiles"]
    node_id = story.accepted(proposed.body.delta_id)  # type: ignore[attr-defined]
    assert story.state.tables.nodes[node_id].source_ids == proposed.body.source_ids  # type: ignore[attr-defined]


def test_the_answer_to_a_private_question_is_private() -> None:
    """An answer given as shared does not carry the private words it continues out of the machine."""
    story = Story().opened()
    exchange_id = questioned(story, "My secret plan", Visibility.PRIVATE)
    command = CaptureSource("The boat", SourceKind.TEXT, Visibility.SHARED, "local/1", answers=exchange_id)
    source, _, request = story.after(command)
    assert source.body.visibility is Visibility.PRIVATE  # type: ignore[attr-defined]
    assert '"visibility":"private"' in request.body.request.text  # type: ignore[attr-defined]


def test_the_rules_hold_an_answer_to_its_question() -> None:
    """A question is answered once, by a captured source that is as private as what was asked about."""
    story = Story().opened()
    exchange_id = questioned(story, "My secret plan", Visibility.PRIVATE)
    requested(story, "Shared words")
    shared = story.events[-2].body.source_id  # type: ignore[attr-defined]
    body = before(whole_project(), "clarification.answered.v1").event.body
    body = body.model_copy(update={"exchange_id": exchange_id, "answer_source_id": shared})
    moment = next_event(story, body)
    story.after(CaptureSource("Yes", SourceKind.TEXT, Visibility.PRIVATE, "local/1", answers=exchange_id))
    assert [
        moment.refusal(),
        moment.but(answer_source_id="source_x").refusal(),
        moment.but(exchange_id="exchange_x").refusal(),
        next_event(story, body).refusal(),
    ] == [
        (
            RefusedError,
            "visibility_mismatch",
            "the answer to a private question is private too: it continues the same thread",
        ),
        (NotFoundError, "not_found", "the answer source_x is not a captured source"),
        (NotFoundError, "not_found", "there is no question exchange_x"),
        (*CYCLE, "this question was already answered"),
    ]


def test_a_shared_question_takes_no_private_answer() -> None:
    """Others wait for the answer too; neither is it widened in silence, nor kept from them."""
    story = Story().opened()
    exchange_id = questioned(story, "A plan of ours", Visibility.SHARED)
    command = CaptureSource("My secret", SourceKind.TEXT, Visibility.PRIVATE, "local/1", answers=exchange_id)
    expected = (
        "others wait for the answer to this question too: answer it shared, or keep it as words of its own"
    )
    assert refused(story, command, OWNER) == (RefusedError, "private_answer", expected)


def test_nothing_answers_a_question_that_was_not_asked() -> None:
    """Words that claim to answer an unknown exchange are refused before anything is kept."""
    command = CaptureSource("Yes", SourceKind.TEXT, Visibility.SHARED, "local/1", answers="exchange_x")
    expected = (NotFoundError, "not_found", "there is no question exchange_x")
    assert refused(Story().opened(), command) == expected


def test_words_that_no_bytes_can_spell_are_refused() -> None:
    """Half of a surrogate pair, as a broken terminal sends it, is refused with a sentence."""
    command = CaptureSource("Pain\ud83d", SourceKind.TEXT, Visibility.SHARED, "local/1")
    message = (
        "the text holds the character U+D83D at place 5, after “Pain”: half of a character, which cannot be seen. "
        "Take it out, or type that part anew, and send it again"
    )
    assert refused(Story().opened(), command, OWNER) == (InvalidError, "unseen_character", message)
