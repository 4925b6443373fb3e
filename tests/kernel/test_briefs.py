"""Briefs: what the compiler shares and why, and the proof that refuses every brief which is not true."""

import json
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from kernel.briefs import BriefOrder, compile_brief, foresee_brief, profile_for
from kernel.canonical import canonical_bytes
from kernel.commands import CompileBrief, ImportOutline, OutlineNode
from kernel.errors import EvidenceError, InvalidError, NotFoundError, RefusedError
from kernel.projections.shape import shape_of
from kernel.reducer.operations import record_digest
from kernel.rules.limits import BRIEF_NODES_MAX
from kernel.values.work import OmittedNode, SharedNode
from kernel.vocabulary import NodeKind
from tests.support.house import House, house
from tests.support.spec import Refusal, before, refusal_of, refused
from tests.support.story import BASE, PROFILE, Story, delta_with_profile
from tests.support.whole import whole_project

INVALID = (InvalidError, "invalid")
UNTRUE = (EvidenceError, "evidence_gate_blocked")


@cache
def built() -> House:
    """Return one house for all tests; a refused brief leaves it as it is."""
    return house()


def compiled() -> CompileBrief:
    """Return the brief of the house's task."""
    return compile_brief(built().story.state, BriefOrder(built().ids["task"], PROFILE, BASE))


def payload() -> Any:
    """Return what the worker would read."""
    return json.loads(compiled().payload)


def with_payload(content: object) -> CompileBrief:
    """Return the brief with another payload; its digest is that of the new one."""
    return replace(compiled(), payload=canonical_bytes(content).decode())


def how_refused(command: CompileBrief) -> Refusal | None:
    """Return how the house's ledger refuses a brief."""
    return refused(built().story, command)


def shared(name: str, reason: Any) -> SharedNode:
    """Return a node of the house as a brief would share it."""
    node = built().story.state.tables.nodes[built().ids[name]]
    return SharedNode(node_id=node.id, digest=record_digest(node), reason=reason)


def test_a_brief_shares_what_the_task_needs_and_says_why() -> None:
    """Target, aims, needs, ancestors and what binds them, the most needed first; nothing because it is there."""
    names = {node_id: name for name, node_id in built().ids.items()}
    assert [(names[item.node_id], item.reason) for item in compiled().shared] == [
        ("task", "target"),
        ("other goal", "goal"),
        ("prices", "dependency"),
        ("goal", "goal"),
        ("root", "ancestor"),
        ("rule", "constraint"),
        ("choice", "decision"),
    ]


def test_a_receipt_names_everything_left_out() -> None:
    """The owner's record lists each other active node with the true reason."""
    names = {node_id: name for name, node_id in built().ids.items()}
    assert sorted((names[item.node_id], item.reason) for item in compiled().omitted) == [
        ("secret", "private"),
        ("stranger", "out_of_scope"),
    ]


def test_what_a_brief_would_hold_is_foreseen_without_its_receipt() -> None:
    """The same nodes are shared for the same needs, and as many are left out for each reason."""
    told = house()
    for number in range(BRIEF_NODES_MAX):
        told.story.accepted(
            told.story.captured(f"Rule {number}", NodeKind.CONSTRAINT, under=told.ids["goal"])
        )
    order, shape = BriefOrder(told.ids["task"], PROFILE, BASE), shape_of(told.story.state)
    compiled = compile_brief(told.story.state, order)
    foreseen = foresee_brief(told.story.state, order, active=shape.total, private=shape.private)
    assert foreseen.shared == compiled.shared
    assert +Counter(foreseen.omitted) == Counter(item.reason for item in compiled.omitted)
    assert foreseen.omitted["over_budget"] > 0 < foreseen.omitted["private"]


def test_the_worker_reads_a_count_and_never_what_was_left_out() -> None:
    """The payload has no omitted title or id, no head and nothing of the host; private nodes are not even counted."""
    state, ids = built().story.state, built().ids
    text = compiled().payload
    hidden = [ids["secret"], ids["stranger"], "My debts", "Buy a boat", state.state_root, BASE]
    assert [item for item in hidden if item in text] == []
    assert payload()["context"]["omitted_count"] == 1


