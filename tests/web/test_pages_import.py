"""Importing an outline from its page: every node with its kind before the yes, and addresses that can be loaded again."""

from app.views.building.quoting import line_of
from tests.app.house import House
from tests.web.gallery import Element
from tests.web.pages import Page, send, visit

_OUTLINE = """# Hall
- Decision: Keep the oak floor
  - [Task] Sand it
    - Buy paper
- **Question:** Who lends a sander?
- [Banana] Something odd
"""


def _whole(page: Page) -> list[Element]:
    """Return the elements of the unfolded tree."""
    return [
        item
        for item in page.reader.elements
        if (above := item.within("details")) and "whole" in above.attributes.get("class", "").split()
    ]


def _under(page: Page, tag: str) -> list[str]:
    return [item.text.strip() for item in _whole(page) if item.tag == tag]


async def test_every_node_is_shown_with_its_kind_before_the_yes(house: House) -> None:
    """Kinds by tag, by prefix and by default; brackets that name no kind are said in words."""
    async with house.client() as client:
        form = (await visit(client, f"/p/{house.project_id}/import-outline")).form("/import-outline")
        page = await send(client, form, text=_OUTLINE)
    assert _under(page, "summary") == [
        "All 6 nodes with their kinds: 3 ideas, 1 decision, 1 open question, 1 task"
    ]
    assert _under(page, "small") == ["Idea", "Decision", "Task", "Idea", "Open question", "Idea"]
    assert "“[Banana]” on line 6 names no kind" in page.text


async def test_a_long_outline_is_folded_and_complete(house: House) -> None:
    """Hundreds of lines are folded, all there without a script, and the page stays small enough."""
    text = "\n".join(f"- [Task] Step {number}" for number in range(700))
    async with house.client() as client:
        form = (await visit(client, f"/p/{house.project_id}/import-outline")).form("/import-outline")
        page = await send(client, form, text=text)
    assert _under(page, "small") == ["Task"] * 700
    assert 'class="unfold whole"><summary>' in page.text
    assert len(page.text) < 150_000


async def test_a_refused_form_can_be_loaded_again(house: House) -> None:
    """The address that a refusal stands at answers a plain load, in a project and on the World page."""
    async with house.client() as client:
        form = (await visit(client, f"/p/{house.project_id}/import-outline")).form("/import-outline")
        refused = await send(client, form, text="no list at all")
        again = await visit(client, refused.path)
        world = await visit(client, "/import-outline")
    assert (refused.status, again.status, world.status) == (422, 200, 200)
    assert world.form("/import-outline")["text"] == ""


async def test_an_imported_node_quotes_its_own_line(house: House) -> None:
    """Focus and the inspector quote the line the node came from and lead to the whole outline."""
    base = f"/p/{house.project_id}"
    done = house.studio.projects.import_outline(house.project_id, house.me, _OUTLINE)
    house.accepted(done.delta_id)
    nodes = house.studio.desk.state(house.project_id).tables.nodes.rows()
    node_id = next(node.id for node in nodes if node.title.text == "Keep the oak floor")
    async with house.client() as client:
        pages = [await visit(client, f"{base}/{view}?node={node_id}") for view in ("focus", "outline")]
    for page in pages:
        assert "- Decision: Keep the oak floor" in page.text
        assert (
            "Who lends a sander?</" not in page.text.partition("<blockquote")[2].partition("</blockquote>")[0]
        )
        assert f"{base}/sources/{done.source_id}" in page.hrefs()


def test_a_line_is_found_by_its_title() -> None:
    """Emphasis and a cut title do not hide it; a title that stands nowhere has no line."""
    assert line_of("# A\n- **Oak** floor - sanded\n", "Oak floor") == "- **Oak** floor - sanded"
    assert line_of("- A very long title of words", "A very long…") == "- A very long title of words"
    assert line_of("- Oak", "Pine") is None
    assert line_of("- Oak", "…") is None


async def test_a_comparison_leads_on_to_its_later_revision(house: House) -> None:
    """Focus leads a comparison to the Outline; from there Map and Focus show the later of both revisions."""
    base = f"/p/{house.project_id}"
    async with house.client() as client:
        page = await visit(client, f"{base}/focus?diff=0..1")
    assert page.path == f"{base}/outline?diff=0..1"
    assert {f"{base}/map?at=1", f"{base}/focus?at=1"} <= page.hrefs()
