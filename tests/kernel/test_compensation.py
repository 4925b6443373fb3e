"""Taking an accepted revision back: computed inverses, what later records lose, and what the rules hold it to."""

import pytest

from kernel.commands import (
    ImportOutline,
    OutlineNode,
    ProposeCompensation,
    ProposeCorrection,
)
from kernel.errors import InvalidError, NotFoundError, RefusedError, StaleError
from kernel.events.delta import DeltaProposed
from kernel.events.envelope import event_bytes
from kernel.reducer.operations import apply
from kernel.rules.compensation import Inverse, inverse_of
from kernel.state import Revision, State, changed, revision_key
from kernel.values.records import (
    NodeAdd,
    NodeClear,
    NodePatch,
    NodeRetire,
    Operation,
    RelationAdd,
    RelationRetire,
)
from kernel.vocabulary import NodeKind, Phase, Purpose, RelationKind, Verification, Visibility
from tests.support.acts import accept, integrated, renamed, take_back
from tests.support.build import YES, add, how_refused, join, node_id, relation_id, under, words
from tests.support.spec import before, refused
from tests.support.story import Story

INVALID = (InvalidError, "invalid")
R = RelationKind


def taken_back(story: Story, number: int) -> DeltaProposed:
    """Take a revision back; return the proposal that did it."""
    (proposed,) = story.after(take_back(story, number))
    body = proposed.body
    assert isinstance(body, DeltaProposed)
    story.after(accept(story, body.delta_id))
    return body


def remarks(body: DeltaProposed) -> list[str | None]:
    """Return what a proposal says is not certain."""
    return [item.text for item in body.uncertainty]


def test_a_placement_is_taken_back() -> None:
    """Its node and its relations are retired, last first; the proposal names the revision and says why."""
    story = Story().opened()
    task_id = story.accepted(story.captured("Paint the hall"))
    (proposed,) = story.after(take_back(story, 1, "Wrong house"))
    body = proposed.body
    assert isinstance(body, DeltaProposed)
    (_, belongs) = story.state.deltas[story.state.revisions[revision_key(1)].delta_id or ""].body.operations
    assert isinstance(belongs, RelationAdd)
    assert (body.purpose, body.compensates, body.source_ids, body.uncertainty) == (
        Purpose.COMPENSATION,
        1,
        (),
        (),
    )
    assert (body.title.text, [item.text for item in body.reasons]) == (
        "Take back revision 1: Paint the hall",
        ["Wrong house"],
    )
    assert body.operations == (RelationRetire(relation_id=belongs.relation_id), NodeRetire(node_id=task_id))
    story.after(accept(story, body.delta_id))
    assert story.state.tables.nodes[task_id].retired_in == 2
    assert task_id not in story.state.tables.parent


def test_what_came_later_under_a_node_moves_up_and_is_told() -> None:
    """Nothing that was said since is lost: a later child hangs under the nearest place that stays."""
    story = Story().opened()
    bath = story.accepted(story.captured("Bath", NodeKind.GOAL))
    tiles = story.accepted(story.captured("Choose the tiles", under=bath))
    body = taken_back(story, 1)
    assert remarks(body) == [
        "“Choose the tiles” was placed under “Bath” later and would move up to “Birch Lane 7”"
    ]
    assert story.state.tables.parent[tiles] == story.state.root_id
    assert story.state.tables.nodes[bath].retired_in == 3


def test_a_whole_outline_is_taken_back() -> None:
    """Parents and children of one revision go together, and nobody moves up."""
    story = Story().opened()
    nodes = (OutlineNode(NodeKind.GOAL, "Bath", None, None), OutlineNode(NodeKind.TASK, "Tiles", None, 0))
    story.after(ImportOutline("# Bath\n- Tiles", story.state.root_id, nodes))
    (delta_id,) = story.state.open_deltas.keys()
    story.accepted(delta_id)
    body = taken_back(story, 1)
    assert (remarks(body), len(body.operations)) == ([], 4)
    active = [node.id for node in story.state.tables.nodes.rows() if node.retired_in is None]
    assert active == [story.state.root_id]


