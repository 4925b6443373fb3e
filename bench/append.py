"""One event per acknowledgement: canonical bytes, leaf hash, tree, compare-and-swap, encrypted text, signed head."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import pysqlite3

from bench import peers
from bench.ledgers import House, told
from bench.table import Row, interleaved, median_ms
from kernel.events.envelope import event_bytes
from tests.support.story import Story

ROUNDS: Final = 300
WARM_UP: Final = 10
PEER_MIN: Final = 0.5


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
    return table


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
