"""One recorded walk for all crash tests."""

import pytest

from tests.crash.stage import Recording, record


@pytest.fixture(scope="session")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """Return the walk that every killed walk is compared with."""
    return record(tmp_path_factory.mktemp("recorded"))
