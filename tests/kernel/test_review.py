"""Review: proposals that wait, what a yes is bound to, rebasing in one append, conflicts, edits and moves."""

from typing import Any

import pytest

from kernel.commands import (
    AcceptDelta,
    AnswerExchange,
    CaptureSource,
    EditDelta,
    MoveDelta,
    ProposeCorrection,
    ProposePlacement,
    RejectDelta,
)
from kernel.errors import (
    AuthorityError,
    InvalidError,
    LifecycleError,
    NotFoundError,
    RefusedError,
    StaleError,
)
from kernel.events.delta import Alternative, DeltaAccepted, DeltaProposed, DeltaSuperseded, Fit
from kernel.values.placement import Place, PlacementAnswer, SuggestedRelation
from kernel.values.records import NodePatch
from kernel.values.stamp import Actor
from kernel.vocabulary import (
    ActorKind,
    Disposition,
    NodeKind,
    Purpose,
    RelationKind,
    Role,
    SourceKind,
    Visibility,
)
from tests.support.build import words
from tests.support.spec import Refusal, before, next_event, refused
from tests.support.story import HOST, OWNER, Story
from tests.support.whole import QUESTION, asked, questioned, requested, whole_project

INVALID = (InvalidError, "invalid")
CYCLE = (LifecycleError, "lifecycle_conflict")


def types(story: Story, count: int) -> list[str]:
    """Return the types of the latest events."""
    return [event.type for event in story.events[-count:]]


def accept(story: Story, delta_id: str, **changes: Any) -> AcceptDelta:
    """Return the command that accepts a proposal as shown, with some part of it changed."""
    shown: dict[str, Any] = {
        "delta_id": delta_id,
        "choice": 0,
        "expected_revision": story.state.revision,
        "seen": story.seen(delta_id),
    }
    return AcceptDelta(**{**shown, **changes})


def two_places(story: Story) -> tuple[str, str]:
    """Grow two goals under the root; return them."""
    return (
        story.accepted(story.captured("Renovate the bath", NodeKind.GOAL)),
        story.accepted(story.captured("Renovate the hall", NodeKind.GOAL)),
    )


def placed(story: Story, answer: PlacementAnswer, *, private: bool = False) -> str:
    """Capture a text, let the manager answer so, and return the proposal."""
    visibility = Visibility.PRIVATE if private else Visibility.SHARED
    exchange_id = requested(story, "Choose the tiles", visibility)
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


def test_two_captures_and_two_accepts_simply_work() -> None:
    """Two proposals about one head are accepted one after the other; the second is rebased in one append."""
    story = Story().opened()
    first, second = story.captured("Paint the hall"), story.captured("Order the tiles")
    seen = story.seen(second)
    story.accepted(first)
    (superseded, proposed, accepted) = story.after(accept(story, second, seen=seen))
    assert isinstance(superseded.body, DeltaSuperseded)
    assert isinstance(proposed.body, DeltaProposed)
    assert isinstance(accepted.body, DeltaAccepted)
    old = story.state.deltas[second].body
    assert superseded.body == DeltaSuperseded(
        delta_id=second, replacement_id=proposed.body.delta_id, why="rebased"
    )
    assert proposed.body == old.model_copy(
        update={"delta_id": proposed.body.delta_id, "base_revision": 1, "supersedes": second}
    )
    assert (accepted.body.seen, accepted.body.base_revision, accepted.body.revision) == (seen, 1, 2)
    assert accepted.body.operations == old.operations
    assert len(story.state.tables.nodes) == 3
    assert len(story.state.open_deltas) == 0


def test_many_proposals_wait_and_none_is_lost() -> None:
    """Many proposals about one head can be accepted in any order."""
    story = Story().opened()
    waiting = [story.captured(f"Job {number}") for number in range(20)]
    for delta_id in reversed(waiting):
        story.accepted(delta_id)
    assert (story.state.revision, len(story.state.tables.nodes), len(story.state.open_deltas)) == (20, 21, 0)


