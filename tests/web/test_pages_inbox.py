"""The Inbox on a real installation: every act by a plain form, and every refusal with what was typed."""

import pytest

from kernel.commands import (
    DeferDelta,
    EditDelta,
    MoveDelta,
    ProposeCompensation,
    ProposeCorrection,
    RemandDelta,
)
from kernel.values.records import NodeAdd
from kernel.vocabulary import Disposition, NodeKind, Visibility
from tests.app.house import PROFILE, House
from tests.web.pages import send, visit

HOSTILE = "<img src=x onerror=alert(1)> buy \u200bpaint\u200e \u00ad tins & “more”"


def _inbox(house: House, item_id: str = "") -> str:
    return f"/p/{house.project_id}/inbox" + (f"/{item_id}" if item_id else "")


async def test_a_placement_shows_words_place_reasons_and_one_primary_act(house: House) -> None:
    """An open placement says who wrote what, where it would stand, why, and what a yes would make."""
    delta_id = house.captured("Sort the tins on the shelf by colour")
    async with house.client() as client:
        page = await visit(client, _inbox(house, delta_id))
    assert page.status == 200
    for said in (
        "Placement by the built-in manager (rules, no model)",
        "Owner wrote this",
        "If you accept, revision 2",
        "Makes revision 2",
        "Why here",
        "1 task and 1 relation are added.",
    ):
        assert said in page.text
    base = _inbox(house, delta_id)
    assert page.actions() == {f"{base}/accept"}
    assert {f"{base}?act={act}" for act in ("edit", "move", "reject")} <= page.hrefs()


async def test_a_yes_by_plain_form_makes_one_revision_and_says_where_to_go_on(house: House) -> None:
    """Accepting leads to the same item, now accepted, with the way to the Outline."""
    delta_id = house.captured("Clean the paint brushes after each room")
    before = house.revision()
    async with house.client() as client:
        page = await visit(client, _inbox(house, delta_id))
        done = await send(client, page.form("/accept"))
        again = await send(client, page.form("/accept"))
    assert (done.status, again.status) == (200, 200)
    assert house.revision() == before + 1
    assert f"Accepted, revision {before + 1}" in done.text
    assert "Accepted: one new revision." in done.text
    assert done.actions() == set()
    assert any("/outline?node=node_" in href for href in done.hrefs())


async def test_an_edit_names_kind_words_and_profile(house: House) -> None:
    """The edited proposal takes the place of the old one, whose address leads to it."""
    delta_id = house.captured("Think about the tins to buy")
    async with house.client() as client:
        page = await visit(client, f"{_inbox(house, delta_id)}?act=edit")
        form = page.form("/edit")
        done = await send(
            client, form, title="Choose the tins", description="Least over", kind="Task", profile=PROFILE
        )
        old = await visit(client, _inbox(house, delta_id))
    assert "Placement, reworded by Owner" in done.text
    assert done.path == old.path
    new_id = done.path.rpartition("/")[2]
    added = house.studio.desk.state(house.project_id).deltas[new_id].body.operations[0]
    assert (added.title.text, added.kind, added.profile_id) == ("Choose the tins", NodeKind.TASK, PROFILE)  # type: ignore[union-attr]


async def test_a_character_that_cannot_be_seen_is_named_and_the_words_stay(house: House) -> None:
    """In a capture and in an edit alike: where it stands, what it is and the way out; nothing typed is lost."""
    delta_id = house.captured("Sand the table in the yard")
    said = (
        "holds the character U+202E at place 5, after “Pay”: a right-to-left override, which cannot be seen"
    )
    async with house.client() as client:
        page = await visit(client, f"{_inbox(house, delta_id)}?act=edit")
        room, heads = await visit(client, f"/p/{house.project_id}/capture"), house.heads()
        kept = await send(client, room.form("/capture"), text="Pay \u202ethem")
        edited = await send(client, page.form("/edit"), title="Pay \u202ethem", description="As typed")
    assert (kept.status, f"The text {said}" in kept.alerts()[0]) == (422, True)
    assert "Pay \u202ethem</textarea>" in kept.text
    assert (edited.status, f"The title {said}" in edited.alerts()[0]) == (422, True)
    assert edited.form("/edit")["title"] == "Pay \u202ethem"
    assert house.heads() == heads


