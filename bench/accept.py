"""Accepting a proposal through the service, at 10,000 events beside 100: what exists must not slow what changes."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from app.services.desk import Caller
from app.services.review import Reviews
from bench.ledgers import House, told
from bench.table import Row, interleaved, median_ms
from kernel.commands import AcceptDelta, AnswerExchange, CaptureSource, ProposePlacement
from kernel.values.placement import Place, PlacementAnswer
from kernel.vocabulary import NodeKind, SourceKind, Via, Visibility
from tests.support.story import HOST, OWNER

SMALL: Final = 100
LARGE: Final = 10_000
ROUNDS: Final = 60
RATIO_MAX: Final = 1.3


def rows() -> list[Row]:
    """Return the one row of this measure."""
    with tempfile.TemporaryDirectory(prefix="odeu-bench-") as folder:
        stories = {size: told(size) for size in (SMALL, LARGE)}
        houses = {size: House(Path(folder) / str(size)).filled(story) for size, story in stories.items()}
        ways = {
            str(size): _accepting(houses[size], stories[size].ledger, ROUNDS + 5) for size in (SMALL, LARGE)
        }
        found = interleaved(ways, rounds=ROUNDS, warm_up=5)
        for house in houses.values():
            house.close()
    small, large = median_ms(found[str(SMALL)]), median_ms(found[str(LARGE)])
    return [
        Row(
            f"accept through the service at {LARGE:,} events",
            f"{large:.2f} ms",
            f"{small:.2f} ms at {SMALL} events",
            f"{large / small:.2f}",
            f"<= {RATIO_MAX}",
            large / small <= RATIO_MAX,
        )
    ]


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
