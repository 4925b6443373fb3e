"""Words that belong to another project: it is named to whoever may write in both, and captures them again there."""

import re
from pathlib import Path

import pytest

from app.services.elsewhere import better_project
from kernel.commands import AcceptDelta
from kernel.vocabulary import Disposition, Role
from tests.app.house import House, open_house
from tests.web.pages import send, visit

NESTS = """\
- [Idea] Nest monitoring - Finding nests of the reed warbler
  - [Task] Visit every nest each third day
  - [Evidence] Cuckoo eggs in nine nests
- [Idea] Ringing - Catching adult birds with mist nets
"""
WORDS = "Two new warbler nests with cuckoo eggs beside the reed"


@pytest.fixture
def house(tmp_path: Path) -> House:
    """Return the house with a second project of the owner's, about birds."""
    house = open_house(tmp_path)
    project_id = house.studio.projects.open(house.me, "Reed warblers")
    house.studio.projects.import_outline(project_id, house.me, NESTS)
    delta_id = house.studio.desk.state(project_id).open_deltas.keys()[0]
    state, _record, seen = house.studio.reviews.shown(delta_id)
    house.studio.reviews.accept(house.me, AcceptDelta(delta_id, 0, state.revision, seen))
    house.ids["birds"] = project_id
    return house


async def test_another_project_that_fits_better_is_offered_and_takes_the_words(house: House) -> None:
    """The page names it with the words that point there; one act captures them there, and the original stays."""
    birds = house.ids["birds"]
    async with house.client() as client:
        kept = await client.post(
            f"/p/{house.project_id}/capture", data={"text": WORDS, **await _bound(client, house.project_id)}
        )
        page = (await client.get(kept.headers["location"])).text
        assert "“Reed warblers” fits these words better" in page
        form = dict(re.findall(r'name="(of|project|form_token|command_id)" value="([^"]+)"', page))
        assert form["project"] == birds
        moved = await client.post(f"/p/{house.project_id}/capture/elsewhere", data=form)
        there = (await client.get(moved.headers["location"])).text
        again = await client.post(f"/p/{house.project_id}/capture/elsewhere", data=form)
    assert moved.headers["location"].startswith(f"/p/{birds}/capture?of=exchange_")
    assert "fits these words better" not in there
    assert again.headers["location"] == moved.headers["location"]
    texts = [
        [item.body.content.text for item in house.studio.desk.state(ledger).sources.rows()].count(WORDS)
        for ledger in (house.project_id, birds)
    ]
    assert texts == [1, 1]


async def _bound(client: object, project_id: str) -> dict[str, str]:
    page = (await client.get(f"/p/{project_id}/capture")).text  # type: ignore[attr-defined]
    return dict(re.findall(r'name="(form_token|command_id)" value="([^"]+)"', page))


async def test_a_proposal_names_the_project_that_fits_better_and_one_act_moves_the_words_there(
    house: House,
) -> None:
    """In the Inbox too: the words wait in the other project, the suggestion here is rejected, nothing is lost."""
    birds = house.ids["birds"]
    done = house.studio.placements.capture(house.project_id, house.me, WORDS, selected_node_id=_area(house))
    assert done.delta_id is not None
    item = f"/p/{house.project_id}/inbox/{done.delta_id}"
    async with house.client() as client:
        page = await visit(client, item)
        assert "“Reed warblers” fits these words better" in page.text
        form = page.form("/elsewhere")
        itself = await send(client, form, project=house.project_id)
        assert (itself.status, "Not moved" in itself.text) == (422, True)
        there = await send(client, form)
        again = await send(client, form)
        decided = await visit(client, item)
    assert (there.path.startswith(f"/p/{birds}/inbox/"), again.path) == (True, there.path)
    assert WORDS in there.text
    assert "fits these words better" not in there.text + decided.text
    here = house.studio.desk.state(house.project_id)
    assert here.deltas[done.delta_id].disposition is Disposition.REJECTED
    assert here.sources[done.source_id].body.content.text == WORDS
    texts = [item.body.content.text for item in house.studio.desk.state(birds).sources.rows()]
    assert texts.count(WORDS) == 1


