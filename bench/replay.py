"""Replaying a long ledger to its state, as a starting server does: events proved and read, tables rehashed.

A replay leaves texts sealed until somebody asks for one, and the peer decrypts all; so the same replay with every
text of the state opened stands beside it. Each is timed until it has what it makes; throwing that away, which no
server does, is no part of it, ours and theirs alike. Times are processor time: the pages of the database are in memory and
nothing is waited for, and a shared machine would otherwise be measured instead.
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Final

import orjson
import pysqlite3

from app.services.desk import Desk
from bench import peers
from bench.ledgers import House, told
from bench.table import Row, interleaved, median_ms
from kernel.events.envelope import words_of
from kernel.reducer.operations import state_root
from kernel.state import State
from kernel.values.words import Words

EVENTS: Final = int(os.environ.get("ODEU_BENCH_EVENTS", "100000"))
"""How long the ledger is; it takes a minute to tell first."""

ROUNDS: Final = 3
PEER_MIN: Final = 3.0
COLD_S: Final = 3.0
COLD_EVENTS: Final = 100_000


def rows() -> list[Row]:
    """Return the rate beside the raw floor, beside the peer, and the cold start it means."""
    story = told(EVENTS)
    count = len(story.events)
    with tempfile.TemporaryDirectory(prefix="odeu-bench-") as name:
        folder = Path(name)
        house = House(folder / "ours").filled(story)

        def replayed() -> State:
            desk = Desk(house.ledger, house.desk.clock, house.desk.entropy)
            state = desk.state(story.ledger)
            assert state_root(state.tables) == story.state.state_root
            return state

        def opened() -> State:
            state = Desk(house.ledger, house.desk.clock, house.desk.entropy).state(story.ledger)
            assert all(words.text is not None for words in _words(state))
            return state

        def read() -> list[object]:
            raw = pysqlite3.connect(folder / "ours" / "odeu.db")
            rows = raw.execute("SELECT data FROM events ORDER BY ledger_id, seq").fetchall()
            found = [orjson.loads(row[0]) for row in rows]
            raw.close()
            assert len(found) == count
            return found

        ways: dict[str, Callable[[], object]] = {"ours": replayed, "opened": opened, "raw": read}
        if peers.installed():
            ways["peer"] = peers.rehydrating(folder, story.events)
        found = interleaved(ways, rounds=ROUNDS, warm_up=1, clock=process_time)
        house.close()
    took = {name: median_ms(seconds) for name, seconds in found.items()}
    return _rows(count, took)


def _words(state: State) -> Iterator[Words]:
    """Yield every text that the state holds."""
    for source in state.sources.rows():
        yield from words_of(source.body)
    for exchange in state.exchanges.rows():
        yield from words_of((exchange.body, exchange.response, exchange.detail))
    for delta in state.deltas.rows():
        yield from words_of((delta.body, delta.reason, delta.corrections))
    yield from words_of(state.tables.nodes.rows())


def _rows(count: int, took: dict[str, float]) -> list[Row]:
    def rate(way: str) -> str:
        return f"{1000 * count / took[way]:,.0f}/s"

    cold = took["ours"] / 1000 * COLD_EVENTS / count
    how = "measured" if count >= COLD_EVENTS else f"scaled from {count:,}"
    found = [
        Row(
            f"replay of {count:,} events to state (processor time)",
            rate("ours"),
            f"{rate('raw')} raw SELECT + orjson.loads",
            f"{took['ours'] / took['raw']:.1f}x its time",
        ),
        Row(
            "the same, and every text opened",
            rate("opened"),
            "",
            f"{took['opened'] / took['ours']:.1f}x its time",
        ),
        Row(
            f"cold state of {COLD_EVENTS:,} events ({how}; processor time)",
            f"{cold:.1f} s",
            f"{took['raw'] / 1000 * COLD_EVENTS / count:.1f} s raw SELECT + orjson.loads",
            "",
            f"<= {COLD_S:.0f} s",
            cold <= COLD_S,
        ),
    ]
    if "peer" in took:
        found.insert(2, _beside_peer(rate, took["peer"] / took["ours"]))
    return found


def _beside_peer(rate: Callable[[str], str], ratio: float) -> Row:
    return Row(
        "replay beside eventsourcing, same payload, its cipher on",
        rate("ours"),
        f"{rate('peer')} eventsourcing repository.get",
        f"{ratio:.2f}x as fast",
        f">= {PEER_MIN:.0f}x",
        ratio >= PEER_MIN,
    )
