"""Small real ledgers, their bundles, and bundles that somebody altered and closed again."""

import hashlib
import shutil
from pathlib import Path
from typing import Any

from adapters.bundles import BundleHead, BundleKey, Trust, write_bundle
from adapters.keys.ring import KeyRing
from adapters.ledger import Eraser, MasterFile, MasterKey, Store, Tombstones, Vault
from adapters.ledger.exporting import Exporter
from adapters.system import SystemEntropy
from kernel.canonical import canonical_bytes, decode_canonical
from kernel.commands import EraseSource
from kernel.receipts import decode_base64
from kernel.vocabulary import KeyRole
from tests.ledger.building import NOW, open_store, prepare, sql_ledger
from tests.support.story import Story

INSTALLATION = "here"
ERASED = "Call the zebrafinch"


def told(*more: str) -> Story:
    """Return a story with accepted, waiting and erased captures, and `more` texts captured at its end."""
    story = Story().opened()
    story.accepted(story.captured("Paint the hall"))
    erased = story.captured(ERASED)
    story.captured("Buy a boat")
    story.after(EraseSource(story.state.deltas[erased].body.source_ids[0]))
    for text in more:
        story.captured(text)
    return story


class Shop:
    """A data folder that a story was written into, event by event, and what can be exported from it."""

    def __init__(
        self, folder: Path, story: Story, keys_of: "Shop | None" = None, *, at_once: bool = False
    ) -> None:
        self.folder = folder
        self.story = story
        prepare(folder)
        if keys_of is not None:
            # Their keys, but not their memory of what they signed.
            shutil.rmtree(folder / "keys")
            shutil.copytree(keys_of.folder / "keys", folder / "keys", ignore=shutil.ignore_patterns("heads"))
        self.store: Store = open_store(folder)
        if at_once:
            sql_ledger(folder, self.store).append(story.ledger, 0, story.events)
        self.write(story)

    @property
    def keys(self) -> KeyRing:
        """Return the folder's keys."""
        return KeyRing.open(str(self.folder / "keys"), lambda: NOW)

    def write(self, story: Story) -> None:
        """Append what the ledger does not have yet of a story, one event at a time."""
        ledger = sql_ledger(self.folder, self.store)
        for event in story.events[ledger.head(story.ledger).seq :]:
            ledger.append(story.ledger, event.seq - 1, [event])
        master = MasterFile(self.folder / "master.key")
        eraser = Eraser(self.store, master, SystemEntropy(), Tombstones(self.folder / "erased"))
        gone = [event.body for event in story.events if event.type == "source.erased.v1"]
        eraser.erase(story.ledger, [body.source_id for body in gone], NOW)  # type: ignore[attr-defined]
        self.story = story

    def bundle(self, name: str = "bundle.jsonl") -> Path:
        """Export the ledger; return the file."""
        path = self.folder / name
        vault = Vault(MasterKey.load(self.folder / "master.key"), SystemEntropy())
        keys = [
            BundleKey(item.key_id, item.role.value, item.public_key, item.created_at)
            for item in self.keys.public_keys()
        ]
        with Exporter(self.store, vault).opened(self.story.ledger) as exported:
            head = BundleHead(
                INSTALLATION, self.story.ledger, exported.size, exported.root, exported.revision or 0
            )
            write_bundle(path, head, keys, events=exported.events, checkpoints=exported.checkpoints)
        return path

    def trust(self) -> Trust:
        """Return what somebody would keep: the checkpoint key and the head's note."""
        raw = (
            decode_base64(key.public_key) for key in self.keys.public_keys() if key.role is KeyRole.CHECKPOINT
        )
        return Trust(tuple(raw), (sql_ledger(self.folder, self.store).checkpoint(self.story.ledger),))


def lines_of(path: Path) -> list[dict[str, Any]]:
    """Return the records of a bundle, without its end."""
    return [decode_canonical(line) for line in path.read_bytes().splitlines()][:-1]


def closed(path: Path, records: list[dict[str, Any]]) -> Path:
    """Write records as a bundle whose end fits them; return the file."""
    body = b"".join(canonical_bytes(record) + b"\n" for record in records)
    end = {"record": "end", "sha256": f"sha256:{hashlib.sha256(body).hexdigest()}"}
    path.write_bytes(body + canonical_bytes(end) + b"\n")
    return path