def test_a_real_overlap_is_a_conflict() -> None:
    """Two changes of one node: the second is refused with the way out, and waits for review."""
    story = Story().opened()
    task_id = story.accepted(story.captured("Paint the hall"))
    for title in ("Paint the hall white", "Paint the hall blue"):
        story.after(ProposeCorrection(task_id, "Colour", title=title))
    first, second = (delta_id for delta_id, _ in sorted(story.state.open_deltas.items(), key=lambda i: i[1]))
    story.after(accept(story, first))
    assert refused(story, accept(story, second)) == (
        StaleError,
        "conflict",
        "1 of the records this proposal touches changed since revision 1; edit, move or reject it",
    )
    assert story.state.deltas[second].disposition is Disposition.PENDING


def test_a_person_who_saw_an_older_head_looks_again() -> None:
    """A yes that expects another revision than the head is stale, even when a rebase would be lawful."""
    story = Story().opened()
    first, second = story.captured("Paint the hall"), story.captured("Order the tiles")
    story.accepted(first)
    assert refused(story, accept(story, second, expected_revision=0)) == (
        StaleError,
        "stale",
        "the proposal is about revision 1, the head is 1; look at it again",
    )


def test_a_yes_is_about_what_was_shown() -> None:
    """Another digest than that of the proposal as it is now is refused, for a yes, a no, an edit and a move."""
    story = Story().opened()
    delta_id = story.captured("Paint the hall")
    seen = "sha256:" + "0" * 64
    expected = (StaleError, "stale", "what was shown is not what this proposal is now; look at it again")
    assert [
        refused(story, accept(story, delta_id, seen=seen)),
        refused(story, RejectDelta(delta_id, None, seen)),
        refused(story, EditDelta(delta_id, "x", None, NodeKind.IDEA, seen)),
        refused(story, MoveDelta(delta_id, story.state.root_id, seen)),
    ] == [expected] * 4


def test_a_proposal_is_decided_once() -> None:
    """Accepting, rejecting, editing or moving a decided proposal is refused and says how it was decided."""
    story = Story().opened()
    delta_id, other = story.captured("Paint the hall"), story.captured("Buy a boat")
    story.accepted(delta_id)
    story.after(RejectDelta(other, None, story.seen(other)))
    seen = story.seen(delta_id)
    accepted = (*CYCLE, f"proposal {delta_id} is already accepted")
    assert [
        refused(story, accept(story, delta_id)),
        refused(story, RejectDelta(delta_id, None, seen)),
        refused(story, EditDelta(delta_id, "x", None, NodeKind.IDEA, seen)),
        refused(story, MoveDelta(delta_id, story.state.root_id, seen)),
        refused(story, accept(story, other)),
    ] == [accepted] * 4 + [(*CYCLE, f"proposal {other} is already rejected")]


def test_an_unknown_proposal_is_not_found() -> None:
    """Every act on a proposal that does not exist says so."""
    story = Story().opened()
    expected = (NotFoundError, "not_found", "there is no proposal delta_x")
    assert [
        refused(story, AcceptDelta("delta_x", 0, 0, "")),
        refused(story, RejectDelta("delta_x", None, "")),
        refused(story, EditDelta("delta_x", "x", None, NodeKind.IDEA, "")),
        refused(story, MoveDelta("delta_x", story.state.root_id, "")),
    ] == [expected] * 4


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


def test_close_cues_offer_the_other_kind() -> None:
    """When the manager names a next likely kind, it is an alternative at the best place."""
    story = Story().opened()
    delta_id = placed(story, answer_at(story.state.root_id, alternative_kind=NodeKind.IDEA))
    node_id = story.accepted(delta_id, choice=1)
    assert story.state.tables.nodes[node_id].kind is NodeKind.IDEA


