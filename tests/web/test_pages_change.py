"""Proposing to change an accepted node from its page, as a person without scripts does."""

from kernel.commands import AcceptDelta, ProposeCorrection
from kernel.vocabulary import RelationKind
from tests.app.house import House
from tests.web.pages import Page, send, visit


def _node(house: House, text: str) -> str:
    """Accept a captured text; return the node it made."""
    return house.accepted(house.captured(text))


def _corrected(house: House, command: ProposeCorrection) -> None:
    """Propose a correction and accept it."""
    delta_id = house.studio.reviews.correct(house.project_id, house.me, command)
    yes = AcceptDelta(delta_id, 0, house.revision(), house.seen(delta_id))
    house.studio.reviews.accept(house.me, yes)


def _href(house: House, node_id: str, query: str = "") -> str:
    return f"/p/{house.project_id}/nodes/{node_id}/change{query}"


def _tabs(page: Page) -> set[str]:
    return {href.partition("?way=")[2] for href in page.hrefs() if "/change?way=" in href}


async def test_every_view_of_a_node_leads_to_its_changes(house: House) -> None:
    """Outline, Focus, Map and Timeline each link to the page; it offers what the node allows."""
    node_id = _node(house, "Compare prices of cups")
    async with house.client() as client:
        for view in ("outline", "focus", "map", "timeline"):
            page = await visit(client, f"/p/{house.project_id}/{view}?node={node_id}")
            assert _href(house, node_id) in page.hrefs(), view
        page = await visit(client, _href(house, node_id))
        root = await visit(client, _href(house, house.studio.desk.state(house.project_id).root_id))
    assert _tabs(page) == {"words", "move", "relate", "retire"}
    assert _tabs(root) == {"words", "relate"}


async def test_a_node_is_moved_by_plain_forms(house: House) -> None:
    """A place is searched by its title and chosen; the proposal says what moves, and a yes moves it."""
    node_id, place_id = _node(house, "Compare prices of chairs"), _node(house, "Sofas to buy")
    async with house.client() as client:
        near = await visit(client, _href(house, node_id, "?way=move"))
        found = await visit(client, _href(house, node_id, "?way=move&q=SOFAS"))
        form = found.form("/change")
        assert (form["other_id"], "1 that fits is called “SOFAS”" in found.text) == (place_id, True)
        nothing = await visit(client, _href(house, node_id, "?way=move&q=qqqq"))
        close = await visit(client, _href(house, node_id, "?way=move&q=sofass+buying"))
        assert "other_id" not in near.form("/change")
        refused = await send(client, form, rationale=" ")
        page = await send(client, refused.form("/change"), rationale="One errand")
        done = await send(client, page.form("/accept"))
    assert "Near it. Find others by their title." in near.text
    assert "Nothing that fits is called “qqqq”" in nothing.text
    assert (close.form("/change")["other_id"], "This comes close." in close.text) == (place_id, True)
    assert (refused.status, refused.form("/change")["other_id"]) == (422, place_id)
    assert "Owner says: “One errand”" in page.text
    assert "“Compare prices of chairs” moves from" in page.text
    assert "Accepted, revision" in done.text
    assert house.studio.desk.state(house.project_id).tables.parent[node_id] == place_id


async def test_a_node_is_retired_and_what_belongs_to_it_moves_up(house: House) -> None:
    """The page says what would go with it; by default what belongs to the node is kept."""
    node_id, part_id = _node(house, "Compare prices of lamps"), _node(house, "Bulbs to buy")
    _corrected(house, ProposeCorrection(part_id, "Part of it", under_id=node_id))
    place_id = house.studio.desk.state(house.project_id).tables.parent[node_id]
    async with house.client() as client:
        page = await visit(client, _href(house, node_id, "?way=retire"))
        form = page.form("/change")
        assert form["below"] == "lifted"
        review = await send(client, form, rationale="Bought by now")
        assert "“Compare prices of lamps” is retired." in review.text
        assert "“Bulbs to buy” moves from “Compare prices of lamps” to" in review.text
        await send(client, review.form("/accept"))
        gone = await visit(client, _href(house, node_id))
        after = await visit(client, f"/p/{house.project_id}/outline?node={node_id}")
    tables = house.studio.desk.state(house.project_id).tables
    assert tables.nodes[node_id].retired_in is not None
    assert tables.parent[part_id] == place_id
    assert gone.status == 409
    assert ("Retired in revision" in after.text, _href(house, node_id) in after.hrefs()) == (True, False)


