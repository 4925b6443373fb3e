"""The composition root: the only module that names an adapter, and the one place where ports meet them."""

import base64
import json
import os
import stat
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from adapters.agents.program import ScriptedProgram, program_digest
from adapters.agents.scripted import ScriptedRuntime
from adapters.bundles import (
    BundleHead,
    BundleKey,
    Trust,
    Verdicts,
    examine,
    judge,
    read_trust,
    trust_bytes,
    write_atomically,
    write_bundle,
)
from adapters.git.command import git_output, git_version
from adapters.git.leases import choose_worktree_root, first_unsearchable
from adapters.git.repositories import GitRepositories
from adapters.keys import KeyRing
from adapters.layout import Sugiyama
from adapters.ledger import (
    Database,
    Directory,
    Eraser,
    MasterFile,
    MasterKey,
    SqlLedger,
    Tombstones,
    Vault,
    database_exists,
    migrate,
    open_store,
    schema_problems,
)
from adapters.ledger.audit import CheckpointSigner
from adapters.ledger.backup import write_backup
from adapters.ledger.exporting import Exporter
from adapters.ledger.store import sqlite_version
from adapters.manager.local.shelf import LocalShelf
from adapters.manager.outline import parse_outline
from adapters.promotion import Promoter
from adapters.sandbox.bubblewrap import Bubblewrap
from adapters.sandbox.harness_files import harness_digest
from adapters.sandbox.oracle import HostOracle
from adapters.sandbox.uids import UidPool
from adapters.system import FileWorkerLock, SystemClock, SystemEntropy
from app.config.files import load_config
from app.config.installation import Installation, read_installation, write_installation
from app.config.settings import Settings
from app.ports import BackupWriter, BundleWriter, Clock, GraphLayout, Ledger, Manager, Repositories
from app.services.access import OWNER, Access
from app.services.audit import Audits
from app.services.briefing import Briefs
from app.services.capture import Placements
from app.services.desk import Caller, Desk
from app.services.doctor import Machine
from app.services.erasure import Erasures
from app.services.evidence import Evidence
from app.services.execution import Execution
from app.services.importing import Importing
from app.services.leaving import Leaving
from app.services.projects import Projects
from app.services.promotion import Promotions
from app.services.proofs import Proofs
from app.services.queue import WorkQueue
from app.services.registry import Registry, RuntimePlace, build_registry
from app.services.review import Reviews
from app.services.runs import Runs
from app.services.studio import Studio
from kernel.commands import ActivateConfig, AddPrincipal, GrantRole, OpenProject, RotateKey
from kernel.errors import ConfigurationError, HistoryError
from kernel.events.envelope import event_bytes
from kernel.events.stored import ReadBundle, StoredEvent
from kernel.merkle import Edge, LogHead, leaf_hash
from kernel.values.stamp import Actor, Stamp
from kernel.vocabulary import ActorKind, KeyRole, Role, Via

T = TypeVar("T")

_OWNER_ACTOR = Actor(kind=ActorKind.HUMAN, id=OWNER, role=Role.OWNER)
_AS_OWNER = Caller(_OWNER_ACTOR, Via.CLI)

_LOOKS: Final = 5
"""How often a head is compared with what was signed before a difference counts: others may be appending."""


def _as_is(part: T) -> T:
    return part


def _no_step(_name: str) -> None:
    """Do nothing: in the product no point of a promotion is special."""


@dataclass(frozen=True, slots=True)
class Seams:
    """Where a crash test may stand: around each part that writes durably, and at the promoter's named steps.

    The product passes none. A test wraps a part, so that its process ends exactly before or after a write.
    """

    ledger: Callable[[Ledger], Ledger] = _as_is
    signer: Callable[[CheckpointSigner], CheckpointSigner] = _as_is
    repositories: Callable[[Repositories], Repositories] = _as_is
    step: Callable[[str], None] = _no_step
    clock: Clock = field(default_factory=SystemClock)
    manager: Manager = LocalShelf


NO_SEAMS: Final = Seams()


def exists(settings: Settings) -> bool:
    """Tell whether the data folder holds an installation."""
    return read_installation(settings.data_folder) is not None