def test_fields_are_put_back_also_to_empty() -> None:
    """A title gets its old words, a description that was none becomes empty again."""
    story = Story().opened()
    task_id = story.accepted(story.captured("Paint the hall"))
    old = story.state.tables.nodes[task_id]
    story.after(ProposeCorrection(task_id, "Better", title="Paint it white", description="Two coats"))
    (delta_id,) = story.state.open_deltas.keys()
    story.after(accept(story, delta_id))
    body = taken_back(story, 2)
    assert body.operations == (
        NodePatch(node_id=task_id, title=old.title),
        NodeClear(node_id=task_id, fields=("description",)),
    )
    node = story.state.tables.nodes[task_id]
    assert (node.title.text, node.description) == ("Paint the hall", None)


def test_a_field_that_was_changed_again_stays() -> None:
    """Only what the revision left is put back; the rest is told."""
    story = Story().opened()
    task_id = story.accepted(story.captured("Paint the hall"))
    story.after(ProposeCorrection(task_id, "Better", title="Paint it white", description="Two coats"))
    (delta_id,) = story.state.open_deltas.keys()
    story.after(accept(story, delta_id))
    renamed(story, task_id, "Paint it blue")
    body = taken_back(story, 2)
    assert remarks(body) == ["The title of “Paint it blue” was changed again since; it stays"]
    node = story.state.tables.nodes[task_id]
    assert (node.title.text, node.description) == ("Paint it blue", None)


def test_an_integrated_result_is_taken_back() -> None:
    """The task is open again, nobody says it is verified, and its evidence is retired."""
    story, task_id, reconciliation = integrated()
    number = story.state.deltas[reconciliation].revision
    assert number is not None
    taken_back(story, number)
    task = story.state.tables.nodes[task_id]
    assert (task.phase, task.verification, task.said_by) == (Phase.PLANNED, Verification.UNVERIFIED, None)
    evidence = [node for node in story.state.tables.nodes.rows() if node.kind is NodeKind.EVIDENCE]
    assert [node.retired_in for node in evidence] == [story.state.revision]


def test_a_compensation_is_taken_back_as_new_nodes() -> None:
    """A retired node stays retired; its words come back in a new node at the same place, with its sources."""
    story = Story().opened()
    task_id = story.accepted(story.captured("Paint the hall"))
    taken_back(story, 1)
    body = taken_back(story, 2)
    assert remarks(body) == ["“Paint the hall” comes back as a new node; what was verified of it is not"]
    added = next(item for item in body.operations if isinstance(item, NodeAdd))
    tables = story.state.tables
    assert added.node_id != task_id
    assert (tables.nodes[added.node_id].source_ids, tables.parent[added.node_id]) == (
        tables.nodes[task_id].source_ids,
        story.state.root_id,
    )


def test_a_revision_is_taken_back_once_and_only_if_it_exists() -> None:
    """The opening is no revision to take back; what is gone cannot go again; another root is stale."""
    story = Story().opened()
    story.accepted(story.captured("Paint the hall"))
    root = story.state.state_root
    taken_back(story, 1)
    gone = "nothing of revision 1 is left to take back: “Paint the hall” was retired in revision 2 already"
    missing = (NotFoundError, "not_found", "there is no revision {} that could be taken back")
    assert [
        refused(story, take_back(story, 1)),
        refused(story, take_back(story, 0)),
        refused(story, ProposeCompensation(7, root)),
        refused(story, ProposeCompensation(-1, root)),
        refused(story, ProposeCompensation(2, root)),
    ] == [
        (RefusedError, "nothing_to_compensate", gone),
        *((*missing[:2], missing[2].format(number)) for number in (0, 7, -1)),
        (StaleError, "stale", "what was shown is not revision 2; look at it again"),
    ]


