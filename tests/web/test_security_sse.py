"""The live stream says that a head moved, catches up after a gap, and ends when it should."""

import asyncio
from collections.abc import AsyncIterator, Mapping

import pytest

from app.web.sse import Broadcast, event_stream, head_event, last_event_id
from kernel.errors import LedgerUnavailableError

OPENING = b"retry: 2000\n: live\n\n"


class Heads:
    """A ledger that moves when told; gives what moved since it was asked last, as the ledger's own poll does."""

    def __init__(self) -> None:
        self.moved: dict[str, int] = {}

    async def changed(self) -> Mapping[str, int]:
        """Return what moved and forget it."""
        moved, self.moved = self.moved, {}
        return moved


async def _next(stream: AsyncIterator[bytes]) -> bytes:
    return await asyncio.wait_for(anext(stream), 2)


async def test_a_move_reaches_the_ledgers_streams_alone() -> None:
    """A head event carries the sequence as id and data, and another ledger's stream stays still."""
    heads = Heads()
    broadcast = Broadcast(heads.changed, heartbeat_s=0.4)
    polling = asyncio.create_task(broadcast.run())
    mine, other = broadcast.stream("a"), broadcast.stream("b")
    assert [await _next(mine), await _next(other)] == [OPENING, OPENING]
    heads.moved = {"a": 7}
    assert await _next(mine) == b"id: 7\nevent: head\ndata: 7\n\n"
    assert await _next(other) == b": beat\n\n"
    await broadcast.stop()
    await polling


async def test_a_client_that_missed_something_hears_the_newest_head_at_once() -> None:
    """Resuming from an older sequence yields the head, one event, not the history."""
    broadcast = Broadcast(Heads().changed, heartbeat_s=0.05)
    for seq in (7, 8, 9):
        await broadcast.publish({"a": seq})
    stream = broadcast.stream("a", after=5)
    assert [await _next(stream) for _ in range(3)] == [OPENING, head_event(9), b": beat\n\n"]
    await broadcast.stop()


async def test_a_client_that_is_up_to_date_hears_a_heartbeat_only() -> None:
    """Nothing newer than what was seen is sent again."""
    broadcast = Broadcast(Heads().changed, heartbeat_s=0.05)
    await broadcast.publish({"a": 9})
    stream = broadcast.stream("a", after=9)
    assert [await _next(stream), await _next(stream)] == [OPENING, b": beat\n\n"]
    await broadcast.stop()


async def test_a_head_never_goes_back() -> None:
    """A late answer with an older head is ignored."""
    broadcast = Broadcast(Heads().changed, heartbeat_s=0.05)
    await broadcast.publish({"a": 9})
    await broadcast.publish({"a": 8})
    stream = broadcast.stream("a")
    assert [await _next(stream), await _next(stream)] == [OPENING, head_event(9)]
    await broadcast.stop()


async def test_every_stream_ends_when_the_server_stops() -> None:
    """Stopping ends waiting streams and the polling task at once, so that nothing holds a shutdown up."""
    broadcast = Broadcast(Heads().changed)
    polling = asyncio.create_task(broadcast.run())
    streams = [broadcast.stream("a") for _ in range(3)]
    for stream in streams:
        await _next(stream)
    waiting = [asyncio.create_task(anext(stream)) for stream in streams]
    await asyncio.sleep(0.01)
    await broadcast.stop()
    ends = await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), 2)
    assert [type(end) for end in ends] == [StopAsyncIteration] * 3
    await asyncio.wait_for(polling, 2)


async def test_a_ledger_that_cannot_be_read_is_asked_again() -> None:
    """One failed poll does not end live updates."""
    answers: list[Mapping[str, int] | LedgerUnavailableError] = [
        LedgerUnavailableError("The disk is busy."),
        {"a": 3},
    ]

    async def changed() -> Mapping[str, int]:
        """Fail once, then say where the heads are."""
        answer = answers.pop(0) if answers else {}
        if isinstance(answer, LedgerUnavailableError):
            raise answer
        return answer

    broadcast = Broadcast(changed)
    polling = asyncio.create_task(broadcast.run())
    stream = broadcast.stream("a")
    assert [await _next(stream), await _next(stream)] == [OPENING, head_event(3)]
    await broadcast.stop()
    await polling


async def test_a_left_stream_frees_its_place() -> None:
    """A client that goes away is not counted any more."""
    broadcast = Broadcast(Heads().changed)
    stream = broadcast.stream("a")
    await _next(stream)
    assert broadcast._streams == 1
    await stream.aclose()  # type: ignore[attr-defined]
    assert (broadcast._streams, broadcast.is_full) == (0, False)
    await broadcast.stop()


@pytest.mark.parametrize(
    ("header", "after", "seen"),
    [(None, None, None), ("12", None, 12), (None, "9", 9), ("12", "9", 12), ("x", "9", 9), ("-1", None, None), ("9" * 40, None, None)],
)  # fmt: skip
def test_what_a_client_has_seen(header: str | None, after: str | None, seen: int | None) -> None:
    """`Last-Event-ID` wins over the page's `after`; nonsense counts as nothing."""
    assert last_event_id(header, after) == seen


def test_a_stream_is_an_event_stream() -> None:
    """The response says what it is and asks proxies not to hold it back."""
    answer = event_stream(Broadcast(Heads().changed).stream("a"))
    assert (answer.headers["content-type"], answer.headers["x-accel-buffering"]) == (
        "text/event-stream; charset=utf-8",
        "no",
    )