def create_installation(settings: Settings, *, seams: Seams = NO_SEAMS) -> None:
    """Create what is missing of the data folder: keys, database, world ledger, the person `owner`.

    Safe to call again: whatever is there stays. Only `init`, `serve` and `tour` call it.
    """
    folder = settings.data_folder
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    clock, entropy = SystemClock(), SystemEntropy()
    installation = read_installation(folder)
    if installation is None:
        installation = _new_installation(clock, entropy)
        if database_exists(settings.database):
            message = (
                "there is a database, but the installation.json of its installation is gone from the data folder; "
                "restore it from a backup, or put the database aside to begin anew"
            )
            raise ConfigurationError(message)
        write_installation(folder, installation)
    if not (folder / "master.key").exists() and not database_exists(settings.database):
        # A database is made after its key: one without a key has lost it, and a new key would read nothing.
        MasterKey.create(folder / "master.key", entropy)
    migrate(settings.database)
    parts = _open_parts(settings, installation, seams)
    _require_sound(parts, installation)
    _open_world(parts, installation)


def _new_installation(clock: SystemClock, entropy: SystemEntropy) -> Installation:
    stamp = Stamp(clock.now(), _OWNER_ACTOR, Via.CLI, "", entropy.bytes(32))
    return Installation(stamp.id("installation").partition("_")[2], stamp.id("project"))


@dataclass(frozen=True, slots=True)
class _Parts:
    """What both creating and opening an installation need."""

    seams: Seams
    keys: KeyRing
    store: Database
    ledger: SqlLedger
    desk: Desk
    directory: Directory
    erasures: Erasures


def _open_parts(settings: Settings, installation: Installation, seams: Seams) -> _Parts:
    folder, entropy = settings.data_folder, SystemEntropy()
    keys = KeyRing.open(str(folder / "keys"), seams.clock.now)
    master = MasterFile(folder / "master.key")
    vault = Vault(master, entropy)
    store = open_store(settings.database)
    signer = seams.signer(keys.checkpoint_signer(installation.installation_id))
    ledger = SqlLedger(store, vault, signer)
    desk = Desk(seams.ledger(ledger), seams.clock, entropy)
    eraser = Eraser(store, master, entropy, Tombstones(folder / "erased"))
    return _Parts(seams, keys, store, ledger, desk, Directory(store, entropy), Erasures(desk, eraser))


def _require_sound(parts: _Parts, installation: Installation) -> None:
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


def _require_keys(parts: _Parts, installation: Installation) -> None:
    held = {key.key_id for key in parts.keys.public_keys()}
    for key in parts.desk.state(installation.world_id).authority.keys.rows():
        if key.key_id not in held:
            message = (
                f"the key {key.key_id}, which the world ledger names as current, is not in the folder of the keys; "
                "restore the folder from a backup"
            )
            raise ConfigurationError(message)


def _open_world(parts: _Parts, installation: Installation) -> None:
    """Make the world ledger say what it must: that it exists, who the owner is, which keys are in force."""
    world = installation.world_id
    desk, directory = parts.desk, parts.directory
    if desk.ledger.head(world).seq == 0:
        desk.act(world, _AS_OWNER, OpenProject(world, "world", "My world"))
    state = desk.state(world)
    if OWNER not in state.authority.principals:
        state = desk.act(world, _AS_OWNER, AddPrincipal(OWNER, "Owner")).state
    if not state.authority.principals[OWNER].roles:
        desk.act(world, _AS_OWNER, GrantRole(OWNER, Role.OWNER, None))
    if directory.person(OWNER) is None:
        directory.add_person(OWNER, "Owner", parts.seams.clock.now())
    if not directory.memberships(OWNER):
        directory.grant(OWNER, Role.OWNER, ledger_id=None)
    newest = {key.role: key for key in parts.keys.public_keys()}
    for role, key in newest.items():
        current = state.authority.keys.get(role)
        if current is None or current.key_id != key.key_id:
            desk.act(world, _AS_OWNER, RotateKey(role, key.key_id, key.public_key))


def open_studio(settings: Settings, *, seams: Seams = NO_SEAMS) -> Studio:
    """Wire every service over an existing installation.

    Raises: ConfigurationError when there is none, or its schema is another version's: run `odeu init` or
    `odeu serve`; HistoryError when the database is not what the keys signed last.
    """
    installation = read_installation(settings.data_folder)
    if installation is None:
        message = f"there is no installation in {settings.data}; run `odeu init` or `odeu serve` first"
        raise ConfigurationError(message)
    parts = _open_parts(settings, installation, seams)
    _require_sound(parts, installation)
    parts.erasures.reapply(_AS_OWNER)
    loaded = load_config(settings.config_file, settings.data_folder)
    registry = build_registry(
        loaded,
        settings.data_folder,
        harness=harness_digest,
        program=lambda place: program_digest(_program(place)),
    )
    _activate(parts.desk, installation.world_id, registry)
    return _wire(settings, installation, parts, registry=registry)


def _program(place: RuntimePlace) -> ScriptedProgram:
    return ScriptedProgram(place.facts.label, place.program, place.argv, place.facts.deadline_s)


