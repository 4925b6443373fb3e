"""Live updates over HTTP: which heads moved, told only to those who may read the ledger."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Final

from fastapi import APIRouter, Header, Query, Request
from starlette.responses import StreamingResponse

from app.routes.visiting import ApiVisitor, PageVisitor, ProblemError, Visitor
from app.services.desk import Desk
from app.services.sights import sees_all
from app.web.errors_http import Problem
from app.web.sse import POLL_S, Broadcast, event_stream, last_event_id
from kernel.errors import LedgerUnavailableError
from kernel.state import State

router: Final = APIRouter(include_in_schema=False)

After = Annotated[str | None, Query(max_length=15, pattern="^[0-9]+$")]
LastId = Annotated[str | None, Header(alias="Last-Event-ID", max_length=64)]


class HeadFeed:
    """Brings heads to the broadcast: at once for what this process writes, by polling for other processes."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._version: int | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.broadcast = Broadcast(self._changed, pause_s=0)
        desk.listen(self._on_change)

    async def run(self) -> None:
        """Feed until the broadcast is stopped."""
        self._loop = asyncio.get_running_loop()
        try:
            await self.broadcast.run()
        finally:
            self._loop = None

    def _on_change(self, ledger_id: str, state: State) -> None:
        loop, heads = self._loop, {ledger_id: state.seq}
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(lambda: loop.create_task(self._publish(heads)))

    async def _publish(self, heads: Mapping[str, int]) -> None:
        """Tell the owners at once, and everybody else when something moved that they see."""
        await self.broadcast.publish(heads)
        if any(self._desk.sights.is_kept(ledger_id) for ledger_id in heads):
            await self.broadcast.publish(await asyncio.to_thread(self._seen_heads, heads))

    def _seen_heads(self, heads: Mapping[str, int]) -> Mapping[str, int]:
        sights = self._desk.sights
        try:
            return {seen(item): sights.state(item).seq for item in heads if sights.is_kept(item)}
        except LedgerUnavailableError:
            return {}

    async def _changed(self) -> Mapping[str, int]:
        try:
            return await asyncio.to_thread(self._heads)
        except LedgerUnavailableError:
            # The disk may come back; the streams stay open and say nothing until then.
            await asyncio.sleep(POLL_S)
            return {}

    def _heads(self) -> Mapping[str, int]:
        ledger = self._desk.ledger
        # Whoever waits here is woken by the write of another process, where the engine can tell.
        known = self._version
        version = ledger.changed() if known is None else ledger.wait(known, POLL_S)
        if version == self._version:
            return {}
        heads = {ledger_id: ledger.head(ledger_id).seq for ledger_id in ledger.ledgers()}
        self._version = version
        return {**heads, **self._seen_heads(heads)}


def seen(ledger_id: str) -> str:
    """Return the name of the stream for everybody who is no owner: it moves when what they see moves."""
    return f"seen {ledger_id}"


def open_stream(
    request: Request, visitor: Visitor, ledger_id: str, known: tuple[str | None, str | None]
) -> StreamingResponse:
    """Return the stream of a ledger the visitor may read; `known` is (Last-Event-ID, after).

    Raises: NotFoundError; ProblemError when too many streams are open.
    """
    state = visitor.state(ledger_id)
    name = ledger_id if sees_all(visitor.role(ledger_id)) else seen(ledger_id)
    broadcast: Broadcast = request.app.state.feed.broadcast
    if broadcast.is_full:
        detail = (
            "Too many pages are connected. The page works without the live connection; reload to see changes."
        )
        raise ProblemError(Problem(503, "streams_full", "Not live", detail, headers=(("Retry-After", "30"),)))
    heads = broadcast.stream_from(name, state.seq, last_event_id(*known))
    return event_stream(_while_seen(visitor, ledger_id, heads))


async def _while_seen(visitor: Visitor, ledger_id: str, heads: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Pass a stream on until its reader's role changes or their session ends: with the next head or heartbeat."""
    role = await asyncio.to_thread(visitor.role, ledger_id)
    async for item in heads:
        if not await asyncio.to_thread(visitor.still_is, role, ledger_id):
            return
        yield item


@router.get("/events")
def world_events(
    request: Request, visitor: PageVisitor, after: After = None, last_id: LastId = None
) -> StreamingResponse:
    """Stream the heads of the world ledger to the world's pages."""
    return open_stream(request, visitor, visitor.studio.world_id, (last_id, after))


@router.get("/p/{project_id}/events")
def project_events(
    project_id: str, request: Request, visitor: PageVisitor, after: After = None, last_id: LastId = None
) -> StreamingResponse:
    """Stream the heads of a project to its pages."""
    return open_stream(request, visitor, project_id, (last_id, after))


api_router: Final = APIRouter()


@api_router.get(
    "/events",
    response_class=StreamingResponse,
    responses={
        200: {"description": "`head` events; the id is the sequence", "content": {"text/event-stream": {}}}
    },
)
def api_events(
    request: Request,
    visitor: ApiVisitor,
    ledger_id: Annotated[str, Query(pattern="^project_[0-7][0-9a-hjkmnp-tv-z]{25}$", max_length=34)],
    after: After = None,
    last_id: LastId = None,
) -> StreamingResponse:
    """Stream the heads of one ledger from `Last-Event-ID`, or `after`, on."""
    return open_stream(request, visitor, ledger_id, (last_id, after))
