"""Review: proposals that wait, what a yes is bound to, rebasing in one append, conflicts, edits and moves."""

from dataclasses import replace
from typing import Any

import pytest

from kernel.commands import (
    AcceptDelta,
    EditDelta,
    MoveDelta,
    ProposeCorrection,
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
from kernel.values.records import NodePatch
from kernel.values.stamp import Actor
from kernel.vocabulary import (
    ActorKind,
    Disposition,
    NodeKind,
    Purpose,
    Role,
    Visibility,
)
from tests.support.acts import accept, two_places, types
from tests.support.build import words
from tests.support.spec import Refusal, before, refused
from tests.support.story import Story
from tests.support.whole import whole_project

INVALID = (InvalidError, "invalid")
CYCLE = (LifecycleError, "lifecycle_conflict")


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


def test_a_choice_that_is_not_offered_is_refused_by_the_name_given() -> None:
    """Also where a rebase would come first: the sentence names the proposal the person named, not a draft."""
    story = Story().opened()
    first, second = story.captured("Paint the hall"), story.captured("Order the tiles")
    story.accepted(first)
    offered = len(story.state.deltas[second].body.alternatives)
    command = replace(accept(story, second), choice=3)
    assert refused(story, command) == (*INVALID, f"proposal {second} offers {offered} alternatives")


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
        "1 of the records this proposal touches changed since revision 1; rebase, edit, move or reject it",
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
        "the yes is about revision 0, the head is 1; look at it again",
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


def test_an_edit_of_an_alternative_keeps_the_place_that_was_shown() -> None:
    """What was shown names the choice: the person's words go where its preview had them."""
    story = Story().opened()
    bath, hall = two_places(story)
    delta_id = story.captured("Choose the tiles", under=bath, others=(hall,))
    story.after(EditDelta(delta_id, "Pick tiles", None, NodeKind.TASK, story.seen(delta_id, 1)))
    new = story.events[-1].body
    assert isinstance(new, DeltaProposed)
    node_id = story.accepted(new.delta_id)
    assert story.state.tables.parent[node_id] == hall


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
    message = (
        "only the placement of a single node can be edited, moved or split; reject it or accept it as it is"
    )
    seen = story.seen(delta_id)
    assert [
        refused(story, EditDelta(delta_id, "x", None, NodeKind.IDEA, seen)),
        refused(story, MoveDelta(delta_id, story.state.root_id, seen)),
    ] == [(*INVALID, message)] * 2


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
        {"fits": (Fit(parent_id="the bath", score=1, reason=words("x")),)},
        (*INVALID, "a fit is a node and 0 to 1000 thousandths, not 'the bath' and 1"),
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
    replaced = before(whole_project(), "delta.proposed.v1", 5)
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