def test_a_compensation_says_what_the_kernel_computes_and_nothing_else() -> None:
    """Other operations, a remark left out, no revision, or a revision on another purpose are refused."""
    story = Story().opened()
    bath = story.accepted(story.captured("Bath", NodeKind.GOAL))
    story.accepted(story.captured("Tiles", under=bath))
    story.after(take_back(story, 1))
    moment = before(story, "delta.proposed.v1", -1)
    body = moment.event.body
    assert isinstance(body, DeltaProposed)
    other = (StaleError, "conflict", "this is not what takes revision 1 back from here; propose it again")
    named = (*INVALID, "a compensation, and only it, names the revision it takes back")
    shape = "a compensation is computed from a revision: it has no sources, places or alternatives"
    patch = NodePatch(node_id=bath, title=words("Other"))
    touches = tuple(touch for touch in body.touches if touch.id == bath)
    assert [
        moment.refusal(),
        moment.but(uncertainty=()).refusal(),
        moment.but(operations=(patch,), touches=touches).refusal(),
        moment.but(compensates=None).refusal(),
        moment.but(purpose=Purpose.CORRECTION).refusal(),
        moment.but(compensates=9).refusal(),
        moment.but(source_ids=tuple(story.state.sources.keys()[:1])).refusal(),
    ] == [
        None,
        other,
        other,
        named,
        named,
        (NotFoundError, "not_found", "there is no revision 9 that could be taken back"),
        (*INVALID, shape),
    ]


def test_a_compensation_that_the_head_outran_is_proposed_again() -> None:
    """Something placed under what would go makes another inverse right, so a late yes is a conflict."""
    story = Story().opened()
    bath = story.accepted(story.captured("Bath", NodeKind.GOAL))
    story.after(take_back(story, 1))
    delta_id = story.events[-1].body.delta_id  # type: ignore[attr-defined]
    story.accepted(story.captured("Tiles", under=bath))
    refusal = refused(story, accept(story, delta_id))
    assert refusal is not None
    assert refusal[:2] in {(RefusedError, "still_related"), (StaleError, "conflict")}


def test_a_proposal_that_compensates_nothing_keeps_its_bytes() -> None:
    """The field that only a compensation has stands in no other proposal's bytes, and is in its own."""
    story = Story().opened()
    story.accepted(story.captured("Paint the hall"))
    story.after(take_back(story, 1))
    first, last = (before(story, "delta.proposed.v1", nth).event for nth in (0, -1))
    assert [b'"compensates"' in event_bytes(event) for event in (first, last)] == [False, True]


# What no command says yet, an outline or an import may: relations, moves and retirements of any sort.


def _made(*bundles: tuple[Operation, ...]) -> tuple[State, int]:
    """Return a state whose revisions are made by these operations, on a fresh project; the number of the last."""
    story = Story().opened()
    state = story.state
    root = state.tables.nodes[state.root_id].model_copy(update={"id": node_id("root")})
    tables = apply(state.tables.having(nodes=state.tables.nodes.put(root.id, root)), (), YES)
    state = changed(
        state, tables=tables, revisions=state.revisions.put(revision_key(0), _revision(state, 0, tables))
    )
    story.captured("Anything")
    record = story.state.deltas.rows()[0]
    for number, operations in enumerate(bundles, 1):
        tables = apply(state.tables, operations, YES)
        body = record.body.model_copy(update={"operations": operations})
        state = changed(
            state,
            revision=number,
            tables=tables,
            deltas=state.deltas.put(f"delta_{number}", type(record)(body, record.origin)),
            revisions=state.revisions.put(revision_key(number), _revision(state, number, tables)),
        )
    return state, len(bundles)


def _revision(state: State, number: int, tables: object) -> Revision:
    first = state.revisions[revision_key(0)]
    return Revision(number, "", f"delta_{number}", first.origin, tables)  # type: ignore[arg-type]


def _inverse(*bundles: tuple[Operation, ...], number: int) -> tuple[State, Inverse]:
    state, _ = _made(*bundles)
    fresh = iter(f"x{count}" for count in range(50))
    names = {"node": node_id, "relation": relation_id}
    return state, inverse_of(state, number, lambda kind: names[kind](next(fresh)))


BASE = (add("a"), under("a"), add("b"), under("b"), add("c"), under("c", "a"))
MOVED = (RelationRetire(relation_id=under("c", "a").relation_id), under("c", "b"))


