"""The World page and the capture page: acts without script, refusals that keep what was typed."""

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from app.services.access import OWNER
from kernel.vocabulary import Role, Visibility
from tests.app.house import House, open_house
from tests.app.test_sessions import form_token


@pytest.fixture
def house(tmp_path: Path) -> House:
    """Return a fresh house."""
    return open_house(tmp_path)


HTML = {"Accept": "text/html"}


def _form(page: httpx2.Response, action: str) -> dict[str, str]:
    """Return the hidden fields of the form with this action."""
    found = re.search(rf'<form[^>]*action="{re.escape(action)}".*?</form>', page.text, re.DOTALL)
    assert found is not None, page.text
    return dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', found.group(0)))


async def test_a_capture_is_placed_and_shown(house: House) -> None:
    """The form leads to the page that shows the words and where to go on; sent twice it is one capture."""
    path = f"/p/{house.project_id}/capture"
    async with house.client() as client:
        fields = _form(await client.get(path), path)
        fields |= {"text": "Ask Jonas about the\r\nhall colour", "private": "yes"}
        sent = await client.post(path, data=fields)
        heads = house.heads()
        again = await client.post(path, data=fields)
        assert (sent.status_code, again.status_code, house.heads()) == (303, 303, heads)
        assert again.headers["location"] == sent.headers["location"]
        shown = await client.get(sent.headers["location"])
        assert "Placed for your review" in shown.text
        assert "Kept word for word." in shown.text
    exchange_id = parse_qs(urlsplit(sent.headers["location"]).query)["of"][0]
    state = house.studio.desk.state(house.project_id)
    source = state.sources[state.exchanges[exchange_id].body.source_id or ""].body
    assert (source.content.text, source.visibility) == (
        "Ask Jonas about the\nhall colour",
        Visibility.PRIVATE,
    )


async def test_a_refused_capture_keeps_the_words(house: House) -> None:
    """A refusal is the page again, with its status, the reason in the form and the words still in it."""
    path = f"/p/{house.project_id}/capture"
    words = "x" * 200 + " <b>&</b>"
    async with house.client() as client:
        fields = _form(await client.get(path), path)
        fields |= {"text": words, "private": "yes", "answers": "exchange_01jdz8q3v4m5n6p7q8r9s0t1v2"}
        before = house.heads()
        refused = await client.post(path, data=fields)
        assert (refused.status_code, house.heads()) == (404, before)
        assert "Not captured: not found" in refused.text
        assert f"{'x' * 200} &lt;b&gt;&amp;&lt;/b&gt;</textarea>" in refused.text
        assert re.search(r'name="private"[^>]* checked', refused.text)


async def test_a_project_is_opened_and_filled_from_an_outline(house: House) -> None:
    """From the World page: an untitled project is refused in its form, a titled one takes an outline."""
    async with house.client() as client:
        fields = _form(await client.get("/"), "/projects")
        untitled = await client.post("/projects", data={**fields, "title": "  "})
        assert (untitled.status_code, "Not opened: does not fit" in untitled.text) == (422, True)
        opened = await client.post("/projects", data={**fields, "title": "Allotment"})
        project_id = opened.headers["location"].split("/")[2]
        assert "The project is open." in (await client.get(opened.headers["location"])).text
        fields = {**_form(await client.get("/"), "/import-outline"), "project": project_id}
        wrong = await client.post("/import-outline", data={**fields, "text": "no list at all"})
        assert (wrong.status_code, "no list at all</textarea>" in wrong.text) == (422, True)
        taken = await client.post("/import-outline", data={**fields, "text": "# Beds\n- Beans"})
        assert (taken.status_code, taken.headers["location"]) == (303, f"/p/{project_id}/inbox")
    assert len(house.studio.desk.state(project_id).open_deltas) == 1


