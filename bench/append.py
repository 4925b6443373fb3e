"""One event per acknowledgement: canonical bytes, leaf hash, tree, compare-and-swap, encrypted text, signed head."""

import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pysqlite3

from bench import peers
from bench.ledgers import House, told
from bench.table import Row, interleaved, median_ms
from kernel.events.envelope import Event, event_bytes
from tests.ledger.building import Author
from tests.support.story import Story

ROUNDS: Final = 300
PRODUCERS: Final = 8
BURST: Final = 15
BURSTS: Final = 8
WARM_UP: Final = 10
PEER_MIN: Final = 0.5
PEER_MIN_EIGHT: Final = 2.0


def rows() -> list[Row]:
    """Return our append beside the raw driver's commit and beside the peer's recorder, in events a second."""
    story = told(ROUNDS + WARM_UP)
    payloads = [event_bytes(event) for event in story.events]
    with tempfile.TemporaryDirectory(prefix="odeu-bench-") as name:
        folder = Path(name)
        house = House(folder / "ours")
        ways = {"ours": _appending(house, story), "raw": _committing(folder / "raw.db", payloads)}
        if peers.installed():
            ways["peer"] = peers.recording(folder, payloads)
        found = interleaved(ways, rounds=ROUNDS, warm_up=WARM_UP)
        house.close()
    took = {way: median_ms(seconds) for way, seconds in found.items()}
    ours = f"{1000 / took['ours']:,.0f}/s"
    table = [
        Row(
            "ledger append, one event per acknowledgement",
            ours,
            f"{1000 / took['raw']:,.0f}/s raw driver, one row, FULL sync",
            f"{took['raw'] / took['ours']:.2f}x as fast",
        )
    ]
    if "peer" in took:
        ratio = took["peer"] / took["ours"]
        table.append(
            Row(
                "ledger append beside eventsourcing's recorder",
                ours,
                f"{1000 / took['peer']:,.0f}/s eventsourcing insert_events",
                f"{ratio:.2f}x as fast",
                f">= {PEER_MIN}x",
                ratio >= PEER_MIN,
            )
        )
    return [*table, *_eight()]


def _eight() -> list[Row]:
    """Return eight producers at once, each on its own ledger, beside eight that use the peer's recorder."""
    if not peers.installed():
        return []
    authors = [Author(f"project_{number:026d}") for number in range(PRODUCERS)]
    count = BURST * (BURSTS + 1)
    told = [[author.captured(seq) for seq in range(1, count + 1)] for author in authors]
    with tempfile.TemporaryDirectory(prefix="odeu-bench-") as name:
        folder = Path(name)
        house = House(folder / "ours")

        def ours(events: Sequence[Event]) -> Callable[[], object]:
            waiting = iter(events)

            def append() -> None:
                event = next(waiting)
                house.ledger.append(event.ledger, event.seq - 1, [event])

            return append

        recording = peers.recording_many(
            folder, [[event_bytes(event) for event in events] for events in told]
        )
        ways = {"ours": _burst([ours(events) for events in told]), "peer": _burst(recording)}
        found = interleaved(ways, rounds=BURSTS, warm_up=1)
        house.close()
    took = {way: median_ms(seconds) / (BURST * PRODUCERS) for way, seconds in found.items()}
    ratio = took["peer"] / took["ours"]
    return [
        Row(
            "ledger append, eight producers on their own ledgers",
            f"{1000 / took['ours']:,.0f}/s",
            f"{1000 / took['peer']:,.0f}/s eventsourcing insert_events",
            f"{ratio:.2f}x as fast",
            f">= {PEER_MIN_EIGHT}x",
            ratio >= PEER_MIN_EIGHT,
        )
    ]


def _burst(producers: Sequence[Callable[[], object]]) -> Callable[[], object]:
    def produce(append: Callable[[], object]) -> None:
        for _ in range(BURST):
            append()

    def burst() -> None:
        with ThreadPoolExecutor(len(producers)) as pool:
            list(pool.map(produce, producers))

    return burst


def _appending(house: House, story: Story) -> Callable[[], object]:
    waiting = iter(story.events)

    def append() -> None:
        event = next(waiting)
        house.ledger.append(story.ledger, event.seq - 1, [event])

    return append


def _committing(path: Path, payloads: Sequence[bytes]) -> Callable[[], object]:
    connection = pysqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE events (ledger TEXT, seq INTEGER, data BLOB, PRIMARY KEY (ledger, seq))")
    waiting = iter(enumerate(payloads, 1))

    def commit() -> None:
        seq, payload = next(waiting)
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO events VALUES ('bench', ?, ?)", (seq, payload))
        connection.execute("COMMIT")

    return commit
