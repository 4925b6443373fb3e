"""What creating and opening an installation share: its parts, and whether these are sound."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeVar

from adapters.keys import KeyRing
from adapters.ledger import (
    Database,
    Directory,
    Eraser,
    MasterFile,
    SqlLedger,
    Tombstones,
    Vault,
    open_store,
    schema_problems,
)
from adapters.ledger.audit import CheckpointSigner
from adapters.system import SystemClock, SystemEntropy
from app.config.installation import Installation
from app.config.settings import Settings
from app.ports import Clock, Entropy, Ledger, Manager, Repositories
from app.services.access import OWNER
from app.services.desk import Caller, Desk
from app.services.erasure import Erasures
from kernel.errors import ConfigurationError, HistoryError
from kernel.merkle import Edge, LogHead
from kernel.upcast import STEPS, Steps
from kernel.values.stamp import Actor
from kernel.vocabulary import ActorKind, Role, Via

T = TypeVar("T")


OWNER_ACTOR = Actor(kind=ActorKind.HUMAN, id=OWNER, role=Role.OWNER)
AS_OWNER = Caller(OWNER_ACTOR, Via.CLI)

_LOOKS: Final = 5
"""How often a head is compared with what was signed before a difference counts: others may be appending."""


def _as_is(part: T) -> T:
    return part


def _no_step(_name: str) -> None:
    """Do nothing: in the product no point of a promotion or an erasure is special."""


@dataclass(frozen=True, slots=True)
class Seams:
    """Where a crash test may stand: around each part that writes durably, and at the named steps of two of them.

    The product passes none. A test wraps a part, so that its process ends exactly before or after a write.
    """

    ledger: Callable[[Ledger], Ledger] = _as_is
    signer: Callable[[CheckpointSigner], CheckpointSigner] = _as_is
    repositories: Callable[[Repositories], Repositories] = _as_is
    step: Callable[[str], None] = _no_step
    """The promoter's."""
    erasing: Callable[[str], None] = _no_step
    """The eraser's."""
    steps: Steps = field(default_factory=lambda: STEPS)
    """How events of earlier versions are read; a test adds one for a version that never was."""
    clock: Clock = field(default_factory=SystemClock)
    entropy: Entropy = field(default_factory=SystemEntropy)
    manager: Manager | None = None
    """Whom a test asks in place of the configured manager; a test that names one says so itself."""


NO_SEAMS: Final = Seams()


@dataclass(frozen=True, slots=True)
class Parts:
    """What both creating and opening an installation need."""

    seams: Seams
    keys: KeyRing
    store: Database
    ledger: SqlLedger
    desk: Desk
    directory: Directory
    erasures: Erasures


def open_parts(settings: Settings, installation: Installation, seams: Seams) -> Parts:
    """Open keys, database and ledger, and wire what rests on them; nothing is checked yet."""
    folder, entropy = settings.data_folder, seams.entropy
    keys = KeyRing.open(str(folder / "keys"), seams.clock.now)
    master = MasterFile(folder / "master.key")
    vault = Vault(master, entropy)
    store = open_store(settings.database)
    signer = seams.signer(keys.checkpoint_signer(installation.installation_id))
    ledger = SqlLedger(store, vault, signer, steps=seams.steps)
    desk = Desk(seams.ledger(ledger), seams.clock, entropy, steps=seams.steps)
    eraser = Eraser(store, master, entropy, Tombstones(folder / "erased"), step=seams.erasing)
    return Parts(seams, keys, store, ledger, desk, Directory(store, entropy), Erasures(desk, eraser))


def require_sound(parts: Parts, installation: Installation) -> None:
    """Refuse a database of another schema, one that is not what the keys signed last, and lost keys.

    Raises: ConfigurationError for schema and keys, HistoryError for a history that is behind or another one;
    all name the way out.
    """
    if problems := schema_problems(parts.store):
        raise ConfigurationError(f"{problems[0]}; start it with `odeu serve`")
    signer = parts.keys.checkpoint_signer(installation.installation_id)
    ledger = parts.desk.ledger
    for ledger_id in sorted({installation.world_id, *ledger.ledgers(), *signer.ledgers()}):
        for _ in range(_LOOKS):
            head = ledger.head(ledger_id)
            root = bytes.fromhex(head.root) if head.seq else Edge().root()
            problems = signer.head_problems(ledger_id, LogHead(head.seq, root))
            if not problems or parts.ledger.follow(ledger_id):
                break
        else:
            raise HistoryError(problems[0], code="checkpoint_not_extension")
    if ledger.head(installation.world_id).seq:
        _require_keys(parts, installation)


def _require_keys(parts: Parts, installation: Installation) -> None:
    held = {key.key_id for key in parts.keys.public_keys()}
    for key in parts.desk.state(installation.world_id).authority.keys.rows():
        if key.key_id not in held:
            message = (
                f"the key {key.key_id}, which the world ledger names as current, is not in the folder of the keys; "
                "restore the folder from a backup"
            )
            raise ConfigurationError(message)
