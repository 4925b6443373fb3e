"""Single acts of a person, each from an installation in which it is lawful, and what is there once it was done.

An act has a command id of its own, so that doing it again after a death is the same act. `left` says what the act
leaves, without the ids that differ from one doing to the next.
"""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from app.config.settings import Settings
from app.services.desk import Caller
from kernel.commands import (
    AcceptDelta,
    DeferDelta,
    Part,
    ProposeCompensation,
    RebaseDelta,
    RemandDelta,
    SplitDelta,
)
from kernel.state import State, revision_key
from kernel.vocabulary import NodeKind, Via
from tests.bundles.building import Shop
from tests.journey.test_erasure import MARKER, House
from tests.support.story import Story

Ids = dict[str, str]
BUNDLED_CAPTURES: Final = 190
"""Enough for an import in more than one append."""


def keyed(house: House, key: str) -> Caller:
    """Return the owner, doing the act of this name."""
    return house.studio.access.caller(house.project_id, "owner", Via.CLI, key=key)


def seen(house: House, delta_id: str) -> str:
    """Return the digest of a proposal as it is shown."""
    return house.studio.reviews.shown(delta_id)[2]


def prepare(house: House, folder: Path) -> Ids:
    """Make what the acts need: open proposals, an accepted revision, an erasable capture, a bundle from elsewhere."""
    ids = {name: house.captured()[1] for name in ("accept", "defer", "remand", "split", "rebase")}
    source_id, delta_id = house.captured()
    ids |= {"erase": source_id, "node": house.accepted(delta_id)}
    state = house.studio.desk.state(house.project_id)
    ids |= {"revision": str(state.revision), "root": state.root_id, "bundle": str(foreign(folder))}
    return ids


def foreign(folder: Path) -> Path:
    """Return a bundle of a project of another installation."""
    story = Story().opened()
    for number in range(BUNDLED_CAPTURES):
        story.captured(f"Order tile {number}")
    folder.mkdir()
    return Shop(folder, story, at_once=True).bundle()


# ------------------------------------------------------------------------------------------------- the acts


def capture(house: House, _ids: Ids) -> None:
    """Capture words; when the manager was not asked to the end, ask again."""
    text = "Ask Jonas about the colour of the door"
    done = house.studio.placements.capture(house.project_id, keyed(house, "capture"), text)
    if done.delta_id is None:
        house.studio.placements.retry(house.project_id, keyed(house, "again"), done.source_id)


def accept(house: House, ids: Ids) -> None:
    """Accept a proposal as it was shown at the head of then."""
    command = AcceptDelta(ids["accept"], 0, int(ids["revision"]), ids["seen"])
    house.studio.reviews.accept(keyed(house, "accept"), command)


def defer(house: House, ids: Ids) -> None:
    """Put a decision off."""
    house.studio.reviews.defer(keyed(house, "defer"), DeferDelta(ids["defer"], None, "Later", ids["seen"]))


def remand(house: House, ids: Ids) -> None:
    """Send a proposal back."""
    command = RemandDelta(ids["remand"], "Two jobs", ("Part them",), ids["seen"])
    house.studio.reviews.remand(keyed(house, "remand"), command)


def split(house: House, ids: Ids) -> None:
    """Replace a proposal by two."""
    parts = tuple(Part(NodeKind.TASK, title, ids["root"]) for title in ("Ask", "Write down"))
    house.studio.reviews.split(keyed(house, "split"), SplitDelta(ids["split"], parts, ids["seen"]))


def rebase(house: House, ids: Ids) -> None:
    """Renew a proposal about the head."""
    house.studio.reviews.rebase(keyed(house, "rebase"), RebaseDelta(ids["rebase"], ids["seen"]))


def compensate(house: House, ids: Ids) -> None:
    """Propose to take a revision back."""
    number = int(ids["revision"])
    root = house.studio.desk.state(house.project_id).revisions[revision_key(number)].state_root
    command = ProposeCompensation(number, root, "A mistake")
    house.studio.reviews.compensate(house.project_id, keyed(house, "compensate"), command)


