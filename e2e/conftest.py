"""One browser for all stories, one server for all that may share one, and a fresh one where a story needs it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from e2e.product import Product, serving
from e2e.visit import browser_path, launch


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium; each visit has a context of its own."""
    if browser_path() is None:
        pytest.skip("needs a browser: apt-get install chromium")
    with sync_playwright() as playwright:
        started = launch(playwright)
        yield started
        started.close()


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """One server with its sandbox, for stories that leave nothing behind that another would trip over."""
    with serving(tmp_path_factory.mktemp("shared") / "data") as product:
        yield product


@pytest.fixture
def product(tmp_path: Path) -> Iterator[Product]:
    """A fresh server with its sandbox."""
    with serving(tmp_path / "data") as started:
        yield started
