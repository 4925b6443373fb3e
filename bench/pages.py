"""Every page of a large project: the processor time the server takes for one, and the size of its HTML.

The real application over a real data folder, asked through its ASGI interface as a server asks it; time is that of
the whole process, its threads included. `ODEU_BENCH_EVENTS` says how long the history behind the 10,000 nodes is.
"""

import asyncio
import os
import re
import statistics
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from starlette.types import ASGIApp, Message

from app import bootstrap
from app.config.settings import Settings
from app.main import create_app
from app.services.access import OWNER
from app.services.studio import Studio
from app.web.origin import SESSION_COOKIE
from app.web.requests import FORM_FIELD
from bench.large import Large, large
from bench.table import Row
from kernel.commands import AcceptDelta
from kernel.vocabulary import NodeKind, Purpose, Role, Via

EVENTS: Final = int(os.environ.get("ODEU_BENCH_EVENTS", "20000"))
ROUNDS: Final = 15
TIME_MAX_MS: Final = 30
SIZE_MAX_KB: Final = 150
ORIGIN: Final = "http://127.0.0.1:8765"
_BATCH: Final = 500


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server sent for one address."""

    status: int
    body: bytes


class Server:
    """The application with its owner signed in, or somebody else."""

    def __init__(self, studio: Studio, person_id: str = OWNER) -> None:
        self.app: ASGIApp = create_app(studio, lambda: 0.0)
        caller = studio.access.caller(studio.world_id, OWNER, Via.CLI)
        if person_id != OWNER:
            studio.access.add_person(caller, person_id, person_id.title(), Role.VIEWER)
        link = studio.access.issue_link(caller, person_id)
        self._secret = studio.directory.sign_in(link.secret, studio.clock.now(), label="bench").secret

    async def get(self, address: str) -> Answer:
        """Return the answer to one address."""
        return await self._ask("GET", address, b"")

    async def post(self, address: str, **fields: str) -> Answer:
        """Return the answer to a form of this session."""
        token = re.search(rb'name="form_token" value="([^"]+)"', (await self.get("/operator")).body)
        assert token is not None
        return await self._ask("POST", address, urlencode({**fields, FORM_FIELD: token[1].decode()}).encode())

    async def _ask(self, method: str, address: str, content: bytes) -> Answer:
        path, _, query = address.partition("?")
        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": content, "more_body": False}

        async def send(message: Message) -> None:
            sent.append(message)

        scope = {**self._scope(path, query, len(content)), "method": method}
        await self.app(scope, receive, send)
        body = b"".join(message.get("body", b"") for message in sent[1:])
        return Answer(int(sent[0]["status"]), body)

    def _scope(self, path: str, query: str, length: int) -> dict[str, object]:
        headers = {
            "host": ORIGIN.removeprefix("http://"),
            "accept": "text/html",
            "sec-fetch-site": "same-origin",
            "cookie": f"{SESSION_COOKIE}={self._secret}",
            "content-type": "application/x-www-form-urlencoded",
            "content-length": str(length),
        }
        return {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "client": ("127.0.0.1", 50_000),
            "server": ("127.0.0.1", 8765),
        }


def addresses(project: Large) -> Mapping[str, str]:
    """Return the pages that are measured, by what they are called."""
    state = project.story.state
    base = f"/p/{state.ledger}"
    inside = {**_views(project, state.revision), **_rooms(project)}
    return {
        "World": "/",
        **{name: base + address for name, address in inside.items()},
        "Settings": "/settings",
        "Operator": "/operator",
        "No such page": "/nowhere",
    }


def _at(view: str, **said: object) -> str:
    return f"/{view}" + (f"?{urlencode(said)}" if said else "")


def _views(project: Large, head: int) -> Mapping[str, str]:
    """Return the views of the worldstate."""
    deep, wide, worked = project.inner[-1], project.areas[0], project.worked
    return {
        "Outline": _at("outline"),
        "Outline, a node": _at("outline", node=deep),
        "Outline, a wide node": _at("outline", node=wide, open=wide[-11:]),
        "Outline, what needs care": _at("outline", show="care"),
        "Outline, all tasks": _at("outline", show=NodeKind.TASK.value, start=600),
        "Outline of the past": _at("outline", at=head // 2),
        "Difference, one revision": _at("outline", diff=f"{head - 1}..{head}"),
        "Difference, a hundred": _at("outline", diff=f"{head - 100}..{head}"),
        "Difference, everything": _at("outline", diff=f"0..{head}"),
        "Map": _at("map"),
        "Map, a node": _at("map", node=deep, steps=3),
        "Map, a wide node": _at("map", node=wide),
        "Map of the past": _at("map", at=head // 2),
        "Timeline": _at("timeline"),
        "Timeline, the middle": _at("timeline", before=head // 2),
        "Timeline, a node": _at("timeline", node=worked),
        "Timeline, what was integrated": _at("timeline", act=Purpose.RECONCILIATION.value),
        "Focus": _at("focus"),
        "Focus, a node": _at("focus", node=worked),
        "Focus of the past": _at("focus", node=wide, at=head // 2),
        "No such node": _at("focus", node="node_" + "0" * 26),
        "No such revision": _at("outline", at=head + 1),
    }


def _rooms(project: Large) -> Mapping[str, str]:
    """Return the rooms beside them."""
    waiting = project.story.state.open_deltas.keys()
    return {
        "Inbox": _at("inbox"),
        "Inbox, one item": _at(f"inbox/{waiting[len(waiting) // 2]}"),
        "Inbox, moving": _at(f"inbox/{waiting[0]}", act="move", q="garden"),
        "Search, a word": _at("search", q="kitchen"),
        "Search, three words": _at("search", q="kitchen heron trail"),
        "Search, nothing": _at("search", q="nowhere"),
        "Work": _at("work"),
        "Work, one thread": _at(f"work/{project.worked}"),
        "Work, a new task": _at(f"work/{project.tasks[-1]}"),
        "Work, a brief": _at(f"work/{project.worked}/brief/{project.brief}"),
        "Ledger": _at("ledger"),
        "Ledger, the middle": _at("ledger", before=project.story.state.seq // 2),
        "Ledger, what was rejected": _at("ledger", type="delta.rejected"),
        "Taking a revision back": _at(f"revisions/{project.story.state.revision // 2}/take-back"),
        "Capture": _at("capture", node=project.inner[-1]),
    }


def _as_a_viewer(project: Large) -> Mapping[str, str]:
    """Return pages that are measured for somebody who sees the visible part of the history."""
    base = f"/p/{project.story.state.ledger}"
    return {f"{room.title()}, as a viewer": f"{base}/{room}" for room in ("outline", "map", "inbox", "work")}


def opened(folder: Path, project: Large) -> Studio:
    """Return a studio whose data folder holds the project; nothing of it is in memory yet."""
    settings = Settings(data=folder / "data", public_origin=ORIGIN)
    bootstrap.create_installation(settings)
    bootstrap.install_sandbox(settings)
    studio = bootstrap.open_studio(settings)
    story = project.story
    for start in range(0, len(story.events), _BATCH):
        studio.desk.ledger.append(story.ledger, start, story.events[start : start + _BATCH])
    return studio


def rows() -> list[Row]:
    """Return one row a page."""
    project = large(EVENTS)
    with tempfile.TemporaryDirectory(prefix="odeu-bench-") as folder:
        studio = opened(Path(folder), project)
        found = asyncio.run(_measured(Server(studio), addresses(project)))
        found |= asyncio.run(_measured(Server(studio, "vera"), _as_a_viewer(project)))
        found |= asyncio.run(_after_a_yes(Server(studio), studio, project))
    events = len(project.story.events)
    return [
        Row(
            f"page at {project.nodes:,} nodes, {events:,} events: {name}",
            f"{1000 * statistics.median(times):.1f} ms, {size / 1000:.0f} kB",
            target=f"<= {TIME_MAX_MS} ms, <= {SIZE_MAX_KB} kB",
            met=1000 * statistics.median(times) <= TIME_MAX_MS and size <= 1000 * SIZE_MAX_KB,
        )
        for name, (times, size) in found.items()
    ]


async def _after_a_yes(server: Server, studio: Studio, project: Large) -> dict[str, tuple[list[float], int]]:
    """Measure the first page after a change, and the answer to a yes that comes too late."""
    base = f"/p/{project.story.ledger}"
    pages = {"Outline, right after a yes": f"{base}/outline", "Work, right after a yes": f"{base}/work"}
    times: dict[str, list[float]] = {name: [] for name in (*pages, "A yes that comes too late")}
    sizes: dict[str, int] = {}
    caller = studio.access.caller(studio.world_id, OWNER, Via.CLI)
    for delta_id in project.story.state.open_deltas.keys()[: 2 * ROUNDS : 2]:
        state, _, seen = studio.reviews.shown(delta_id)
        studio.reviews.accept(caller, AcceptDelta(delta_id, 0, state.revision, seen))
        for name, address in pages.items():
            started = time.process_time()
            answer = await server.get(address)
            times[name].append(time.process_time() - started)
            sizes[name] = len(answer.body)
        started = time.process_time()
        late = await server.post(f"{base}/inbox/{delta_id}/accept", expected_revision="1", seen="sha256:old")
        times["A yes that comes too late"].append(time.process_time() - started)
        sizes["A yes that comes too late"] = len(late.body)
        assert late.status == 409, late  # noqa: PLR2004 - Conflict
    return {name: (found, sizes[name]) for name, found in times.items()}


async def _measured(server: Server, pages: Mapping[str, str]) -> dict[str, tuple[list[float], int]]:
    """Return seconds of processor time and bytes by page; all pages take turns, so caches are shared as in use."""
    times: dict[str, list[float]] = {name: [] for name in pages}
    sizes: dict[str, int] = {}
    for number in range(ROUNDS + 1):
        for name, address in pages.items():
            started = time.process_time()
            answer = await server.get(address)
            taken = time.process_time() - started
            expected = 404 if name.startswith("No such") else 200
            assert answer.status == expected, f"{name}: {answer.status} {answer.body[:200]!r}"
            sizes[name] = len(answer.body)
            if number:
                times[name].append(taken)
    return {name: (times[name], sizes[name]) for name in pages}