def archive(house: House, _ids: Ids) -> None:
    """Put the project away."""
    house.studio.projects.archive(house.project_id, keyed(house, "archive"), "Winter")


def erase(house: House, ids: Ids) -> None:
    """Erase the words of the marker's captures that were accepted."""
    house.studio.erasures.erase(house.project_id, keyed(house, "erase"), ids["erase"])


def take(house: House, ids: Ids) -> None:
    """Import the bundle."""
    me = house.studio.access.caller(house.studio.world_id, "owner", Via.CLI)
    house.studio.importing.take(me, Path(ids["bundle"]))


# -------------------------------------------------------------------------------------- what an act leaves


def _state(house: House) -> State:
    return house.studio.desk.state(house.project_id)


def _disposition(name: str) -> Callable[[House, Ids], object]:
    def left(house: House, ids: Ids) -> object:
        record = _state(house).deltas[ids[name]]
        parts = [_state(house).deltas[item] for item in record.replacement_ids]
        reason = None if record.reason is None else record.reason.text
        return (
            record.disposition,
            reason,
            record.why,
            [(part.body.title.text, part.disposition) for part in parts],
        )

    return left


def _captured(house: House, _ids: Ids) -> object:
    sources = [
        item
        for item in _state(house).sources.rows()
        if "colour of the door" in (item.body.content.text or "")
    ]
    waiting = [
        item.disposition
        for item in _state(house).deltas.rows()
        if item.body.source_ids == (sources[-1].body.source_id,)
    ]
    return len(sources), waiting


def _accepted(house: House, ids: Ids) -> object:
    return _state(house).revision - int(ids["revision"]), _state(house).deltas[ids["accept"]].disposition


def _compensated(house: House, _ids: Ids) -> object:
    return [item.disposition for item in _state(house).deltas.rows() if item.body.compensates is not None]


def _archived(house: House, _ids: Ids) -> object:
    return _state(house).archived is not None


def _erased(house: House, ids: Ids) -> object:
    gone = _state(house).sources[ids["erase"]]
    kept = [item for item in _state(house).sources.rows() if item.erased is None and item is not gone]
    texts = {item.body.content.text for item in kept}
    return (
        gone.erased is not None,
        gone.body.content.text,
        all(text is not None and MARKER in text for text in texts),
    )


def _taken(house: House, _ids: Ids) -> object:
    imports = house.studio.desk.state(house.studio.world_id).authority.imports.rows()
    state = house.studio.desk.state(imports[0].body.project_id)
    return len(imports), imports[0].body.size, state.seq, state.state_root


@dataclass(frozen=True, slots=True)
class Act:
    """An act, what it leaves, and how many appends it makes when nothing goes wrong."""

    do: Callable[[House, Ids], None]
    left: Callable[[House, Ids], object]
    appends: int = 1


ACTS: Final = {
    "capture": Act(capture, _captured, 3),
    "accept": Act(accept, _accepted),
    "defer": Act(defer, _disposition("defer")),
    "remand": Act(remand, _disposition("remand")),
    "split": Act(split, _disposition("split")),
    "rebase": Act(rebase, _disposition("rebase")),
    "compensate": Act(compensate, _compensated),
    "archive": Act(archive, _archived),
    "erase": Act(erase, _erased),
    "take": Act(take, _taken, 3),
}


# ------------------------------------------------------------------------------------ a prepared installation


@dataclass(frozen=True, slots=True)
class Ground:
    """An installation at rest in which every act is lawful, and how a copy of it is made."""

    settings: Settings
    ids: Ids
    heads: dict[str, int]
    copied_database: Callable[[], str]
    """Makes a copy of the database, where it is a server's; returns its address, empty for a file."""

    def copy(self, data: Path) -> Settings:
        """Return the settings of a fresh copy."""
        shutil.copytree(self.settings.data_folder, data)
        return Settings(data=data, database_url=self.copied_database())

    def ids_for(self, name: str) -> Ids:
        """Return the ids as an act of this name needs them."""
        return {**self.ids, "seen": self.ids.get(f"seen {name}", "")}


def lines(path: Path) -> list[dict[str, Any]]:
    """Return what a watched process noted."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
