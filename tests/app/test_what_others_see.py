"""Two projects that differ in private activity only are the same to a viewer and to a reviewer, byte for byte."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

import pytest

from app import bootstrap
from app.services.sights import PAGE
from tests.app.reading_all import Answered, Known, known, read_all, templates
from tests.app.twins import CANARY, READERS, Twin, founded, grown
from tests.app.writing_some import write_some

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@dataclass(frozen=True)
class Both:
    """What was read in both twins, and the secretive one, which is the last that was opened."""

    ids: Known
    plain: dict[str, dict[str, Answered]]
    """Person -> address -> answer; under `writes`: what was tried -> answer."""
    secretive: dict[str, dict[str, Answered]]
    twin: Twin
    lengths: tuple[int, int]


async def _told(twin: Twin, ids: Known) -> dict[str, dict[str, Answered]]:
    read = {person: await read_all(twin, person, ids) for person in READERS}
    return {**read, "writes": await write_some(twin, ids)}


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Both:
    """Return everything that a viewer and a reviewer can read of both, and what becomes of what they try."""
    ground = founded(Path(tmp_path_factory.mktemp("twins")))
    ids = known(grown(ground, is_secretive=True))
    plain_twin = grown(ground, is_secretive=False)
    plain = asyncio.run(_told(plain_twin, ids))
    twin = grown(ground, is_secretive=True)
    secretive = asyncio.run(_told(twin, ids))
    return Both(ids, plain, secretive, twin, (plain_twin.state.seq, twin.state.seq))


@pytest.mark.parametrize("person", READERS)
def test_every_address_answers_alike(both: Both, person: str) -> None:
    """Status, headers and body of every route are those of a project in which nothing private ever happened."""
    assert both.lengths[1] > 3 * both.lengths[0]
    plain, secretive = both.plain[person], both.secretive[person]
    assert list(plain) == list(secretive)
    differing = [address for address, answer in plain.items() if answer != secretive[address]]
    assert differing == []


def test_every_route_was_read(both: Both) -> None:
    """Each template of the route table was asked for, and most of them answered with more than a refusal."""
    read = both.secretive["vera"]
    paths = templates(both.twin)
    assert len(paths) > 50
    assert sum(answer.status == 200 for answer in read.values()) > 150


def test_nothing_private_is_said(both: Both) -> None:
    """No word of a private text, and no id of a private record that was not asked for, stands in any answer."""
    hidden = {item for items in both.ids.hidden.values() for item in items}
    for person, answers in both.secretive.items():
        for address, answer in answers.items():
            named = [item for item in hidden if item.encode() in answer.body and item not in address]
            assert named == [] or person == "writes", address
            assert CANARY in address or CANARY.encode() not in answer.body, address


def test_what_is_seen_is_the_same_at_once_and_step_by_step(both: Both) -> None:
    """A process that starts now sees what one saw that followed every event; the first event says how far it goes."""
    project_id = both.ids.project
    fresh = bootstrap.open_studio(both.twin.house.studio.settings).desk.sights
    kept = both.twin.house.studio.desk.sights
    assert both.lengths[1] > PAGE
    assert fresh.state(project_id) == kept.state(project_id)
    every = 10_000
    assert fresh.page(project_id, every, every) == kept.page(project_id, every, every)


def test_every_act_is_answered_alike(both: Both) -> None:
    """What a viewer and a reviewer try is refused, or done, in the same words and numbers in both."""
    plain, secretive = both.plain["writes"], both.secretive["writes"]
    assert list(plain) == list(secretive)
    assert [name for name, answer in plain.items() if answer != secretive[name]] == []
    done = [name for name, answer in secretive.items() if answer.status in {200, 201}]
    assert len(done) > 10
    assert all(name.startswith("rita may ") for name in done)


async def test_an_owner_sees_everything(both: Both) -> None:
    """The same addresses show the private captures and nodes to an owner."""
    async with both.twin.house.client() as client:
        outline = await client.get(f"/p/{both.ids.project}/outline")
        assert CANARY in outline.text
        for delta_id in both.ids.hidden["delta"]:
            address = f"/api/v1/deltas/{delta_id}"
            assert (await client.get(address)).status_code == 200
            assert both.secretive["rita"][address].status == 404
