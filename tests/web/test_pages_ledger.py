"""The Ledger page on a real installation: events in words, filters, pages, the head, and verification."""

import re
from collections.abc import Iterator
from typing import Final

from app.services.logbook import ROWS, SCANNED_MAX, log_page
from app.views.building.ledger import Choice
from app.views.ledger.words import FAMILIES, bare_type, family_of, type_words
from kernel.events import BODIES
from kernel.events.envelope import Event, event_bytes
from kernel.events.project import ProjectArchived
from kernel.values.stamp import Actor
from kernel.vocabulary import ActorKind, Role, Via, Visibility
from tests.app.house import House
from tests.web.pages import Page, send, visit


def _at(house: House, query: str = "") -> str:
    return f"/p/{house.project_id}/ledger{query}"


def _numbers(page: Page) -> list[int]:
    cells = (item for item in page.reader.elements if item.attributes.get("class") == "num")
    return [int(item.text) for item in cells if item.text.isdigit()]


def _head(house: House) -> int:
    return house.studio.desk.ledger.head(house.project_id).seq


async def test_events_stand_newest_first_in_words(house: House) -> None:
    """Each event says what, about what, who, through which door and when, exactly; the newest stands first."""
    delta_id = house.captured("Which ladder reaches the ceiling?")
    house.accepted(delta_id)
    head = _head(house)
    async with house.client() as client:
        page = await visit(client, _at(house))
    assert _numbers(page)[:2] == [head, head - 1]
    state = house.studio.desk.state(house.project_id)
    accepted = state.deltas[delta_id].decided
    assert accepted is not None
    for said in ("Change accepted", "delta.accepted", f"revision {state.revision}", "on the command line"):
        assert said in page.text
    assert f"{accepted.at[:10]} {accepted.at[11:-1]} UTC" in page.text
    source_id = state.deltas[delta_id].body.source_ids[0]
    assert {
        f"/p/{house.project_id}/inbox/{delta_id}",
        f"/p/{house.project_id}/sources/{source_id}",
    } <= page.hrefs()


async def test_the_head_is_shown_with_its_signed_note(house: House) -> None:
    """The page carries root and checkpoint exactly as the ledger has them."""
    async with house.client() as client:
        page = await visit(client, _at(house))
    head = house.studio.desk.ledger.head(house.project_id)
    assert f"Event {head.seq}" in page.text
    copies = {item.attributes.get("data-copy", "") for item in page.reader.elements}
    assert {head.root, house.studio.desk.ledger.checkpoint(house.project_id)} <= copies


async def test_events_are_chosen_by_kind_and_by_actor(house: House) -> None:
    """A family, one type, a kind of actor or one person: only those events, and a way back to all."""
    house.captured("Paint the shelf in the hall")
    async with house.client() as client:
        captures = await visit(client, _at(house, "?type=source.captured"))
        proposals = await visit(client, _at(house, "?type=proposals&actor=manager"))
        mine = await visit(client, _at(house, "?actor=human:owner"))
        nobody = await visit(client, _at(house, "?actor=human:nobody"))
    state = house.studio.desk.state(house.project_id)
    assert set(_numbers(captures)) == {item.origin.seq for item in state.sources.rows()}
    assert _numbers(proposals) != []
    assert "By the worker" not in mine.text
    assert (_numbers(nobody), "Show all events" in nobody.text) == ([], True)


async def test_pages_follow_by_cursor_without_a_gap(house: House) -> None:
    """Every event stands on exactly one page, down to the first; the first page has no newer one."""
    for index in range(12):
        house.captured(f"Buy {index} sheets of sandpaper for the window frames")
    seen: list[int] = []
    async with house.client() as client:
        page = await visit(client, _at(house))
        assert len(_numbers(page)) == ROWS
        while True:
            seen += _numbers(page)
            older = [href for href in page.hrefs() if re.search(r"ledger\?before=", href)]
            if not older:
                break
            page = await visit(client, older[0])
    assert seen == list(range(_head(house), 0, -1))