async def test_a_refused_edit_keeps_what_was_typed(house: House) -> None:
    """An empty title is refused with its reason; the description stays in the form."""
    delta_id = house.captured("Measure the hall before painting")
    async with house.client() as client:
        page = await visit(client, f"{_inbox(house, delta_id)}?act=edit")
        refused = await send(client, page.form("/edit"), title="  ", description="Kept as typed")
    assert refused.status == 422
    assert refused.alerts()
    assert refused.form("/edit")["description"] == "Kept as typed"
    assert house.studio.desk.state(house.project_id).deltas[delta_id].disposition is Disposition.PENDING


async def test_a_move_finds_places_by_title_and_suggests_the_new_one(house: House) -> None:
    """The search of the move form narrows the places; the chosen one becomes the new proposal."""
    delta_id = house.captured("Ask the neighbour for wall paint")
    async with house.client() as client:
        found = await visit(client, f"{_inbox(house, delta_id)}?act=move&q=shopping")
        assert "match “shopping”" in found.text
        moved = await send(client, found.form("/move"))
        nothing = await visit(client, f"{_inbox(house, delta_id)}?act=move&q=xyzzy")
    assert "Placement, moved by Owner" in moved.text
    assert "Owner chose this place." in moved.text
    assert "disabled" not in moved.text
    assert nothing.status == 200


async def test_a_no_keeps_its_reason(house: House) -> None:
    """Rejecting closes the proposal with the person's words."""
    delta_id = house.captured("Paint the ceiling black for the wall")
    async with house.client() as client:
        page = await visit(client, f"{_inbox(house, delta_id)}?act=reject")
        done = await send(client, page.form("/reject"), reason="Too dark")
    record = house.studio.desk.state(house.project_id).deltas[delta_id]
    assert record.disposition is Disposition.REJECTED
    assert record.reason is not None
    assert record.reason.text == "Too dark"
    assert "Rejected" in done.text


async def test_later_revisions_that_touch_nothing_are_said_and_one_yes_is_enough(house: House) -> None:
    """The page names the revisions since, and the same form brings the proposal up to date and accepts it."""
    first, second = house.captured("Buy masking tape for the walls"), house.captured("Buy a paint roller")
    async with house.client() as client:
        house.accepted(first)
        page = await visit(client, _inbox(house, second))
        assert "since; " in page.text
        assert "Your yes brings the suggestion up to date" in page.text
        done = await send(client, page.form("/accept"))
    assert "Accepted, revision" in done.text


async def test_a_yes_to_an_older_page_is_refused_when_the_head_moved(house: House) -> None:
    """A form rendered before another yes answers 409 and offers the act again on what is true now."""
    first, second = house.captured("Buy sandpaper for the walls"), house.captured("Buy a bucket for paint")
    async with house.client() as client:
        page = await visit(client, _inbox(house, second))
        house.accepted(first)
        refused = await send(client, page.form("/accept"))
        done = await send(client, refused.form("/accept"))
    assert refused.status == 409
    assert refused.alerts()
    assert done.status == 200


async def test_a_real_conflict_closes_the_yes_and_says_why(house: House) -> None:
    """When the place itself changed, the page says so, who did it, and offers edit and move but no accept."""
    state = house.studio.desk.state(house.project_id)
    delta_id = house.captured("Write down the paint for an area of the hall")
    place = next(
        touch.id
        for touch in house.studio.desk.state(house.project_id).deltas[delta_id].body.touches
        if touch.digest
    )
    change = house.studio.reviews.correct(
        house.project_id, house.me, ProposeCorrection(place, "Clearer", title=f"Renamed {state.revision}")
    )
    async with house.client() as client:
        stale = await visit(client, _inbox(house, delta_id))
        house.accepted(change)
        page = await visit(client, _inbox(house, delta_id))
        refused = await send(client, stale.form("/accept"))
    assert "changed since this was suggested" in page.text
    assert "Owner accepted “Change " in page.text
    assert "disabled" in page.text
    assert f"{_inbox(house, delta_id)}?act=edit" in page.hrefs()
    assert refused.status == 409


