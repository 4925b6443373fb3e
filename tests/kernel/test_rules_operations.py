"""Lawfulness of single operations: fields, phases, verification, retirement, and what a delta touches."""

from typing import Any

import pytest

from kernel.errors import InvalidError, RefusedError
from kernel.reducer.operations import record_digest, state_root
from kernel.rules.operations import PHASES, checked, moved, touched
from kernel.state import Tables
from kernel.values.records import NodePatch, NodeRetire, Operation, RelationRetire, Touch
from kernel.vocabulary import NodeKind, Phase, RelationKind, Verification
from tests.support.build import (
    EVIDENCED,
    add,
    grown,
    how_refused,
    join,
    node_id,
    relation_id,
    root,
    under,
    words,
)

INVALID = (InvalidError, "invalid")
K = NodeKind


@pytest.mark.parametrize("count", [0, 12_001])
def test_a_delta_has_bounds(count: int) -> None:
    """An empty delta and one of more operations than the limit are refused before any of them is looked at."""
    message = f"a delta has 1 to 12000 operations, this one has {count}"
    assert how_refused(root(), *([add("a")] * count)) == (*INVALID, message)


ADDS: list[tuple[NodeKind, dict[str, Any], tuple[type[RefusedError], str, str]]] = [
    (K.IDEA, {"node_id": "n"}, (*INVALID, "node id 'n' is malformed or already used")),
    (
        K.IDEA,
        {"node_id": node_id("root")},
        (*INVALID, f"node id {node_id('root')!r} is malformed or already used"),
    ),
    (K.WORLD, {}, (RefusedError, "kind_not_placeable", "World is no kind that a proposal can add")),
    (K.PROJECT, {}, (RefusedError, "kind_not_placeable", "Project is no kind that a proposal can add")),
    (K.AGENT_RUN, {}, (RefusedError, "kind_not_placeable", "AgentRun is no kind that a proposal can add")),
    (K.EVIDENCE, {"phase": Phase.PLANNED}, (*INVALID, "evidence has no work phase")),
    (K.IDEA, {"phase": Phase.PLANNED}, (*INVALID, "a Task has a work phase, and only a Task")),
    (K.TASK, {"phase": Phase.NONE}, (*INVALID, "a Task has a work phase, and only a Task")),
    (K.IDEA, {"title": words("")}, (*INVALID, "the title is empty; give it a few words")),
    (K.IDEA, {"title": words("a\rb")}, (*INVALID, "the title must be a single line")),
    (
        K.IDEA,
        {"description": words("x" * 65537)},
        (*INVALID, "the description has 65537 bytes, at most 65536 are allowed"),
    ),
    (
        K.TASK,
        {"profile_id": "Call me, Ann"},
        (*INVALID, "'Call me, Ann' cannot be the name of a delegation profile"),
    ),
    (K.IDEA, {"profile_id": "demo"}, (*INVALID, "only a Task carries a delegation profile")),
    (K.TASK, {"artifact_path": "a.py"}, (*INVALID, "only an Artifact stands for a path")),
    (K.IDEA, {"source_ids": ("s", "s")}, (*INVALID, f"node {node_id('a')} names a source twice")),
]


@pytest.mark.parametrize(("kind", "changes", "expected"), ADDS)
def test_an_added_node_is_refused_by_name(
    kind: NodeKind, changes: dict[str, Any], expected: tuple[type[RefusedError], str, str]
) -> None:
    """Each field of a new node has its rule."""
    assert how_refused(root(), add("a", kind, **changes), under("a")) == expected


@pytest.mark.parametrize("path", ["/etc/passwd", "a/../b", "./a", "a//b", "", "a\\b", "a/"])
def test_an_artifacts_path_is_relative_and_normalised(path: str) -> None:
    """A path that climbs, starts at the root or has two spellings is refused."""
    expected = (*INVALID, f"the path {path!r} is not relative and normalised")
    assert how_refused(root(), add("a", K.ARTIFACT, artifact_path=path), under("a")) == expected


@pytest.mark.parametrize("path", ["cost.py", "src/a b/ü.txt", ".hidden"])
def test_an_artifact_stands_for_a_plain_path(path: str) -> None:
    """A normalised path is taken as it is."""
    assert how_refused(root(), add("a", K.ARTIFACT, artifact_path=path), under("a")) is None


