"""Search on a real installation: ranked, with kind and place, by words, kind or id, without a script."""

from tests.app.house import House
from tests.web.pages import Page, visit


def _hits(page: Page) -> list[str]:
    return [item.text for item in page.reader.elements if "data-key-item" in item.attributes]


async def test_the_form_of_the_frame_finds_nodes(house: House) -> None:
    """The search box leads to a list with kind, place and description, and keeps what was typed."""
    base = f"/p/{house.project_id}"
    async with house.client() as client:
        start = await visit(client, f"{base}/inbox")
        page = await visit(client, f"{base}/search?q=area")
    assert start.form("/search")["action"] == f"{base}/search"
    assert _hits(page)[:2] == ["Wall area", "Paint for an area"]
    assert "Paint planner › Paint a flat without wasting paint › Rooms" in page.text  # noqa: RUF001 - typeset
    assert "Four walls of a rectangular room" in page.text
    assert page.form("/search")["q"] == "area"


async def test_kinds_ids_and_word_forms_are_found(house: House) -> None:
    """A kind narrows, the end of an id names one node, other forms of a word count; nothing found says so."""
    base = f"/p/{house.project_id}"
    nodes = house.studio.desk.state(house.project_id).tables.nodes.rows()
    wall = next(node.id for node in nodes if node.title.text == "Wall area")
    async with house.client("vera") as client:
        decisions = await visit(client, f"{base}/search?q=decision")
        by_id = await visit(client, f"{base}/search?q={wall[-6:]}")
        forms = await visit(client, f"{base}/search?q=measures+ceiling")
        nothing = await visit(client, f"{base}/search?q=xyzzy")
        before = await visit(client, f"{base}/search")
    assert _hits(decisions) == ["One litre covers ten square metres"]
    assert _hits(by_id) == ["Wall area"]
    assert _hits(forms) == ["How are sloping ceilings measured?"]
    assert "Nothing found for “xyzzy”" in nothing.text
    assert _hits(before) == []


async def test_what_is_typed_is_shown_as_text(house: House) -> None:
    """Markup in the words stays words."""
    async with house.client() as client:
        page = await visit(client, f"/p/{house.project_id}/search?q=%3Cb%3Earea%3C%2Fb%3E")
    assert "<b>area" not in page.text
    assert page.form("/search")["q"] == "<b>area</b>"
