"""What the promotion tests share: scenes are built once and copied, since sealing takes most of a test's time."""

from pathlib import Path

import pytest

from tests.promotion.scene import Scene, build_scene, copied


@pytest.fixture(scope="session")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """Return the scene that others are copied from; nobody touches it."""
    return build_scene(tmp_path_factory.mktemp("sealed"))


@pytest.fixture(scope="session")
def finished(sealed: Scene, tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """Return a promoted scene that others are copied from; nobody touches it."""
    scene = copied(sealed, tmp_path_factory.mktemp("finished"))
    scene.promote()
    return scene


@pytest.fixture
def scene(sealed: Scene, tmp_path: Path) -> Scene:
    """Return a repository with a sealed candidate and the order to promote it."""
    return copied(sealed, tmp_path)


@pytest.fixture
def promoted(finished: Scene, tmp_path: Path) -> Scene:
    """Return a scene whose promotion is recorded."""
    return copied(finished, tmp_path / "promoted")
