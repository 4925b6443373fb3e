"""One event per acknowledgement: canonical bytes, leaf hash, tree, compare-and-swap, encrypted text, signed head."""

import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pysqlite3

from bench import peers
from bench.ledgers import House, told
from bench.table import Row, interleaved, median_ms
from kernel.events.envelope import Event, event_bytes
from tests.ledger.building import Author
from tests.ledger.postgres_server import running_server, server_programs

ROUNDS: Final = 300
PRODUCERS: Final = 8
BURST: Final = 15
BURSTS: Final = 8
WARM_UP: Final = 10
PEER_MIN: Final = 0.5
PEER_MIN_EIGHT: Final = 2.0
PEER_MIN_EIGHT_POSTGRES: Final = 1.5


def rows() -> list[Row]:
    """Return our append beside the raw driver's commit and beside the peer's recorder, in events a second."""
    story = told(ROUNDS + WARM_UP)
    payloads = [event_bytes(event) for event in story.events]
    with tempfile.TemporaryDirectory(prefix="odeu-bench-") as name:
        folder = Path(name)
        house = House(folder / "ours")
        ways = {"ours": _appending(house, story.events), "raw": _committing(folder / "raw.db", payloads)}
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
        table.append(_row("ledger append beside eventsourcing's recorder", took, PEER_MIN))
    return [*table, *_eight_on_sqlite(), *_eight_on_postgres()]


def _eight_on_sqlite() -> list[Row]:
    """Return eight producers at once, each on its own ledger, beside eight that use the peer's recorder."""
    if not peers.installed():
        return []
    told = _told_by_each()
    with tempfile.TemporaryDirectory(prefix="odeu-bench-") as name:
        house = House(Path(name) / "ours")
        recording = peers.recording_many(Path(name), [_payloads(events) for events in told])
        found = _side_by_side(house, told, recording)
    return [_row("ledger append, eight producers on their own ledgers", found, PEER_MIN_EIGHT)]


def _eight_on_postgres() -> list[Row]:
    """Return the same on a PostgreSQL server of the bench's own, both in databases of it."""
    programs = server_programs()
    if programs is None or not peers.speaks_postgres():
        return []
    told = _told_by_each()
    with (
        tempfile.TemporaryDirectory(prefix="odeu-bench-") as name,
        tempfile.TemporaryDirectory(prefix="odeu-pg-") as socket,
        running_server(Path(socket), programs) as server,
        peers.recording_in_postgres(
            server.fresh_database(), [_payloads(events) for events in told]
        ) as recording,
    ):
        house = House(Path(name) / "ours", server.fresh_database())
        found = _side_by_side(house, told, recording)
    return [_row("the same on PostgreSQL", found, PEER_MIN_EIGHT_POSTGRES)]


def _told_by_each() -> list[list[Event]]:
    """Return what each producer appends, a millisecond after the other: ids begin with their moment, as in use."""
    began = datetime(2026, 11, 30, 12, tzinfo=UTC)

    def event(number: int, seq: int) -> Event:
        moment = began + timedelta(milliseconds=seq * PRODUCERS + number)
        author = Author(f"project_{number:026d}", at=moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ"))
        return author.captured(seq)

    count = BURST * (BURSTS + 1)
    return [[event(number, seq) for seq in range(1, count + 1)] for number in range(PRODUCERS)]


def _payloads(events: Sequence[Event]) -> list[bytes]:
    return [event_bytes(event) for event in events]


def _side_by_side(
    house: House, told: Sequence[Sequence[Event]], recording: Sequence[Callable[[], object]]
) -> dict[str, float]:
    """Return the milliseconds per event of either side, whose bursts took turns."""
    ways = {
        "ours": _burst([_appending(house, events) for events in told]),
        "peer": _burst(recording),
    }
    found = interleaved(ways, rounds=BURSTS, warm_up=1)
    house.close()
    return {way: median_ms(seconds) / (BURST * PRODUCERS) for way, seconds in found.items()}


def _row(measure: str, took: dict[str, float], target: float) -> Row:
    ratio = took["peer"] / took["ours"]
    return Row(
        measure,
        f"{1000 / took['ours']:,.0f}/s",
        f"{1000 / took['peer']:,.0f}/s eventsourcing insert_events",
        f"{ratio:.2f}x as fast",
        f">= {target}x",
        ratio >= target,
    )


def _burst(producers: Sequence[Callable[[], object]]) -> Callable[[], object]:
    def produce(append: Callable[[], object]) -> None:
        for _ in range(BURST):
            append()

    def burst() -> None:
        with ThreadPoolExecutor(len(producers)) as pool:
            list(pool.map(produce, producers))

    return burst


def _appending(house: House, events: Sequence[Event]) -> Callable[[], object]:
    waiting = iter(events)

    def append() -> None:
        event = next(waiting)
        house.ledger.append(event.ledger, event.seq - 1, [event])

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
