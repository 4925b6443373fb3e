"""Serves every example of the Work, brief and operator pages behind the real middleware, for tests and screenshots.

A stand-in for no product code: the pages, styles, scripts and headers are the shipped ones; only the data is
the views' own examples.
"""

import asyncio
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from app.views.operator import OperatorPage
from app.views.settings import SettingsPage
from app.views.work.brief import BriefPage
from app.views.work.page import WorkListPage, WorkThreadPage
from app.views.worldstate.outline import OutlinePage
from app.web import edge
from app.web.origin import PublicOrigin, public_origin
from app.web.patterns import patterns_page
from app.web.sse import Broadcast, event_stream
from app.web.templating import render_page

ROOT = Path(__file__).resolve().parents[2]
OPERATOR_TOKEN = "odeu-operator-" + "t" * 32


def slug(state: str) -> str:
    """Return a state's name as it stands in an address."""
    return re.sub(r"[^a-z0-9]+", "-", state.lower()).strip("-")


def pages() -> dict[str, tuple[str, object]]:
    """Return every example page as address -> (template, page)."""
    families = (
        ("thread", "work/thread.html", WorkThreadPage.examples()),
        ("list", "work/list.html", WorkListPage.examples()),
        ("brief", "brief/page.html", BriefPage.examples()),
        ("operator", "operator/page.html", OperatorPage.examples()),
        ("outline", "outline/page.html", OutlinePage.examples()),
        ("settings", "settings/page.html", SettingsPage.examples()),
    )
    shown: dict[str, tuple[str, object]] = {
        f"{family}/{slug(state)}": (template, page)
        for family, template, examples in families
        for state, page in examples.items()
    }
    for fragment in (
        None,
        "work-threads",
        "run-progress",
        "operator-moves",
        "inbox-item",
        "outline-tree",
        "focus",
    ):
        page = patterns_page(fragment)
        assert page is not None, f"no fragment {fragment}"
        shown[f"patterns/{fragment or 'parts'}"] = ("patterns/page.html", page)
    return shown


@dataclass
class Seen:
    """What the gallery's server was sent, for a test to look at."""

    acts: list[dict[str, str]] = field(default_factory=list)
    polls: list[str] = field(default_factory=list)
    """The queries of the requests for the thread."""
    thread: str = "running"
    """Which example the thread's own address shows."""
    head: int = 0
    """Raise it to make the server say that the ledger moved."""

    async def heads(self) -> dict[str, int]:
        """Answer as a ledger that is asked what moved."""
        return {"example": self.head}


def guarded(app: Starlette, origin: PublicOrigin) -> ASGIApp:
    """Return an application behind the product's edge, with one operator known."""

    async def find_operator(token: str) -> str | None:
        """Know one operator by one token."""
        return "operator_mira" if token == OPERATOR_TOKEN else None

    return edge.guarded(app, edge.EdgeSettings(origin, find_operator))


def gallery(origin: PublicOrigin, seen: Seen) -> ASGIApp:
    """Return the application that shows `/show/<family>/<state>` and answers an operator's act."""
    known = pages()

    async def show(request: Request) -> Response:
        """Show one example page."""
        template, page = known[request.path_params["name"]]
        return HTMLResponse(render_page(template, page))

    async def execute(request: Request) -> Response:
        """Answer an operator's act and keep what it carried."""
        body = (await request.body()).decode()
        seen.acts.append({**dict(request.headers), "body": body, "operator": request.state.operator_id})
        return JSONResponse({"outcome": "promoted"})

    async def thread(request: Request) -> Response:
        """Show the thread as it stands now."""
        seen.polls.append(str(request.url.query))
        return HTMLResponse(render_page("work/thread.html", WorkThreadPage.examples()[seen.thread]))

    broadcast = Broadcast(seen.heads)
    polling: list[asyncio.Task[None]] = []

    async def events(request: Request) -> Response:
        """Stream the example ledger."""
        del request
        if not polling:
            polling.append(asyncio.ensure_future(broadcast.run()))
        return event_stream(broadcast.stream("example", after=seen.head))

    routes = [
        Route("/events", events),
        Route("/p/birch-lane/work/{thread}", thread),
        Route("/p/birch-lane/events", events),
        Route("/show/{name:path}", show),
        Route("/api/v1/promotions/{id}/execute", execute, methods=["POST"]),
        Mount("/static", StaticFiles(directory=ROOT / "static")),
    ]

    return guarded(Starlette(routes=routes), origin)


@contextmanager
def served() -> Iterator[tuple[str, Seen]]:
    """Serve the gallery on a free port; give its origin and what it was sent."""
    seen = Seen()
    sock = socket.create_server(("127.0.0.1", 0))
    origin = f"http://127.0.0.1:{sock.getsockname()[1]}"
    app = gallery(public_origin(origin), seen)
    config = uvicorn.Config(app, log_level="error", lifespan="off", ws="none", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[sock])), daemon=True)
    thread.start()
    while not server.started:
        thread.join(0.01)
    try:
        yield origin, seen
    finally:
        server.should_exit = True
        thread.join(10)
        sock.close()
