"""What the promotion tests share."""

from pathlib import Path

import pytest

from tests.promotion.scene import Scene, build_scene


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    """Return a repository with a sealed candidate and the order to promote it."""
    return build_scene(tmp_path)
