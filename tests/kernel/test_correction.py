"""What a person may wish of an accepted node, what the proposal then holds, and how unlawful wishes are refused."""

from typing import Any

from kernel.commands import Below, Join, ProposeCorrection
from kernel.errors import InvalidError, NotFoundError, RefusedError, StaleError
from kernel.events.delta import DeltaProposed
from kernel.state import Tables
from kernel.values.records import NodeClear, NodePatch, NodeRetire, RelationAdd, RelationRetire
from kernel.vocabulary import NodeKind, Purpose, RelationKind, Verification
from tests.support.acts import integrated, two_places
from tests.support.spec import next_event, refused
from tests.support.story import Story

WHY = "It belongs together"


def grown() -> tuple[Story, str, str, str]:
    """Tell of a task under one of two goals; return it, its goal and the other one."""
    story = Story().opened()
    bath, hall = two_places(story)
    task = story.accepted(story.captured("Order tiles", under=bath))
    return story, task, bath, hall


def wish(story: Story, node_id: str, why: str | None = WHY, **wished: Any) -> DeltaProposed:
    """Propose a correction; return the proposal."""
    (event,) = story.after(ProposeCorrection(node_id, why, **wished))
    assert isinstance(event.body, DeltaProposed)
    return event.body


def accepted(story: Story, body: DeltaProposed) -> Tables:
    """Accept the latest proposal; return the tables since."""
    story.accepted_as_shown(next(item for item in story.events if item.body is body))
    return story.state.tables


def no(story: Story, node_id: str, **wished: Any) -> Any:
    """Return how a wish is refused."""
    return refused(story, ProposeCorrection(node_id, WHY, **wished))


def test_a_node_moves_with_everything_below_it() -> None:
    """The old place ends and the new one begins in one proposal; what belongs to the node stays with it."""
    story, task, bath, hall = grown()
    part = story.accepted(story.captured("Measure the wall", under=task))
    body = wish(story, task, under_id=hall)
    assert [item.op for item in body.operations] == ["relation.retire", "relation.add"]
    assert (body.purpose, body.title.text) == (
        Purpose.CORRECTION,
        "Move Order tiles under Renovate the hall",
    )
    assert [item.text for item in body.reasons] == [WHY]
    assert story.state.tables.parent[task] == bath
    tables = accepted(story, body)
    assert (tables.parent[task], tables.parent[part]) == (hall, task)
    assert (tuple(tables.children[bath]), tuple(tables.children[hall])) == ((), (task,))


def test_unlawful_places_are_refused_in_words() -> None:
    """Not where it stands, not below itself, not under nothing, not the project, not under evidence."""
    story, task, bath, _hall = grown()
    proof = story.accepted(story.captured("The receipt", NodeKind.EVIDENCE))
    root = story.state.root_id
    circle = "this belongs_to relation would close a circle"
    assert no(story, task, under_id=bath) == (
        InvalidError,
        "invalid",
        "“Order tiles” stands under “Renovate the bath” already",
    )
    assert no(story, bath, under_id=task) == (RefusedError, "cycle", circle)
    assert no(story, task, under_id=task)[1] == "self_loop"
    assert no(story, task, under_id="node_none") == (
        NotFoundError,
        "not_found",
        "node node_none does not exist",
    )
    assert no(story, root, under_id=bath)[1] == "endpoint_mismatch"
    assert no(story, task, under_id=proof)[1] == "endpoint_mismatch"


def test_a_shared_node_does_not_move_under_a_private_one() -> None:
    """Visibility holds for moves as for everything else."""
    story, task, _bath, _hall = grown()
    secret = story.accepted(story.captured("The budget", private=True))
    assert no(story, task, under_id=secret)[1] == "visibility_mismatch"


def test_a_leaf_is_retired_with_its_relations() -> None:
    """What ties it to others ends first, in the same proposal."""
    story, task, bath, hall = grown()
    accepted(story, wish(story, task, joins=(Join(RelationKind.REFINES, hall),)))
    body = wish(story, task, None, retires=Below.LIFTED)
    assert [item.op for item in body.operations] == ["relation.retire", "relation.retire", "node.retire"]
    assert (body.title.text, body.reasons) == ("Retire Order tiles", ())
    tables = accepted(story, body)
    assert tables.nodes[task].retired_in == story.state.revision
    assert tuple(tables.children[bath]) == ()


def test_what_is_below_a_retired_node_moves_up_or_goes_with_it() -> None:
    """The person says which of the two; the node that is meant is the first to be retired."""
    for below in Below:
        story, task, bath, _hall = grown()
        part = story.accepted(story.captured("Measure the wall", under=task))
        body = wish(story, bath, retires=below)
        gone = [item.node_id for item in body.operations if isinstance(item, NodeRetire)]
        tables = accepted(story, body)
        if below is Below.LIFTED:
            assert (gone, tables.parent[task]) == ([bath], story.state.root_id)
        else:
            assert gone == [bath, task, part]
        assert tables.parent.get(part) == (task if below is Below.LIFTED else None)


def test_the_project_itself_is_not_retired() -> None:
    """It is archived; nor is a node retired twice, or changed in the same wish."""
    story, task, _bath, hall = grown()
    root = story.state.root_id
    expected = "“Birch Lane 7” is the project itself: it is archived, not retired"
    assert no(Story().opened(), root, retires=Below.LIFTED) == (RefusedError, "root_not_retired", expected)
    assert no(story, task, retires=Below.LIFTED, under_id=hall) == (
        InvalidError,
        "invalid",
        "a node that is retired is not changed as well; propose one of the two",
    )
    accepted(story, wish(story, task, retires=Below.LIFTED))
    assert no(story, task, retires=Below.LIFTED)[1] == "record_retired"