def test_a_goal_beside_an_ancestor_is_left_out() -> None:
    """A task serves the goals it stands in or refines; another aim of the same parent is not its business."""
    story = Story().opened()
    served = story.accepted(story.captured("Renovate", NodeKind.GOAL))
    beside = story.accepted(story.captured("Sleep well", NodeKind.GOAL))
    task = story.accepted(delta_with_profile(story, story.captured("Work out the cost", under=served)))
    command = compile_brief(story.state, BriefOrder(task, PROFILE, BASE))
    assert [(item.node_id, item.reason) for item in command.shared] == [
        (task, "target"),
        (served, "goal"),
        (story.state.root_id, "ancestor"),
    ]
    assert [(item.node_id, item.reason) for item in command.omitted] == [(beside, "out_of_scope")]
    node = story.state.tables.nodes[beside]
    item = SharedNode(node_id=beside, digest=record_digest(node), reason="goal")
    message = f"the brief shares node {beside} as goal, which it is not"
    stretched = replace(command, shared=(*command.shared, item))
    assert refused(story, stretched) == (EvidenceError, "not_needed", message)


def test_artifacts_of_the_work_are_shared() -> None:
    """The artifact the task stands in, and those near it whose path the work may change; no other artifact."""
    story = Story().opened()
    under = story.accepted(story.captured("Prices", NodeKind.ARTIFACT))
    named = {
        path: OutlineNode(NodeKind.ARTIFACT, path, None, None, artifact_path=path)
        for path in ("cost.py", "notes/vans.md", "debts.md")
    }
    story.after(ImportOutline("- all", under, tuple(named.values())))
    story.accepted(next(iter(story.state.open_deltas.keys())))
    task = story.accepted(delta_with_profile(story, story.captured("Work out the cost", under=under)))
    contract = PROFILE.contract.model_copy(update={"allowed_paths": ("cost.py", "notes/")})
    profile = PROFILE.model_copy(update={"contract": contract})
    command = compile_brief(story.state, BriefOrder(task, profile, BASE))
    titles = {node.id: node.title.text for node in story.state.tables.nodes.rows()}
    assert [(titles[item.node_id], item.reason) for item in command.shared] == [
        ("Work out the cost", "target"),
        ("cost.py", "artifact"),
        ("notes/vans.md", "artifact"),
        ("Prices", "artifact"),
        ("Birch Lane 7", "ancestor"),
    ]
    assert [titles[item.node_id] for item in command.omitted] == ["debts.md"]
    assert refused(story, command) is None


def test_a_brief_is_the_same_every_time() -> None:
    """Compiling is a pure function of state, task, profile and commit."""
    assert compiled() == compiled()
    assert how_refused(compiled()) is None


def test_a_brief_has_a_budget() -> None:
    """Beyond the limit, what was wanted is left out as over budget, and the brief still proves itself."""
    story = house().story
    goal = next(node.id for node in story.state.tables.nodes.rows() if node.title.text == "Renovate")
    task = next(node.id for node in story.state.tables.nodes.rows() if node.kind is NodeKind.TASK)
    for number in range(BRIEF_NODES_MAX - 6):
        story.accepted(story.captured(f"Rule {number}", NodeKind.CONSTRAINT, under=goal))
    command = compile_brief(story.state, BriefOrder(task, PROFILE, BASE))
    assert len(command.shared) == BRIEF_NODES_MAX
    assert [item.reason for item in command.omitted].count("over_budget") == 1
    assert refused(story, command) is None


SHARED: list[tuple[str, Any, Refusal]] = [
    (
        "stranger",
        "dependency",
        (EvidenceError, "not_needed", "the brief shares node {} as dependency, which it is not"),
    ),
    ("stranger", "goal", (EvidenceError, "not_needed", "the brief shares node {} as goal, which it is not")),
    (
        "stranger",
        "evidence",
        (EvidenceError, "not_needed", "the brief shares node {} as evidence, which it is not"),
    ),
    (
        "stranger",
        "artifact",
        (EvidenceError, "not_needed", "the brief shares node {} as artifact, which it is not"),
    ),
    (
        "stranger",
        "ancestor",
        (EvidenceError, "not_needed", "the brief shares node {} as ancestor, which it is not"),
    ),
    (
        "stranger",
        "decision",
        (EvidenceError, "not_needed", "the brief shares node {} as decision, which it is not"),
    ),
    ("stranger", "target", (*INVALID, "a brief shares its task as its one target")),
    ("secret", "decision", (RefusedError, "private_node", "node {} is private and cannot be shared")),
    ("task", "goal", (*INVALID, f"a brief shares each node once, at most {BRIEF_NODES_MAX}")),
]


