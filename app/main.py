"""The server application: routes, refusals, worker and live updates, behind the one edge."""

import asyncio
import logging
import signal
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Final

from fastapi import APIRouter, FastAPI, Request
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from app.bootstrap import map_layout, probe_machine
from app.routes import (
    account,
    briefs,
    bundles,
    changing,
    deeds,
    importing,
    inbox,
    ledger,
    operating,
    outline,
    pages,
    search,
    sessions,
    settings,
    streams,
    timeline,
)
from app.routes import map as map_pages
from app.routes import work as work_pages
from app.routes.api import changes, deciding, ledgers, people, projects, promotions, reviews, work
from app.routes.api.contract import PROBLEMS, NotModifiedError
from app.routes.returning import sign_in_first
from app.routes.shelling import error_response
from app.routes.streams import HeadFeed
from app.routes.visiting import ProblemError, SignInFirstError
from app.services.doctor import Looking
from app.services.studio import Studio
from app.services.verifying import Verifications
from app.web.edge import EdgeSettings, guarded
from app.web.errors_http import answer_with
from app.web.origin import public_origin
from app.web.rates import CAPTURE, PASSWORD, SIGN_IN, TokenBuckets
from app.web.requests import BODY_BYTES_MAX, BodyBounds
from app.worker import Worker
from kernel.errors import AuthorityError
from kernel.rules.limits import SOURCE_BYTES_MAX

_log = logging.getLogger(__name__)

STATIC: Final = Path(__file__).resolve().parent.parent / "static"
API: Final = "/api/v1"
_ANSWER: Final = answer_with(error_response)
_BOUNDS: Final = BodyBounds(
    by_prefix=(
        (bundles.IMPORT_PATH, bundles.BUNDLE_BYTES_MAX),
        *((path, BODY_BYTES_MAX + SOURCE_BYTES_MAX) for path in ("/capture", "/import-outline", "/p/")),
    )
)
"""Pages take one file of a capture's size beside their fields; a bundle may be larger than anything else."""
_ROOMS: Final = (
    account,
    sessions,
    streams,
    pages,
    inbox,
    outline,
    timeline,
    map_pages,
    search,
    ledger,
    bundles,
    deeds,
    importing,
    changing,
    settings,
    work_pages,
    briefs,
    operating,
)
"""Every module of pages."""


def create_app(studio: Studio, seconds: Callable[[], float] = time.monotonic) -> ASGIApp:
    """Return the whole server for uvicorn: the application behind the edge. `seconds` paces the rates.

    Raises: ConfigurationError when the public origin is neither https nor exact loopback.
    """
    origin = public_origin(studio.settings.origin)

    async def find_operator(token: str) -> str | None:
        return await asyncio.to_thread(_operator_id, studio, token)

    settings = EdgeSettings(origin, find_operator, _BOUNDS, answer=_ANSWER, clock=seconds)
    return guarded(application(studio, seconds), settings)


def _operator_id(studio: Studio, token: str) -> str | None:
    try:
        return studio.access.operator(token, studio.clock.now()).person_id
    except AuthorityError:
        return None


def application(studio: Studio, seconds: Callable[[], float] = time.monotonic) -> FastAPI:
    """Return the routes without the edge; `create_app` is what a server runs."""
    app = FastAPI(
        title="ODEU Worldstate Studio",
        version="1",
        openapi_url=f"{API}/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
        redirect_slashes=False,
    )
    app.state.studio = studio
    app.state.origin = public_origin(studio.settings.origin)
    app.state.signin_rate = TokenBuckets(SIGN_IN, seconds)
    app.state.password_rate = TokenBuckets(PASSWORD, seconds)
    app.state.capture_rate = TokenBuckets(CAPTURE, seconds)
    app.state.feed = HeadFeed(studio.desk)
    app.state.worker = Worker(studio.queue)
    app.state.layout = map_layout()
    app.state.verifications = Verifications(studio.audits, studio.clock.now)
    app.state.looking = Looking(partial(probe_machine, studio.settings), studio.clock.now, seconds)
    app.include_router(_api())
    for module in _ROOMS:
        app.include_router(module.router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    _add_answers(app)
    return app


def _api() -> APIRouter:
    api = APIRouter(prefix=API, responses=PROBLEMS)
    for router in (
        projects.router,
        reviews.router,
        deciding.router,
        changes.router,
        work.router,
        promotions.router,
        people.router,
        ledgers.router,
        streams.api_router,
    ):
        api.include_router(router)
    return api


def _add_answers(app: FastAPI) -> None:
    """Answer what the routes raise beside the errors of the house, which the edge answers."""

    def on_problem(request: Request, error: Exception) -> Response:
        assert isinstance(error, ProblemError)
        return _ANSWER(request, error.problem)

    async def on_no_session(request: Request, _error: Exception) -> Response:
        return await sign_in_first(request)

    async def on_not_modified(_request: Request, error: Exception) -> Response:
        assert isinstance(error, NotModifiedError)
        return Response(status_code=304, headers={"ETag": error.tag})

    app.add_exception_handler(ProblemError, on_problem)
    app.add_exception_handler(SignInFirstError, on_no_session)
    app.add_exception_handler(NotModifiedError, on_not_modified)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Settle who may do what, then serve; beside it continue what a dead process left, work and tell.

    A role whose end is recorded must not open one page more because the process died before the table followed.
    """
    studio: Studio = app.state.studio
    feed: HeadFeed = app.state.feed
    worker: Worker = app.state.worker
    await asyncio.to_thread(studio.people.settle)
    continuing = asyncio.create_task(asyncio.to_thread(_continue, studio))
    telling = asyncio.create_task(feed.run())
    worker.start()
    try:
        with _streams_end_first(feed):
            yield
    finally:
        await feed.broadcast.stop()
        await telling
        await asyncio.to_thread(worker.stop)
        await continuing


def _continue(studio: Studio) -> None:
    """Complete what an earlier process began, while pages are served already.

    A long history takes seconds to read, and pages that need it wait for just that. It is safe beside others: any
    process may do it, and an append that comes too late is refused.
    """
    try:
        studio.recover()
    except Exception:  # noqa: BLE001 - the outermost frame of the thread: whoever runs this is to see it now
        _log.exception("what an earlier process began is not completed; the next start tries again")


@contextmanager
def _streams_end_first(feed: HeadFeed) -> Iterator[None]:
    """End the live streams when the server is told to stop: it waits for open responses before its lifespan ends."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def stop(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(lambda: loop.create_task(feed.broadcast.stop()))
        handler = before[signal.Signals(number)]
        if callable(handler):
            handler(number, frame)

    chained = [number for number, handler in before.items() if callable(handler)]
    for number in chained:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number in chained:
            signal.signal(number, before[number])
