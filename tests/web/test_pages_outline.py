"""Outline, Focus and the change of a node on a real installation, and the Outline of a very large project."""

import time

import httpx2
import pytest

from kernel.commands import EditDelta, ImportOutline, OutlineNode
from kernel.values.records import NodeAdd
from kernel.vocabulary import Disposition, NodeKind, Phase
from tests.app.house import PROFILE, House
from tests.web.pages import HTML, Page, send, visit


def _base(house: House) -> str:
    return f"/p/{house.project_id}"


def _node(house: House, title: str) -> str:
    nodes = house.studio.desk.state(house.project_id).tables.nodes.rows()
    return next(node.id for node in nodes if node.title.text == title)


def _rows(page: Page) -> list[str]:
    return [
        item.attributes["data-tree-item"]
        for item in page.reader.elements
        if "data-tree-item" in item.attributes
    ]


def _task(house: House, text: str) -> str:
    """Accept a task with the sandbox's profile; return its node."""
    delta_id = house.captured(text)
    command = EditDelta(delta_id, text, None, NodeKind.TASK, house.seen(delta_id), profile_id=PROFILE)
    return house.accepted(house.studio.reviews.edit(house.me, command))


async def test_the_outline_shows_the_tree_and_what_is_suggested_over_it(house: House) -> None:
    """Accepted rows stand in their order; a suggestion is a dashed row with the word."""
    house.captured("Compare the tins of three makers")
    async with house.client() as client:
        page = await visit(client, f"{_base(house)}/outline")
        hidden = await visit(client, f"{_base(house)}/outline?suggestions=no")
    assert _rows(page)[:3] == [
        "Paint planner",
        "Paint a flat without wasting paint",
        "Python's standard library only",
    ]
    assert "Compare the tins of three makers" in _rows(page)
    assert "One suggestion is laid over it" in page.text
    assert "Compare the tins of three makers" not in _rows(hidden)


async def test_a_selected_node_keeps_its_selection_from_view_to_view(house: House) -> None:
    """The inspector tells statuses, who said so and what happened; the tabs carry the selection."""
    node_id = _node(house, "Tins to buy")
    async with house.client() as client:
        page = await visit(client, f"{_base(house)}/outline?node={node_id}")
        focus = await visit(client, f"{_base(house)}/focus?node={node_id}")
    assert f"{_base(house)}/focus?node={node_id}" in page.hrefs()
    assert "Owner, revision 1" in page.text
    assert "Accepted by Owner, on the command line, revision 1" in page.text
    assert focus.status == 200
    assert f"{_base(house)}/outline?node={node_id}" in focus.hrefs()


async def test_rows_open_and_close_without_scripts(house: House) -> None:
    """The toggle of a row is a link that shows the same tree with the row closed, and its own way back."""
    async with house.client() as client:
        page = await visit(client, f"{_base(house)}/outline")
        toggle = next(
            item.attributes["href"]
            for item in page.reader.elements
            if item.attributes.get("aria-label") == "Close Rooms"
        )
        closed = await visit(client, toggle)
    assert "Wall area" in _rows(page)
    assert "Wall area" not in _rows(closed)
    assert "Rooms" in _rows(closed)
    assert "Open Rooms" in closed.text


async def test_a_filter_leaves_a_flat_list_and_words_lead_to_the_search(house: House) -> None:
    """A filter shows one kind; an address with words leads to the one search there is."""
    async with house.client() as client:
        decisions = await visit(client, f"{_base(house)}/outline?show=Decision")
        words = await client.get(f"{_base(house)}/outline?q=wall+area&show=Decision")
    assert _rows(decisions) == ["One litre covers ten square metres"]
    assert (words.status_code, words.headers["location"]) == (303, f"{_base(house)}/search?q=wall+area")


async def test_an_outline_is_imported_under_the_selected_node(house: House) -> None:
    """From the Outline to a form, to one proposal under that node; a file is read instead of what was pasted."""
    node_id = _node(house, "Compare prices of two shops")
    address = f"{_base(house)}/import-outline?node={node_id}"
    async with house.client() as client:
        outline = await visit(client, f"{_base(house)}/outline?node={node_id}")
        assert address in outline.hrefs()
        form = (await visit(client, address)).form("/import-outline")
        fields = {name: value for name, value in form.items() if name not in {"action", "file"}}
        files = {"file": ("shops.md", b"- Ask the blue shop\n- Ask the green shop\n")}
        answer = await client.post(
            form["action"], data=fields, files=files, headers=HTML, follow_redirects=True
        )
        again = (await visit(client, address)).form("/import-outline")
        refused = await send(client, again, text="Shops without a list")
    assert "Import 2 nodes under Compare prices of two shops" in answer.text
    assert (refused.status, "Shops without a list</textarea>" in refused.text) == (422, True)


async def test_a_viewer_is_offered_no_import(house: House) -> None:
    """Neither the way there nor the page."""
    async with house.client("vera") as client:
        outline = await visit(client, f"{_base(house)}/outline")
        page = await visit(client, f"{_base(house)}/import-outline")
    assert (f"{_base(house)}/import-outline" in outline.hrefs(), page.status) == (False, 403)


async def test_a_change_is_proposed_by_plain_form_and_waits(house: House) -> None:
    """A new title and a reason become a correction with its before and after."""
    node_id = _node(house, "Compare prices of two shops")
    async with house.client() as client:
        form = (await visit(client, f"{_base(house)}/nodes/{node_id}/change")).form("/change")
        empty = await send(client, form, rationale="No change at all")
        page = await send(client, empty.form("/change"), title="Compare prices", rationale="Shorter")
        done = await send(client, page.form("/accept"))
        after = await visit(client, f"{_base(house)}/outline?node={node_id}")
    assert empty.status == 422
    assert empty.form("/change")["rationale"] == "No change at all"
    assert "Change proposed by Owner" in page.text
    assert "Owner says: “Shorter”" in page.text
    assert "was “Compare prices of two shops”" in page.text
    assert "Accepted, revision" in done.text
    assert "Renamed from “Compare prices of two shops”, accepted by Owner" in after.text