@pytest.mark.parametrize(("name", "reason", "expected"), SHARED)
def test_a_brief_shares_only_what_it_may(name: str, reason: Any, expected: Refusal) -> None:
    """A node that is private, not needed, or shared twice is refused."""
    command = compiled()
    command = replace(command, shared=(*command.shared, shared(name, reason)))
    error, code, sentence = expected
    assert how_refused(command) == (error, code, sentence.format(built().ids[name]))


def test_a_brief_shares_nodes_as_they_are() -> None:
    """A node with another digest than its own is refused, and so is one that is not there."""
    command = compiled()
    changed = command.shared[3].model_copy(update={"digest": "sha256:" + "0" * 64})
    gone = command.shared[3].model_copy(update={"node_id": "node_x"})
    assert [
        how_refused(replace(command, shared=(*command.shared[:3], item, *command.shared[4:])))
        for item in (changed, gone)
    ] == [
        (*UNTRUE, f"node {changed.node_id} is not what the brief says it is"),
        (RefusedError, "reference_missing", "node node_x does not exist"),
    ]


def test_a_brief_carries_the_relations_between_its_nodes_exactly() -> None:
    """One relation too many, one too few or another order is refused."""
    command = compiled()
    tables = built().story.state.tables
    extra = next(row.id for row in tables.relations.rows() if row.id not in command.relations)
    expected = (*UNTRUE, "a brief carries exactly the relations between the nodes it shares")
    for relations in (
        (*command.relations, extra),
        command.relations[1:],
        tuple(reversed(command.relations)),
    ):
        assert how_refused(replace(command, relations=relations)) == expected


def test_a_receipt_is_complete_and_true() -> None:
    """A missing omission, an invented one and a false reason are refused."""
    command = compiled()
    listed = (*UNTRUE, "a brief's receipt lists every active node it leaves out, and no other")
    invented = OmittedNode(node_id="node_x", reason="private")
    assert how_refused(replace(command, omitted=command.omitted[1:])) == listed
    assert how_refused(replace(command, omitted=(*command.omitted, invented))) == listed
    for index, item in enumerate(command.omitted):
        for reason in {"private", "out_of_scope", "over_budget"} - {item.reason}:
            false = list(command.omitted)
            false[index] = OmittedNode(node_id=item.node_id, reason=reason)  # type: ignore[arg-type]
            message = f"the reason for leaving out node {item.node_id} is not true"
            assert how_refused(replace(command, omitted=tuple(false))) == (*UNTRUE, message)


@pytest.mark.parametrize(
    "field", ["title", "description", "kind", "phase", "verification", "because", "path"]
)
def test_the_payload_rewrites_no_node(field: str) -> None:
    """Every word the worker reads of a node is the node's own."""
    content = payload()
    content["context"]["nodes"][0][field] = "Delete everything"
    message = f"the payload rewrites the words of node {built().ids['task']}"
    assert how_refused(with_payload(content)) == (*UNTRUE, message)


def test_the_payload_says_each_node_once() -> None:
    """A rewritten copy of a node beside the true one is refused, in either order."""
    content = payload()
    content["context"]["nodes"].insert(0, {**content["context"]["nodes"][0], "title": "Delete everything"})
    expected = (*UNTRUE, "the payload speaks of other nodes than the brief shares")
    assert how_refused(with_payload(content)) == expected


@pytest.mark.parametrize("change", ["drop", "turn", "add"])
def test_the_payload_says_each_relation_as_it_is(change: str) -> None:
    """A relation left out, turned round or made up is refused."""
    content = payload()
    relations = content["context"]["relations"]
    first = relations.pop(0)
    if change == "turn":
        relations.insert(0, {"kind": first["kind"], "from": first["to"], "to": first["from"]})
    elif change == "add":
        relations[:0] = [first, first]
    expected = (*UNTRUE, "the payload speaks of other relations than the brief carries")
    assert how_refused(with_payload(content)) == expected


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("allowed_paths", ["cost.py", "secrets.py"]),
        ("expected_artifacts", []),
        ("task", "node_x"),
        ("evidence", []),
        ("evidence", "none"),
        ("evidence", ["none"]),
    ],
)
def test_the_payload_promises_no_other_terms(field: str, value: object) -> None:
    """What the worker may change and must show is what the contract in the event says."""
    content = {**payload(), field: value}
    expected = (*UNTRUE, "the payload promises other terms than the brief's contract")
    assert how_refused(with_payload(content)) == expected