async def test_the_first_words_open_the_first_project(tmp_path: Path) -> None:
    """In an empty world one begins with a sentence: it opens a project of its own; sent twice it is one."""
    house = open_house(tmp_path, empty=True)
    async with house.client() as client:
        first = await client.get("/")
        assert "Start with one sentence" in first.text
        fields = {**_form(first, "/capture"), "text": "Grow beans.\nAnd peas."}
        sent = await client.post("/capture", data=fields)
        again = await client.post("/capture", data=fields)
        assert (sent.status_code, again.headers["location"]) == (303, sent.headers["location"])
    (state,) = house.studio.projects.seen_by(OWNER)
    assert state.title is not None
    assert (state.title.text, [item.body.content.text for item in state.sources.rows()]) == (
        "Grow beans.",
        ["Grow beans.\nAnd peas."],
    )


async def test_a_viewer_is_offered_nothing_to_write(house: House) -> None:
    """A viewer sees projects without a single form for an act, and a form sent anyway is refused as a page."""
    async with house.client("vera", {"Sec-Fetch-Site": "same-origin", **HTML}) as client:
        page = await client.get("/")
        assert re.findall(r'<form[^>]*action="([^"]*)"[^>]*method="post"', page.text) == ["/signout"]
        sent = await client.post("/projects", data={"form_token": form_token(page), "title": "Mine"})
        assert (sent.status_code, sent.headers["content-type"]) == (403, "text/html; charset=utf-8")
        assert "authority_violation" in sent.text


async def test_a_viewer_has_no_box_to_capture_with(house: House) -> None:
    """The capture page and the World say why there is no box; what was captured can still be read."""
    path = f"/p/{house.project_id}/capture"
    async with house.client("vera", {"Sec-Fetch-Site": "same-origin", **HTML}) as client:
        page, world = await client.get(path), await client.get("/")
        sent = await client.post(path, data={"form_token": form_token(page), "text": "Mine"})
    assert (page.status_code, "<textarea" in page.text, sent.status_code) == (200, False, 403)
    assert "You read this project. Its owner and its reviewers write in it." in page.text
    assert "You read this project. Its owner and its reviewers write in it." in world.text
    assert re.findall(r'<form[^>]*action="([^"]*)"[^>]*method="post"', page.text) == ["/signout"]


async def test_the_private_switch_says_who_reads_what_is_private(house: House) -> None:
    """Private keeps words on this machine and among owners; nobody else is offered it, or gets it by sending it."""
    house.studio.access.add_person(house.me, "rita", "Rita", Role.REVIEWER)
    path, before = f"/p/{house.project_id}/capture", house.heads()[house.project_id]
    async with house.client() as client:
        page = await client.get(path)
    assert "With it, only owners of the project see it" in page.text
    async with house.client("rita") as client:
        page = await client.get(path)
        fields = {"form_token": form_token(page), "text": "My debts", "private": "yes"}
        sent = await client.post(path, data=fields)
    assert 'name="private"' not in page.text
    assert "Only an owner keeps words private" in page.text
    assert (sent.status_code, "My debts" in sent.text) == (403, True)
    assert "Only an owner keeps words private: nobody else would see them again, you included" in sent.text
    assert house.heads()[house.project_id] == before


async def test_a_form_of_another_session_does_nothing(house: House) -> None:
    """A form token belongs to one session; without it a page's act is refused and nothing is written."""
    path = f"/p/{house.project_id}/capture"
    async with house.client("vera") as client:
        foreign = form_token(await client.get("/"))
    async with house.client() as client:
        before = house.heads()
        for token in (foreign, "", "0" * 64):
            refused = await client.post(path, data={"form_token": token, "text": "Ask Jonas"})
            assert (refused.status_code, refused.json()["code"]) == (403, "form_token")
        assert house.heads() == before


async def test_what_is_not_there(house: House) -> None:
    """An unknown address and a foreign project are the same page for a browser."""
    async with house.client(OWNER, {**HTML}) as client:
        unknown = await client.get("/nothing/here")
        foreign = await client.get("/p/project_01jdz8q3v4m5n6p7q8r9s0t1v2/capture")
        world = await client.get(f"/p/{house.studio.world_id}/capture")
    assert [page.status_code for page in (unknown, foreign, world)] == [404, 404, 404]
    assert 'id="refusal"' in unknown.text
    assert 'id="refusal"' in foreign.text
