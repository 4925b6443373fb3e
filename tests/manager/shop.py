"""An installation with one small project whose manager is configured in its odeu.toml, as a person would."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.bootstrap import create_installation, open_studio
from app.config.settings import Settings
from app.services.access import OWNER
from app.services.capture import Captured
from app.services.desk import Caller
from app.services.studio import Studio
from kernel.commands import AcceptDelta
from kernel.state import ExchangeRecord, State
from kernel.values.placement import PlacementRequest, SentQuestion
from kernel.vocabulary import Via, Visibility

OUTLINE = """\
- [Idea] Shops
  - [Task] Call the shop in Kiel about varnish
- [Idea] Varnish
  - [Evidence] Two coats lasted one winter
- [Idea] Money
"""


@dataclass
class Shop:
    """The open studio and its project."""

    studio: Studio
    project_id: str

    @property
    def owner(self) -> Caller:
        """The owner on the command line."""
        return self.studio.access.caller(self.project_id, OWNER, Via.CLI)

    @property
    def state(self) -> State:
        """The project's state as it is now."""
        return self.studio.desk.state(self.project_id)

    def node(self, title: str) -> str:
        """Return the node with this title."""
        (found,) = [item.id for item in self.state.tables.nodes.rows() if item.title.text == title]
        return found

    def capture(self, text: str, visibility: Visibility = Visibility.SHARED) -> Captured:
        """Capture words as the owner."""
        return self.studio.placements.capture(self.project_id, self.owner, text, visibility=visibility)

    def exchange(self, done: Captured) -> ExchangeRecord:
        """Return the exchange of a capture."""
        return self.state.exchanges[done.exchange_id]

    def request(self, done: Captured) -> PlacementRequest:
        """Return the durable request of a capture."""
        return PlacementRequest.model_validate_json(self.exchange(done).body.request.text or "")

    def sent(self, done: Captured) -> SentQuestion:
        """Return what left for a capture."""
        found = self.request(done).sent
        assert found is not None
        return found

    def exact(self, done: Captured) -> str | None:
        """Return the kept answer of a capture."""
        response = self.exchange(done).response
        return None if response is None else response.text

    def ended(self, done: Captured) -> tuple[str, str | None]:
        """Return how the exchange of a capture ended, and its code."""
        record = self.exchange(done)
        return record.status, record.code

    def accept(self, delta_id: str) -> None:
        """Accept a proposal as it is shown."""
        state, _record, seen = self.studio.reviews.shown(delta_id)
        self.studio.reviews.accept(self.owner, AcceptDelta(delta_id, 0, state.revision, seen))


def open_shop(data: Path, manager: str, prepare: Callable[[Path], None] | None = None) -> Shop:
    """Create an installation whose odeu.toml has this text, with one accepted outline."""
    settings = Settings(data=data)
    create_installation(settings)
    if prepare is not None:
        prepare(data)
    (data / "odeu.toml").write_text(manager, encoding="utf-8")
    (data / "odeu.toml").chmod(0o600)
    studio = open_studio(settings)
    world = studio.access.caller(studio.world_id, OWNER, Via.CLI)
    shop = Shop(studio, studio.projects.open(world, "Boat shop"))
    studio.projects.import_outline(shop.project_id, shop.owner, OUTLINE)
    shop.accept(shop.state.open_deltas.keys()[0])
    return shop


def again(shop: Shop, manager: str) -> Shop:
    """Open the same installation as after a restart, perhaps with another manager."""
    (shop.studio.settings.data_folder / "odeu.toml").write_text(manager, encoding="utf-8")
    return Shop(open_studio(shop.studio.settings), shop.project_id)


def outside(url: str, dialect: str = "responses", **more: object) -> str:
    """Return the section that names a model at this address."""
    table = {"kind": "openai", "base_url": url, "model": "wood-1", "dialect": dialect, **more}
    return "\n".join(["[manager]", *(f"{key} = {json.dumps(value)}" for key, value in table.items())]) + "\n"