def test_an_edit_keeps_source_place_and_thread() -> None:
    """The person's own words replace the proposal's; where it came from and where it goes stay."""
    story = Story().opened()
    bath, _ = two_places(story)
    delta_id = story.captured("Choose the tiles", under=bath)
    old = story.state.deltas[delta_id].body
    story.after(EditDelta(delta_id, "Pick tiles", "Blue ones", NodeKind.DECISION, story.seen(delta_id)))
    assert types(story, 2) == ["delta.superseded.v1", "delta.proposed.v1"]
    new = story.events[-1].body
    assert isinstance(new, DeltaProposed)
    assert (new.source_ids, new.exchange_id, new.purpose, new.supersedes, new.alternatives) == (
        old.source_ids,
        old.exchange_id,
        Purpose.PLACEMENT,
        delta_id,
        (),
    )
    node_id = story.accepted(new.delta_id)
    node = story.state.tables.nodes[node_id]
    assert (node.title.text, node.kind, node.source_ids) == ("Pick tiles", NodeKind.DECISION, old.source_ids)
    assert node.description is not None
    assert (node.description.text, story.state.tables.parent[node_id]) == ("Blue ones", bath)


def test_a_move_keeps_everything_but_the_place() -> None:
    """The same node with the same words and source hangs elsewhere."""
    story = Story().opened()
    bath, hall = two_places(story)
    delta_id = story.captured("Choose the tiles", under=bath)
    old = story.state.deltas[delta_id].body
    story.after(MoveDelta(delta_id, hall, story.seen(delta_id)))
    new = story.events[-1].body
    assert isinstance(new, DeltaProposed)
    assert (new.operations[0], new.source_ids) == (old.operations[0], old.source_ids)
    node_id = story.accepted(new.delta_id)
    assert story.state.tables.parent[node_id] == hall


def test_a_move_names_a_place_that_exists() -> None:
    """Nothing is moved under a node that is not there."""
    story = Story().opened()
    delta_id = story.captured("Choose the tiles")
    assert refused(story, MoveDelta(delta_id, "node_x", story.seen(delta_id))) == (
        NotFoundError,
        "not_found",
        "node node_x does not exist",
    )


def test_a_private_capture_stays_private_under_a_move() -> None:
    """Moved from a private place to a shared one, words captured as private are private still."""
    story = Story().opened()
    bath, _ = two_places(story)
    delta_id = story.captured("My own fears", NodeKind.IDEA, private=True)
    story.after(MoveDelta(delta_id, bath, story.seen(delta_id)))
    node_id = story.accepted(story.events[-1].body.delta_id)  # type: ignore[attr-defined]
    assert story.state.tables.nodes[node_id].visibility is Visibility.PRIVATE


def test_what_is_placed_under_a_private_node_is_private() -> None:
    """A shared capture under a private node becomes private, and shared again when moved out."""
    story = Story().opened()
    bath, _ = two_places(story)
    diary = story.accepted(story.captured("Diary", NodeKind.IDEA, private=True))
    delta_id = story.captured("Tiles", NodeKind.IDEA, under=diary)
    inside = story.state.deltas[delta_id].body.operations[0].visibility  # type: ignore[union-attr]
    story.after(MoveDelta(delta_id, bath, story.seen(delta_id)))
    outside = story.events[-1].body.operations[0].visibility  # type: ignore[attr-defined]
    assert (inside, outside) == (Visibility.PRIVATE, Visibility.SHARED)


def test_only_the_placement_of_one_node_is_edited_or_moved() -> None:
    """A correction is accepted or rejected as it is."""
    story = Story().opened()
    task_id = story.accepted(story.captured("Paint the hall"))
    story.after(ProposeCorrection(task_id, "Colour", title="Paint it white"))
    (delta_id,) = story.state.open_deltas.keys()
    message = "only the placement of a single node can be edited or moved; reject it or accept it as it is"
    seen = story.seen(delta_id)
    assert [
        refused(story, EditDelta(delta_id, "x", None, NodeKind.IDEA, seen)),
        refused(story, MoveDelta(delta_id, story.state.root_id, seen)),
    ] == [(*INVALID, message)] * 2


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


