"""The shape a worldstate keeps: which kinds may be joined, no circles, one parent, no shared node under a private."""

from itertools import product

import pytest

from kernel.errors import RefusedError
from kernel.reducer.operations import apply
from kernel.rules.graph import ENDPOINTS, ancestors
from kernel.state import Tables
from kernel.values.records import NodePatch, NodeRetire, Operation, RelationRetire
from kernel.vocabulary import NodeKind, RelationKind, Visibility
from tests.support.build import (
    YES,
    add,
    grown,
    how_refused,
    join,
    node_id,
    relation_id,
    root,
    under,
)

K, R = NodeKind, RelationKind
CONTENT = set(K) - {K.WORLD, K.PROJECT}
AIMS = {K.GOAL, K.IDEA, K.DECISION, K.TASK, K.CONSTRAINT, K.ARTIFACT}
MATRIX = {
    R.BELONGS_TO: (CONTENT, set(K) - {K.EVIDENCE, K.AGENT_RUN}),
    R.REFINES: (CONTENT, CONTENT),
    R.DEPENDS_ON: (CONTENT, CONTENT),
    R.CONFLICTS_WITH: (CONTENT, CONTENT),
    R.SUPERSEDES: (CONTENT, CONTENT),
    R.IMPLEMENTS: (AIMS, AIMS),
    R.EVIDENCED_BY: (CONTENT - {K.EVIDENCE}, {K.EVIDENCE}),
    R.ORIGINATED_FROM: (CONTENT, set(K)),
}


@pytest.mark.parametrize("relation", list(RelationKind))
def test_a_relation_joins_exactly_the_kinds_of_the_matrix(relation: RelationKind) -> None:
    """Every pair of kinds is lawful or refused as an endpoint mismatch, as written down a second time here."""
    assert set(ENDPOINTS) == set(RelationKind)
    operations: list[Operation] = []
    for kind in K:
        name = kind.value.lower()
        operations += [add(f"{name}a", kind), add(f"{name}b", kind)]
    tables = grown_unchecked(operations)
    for start, end in product(K, K):
        first, second = f"{start.value.lower()}a", f"{end.value.lower()}b"
        refusal = how_refused(tables, join(first, relation, second))
        lawful = start in MATRIX[relation][0] and end in MATRIX[relation][1]
        message = f"{start.value} cannot stand in {relation.value} to {end.value}"
        assert refusal == (None if lawful else (RefusedError, "endpoint_mismatch", message))


def grown_unchecked(operations: list[Operation]) -> Tables:
    """Return tables holding nodes of kinds that no proposal could add."""
    return apply(root(), tuple(operations), YES)


@pytest.mark.parametrize(
    "relation", [R.BELONGS_TO, R.REFINES, R.DEPENDS_ON, R.SUPERSEDES], ids=lambda kind: kind.value
)
def test_a_circle_is_refused(relation: RelationKind) -> None:
    """Along these relations no node reaches itself, over one step or over many."""
    names = ("a", "b", "c")
    nodes: list[Operation] = []
    for name in names:
        nodes += [add(name)] if relation is R.BELONGS_TO else [add(name), under(name)]
    chain = [join("a", relation, "b"), join("b", relation, "c")]
    tables = apply(root(), (*nodes, *chain), YES)
    expected = (RefusedError, "cycle", f"this {relation.value} relation would close a circle")
    assert how_refused(tables, join("c", relation, "a")) == expected


@pytest.mark.parametrize("relation", [R.IMPLEMENTS, R.ORIGINATED_FROM])
def test_other_relations_may_run_both_ways(relation: RelationKind) -> None:
    """An origin in both directions is no circle."""
    tables = grown(add("a"), under("a"), add("b"), under("b"), join("a", relation, "b"))
    assert how_refused(tables, join("b", relation, "a")) is None


def test_a_conflict_is_said_once_from_either_end() -> None:
    """That one conflicts with the other says it of both; the other direction doubles it."""
    tables = grown(add("a"), under("a"), add("b"), under("b"), join("a", R.CONFLICTS_WITH, "b"))
    expected = (RefusedError, "duplicate_relation", "this conflicts_with relation already exists")
    assert how_refused(tables, join("b", R.CONFLICTS_WITH, "a")) == expected


@pytest.mark.parametrize("relation", list(RelationKind))
def test_a_node_is_not_joined_to_itself(relation: RelationKind) -> None:
    """Self-loops are refused for every relation, before anything else is asked."""
    tables = grown(add("a"), under("a"))
    message = f"a node cannot {relation.value.replace('_', ' ')} itself"
    assert how_refused(tables, join("a", relation, "a")) == (RefusedError, "self_loop", message)


def test_a_relation_exists_once() -> None:
    """The same relation between the same nodes under another id is refused; once retired, it may come again."""
    tables = grown(add("a"), under("a"), add("b"), under("b"), join("a", R.DEPENDS_ON, "b"))
    again = join("a", R.DEPENDS_ON, "b").model_copy(update={"relation_id": relation_id("other")})
    refusal = how_refused(tables, again)
    retired = grown(RelationRetire(relation_id=join("a", R.DEPENDS_ON, "b").relation_id), tables=tables)
    assert refusal == (RefusedError, "duplicate_relation", "this depends_on relation already exists")
    assert how_refused(retired, again) is None


