"""Live updates: tells open pages that a ledger's head moved, and nothing else.

An event carries the head's sequence number; what changed is read by the page through its own requests, with
its own rights. Pure asyncio: one task polls, any number of streams wait for it. Streams never queue events:
a slow reader skips to the newest head.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Final, TypeAlias

from starlette.responses import StreamingResponse

from kernel.errors import BoundaryError

POLL_S: Final = 0.25
HEARTBEAT_S: Final = 15.0
LIFETIME_S: Final = 600.0
"""A stream ends by itself and the browser opens a new one, so a revoked session does not listen for ever."""
STREAMS_MAX: Final = 256
_DIGITS_MAX: Final = 15
_log = logging.getLogger(__name__)

Changed: TypeAlias = Callable[[], Awaitable[Mapping[str, int]]]
"""Returns the head sequence of every ledger that moved since the last call; empty when none did."""


def last_event_id(header: str | None, after: str | None) -> int | None:
    """Return the sequence a client has seen: its `Last-Event-ID`, else the page's `after`, else None."""
    for text in (header, after):
        if text is not None and text.isascii() and text.isdigit() and len(text) <= _DIGITS_MAX:
            return int(text)
    return None


def head_event(seq: int) -> bytes:
    """Return the wire form of one head event; its id is the sequence."""
    return f"id: {seq}\nevent: head\ndata: {seq}\n\n".encode()


class Broadcast:
    """The newest head per ledger, and everyone who waits for the next one.

    `run` is the polling task, started by the application. `stop` ends it and every stream; call it when the
    server begins to shut down, because a server waits for open responses before its lifespan ends. Between two
    questions lies a pause of `pause_s` seconds; 0 when `changed` itself waits.
    """

    def __init__(
        self, changed: Changed, heartbeat_s: float = HEARTBEAT_S, *, pause_s: float = POLL_S
    ) -> None:
        self._changed = changed
        self._pause_s = pause_s
        self._heartbeat_s = heartbeat_s
        self._heads: dict[str, int] = {}
        self._moved = asyncio.Condition()
        self._stopped = asyncio.Event()
        self._streams = 0

    @property
    def is_full(self) -> bool:
        """True when no further stream should be opened; the route answers 503 then."""
        return self._streams >= STREAMS_MAX

    async def run(self) -> None:
        """Poll until stopped; a ledger that cannot be read now is asked again."""
        while not self._stopped.is_set():
            try:
                await self.publish(await self._changed())
            except BoundaryError as error:
                _log.warning("live updates wait: %s", error.reason_code)
            try:
                await asyncio.wait_for(self._stopped.wait(), self._pause_s)
            except TimeoutError:
                continue

    async def stream_from(self, ledger: str, head: int, after: int | None = None) -> AsyncIterator[bytes]:
        """Yield the head events of a stream whose newest head is known to whoever opens it."""
        await self.publish({ledger: head})
        async for part in self.stream(ledger, after):
            yield part

    async def publish(self, heads: Mapping[str, int]) -> None:
        """Take in heads that moved; also called right after a commit of this process, to save the poll."""
        newer = {ledger: seq for ledger, seq in heads.items() if seq > self._heads.get(ledger, 0)}
        if newer:
            async with self._moved:
                self._heads.update(newer)
                self._moved.notify_all()

    async def stop(self) -> None:
        """End the polling task and every open stream."""
        self._stopped.set()
        async with self._moved:
            self._moved.notify_all()

    async def stream(self, ledger: str, after: int | None = None) -> AsyncIterator[bytes]:
        """Yield head events of one ledger newer than `after`, with a comment line as heartbeat.

        The first bytes come at once, so that the page can say that it is live.
        """
        self._streams += 1
        seen = 0 if after is None else after
        ends_at = asyncio.get_running_loop().time() + LIFETIME_S
        try:
            yield b"retry: 2000\n: live\n\n"
            while not self._stopped.is_set() and asyncio.get_running_loop().time() < ends_at:
                head = await self._next(ledger, seen)
                if self._stopped.is_set():
                    return
                if head is None:
                    yield b": beat\n\n"
                else:
                    seen = head
                    yield head_event(head)
        finally:
            self._streams -= 1

    async def _next(self, ledger: str, seen: int) -> int | None:
        """Wait for a head beyond `seen`; None after one heartbeat of silence, or when stopped."""
        try:
            async with asyncio.timeout(self._heartbeat_s), self._moved:
                await self._moved.wait_for(
                    lambda: self._stopped.is_set() or self._heads.get(ledger, 0) > seen
                )
        except TimeoutError:
            return None
        head = self._heads.get(ledger, 0)
        return head if head > seen else None


def event_stream(body: AsyncIterator[bytes]) -> StreamingResponse:
    """Return the response of a stream; proxies are asked not to hold it back."""
    headers = {"X-Accel-Buffering": "no"}
    return StreamingResponse(body, media_type="text/event-stream", headers=headers)