async def test_a_question_is_answered_in_ones_own_words(house: House) -> None:
    """Words that fit nowhere become a question; an empty answer is refused, a sentence is placed."""
    done = house.studio.placements.capture(house.project_id, house.me, "Zebra migration in the Serengeti")
    assert done.question is not None
    async with house.client() as client:
        page = await visit(client, _inbox(house, done.exchange_id))
        refused = await send(client, page.form("/answer"), text=" ")
        answered = await send(client, refused.form("/answer"), text="It is about the paint for the walls")
        old = await visit(client, _inbox(house, done.exchange_id))
    assert refused.status == 422
    assert answered.status == 200
    assert "/inbox/delta_" in answered.path
    assert "Your answer" in old.text
    assert old.actions() == set()


async def test_hostile_words_are_shown_and_never_run(house: House) -> None:
    """Markup is escaped, and hidden characters are written as their names, in the title and in the quotation."""
    delta_id = house.captured(HOSTILE)
    added = house.studio.desk.state(house.project_id).deltas[delta_id].body.operations[0]
    assert isinstance(added, NodeAdd)
    async with house.client() as client:
        for path in (
            _inbox(house, delta_id),
            f"{_inbox(house, delta_id)}?act=edit",
            f"/p/{house.project_id}/outline?node={added.node_id}",
            f"/p/{house.project_id}/focus?node={added.node_id}",
        ):
            page = await visit(client, path)
            assert "<img" not in page.text
            assert "⟦U+200B⟧" in page.text
            assert "onerror" in page.text
            visible = page.text.partition("<main")[2].partition('id="edit-title"')[0]
            assert "\u200b" not in visible


async def test_a_viewer_reads_everything_and_can_do_nothing(house: House) -> None:
    """A viewer sees the proposal without any form; a form sent anyway is refused and writes nothing."""
    delta_id = house.captured("Keep the receipts of the paint shop")
    async with house.client("vera") as client:
        queue = await visit(client, _inbox(house))
        page = await visit(client, f"{_inbox(house, delta_id)}?act=edit")
        token = page.form("/signout")["form_token"]
        heads = house.heads()
        seen = house.seen(delta_id)
        typed = {
            "action": f"{_inbox(house, delta_id)}/accept",
            "form_token": token,
            "expected_revision": str(house.revision()),
            "seen": seen,
        }
        refused = await send(client, typed)
    assert queue.status == page.status == 200
    assert page.actions() == {f"{_inbox(house, delta_id)}/accept"}
    assert "You may read this, not decide it." in page.text
    assert refused.status == 403
    assert house.heads() == heads


@pytest.mark.parametrize("path", ["inbox/delta_nothing", "inbox/exchange_nothing"])
async def test_what_is_not_there_is_a_page_that_says_so(house: House, path: str) -> None:
    """An unknown item answers 404 with a way out."""
    async with house.client() as client:
        page = await visit(client, f"/p/{house.project_id}/{path}")
    assert page.status == 404
    assert "/" in page.hrefs()


async def test_a_private_note_stays_marked_private(house: House) -> None:
    """A private capture says so beside its words."""
    done = house.studio.placements.capture(
        house.project_id, house.me, "Paint tins are stolen from the shop", visibility=Visibility.PRIVATE
    )
    async with house.client() as client:
        page = await visit(client, _inbox(house, done.delta_id or done.exchange_id))
    assert "Private: stays on this machine" in page.text


async def test_a_superseded_proposal_leads_to_what_replaced_it(house: House) -> None:
    """The address of a replaced proposal is never a dead end."""
    delta_id = house.captured("Label the tins with the room")
    edited = EditDelta(delta_id, "Label tins", None, NodeKind.IDEA, house.seen(delta_id))
    new_id = house.studio.reviews.edit(house.me, edited)
    async with house.client() as client:
        page = await visit(client, _inbox(house, delta_id))
    assert page.path == _inbox(house, new_id)


