"""The node index: kept up to date step by step, it answers as one built afresh, and keeps private words apart."""

from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.manager.local import LocalManager, NodeIndex
from kernel.values.placement import PlaceableNode
from kernel.vocabulary import NodeKind, Visibility
from tests.placement.measure import request

_WORDS = ["kitchen", "bath", "bathroom", "floor", "tile", "roof", "boiler", "quote", "window", "heat pump"]
_TITLES = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=4).map(" ".join)
_NODES = st.builds(
    PlaceableNode,
    id=st.integers(1, 12).map(lambda number: f"node_{number:02}"),
    kind=st.sampled_from([NodeKind.IDEA, NodeKind.GOAL, NodeKind.TASK, NodeKind.EVIDENCE]),
    title=_TITLES,
    description=st.one_of(st.just(""), _TITLES),
    parent_id=st.one_of(st.just("node_00"), st.integers(1, 12).map(lambda number: f"node_{number:02}")),
    visibility=st.sampled_from(list(Visibility)),
)
_STEPS = st.lists(st.one_of(_NODES, st.integers(1, 12).map(lambda number: f"node_{number:02}")), max_size=30)
_ROOT = PlaceableNode("node_00", NodeKind.PROJECT, "House", "", None, Visibility.SHARED)


def _rebuilt(nodes: dict[str, PlaceableNode]) -> NodeIndex:
    index = NodeIndex.empty()
    for node in nodes.values():
        index.put(node)
    return index


@settings(max_examples=60, deadline=None)
@given(steps=_STEPS, text=_TITLES, visibility=st.sampled_from(list(Visibility)))
def test_an_index_kept_up_to_date_answers_like_one_built_afresh(
    steps: list[PlaceableNode | str], text: str, visibility: Visibility
) -> None:
    """After any puts, changes and removals the answer is the one a fresh index gives."""
    index, nodes = NodeIndex.empty(), {"node_00": _ROOT}
    index.put(_ROOT)
    for step in steps:
        if isinstance(step, str):
            index.remove(step)
            nodes.pop(step, None)
        else:
            index.put(step)
            nodes[step.id] = step
    asked = request(f"{text} kichen floor", visibility=visibility, selected="node_03")
    backwards = dict(reversed(nodes.items()))
    expected = LocalManager().place(asked, _rebuilt(backwards))
    assert LocalManager().place(asked, index) == expected


def test_removing_an_unknown_node_changes_nothing() -> None:
    """A removal that comes twice, or for a node never put, is no error."""
    index = _rebuilt({"node_00": _ROOT})
    index.remove("node_99")
    index.remove("node_99")
    assert index.view(Visibility.SHARED).size == 1


def test_a_shared_text_never_learns_of_private_nodes() -> None:
    """With and without private nodes, a shared text gets the same answer to the last score."""
    nodes = {
        "node_00": _ROOT,
        "node_01": PlaceableNode("node_01", NodeKind.IDEA, "Kitchen", "", "node_00", Visibility.SHARED),
        "node_02": PlaceableNode("node_02", NodeKind.IDEA, "Garden", "", "node_00", Visibility.SHARED),
    }
    secret = PlaceableNode("node_03", NodeKind.IDEA, "Kitchen debts", "owed", "node_00", Visibility.PRIVATE)
    with_secret, without = _rebuilt({**nodes, secret.id: secret}), _rebuilt(nodes)
    shared = request("pay the kitchen debts")
    assert LocalManager().place(shared, with_secret) == LocalManager().place(shared, without)
    private = LocalManager().place(
        request("pay the kitchen debts", visibility=Visibility.PRIVATE), with_secret
    )
    assert private.places[0].parent_id == secret.id