def task(phase: Phase = Phase.PLANNED) -> Tables:
    """Return tables with one Task in this phase."""
    return grown(add("t", K.TASK, phase=phase), under("t"))


@pytest.mark.parametrize("start", [Phase.PLANNED, Phase.BLOCKED, Phase.COMPLETED])
@pytest.mark.parametrize("end", list(Phase))
def test_work_moves_along_the_table_of_phases(start: Phase, end: Phase) -> None:
    """Every step between two phases is lawful or refused as the table says; standing still is lawful."""
    refusal = how_refused(task(start), NodePatch(node_id=node_id("t"), phase=end))
    lawful = end is start or end in PHASES[start]
    message = f"work cannot go from {start.value} to {end.value}"
    assert refusal == (None if lawful else (RefusedError, "phase_transition", message))


@pytest.mark.parametrize("end", [Phase.PLANNED, Phase.BLOCKED, Phase.COMPLETED])
def test_what_is_no_work_gets_no_phase(end: Phase) -> None:
    """An Idea is neither planned nor completed."""
    refusal = how_refused(grown(add("a"), under("a")), NodePatch(node_id=node_id("a"), phase=end))
    assert refusal == (RefusedError, "phase_transition", f"work cannot go from none to {end.value}")


def test_verified_enters_only_through_evidence() -> None:
    """A person's word completes work, a reconciliation verifies it."""
    patch = NodePatch(node_id=node_id("t"), phase=Phase.COMPLETED, verification=Verification.VERIFIED)
    refusal = how_refused(task(), patch)
    node = checked(task(), (patch,), EVIDENCED).nodes[node_id("t")]
    message = "verified enters only through a reconciliation of evidence"
    assert refusal == (RefusedError, "evidence_gate_blocked", message)
    assert (node.phase, node.verification, node.said_by) == (
        Phase.COMPLETED,
        Verification.VERIFIED,
        None,
    )


def test_a_persons_completion_names_the_person() -> None:
    """Work somebody called complete is shown as said by them, and is not verified."""
    tables = grown(NodePatch(node_id=node_id("t"), phase=Phase.COMPLETED), tables=task())
    node = tables.nodes[node_id("t")]
    assert (node.phase, node.verification, node.said_by) == (
        Phase.COMPLETED,
        Verification.UNVERIFIED,
        "owner",
    )


def test_leaving_completed_ends_verified() -> None:
    """Work taken up again is verified no longer."""
    patch = NodePatch(node_id=node_id("t"), phase=Phase.COMPLETED, verification=Verification.VERIFIED)
    tables = checked(task(), (patch,), EVIDENCED)
    node = grown(NodePatch(node_id=node_id("t"), phase=Phase.PLANNED), tables=tables).nodes[node_id("t")]
    assert (node.phase, node.verification, node.said_by) == (
        Phase.PLANNED,
        Verification.UNVERIFIED,
        None,
    )


def test_repeating_what_evidence_showed_claims_nothing() -> None:
    """A person who says completed of verified work does not become the one who said it."""
    patch = NodePatch(node_id=node_id("t"), phase=Phase.COMPLETED, verification=Verification.VERIFIED)
    tables = checked(task(), (patch,), EVIDENCED)
    node = grown(NodePatch(node_id=node_id("t"), phase=Phase.COMPLETED), tables=tables).nodes[node_id("t")]
    assert (node.verification, node.said_by) == (Verification.VERIFIED, None)


def test_a_reconciliation_adds_no_completed_work() -> None:
    """Evidence completes its target and nothing new."""
    operations = (add("a", K.TASK, phase=Phase.COMPLETED), under("a"))
    expected = (RefusedError, "refused", "a reconciliation adds no completed work of its own")
    assert how_refused(root(), *operations, acceptance=EVIDENCED) == expected


def test_a_change_changes_something() -> None:
    """A patch without any field is refused."""
    tables = grown(add("a"), under("a"))
    message = f"the change of node {node_id('a')} changes nothing"
    assert how_refused(tables, NodePatch(node_id=node_id("a"))) == (*INVALID, message)