def test_a_node_has_one_parent() -> None:
    """A second belongs_to is refused until the first is retired in the same delta."""
    tables = grown(add("a"), under("a"), add("b"), under("b"), add("c"), under("c", "a"))
    message = f"node {node_id('c')} already belongs to {node_id('a')}"
    move = (RelationRetire(relation_id=under("c", "a").relation_id), under("c", "b"))
    assert how_refused(tables, under("c", "b")) == (RefusedError, "second_parent", message)
    assert how_refused(tables, *move) is None


@pytest.mark.parametrize(("first", "second"), [("x", "a"), ("a", "x")])
def test_a_relation_joins_nodes_that_exist(first: str, second: str) -> None:
    """Neither end may be missing."""
    tables = grown(add("a"), under("a"))
    message = f"node {node_id('x')} does not exist"
    assert how_refused(tables, join(first, R.DEPENDS_ON, second)) == (
        RefusedError,
        "reference_missing",
        message,
    )


def test_a_retired_node_is_joined_to_nothing() -> None:
    """A retired node stays addressable and takes no new relation."""
    tables = grown(add("a"), under("a"), add("b"), under("b"))
    tables = grown(
        RelationRetire(relation_id=under("a").relation_id), NodeRetire(node_id=node_id("a")), tables=tables
    )
    message = f"node {node_id('a')} was retired in revision 1"
    expected = (RefusedError, "record_retired", message)
    assert how_refused(tables, join("b", R.DEPENDS_ON, "a")) == expected
    assert how_refused(tables, NodePatch(node_id=node_id("a"), profile_id="x")) == expected


def test_an_added_node_belongs_somewhere() -> None:
    """A node without a place is refused at the end of its delta."""
    expected = (RefusedError, "no_parent", f"node {node_id('a')} would belong nowhere")
    assert how_refused(root(), add("a")) == expected


def test_a_node_is_not_taken_from_its_place_into_nowhere() -> None:
    """Retiring a belongs_to without a new place is refused: nothing falls out of the outline."""
    tables = grown(add("a"), under("a"), add("b"), under("b", "a"))
    retire = RelationRetire(relation_id=under("a").relation_id)
    expected = (RefusedError, "no_parent", f"node {node_id('a')} would belong nowhere")
    assert how_refused(tables, retire) == expected


def test_a_shared_node_stands_under_no_private_one() -> None:
    """Placing it there, sharing it there, or making its parent private is refused; a private child is lawful."""
    private = {"visibility": Visibility.PRIVATE}
    tables = grown(add("p", **private), under("p"), add("q", **private), under("q", "p"))
    placed = "a shared node cannot stand under a private one; make it private or place it elsewhere"
    assert how_refused(tables, add("s"), under("s", "p")) == (RefusedError, "visibility_mismatch", placed)
    share = NodePatch(node_id=node_id("q"), visibility=Visibility.SHARED)
    assert how_refused(tables, share) == (
        RefusedError,
        "visibility_mismatch",
        "a shared node cannot stand under a private one",
    )


def test_a_node_with_shared_children_is_not_made_private() -> None:
    """Those must be made private first, in the same delta if need be."""
    tables = grown(add("a"), under("a"), add("b"), under("b", "a"))
    hide_a = NodePatch(node_id=node_id("a"), visibility=Visibility.PRIVATE)
    hide_b = NodePatch(node_id=node_id("b"), visibility=Visibility.PRIVATE)
    message = "a private node cannot hold shared ones; make those private first"
    assert how_refused(tables, hide_a) == (RefusedError, "visibility_mismatch", message)
    assert how_refused(tables, hide_b, hide_a) is None


def test_the_root_is_always_shared() -> None:
    """A project's own node cannot be hidden."""
    hide = NodePatch(node_id=node_id("root"), visibility=Visibility.PRIVATE)
    expected = (RefusedError, "visibility_mismatch", "the root is always shared")
    assert how_refused(root(), hide) == expected


def _chain(length: int) -> list[Operation]:
    """Return operations that hang nodes n1 to n<length> under the root, each under the one before."""
    operations: list[Operation] = []
    for number in range(1, length + 1):
        parent = "root" if number == 1 else f"n{number - 1}"
        operations += [add(f"n{number}"), under(f"n{number}", parent)]
    return operations


def test_an_outline_is_64_levels_deep_at_most() -> None:
    """63 nodes below the root are lawful, the 64th is refused."""
    expected = (RefusedError, "too_deep", "this place lies deeper than 64 levels")
    assert how_refused(root(), *_chain(63)) is None
    assert how_refused(root(), *_chain(64)) == expected


def test_depth_cannot_be_built_from_below() -> None:
    """A tall subtree attached last is measured with all that hangs on it."""
    nodes = [operation for operation in _chain(64) if operation.op == "node.add"]
    places = [operation for operation in _chain(64) if operation.op == "relation.add"]
    expected = (RefusedError, "too_deep", "this place lies deeper than 64 levels")
    assert how_refused(root(), *nodes, *reversed(places)) == expected


def test_the_way_up_ends_at_the_root() -> None:
    """Ancestors come nearest first."""
    tables = grown(*_chain(3))
    assert ancestors(tables, node_id("n3")) == (node_id("n2"), node_id("n1"), node_id("root"))
    assert ancestors(tables, node_id("root")) == ()


def test_the_matrix_speaks_of_every_kind() -> None:
    """No kind of node is left without a relation it may stand in."""
    assert {kind for starts, ends in ENDPOINTS.values() for kind in (*starts, *ends)} == set(K)
