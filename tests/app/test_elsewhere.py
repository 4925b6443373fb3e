"""Words that belong to another project: it is named to whoever may write in both, and captures them again there."""

import re
from pathlib import Path

import pytest

from app.services.elsewhere import better_project
from kernel.commands import AcceptDelta
from kernel.vocabulary import Role
from tests.app.house import House, open_house

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
