"""Turning what a run left in its folder into a candidate: one deterministic commit under a ref of its own.

Owns: which changes a run may make, and the order of the steps. Does not own: proving that no process of the run is
left, which **the caller does before it calls `seal`**; without that proof the folder could change while it is read.
The steps, numbered in the body:

1. check the order against the lease, the repository and the target branch;
2. take the folder back from the run's uid and read it, every byte once (`leases`, `walking`);
3. compare with the base tree and refuse what the envelope of changes does not allow;
4. store blobs, tree and commit from the very bytes that were checked;
5. compute manifest and patch, check that the branch still is at the base, sync, and retain the ref.
"""

from dataclasses import dataclass, field
from typing import Final, Literal

import pygit2

from adapters.git.commits import epoch_seconds, write_commit
from adapters.git.durability import sync_objects
from adapters.git.leases import RunFolders
from adapters.git.manifests import (
    CHANGED_PATHS_MAX,
    MANIFEST_BYTES_MAX,
    PATCH_BYTES_MAX,
    manifest_bytes,
    manifest_digest,
    patch_digest,
)
from adapters.git.objects import MODES, TreeFile, list_files
from adapters.git.patches import exact_patch
from adapters.git.paths import allowed_paths_problem, is_allowed, is_control_file, shown
from adapters.git.places import open_place
from adapters.git.refs import candidate_ref, read_target, retain_candidate
from adapters.git.walking import FolderLimits, FoundFile, read_folder
from kernel.errors import GitRefusedError, SealRefusedError
from kernel.values.execution import Lease, RefFacts, SealOrder
from kernel.values.work import CandidateFacts, ManifestEntry

_SHARED_CODES: Final = frozenset(
    {"invalid_configuration", "candidate_conflict", "unsupported_file", "too_large", "git_failed"}
)


@dataclass(frozen=True, slots=True)
class SealLimits:
    """How much one candidate may be. Sizes in bytes."""

    folder: FolderLimits = field(default_factory=FolderLimits)
    changed_paths: int = CHANGED_PATHS_MAX
    patch_bytes: int = PATCH_BYTES_MAX
    manifest_bytes: int = MANIFEST_BYTES_MAX


@dataclass(frozen=True, slots=True)
class _Change:
    """One path that differs from the base tree: what was there and what is there now."""

    path: str
    old: TreeFile | None
    new: FoundFile | None


def seal_folder(folders: RunFolders, lease: Lease, order: SealOrder, limits: SealLimits) -> CandidateFacts:
    """Return the facts of the candidate sealed from a run's folder; sealing the same again adopts what is there.

    Raises: SealRefusedError with the code of the rule that refused: `no_changes`, `base_moved`, `unsafe_path`,
            `disallowed_path`, `control_file`, `unsupported_file`, `unsupported_mode`, `too_many_files`,
            `too_large`, `secret_found`, `candidate_conflict`, `invalid_configuration` or `git_failed`.
    """
    try:
        # 1.
        _check_order(lease, order)
        repository = open_place(order.repository)
        base = _require_base(repository, order)
        # 2.
        found = read_folder(folders.absorb(lease), limits.folder)
        # 3.
        base_files = {file.path: file for file in list_files(repository, base.tree)}
        changes = _changes(base_files, found)
        _check_changes(changes, order, limits)
        # 4. and 5.
        return _store(repository, order, _Sealed(base, found, changes), limits)
    except GitRefusedError as err:
        code = err.reason_code if isinstance(err, SealRefusedError) else _seal_code(err.reason_code)
        raise SealRefusedError(_without(err.message, order.secrets), code=code) from err
    except (pygit2.GitError, OSError, KeyError, ValueError) as err:
        raise SealRefusedError(
            f"the repository refused to store the candidate: {err}", code="git_failed"
        ) from err


def _without(message: str, secrets: tuple[bytes, ...]) -> str:
    """Return a sentence fit to be recorded: a run may have put a secret into the name the sentence is about."""
    for secret in filter(None, secrets):
        message = message.replace(secret.decode("utf-8", "backslashreplace"), "[secret]")
    return message


def _seal_code(code: str) -> str:
    """Return the seal's word for a refusal that came from reading the repository."""
    return code if code in _SHARED_CODES else "git_failed"


def _check_order(lease: Lease, order: SealOrder) -> None:
    if (lease.run_id, lease.repository_id, lease.base_commit) != (
        order.run_id,
        order.repository.id,
        order.base_commit,
    ):
        message = f"the order to seal run {order.run_id!r} does not fit the lease of run {lease.run_id!r}"
        raise SealRefusedError(message, code="invalid_configuration")
    if order.target_ref not in order.repository.target_refs:
        message = f"{order.target_ref!r} is not a target of the repository {order.repository.id!r}"
        raise SealRefusedError(message, code="invalid_configuration")
    if problem := allowed_paths_problem(order.allowed_paths):
        raise SealRefusedError(problem, code="invalid_configuration")
    if any(not secret for secret in order.secrets):
        raise SealRefusedError(
            "an empty secret is configured; it would be found anywhere", code="invalid_configuration"
        )
    epoch_seconds(order.sealed_at)
    candidate_ref(order.candidate_id)


