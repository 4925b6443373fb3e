"""Live updates over HTTP, on a real server: heads of the ledgers one may read, at once and from other processes."""

import asyncio
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Final

import httpx2
import pytest

from app.services.access import OWNER
from app.web.origin import SESSION_COOKIE
from tests.app.house import API, ORIGIN, SAME_SITE, House, open_house
from tests.ledger.postgres_server import Server

HOST: Final = ORIGIN.removeprefix("http://")


@pytest.fixture
def house(tmp_path: Path) -> House:
    """Return a fresh house."""
    return open_house(tmp_path)


@pytest.fixture(params=["sqlite", "postgresql"])
def any_house(request: pytest.FixtureRequest, tmp_path: Path) -> House:
    """Return a fresh house on either engine."""
    if request.param == "sqlite":
        return open_house(tmp_path)
    server: Server = request.getfixturevalue("postgres_server")
    return open_house(tmp_path, database_url=server.fresh_database())


SERVE = """
import socket, sys
from pathlib import Path
import uvicorn
from app import bootstrap
from app.config.settings import Settings
from app.main import create_app
door = socket.create_server(("127.0.0.1", 0))
settings = Settings(data=Path(sys.argv[1]), public_origin=sys.argv[2], database_url=sys.argv[3])
app = create_app(bootstrap.open_studio(settings))
print(door.getsockname()[1], flush=True)
config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=5)
uvicorn.Server(config).run([door])
"""


@contextmanager
def served(house: House) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Serve the house's folder in a process of its own; give its address and the process."""
    settings = house.studio.settings
    with subprocess.Popen(
        [sys.executable, "-c", SERVE, str(settings.data_folder), ORIGIN, settings.database_url],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path.cwd())},
    ) as server:
        assert server.stdout is not None
        try:
            port = server.stdout.readline().strip()
            yield f"http://127.0.0.1:{port}", server
        finally:
            server.terminate()


def _cookies(house: House, person_id: str = OWNER) -> dict[str, str]:
    return {SESSION_COOKIE: house.session(person_id)}


@asynccontextmanager
async def listening(
    house: House, address: str, path: str, headers: dict[str, str] | None = None, *, person_id: str = OWNER
) -> AsyncIterator[AsyncIterator[str]]:
    """Open a stream as the owner, or as somebody else; give its lines."""
    named = {"Host": HOST, **(headers or {})}
    async with (
        httpx2.AsyncClient(base_url=address, cookies=_cookies(house, person_id), headers=named) as client,
        client.stream("GET", path) as answer,
    ):
        assert (answer.status_code, answer.headers["content-type"]) == (
            200,
            "text/event-stream; charset=utf-8",
        )
        yield answer.aiter_lines()


async def _head(lines: AsyncIterator[str]) -> int:
    """Return the sequence of the next head event, within ten seconds."""
    async with asyncio.timeout(10):
        async for line in lines:
            if line.startswith("id: "):
                return int(line.removeprefix("id: "))
    raise AssertionError


async def test_a_page_hears_of_every_write(house: House) -> None:
    """A head comes when the server writes, and when another process does; older ones are not repeated."""
    seq = house.heads()[house.project_id]
    path = f"/p/{house.project_id}/events?after={seq}"
    with served(house) as (address, _server):
        async with listening(house, address, path) as lines:
            await asyncio.to_thread(house.captured, "Ask Jonas about the hall colour")
            first = await _head(lines)
            headers = {**SAME_SITE, "Host": HOST, "Idempotency-Key": "one"}
            async with httpx2.AsyncClient(
                base_url=address, headers=headers, cookies=_cookies(house)
            ) as client:
                sources = f"{API}/projects/{house.project_id}/sources"
                answer = await client.post(sources, json={"text": "Ask Mira about the wall area"})
            assert answer.status_code == 201
            second = await _head(lines)
    assert seq < first < second <= house.heads()[house.project_id]


@pytest.mark.timeout(180)
async def test_a_stream_moves_soon_after_another_process_wrote(any_house: House) -> None:
    """Head after head arrives within about a quarter of a second of the other process's commit, on either engine."""
    house, waited = any_house, []
    with served(house) as (address, _server):
        path = f"/p/{house.project_id}/events?after={house.heads()[house.project_id]}"
        async with listening(house, address, path) as lines:
            for number in range(7):
                await asyncio.sleep(0.3)
                await asyncio.to_thread(house.captured, f"Ask Jonas about the hall colour {number}")
                written, head = time.monotonic(), house.heads()[house.project_id]
                while await _head(lines) < head:
                    pass
                waited.append(time.monotonic() - written)
    assert statistics.median(waited) < 0.3
    assert max(waited) < 1.5


async def test_a_viewer_hears_of_what_they_see(house: House) -> None:
    """A private capture moves nothing for a viewer, in this process or another; a shared one comes with its own number."""
    sights = house.studio.desk.sights
    seen = sights.state(house.project_id).seq
    sources = f"{API}/projects/{house.project_id}/sources"
    headers = {**SAME_SITE, "Host": HOST}
    with served(house) as (address, _server):
        path = f"/p/{house.project_id}/events?after={seen}"
        async with (
            listening(house, address, path, person_id="vera") as lines,
            httpx2.AsyncClient(base_url=address, headers=headers, cookies=_cookies(house)) as client,
        ):
            body = {"text": "My debts", "private": True}
            answer = await client.post(sources, json=body, headers={"Idempotency-Key": "one"})
            assert answer.status_code == 201
            await asyncio.to_thread(house.studio.placements.capture, house.project_id, house.me, "wwww vvvv")
            first = await _head(lines)
            answer = await client.post(sources, json={"text": "Ask Mira"}, headers={"Idempotency-Key": "two"})
            assert answer.status_code == 201
            last = await _head(lines)
    after = sights.state(house.project_id).seq
    assert seen < first < last <= after
    assert house.heads()[house.project_id] > after


async def test_a_server_that_stops_ends_its_streams(house: House) -> None:
    """An open page does not hold the server up: it is gone at once, without an error."""
    with served(house) as (address, server):
        async with listening(house, address, f"/p/{house.project_id}/events") as lines:
            await _head(lines)
            server.terminate()
            async with asyncio.timeout(3):
                assert [line async for line in lines if line.startswith("id:")] == []
        _said, wrong = await asyncio.to_thread(server.communicate, timeout=10)
    assert (server.returncode, wrong) == (-signal.SIGTERM, "")


async def test_a_program_continues_from_the_last_event(house: House) -> None:
    """`Last-Event-ID` is the sequence: what moved since then is told at once."""
    seq = house.heads()[house.project_id]
    with served(house) as (address, _server):
        path = f"{API}/events?ledger_id={house.project_id}"
        async with listening(house, address, path, {"Last-Event-ID": str(seq - 1)}) as lines:
            assert await _head(lines) == seq


async def test_a_stream_of_a_foreign_ledger_does_not_exist(house: House) -> None:
    """Only ledgers one may read can be listened to."""
    async with house.client("olaf", {"Accept": "application/json"}) as client:
        for path in (
            f"/p/{house.project_id}/events",
            f"{API}/events?ledger_id={house.project_id}",
            "/events",
        ):
            answer = await client.get(path)
            assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
