"""Words that a node says already, in the Inbox: they go into that node with one act, seen before it is done."""

import pytest

from tests.app.house import House
from tests.web.pages import send, visit

TITLE = "Measure the wall area of the upper hall before the paint is ordered"


@pytest.mark.parametrize("news", ["", " Twice."])
async def test_a_double_goes_into_the_node_that_says_it(house: House, news: str) -> None:
    """The preview says what the node gains and that nothing is added; a yes makes exactly that."""
    title = TITLE.replace("upper", "lower") if news else TITLE
    node_id = house.accepted(house.captured(title))
    delta_id = house.captured(f"{title}.{news}")
    inbox = f"/p/{house.project_id}/inbox/{delta_id}"
    nodes = len(house.studio.desk.state(house.project_id).tables.nodes)
    async with house.client() as client:
        first = await visit(client, inbox)
        assert f"“{title}” may already say this." in first.text
        assert "1 task and" in first.text
        shown = await visit(client, f"{inbox}?choice=1")
        assert "1 task and" not in shown.text
        assert f"“{title}” also names the captured words as where it came from." in shown.text
        assert ("gains “" in shown.text or "gets the description “" in shown.text) is bool(news)
        done = await send(client, shown.form("/accept"))
        assert "Accepted, revision" in done.text
        assert f"/p/{house.project_id}/outline?node={node_id}" in done.hrefs()
        for page in (
            f"outline?node={node_id}",
            f"timeline?node={node_id}",
            f"focus?node={node_id}",
            "ledger",
        ):
            assert (await visit(client, f"/p/{house.project_id}/{page}")).status == 200
    state = house.studio.desk.state(house.project_id)
    node = state.tables.nodes[node_id]
    assert len(state.tables.nodes) == nodes
    assert node.source_ids[-1] == state.deltas[delta_id].body.source_ids[0]
    described = "" if node.description is None else node.description.or_erased()
    assert described.endswith("Twice.") is bool(news)