async def test_the_queue_lists_everything_with_the_number_of_the_rail(house: House) -> None:
    """Proposals and questions stand in one queue whose number is the one in the rail."""
    house.studio.placements.capture(house.project_id, house.me, "Quokka habitats of Rottnest")
    async with house.client() as client:
        page = await visit(client, _inbox(house))
    count = page.text.partition('id="inbox-h">')[2].partition(" wait")[0]
    assert f'<span class="count">{count}<span' in page.text
    assert "Highest risk first, then oldest." in page.text


async def test_a_proposal_is_put_off_to_a_day(house: House) -> None:
    """It leaves the queue for the list under it, keeps its page with the reason, and can still be accepted there."""
    delta_id = house.captured("Ask about a discount for wall paint")
    async with house.client() as client:
        page = await visit(client, f"{_inbox(house, delta_id)}?act=defer")
        done = await send(client, page.form("/defer"), until="2999-12-24", reason="After the holidays")
        queue = await visit(client, f"/p/{house.project_id}/inbox")
        refused = await visit(client, f"{_inbox(house, delta_id)}?act=defer")
        again = await send(client, refused.form("/defer"), until="2001-01-01")
    record = house.studio.desk.state(house.project_id).deltas[delta_id]
    assert (record.disposition, record.until) == (Disposition.DEFERRED, "2999-12-24T00:00:00.000000Z")
    assert 'Deferred until <time datetime="2999-12-24T00:00:00.000000Z"' in done.text
    assert ">24 Dec 2999</time>" in done.text
    assert "After the holidays" in done.text
    assert "Makes revision" in done.text
    assert ("Comes back" in queue.text, _inbox(house, delta_id) in queue.hrefs()) == (True, True)
    assert "still to come; 2001-01-01 00:00 UTC has passed" in again.text


async def test_a_proposal_is_sent_back_with_what_has_to_be_put_right(house: House) -> None:
    """Each line is a correction; the page shows them, offers no yes, and takes a reworded one."""
    delta_id = house.captured("Ask about the wall paint and the ladder")
    async with house.client() as client:
        page = await visit(client, f"{_inbox(house, delta_id)}?act=remand")
        done = await send(
            client, page.form("/remand"), reason="Two things", corrections="Paint only\n\nName it"
        )
        assert "Sent back; it waits for its corrections" in done.text
        assert "Paint only" in done.text
        edit = await visit(client, f"{_inbox(house, delta_id)}?act=edit")
        edited = await send(client, edit.form("/edit"), title="Ask about the wall paint")
    record = house.studio.desk.state(house.project_id).deltas[delta_id]
    assert [item.text for item in record.corrections] == ["Paint only", "Name it"]
    assert "Ask about the wall paint" in edited.text


async def test_a_proposal_is_parted_without_a_script(house: House) -> None:
    """Rows with a title become proposals of their own, in their places; the first of them is open then."""
    delta_id = house.captured("Ask about wall paint, and borrow a ladder")
    async with house.client() as client:
        page = await visit(client, f"{_inbox(house, delta_id)}?act=split")
        one = await send(client, page.form("/split"), title_1="Ask about wall paint")
        assert "2 to 8" in one.text
        done = await send(
            client, one.form("/split"), title_1="Ask about paint", title_2="Borrow a ladder", kind_2="Idea"
        )
    record = house.studio.desk.state(house.project_id).deltas[delta_id]
    titles = [
        house.studio.desk.state(house.project_id).deltas[item].body.title.text
        for item in record.replacement_ids
    ]
    assert titles == ["Ask about paint", "Borrow a ladder"]
    assert "Placement, parted by Owner" in done.text


async def test_a_revision_taken_back_says_what_goes_and_what_moves(house: House) -> None:
    """The proposal names the revision, what is retired, and what later records would lose."""
    parent_id = house.accepted(house.captured("Ask about a loan of the wall ladder"))
    number = house.revision()
    child = house.captured("Ask about the length of the ladder")
    seen = house.seen(child)
    moved = house.studio.reviews.move(house.me, MoveDelta(child, parent_id, seen))
    house.accepted(moved)
    state = house.studio.desk.state(house.project_id)
    root = next(item.state_root for item in state.revisions.rows() if item.number == number)
    delta_id = house.studio.reviews.compensate(
        house.project_id, house.me, ProposeCompensation(number, root, "Wrong house")
    )
    async with house.client() as client:
        page = await visit(client, _inbox(house, delta_id))
        assert f"Revision {number} taken back" in page.text
        assert "would move up to" in page.text
        assert "“Ask about a loan of the wall ladder” is retired." in page.text
        assert "“Ask about the length of the ladder” moves from" in page.text
        done = await send(client, page.form("/accept"))
    assert "Accepted" in done.text


