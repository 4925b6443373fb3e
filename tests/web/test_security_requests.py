"""Bodies are bounded before parsing, forms belong to their session, and acts have a rate."""

import http.client
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import pytest
import uvicorn
from starlette.types import ASGIApp

from app.web import rates
from app.web.rates import Rate, TokenBuckets
from app.web.requests import DRAIN_BYTES_MAX, BodyBounds, BoundedBody, FormTokens
from tests.web.edge import Edge

MIB = 1024 * 1024
LAWFUL = {"Sec-Fetch-Site": "same-origin"}


async def _stream(chunks: int, size: int, pulled: list[int]) -> AsyncIterator[bytes]:
    for number in range(chunks):
        pulled.append(number)
        yield b"x" * size


async def test_a_body_at_its_bound_passes() -> None:
    """The bound itself is allowed."""
    edge = Edge()
    answer = await edge.send("POST", "/write", headers=LAWFUL, content=b"x" * 64)
    assert (answer.status_code, edge.reached) == (200, ["POST /write 64"])


async def test_a_declared_body_over_its_bound_is_refused() -> None:
    """One byte more is 413 and reaches nothing."""
    edge = Edge()
    answer = await edge.send("POST", "/write", headers=LAWFUL, content=b"x" * 65)
    assert (answer.status_code, answer.json()["code"], answer.json()["bytes_max"]) == (
        413,
        "body_too_large",
        64,
    )
    assert (edge.reached, answer.headers["connection"]) == ([], "close")


async def test_an_undeclared_body_is_counted() -> None:
    """A chunked body is refused once it goes over; the rest is thrown away, so that the refusal can be read."""
    edge = Edge()
    pulled: list[int] = []
    answer = await edge.send("POST", "/write", headers=LAWFUL, content=_stream(100, 40, pulled))
    assert (answer.status_code, edge.reached, len(pulled)) == (413, [], 100)


async def test_no_more_is_thrown_away_than_a_bound() -> None:
    """Who sends without end is not listened to without end."""
    edge = Edge()
    pulled: list[int] = []
    answer = await edge.send("POST", "/write", headers=LAWFUL, content=_stream(100, MIB, pulled))
    assert (answer.status_code, edge.reached) == (413, [])
    assert len(pulled) <= DRAIN_BYTES_MAX // MIB + 3


async def test_who_asks_before_sending_is_answered_at_once() -> None:
    """With `Expect: 100-continue` nothing was sent yet, and nothing needs to be read."""
    edge = Edge()
    headers = {**LAWFUL, "Expect": "100-continue", "Content-Length": str(MIB)}
    pulled: list[int] = []
    answer = await edge.send("POST", "/write", headers=headers, content=_stream(1, 1, pulled))
    assert (answer.status_code, edge.reached, pulled) == (413, [], [])


@contextmanager
def _served(app: ASGIApp) -> Iterator[int]:
    """Serve on a free port of this machine; yield the port."""
    door = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off"))
    serving = threading.Thread(target=server.run, kwargs={"sockets": [door]})
    serving.start()
    try:
        yield door.getsockname()[1]
    finally:
        server.should_exit = True
        serving.join(10)
        door.close()


@pytest.mark.parametrize("is_declared", [True, False])
def test_a_program_that_sends_all_it_has_reads_the_refusal(*, is_declared: bool) -> None:
    """Over a real connection, many times the bound: a 413 and its sentence, not a broken pipe."""
    with _served(BoundedBody(Edge().app(), BodyBounds(default=64))) as port:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        body = b"x" * (8 * MIB) if is_declared else iter([b"x" * MIB] * 8)
        connection.request("POST", "/write", body=body, headers=LAWFUL, encode_chunked=not is_declared)
        answer = connection.getresponse()
        said = answer.read().decode()
        connection.close()
    assert (answer.status, "at most 64 bytes" in said) == (413, True)


async def test_an_undeclared_body_within_its_bound_arrives_whole() -> None:
    """Chunks become one body for the parser."""
    edge = Edge()
    answer = await edge.send("POST", "/write", headers=LAWFUL, content=_stream(3, 20, []))
    assert (answer.status_code, edge.reached) == (200, ["POST /write 60"])


