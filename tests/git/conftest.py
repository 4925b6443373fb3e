"""Fixtures of the Git tests: every repository is a real one, under pytest's own folder."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.git.building import Bench, make_bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Return a fresh repository with the base files."""
    return make_bench(tmp_path.resolve())


@pytest.fixture
def reachable_bench() -> Iterator[Bench]:
    """Return the same under a folder that every uid may search, which pytest's own folders do not allow."""
    root = Path(tempfile.mkdtemp(prefix="odeu-git-", dir="/var/tmp")).resolve()
    try:
        root.chmod(0o711)
        yield make_bench(root)
    finally:
        shutil.rmtree(root)