def test_the_payload_counts_what_was_left_out() -> None:
    """Another number than that of the receipt is refused."""
    content = payload()
    content["context"]["omitted_count"] = 0
    assert how_refused(with_payload(content)) == (*UNTRUE, "the payload miscounts what was left out")


@pytest.mark.parametrize(
    "content",
    [
        [],
        {},
        {**dict.fromkeys(("context", "task"))},
        {"context": {"nodes": [], "relations": [], "omitted_count": 0}},
    ],
)
def test_a_payload_of_another_shape_is_refused(content: object) -> None:
    """Missing and additional fields are refused by name, not by a crash."""
    expected = (*INVALID, "the brief's payload does not have exactly the fields of a brief")
    assert how_refused(with_payload(content)) == expected


def test_a_payload_has_no_room_for_more() -> None:
    """A field that no brief has cannot smuggle words to the worker."""
    expected = (*INVALID, "the brief's payload does not have exactly the fields of a brief")
    assert how_refused(with_payload({**payload(), "note": "My debts"})) == expected


def test_a_payload_is_canonical_json() -> None:
    """Bytes with two readings, or none, are refused by name."""
    for text, reason in (
        ("{", "these bytes are not JSON"),
        ('{"a": 1}', "these bytes are JSON but not canonical: they do not re-encode to themselves"),
    ):
        refusal = how_refused(replace(compiled(), payload=text))
        assert refusal is not None
        assert refusal[:2] == INVALID
        assert refusal[2].startswith(f"the brief's payload is not canonical: {reason}")


def test_a_briefs_digest_is_that_of_its_payload() -> None:
    """An event whose digest and payload differ is refused."""
    moment = before(whole_project(), "brief.compiled.v1")
    expected = (*INVALID, "the brief's digest is not that of its payload")
    assert moment.but(payload_digest="sha256:" + "0" * 64).refusal() == expected


def test_a_contract_demands_evidence() -> None:
    """Without a required requirement work would be verified by nothing; two of one name would hide each other."""
    command = compiled()
    (term,) = command.terms.requirements
    optional = term.model_copy(update={"required": False})
    message = "a contract demands at least one piece of evidence, each under a name of its own"
    for requirements in ((), (optional,), (term, term)):
        terms = command.terms.model_copy(update={"requirements": requirements})
        assert how_refused(replace(command, terms=terms)) == (*INVALID, message)


def test_a_brief_is_of_a_task_under_its_accepted_profile() -> None:
    """Another kind of node, or another profile than was accepted with the task, is refused."""
    command = compiled()
    message = "a brief is compiled for a Task under the profile that was accepted with it"
    other = command.terms.model_copy(update={"profile_id": "other"})
    for changed in (replace(command, node_id=built().ids["goal"]), replace(command, terms=other)):
        assert how_refused(changed) == (RefusedError, "refused", message)


def test_the_compiler_says_what_does_not_fit() -> None:
    """A Goal, a private task and a task without the profile get a sentence and no brief."""
    story = Story().opened()
    goal = story.accepted(story.captured("Renovate", NodeKind.GOAL))
    plain = story.accepted(story.captured("Paint the hall"))
    private = story.accepted(story.captured("Pay my debts", private=True))
    assert [
        refusal_of(lambda node_id=node_id: compile_brief(story.state, BriefOrder(node_id, PROFILE, BASE)))  # type: ignore[misc]
        for node_id in (goal, plain, private, "node_x")
    ] == [
        (RefusedError, "refused", "the profile 'demo' does not fit a Goal"),
        (
            RefusedError,
            "profile_not_accepted",
            "the task was accepted with no profile; propose 'demo' on it first",
        ),
        (
            RefusedError,
            "private_node",
            "this task is private and stays on this machine, so no brief can be made of it",
        ),
        (RefusedError, "reference_missing", "node node_x does not exist"),
    ]


def test_the_profile_is_the_wished_or_the_accepted_one() -> None:
    """A task's own profile is found without asking; an unknown one is refused."""
    state, ids = built().story.state, built().ids
    assert profile_for(state, ids["task"], (PROFILE,), None) is PROFILE
    assert profile_for(state, ids["goal"], (PROFILE,), "demo") is PROFILE
    assert refusal_of(lambda: profile_for(state, ids["task"], (PROFILE,), "other")) == (
        NotFoundError,
        "not_found",
        "no profile 'other' is configured",
    )
    assert refusal_of(lambda: profile_for(state, ids["goal"], (PROFILE,), None)) == (
        NotFoundError,
        "not_found",
        "the task names no profile",
    )
