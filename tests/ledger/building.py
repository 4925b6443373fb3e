"""Real ledgers in a temporary folder, and events to put into them."""

from pathlib import Path

from adapters.keys.ring import KeyRing
from adapters.ledger import Database, MasterKey, MemoryLedger, SqlLedger, Store, Vault, migrate
from adapters.system import SystemEntropy
from kernel.events.body import Body
from kernel.events.delta import DeltaAccepted
from kernel.events.envelope import Event
from kernel.events.project import ConfigActivated, ProjectOpened
from kernel.events.source import SourceCaptured
from kernel.values.stamp import Actor, Stamp
from kernel.vocabulary import ActorKind, Role, SourceKind, Via, Visibility

NOW = "2026-11-30T12:00:00.000000Z"
OWNER = Actor(kind=ActorKind.HUMAN, id="owner", role=Role.OWNER)
LEDGER = "project_00000000000000000000000001"
OTHER = "project_00000000000000000000000002"
DIGEST = "sha256:" + "ab" * 32


def prepare(folder: Path, url: str | None = None) -> str:
    """Make a data folder with keys and a migrated database, by default a file in it; return its address."""
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o700)
    MasterKey.create(folder / "master.key", SystemEntropy())
    KeyRing.open(str(folder / "keys"), lambda: NOW)
    url = url or f"sqlite:///{folder}/odeu.db"
    migrate(url)
    return url


def open_store(folder: Path) -> Store:
    """Open the database of a prepared folder."""
    return Store(f"sqlite:///{folder}/odeu.db")


def sql_ledger(folder: Path, store: Database) -> SqlLedger:
    """Return the ledger of a prepared folder."""
    vault = Vault(MasterKey.load(folder / "master.key"), SystemEntropy())
    return SqlLedger(store, vault, KeyRing.open(str(folder / "keys"), lambda: NOW).checkpoint_signer("here"))


def memory_ledger(folder: Path) -> MemoryLedger:
    """Return an empty ledger in memory, with keys in this folder."""
    return MemoryLedger(KeyRing.open(str(folder / "memory-keys"), lambda: NOW).checkpoint_signer("here"))


class Author:
    """Writes events for one ledger; the same author with the same name writes the same ones again."""

    def __init__(self, ledger: str = LEDGER, name: str = "a", at: str = NOW) -> None:
        self.ledger = ledger
        self._stamp = Stamp(at, OWNER, Via.CLI, "command_1", name.encode().ljust(32, b"."))

    def event(self, seq: int, body: Body) -> Event:
        """Return an event of this ledger around a body."""
        return Event(
            ledger=self.ledger,
            seq=seq,
            id=self._stamp.id("event", f"{self.ledger}/{seq}"),
            at=self._stamp.at,
            actor=OWNER,
            via=Via.CLI,
            command="command_1",
            ordinal=0,
            body=body,
        )

    def opened(self) -> Event:
        """Return the first event of a ledger."""
        return self.event(
            1,
            ProjectOpened(
                project_id=self.ledger,
                scope="project",
                root_id=self._stamp.id("node", self.ledger),
                title=self._stamp.words("A ledger", f"title/{self.ledger}"),
                state_root=DIGEST,
            ),
        )

    def captured(self, seq: int, text: str = "some words") -> Event:
        """Return an event with words in it."""
        return self.event(
            seq,
            SourceCaptured(
                source_id=self._stamp.id("source", f"{self.ledger}/{seq}"),
                kind=SourceKind.TEXT,
                content=self._stamp.words(text, f"content/{seq}"),
                size_bytes=len(text.encode()),
                visibility=Visibility.SHARED,
            ),
        )

    def accepted(self, seq: int, revision: int) -> Event:
        """Return an event that makes a revision, without words."""
        body = DeltaAccepted(
            delta_id=self._stamp.id("delta", f"{self.ledger}/{seq}"),
            choice=0,
            seen=DIGEST,
            base_revision=revision - 1,
            revision=revision,
            operations=(),
            state_root=DIGEST,
        )
        return self.event(seq, body)

    def plain(self, seq: int) -> Event:
        """Return an event that has no words and creates nothing."""
        return self.event(seq, ConfigActivated(config_digest=DIGEST, problems=0))