async def test_a_change_whose_ground_moved_is_renewed_on_its_page(house: House) -> None:
    """The yes is closed, the way on is offered there, and the renewed one takes a yes."""
    node_id = house.accepted(house.captured("Ask about the primer for the wall"))
    first, second = (
        house.studio.reviews.correct(
            house.project_id, house.me, ProposeCorrection(node_id, "Clearer", title=title)
        )
        for title in ("Ask about a primer", "Ask about two primers")
    )
    house.accepted(first)
    async with house.client() as client:
        page = await visit(client, _inbox(house, second))
        assert "Renew it, for another look." in page.text
        form = await visit(client, f"{_inbox(house, second)}?act=rebase")
        renewed = await send(client, form.form("/rebase"))
        done = await send(client, renewed.form("/accept"))
    assert "Accepted" in done.text
    assert (
        house.studio.desk.state(house.project_id).tables.nodes[node_id].title.text == "Ask about two primers"
    )


async def test_the_first_that_waits_is_open_beside_the_queue(house: House) -> None:
    """The Inbox itself shows the first item with its acts; a narrow screen shows the queue until one is chosen."""
    house.captured("Ask about the paint for the fence")
    async with house.client() as client:
        page = await visit(client, _inbox(house))
        first = next(
            href
            for href in page.hrefs()
            if f'data-key-item="open" href="{href}" aria-current="true"' in page.text
        )
        chosen = await visit(client, first)
    assert 'class="inbox is-choosing"' in page.text
    assert 'class="inbox has-open"' in chosen.text
    assert (f"{first}/accept" in page.actions(), page.actions()) == (True, chosen.actions())
    assert _inbox(house) in chosen.hrefs()
    assert "Choose what to decide" not in page.text


async def test_what_was_put_off_and_sent_back_stands_under_the_queue(house: House) -> None:
    """A deferred proposal names the day it comes back, one without a day says so, a remanded one its corrections."""
    later, open_end, returned = (
        house.captured(f"Ask which paint fits the {word} door") for word in ("oak", "pine", "ash")
    )
    day = "2999-12-24T00:00:00.000000Z"
    house.studio.reviews.defer(house.me, DeferDelta(later, day, None, house.seen(later)))
    house.studio.reviews.defer(house.me, DeferDelta(open_end, None, None, house.seen(open_end)))
    remand = RemandDelta(returned, "Which one?", ("Name it", "Measure it"), house.seen(returned))
    house.studio.reviews.remand(house.me, remand)
    async with house.client() as client:
        page = await visit(client, _inbox(house))
        item = await visit(client, _inbox(house, later))
    assert (" put off</h3>" in page.text, "24 Dec 2999" in page.text) == (True, True)
    assert "Waits until somebody looks for it" in page.text
    assert ("Sent back, for corrections" in page.text, "Needs 2 corrections" in page.text) == (True, True)
    assert {_inbox(house, later), _inbox(house, open_end), _inbox(house, returned)} <= page.hrefs()
    assert (item.actions() >= {_inbox(house, later) + "/accept"}, "Put off" in item.text) == (True, True)


async def test_a_late_yes_is_told_who_decided_and_when(house: House) -> None:
    """Instead of an id, the refusal names the person, the moment and the revision."""
    delta_id = house.captured("Write down the wall paint colours")
    async with house.client() as client:
        page = await visit(client, _inbox(house, delta_id))
        house.accepted(delta_id)
        late = await send(client, page.form("/accept"))
    assert late.status == 409
    assert "Owner accepted this on " in late.alerts()[0]
    assert f"as revision {house.revision()}. Your act changed nothing." in late.alerts()[0]
