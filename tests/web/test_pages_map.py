"""The Map on a real installation: what is drawn, how it widens and narrows, and that the sentences say the same."""

from kernel.commands import EditDelta
from kernel.vocabulary import NodeKind
from tests.app.house import House
from tests.web.pages import Page, visit


def _base(house: House) -> str:
    return f"/p/{house.project_id}"


def _node(house: House, title: str) -> str:
    nodes = house.studio.desk.state(house.project_id).tables.nodes.rows()
    return next(node.id for node in nodes if node.title.text == title)


def _boxes(page: Page) -> list[str]:
    return [
        item.attributes["aria-label"]
        for item in page.reader.elements
        if item.attributes.get("class", "").split()[:1] == ["n"]
    ]


def _sentences(page: Page) -> int:
    groups = [item for item in page.reader.elements if item.tag == "li" and item.within("aside")]
    return len(groups)


def _lines(page: Page) -> int:
    looks = [item for item in page.reader.elements if item.tag == "path" and item.within("svg")]
    return sum(
        item.attributes.get("class", "").startswith("e ")
        for item in looks
        if item.within("svg").attributes.get("class") == "map"  # type: ignore[union-attr]
    )


async def test_the_neighbourhood_of_a_node_is_drawn_and_said(house: House) -> None:
    """Every line of the drawing is a sentence beside it; the selection stays in the tabs."""
    node_id = _node(house, "Wall area")
    async with house.client() as client:
        page = await visit(client, f"{_base(house)}/map?node={node_id}&steps=1")
    assert "Idea: Rooms" in _boxes(page)
    assert _lines(page) == _sentences(page) > 0
    assert f"{_base(house)}/timeline?node={node_id}" in page.hrefs()


async def test_more_steps_show_more_and_the_project_is_the_first_centre(house: House) -> None:
    """Without a selection the project stands in the middle; each step adds what lies further away."""
    async with house.client() as client:
        near = await visit(client, f"{_base(house)}/map?steps=1")
        far = await visit(client, f"{_base(house)}/map?steps=3")
        missing = await visit(client, f"{_base(house)}/map?node=node_nothing")
        wrong = await visit(client, f"{_base(house)}/map?steps=9")
    assert _boxes(near)[0] == "Project: Paint planner"
    assert set(_boxes(near)) < set(_boxes(far))
    assert (missing.status, wrong.status) == (404, 422)


async def test_a_node_opens_by_link(house: House) -> None:
    """The number on a box leads to the same map with that node's neighbours in it."""
    goal = _node(house, "Paint a flat without wasting paint")
    async with house.client() as client:
        page = await visit(client, f"{_base(house)}/map?node={goal}&steps=1")
        rooms = next(
            item.attributes["href"]
            for item in page.reader.elements
            if item.attributes.get("aria-label", "").endswith("more around Rooms")
        )
        opened = await visit(client, rooms)
    assert set(_boxes(page)) < set(_boxes(opened))
    assert any(label.endswith(": Wall area") for label in _boxes(opened))


async def test_a_kind_of_relation_can_be_left_out(house: House) -> None:
    """The form without a script shows only the chosen kinds, and keeps the rest of the address."""
    node_id = _node(house, "Wall area")
    async with house.client() as client:
        page = await visit(client, f"{_base(house)}/map?node={node_id}&steps=1&kind=refines")
    form = page.form("/map")
    assert len(_boxes(page)) == 1
    assert (form["node"], form["steps"], form["kind"]) == (node_id, "1", "refines")


async def test_a_suggestion_is_dashed_and_says_so(house: House) -> None:
    """What waits for a yes is drawn as suggested, in words too."""
    delta_id = house.captured("Compare the tins of three makers")
    command = EditDelta(delta_id, "Compare the tins", None, NodeKind.TASK, house.seen(delta_id))
    delta_id = house.studio.reviews.edit(house.me, command)
    added = house.studio.desk.state(house.project_id).deltas[delta_id].body.operations[0]
    async with house.client() as client:
        page = await visit(client, f"{_base(house)}/map?node={added.node_id}")  # type: ignore[union-attr]
    assert "Task: Compare the tins, Suggested" in _boxes(page)
    assert "n n-sel n-sug" in page.text


async def test_a_past_map_and_a_larger_one_are_links(house: House) -> None:
    """A past revision has its banner and its links; the size is in the address and in the drawing."""
    base = _base(house)
    async with house.client("vera") as client:
        page = await visit(client, f"{base}/map?at=1&zoom=150")
    drawing = next(item for item in page.reader.elements if item.attributes.get("class") == "map")
    assert float(drawing.attributes["width"]) * 100 // 150 <= float(drawing.attributes["viewbox"].split()[2])
    assert "Revision 1 of" in page.text
    assert any(href.startswith(f"{base}/map?node=") and "at=1" in href for href in page.hrefs())
    assert page.actions() == set()