PROPOSED: list[tuple[dict[str, Any], Refusal]] = [
    ({"delta_id": "d"}, (*INVALID, "delta id 'd' is malformed or already used")),
    (
        {"base_revision": 5},
        (StaleError, "stale", "the proposal is about revision 5, the head is 0"),
    ),
    ({"title": words("")}, (*INVALID, "the proposal's title is empty; give it a few words")),
    (
        {"source_ids": ("source_x",)},
        (NotFoundError, "not_found", "source source_x does not exist"),
    ),
    (
        {"exchange_id": None},
        (*CYCLE, "a manager proposes only from an answer that is durable"),
    ),
    (
        {"exchange_id": "exchange_x"},
        (*CYCLE, "exchange exchange_x holds no durable answer to propose from"),
    ),
    ({"duplicate_of": "node_x"}, (NotFoundError, "not_found", "node node_x does not exist")),
    ({"supersedes": "delta_x"}, (*CYCLE, "this proposal does not replace delta_x")),
    (
        {"alternatives": (Alternative(label=words("x"), operations=()),) * 4},
        (*INVALID, "a proposal has at most 3 alternatives, and one fit for each and itself"),
    ),
    (
        {"fits": (Fit(parent_id="node_x", score=1, reason=words("x")),) * 5},
        (*INVALID, "a proposal has at most 3 alternatives, and one fit for each and itself"),
    ),
    (
        {"reasons": (words("x" * 8193),)},
        (*INVALID, "the proposal's reasoning has 8193 bytes, at most 8192 are allowed"),
    ),
    (
        {"touches": ()},
        (*INVALID, "the proposal does not list the records it touches as they are"),
    ),
    (
        {"purpose": Purpose.CORRECTION},
        (AuthorityError, "authority_violation", "a correction is not proposed by manager"),
    ),
    (
        {"purpose": Purpose.RECONCILIATION},
        (AuthorityError, "authority_violation", "a reconciliation is not proposed by manager"),
    ),
    (
        {"closure_id": "closure_x", "validation_id": "validation_x"},
        (*INVALID, "a reconciliation, and only it, is pinned to a closure and a validation"),
    ),
    (
        {"operations": ()},
        (*INVALID, "a delta has 1 to 12000 operations, this one has 0"),
    ),
]


@pytest.mark.parametrize(("changes", "expected"), PROPOSED)
def test_an_altered_proposal_is_refused_by_name(changes: dict[str, Any], expected: Refusal) -> None:
    """A manager's proposal that is altered in one field is refused, and says why."""
    assert before(whole_project(), "delta.proposed.v1").but(**changes).refusal() == expected


def test_a_proposal_cites_only_its_own_sources() -> None:
    """An operation that claims to come from another capture is refused."""
    moment = before(whole_project(), "delta.proposed.v1")
    add, belongs = moment.event.body.operations  # type: ignore[attr-defined]
    other = "source_00000000000000000000000001"
    expected = (*INVALID, "a proposal's operations cite only the sources it came from")
    patch = NodePatch(node_id=moment.state.root_id, add_source_ids=(other,))
    for operations in (
        (add.model_copy(update={"source_ids": (other,)}), belongs),
        (add, belongs.model_copy(update={"source_ids": (other,)})),
        (add, belongs, patch),
    ):
        assert moment.but(operations=operations).refusal() == expected


def test_each_purpose_has_its_proposers() -> None:
    """Only people correct and compensate, only the host reconciles; a placement is anybody's but the host's."""
    moment = before(whole_project(), "delta.proposed.v1")
    allowed = set()
    for kind in ActorKind:
        role = Role.OWNER if kind is ActorKind.HUMAN else Role.NONE
        actor = Actor(kind=kind, id="x", role=role)
        for purpose in Purpose:
            refusal = moment.but(actor=actor, purpose=purpose).refusal()
            if refusal is None or refusal[0] is not AuthorityError:
                allowed.add((kind, purpose))
    assert allowed == {
        (ActorKind.HUMAN, Purpose.PLACEMENT),
        (ActorKind.MANAGER, Purpose.PLACEMENT),
        (ActorKind.AGENT, Purpose.PLACEMENT),
        (ActorKind.HUMAN, Purpose.CORRECTION),
        (ActorKind.SYSTEM, Purpose.RECONCILIATION),
        (ActorKind.HUMAN, Purpose.COMPENSATION),
    }


ACCEPTED: list[tuple[dict[str, Any], Refusal]] = [
    ({"revision": 7}, (*INVALID, "the next revision is 1, not 7")),
    ({"state_root": "sha256:0"}, (*INVALID, "the recorded state root is not what the operations make")),
    ({"operations": ()}, (*INVALID, "what would be accepted is not the choice that was shown")),
]


