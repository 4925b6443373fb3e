"""Private words while the manager works outside: the built-in one answers when somebody asks it, and only then."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from app.bootstrap import open_studio
from app.main import create_app
from app.services.access import OWNER
from app.services.studio import Studio
from app.web.origin import SESSION_COOKIE
from kernel.errors import NotFoundError, RefusedError
from kernel.vocabulary import Visibility
from tests.manager.shop import Shop, again, open_shop, outside
from tests.support.model_server import ModelServer, chosen, model_server, wrapped
from tests.web.pages import send, visit

ORIGIN = "http://127.0.0.1:8765"
WORDS = "Compare two shops for the secret varnish"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """Serve a model until the end of the test."""
    with model_server() as here:
        here.reply = lambda asked: wrapped(asked, chosen(None))
        yield here


@pytest.fixture
def shop(server: ModelServer, tmp_path: Path) -> Shop:
    """Return a shop whose manager is outside."""
    return open_shop(tmp_path / "data", outside(server.url))


def _client(studio: Studio) -> httpx2.AsyncClient:
    now = studio.clock.now()
    secret = studio.directory.begin_session(OWNER, now, label="a test").secret
    transport = httpx2.ASGITransport(app=create_app(studio), raise_app_exceptions=False)
    headers = {"Sec-Fetch-Site": "same-origin"}
    return httpx2.AsyncClient(
        transport=transport, base_url=ORIGIN, cookies={SESSION_COOKIE: secret}, headers=headers
    )


def test_the_built_in_manager_is_asked_by_its_own_act(server: ModelServer, shop: Shop) -> None:
    """The exchange names it, nothing leaves, and its proposal waits; the first exchange stays as it failed."""
    kept = shop.capture(WORDS, Visibility.PRIVATE)
    assert (kept.delta_id, shop.ended(kept)) == (None, ("failed", "private_not_sent"))
    done = shop.studio.placements.ask_here(shop.project_id, shop.owner, kept.source_id)
    assert (done.source_id, shop.ended(done)) == (kept.source_id, ("answered", None))
    asked = shop.request(done)
    assert (asked.manager, asked.text, asked.sent) == ("local/1", WORDS, None)
    assert shop.request(kept).manager == "openai/wood-1"
    assert done.delta_id is not None
    assert shop.state.deltas[done.delta_id].body.exchange_id == done.exchange_id
    assert server.asked == []


def test_asking_again_never_falls_back(server: ModelServer, shop: Shop) -> None:
    """The ordinary question about private words goes on being refused, before and after the built-in one answered."""
    kept = shop.capture(WORDS, Visibility.PRIVATE)
    placements = shop.studio.placements
    first = placements.retry(shop.project_id, shop.owner, kept.source_id)
    placements.ask_here(shop.project_id, shop.owner, kept.source_id)
    second = placements.retry(shop.project_id, shop.owner, kept.source_id)
    for done in (first, second):
        assert (shop.ended(done), shop.request(done).manager) == (
            ("failed", "private_not_sent"),
            "openai/wood-1",
        )
    assert server.asked == []


def test_only_words_that_the_active_manager_may_not_read(shop: Shop) -> None:
    """Shared words, a manager on this machine, unknown words: refused, and nothing is recorded."""
    shared = shop.capture("Compare three shops for varnish")
    hidden = shop.capture(WORDS, Visibility.PRIVATE)
    before = shop.state.seq
    with pytest.raises(RefusedError) as refused:
        shop.studio.placements.ask_here(shop.project_id, shop.owner, shared.source_id)
    assert refused.value.reason_code == "not_private_outside"
    with pytest.raises(NotFoundError):
        shop.studio.placements.ask_here(shop.project_id, shop.owner, "source_01jdz8q3v4m5n6p7q8r9s0t1v2")
    local = again(shop, "")
    with pytest.raises(RefusedError):
        local.studio.placements.ask_here(local.project_id, local.owner, hidden.source_id)
    assert local.state.seq == before


async def test_the_inbox_asks_on_this_machine(server: ModelServer, shop: Shop) -> None:
    """The item of private words offers that and no other question; shared words are asked about outside."""
    kept = shop.capture(WORDS, Visibility.PRIVATE)
    async with _client(shop.studio) as client:
        page = await visit(client, f"/p/{shop.project_id}/inbox/{kept.exchange_id}")
        assert "Ask on this machine" in page.text
        assert not any(action.endswith("/again") for action in page.actions())
        after = await send(client, page.form("/here"))
        assert after.status == 200
    (exchange,) = [item for item in shop.state.exchanges.rows() if item.status == "answered"]
    assert exchange.body.subject_id == kept.source_id
    assert "local/1" in (exchange.body.request.text or "")
    assert server.asked == []


async def test_the_same_request_again_asks_nobody_twice(server: ModelServer, shop: Shop) -> None:
    """The API takes the choice as a field; the same key and body again returns the same attempt, after a restart too."""
    kept = shop.capture(WORDS, Visibility.PRIVATE)
    answers = []
    for studio in (shop.studio, open_studio(shop.studio.settings)):
        async with _client(studio) as client:
            answers.append(
                await client.post(
                    f"/api/v1/sources/{kept.source_id}/placements",
                    json={"on_this_machine": True},
                    headers={"Idempotency-Key": "here"},
                )
            )
    first, second = answers
    assert (first.status_code, first.json()) == (201, second.json())
    assert first.json()["delta_id"] is not None
    assert server.asked == []
