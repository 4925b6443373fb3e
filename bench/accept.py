"""Accepting a proposal through the service on a long history beside a short one: what exists must not slow what changes.

`ODEU_BENCH_EVENTS` says how long the long one is. Each acceptance is one append, with the rebase of a proposal that
waited while others were accepted; time on the wall holds the sync of the disk, the processor's time does not.
"""

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import Final

from app.services.desk import Caller
from app.services.review import Reviews
from bench.ledgers import House, told
from bench.table import Row, interleaved, median_ms
from kernel.commands import AcceptDelta, AnswerExchange, CaptureSource, ProposePlacement
from kernel.values.placement import Place, PlacementAnswer
from kernel.vocabulary import NodeKind, SourceKind, Via, Visibility
from tests.support.story import HOST, OWNER

SMALL: Final = 1_000
LARGE: Final = int(os.environ.get("ODEU_BENCH_EVENTS", "100000"))
ROUNDS: Final = 60
WARM_UP: Final = 5
RATIO_MAX: Final = 1.3


def rows() -> list[Row]:
    """Return the acceptance by the clock on the wall, which has the target, and by the processor's."""
    with tempfile.TemporaryDirectory(prefix="odeu-bench-") as folder:
        stories = {size: told(size) for size in (SMALL, LARGE)}
        houses = {size: House(Path(folder) / str(size)).filled(story) for size, story in stories.items()}
        events = {size: len(story.events) for size, story in stories.items()}
        ways = {
            str(size): _accepting(houses[size], stories[size].ledger, 2 * (ROUNDS + WARM_UP))
            for size in stories
        }
        wall = interleaved(ways, rounds=ROUNDS, warm_up=WARM_UP, clock=perf_counter)
        busy = interleaved(ways, rounds=ROUNDS, warm_up=WARM_UP, clock=process_time)
        for house in houses.values():
            house.close()
    measure = f"accept through the service at {events[LARGE]:,} events"
    return [
        _row(measure, wall, events[SMALL], RATIO_MAX),
        _row(f"{measure}, processor time", busy, events[SMALL], None),
    ]


def _row(measure: str, found: Mapping[str, Sequence[float]], small_events: int, target: float | None) -> Row:
    small, large = median_ms(found[str(SMALL)]), median_ms(found[str(LARGE)])
    return Row(
        measure,
        f"{large:.2f} ms",
        f"{small:.2f} ms at {small_events:,} events",
        f"{large / small:.2f}",
        "" if target is None else f"<= {target}",
        None if target is None else large / small <= target,
    )


def _accepting(house: House, ledger: str, count: int) -> Callable[[], object]:
    """Return a way to accept one waiting proposal after another; each is proposed and shown beforehand."""
    desk, reviews, me = house.desk, Reviews(house.desk), Caller(OWNER, Via.BROWSER)
    root = desk.state(ledger).root_id
    # All wait from the start, as in a full inbox; a rebase in the same append is part of accepting.
    waiting = iter([_proposed(house, ledger, root, number) for number in range(count)])

    def accept() -> None:
        delta_id = next(waiting)
        state, _, seen = reviews.shown(delta_id)
        reviews.accept(me, AcceptDelta(delta_id, 0, state.revision, seen))

    return accept


def _proposed(house: House, ledger: str, root: str, number: int) -> str:
    me, host = Caller(OWNER, Via.BROWSER), Caller(HOST, Via.BROWSER)
    text = f"Order the tiles for room {number}"
    asked = house.desk.act(ledger, me, CaptureSource(text, SourceKind.TEXT, Visibility.SHARED, "local/1"))
    exchange_id = str(asked.events[-1].body.exchange_id)  # type: ignore[attr-defined]
    answer = PlacementAnswer(
        kind=NodeKind.TASK,
        title=text,
        places=(Place(parent_id=root, score=700, reason="It fits"),),
        kind_reason="It says what to do",
    )
    house.desk.act(ledger, host, AnswerExchange(exchange_id, answer.model_dump_json()))
    done = house.desk.act(ledger, me, ProposePlacement(exchange_id, answer))
    return str(done.events[0].body.delta_id)  # type: ignore[attr-defined]