async def test_completed_by_a_persons_word_is_shown_as_said(house: House) -> None:
    """A person may call work completed; every page then says who said it and that nothing verifies it."""
    task_id = _task(house, "Count the brushes in the cellar for paint")
    async with house.client() as client:
        form = (await visit(client, f"{_base(house)}/nodes/{task_id}/change")).form("/change")
        page = await send(client, form, phase="completed", rationale="I did it")
        assert "The work is shown as completed, said by whoever accepts" in page.text
        await send(client, page.form("/accept"))
        after = await visit(client, f"{_base(house)}/outline?node={task_id}")
    assert house.studio.desk.state(house.project_id).tables.nodes[task_id].phase is Phase.COMPLETED
    assert "Said by Owner, not verified" in after.text


async def test_focus_on_a_suggestion_decides_it(house: House) -> None:
    """Focus shows one suggestion with its reasons and one primary act, which accepts it."""
    delta_id = house.captured("Never mix paint from two tins")
    added = house.studio.desk.state(house.project_id).deltas[delta_id].body.operations[0]
    async with house.client() as client:
        page = await visit(client, f"{_base(house)}/focus?node={added.node_id}")  # type: ignore[union-attr]
        assert "Waiting since" in page.text
        done = await send(client, page.form("/accept"))
    assert "Accepted, revision" in done.text
    assert house.studio.desk.state(house.project_id).deltas[delta_id].disposition is Disposition.ACCEPTED


async def test_focus_without_a_selection_offers_a_few_things(house: House) -> None:
    """Nothing selected is no dead end."""
    async with house.client() as client:
        page = await visit(client, f"{_base(house)}/focus")
        missing = await visit(client, f"{_base(house)}/focus?node=node_nothing")
    assert "Choose what to look at" in page.text
    assert any("/focus?node=" in href for href in page.hrefs())
    assert missing.status == 404


async def test_a_viewer_sees_no_acts(house: House) -> None:
    """A viewer reads Outline and Focus, is offered no change, and cannot propose one."""
    node_id = _node(house, "Tins to buy")
    async with house.client("vera") as client:
        page = await visit(client, f"{_base(house)}/outline?node={node_id}")
        focus = await visit(client, f"{_base(house)}/focus?node={node_id}")
        heads = house.heads()
        token = page.form("/signout")["form_token"]
        form = {"action": f"{_base(house)}/nodes/{node_id}/change", "form_token": token}
        refused = await send(client, form, title="Mine", rationale="Because")
    assert page.actions() == focus.actions() == set()
    assert not any(href.endswith("/change") or "/capture" in href for href in page.hrefs() | focus.hrefs())
    assert refused.status == 403
    assert house.heads() == heads


def _import(house: House, project_id: str, count: int) -> str:
    """Propose that many ideas, a hundred under each; return the proposal."""
    nodes = tuple(
        OutlineNode(
            NodeKind.IDEA, f"Idea number {index}", None, None if index % 100 == 0 else index - index % 100
        )
        for index in range(count)
    )
    root_id = house.studio.desk.state(project_id).root_id
    done = house.studio.desk.act(project_id, house.me, ImportOutline("# Many", root_id, nodes))
    return done.events[-1].body.delta_id  # type: ignore[attr-defined, no-any-return]


@pytest.mark.slow
async def test_ten_thousand_nodes_stay_small_and_quick(house: House) -> None:
    """Outline and Inbox of 10,000 nodes are at most 150 kB, follow the selection, and page through the rest."""
    project_id = house.studio.projects.open(house.me, "Ten thousand")
    base = f"/p/{project_id}"
    house.accepted(_import(house, project_id, 5_000))
    waiting = _import(house, project_id, 4_999)
    tables = house.studio.desk.state(project_id).tables
    deep = tables.children[tables.children[house.studio.desk.state(project_id).root_id][47]][42]
    paths = ("/outline", f"/outline?node={deep}", "/search?q=number+99", f"/inbox/{waiting}", "/inbox")
    async with house.client() as client:
        overlaid = [await _timed(client, base + path) for path in paths]
        house.accepted(waiting)
        accepted = [await _timed(client, base + path) for path in paths]
    assert max(len(page.text.encode()) for page in (*overlaid, *accepted)) <= 150_000
    plain, selected, found, *_ = accepted
    assert "9999 inside" in plain.text
    assert len(_rows(plain)) == 60
    assert tables.nodes[deep].title.text in _rows(selected)
    assert (found.status, "number 99" in found.text.lower()) == (200, True)


async def _timed(client: httpx2.AsyncClient, path: str) -> Page:
    began = time.perf_counter()
    page = await visit(client, path)
    assert page.status == 200
    took = time.perf_counter() - began
    assert took < 3  # seconds; a crowded test machine included
    return page


async def test_focus_says_when_the_same_words_already_wait(house: House) -> None:
    """A suggestion that repeats another one says so in Focus as it does in the Inbox."""
    first, second = (house.captured("Buy a long roller for the wall paint") for _ in range(2))
    state = house.studio.desk.state(house.project_id)
    nodes = [state.deltas[item].body.operations[0] for item in (first, second)]
    assert isinstance(nodes[1], NodeAdd)
    async with house.client() as client:
        page = await visit(client, f"{_base(house)}/focus?node={nodes[1].node_id}")
    assert "The same words already wait for a yes." in page.text