async def test_nodes_are_related_and_parted_by_plain_forms(house: House) -> None:
    """The kind comes first, then only what it may lead to is offered; a relation is ended from its list."""
    node_id, other_id = _node(house, "Compare prices of doors"), _node(house, "Hinges to buy")
    async with house.client() as client:
        page = await visit(client, _href(house, node_id, "?way=relate&verb=depends_on.in&q=hinges"))
        form = page.form("/change")
        assert (form["verb"], form["other_id"]) == ("depends_on.in", other_id)
        review = await send(client, form, rationale="Prices come first")
        assert "“Hinges to buy” depends on “Compare prices of doors” from then on." in review.text
        await send(client, review.form("/accept"))
        again = await visit(client, _href(house, node_id, "?way=relate&verb=depends_on.in&q=hinges"))
        circle = await visit(client, _href(house, node_id, "?way=relate&verb=depends_on&q=hinges"))
        (relation,) = _relations(house)
        assert (relation.from_id, relation.to_id) == (other_id, node_id)
        ending = await visit(client, _href(house, node_id, "?way=end"))
        assert "Is needed by “Hinges to buy”" in ending.text
        review = await send(client, ending.form("/change"), rationale="Not any more")
        assert "“Hinges to buy” depends on “Compare prices of doors”: that ends." in review.text
        assert "no longer depends on “Compare prices of doors”" in review.text
        await send(client, review.form("/accept"))
    assert all("Nothing that fits" in item.text for item in (again, circle))
    assert _relations(house) == []


def _relations(house: House) -> list[object]:
    rows = house.studio.desk.state(house.project_id).tables.relations.rows()
    return [item for item in rows if item.kind is RelationKind.DEPENDS_ON and item.retired_in is None]


async def test_what_changed_meanwhile_is_refused_with_what_was_typed(house: House) -> None:
    """Whoever looked at an older revision hears what changed, keeps the words, and can send them again."""
    node_id, place_id = _node(house, "Compare prices of rugs"), _node(house, "Carpets to buy")
    async with house.client() as client:
        form = (await visit(client, _href(house, node_id, "?way=move&q=carpets"))).form("/change")
        _corrected(house, ProposeCorrection(place_id, "Clearer", title="Carpets of wool to buy"))
        late = await send(client, form, rationale="One errand")
        done = await send(client, late.form("/change"))
    assert late.status == 409
    assert any("“Carpets of wool to buy” changed since revision" in alert for alert in late.alerts())
    assert (late.form("/change")["rationale"], late.form("/change")["other_id"]) == ("One errand", place_id)
    assert "Owner says: “One errand”" in done.text


async def test_the_same_form_sent_twice_is_one_proposal(house: House) -> None:
    """A double click proposes once."""
    node_id = _node(house, "Compare prices of beds")
    before = len(house.studio.desk.state(house.project_id).open_deltas)
    async with house.client() as client:
        form = (await visit(client, _href(house, node_id, "?way=retire"))).form("/change")
        first = await send(client, form, rationale="Bought")
        second = await send(client, form, rationale="Bought")
        again = await visit(client, _href(house, node_id, "?way=retire"))
    assert first.path == second.path
    assert "1 suggestion about it has to be looked at again." in again.text
    assert len(house.studio.desk.state(house.project_id).open_deltas) == before + 1


async def test_a_viewer_changes_nothing_and_nobody_what_is_not_there(house: House) -> None:
    """Neither the page nor the act; an unknown node, way or choice is refused in words."""
    node_id = _node(house, "Compare prices of pots")
    before = house.heads()
    async with house.client("vera") as client:
        refused = await visit(client, _href(house, node_id))
        page = await visit(client, f"/p/{house.project_id}/outline?node={node_id}")
        token = page.form("/signout")["form_token"]
        act = await send(
            client, {"action": _href(house, node_id), "form_token": token}, way="retire", rationale="Mine"
        )
    async with house.client() as client:
        missing = await visit(client, _href(house, "node_none"))
        strange = await visit(client, _href(house, node_id, "?way=burn&verb=eats"))
        form = strange.form("/change")
        nowhere = await send(client, form, way="move", rationale="Because")
        wrong = await send(client, form, way="relate", verb="eats", rationale="Because")
        below = await send(client, form, way="retire", below="burnt", rationale="Because")
        none = await send(client, form, way="end", relation_id="relation_none", rationale="Because")
    assert (refused.status, act.status, missing.status, strange.status) == (403, 403, 404, 200)
    assert (nowhere.status, wrong.status, below.status, none.status) == (422, 422, 422, 404)
    assert any("Choose a place first" in alert for alert in nowhere.alerts())
    assert house.heads() == before
