"""One installation with the sandbox project for each module of page tests."""

from pathlib import Path

import pytest

from tests.app.house import House, open_house


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Return an installation that this module's tests share; each makes its own proposals."""
    folder: Path = tmp_path_factory.mktemp("house")
    return open_house(folder)
