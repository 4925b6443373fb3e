"""Serves every example page behind the shipped edge: only the data is the views' own examples."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from app.web.edge import EdgeSettings, guarded
from app.web.origin import public_origin
from tests.web.gallery import EXAMPLES, ROOT, rendered


async def _nobody(_token: str) -> str | None:
    return None


async def _show(request: Request) -> Response:
    example = EXAMPLES[request.path_params["number"]]
    return HTMLResponse(rendered(example.template, example.state))


@contextmanager
def served() -> Iterator[str]:
    """Serve `/show/<number of the example>` on a free port until the block ends; give the origin."""
    sock = socket.create_server(("127.0.0.1", 0))
    origin = f"http://127.0.0.1:{sock.getsockname()[1]}"
    routes = [Route("/show/{number:int}", _show), Mount("/static", StaticFiles(directory=ROOT / "static"))]
    app = guarded(Starlette(routes=routes), EdgeSettings(public_origin(origin), _nobody))
    config = uvicorn.Config(app, log_level="critical", lifespan="off", ws="none", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[sock])), daemon=True)
    thread.start()
    while not server.started:
        thread.join(0.01)
    try:
        yield origin
    finally:
        server.should_exit = True
        thread.join(10)
        sock.close()
