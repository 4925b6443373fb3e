"""A server answers at once: what an earlier process began is continued beside it, ledger by ledger."""

import asyncio
import logging
import sqlite3
from pathlib import Path

import pytest

from app import bootstrap
from app.main import create_app
from app.services.desk import Caller
from app.services.studio import Studio
from app.web.origin import SESSION_COOKIE
from kernel.canonical import canonical_bytes
from kernel.commands import AnswerExchange, CaptureSource, RevokeRole
from kernel.decide.drafts import SYSTEM
from kernel.events.source import ExchangeRequested
from kernel.values.placement import PlacementAnswer
from kernel.vocabulary import NodeKind, SourceKind, Via, Visibility
from tests.app.house import API, House, open_house, running

QUESTION = PlacementAnswer(
    kind=NodeKind.IDEA,
    title="Which tin?",
    places=(),
    kind_reason="it asks",
    question="Where does it belong?",
)


def _left_answered(house: House, project_id: str) -> str:
    """Leave kept words whose answer is durable and was not read, as a process that died there; return the exchange."""
    name = house.studio.placements.manager.facts.name
    words = CaptureSource("Which tin?", SourceKind.TEXT, Visibility.SHARED, name, None, None)
    done = house.studio.desk.act(project_id, house.me, words)
    requested = next(event.body for event in done.events if isinstance(event.body, ExchangeRequested))
    exact = canonical_bytes(QUESTION.model_dump(mode="json")).decode()
    answer = AnswerExchange(requested.exchange_id, exact)
    house.studio.desk.act(project_id, Caller(SYSTEM, Via.WORKER), answer)
    return requested.exchange_id


def _altered(database: Path, project_id: str) -> None:
    """Change one stored byte of a project's second event, past the triggers."""
    connection = sqlite3.connect(database)
    for (trigger,) in connection.execute("select name from sqlite_master where type = 'trigger'").fetchall():
        connection.execute(f'drop trigger "{trigger}"')
    asked = "select data from events where ledger_id = ? and seq = 2"
    data = bytearray(connection.execute(asked, (project_id,)).fetchone()[0])
    data[len(data) // 2] ^= 1
    changed = "update events set data = ? where ledger_id = ? and seq = 2"
    assert connection.execute(changed, (bytes(data), project_id)).rowcount == 1
    connection.commit()
    connection.close()


async def test_a_history_that_was_altered_is_not_served_and_keeps_no_other_waiting(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The server starts, says once which ledger is damaged, shows it nowhere as good, and completes the other one's."""
    before = open_house(tmp_path)
    sound = before.studio.projects.open(before.me, "Sound")
    exchange_id = _left_answered(before, sound)
    _altered(before.studio.settings.data_folder / "odeu.sqlite3", before.project_id)
    studio = bootstrap.open_studio(before.studio.settings)
    house = House(studio, create_app(studio), sound, before.operator_token)
    with caplog.at_level(logging.ERROR):
        async with running(house.app), house.client() as client:
            await _asked(studio, sound, exchange_id)
            answers = [await client.get(f"/p/{item}/outline") for item in (before.project_id, sound)]
            world, listed = await client.get("/"), await client.get(f"{API}/projects")
        async with running(house.app), house.client("vera") as client:
            hers = await client.get(f"{API}/projects")
    assert [answer.status_code for answer in (*answers, world)] == [503, 200, 200]
    assert "The stored history is not what it must be" in answers[0].text
    assert f"The project {before.project_id} cannot be shown" in world.text
    assert hers.json()["damaged"] == [before.project_id]
    assert listed.json()["damaged"] == [before.project_id]
    assert [item["project_id"] for item in listed.json()["projects"]] == [sound]
    said = [record.getMessage() for record in caplog.records]
    assert [f"history of {before.project_id}" in line for line in said] == [True], (
        "said once, and nothing else"
    )


async def _asked(studio: Studio, project_id: str, exchange_id: str) -> None:
    """Wait until the question of an exchange stands."""
    async with asyncio.timeout(30):
        while exchange_id not in studio.desk.state(project_id).clarifications:  # noqa: ASYNC110 - another thread's work
            await asyncio.sleep(0.02)


async def test_a_role_whose_end_is_recorded_opens_nothing_after_a_start(tmp_path: Path) -> None:
    """The process died between the record and the table; the table follows before the first page is served."""
    before = open_house(tmp_path)
    session = before.session("vera")
    world = before.studio.world_id
    before.studio.desk.act(world, before.me, RevokeRole("vera", None))
    assert before.studio.directory.memberships("vera") != ()
    studio = bootstrap.open_studio(before.studio.settings)
    house = House(studio, create_app(studio), before.project_id, before.operator_token)
    async with running(house.app), house.client(None) as client:
        client.cookies.set(SESSION_COOKIE, session)
        answer = await client.get(f"/p/{before.project_id}/outline")
    assert answer.status_code in {303, 404}
    assert studio.directory.memberships("vera") == ()
