"""An application behind the whole edge, and a client that speaks to it in memory."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

import httpx2
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from app.web.edge import EdgeSettings, guarded
from app.web.origin import PublicOrigin, public_origin
from app.web.requests import BodyBounds
from kernel.errors import StudioError

ORIGIN: Final = public_origin("http://127.0.0.1:8765")
TOKEN: Final = "operator-token-" + "k" * 32
EXECUTE: Final = "/api/v1/promotions/promotion_01/execute"
OPERATOR_HEADERS: Final = {
    "Origin": ORIGIN.origin,
    "Sec-Fetch-Site": "same-origin",
    "Authorization": f"Bearer {TOKEN}",
}


@dataclass
class Edge:
    """The guarded application with what reached its inside."""

    reached: list[str] = field(default_factory=list)
    looked_up: list[str] = field(default_factory=list)
    raises: Exception | None = None

    async def write(self, request: Request) -> Response:
        """Take a write: note its path and how much came."""
        body = await request.body()
        self.reached.append(f"{request.method} {request.url.path} {len(body)}")
        return PlainTextResponse("written", headers={"Cache-Control": "public, max-age=60"})

    async def read(self, request: Request) -> Response:
        """Answer a read, or fail as told."""
        self.reached.append(f"GET {request.url.path}")
        if self.raises is not None:
            raise self.raises
        return PlainTextResponse(
            "read", headers={"X-Content-Type-Options": "weak", "Cache-Control": "public"}
        )

    async def execute(self, request: Request) -> Response:
        """Take an operator's act and say who it was."""
        self.reached.append("execute")
        return JSONResponse({"operator": request.state.operator_id})

    async def find_operator(self, token: str) -> str | None:
        """Know exactly one operator."""
        self.looked_up.append(token)
        return "operator_mira" if token == TOKEN else None

    def app(self, origin: PublicOrigin = ORIGIN) -> ASGIApp:
        """Return the application inside the middleware, in the order the product uses."""
        routes = [
            Route("/write", self.write, methods=["POST", "PUT", "DELETE"]),
            Route("/write/large", self.write, methods=["POST"]),
            Route("/read", self.read),
            Route("/static/a.css", self.read),
            Route("/api/v1/promotions/{id}/execute", self.execute, methods=["POST"]),
        ]
        bounds = BodyBounds(default=64, by_prefix=(("/write/large", 4096),))
        settings = EdgeSettings(origin, self.find_operator, bounds, clock=lambda: 0.0)
        return guarded(Starlette(routes=routes), settings)

    @asynccontextmanager
    async def client(self) -> AsyncIterator[httpx2.AsyncClient]:
        """Give a client that knows the server by its public origin."""
        transport = httpx2.ASGITransport(app=self.app())
        async with httpx2.AsyncClient(transport=transport, base_url=ORIGIN.origin) as client:
            yield client

    async def send(self, method: str, path: str, **arguments: object) -> httpx2.Response:
        """Send one request."""
        async with self.client() as client:
            return await client.request(method, path, **arguments)  # type: ignore[arg-type]


def failing(error: StudioError) -> Edge:
    """Return an edge whose inside refuses every read with that error."""
    return Edge(raises=error)