@pytest.mark.parametrize("length", ["-1", "abc", "1e3", "9" * 40, "6 5"])
async def test_a_length_that_is_no_number_is_refused(length: str) -> None:
    """A length nobody can read is as good as too large."""
    edge = Edge()
    headers = {**LAWFUL, "Content-Length": length}
    answer = await edge.send("POST", "/write", headers=headers, content=b"x")
    assert (answer.status_code, edge.reached) == (413, [])


async def test_a_route_may_take_more() -> None:
    """The longest fitting prefix decides."""
    edge = Edge()
    answer = await edge.send("POST", "/write/large", headers=LAWFUL, content=b"x" * 4096)
    assert (answer.status_code, edge.reached) == (200, ["POST /write/large 4096"])


def test_bounds_are_found_by_the_longest_prefix() -> None:
    """A more exact prefix wins, whatever the order."""
    bounds = BodyBounds(default=1, by_prefix=(("/a", 2), ("/a/b", 3)))
    assert [bounds.of(path) for path in ("/", "/a", "/a/b/c")] == [1, 2, 3]


def test_the_default_bound_is_one_mebibyte() -> None:
    """Nothing takes more unless its route says so."""
    assert BodyBounds().of("/anything") == 1_048_576


TOKENS = FormTokens(b"k" * 32)


def test_a_form_token_belongs_to_one_session() -> None:
    """The token of another session, an altered one and none at all are refused."""
    token = TOKENS.issue("session-a")
    assert TOKENS.problem("session-a", token) is None
    for session, sent in (
        ("session-b", token),
        ("session-a", token[:-1]),
        ("session-a", ""),
        ("session-a", "\ud800é"),
    ):
        problem = TOKENS.problem(session, sent)
        assert problem is not None
        assert (problem.status, problem.code) == (403, "form_token")


def test_a_form_token_needs_the_servers_key() -> None:
    """Another key makes another token, so nobody can make one."""
    assert FormTokens(b"j" * 32).issue("session-a") != TOKENS.issue("session-a")


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


def test_a_burst_then_one_at_a_time() -> None:
    """A bucket gives its burst at once and then one more per interval."""
    clock = Clock()
    buckets = TokenBuckets(Rate(burst=3, seconds_each=10.0), clock)
    assert [buckets.take("mira") for _ in range(4)] == [0.0, 0.0, 0.0, 10.0]
    clock.now += 10.0
    assert [buckets.take("mira"), buckets.take("mira")] == [0.0, 10.0]
    clock.now += 100.0
    assert [buckets.take("mira") for _ in range(4)] == [0.0, 0.0, 0.0, 10.0]


def test_keys_do_not_share_a_bucket() -> None:
    """One person's haste is not another's wait."""
    buckets = TokenBuckets(Rate(burst=1, seconds_each=10.0), Clock())
    assert [buckets.take("a"), buckets.take("b"), buckets.take("a")] == [0.0, 0.0, 10.0]


def test_a_refusal_says_how_long_to_wait() -> None:
    """429 carries Retry-After in whole seconds, rounded up."""
    clock = Clock()
    buckets = TokenBuckets(Rate(burst=1, seconds_each=2.5), clock)
    assert buckets.problem("a") is None
    problem = buckets.problem("a")
    assert problem is not None
    assert (problem.status, problem.code, problem.headers) == (429, "rate_limited", (("Retry-After", "3"),))


def test_many_made_up_keys_cost_bounded_memory() -> None:
    """The buckets forget what is full first, and never grow past their bound."""
    clock = Clock()
    buckets = TokenBuckets(Rate(burst=2, seconds_each=1000.0), clock)
    buckets.take("attacker")
    buckets.take("attacker")
    for number in range(rates.KEYS_MAX + 10):
        buckets.take(f"made-up-{number}")
    assert len(buckets._full_at) <= rates.KEYS_MAX
    assert buckets.take("attacker") > 0