def _area(house: House) -> str:
    """Return a node of the project that can hold something, for words that fit nowhere in it."""
    state = house.studio.desk.state(house.project_id)
    return next(iter(state.tables.children.get(state.root_id) or ()))


async def test_a_question_names_the_project_that_fits_better_and_stays(house: House) -> None:
    """The words are captured there; what was asked about them here still waits."""
    done = house.studio.placements.capture(
        house.project_id, house.me, "Cuckoo eggs beside reed warbler nests"
    )
    assert done.delta_id is None
    async with house.client() as client:
        page = await visit(client, f"/p/{house.project_id}/inbox/{done.exchange_id}")
        there = await send(client, page.form("/elsewhere"))
        still = await visit(client, f"/p/{house.project_id}/inbox/{done.exchange_id}")
    assert there.path.startswith(f"/p/{house.ids['birds']}/inbox/")
    assert any(action.endswith("/answer") for action in still.actions())


async def test_a_reviewer_here_who_may_not_write_there_is_offered_nothing_in_the_inbox(house: House) -> None:
    """Neither the page names the other project, nor does the act reach it; the suggestion here stays."""
    house.studio.access.add_person(house.me, "rita", "Rita", Role.REVIEWER, ledger_id=house.project_id)
    done = house.studio.placements.capture(house.project_id, house.me, WORDS, selected_node_id=_area(house))
    assert done.delta_id is not None
    async with house.client("rita") as client:
        page = await visit(client, f"/p/{house.project_id}/inbox/{done.delta_id}")
        assert ("Reed warblers" in page.text, page.status) == (False, 200)
        form = page.form("/accept")
        form["action"] = form["action"].replace("/accept", "/elsewhere")
        refused = await send(client, form, project=house.ids["birds"])
    assert refused.status == 404
    assert house.studio.desk.state(house.project_id).deltas[done.delta_id].disposition is Disposition.PENDING


def test_words_that_fit_here_and_words_already_decided_offer_nothing(house: House) -> None:
    """A project is offered only while the words wait, and only when it clearly fits better than this one."""
    studio, birds = house.studio, house.studio.desk.state(house.ids["birds"])

    def offered(exchange_id: str) -> str | None:
        state = studio.desk.state(house.project_id)
        found = better_project(studio.placements, state, exchange_id, (birds, state))
        return None if found is None else found.project_id

    fitting = studio.placements.capture(house.project_id, house.me, "Paint the wall with the same tins")
    assert offered(fitting.exchange_id) is None
    elsewhere = studio.placements.capture(house.project_id, house.me, WORDS)
    assert offered(elsewhere.exchange_id) == birds.ledger
    assert offered("exchange_01k0000000000000000000000a") is None
    studio.erasures.erase(house.project_id, house.me, elsewhere.source_id)
    assert offered(elsewhere.exchange_id) is None


async def test_who_may_not_write_there_never_hears_of_it(house: House) -> None:
    """Somebody with a role in this project alone is offered nothing, and cannot send the words anywhere else."""
    studio = house.studio
    done = studio.placements.capture(house.project_id, house.me, WORDS)
    assert studio.directory.role_of("vera", house.ids["birds"]) in {None, Role.VIEWER}
    async with house.client("vera") as client:
        page = (await client.get(f"/p/{house.project_id}/capture?of={done.exchange_id}")).text
        assert "fits these words better" not in page
        form = {
            **dict(re.findall(r'name="(form_token)" value="([^"]+)"', page)),
            "of": done.exchange_id,
            "project": house.ids["birds"],
        }
        refused = await client.post(f"/p/{house.project_id}/capture/elsewhere", data=form)
    assert refused.status_code in {403, 404}
    rows = studio.desk.state(house.ids["birds"]).sources.rows()
    assert WORDS not in [item.body.content.text for item in rows]