def test_a_move_is_taken_back() -> None:
    """The node goes back under the place it had."""
    state, inverse = _inverse(BASE, MOVED, number=2)
    assert inverse.remarks == ()
    assert apply(state.tables, inverse.operations, YES).parent[node_id("c")] == node_id("a")
    assert how_refused(state.tables, *inverse.operations) is None


def test_what_was_moved_again_or_cannot_go_back_stays() -> None:
    """A second move is newer, and a place that was retired takes nobody back."""
    again = (RelationRetire(relation_id=under("c", "b").relation_id), under("c"))
    gone = (RelationRetire(relation_id=under("a").relation_id), NodeRetire(node_id=node_id("a")))
    with pytest.raises(RefusedError, match="“c” has another place since; it stays there"):
        _inverse(BASE, MOVED, again, number=2)
    with pytest.raises(RefusedError, match="“c” cannot go back to its place, which is gone; it stays"):
        _inverse(BASE, MOVED, gone, number=2)


def test_relations_said_later_about_what_goes_end_with_it() -> None:
    """Each is told, in words."""
    later = (add("d"), under("d"), join("d", R.DEPENDS_ON, "b"))
    state, inverse = _inverse((add("b"), under("b")), later, number=1)
    assert inverse.remarks == ("“d” depends on “b”: that was said later and would end",)
    assert how_refused(state.tables, *inverse.operations) is None


def test_relations_come_back_and_what_cannot_is_told() -> None:
    """A retired relation is said anew; one between records that are gone cannot be."""
    said = (join("a", R.DEPENDS_ON, "b"), join("a", R.IMPLEMENTS, "b"))
    base = (add("a", NodeKind.GOAL), under("a"), add("b", NodeKind.GOAL), under("b"))
    ended = tuple(RelationRetire(relation_id=item.relation_id) for item in said)
    state, inverse = _inverse((*base, *said), ended, number=2)
    assert inverse.remarks == ()
    assert how_refused(state.tables, *inverse.operations) is None
    with pytest.raises(RefusedError, match="“a” implements “b”: that ended already"):
        _inverse(base, said, ended, number=2)
    gone = (RelationRetire(relation_id=under("b").relation_id), NodeRetire(node_id=node_id("b")))
    with pytest.raises(RefusedError, match=r"Cannot be taken back: node \S+ was retired in revision 1"):
        _inverse((*base, *said), ended, gone, number=2)


def test_clearing_and_privacy_are_taken_back() -> None:
    """A cleared field gets its words again, and a private node is shared again."""
    described = (add("a", description=words("Long")), under("a"))
    hidden = (
        NodeClear(node_id=node_id("a"), fields=("description",)),
        NodePatch(node_id=node_id("a"), visibility=Visibility.PRIVATE),
    )
    state, inverse = _inverse(described, hidden, number=2)
    node = apply(state.tables, inverse.operations, YES).nodes[node_id("a")]
    assert (inverse.remarks, node.description, node.visibility) == ((), words("Long"), Visibility.SHARED)


def test_what_was_verified_before_is_told_not_restored() -> None:
    """A new title took the verification away; the old title alone does not bring it back."""
    story, task_id, _ = integrated()
    renamed(story, task_id, "Work out something else")
    assert story.state.tables.nodes[task_id].verification is Verification.UNVERIFIED
    body = taken_back(story, story.state.revision)
    title = "Work out something else"
    assert remarks(body) == [f"“{title}” was verified before; only evidence verifies it again"]


def test_a_field_is_emptied_once_and_only_when_it_is_filled() -> None:
    """Nothing named, a field twice or one that is empty is refused; a description takes verification with it."""
    tables = apply(_made(BASE)[0].tables, (), YES)
    message = f"the fields to empty of node {node_id('a')} are each named once and filled"
    for fields in ((), ("description", "description"), ("profile_id",)):
        clear = NodeClear(node_id=node_id("a"), fields=fields)
        assert how_refused(tables, clear) == (*INVALID, message)
