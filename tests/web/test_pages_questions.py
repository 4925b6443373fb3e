"""A question back: what it offers as an answer, and what becomes of the words it is about."""

from tests.app.house import House
from tests.web.pages import send, visit


def _inbox(house: House, item_id: str = "") -> str:
    return f"/p/{house.project_id}/inbox" + (f"/{item_id}" if item_id else "")


async def test_a_question_is_answered_with_the_project_itself(house: House) -> None:
    """Beside the areas the project is offered, so that a text that fits in none has a place."""
    done = house.studio.placements.capture(house.project_id, house.me, "Zebra migration in the Serengeti")
    state = house.studio.desk.state(house.project_id)
    root_id = state.root_id
    async with house.client() as client:
        page = await visit(client, _inbox(house, done.exchange_id))
        answered = await send(client, page.form("/answer"), parent_id=root_id)
        asked = await visit(client, _inbox(house, done.exchange_id))
    assert f"Directly under {state.tables.nodes[root_id].title.or_erased()}" in page.text
    assert "/inbox/delta_" in answered.path
    assert "Zebra migration in the Serengeti" in answered.text
    for told in (answered, asked):
        assert "Your answer" in told.text
        assert "Owner answered" in told.text
    assert f"Asked: {state.clarifications[done.exchange_id].body.question.or_erased()}" in answered.text
    assert answered.path in asked.hrefs()
    (delta,) = (
        record.body
        for record in house.studio.desk.state(house.project_id).deltas.rows()
        if record.body.source_ids[:1] == (done.source_id,)
    )
    assert (delta.fits[0].parent_id, delta.fits[0].score) == (root_id, 1000)