def test_a_relation_is_added_either_way_round_and_ended() -> None:
    """The proposal is called as what it says; unlawful ends, doubles and circles are refused."""
    story, task, bath, hall = grown()
    body = wish(story, task, joins=(Join(RelationKind.DEPENDS_ON, hall),))
    assert body.title.text == "Order tiles depends on Renovate the hall"
    accepted(story, body)
    back = wish(story, task, joins=(Join(RelationKind.DEPENDS_ON, bath, is_outgoing=False),))
    (added,) = back.operations
    assert isinstance(added, RelationAdd)
    assert (added.from_id, added.to_id) == (bath, task)
    depends = Join(RelationKind.DEPENDS_ON, hall)
    assert no(story, task, joins=(depends,))[1] == "duplicate_relation"
    assert no(story, hall, joins=(Join(RelationKind.DEPENDS_ON, task),))[1] == "cycle"
    assert no(story, task, joins=(Join(RelationKind.EVIDENCED_BY, hall),))[1] == "endpoint_mismatch"
    assert no(story, task, joins=(Join(RelationKind.BELONGS_TO, hall),))[0] is InvalidError
    (relation,) = (item for item in story.state.tables.relations.rows() if item.kind is depends.kind)
    ended = wish(story, hall, parts=(relation.id, relation.id))
    assert ended.operations == (RelationRetire(relation_id=relation.id),)
    assert ended.title.text == "End: Order tiles depends on Renovate the hall"
    accepted(story, ended)
    assert no(story, hall, parts=(relation.id,))[0] is NotFoundError


def test_a_place_is_no_relation_to_end() -> None:
    """It is changed by moving; and only the node's own relations are."""
    story, task, bath, hall = grown()
    place = next(iter(story.state.tables.links[task]))
    assert no(story, task, parts=(place,))[0] is InvalidError
    assert no(story, hall, parts=(place,))[0] is NotFoundError
    assert no(story, bath, parts=("relation_none",))[0] is NotFoundError


def test_several_wishes_are_one_proposal() -> None:
    """New words, an emptied text, a place and a relation stand in one proposal and are accepted as one."""
    story, task, _bath, hall = grown()
    accepted(story, wish(story, task, description="White ones"))
    body = wish(
        story,
        task,
        title="Order white tiles",
        description="",
        under_id=hall,
        joins=(Join(RelationKind.REFINES, hall),),
    )
    kinds = (NodePatch, NodeClear, RelationRetire, RelationAdd, RelationAdd)
    assert tuple(type(item) for item in body.operations) == kinds
    assert body.title.text == "Change Order tiles"
    node = accepted(story, body).nodes[task]
    assert (node.title.text, node.description) == ("Order white tiles", None)


def test_a_wish_for_nothing_is_refused() -> None:
    """Whoever changes nothing is told so."""
    story, task, _bath, _hall = grown()
    assert no(story, task) == (InvalidError, "invalid", f"the change of node {task} changes nothing")


def test_a_wish_is_about_what_its_person_saw() -> None:
    """What changed since is named; what changed elsewhere does not matter."""
    story, task, bath, hall = grown()
    looked = story.state.revision
    accepted(story, wish(story, bath, title="Redo the bath"))
    assert refused(story, ProposeCorrection(task, WHY, under_id=hall, expected_revision=looked)) is None
    accepted(story, wish(story, hall, title="Redo the hall"))
    sentence = f"“Redo the hall” changed since revision {looked}, which you saw; look at it again"
    assert no(story, task, under_id=hall, expected_revision=looked) == (StaleError, "stale", sentence)
    accepted(story, wish(story, task, under_id=hall))
    gone = f"a relation of it changed since revision {looked}, which you saw; look at it again"
    assert no(story, task, retires=Below.LIFTED, expected_revision=looked) == (StaleError, "stale", gone)
    ahead = story.state.revision + 1
    assert no(story, task, title="Later", expected_revision=ahead) == (
        StaleError,
        "stale",
        f"there is no revision {ahead} yet; look at it again",
    )


def test_verified_work_does_not_outlive_its_evidence() -> None:
    """Whoever ends the last relation to evidence proposes that it is not verified any more; the rules insist."""
    story, task, _delta = integrated()
    tables = story.state.tables
    assert tables.nodes[task].verification is Verification.VERIFIED
    (proof,) = (item for item in tables.relations.rows() if item.kind is RelationKind.EVIDENCED_BY)
    body = wish(story, task, parts=(proof.id,))
    unproven = NodePatch(node_id=task, verification=Verification.UNVERIFIED)
    assert body.operations == (RelationRetire(relation_id=proof.id), unproven)
    fewer = body.model_copy(update={"operations": body.operations[:1], "delta_id": story.stamp().id("delta")})
    refusal = next_event(story, fewer).refusal()
    assert refusal is not None
    assert refusal[1] == "evidence_gate_blocked"
    retired = wish(story, proof.to_id, retires=Below.LIFTED)
    assert retired.operations[-1] == unproven
    assert accepted(story, body).nodes[task].verification is Verification.UNVERIFIED
