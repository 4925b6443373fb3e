"""One recorded walk for all crash tests, and one installation at rest on each engine for all single acts."""

from collections.abc import Callable
from pathlib import Path

import pytest

from app.bootstrap import open_studio
from app.config.settings import Settings
from tests.crash.acts import Ground, prepare, seen
from tests.crash.stage import Recording, in_a_process, record
from tests.journey.test_erasure import House
from tests.ledger.postgres_server import Server
from tests.support.sandbox import install, sandbox_texts
from tests.support.walk import Walk


@pytest.fixture(scope="session")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """Return the walk that every killed walk is compared with."""
    return record(tmp_path_factory.mktemp("recorded"))


def _ground(data: Path, database_url: str, copied: Callable[[], str]) -> Ground:
    """Make the installation in a process of its own, so that nothing of it stays open; return it at rest."""
    ids_file = data.parent / "ids"
    settings = Settings(data=data, database_url=database_url)

    def make() -> None:
        install(data, database_url)
        Walk(open_studio(settings), sandbox_texts()).until("capture")
        house = House(settings)
        ids = prepare(house, data.parent / "abroad")
        ids |= {
            f"seen {name}": seen(house, ids[name])
            for name in ("accept", "defer", "remand", "split", "rebase")
        }
        ledger = house.studio.desk.ledger
        heads = {f"head {item}": str(ledger.head(item).seq) for item in ledger.ledgers()}
        ids_file.write_text("\n".join(f"{key}={value}" for key, value in (ids | heads).items()))

    assert in_a_process(make) == 0
    found = dict(line.split("=", 1) for line in ids_file.read_text().splitlines())
    heads = {key.removeprefix("head "): int(value) for key, value in found.items() if key.startswith("head ")}
    return Ground(settings, found, heads, copied)


@pytest.fixture(scope="session")
def in_a_file(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    """Return a prepared installation with a SQLite database."""
    return _ground(tmp_path_factory.mktemp("file") / "data", "", str)


@pytest.fixture(scope="session")
def at_a_server(tmp_path_factory: pytest.TempPathFactory, postgres_server: Server) -> Ground:
    """Return a prepared installation with a PostgreSQL database."""
    url = postgres_server.fresh_database()
    return _ground(tmp_path_factory.mktemp("server") / "data", url, lambda: postgres_server.copy_of(url))
