"""Bundles and backups: what leaves an installation and what comes into it."""

import base64
from functools import partial
from pathlib import Path

from adapters.bundles import (
    BundleHead,
    BundleKey,
    Trust,
    Verdicts,
    events_of,
    examine,
    judge,
    judge_proof,
    read_proof,
    read_trust,
    trust_bytes,
    write_atomically,
    write_bundle,
)
from adapters.ledger import (
    MasterFile,
    Vault,
    restore_backup,
)
from adapters.ledger.backup import write_backup
from adapters.ledger.exporting import Exporter
from adapters.system import SystemEntropy
from app.bootstrap.parts import Parts
from app.config.installation import Installation
from app.config.settings import Settings
from app.ports import BackupWriter, BundleWriter, WrittenBundle
from kernel.provenance.node_proof import NodeProof
from kernel.provenance.read_bundle import ReadBundle
from kernel.upcast import STEPS, Steps
from kernel.vocabulary import KeyRole


def bundle_writer(settings: Settings, installation: Installation, parts: Parts) -> BundleWriter:
    """Return what writes a project to a bundle, with the keys that signed it and, when asked, a trust file."""
    vault = Vault(MasterFile(settings.data_folder / "master.key"), SystemEntropy())
    exporter, revoked = Exporter(parts.store, vault), dict(parts.keys.revoked())

    def write(ledger_id: str, target: Path, trust: Path | None) -> WrittenBundle:
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
        return WrittenBundle(done, head.size)

    return write


def read_bundle(source: Path, trust: Path | None, *, steps: Steps = STEPS) -> ReadBundle:
    """Return what a bundle holds, with every problem found in it.

    Raises: InvalidError when it cannot be read, or the trust file is none.
    """
    found = examine(source, steps)
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
        state=found.state,
        root_at=lambda size: found.root_at(size) or b"",
        events_after=partial(events_of, source, found),
        problems=(*found.problems, *(item.detail for item in asked if item.standing == "failed")),
    )


def backup_writer(settings: Settings, parts: Parts) -> BackupWriter:
    """Return what writes database, keys and configuration of one moment beside each other."""
    return partial(write_backup, parts.store, settings.data_folder)


def restore(settings: Settings, source: Path) -> tuple[str, ...]:
    """Put a backup into the data folder and the database of these settings; return the names of what was in it.

    Raises: ConflictError unless both are empty; InvalidError when the file is no backup for this engine.
    """
    return restore_backup(source, settings.data_folder, settings.database)


def verify_bundle(path: Path, trust: Path | None) -> Verdicts:
    """Return three verdicts about a bundle; needs no installation.

    Raises: InvalidError when the bundle cannot be read, or the trust file is none.
    """
    known = None if trust is None else read_trust(trust)
    return judge(examine(path), known)


def verify_proof(path: Path, trust: Path | None) -> tuple[NodeProof, Verdicts]:
    """Return what a proof of one node says, and three verdicts about it; needs no installation.

    Raises: InvalidError when the file is no proof, or the trust file none.
    """
    known = None if trust is None else read_trust(trust)
    proof = read_proof(path)
    return proof, judge_proof(proof, known)