def test_a_patch_keeps_what_it_does_not_name() -> None:
    """Only the named fields change; sources are added once and in order."""
    tables = grown(add("a", source_ids=("s1",)), under("a"))
    patch = NodePatch(node_id=node_id("a"), title=words("New"), add_source_ids=("s1", "s2"))
    node, before = grown(patch, tables=tables).nodes[node_id("a")], tables.nodes[node_id("a")]
    assert node == before.model_copy(update={"title": words("New"), "source_ids": ("s1", "s2")})


@pytest.mark.parametrize(
    "operation", [NodePatch(node_id="node_x", profile_id="p"), NodeRetire(node_id="node_x")]
)
def test_what_does_not_exist_is_not_changed(operation: Operation) -> None:
    """A patch or a retirement names a node that is there."""
    expected = (RefusedError, "reference_missing", "node node_x does not exist")
    assert how_refused(root(), operation) == expected


def test_a_node_with_relations_is_not_retired() -> None:
    """Its relations are retired first, so that none dangles."""
    tables = grown(add("a"), under("a"))
    message = f"node {node_id('a')} still has active relations; retire those first"
    retire = NodeRetire(node_id=node_id("a"))
    assert how_refused(tables, retire) == (RefusedError, "still_related", message)
    assert how_refused(tables, RelationRetire(relation_id=under("a").relation_id), retire) is None


def test_a_relation_is_retired_once() -> None:
    """Neither an unknown relation nor a retired one can be retired."""
    tables = grown(add("a"), under("a"), add("b"), under("b"), join("a", RelationKind.REFINES, "b"))
    operation = RelationRetire(relation_id=join("a", RelationKind.REFINES, "b").relation_id)
    gone = grown(operation, tables=tables)
    message = f"relation {operation.relation_id} does not exist or is retired"
    expected = (RefusedError, "reference_missing", message)
    assert [how_refused(root(), operation), how_refused(gone, operation)] == [expected, expected]


def test_a_relations_id_is_fresh() -> None:
    """A malformed id and one that was used before are refused."""
    tables = grown(add("a"), under("a"), add("b"), under("b"))
    used = under("a").relation_id
    for bad in ("r", used):
        relation = join("a", RelationKind.REFINES, "b").model_copy(update={"relation_id": bad})
        message = f"relation id {bad!r} is malformed or already used"
        assert how_refused(tables, relation) == (*INVALID, message)


def test_a_delta_touches_what_it_changes_and_what_it_points_at() -> None:
    """Each touched record once, sorted, with its digest then; what does not exist yet has none."""
    tables = grown(add("a"), under("a"))
    nodes = {"a": tables.nodes[node_id("a")], "b": None, "root": tables.nodes[node_id("root")]}
    expected = [
        Touch(kind="node", id=node_id(name), digest=None if node is None else record_digest(node))
        for name, node in sorted(nodes.items(), key=lambda item: node_id(item[0]))
    ] + [
        Touch(kind="relation", id=item, digest=None)
        for item in sorted((relation_id("ba0"), relation_id("broot0")))
    ]
    assert touched(tables, (add("b"), under("b", "a")), (add("b"), under("b"))) == tuple(expected)


def test_only_a_changed_record_counts_as_moved() -> None:
    """A new child does not move its parent; a new title does, and so does an id taken in the meantime."""
    tables = grown(add("a"), under("a"))
    touches = touched(tables, (add("b"), under("b", "a")))
    sibling = grown(add("c"), under("c", "a"), tables=tables)
    renamed = grown(NodePatch(node_id=node_id("a"), title=words("Other")), tables=tables)
    taken = grown(add("b"), under("b"), tables=tables)
    assert moved(sibling, touches) == ()
    assert [touch.id for touch in moved(renamed, touches)] == [node_id("a")]
    assert [touch.id for touch in moved(taken, touches)] == [node_id("b")]


def test_the_state_root_does_not_depend_on_the_order_of_disjoint_changes() -> None:
    """Two revisions' worth of records in either order make the same root."""
    first, second = (add("a"), under("a")), (add("b"), under("b"))
    one = grown(*second, tables=grown(*first))
    other = grown(*first, tables=grown(*second))
    assert state_root(one) == state_root(other)
    assert state_root(one) != state_root(grown(*first))