def _require_base(repository: pygit2.Repository, order: SealOrder) -> RefFacts:
    """Return what the target branch holds, which must be the base the run started from."""
    try:
        held = read_target(repository, order.target_ref)
    except GitRefusedError as err:
        raise SealRefusedError(f"the target cannot be read: {err.message}", code="base_moved") from err
    if held.commit != order.base_commit:
        message = f"{order.target_ref!r} moved from {order.base_commit} to {held.commit} while the run worked"
        raise SealRefusedError(message, code="base_moved")
    return held


def _changes(base: dict[str, TreeFile], found: dict[str, FoundFile]) -> tuple[_Change, ...]:
    """Return what differs, sorted by path bytes."""
    changes = []
    for path in sorted(base.keys() | found.keys(), key=str.encode):
        old, new = base.get(path), found.get(path)
        if old is None or new is None or (old.mode, old.blob) != (new.mode, str(pygit2.hash(new.content))):
            changes.append(_Change(path, old, new))
    return tuple(changes)


def _check_changes(changes: tuple[_Change, ...], order: SealOrder, limits: SealLimits) -> None:
    if not changes:
        raise SealRefusedError("the run changed nothing, so there is nothing to seal", code="no_changes")
    for change in changes:
        path = change.path
        content = b"" if change.new is None else change.new.content
        if any(secret in content or secret in path.encode() for secret in order.secrets):
            raise SealRefusedError(f"the file {shown(path)} holds a secret of this host", code="secret_found")
        if is_control_file(path) and path not in order.allowed_paths:
            message = f"the run changed {shown(path)}, which steers agents, builds or Git and is not allowed by name"
            raise SealRefusedError(message, code="control_file")
        if not is_allowed(path, order.allowed_paths):
            message = f"the run changed {shown(path)}, which is outside the paths it may change"
            raise SealRefusedError(message, code="disallowed_path")
    if len(changes) > limits.changed_paths:
        message = f"the run changed {len(changes)} paths; at most {limits.changed_paths} are sealed"
        raise SealRefusedError(message, code="too_many_files")


@dataclass(frozen=True, slots=True)
class _Sealed:
    """What passed every check and is about to be stored."""

    base: RefFacts
    found: dict[str, FoundFile]
    changes: tuple[_Change, ...]


def _store(
    repository: pygit2.Repository, order: SealOrder, sealed: _Sealed, limits: SealLimits
) -> CandidateFacts:
    """Write the objects, then the ref: whoever sees the ref finds everything it needs, also after a power cut."""
    # 4. Store the very bytes that were checked.
    manifest = tuple(_entry(repository, change) for change in sealed.changes)
    if len(manifest_bytes(manifest)) > limits.manifest_bytes:
        message = f"the list of changed paths is larger than {limits.manifest_bytes} bytes"
        raise SealRefusedError(message, code="too_large")
    tree = _write_tree(repository, sealed.found)
    commit = write_commit(repository, order, tree)
    # 5. The patch is computed from what was stored.
    git_dir = order.repository.path
    patch = exact_patch(git_dir, order.base_commit, commit, limits.patch_bytes)
    blobs = [entry.new_blob for entry in manifest if entry.new_blob is not None]
    sync_objects(git_dir, [*blobs, *_tree_ids(repository, tree), commit])
    _require_base(repository, order)
    ref = candidate_ref(order.candidate_id)
    retain_candidate(repository, ref, commit)
    return CandidateFacts(
        candidate_id=order.candidate_id,
        repository_id=order.repository.id,
        target_ref=order.target_ref,
        object_format="sha1",
        base_commit=order.base_commit,
        base_tree=sealed.base.tree,
        commit=commit,
        tree=tree,
        ref=ref,
        manifest=manifest,
        manifest_digest=manifest_digest(manifest),
        patch_digest=patch_digest(patch),
        patch_bytes=len(patch),
    )


def _entry(repository: pygit2.Repository, change: _Change) -> ManifestEntry:
    """Store a changed file's bytes, raw, and return its line of the manifest."""
    old, new = change.old, change.new
    status: Literal["added", "modified", "deleted"] = "modified"
    if old is None:
        status = "added"
    elif new is None:
        status = "deleted"
    return ManifestEntry(
        path=change.path,
        status=status,
        old_mode=None if old is None else MODES[old.mode],
        new_mode=None if new is None else MODES[new.mode],
        old_blob=None if old is None else old.blob,
        new_blob=None if new is None else str(repository.create_blob(new.content)),
    )


def _write_tree(repository: pygit2.Repository, found: dict[str, FoundFile]) -> str:
    """Store the tree of exactly these files; an index in memory, which no attribute or setting reaches."""
    index = pygit2.Index()
    for path, file in found.items():
        index.add(pygit2.IndexEntry(path, pygit2.hash(file.content), file.mode))  # type: ignore[arg-type]
    return str(index.write_tree(repository))


def _tree_ids(repository: pygit2.Repository, tree: str) -> list[str]:
    """Return the ids of a tree and of every tree inside it."""
    found, waiting = [], [tree]
    while waiting:
        current = waiting.pop()
        found.append(current)
        node = repository[current]
        assert isinstance(node, pygit2.Tree)
        waiting += [str(entry.id) for entry in node if entry.type_str == "tree"]
    return found
