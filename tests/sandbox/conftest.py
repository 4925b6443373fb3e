"""What the sandbox tests share: a bench with a folder of its own."""

from pathlib import Path

import pytest

from tests.sandbox.oracle_bench import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Return a bench for one test."""
    return Bench(tmp_path)