def _activate(desk: Desk, world_id: str, registry: Registry) -> None:
    if desk.state(world_id).authority.config_digest != registry.digest:
        desk.act(world_id, _AS_OWNER, ActivateConfig(registry.digest, len(registry.problems)))


@dataclass(frozen=True, slots=True)
class _Machinery:
    """The outside things that work rests on: Git, confinement, the promoter, and the evidence over them."""

    repositories: Repositories
    sandbox: Bubblewrap
    uids: UidPool
    promoter: Promoter
    evidence: Evidence


def _machinery(
    settings: Settings, installation: Installation, parts: _Parts, *, registry: Registry
) -> _Machinery:
    folder, keys = settings.data_folder, parts.keys
    uids = UidPool()
    sandbox = Bubblewrap(uids=uids)
    drops = sandbox.probe().tier == "uid_drop"
    git = GitRepositories(choose_worktree_root(str(folder), installation.installation_id, drops_uid=drops))
    repositories = parts.seams.repositories(git)
    journal = str(folder / "journal")
    promoter = Promoter(journal, keys.journal_signer(), git.verify_candidate, step=parts.seams.step)
    oracle = HostOracle(sandbox)
    evidence = Evidence(parts.desk, registry, repositories, oracle, keys.validator(), keys)
    return _Machinery(repositories, sandbox, uids, promoter, evidence)


def _queue(
    parts: _Parts, machinery: _Machinery, promotions: Promotions, *, folder: Path, registry: Registry
) -> WorkQueue:
    programs = {place.facts.id: _program(place) for place in registry.runtimes}
    execution = Execution(
        parts.desk,
        registry,
        machinery.repositories,
        parts.keys.run_authority(),
        parts.keys.sealer(),
        ScriptedRuntime(machinery.sandbox, programs),
        machinery.sandbox,
        machinery.uids,
        _host_secrets(folder),
    )
    lock = FileWorkerLock(folder / "worker")
    return WorkQueue(parts.desk, execution, machinery.evidence, promotions, lock, threading.Event())


def _wire(settings: Settings, installation: Installation, parts: _Parts, *, registry: Registry) -> Studio:
    desk, keys, folder = parts.desk, parts.keys, settings.data_folder
    machinery = _machinery(settings, installation, parts, registry=registry)
    repositories, promoter = machinery.repositories, machinery.promoter
    promotions = Promotions(desk, registry, machinery.evidence, promoter)
    access = Access(desk, parts.directory, registry, installation.world_id)
    checkpoints = keys.checkpoint_signer(installation.installation_id)
    return Studio(
        settings=settings,
        installation_id=installation.installation_id,
        world_id=installation.world_id,
        clock=desk.clock,
        desk=desk,
        directory=parts.directory,
        registry=registry,
        access=access,
        projects=Projects(desk, access, parse_outline),
        placements=Placements(desk, parts.seams.manager),
        reviews=Reviews(desk),
        erasures=parts.erasures,
        proofs=Proofs(desk),
        importing=Importing(desk, access, _read_bundle, installation.installation_id),
        leaving=Leaving(
            access, _bundle_writer(settings, installation, parts), _backup_writer(settings, parts)
        ),
        briefs=Briefs(desk, registry, repositories),
        runs=Runs(desk, registry, repositories, keys.run_authority(), machinery.sandbox),
        evidence=machinery.evidence,
        promotions=promotions,
        queue=_queue(parts, machinery, promotions, folder=folder, registry=registry),
        audits=Audits(desk, registry, repositories, promoter, keys, checkpoints, access),
        repositories=repositories,
        sandbox=machinery.sandbox,
        keys=keys,
        form_key=desk.entropy.bytes(32),
    )


def _bundle_writer(settings: Settings, installation: Installation, parts: _Parts) -> BundleWriter:
    vault = Vault(MasterFile(settings.data_folder / "master.key"), SystemEntropy())
    exporter, revoked = Exporter(parts.store, vault), dict(parts.keys.revoked())

    def write(ledger_id: str, target: Path, trust: Path | None) -> str:
        keys = parts.keys.public_keys()
        with exporter.opened(ledger_id) as found:
            head = BundleHead(
                installation.installation_id, ledger_id, found.size, found.root, found.revision or 0
            )
            listed = [
                BundleKey(key.key_id, key.role.value, key.public_key, key.created_at, revoked.get(key.key_id))
                for key in keys
            ]
            world = parts.desk.state(installation.world_id)
            foreign = world.authority.imports.get(ledger_id)
            if foreign is not None:
                listed += [
                    BundleKey(key.key_id, key.role.value, key.public_key, "") for key in foreign.body.keys
                ]
            done = write_bundle(target, head, listed, events=found.events, checkpoints=found.checkpoints)
        if trust is not None:
            live = (key for key in keys if key.role is KeyRole.CHECKPOINT and key.key_id not in revoked)
            pinned = tuple(base64.b64decode(key.public_key) for key in live)
            write_atomically(trust, [trust_bytes(Trust(pinned, (found.checkpoints[-1][1],)))])
        return done

    return write


