"""Search on a real installation: groups, ranked, with kind and place, by words, kind or id, without a script."""

from kernel.commands import DeferDelta
from kernel.vocabulary import Visibility
from tests.app.house import House
from tests.web.gallery import Element
from tests.web.pages import Page, visit


def _links(page: Page, group: str = "accepted") -> list[Element]:
    return [
        item
        for item in page.reader.elements
        if "data-key-item" in item.attributes and _group(item) == f"hits-{group}"
    ]


def _group(link: Element) -> str | None:
    section = link.within("section")
    return None if section is None else section.attributes["aria-labelledby"]


def _hits(page: Page, group: str = "accepted") -> list[str]:
    return [item.text for item in _links(page, group)]


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


async def test_what_waits_what_is_asked_and_what_was_said_is_found(house: House) -> None:
    """A proposal, a question and captured words each lead to their page; what was put off says so."""
    base = f"/p/{house.project_id}"
    delta_id = house.captured("Order primer for the hall ceiling")
    done = house.studio.placements.capture(house.project_id, house.me, "Zebra migration in the Serengeti")
    house.studio.reviews.defer(house.me, DeferDelta(delta_id, None, None, house.seen(delta_id)))
    async with house.client() as client:
        primer = await visit(client, f"{base}/search?q=primer")
        zebra = await visit(client, f"{base}/search?q=serengeti")
        alone = await visit(client, f"{base}/search?q=primer&in=captured")
        said = await visit(client, _links(primer, "captured")[0].attributes["href"])
    source_id = next(iter(house.studio.desk.state(house.project_id).deltas[delta_id].body.source_ids))
    assert [item.attributes["href"] for item in _links(primer, "waiting")] == [f"{base}/inbox/{delta_id}"]
    assert "Put off" in primer.text
    assert [item.attributes["href"] for item in _links(primer, "captured")] == [f"{base}/sources/{source_id}"]
    assert (said.status, "Order primer for the hall ceiling" in said.text) == (200, True)
    assert [item.attributes["href"] for item in _links(zebra, "questions")] == [
        f"{base}/inbox/{done.exchange_id}"
    ]
    assert (_hits(alone, "captured"), _hits(alone, "waiting")) == (["Order primer for the hall ceiling"], [])
    assert f"{base}/search?q=primer" in alone.hrefs()


async def test_a_misspelt_word_finds_what_was_meant_and_the_page_says_so(house: House) -> None:
    """The words that were typed stay in the box; what was searched for instead stands over the answers."""
    base = f"/p/{house.project_id}"
    async with house.client() as client:
        page = await visit(client, f"{base}/search?q=cieling")
        other = await visit(client, f"{base}/search?q=cupboardz")
    assert _hits(page) == ["How are sloping ceilings measured?"]
    assert "Nothing here says “cieling”. Showing results for “ceiling”." in page.text
    assert page.form("/search")["q"] == "cieling"
    assert "Nothing found for “cupboardz”" in other.text


async def test_private_words_are_found_by_owners_alone_and_erased_words_by_nobody(house: House) -> None:
    """A viewer's search knows nothing of private words, not even their spelling; an erasure ends every trace."""
    base = f"/p/{house.project_id}"
    done = house.studio.placements.capture(
        house.project_id, house.me, "The xylophone is hidden in the hall", visibility=Visibility.PRIVATE
    )
    addresses = [
        f"{base}/search?q=xylophone",
        f"{base}/search?q=xylofone",
        f"{base}/search?q=xylophone&in=captured",
    ]
    async with house.client() as owner, house.client("vera") as viewer:
        told = [(await visit(owner, address)).text.count("xylophone is hidden") for address in addresses]
        seen = [(await visit(viewer, address)).text for address in addresses]
        house.studio.erasures.erase(house.project_id, house.me, done.source_id)
        erased = [(await visit(owner, address)).text for address in addresses]
    assert min(told) > 0
    assert [("is hidden" in text, "Nothing found" in text) for text in seen] == [(False, True)] * 3
    assert [("is hidden" in text, "Nothing found" in text) for text in erased] == [(False, True)] * 3
