"""Opening an installation: every service over its adapters."""

import base64
import json
import threading
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from adapters.agents.program import ScriptedProgram, program_digest
from adapters.agents.scripted import ScriptedRuntime
from adapters.git.leases import choose_worktree_root
from adapters.git.repositories import GitRepositories
from adapters.manager.local.shelf import LocalShelf
from adapters.manager.outline import parse_outline
from adapters.promotion import Promoter
from adapters.sandbox.bubblewrap import Bubblewrap
from adapters.sandbox.harness_files import harness_digest
from adapters.sandbox.oracle import HostOracle
from adapters.sandbox.uids import UidPool
from adapters.system import FileWorkerLock
from app.bootstrap.leaving import backup_writer, bundle_writer, read_bundle
from app.bootstrap.managing import READERS, manager_of, manager_secret, with_manager
from app.bootstrap.parts import AS_OWNER, NO_SEAMS, Parts, Seams, open_parts, require_sound
from app.bootstrap.signing import provider_secret, sign_in
from app.config.files import load_config
from app.config.installation import Installation, read_installation
from app.config.settings import Settings
from app.ports import Repositories
from app.services.access import Access
from app.services.audit import Audits
from app.services.briefing import Briefs
from app.services.capture import Placements
from app.services.desk import Desk
from app.services.entitled import Entitlements
from app.services.evidence import Evidence
from app.services.execution import Execution
from app.services.importing import Importing
from app.services.leaving import Leaving
from app.services.people import People
from app.services.projects import Projects
from app.services.promotion import Promotions
from app.services.proofs import Proofs
from app.services.queue import WorkQueue
from app.services.registry import Registry, RuntimePlace, build_registry
from app.services.review import Reviews
from app.services.runs import Runs
from app.services.studio import Studio
from kernel.commands import ActivateConfig
from kernel.errors import ConfigurationError


def open_studio(settings: Settings, *, seams: Seams = NO_SEAMS) -> Studio:
    """Wire every service over an existing installation.

    Raises: ConfigurationError when there is none, or its schema is another version's: run `odeu init` or
    `odeu serve`; HistoryError when the database is not what the keys signed last.
    """
    installation = read_installation(settings.data_folder)
    if installation is None:
        message = f"there is no installation in {settings.data}; run `odeu init` or `odeu serve` first"
        raise ConfigurationError(message)
    parts = open_parts(settings, installation, seams)
    require_sound(parts, installation)
    parts.erasures.reapply(AS_OWNER)
    loaded = load_config(settings.config_file, settings.data_folder)
    manager = seams.manager or manager_of(loaded, settings.data_folder)
    registry = build_registry(
        with_manager(loaded, manager),
        settings.data_folder,
        harness=harness_digest,
        program=lambda place: program_digest(_program(place)),
    )
    _activate(parts.desk, installation.world_id, registry)
    secrets = (*manager_secret(loaded, settings.data_folder), *provider_secret(settings))
    asked = _Asked(Placements(parts.desk, manager, LocalShelf, READERS), secrets)
    return _wire(settings, installation, parts, registry=registry, asked=asked)


@dataclass(frozen=True, slots=True)
class _Asked:
    """Placement by the configured manager, and the secrets of the settings, which no sealed file may hold."""

    placements: Placements
    secrets: tuple[bytes, ...]


def _program(place: RuntimePlace) -> ScriptedProgram:
    return ScriptedProgram(place.facts.label, place.program, place.argv, place.facts.deadline_s)


def _activate(desk: Desk, world_id: str, registry: Registry) -> None:
    if desk.state(world_id).authority.config_digest != registry.digest:
        desk.act(world_id, AS_OWNER, ActivateConfig(registry.digest, len(registry.problems)))


@dataclass(frozen=True, slots=True)
class _Machinery:
    """The outside things that work rests on: Git, confinement, the promoter, and the evidence over them."""

    folder: Path
    repositories: Repositories
    sandbox: Bubblewrap
    uids: UidPool
    promoter: Promoter
    evidence: Evidence


def _machinery(
    settings: Settings, installation: Installation, parts: Parts, *, registry: Registry
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
    return _Machinery(folder, repositories, sandbox, uids, promoter, evidence)


def _queue(
    parts: Parts,
    machinery: _Machinery,
    promotions: Promotions,
    *,
    registry: Registry,
    secrets: tuple[bytes, ...],
) -> WorkQueue:
    folder = machinery.folder
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
        (*_host_secrets(folder), *secrets),
    )
    lock = FileWorkerLock(folder / "worker")
    return WorkQueue(parts.desk, execution, machinery.evidence, promotions, lock, threading.Event())


def _wire(
    settings: Settings, installation: Installation, parts: Parts, *, registry: Registry, asked: _Asked
) -> Studio:
    desk, keys, name = parts.desk, parts.keys, installation.installation_id
    machinery = _machinery(settings, installation, parts, registry=registry)
    repositories, promoter = machinery.repositories, machinery.promoter
    promotions = Promotions(desk, registry, machinery.evidence, promoter)
    access = Access(desk, parts.directory, registry, installation.world_id)
    people, ways_in = People(access), sign_in(settings, parts, access)
    checkpoints = keys.checkpoint_signer(name)
    rows = Entitlements(access, ways_in.credentials)
    return Studio(
        settings=settings,
        installation_id=name,
        world_id=installation.world_id,
        clock=desk.clock,
        desk=desk,
        directory=parts.directory,
        registry=registry,
        access=access,
        people=people,
        sign_in=ways_in,
        projects=Projects(desk, access, parse_outline, people),
        placements=asked.placements,
        reviews=Reviews(desk),
        erasures=parts.erasures,
        proofs=Proofs(desk, access),
        importing=Importing(desk, access, partial(read_bundle, steps=parts.seams.steps), name),
        leaving=Leaving(access, bundle_writer(settings, installation, parts), backup_writer(settings, parts)),
        briefs=Briefs(desk, registry, repositories),
        runs=Runs(desk, registry, repositories, keys.run_authority(), machinery.sandbox),
        evidence=machinery.evidence,
        promotions=promotions,
        queue=_queue(parts, machinery, promotions, registry=registry, secrets=asked.secrets),
        audits=Audits(desk, registry, repositories, promoter, keys, checkpoints, access, rows),
        repositories=repositories,
        sandbox=machinery.sandbox,
        keys=keys,
        form_key=desk.entropy.bytes(32),
    )


def _host_secrets(folder: Path) -> tuple[bytes, ...]:
    """Return the bytes that no sealed file may hold: the master key and every private key, raw and as spelled."""
    spelled = [
        json.loads(path.read_bytes())["private_key"].encode() for path in sorted(folder.glob("keys/*.key"))
    ]
    return ((folder / "master.key").read_bytes(), *spelled, *(base64.b64decode(text) for text in spelled))