def test_a_page_reads_no_more_than_its_own_events() -> None:
    """A rare kind is looked for in a bounded stretch of a long log, and the next page goes on where it ended."""
    asked: list[tuple[int, int]] = []

    def read(below: int, among: int) -> tuple[Event, ...]:
        asked.append((below, among))
        return tuple(an_event(number) for number in range(below - 1, below - 1 - among, -1))

    page = log_page(read, 100_000)
    assert (len(page.events), page.before, asked) == (ROWS, 100_000 - ROWS + 1, [(100_001, ROWS)])
    asked.clear()
    page = log_page(read, 100_000, wanted=lambda event: event.seq == 1)
    assert (page.events, page.before) == ((), 100_001 - SCANNED_MAX)
    assert sum(among for _, among in asked) == SCANNED_MAX
    assert log_page(read, 3).before is None


def an_event(number: int) -> Event:
    """Return some event with this number."""
    actor = Actor(kind=ActorKind.HUMAN, id="owner", role=Role.OWNER)
    body = ProjectArchived()
    return Event("project_1", number, f"event_{number}", "", actor, Via.CLI, "", 0, body)


_FITS: Final = "leaves, tree, checkpoints and texts fit"


async def test_the_ledger_is_verified_from_its_page(house: House) -> None:
    """`Verify now` reads everything again and says what was found; with the tick every rule is applied anew."""
    async with house.client() as client:
        form = (await visit(client, _at(house))).form("/verify")
        plain = await send(client, form)
        strict = await send(client, plain.form("/verify"), strict="yes")
    assert "Verified from the first event to the last" in plain.text
    assert f"{_head(house)} events read again, {_FITS}" in plain.text
    assert f"read again, every rule applied anew, {_FITS}" in strict.text


async def test_a_viewer_sees_the_visible_part_and_no_act_on_the_whole(house: House) -> None:
    """Shared events stand there counted as the viewer sees them; private ones, head, checkpoint and acts do not."""
    secret = "The heronblue surprise is for Olaf"
    house.studio.placements.capture(house.project_id, house.me, secret, visibility=Visibility.PRIVATE)
    house.captured("Paint the garden gate")
    async with house.client() as client:
        form = (await visit(client, _at(house))).form("/verify")
    async with house.client("vera") as client:
        page = await visit(client, _at(house))
        outline = await visit(client, f"/p/{house.project_id}/outline")
        token = {"form_token": next(_tokens(outline)), "action": form["action"]}
        refused = await send(client, token)
    async with house.client("olaf") as client:
        stranger = await visit(client, _at(house))
    assert ("Paint the garden gate" in page.text, "heronblue" in page.text) == (True, False)
    assert "You see what is shared with you" in page.text
    assert _numbers(page) == list(range(len(_numbers(page)), 0, -1)) or len(_numbers(page)) == ROWS
    assert (page.actions(), refused.status, stranger.status) == (set(), 403, 404)


def _tokens(page: Page) -> Iterator[str]:
    found = (item.attributes for item in page.reader.elements if item.attributes.get("name") == "form_token")
    return (item["value"] for item in found)


def test_every_type_has_words_and_a_family() -> None:
    """No event is shown by its wire name alone."""
    assert [wire for wire in BODIES if type_words(wire) == bare_type(wire)] == []
    assert {family_of(wire) for wire in BODIES} >= {"captures", "proposals", "decisions", "work"}


def test_a_filter_never_passes_over_what_it_asks_for(house: House) -> None:
    """What an event is chosen by is found in its bytes, for every kind, family, actor and sort of actor."""
    house.captured("Paint the banister in two coats")
    stored = house.studio.desk.ledger.read(house.project_id)
    asked = [Choice(type=wire) for wire in {bare_type(item.event.type) for item in stored}]
    asked += [Choice(type=family) for family in FAMILIES]
    asked += [Choice(actor=item.event.actor.kind.value) for item in stored]
    asked += [Choice(actor=f"{item.event.actor.kind.value}:{item.event.actor.id}") for item in stored]
    missed = [
        (choice, item.event.seq)
        for choice in asked
        for item in stored
        if choice.fits(item.event) and not choice.sieve()(event_bytes(item.event))
    ]
    assert missed == []