def _read_bundle(source: Path, trust: Path | None) -> ReadBundle:
    found = examine(source)
    verdicts = judge(found, None if trust is None else read_trust(trust))
    asked = (verdicts.signed_by_pinned, verdicts.extends_known)
    head = found.head or BundleHead("", "", 0, "", 0)
    return ReadBundle(
        installation_id=head.installation_id,
        ledger_id=head.ledger_id,
        size=head.size,
        root=head.root,
        keys=tuple(
            (KeyRole(key.role), key.key_id, key.public_key)
            for key in found.keys
            if key.revoked_at is None and not found.problems
        ),
        stored=tuple(StoredEvent(event, leaf_hash(event_bytes(event))) for event in found.events),
        problems=(*found.problems, *(item.detail for item in asked if item.standing == "failed")),
    )


def _backup_writer(settings: Settings, parts: _Parts) -> BackupWriter:
    return partial(write_backup, parts.store, settings.data_folder)


def verify_bundle(path: Path, trust: Path | None) -> Verdicts:
    """Return three verdicts about a bundle; needs no installation.

    Raises: InvalidError when the trust file is none.
    """
    known = None if trust is None else read_trust(trust)
    return judge(examine(path), known)


def _host_secrets(folder: Path) -> tuple[bytes, ...]:
    """Return the bytes that no sealed file may hold: the master key and every private key, raw and as spelled."""
    spelled = [
        json.loads(path.read_bytes())["private_key"].encode() for path in sorted(folder.glob("keys/*.key"))
    ]
    return ((folder / "master.key").read_bytes(), *spelled, *(base64.b64decode(text) for text in spelled))


CreateBare = Callable[[str, dict[str, bytes], str, str], str]


def install_sandbox(settings: Settings) -> None:
    """Put the sandbox project's repository, worker, harness and configuration under the data folder, once."""
    from adapters import sandbox_project

    folder = settings.data_folder
    creator = GitRepositories(str(folder / "runs")).create_bare
    places = sandbox_project.install(str(folder), creator)
    if not settings.config_file.exists():
        text = sandbox_project.odeu_toml(places)
        draft = Path(f"{settings.config_file}.new")
        draft.write_text(text, encoding="utf-8")
        draft.chmod(0o600)
        draft.rename(settings.config_file)


def sandbox_texts() -> tuple[str, str, str]:
    """Return the sandbox project's title, outline and example sentence."""
    from adapters import sandbox_project

    return sandbox_project.PROJECT_TITLE, sandbox_project.seed_outline(), sandbox_project.example_sentence()


def map_layout() -> GraphLayout:
    """Return what gives the nodes of a map their rows."""
    return Sugiyama()


def probe_machine(settings: Settings) -> Machine:
    """Look at what this machine offers; works without an installation."""
    folder = settings.data_folder
    facts = Bubblewrap(uids=UidPool()).probe()
    installation = read_installation(folder)
    name = "not-yet-created" if installation is None else installation.installation_id
    runs = Path(choose_worktree_root(str(folder), name, drops_uid=facts.tier == "uid_drop"))
    blocked = first_unsearchable(runs) if facts.tier == "uid_drop" else None
    return Machine(
        sandbox=facts,
        git_version=git_version(),
        sqlite_version=sqlite_version(),
        data_folder=str(folder),
        data_problem=_folder_problem(folder),
        run_folder=str(runs),
        unsearchable=None if blocked is None else str(blocked),
    )


def _folder_problem(folder: Path) -> str | None:
    if not folder.exists():
        return None
    facts = folder.lstat()
    if not stat.S_ISDIR(facts.st_mode):
        return f"{folder.name} is not a folder"
    if facts.st_uid != os.geteuid():
        return f"{folder.name} belongs to another user"
    if facts.st_mode & 0o077:
        return f"{folder.name} can be read by others (mode {facts.st_mode & 0o777:o})"
    return None


def branch_by_plain_git(repository: str, ref: str) -> str:
    """Return the commit a branch holds as plain git reads it, beside everything this product says.

    Raises: GitRefusedError when git cannot read it.
    """
    return git_output(repository, "rev-parse", "--verify", f"{ref}^{{commit}}").decode().strip()