@pytest.mark.parametrize(("changes", "expected"), ACCEPTED)
def test_an_acceptance_says_exactly_what_it_makes(changes: dict[str, Any], expected: Refusal) -> None:
    """Another revision, root or operations than the chosen ones make is refused."""
    assert before(whole_project(), "delta.accepted.v1").but(**changes).refusal() == expected


def test_a_replacement_is_announced_and_keeps_what_it_replaces() -> None:
    """Superseding names a fresh proposal and a known reason; the replacement keeps sources and purpose."""
    moment = before(whole_project(), "delta.superseded.v1")
    delta_id = moment.event.body.delta_id  # type: ignore[attr-defined]
    replaced = before(whole_project(), "delta.proposed.v1", 2)
    assert [
        moment.but(replacement_id="d").refusal(),
        moment.but(replacement_id=delta_id).refusal(),
        moment.but(why="because").refusal(),
        replaced.but(source_ids=()).refusal(),
        replaced.but(purpose=Purpose.CORRECTION, exchange_id=None).refusal(),
    ] == [
        (*INVALID, "the replacement 'd' is malformed or already exists"),
        (*INVALID, f"the replacement {delta_id!r} is malformed or already exists"),
        (*INVALID, "a proposal is replaced because it was edited, moved or rebased, not 'because'"),
        (*CYCLE, f"exchange {replaced.event.body.exchange_id} holds no durable answer to propose from"),  # type: ignore[attr-defined]
        (RefusedError, "refused", "a replacement keeps the sources and the purpose of what it replaces"),
    ]


def test_a_rebase_changes_nothing_that_was_said() -> None:
    """What calls itself rebased says word for word what was proposed before."""
    story = Story().opened()
    first, second = story.captured("Paint the hall"), story.captured("Order the tiles")
    story.accepted(first)
    story.after(accept(story, second))
    moment = before(story, "delta.proposed.v1", -1)
    expected = (*INVALID, "a rebased proposal says exactly what it said before")
    assert moment.refusal() is None
    assert moment.but(title=words("Something else")).refusal() == expected


def test_a_rejection_keeps_its_reason_within_bounds() -> None:
    """A reason longer than the limit is refused."""
    moment = before(whole_project(), "delta.rejected.v1")
    expected = (*INVALID, "the reason has 8193 bytes, at most 8192 are allowed")
    assert moment.but(reason=words("x" * 8193)).refusal() == expected


def test_a_question_and_its_answer_are_one_thread() -> None:
    """The answer is read together with all that was said before, over as many questions as it takes."""
    story = Story().opened()
    first = asked(story, "Something about the room")
    second = story.events[-1].body.exchange_id  # type: ignore[attr-defined]
    story.after(AnswerExchange(second, QUESTION.model_dump_json()), HOST)
    story.after(ProposePlacement(second, QUESTION))
    story.after(CaptureSource("The tiles", SourceKind.TEXT, Visibility.SHARED, "local/1", answers=second))
    request = story.events[-1].body.request.text  # type: ignore[attr-defined]
    assert '"text":"Something about the room\\n\\nThe bathroom\\n\\nThe tiles"' in request
    assert types(story, 3) == ["source.captured.v1", "clarification.answered.v1", "exchange.requested.v1"]
    answers = [record.answer_source_id for record in story.state.clarifications.rows()]
    assert first != second
    assert len(set(answers)) == 2


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


def test_nothing_answers_a_question_that_was_not_asked() -> None:
    """Words that claim to answer an unknown exchange are refused before anything is kept."""
    command = CaptureSource("Yes", SourceKind.TEXT, Visibility.SHARED, "local/1", answers="exchange_x")
    expected = (NotFoundError, "not_found", "there is no question exchange_x")
    assert refused(Story().opened(), command) == expected


def test_words_that_no_bytes_can_spell_are_refused() -> None:
    """Half of a surrogate pair, as a broken terminal sends it, is refused with a sentence."""
    command = CaptureSource("Pain\ud83d", SourceKind.TEXT, Visibility.SHARED, "local/1")
    message = "the text holds a broken character at position 5; write it again"
    assert refused(Story().opened(), command, OWNER) == (*INVALID, message)
